#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests on several kernels in turn, and prints a table, the reasons for skipped tests, and
# one line of totals:   check_matrix.sh BUILD [ROW...]
# A row is one of these; without arguments, all rows listed below run.
#   KERNEL            all tests, on 2 CPUs of an amd64 kernel that ../vm/fetch.sh knows
#   KERNEL:CPUS       tests of order, uniqueness and sharing, on that many virtual CPUs. They may be
#                     more than the real CPUs, because none of these tests is about time
#   KERNEL:brief      tests of the kernel's interfaces, on 2 CPUs, in a minute or so
#   KERNEL:hpet       tests of order and private lanes, on 2 CPUs, with a clock that is slow to read
#   KERNEL:clones     clones, 20 pairs of twins
#   7.x:vmclock       the same in a newer QEMU with the device vmclock, 2 pairs
#   6.1-arm64 6.1-s390x   the tests that make cross-ARCH builds, on 2 CPUs of another architecture
#   debug kcsan uml   make check-NAME
#   soak              make soak
# Each row has a log in build/matrix, and if nothing failed a line for make matrix-record.

set -uo pipefail

# shellcheck source=SCRIPTDIR/machines.sh
. "$(dirname "$0")/machines.sh"
rows=(6.1 6.1-rt 6.12 6.12-rt 7.x 7.x-rt 6.1:1 6.12-rt:4 7.x:8 6.1:hpet 6.1:clones 6.12:clones
	7.x:clones 7.x:vmclock 6.1-arm64 6.1-s390x uml soak debug kcsan)
amd64='(6\.1|6\.12|7\.x)(-rt)?'

takes_build "[ROW]..." "$@"
for row in "${rest[@]}"; do
	[[ $row =~ ^(7\.x:vmclock|$amd64(:[1-9][0-9]?|:brief|:hpet|:clones)?|6\.1-(arm64|s390x)|debug|kcsan|soak|uml)$ ]] ||
		usage "there is no row '$row'"
done
(( !${#rest[@]} )) || rows=("${rest[@]}")
matrix=$build/matrix
every="fine coarse interface lasting order"
mkdir -p "$matrix" || exit

# Makes something that a row needs.
prepare()
{
	quietly make -s -C "$top" BUILD="$build" "$@"
}

# on_kernel MACHINE KERNEL CPUS INITRD [ARG...]: runs the tests of a machine of programs.list, with more
# arguments for boot.sh.
on_kernel()
{
	local kernel

	kernel=$("$vm/fetch.sh" "$2") || { add 1 0 1 0; return; }
	release=$(<"$kernel/release") cpus=$3
	machine "$1" "$kernel" "$4" --smp "$3" --timeout 3600 "${@:5}"
}

# on_amd64 MACHINE KERNEL CPUS [ARG...]
on_amd64()
{
	prepare "matrix-$2" && on_kernel "$1" "$2" "$3" "$matrix/$2/initrd.cpio" --qemu "$devices" "${@:4}"
}

# on_clones KERNEL PAIRS
on_clones()
{
	local kernel

	prepare "matrix-$1" || return
	kernel=$("$vm/fetch.sh" "$1") || { add 1 0 1 0; return; }
	release=$(<"$kernel/release") cpus=2
	PAIRS=$2 add_tap "$vm/clone.sh" "$kernel" "$matrix/$1/initrd.cpio" \
		"$build/vm/tests/selftests/kuid/state/lives"
}

# Runs a command with a QEMU that has the device.
with_vmclock()
{
	local qemu

	qemu=$("$vm/fetch.sh" qemu-trixie) || { add 1 0 1 0; return; }
	PATH=$qemu/bin:$PATH VMCLOCK=1 "$@"
}

on_other()
{
	local names more=()

	prepare "cross-$1" || return
	# QEMU has neither device for s390x.
	if [[ $1 == arm64 ]]; then
		"$vm/device_tree.sh" "$matrix/arm64.dtb" || { add 1 0 1 0; return; }
		more=(--qemu "$card -dtb $matrix/arm64.dtb")
	fi
	# The programs that a cross compiler builds, and the tests of the core.
	mapfile -t names < <(programs_of "$every" | grep -vE '_32(=|$)|^(examples|sqlite)\.sh$'
		cd "$here/../unit" && printf "%s\n" ./*_test.c | sed -E '/model_test/d; s,^\./(.*)\.c,\1,')
	KUID_ONLY=${names[*]} on_kernel "$every" "6.1-$1" 2 "$build/cross/$1/initrd.cpio" "${more[@]}" env KUID_PATIENCE=2
}

# Runs a make target that prints totals of its own.
by_itself()
{
	local status

	make -s -C "$top" BUILD="$build" "$1" 2>&1 | tee "$log"
	status=$?
	release=$(sed -nE 's/^== (User Mode )?Linux ([^ ]+).*/\2/p' "$log" | head -n 1)
	if [[ $(tail -n 20 "$log") =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped ]]; then
		add $status "${BASH_REMATCH[@]:1}"
	else
		add 1 0 0 0
	fi
}

run_row()
{
	case $1 in
	debug|kcsan|uml) by_itself "check-$1" ;;
	soak) by_itself soak ;;
	6.1-arm64|6.1-s390x) on_other "${1#6.1-}" ;;
	*:brief) on_amd64 brief "${1%:*}" 2 ;;
	# The only machine without a device that tells of clones.
	*:hpet) on_amd64 hpet "${1%:*}" 2 --clocksource hpet --qemu "$card" ;;
	*:clones) on_clones "${1%:*}" 20 ;;
	*:vmclock) with_vmclock on_clones "${1%:*}" 2 ;;
	*:*) on_amd64 cpus "${1%:*}" "${1#*:}" --clocksource jiffies --append preempt=full env KUID_PATIENCE=3 ;;
	*) on_amd64 "$every" "$1" 2 ;;
	esac
}

