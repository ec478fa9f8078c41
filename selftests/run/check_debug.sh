#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests on a kernel that checks itself, and prints one line of totals:
#   check_debug.sh debug|kcsan BUILD KERNEL INITRD
# KERNEL is from ../vm/kernel.sh. During any test, "debug" finds misuse of memory, locks, preemption
# and timers, and memory leaks; it can also inject faults, which the test faults uses. "kcsan" finds
# data races. KUID_ONLY may name the tests, separated by commas.

set -uo pipefail

if (( $# != 4 )); then
	echo "usage: check_debug.sh debug|kcsan BUILD KERNEL INITRD" >&2
	exit 2
fi
name=$1 build=$2 kernel=$3 initrd=$4
fuzz_seconds=60
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
boot=(--kernel "$kernel" --initrd "$initrd" --append "random.trust_cpu=on kunit.enable=1")
variables=(KUID_PATIENCE=8)
case $name in
debug)
	# Tests of waiting, sharing and hotplug, of all ways to take IDs or poll, of epochs and of
	# the module itself. Tests of refused requests and of order and time of IDs are left out:
	# such a kernel finds no more in them than another, and the fuzzer makes more requests than
	# they do.
	only=callers,generate,hibernate,identity,kunit.sh,lane,load,page,params,poll,queue,read
	only+=,readv,saved_state,sharing,splice,state_deadline,steps,stuck,sysfs,text,trace
	only+=,undelivered,unique_over_loads,uring
	variables+=(KUID_EXTENDED=faults)
	guest=()
	fuzzers=(fuzz trinity stress-ng)
	;;
kcsan)
	# Tests with concurrent callers.
	only=callers,claim,cpus,fdinfo,generate,identity,kunit.sh,lane,load,long_read,order,page
	only+=,poll,queue,saved_state,set_format,sharing,splice,status,steps,stuck,sysfs,text
	only+=,unique_over_loads,uring
	boot+=(--smp 4)
	guest=(/guest/kcsan.sh)
	fuzzers=(fuzz)
	;;
*)
	echo "check_debug.sh: no such kernel: $name" >&2
	exit 2
	;;
esac
mkdir -p "$build/check" || exit

echo "== Linux $(<"$kernel/release") in QEMU"
log=$build/check/$name.log
add_machine "${boot[@]}" --qemu "-device e1000,mac=52:54:00:6b:75:69" --timeout 5400 \
	env "${variables[@]}" "KUID_ONLY=${KUID_ONLY:-$only}" "${guest[@]}" /guest/selftests.sh

echo "== fuzzed for $fuzz_seconds seconds each"
log=$build/check/${name}_fuzzed.log
add_tap "$here/../vm/boot.sh" "${boot[@]}" --timeout 1200 \
	"${guest[@]}" /guest/fuzz.sh $fuzz_seconds "${fuzzers[@]}"

totals_end
