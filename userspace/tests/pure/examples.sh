#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples that take the path of a device, with what was recorded of one: they print these IDs,
# as many as they asked for, and leave the others. Prints KTAP. Needs perl, and in $COMPILED those
# that were compiled; what no compiler or interpreter is here for is skipped.

here=${0%/*}
examples=$here/../../examples
# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"
count=5

# Given the IDs that are in RECORDED, prints the first of them, and leaves as many there.
prints()
{
	recorded=$1
	shift
	# Written at once, so that there is enough for any read.
	dd bs=4096 if="$recorded" 2>/dev/null | {
		"$@" /dev/stdin >"$out" 2>"$err"
		echo $? >"$work/status"
		wc -c >"$work/left"
	}
	[ "$(cat "$work/status")" -eq 0 ] && [ ! -s "$err" ] && cmp -s "$out" "$work/want" &&
		[ $((2 * $(cat "$work/left"))) -eq "$(wc -c <"$recorded")" ]
}

# Prints no ID, says in a line what is wrong with PATH and fails.
fails()
{
	path=$1
	shift
	! "$@" "$path" >"$out" 2>"$err" && [ ! -s "$out" ] &&
		[ "$(wc -l <"$err")" -eq 1 ] && grep -qF "$path" "$err"
}

# The tests of an example that reads what is in RECORDED, and is run by COMMAND if NEEDED is here.
example()
{
	name=$1 needed=$2 recorded=$3
	shift 3
	if command -v "$needed" >/dev/null; then
		it "$name" prints "$recorded" "$@"
		it "$name: no device" fails "$work/kuids/v7" "$@"
		it "$name: no IDs" fails /dev/null "$@"
		return
	fi
	for what in "$name" "$name: no device" "$name: no IDs"; do
		skip "$what" "there is no ${needed##*/}"
	done
}

perl -ne 'print pack "H*", $1 if /^([0-9a-f]{32})$/' "$here/v7.recorded" >"$work/v7"
sed -nE 's/^([0-9a-f]{8})(.{4})(.{4})(.{4})(.{12})$/\1-\2-\3-\4-\5/p' "$here/v7.recorded" \
	>"$work/v7.txt"
head -n $count "$work/v7.txt" >"$work/want"

echo "KTAP version 1"
example many.sh sh "$work/v7.txt" sh "$examples/many.sh"
example many.py python3 "$work/v7" python3 "$examples/many.py"
example many.pl perl "$work/v7" perl "$examples/many.pl"
example many.js node "$work/v7" node "$examples/many.js"
# Run from its source, it is compiled first.
example Many.java javac "$work/v7" java "$examples/Many.java"
example many.go "$COMPILED/many-go" "$work/v7" "$COMPILED/many-go"
example many.rs "$COMPILED/many-rs" "$work/v7" "$COMPILED/many-rs"
finish