# The skips in a log: reason, tab, test, tab, row. The harness's skip lines have no test name.
skips()
{
	awk -v row="$1" '
		{ sub(/\r$/, "") }
		/^# [a-z\/]+:[^ ]+$/ { program = $2 " "; test = "" }
		/^ *# +RUN / { test = $3 }
		/^ *(ok |1\.\.0 ).*# SKIP/ {
			name = reason = $0
			sub(/^ *(ok [0-9]+|1\.\.0) */, "", name)
			sub(/ *# SKIP.*/, "", name)
			sub(/.*# SKIP */, "", reason)
			# The tests of the program gave their reasons before.
			if (name " " == program)
				next
			if (name == "" && $1 == "ok")
				name = test
			print reason "\t" program name "\t" row
		}' "$log"
}

log=$matrix/prepare.log
echo "== building the tests"
prepare vm-tests || { totals_end; exit; }

table='row|kernel|CPUs|passed|failed|skipped|seconds'
: >"$matrix/skips"
for row in "${rows[@]}"; do
	echo "== row $row"
	log=$matrix/${row/:/-on-}.log release=- cpus=-
	before=("$passed" "$failed" "$skipped" "$SECONDS")
	run_row "$row"
	skips "$row" >"$matrix/row.skips"
	explained=$(wc -l <"$matrix/row.skips")
	if (( explained != skipped - before[2] )); then
		echo "not ok: $((skipped - before[2])) skipped, but $explained reasons found"
		add 1 0 1 0
	fi
	cat "$matrix/row.skips" >>"$matrix/skips"
	table+=$'\n'"$row|${release:--}|$cpus|$((passed - before[0]))|$((failed - before[1]))"
	table+="|$((skipped - before[2]))|$((SECONDS - before[3]))"
	result=${log%.log}.result
	rm -f "$result"
	if (( passed > before[0] && failed == before[1] )); then
		printf "| \`%s\` | %s | %d | %d |\n" "$row" "${release:--}" $((passed - before[0])) \
			$(((SECONDS - before[3] + 59) / 60)) >"$result"
	fi
done

echo
column -t -s '|' -R 3,4,5,6,7 <<<"$table"
if [[ -s $matrix/skips ]]; then
	echo
	echo "skipped:"
	sort "$matrix/skips" | awk -F '\t' '
		$1 != reason || $2 != name { if (line) print line; line = "    " $2 ":" }
		$1 != reason { print "  " $1 }
		{ reason = $1; name = $2; line = line " " $3 }
		END { print line }'
fi
echo
totals_end
