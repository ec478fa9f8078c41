#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs tests, three at a time because they mostly wait, and prints what each has printed when it has
# ended:   several.sh PROGRAM-OR-SCRIPT...
# Fails if one of them fails.

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
export work

one()
{
	local log status words=("$1") TIMEFORMAT='# %R s, %U + %S s of CPU time'

	log=$(mktemp -p "$work")
	# A script names its shell; the mode of a file may have been lost.
	[[ $1 != *.sh ]] || read -ra words <<<"$(sed -n '1s/^#!//p' "$1") $1"
	{ time "${words[@]}" >"$log" 2>&1; } 2>"$log.time"
	status=$?
	{
		flock 9
		echo "# $1"
		cat "$log" "$log.time"
	} 9>"$work/lock"
	return $status
}
export -f one

printf '%s\0' "$@" | xargs -0 -n 1 -P 3 bash -c "one \"\$0\""
