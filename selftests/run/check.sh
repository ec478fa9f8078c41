#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests and prints one line of totals:   check.sh BUILD KERNEL RUN [PART...]
# RUN is check, all, debug, kcsan or uml, or names, to print the names of all parts. PARTs choose among
# those of the table below, and KUID_ONLY among the tests of a machine. Groups of parts run at the same
# time, because some tests wait most of the time. Each ends with its duration and its CPU time: on two CPUs
# the whole takes at least half of all CPU time.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/machines.sh
. "$(dirname "$0")/machines.sh"
takes_build "KERNEL RUN [PART]..." "$@"
chosen=" ${rest[*]} "
few=$build/vm/initrd.cpio more=$build/vm/all.cpio own=$build/matrix/$run/initrd.cpio
unit=(make -s -C "$here/../unit" O="$build/unit")
userspace=(make -s -C "$top/userspace" O="$build/userspace")
alone=(tap "$vm/boot.sh" --timeout 1200 --kernel "$kernel" --initrd)
checking=(--append "random.trust_cpu=on kunit.enable=1" --timeout 5400)
# The makes and the scripts do less with this.
export QUICK=''
[[ $run != check ]] || QUICK=1
export CMOCKA_MESSAGE_OUTPUT=TAP

# Runs a program that prints TAP.
tap()
{
	add_tap "$@"
}

# Boots a machine that has the name of the part.
tests()
{
	machine "$part" "$kernel" "$@"
}

fuzz()
{
	quietly "${userspace[@]}" SECONDS=20 fuzz && add 0 1 0 0
}

# row GROUP RUNS NAME TITLE COMMAND...
table()
{
	row fine "check all" fine "a clock of nanoseconds" tests "$few" "${fine[@]}"
	row coarse "check all" coarse "a clock of milliseconds, preempt=full" tests "$few" "${coarse[@]}"
	row core "check all" core "the core in user space, with sanitizers" tap "${unit[@]}" check
	row user "check all" library "library and tool without a device, with sanitizers" \
		tap "${userspace[@]}" check
	row machines "check all" clone "saved once and restored twice" \
		tap "$vm/clone.sh" "$kernel" "$few" "$build/vm/tests/selftests/kuid/state/lives"
	row machines "check all" reboot "killed and booted again" \
		tap "$vm/reboot.sh" "$kernel" "$few"

	row fine all interface "more with a clock of nanoseconds" tests "$more" "${fine[@]}"
	row lasting all lasting "what lasts longer" tests "$more" "${fine[@]}"
	row coarse all order "more with a clock of milliseconds" tests "$more" "${coarse[@]}"
	row user all claim "kuid-claim with its stores, briefly" tap "${userspace[@]}" QUICK=1 check-claim
	row user all fleet "a simulated fleet of hosts, compared with its document" \
		tap make -s -C "$here/../fleet" O="$build/fleet" TOOL="$build/userspace" check
	row user all fuzz "the parser fuzzed for 20 seconds" fuzz
	row builds all compilers "library and tool built by gcc and clang, for glibc and musl" \
		tap "$here/compilers.sh" "$build" "${MUSL-}"
	row builds all building "the module built and installed by hand" tap "$here/building.sh" "$kernel"
	row machines all unready "the random generator is not ready" "${alone[@]}" "$few" \
		--append "random.trust_cpu=off random.trust_bootloader=off" --qemu "-cpu max,-rdrand,-rdseed" \
		env KUID_MODULE=/lib/kuid.ko /selftests/kuid/failures/unready
	row machines all unsigned "only signed modules" "${alone[@]}" "$few" --append module.sig_enforce=1 \
		/selftests/userspace/unsigned.sh /lib/kuid.ko
	row machines all lockdown "locked down" "${alone[@]}" "$few" --append lockdown=integrity \
		/selftests/userspace/unsigned.sh /lib/kuid.ko
	row machines all here "make check-here" "${alone[@]}" "$few" \
		/selftests/userspace/here.sh /lib/kuid.ko /bin/kuid /tmp/here.txt

	row own debug debug "misuse of memory and locks, leaks; faults are injected" \
		tests "$own" "${checking[@]}" --qemu "$card" env KUID_PATIENCE=8
	row own debug debug_fuzzed "fuzzed for 60 seconds each" \
		"${alone[@]}" "$own" "${checking[@]}" /guest/fuzz.sh 60 fuzz trinity stress-ng
	row own kcsan kcsan "data races" \
		tests "$own" "${checking[@]}" --qemu "$card" --smp 4 env KUID_PATIENCE=8 /guest/kcsan.sh
	row own kcsan kcsan_fuzzed "fuzzed for 60 seconds" \
		"${alone[@]}" "$own" "${checking[@]}" --smp 4 /guest/kcsan.sh /guest/fuzz.sh 60 fuzz
	row own uml uml "User Mode Linux" tests "$own" "${checking[@]}"
	[[ -n ${KUID_ONLY-} && $chosen != *waits* ]] || row own uml waits "with time travel" tests "$own" \
		--append "random.trust_cpu=on time-travel=inf-cpu" --timeout 600
}

# The table is read once for the groups, and once by each group, which runs its parts.
groups=()
row()
{
	if [[ $run == names ]]; then
		echo "$3"
	elif [[ $chosen =~ [^\ ] ]]; then
		[[ $chosen == *" $3 "* ]] || return
	else
		[[ " $2 " == *" $run "* ]] || return
	fi
	if [[ -z $group ]]; then
		[[ " ${groups[*]-} " == *" $1 "* ]] || groups+=("$1")
	elif [[ $1 == "$group" ]]; then
		part=$3 log=$logs/$3.log
		echo "== $3: $4"
		"${@:5}"
	fi
}

# Runs a group in a shell of its own, whose CPU time is that of the group.
run_group()
(
	group=$1 SECONDS=0
	table
	totals_save "$logs/$group.totals"
	echo "== group $group: $SECONDS s; user and system time of the shell, and of its programs:"
	times
)

group=''
table
[[ $run != names ]] || exit 0
if (( !${#groups[@]} )); then
	echo "check.sh: there is no part$chosen" >&2
	exit 2
fi

# Each group counts its results and has its own log, because mixed output would be unreadable.
# Kills whole process groups: the machines don't react to Ctrl-C.
kill_groups()
{
	local job

	for job in $(jobs -p); do kill -- "-$job"; done 2>/dev/null
}
trap kill_groups EXIT
set -m
rm -f "$logs"/*.totals
for group in "${groups[@]:1}"; do
	run_group "$group" >"$logs/group_$group.log" 2>&1 </dev/null &
done
set +m
run_group "${groups[0]}"
totals_add "$logs/${groups[0]}.totals"
wait
for group in "${groups[@]:1}"; do
	cat "$logs/group_$group.log"
	totals_add "$logs/$group.totals"
done
totals_end
