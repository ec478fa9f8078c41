#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests of make check and prints one line of totals:   check.sh BUILD KERNEL INITRD MUSL
# They are the tests in user space and, in machines booted from KERNEL and INITRD with different
# clock sources, the tests of module, library and tool. They run as concurrent parts, because some
# tests wait most of the time. Each part ends with its duration and its CPU time: on two CPUs the
# whole takes at least half of all CPU time.

set -uo pipefail

fuzz_seconds=20
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
takes "BUILD KERNEL INITRD MUSL" "$@"
kernel=$2 initrd=$3 musl=$4

# Tests of order, time and waiting. With a fine clock a call takes longer than the time it reserves,
# so the clock alone puts calls in order: only a coarse clock shows whether lanes and watermarks do.
# That machine also preempts tasks anywhere.
order=callers,clocksource,cpus,formats,generate,limits,order,params,poll
order+=,queue,saved_state,sharing,status,steps,suspend,text_in_shell.sh

# Tests of what lasts longer than a call, which wait for deadlines, hibernate the machine, or load the
# module many times; and programs of the library.
lasting=admin_test,admin_test_32,claim,container,dropin.sh,examples.sh,hibernate,identity
lasting+=,lane,lane_test,library_test,library_test_32,load,page,readme.sh,snowflake,sqlite.sh
lasting+=,state_deadline,tool.sh,tool_keep.sh,tool_state.sh

# Runs tests in a booted machine; the log has the name of the part.
booted()
{
	local clocksource=$1 preempt=$2 choice=$3

	echo "== Linux $(<"$kernel/release") in QEMU, clock source $clocksource, preempt=$preempt"
	log=$logs/machine_$part.log
	add_machine --kernel "$kernel" --initrd "$initrd" --clocksource "$clocksource" \
		--append "preempt=$preempt" --qemu "-device e1000,mac=52:54:00:6b:75:69 -device vmgenid,guid=auto" \
		--timeout 2400 env "$choice" /guest/selftests.sh
}

# Tests of the interface, with the usual clock. unique_over_loads is in part_order.
part_interface()
{
	booted tsc voluntary "KUID_EXCEPT=$order,$lasting,unique_over_loads"
}

part_lasting()
{
	booted tsc voluntary "KUID_ONLY=$lasting"
}

part_order()
{
	# stuck runs with both clocks: only with the coarse one do single readers run out of IDs,
	# and only with another one can a timer be late. With the coarse one every machine is fast
	# enough for unique_over_loads to run ahead of the clock. lane_test runs with both, because the
	# library has a clock of its own beside the kernel's.
	booted jiffies full "KUID_ONLY=$order,lane_test,stuck,unique_over_loads"
}

part_userspace()
{
	export CMOCKA_MESSAGE_OUTPUT=TAP
	part core "the core in user space, with sanitizers" make -s -C "$here/../unit" O="$build/unit" check

	part userspace "library and tool without a device, with sanitizers" \
		make -s -C "$here/../../userspace" O="$build/userspace" check

	part claim "kuid-claim with its stores, briefly" \
		make -s -C "$here/../../userspace" O="$build/userspace" QUICK=1 check-claim

	part fleet "a simulated fleet of hosts, compared with its document" \
		make -s -C "$here/../fleet" O="$build/fleet" TOOL="$build/userspace" check

	part bench "the report of the benchmark" "$here/../bench/tests.sh"

	echo "== the parser fuzzed for $fuzz_seconds seconds"
	log=$logs/fuzz.log
	quietly make -s -C "$here/../../userspace" O="$build/userspace" SECONDS=$fuzz_seconds fuzz &&
		add 0 1 0 0
}

part_builds()
{
	part compilers "library and tool built by gcc and clang, for glibc and musl" \
		"$here/compilers.sh" "$build" "$musl"

	part building "the module built and installed by hand" "$here/building.sh" "$kernel"
}

part_machines()
{
	local word

	part unready "booted with a random generator that is not ready" \
		"$here/../vm/boot.sh" --kernel "$kernel" --initrd "$initrd" \
		--append "random.trust_cpu=off random.trust_bootloader=off" \
		--qemu "-cpu max,-rdrand,-rdseed" env KUID_MODULE=/lib/kuid.ko /selftests/kuid/unready

	part clone "saved once and restored twice" \
		"$here/../vm/clone.sh" "$kernel" "$initrd" "$build/vm/tests/selftests/kuid/lives"

	part reboot "killed and booted again" "$here/../vm/reboot.sh" "$kernel" "$initrd"

	for word in module.sig_enforce=1 lockdown=integrity; do
		part "unsigned_${word%=*}" "with a kernel that loads only signed modules: $word" \
			"$here/../vm/boot.sh" --kernel "$kernel" --initrd "$initrd" --append "$word" \
			/selftests/userspace/unsigned.sh /lib/kuid.ko
	done

	part here "make check-here, in a machine" \
		"$here/../vm/boot.sh" --kernel "$kernel" --initrd "$initrd" --clocksource tsc \
		/selftests/userspace/here.sh /lib/kuid.ko /bin/kuid /tmp/here.txt
}

# Runs a part in a shell of its own, whose CPU time is that of the part.
run_part()
(
	local part=$1

	SECONDS=0
	"part_$part"
	totals_save "$logs/$part.totals"
	echo "== part $part: $SECONDS s; user and system time of the shell, and of its programs:"
	times
)

# Each part counts its results and has its own log, because mixed output would be unreadable.
parts=(interface lasting order userspace builds machines)
# Kills whole process groups: the machines don't react to Ctrl-C.
kill_parts()
{
	local group

	for group in $(jobs -p); do kill -- "-$group"; done 2>/dev/null
}
trap kill_parts EXIT
set -m
rm -f "$logs"/*.totals
for part in "${parts[@]:1}"; do
	run_part "$part" >"$logs/part_$part.log" 2>&1 </dev/null &
done
set +m
run_part "${parts[0]}"
totals_add "$logs/${parts[0]}.totals"
echo "== waiting for the other parts"
wait
for part in "${parts[@]:1}"; do
	cat "$logs/part_$part.log"
	totals_add "$logs/$part.totals"
done
totals_end
