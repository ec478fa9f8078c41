#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts results, for scripts that run tests in parts:   . totals.sh
# Each part writes its log to $log; totals_end prints one line for all parts.

passed=0 failed=0 skipped=0 log=''

# takes NAMES ARGUMENT...: ends the script unless it has an argument for each name, and more only if
# the last name ends in "...". A last name in brackets may have none. The first argument is the
# directory of the build, which gets the logs.
takes()
{
	local names least
	read -ra names <<<"$1"
	shift
	least=${#names[@]}
	[[ ${names[-1]} != \[* ]] || least=$((least - 1))
	if (( $# < least )) || [[ $# -gt ${#names[@]} && ${names[-1]} != *... ]]; then
		echo "usage: ${0##*/} ${names[*]}" >&2
		exit 2
	fi
	# shellcheck disable=SC2034 # build is for the script
	build=$1 logs=$1/check
	mkdir -p "$logs" || exit
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

# Boots a machine with the console in the log, and adds the line of totals that kselftest prints at
# the end. $booter names another script beside boot.sh to boot with.
add_machine()
{
	local status ok=0 bad=0 skip=0 begin=$SECONDS

	"$(dirname "${BASH_SOURCE[0]}")/../vm/${booter:-boot.sh}" --log "$log" "$@"
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
	echo "$passed $failed $skipped" >"$1"
}

totals_add()
{
	local ok=0 bad=1 skip=0

	[[ ! -e $1 ]] || read -r ok bad skip <"$1"
	rm -f "$1"
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# Fails unless a test passed and none failed.
totals_end()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	(( !failed && passed ))
}
