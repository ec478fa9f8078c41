#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests on a kernel that checks itself, and closes with one line of totals:
#   check_debug.sh BUILD KERNEL INITRD
# KERNEL is from vm/kernel.sh; it finds wrong use of memory, locks, preemption and timers, and
# memory that is lost, by whichever test. It can refuse memory, too, which faults is there for.

set -uo pipefail

if (( $# != 3 )); then
	echo "usage: check_debug.sh BUILD KERNEL INITRD" >&2
	exit 2
fi
build=$1 kernel=$2 initrd=$3
# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "${BASH_SOURCE[0]}")/totals.sh"
log=$build/check/debug.log
mkdir -p "$build/check" || exit

# What goes through each part of the module, from as many threads as there are.
only=abi,generate,identity,limits,load,long_read,orders,params,poll,query,queue,read,reload,set_format
only+=,state,steps,status,sysfs,text,trace,unique
echo "== Linux $(<"$kernel/release") in QEMU"
# It would give up if this machine is too busy for the interrupts of its first few milliseconds.
add_machine --kernel "$kernel" --initrd "$initrd" \
	--append "random.trust_cpu=on no_timer_check" \
	--qemu "-device e1000,mac=52:54:00:6b:75:69" --timeout 3600 \
	env KUID_ONLY="$only" KUID_EXTENDED=faults /guest/selftests.sh

totals_end
