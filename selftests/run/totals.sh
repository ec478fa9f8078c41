#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts results, for scripts that run tests in parts:   . totals.sh
# Each part has its log in $log; totals_end prints the one line of all of them.

passed=0 failed=0 skipped=0 log=''

# How many lines of the log match.
lines()
{
	grep -cE "$1" "$log"
}

# Adds a part's results, and one failure if it broke without any of its tests saying so.
add()
{
	local status=$1 ok=$2 bad=$3 skip=$4

	if (( status && !bad )); then
		echo "not ok: ended with status $status"
		bad=1
	fi
	passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# Runs something that prints TAP to the log, too.
add_tap()
{
	local status skip

	"$@" 2>&1 | tee "$log"
	status=$?
	skip=$(lines '^ok .*# SKIP')
	add $status $(($(lines '^ok ') - skip)) "$(lines '^not ok ')" "$skip"
}

# Boots a machine, by boot.sh if $booter does not name another script beside it, whose console goes to
# the log, for what closes with kselftest's line of totals.
add_machine()
{
	local status ok=0 bad=0 skip=0

	"$(dirname "${BASH_SOURCE[0]}")/../vm/${booter:-boot.sh}" --log "$log" "$@"
	status=$?
	if [[ $(grep '^# Totals: ' "$log") =~ pass:([0-9]+)\ fail:([0-9]+)\ skip:([0-9]+) ]]; then
		ok=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]} skip=${BASH_REMATCH[3]}
	fi
	add $status "$ok" "$bad" "$skip"
}

# Between shells: what one has counted is added by another; a failure if it has not come so far.
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

# Fails unless something passed and nothing failed.
totals_end()
{
	echo "$passed passed, $failed failed, $skipped skipped"
	(( !failed && passed ))
}
