#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of what decides in the benchmark whether a run has failed: how values are held to a record, and
# the verdict of "make run":   tests.sh
# Prints TAP.
# shellcheck disable=SC2317 # the tests are called by it

here=${0%/*}
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$here/../../userspace/tests/tap.sh"

# hold RECORDED MEASURED: a line each, with | for the tabs.
hold()
{
	echo "$1" | tr '|' '\t' >"$work/record"
	echo "$2" | tr '|' '\t' >"$work/results"
	awk -v tolerance=3 -f "$here/hold.awk" "$work/record" "$work/results" >"$out" 2>"$err"
}

holds()
{
	hold "$@"
}

# It says so, where anything but a failure is an error.
breaks()
{
	text=$1
	shift
	! hold "$@" && grep -qxF "$text" "$out"
}

# shows LINE...: "make run" with these values of repeats after fork, in clones, and of disorder.
shows()
{
	for line in "$@"; do
		echo "$line" | awk -F '|' '{
			print "promises\t" $1 "\trepeats, forked children\t" $2
			print "promises\t" $1 "\trepeats, cloned machine\t" $3
			if (NF > 3)
				print "promises\t" $1 "\tdisorder, two processes\t" $4
		}'
	done | awk -f "$here/../run/demo.awk" >"$out" 2>"$err"
}

verdict()
{
	shows 'kuid v7|0|0|0' 'libuuid|46570|0|0' 'none|0|0|0' &&
		grep -qx 'libuuid  *46,570  *0  *0' "$out" && [ "$(sed -n 5p "$out")" ] &&
		grep -qx 'No ID of kuid is a repeat.*; 1 of the 2 others fail in a case or more.' "$out"
}

no_verdict()
{
	! shows "$@" && grep -q '^kuid has broken a promise' "$out"
}

it "a value 2.9 % above the record" holds 'cost|read|v1|1000|held' 'cost|read|v1|1029|held'
it "a value 2.9 % below it" holds 'cost|read|v1|1000|held' 'cost|read|v1|971|held'
it "a value 4 % above it" breaks 'cost: read, v1: recorded 1000, measured 1040, +4.0 %' \
	'cost|read|v1|1000|held' 'cost|read|v1|1040|held'
it "a value 4 % below it" breaks 'cost: read, v1: recorded 1000, measured 960, -4.0 %' \
	'cost|read|v1|1000|held' 'cost|read|v1|960|held'
it "a value that is not held" holds 'cost|read|v1|1000' 'cost|read|v1|2000'
it "a value that was not measured" breaks 'cost: read, v1: recorded 1000, not measured' \
	'cost|read|v1|1000|held' 'cost|read|v1|1000'
it "a value that was not recorded" breaks 'cost: read, v1: not recorded, measured 1000' \
	'cost|read|v1|1000' 'cost|read|v1|1000|held'
it "the table of make run" verdict
it "one with a repeat of kuid" no_verdict 'kuid v7|0|1|0' 'libuuid|63|0|0'
it "one with a number that is missing" no_verdict 'kuid v7|0|0|0' 'libuuid|63|0'
it "one without numbers" no_verdict
finish
