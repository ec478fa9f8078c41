#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests on a kernel that checks itself, and prints one line of totals:
#   check_debug.sh BUILD KERNEL INITRD
# KERNEL is from ../vm/kernel.sh. It finds misuse of memory, locks, preemption and timers, and
# memory leaks, during any test. It can also inject faults, which the test faults uses. KUID_ONLY
# may name the tests, separated by commas.

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

# Tests of waiting, sharing and hotplug, of all ways to take IDs or poll, of epochs and of the
# module itself. Tests of refused requests and of order and time of IDs are left out: such a kernel
# finds no more in them than another, and the fuzzer makes more requests than they do.
only=callers,generate,hibernate,identity,kunit.sh,lane,load,page,params,poll,queue,read,readv
only+=,saved_state,sharing,splice,state_deadline,steps,stuck,sysfs,text,trace,undelivered
only+=,unique_over_loads,uring
echo "== Linux $(<"$kernel/release") in QEMU"
log=$build/check/debug.log
add_machine "${boot[@]}" --qemu "-device e1000,mac=52:54:00:6b:75:69" --timeout 5400 \
	env KUID_PATIENCE=8 "KUID_ONLY=${KUID_ONLY:-$only}" KUID_EXTENDED=faults /guest/selftests.sh

echo "== fuzzed for $fuzz_seconds seconds each"
log=$build/check/fuzzed.log
add_tap "$here/../vm/boot.sh" "${boot[@]}" --timeout 1200 \
	/guest/fuzz.sh $fuzz_seconds fuzz trinity stress-ng

totals_end
