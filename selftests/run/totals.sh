#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts results, for scripts that run tests in parts:   . totals.sh
# Each part writes its log to $log; totals_end prints one line for all parts.
# shellcheck disable=SC2034,SC2154 # variables shared with the sourcing script

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/arguments.sh"
vm=$here/../vm top=$here/../..
passed=0 failed=0 skipped=0 failures='' log=''
# The options and variables of the make that runs this are not those of others.
unset MAKEFLAGS T

# takes_build NAMES ARGUMENT...: takes() with an argument before these, the directory of the build. It gets
# the logs.
takes_build()
{
	takes "BUILD $1" "${@:2}"
	logs=$build/check
	mkdir -p "$logs" || exit
	build=$(cd "$build" && pwd)
	logs=$build/check
}

# The version of this tree.
version=$(sed -n 's/.*KUID_VERSION "\(.*\)"/\1/p' "$top/kmod/version.h")

# Prints the packages in a directory that are to be installed.
packages_in()
{
	find "$1" -name '*.deb' ! -name '*-dbgsym_*' ! -name 'postgresql-*'
}

# The number of lines in the log that match.
lines()
{
	grep -cE "$1" "$log"
}

# Adds the results of a part, and a failure if the part broke without reporting one.
add()
{
	local status=$1 ok=$2 bad=$3 skip=$4

	if (( status && !bad )); then
		echo "not ok: ended with status $status"
		bad=1
	fi
	# To be shown at the end of an output in which nobody finds it.
	if (( bad )) && [[ -e $log ]]; then
		failures+=$'\n'"== $log"$'\n'
		failures+=$(grep -m 5 -E -B 4 -A 12 '^ *not ok' "$log" || tail -n 20 "$log")
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# Runs a command with its output in the log. If it fails, shows the end of that, and adds a failure.
quietly()
{
	"$@" >"$log" 2>&1 && return
	tail -n 40 "$log"
	echo "not ok: $*"
	add 1 0 1 0
	return 1
}

# Runs a program that prints TAP, and writes its output to the log.
add_tap()
{
	local status skip begin=$SECONDS

	"$@" 2>&1 | tee "$log"
	status=$?
	echo "== $((SECONDS - begin)) s"
	skip=$(lines '^ok .*# SKIP')
	add $status $(($(lines '^ok ') - skip)) "$(lines '^not ok ')" "$skip"
}

# part NAME TITLE PROGRAM...: a part with one such program.
part()
{
	echo "== $2"
	log=$logs/$1.log
	add_tap "${@:3}"
}

# tap_machine KERNEL INITRD ARG...: boots a machine with a program that prints TAP.
tap_machine()
{
	echo "== Linux $(<"$1/release") in a machine"
	add_tap "$vm/boot.sh" --kernel "$1" --initrd "$2" "${@:3}"
}

# The same with the console in the log, where kselftest prints a line of totals at the end.
add_machine()
{
	local status ok=0 bad=0 skip=0 begin=$SECONDS

	echo "== Linux $(<"$1/release") in a machine"
	"$vm/boot.sh" --log "$log" --kernel "$1" --initrd "$2" "${@:3}"
	status=$?
	echo "== $((SECONDS - begin)) s"
	if [[ $(grep '^# Totals: ' "$log") =~ pass:([0-9]+)\ fail:([0-9]+)\ skip:([0-9]+) ]]; then
		ok=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]} skip=${BASH_REMATCH[3]}
	fi
	add $status "$ok" "$bad" "$skip"
}

# Pass counts from a subshell to its parent. If the subshell didn't get that far, that is a failure.
totals_save()
{
	printf '%s\n' "$passed $failed $skipped" "$failures" >"$1"
}

totals_add()
{
	local ok=0 bad=1 skip=0

	if [[ -e $1 ]]; then
		{ read -r ok bad skip; failures+=$(cat); } <"$1"
	fi
	rm -f "$1"
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# The same for a script that has its results from tap.sh, which has the same variables.
tap_end()
{
	passed=$((nr - failed - skipped))
	echo "1..$nr"
	totals_end
}

# Shows again what failed. Fails unless a test passed and none failed.
totals_end()
{
	[[ -z $failures ]] || printf '%s\n' "what failed:" "$failures"
	echo "$passed passed, $failed failed, $skipped skipped"
	(( !failed && passed ))
}
