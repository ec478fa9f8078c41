#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests on a kernel that checks itself, and prints one line of totals:
#   check_debug.sh BUILD KERNEL INITRD debug|kcsan
# KERNEL is from ../vm/kernel.sh. During any test, "debug" finds misuse of memory, locks, preemption
# and timers, and memory leaks; it can also inject faults, which the test faults uses. "kcsan" finds
# data races. KUID_ONLY may name the tests, separated by commas.

set -uo pipefail

fuzz_seconds=60
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
takes "BUILD KERNEL INITRD debug|kcsan" "$@"
kernel=$2 initrd=$3 name=$4
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

echo "== Linux $(<"$kernel/release") in QEMU"
log=$logs/$name.log
add_machine "${boot[@]}" --qemu "-device e1000,mac=52:54:00:6b:75:69" --timeout 5400 \
	env "${variables[@]}" "KUID_ONLY=${KUID_ONLY:-$only}" "${guest[@]}" /guest/selftests.sh

part "${name}_fuzzed" "fuzzed for $fuzz_seconds seconds each" \
	"$here/../vm/boot.sh" "${boot[@]}" --timeout 1200 "${guest[@]}" /guest/fuzz.sh $fuzz_seconds "${fuzzers[@]}"

totals_end
