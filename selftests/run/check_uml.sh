#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests in User Mode Linux, and prints one line of totals:
#   check_uml.sh BUILD KERNEL INITRD
# KERNEL is from ../vm/kernel.sh. KUID_ONLY may name the tests, separated by commas.

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "${BASH_SOURCE[0]}")/totals.sh"
takes "BUILD KERNEL INITRD" "$@"
kernel=$2 initrd=$3

# Tests of the interface. The others wait until a program sleeps in a system call, which this kernel
# doesn't report (/proc/PID/syscall), rely on memory that can't be read, which this kernel reads, or
# have to use up the IDs of a time.
only=abi,answer,claim,fdinfo,formats,generate,identity,kunit.sh,lane,page,params,query,read
only+=,set_format,snowflake,status,sysfs,text,trace,unique_over_loads,vectors.sh
echo "== User Mode Linux $(<"$kernel/release")"
booter=uml.sh
log=$logs/uml.log
add_machine --kernel "$kernel" --initrd "$initrd" --append "random.trust_cpu=on kunit.enable=1" \
	--timeout 600 env "KUID_ONLY=${KUID_ONLY:-$only}" /guest/selftests.sh

# exact_waits, and one test of the list, because the list can't be empty.
if [[ -z ${KUID_ONLY:-} ]]; then
	echo "== with time travel"
	log=$logs/uml_waits.log
	add_machine --kernel "$kernel" --initrd "$initrd" \
		--append "random.trust_cpu=on time-travel=inf-cpu" \
		--timeout 600 env KUID_ONLY=fdinfo KUID_EXTENDED=exact_waits /guest/selftests.sh
fi
totals_end
