#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Saves a running machine and restores it twice, with IDs being made all the time, and compares
# what the twins made:   clone.sh KERNEL INITRD LIVES
# LIVES is the program lives, built for this machine; the INITRD has it at /selftests/kuid/lives.
# Prints TAP. IDs that were made before the kernel told of the fork are counted, not judged.

set -uo pipefail

if (( $# != 3 )); then
	echo "usage: clone.sh KERNEL INITRD LIVES" >&2
	exit 2
fi
kernel=$1 initrd=$2 lives=$3
work=$(mktemp -d)
# shellcheck source=SCRIPTDIR/lives.sh
. "$(dirname "${BASH_SOURCE[0]}")/lives.sh"
# shellcheck source=SCRIPTDIR/monitor.sh
. "$here/monitor.sh"
machine=
trap '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT

old=11111111-2222-3333-4444-555555555555
one=aaaaaaaa-2222-3333-4444-555555555555
other=bbbbbbbb-2222-3333-4444-555555555555

# A machine with a monitor.
watched()
{
	local name=$1 more=$2
	shift 2
	monitored "$name"
	new_memory "$work/$name.mem"
	machine "$name" "$more $monitored" clone "$@"
}

# save PARAM...: a machine at work, in $work/saved, and its memory at that moment in saved.mem.
save()
{
	watched saved "$(generation $old)" "$@"
	wait_for "$work/saved.mem" $readers_at 4 2 "$machine" ||
		die "no machine: $(tail -n 5 "$work/saved.console")"
	# Some IDs, that both twins have seen.
	sleep 1
	save_machine saved "$work/image"
	wait "$machine"
}

# restore NAME GUID PARAM...
restore()
{
	local name=$1 guid=$2
	shift 2
	watched "$name" "$(generation "$guid") -incoming exec:cat<$work/image" "$@"
	go_on_restored "$name"
}

# Ends a machine and judges what it found.
finish()
{
	local name=$1 pid=$2
	tell_to_stop "$work/$name.mem"
	wait "$pid"
	local status=$?
	said "$name"
	(( !status )) || { tail -n 20 "$work/$name.console"; die "$name ended with $status"; }
}

test=0
ok()
{
	test=$((test + 1))
	echo "ok $test $*"
}

# Both at a time, for it is not their clocks that differ.
twins()
{
	local pids=()
	restore one $one "$@"
	pids+=("$machine")
	restore other $other "$@"
	pids+=("$machine")
	wait_for "$work/one.mem" $told_at 8 any "${pids[0]}" ||
		die "one was not told: $(tail -n 5 "$work/one.console")"
	wait_for "$work/other.mem" $told_at 8 any "${pids[1]}" ||
		die "other was not told: $(tail -n 5 "$work/other.console")"
	# Time for IDs afterwards, of the same times in both.
	sleep 3
	finish one "${pids[0]}"
	finish other "${pids[1]}"
	"$lives" twins "$work"/{saved,one,other}.mem || die "twins have IDs in common"
}

echo "TAP version 13"
echo "1..3"
save
twins
ok "twins with random nodes and workers of their own have nothing in common"

# The same once more, as if it had gone on.
restore same $old
wait_for "$work/same.mem" $readers_at 4 2 "$machine" || die "not restored"
sleep 3
(( $(memory_number "$work/same.mem" $told_at 8) == 0 )) || die "told of a fork where there was none"
finish same "$machine"
said same | grep -q ' 0 forks' || die "it counts forks"
ok "restored with its own generation it goes on"

params=(node=0123456789ab worker=fedcba9876543210)
save "${params[@]}"
twins "${params[@]}"
ok "what was given is stale in both until it is confirmed"
