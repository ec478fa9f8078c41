#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples in /examples with the device: the IDs they print, and that they take no others.
# Prints KTAP. Needs the module loaded and root. What no compiler or interpreter is here for is
# skipped; Java's and Node.js's are too large to be, pure/examples.sh has these.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
count=5
hex='[0-9a-f]'

# v1 is ordered by its time, whose highest digits come last in the text. sed puts them first.
in_order()
{
	sed -E 's/^(.{8})-(.{4})-1(.{3})-(.{4})/\3\2\1\4/' "$out" | LC_ALL=C sort -c -u 2>"$err"
}

# Prints increasing IDs of VERSION, and nothing else; no others were made for it.
prints()
{
	uuid="^$hex{8}-$hex{4}-$1$hex{3}-[89ab]$hex{3}-$hex{12}\$"
	made=/sys/class/kuid/kuid/counters/v$1
	shift
	before=$(cat "$made")
	"$@" >"$out" 2>"$err" &&
		[ ! -s "$err" ] &&
		[ "$(wc -l <"$out")" -eq $count ] &&
		[ "$(grep -cE "$uuid" "$out")" -eq $count ] &&
		in_order &&
		[ $(($(cat "$made") - before)) -eq $count ]
}

# Without a device prints no ID, says in a line that there is no DEVICE and fails.
misses()
{
	device=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	! unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh "$@" >"$out" 2>"$err" &&
		[ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -qF "$device" "$err"
}

# The tests of an example that reads DEVICE, of VERSION, and is run by COMMAND.
example()
{
	device=$1 version=$2
	shift 2
	it "$*" prints "$version" "$@"
	it "$*: no device" misses "$device" "$@"
}

# The same if COMMAND is here.
example_if_here()
{
	if command -v "$3" >/dev/null; then
		example "$@"
		return
	fi
	shift 2
	skip "$*" "there is no ${1#./}"
	skip "$*: no device" "there is no ${1#./}"
}

cd /examples || exit
echo "KTAP version 1"
example /dev/kuids/v7.txt 7 sh many.sh
example /dev/kuid 1 ./many
example_if_here /dev/kuids/v7 7 ./many-cc
example_if_here /dev/kuids/v7 7 ./many-go
example_if_here /dev/kuids/v7 7 ./many-rs
example_if_here /dev/kuids/v7 7 perl many.pl
example_if_here /dev/kuids/v7 7 python3 many.py
finish
