#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Saves a running machine and restores it twice, while IDs are being made, and compares the IDs of
# the twins:   clone.sh KERNEL INITRD LIVES
# LIVES is the program lives, built for this machine; the INITRD has it at /selftests/kuid/state/lives.
# Prints TAP. PAIRS is how often the first machine is restored as twins (1); with QUICK=1 there is no other
# machine. No call that begins after the restore may make an ID that the twin has. IDs of other calls, and of
# private lanes until they end, are counted only. With VMCLOCK=1, which needs QEMU 10 and its driver in the
# INITRD, private lanes count as calls.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/lives.sh
. "$(dirname "$0")/lives.sh"
# shellcheck source=SCRIPTDIR/monitor.sh
. "$here/monitor.sh"
takes "KERNEL INITRD LIVES" "$@"

old=11111111-2222-3333-4444-555555555555

# Boots a machine with a monitor.
watched()
{
	local name=$1 more=$2
	shift 2
	monitored "$name"
	new_memory "$work/$name.mem"
	machine "$name" "$more $monitored" clone ${VMCLOCK:+vmclock} "$@"
}

# The image saved last, as $work/$from.image; $work/$from.mem is its memory at that moment.
from=

# save ARG...: boots a machine and saves it.
save()
{
	from=saved
	watched saved "$(generation $old)" "$@"
	wait_for "$work/saved.mem" $go_at 4 1 "$machine" ||
		die "no machine: $(tail -n 5 "$work/saved.console")"
	# Some IDs that both twins know of.
	sleep 1
	save_machine saved "$work/saved.image"
	wait "$machine"
}

# restore NAME GUID ARG...
restore()
{
	local name=$1 guid=$2
	shift 2
	watched "$name" "$(generation "$guid") -incoming exec:cat<$work/$from.image" "$@"
	go_on_restored "$name"
}

# Ends a machine and fails if it found an error.
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

# twins NUMBER ARG...: runs both twins at the same time, so that their clocks agree.
twins()
{
	local pids=() rest
	printf -v rest %07x-2222-3333-4444-555555555555 "$1"
	shift
	restore one "1$rest" "$@"
	pids+=("$machine")
	restore other "2$rest" "$@"
	pids+=("$machine")
	wait_for "$work/one.mem" $told_at 8 any "${pids[0]}" ||
		die "one was not told: $(tail -n 5 "$work/one.console")"
	wait_for "$work/other.mem" $told_at 8 any "${pids[1]}" ||
		die "other was not told: $(tail -n 5 "$work/other.console")"
	# Time for more IDs, made at the same times in both.
	sleep 3
	finish one "${pids[0]}"
	finish other "${pids[1]}"
	"$lives" twins "$work"/{$from,one,other}.mem || die "the twins made the same IDs"
}

echo "TAP version 13"
echo "1..$((QUICK ? 1 : 4))"
# The kernel's driver of the device was unbound, and bound again.
save rebind
for (( pair = 0; pair < ${PAIRS:-1}; pair++ )); do
	twins $pair rebind
done
ok "twins with random nodes and salted workers make different IDs"
(( !QUICK )) || exit 0

# Restore the same machine with its own generation ID, as a migration does: it isn't a clone.
restore same $old rebind
wait_for "$work/same.mem" $go_at 4 1 "$machine" || die "not restored"
sleep 3
(( $(memory_number "$work/same.mem" $told_at 8) == 0 )) || die "notified of a fork that never was"
finish same "$machine"
said same | grep -q ' 0 forks' || die "the module counted a fork"
ok "a machine restored with its own generation ID goes on"

# Restore a clone, and save it soon. Its first epoch may have begun or not.
restore middle "3${old:1}" rebind
sleep 0.2
save_again middle "$work/middle.image"
wait "$machine"
from=middle
twins 0 rebind
ok "twins of a clone make different IDs"

# There is no driver in the kernel.
args=(unbind node=0123456789ab worker=fedcba9876543210)
save "${args[@]}"
twins 0 "${args[@]}"
ok "a given identity is stale in both twins until it is confirmed"
