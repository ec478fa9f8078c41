#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kills a machine while it makes IDs, boots it again with its clock set back, and compares the IDs
# of both lives:   reboot.sh KERNEL INITRD
# With QUICK=1 it kills it only once, and does not show that IDs repeat without a saved state.
# The INITRD has the program lives at /selftests/kuid/state/lives. Prints TAP. SEED repeats a run.

set -uo pipefail

# shellcheck source=SCRIPTDIR/lives.sh
. "$(dirname "$0")/lives.sh"
takes "KERNEL INITRD" "$@"
rounds=$((QUICK ? 1 : 2)) seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$seed
now=$(date -u +%Y-%m-%dT%H:%M:%S)
earlier=$(date -u -d "$now UTC 1 hour ago" +%Y-%m-%dT%H:%M:%S)

# two_lives STATE WHEN MS: kills the first life at a random moment, after at least so many
# milliseconds. The second life begins an hour earlier, or at the same time as the first. Sets
# $repeated to the number of repeated IDs.
two_lives()
{
	local state=$1 when=$2 base=$now status
	local ms=$(($3 + RANDOM % 3000))

	new_memory "$work/machine.mem"
	rm -f "$work/pid"
	machine machine "-rtc base=$now -pidfile $work/pid" reboot "$state" "$when"
	wait_for "$work/machine.mem" $go_at 4 1 "$machine" ||
		die "no first life: $(tail -n 5 "$work/machine.console")"
	sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
	kill -KILL "$(<"$work/pid")"
	wait "$machine"
	said machine

	[[ $when != earlier ]] || base=$earlier
	machine machine "-rtc base=$base" reboot "$state" "$when"
	wait "$machine"
	status=$?
	said machine
	(( !status )) || { tail -n 20 "$work/machine.console"; die "the second life ended with $status"; }
	repeated=$(sed -nE 's/^# lives: .* ([0-9]+) repeated\r?$/\1/p' "$work/machine.log")
	[[ -n $repeated ]] || die "no result"
}

echo "TAP version 13"
echo "1..$((QUICK ? 1 : 3))"
echo "# seed $seed"

for (( round = 1; round <= rounds; round++ )); do
	if (( round % 2 )); then when=earlier; else when=again; fi
	two_lives required $when 0
	(( !repeated )) || die "$repeated IDs repeat"
	echo "ok $round no ID repeats after a kill and a restore, clock $when"
done

# Without this test the rounds might show nothing: with the same times and no saved state IDs have to
# repeat. The first life is long enough for a second life that starts up more slowly.
(( !QUICK )) || exit 0
two_lives off again 3000
(( repeated )) || die "without saved state no ID repeats, so the test shows nothing"
echo "ok $round without saved state status says not reboot-safe, and $repeated IDs repeat"
