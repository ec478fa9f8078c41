#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the report of the benchmark, of how values are held to a record, of how documents are
# filled, and of the table of "make run":   tests.sh
# Prints TAP.
# shellcheck disable=SC2317 # the tests are called by it

here=${0%/*}
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$here/../../userspace/tests/tap.sh"

list=$work/list
results=$work/results
record=$work/record
cat >"$list" <<'END'
# A comment.
table: cost
title: The cost
caption: Of a call,
  in full.
unit: instructions
head: call
columns: v1 | v6
rows: read | kuid
plot: bars
finding: Reading costs
x: instructions

table: peers
title: Peers
head: made by
columns: kuid | others
row: one | cost > /dev/zero, 16 > v1 | no
row: two | cost > read > v6 | -
END

# Each argument is a line of results, with | for the tabs.
lines()
{
	printf '%s\n' "$@" | sed 's/|/\t/g'
}

run()
{
	mkdir -p "$work/made"
	awk -v out="$work/made" -v complete="$complete" -f "$here/report.awk" "$list" "$results"
}
complete=

makes()
{
	lines "$@" >"$results"
	run >"$out" 2>"$err" && [ ! -s "$err" ]
}

tables()
{
	makes '# comment' 'cost|read|v1|46570.25|held' 'cost|/dev/zero, 16|v1|12.346' 'cost|read|v6|1.5' &&
		cmp "$work/made/cost.md" - <<'END' && cmp "$work/made/peers.md" - <<'END2'
Of a call, in full. Unit: instructions.

| call | v1 | v6 |
|---|---|---|
| read | 46,570 | 1.50 |

![Reading costs](performance/cost.svg)
END
| made by | kuid | others |
|---|---|---|
| one | 12.3 | no |
| two | 1.50 | - |
END2
}

all_rows()
{
	grep -qx '| /dev/zero, 16 | 12.3 | - |' "$work/made/report.md"
}

# Of the rows that are made of other tables' values, the one that has none is left out.
some_values()
{
	makes 'cost|read|v6|1.5' && cmp "$work/made/peers.md" - <<'END'
| made by | kuid | others |
|---|---|---|
| two | 1.50 | - |
END
}

values_for_programs()
{
	grep -qx 'cost,"read","v1","46570.25"' "$work/made/report.csv" &&
		grep -qx 'read	46570.25	0	46,570' "$work/made/cost.gp" &&
		makes 'cost|kuid|v1|12.346' && grep -qx 'kuid	12.346	1	12.3' "$work/made/cost.gp"
}

# refuses TEXT LINE...
refuses()
{
	text=$1
	shift
	lines "$@" >"$results"
	fails 1 "$text"
}

refuses_incomplete()
{
	complete=1
	refuses "$@"
	status=$?
	complete=
	return $status
}

refuses_list()
{
	echo "plots: bars" >>"$list"
	refuses 'tables.list: unknown key plots' 'cost|read|v1|1'
	status=$?
	sed -i '$d' "$list"
	return $status
}

# holds RECORDED MEASURED
hold()
{
	lines "$1" >"$record"
	lines "$2" >"$results"
	awk -v tolerance=3 -f "$here/hold.awk" "$record" "$results" >"$out" 2>"$err"
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

fill()
{
	echo "| new |" >"$work/made/one.md"
	lines "$@" >"$work/document"
	awk -v word=bench -v from="$work/made" -f "$here/../run/fill.awk" "$work/document" >"$out" 2>"$err"
}

fills()
{
	fill 'a' '<!-- bench: one -->' 'old' '<!-- bench: end -->' 'b' &&
		printf '%s\n' 'a' '<!-- bench: one -->' '' '| new |' '' '<!-- bench: end -->' 'b' |
		cmp - "$out"
}

cant_fill()
{
	! fill "$@"
}

script()
{
	status=$1 text=$2 script=$here/$3
	shift 3
	"$script" "$@" >"$out" 2>"$err"
	[ $? -eq "$status" ] && [ ! -s "$out" ] && grep -qF -- "$text" "$err"
}

# With results of a part that has failed.
failed_part()
{
	mkdir -p "$work/parts"
	: >"$work/parts/some.tsv"
	: >"$work/parts/some.failed"
	script 1 'some has failed' report.sh record "$work"
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

it "tables" tables
it "rows that only the report has" all_rows
it "values for programs" values_for_programs
it "tables of some values" some_values
it "no results" refuses 'no results' '# comment'
it "an unknown table" refuses 'tables.list: no table coast' 'coast|read|v1|1'
it "an unknown column" refuses 'tables.list: table cost has no column v9' 'cost|read|v9|1'
it "a line with too few fields" refuses 'not a result: cost' 'cost|read|v1'
it "a line with too many fields" refuses 'not a result: cost' 'cost|read|v1|1|held|no'
it "an unknown key of the list" refuses_list
it "a table without a value, where all are wanted" refuses_incomplete 'table cost has no value' 'peers|three|kuid|1'
it "a value of another table that is missing" refuses_incomplete 'no value cost > read > v6' \
	'cost|/dev/zero, 16|v1|1'
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
it "a document" fills
it "a document with an unknown table" cant_fill '<!-- bench: none -->' '<!-- bench: end -->'
it "a document with a table that does not end" cant_fill '<!-- bench: one -->'
it "the table of make run" verdict
it "one with a repeat of kuid" no_verdict 'kuid v7|0|1|0' 'libuuid|63|0|0'
it "one with a number that is missing" no_verdict 'kuid v7|0|0|0' 'libuuid|63|0'
it "one without numbers" no_verdict
it "report.sh without arguments" script 2 'usage: report.sh' report.sh
it "report.sh with an unknown one" script 2 'usage: report.sh' report.sh draw x
it "report.sh without results" script 1 "no results in $work" report.sh record "$work"
it "report.sh with a part that has failed" failed_part
it "bench.sh without arguments" script 2 'usage: bench.sh' bench.sh
it "bench.sh with an unknown part" script 2 'there is no part none' bench.sh "$work" "$work" none
finish
