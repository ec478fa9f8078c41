#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests on a kernel that finds data races, and prints one line of totals:
#   check_kcsan.sh BUILD KERNEL INITRD
# KERNEL is from ../vm/kernel.sh. KUID_ONLY may name the tests, separated by commas.

set -uo pipefail

if (( $# != 3 )); then
	echo "usage: check_kcsan.sh BUILD KERNEL INITRD" >&2
	exit 2
fi
build=$1 kernel=$2 initrd=$3
fuzz_seconds=60
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
mkdir -p "$build/check" || exit
boot=(--kernel "$kernel" --initrd "$initrd" --smp 4 \
	--append "random.trust_cpu=on kunit.enable=1")

# Tests with concurrent callers.
only=callers,claim,cpus,fdinfo,generate,identity,kunit.sh,lane,load,long_read,order,page,poll
only+=,queue,saved_state,set_format,sharing,splice,status,steps,stuck,sysfs,text
only+=,unique_over_loads,uring
echo "== Linux $(<"$kernel/release") in QEMU"
log=$build/check/kcsan.log
add_machine "${boot[@]}" --qemu "-device e1000,mac=52:54:00:6b:75:69" --timeout 3600 \
	env KUID_PATIENCE=8 "KUID_ONLY=${KUID_ONLY:-$only}" /guest/kcsan.sh /guest/selftests.sh

echo "== fuzzed for $fuzz_seconds seconds"
log=$build/check/kcsan_fuzzed.log
add_tap "$here/../vm/boot.sh" "${boot[@]}" --timeout 600 \
	/guest/kcsan.sh /guest/fuzz.sh $fuzz_seconds fuzz

totals_end
