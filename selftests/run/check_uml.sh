#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests in User Mode Linux, and closes with one line of totals:
#   check_uml.sh BUILD KERNEL INITRD
# KERNEL is from ../vm/kernel.sh. KUID_ONLY may name the tests, with commas between.

set -uo pipefail

if (( $# != 3 )); then
	echo "usage: check_uml.sh BUILD KERNEL INITRD" >&2
	exit 2
fi
build=$1 kernel=$2 initrd=$3
# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "${BASH_SOURCE[0]}")/totals.sh"
mkdir -p "$build/check" || exit

# What is about the interface. Others wait for a program to be asleep in a system call, which this
# kernel does not tell (/proc/PID/syscall), have memory that may not be read, which it reads, or use
# up what there is in a time.
only=abi,fdinfo,formats,generate,identity,kunit.sh,params,query,read,set_format,status
only+=,sysfs,text,trace,unique_over_loads,vectors.sh
echo "== User Mode Linux $(<"$kernel/release")"
booter=uml.sh
log=$build/check/uml.log
add_machine --kernel "$kernel" --initrd "$initrd" --append "random.trust_cpu=on kunit.enable=1" \
	--timeout 600 env "KUID_ONLY=${KUID_ONLY:-$only}" /guest/selftests.sh

# How long calls wait; and one test of the list, which can't be empty.
if [[ -z ${KUID_ONLY:-} ]]; then
	echo "== where time passes only while all sleep"
	log=$build/check/uml_waits.log
	add_machine --kernel "$kernel" --initrd "$initrd" \
		--append "random.trust_cpu=on time-travel=inf-cpu" \
		--timeout 600 env KUID_ONLY=fdinfo KUID_EXTENDED=exact_waits /guest/selftests.sh
fi
totals_end
