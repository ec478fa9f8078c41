#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests on a kernel that checks itself, and closes with one line of totals:
#   check_debug.sh BUILD KERNEL INITRD
# KERNEL is from ../vm/kernel.sh; it finds wrong use of memory, locks, preemption and timers, and
# memory that is lost, by whichever test. It can refuse memory, too, which faults is there for.
# KUID_ONLY may name the tests, with commas between.

set -uo pipefail

if (( $# != 3 )); then
	echo "usage: check_debug.sh BUILD KERNEL INITRD" >&2
	exit 2
fi
build=$1 kernel=$2 initrd=$3
fuzz_seconds=60
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
mkdir -p "$build/check" || exit
boot=(--kernel "$kernel" --initrd "$initrd" --append "random.trust_cpu=on kunit.enable=1")

# What waits, shares, comes and goes: the ways to take IDs and to be told of them, epochs, and the
# module itself. That requests are refused as they must be, and the order and time of IDs, such a
# kernel shows no better than another; the fuzzer makes more requests than there are tests of them.
only=callers,generate,hibernate,identity,kunit.sh,load,params,poll,queue,read,readv,saved_state
only+=,sharing,shut,splice,steps,stuck,sysfs,text,trace,undelivered,unique_over_loads,uring
echo "== Linux $(<"$kernel/release") in QEMU"
log=$build/check/debug.log
add_machine "${boot[@]}" --qemu "-device e1000,mac=52:54:00:6b:75:69" --timeout 5400 \
	env KUID_PATIENCE=8 "KUID_ONLY=${KUID_ONLY:-$only}" KUID_EXTENDED=faults /guest/selftests.sh

echo "== fuzzed for $fuzz_seconds seconds each"
log=$build/check/fuzzed.log
add_tap "$here/../vm/boot.sh" "${boot[@]}" --timeout 1200 \
	/guest/fuzz.sh $fuzz_seconds fuzz trinity stress-ng

totals_end
