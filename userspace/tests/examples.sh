#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples in /examples with the device: the IDs they print, a batch and one that was read as
# text, and that they take no others. Prints KTAP. Needs the module loaded and root. It skips
# examples without a compiler or interpreter here. pure/examples.sh has those of Java and Node.js,
# which are too large to be here.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
batch=5
count=6
hex='[0-9a-f]'

# The batch is in order. v1 is ordered by its time, whose highest digits come last in the text. sed
# puts them first.
in_order()
{
	head -n $batch "$out" | sed -E 's/^(.{8})-(.{4})-1(.{3})-(.{4})/\3\2\1\4/' |
		LC_ALL=C sort -c -u 2>"$err"
}

# COUNT different IDs of VERSION and nothing else.
are_ids()
{
	uuid="$hex{8}-$hex{4}-$2$hex{3}-[89ab]$hex{3}-$hex{12}"
	[ ! -s "$err" ] && [ "$(wc -l <"$out")" -eq "$1" ] &&
		[ "$(sort -u "$out" | grep -cxE "$uuid")" -eq "$1" ]
}

# Runs with so many IDs of VERSION made for it.
takes()
{
	taken=$1 made=/sys/class/kuid/kuid/counters/v$2
	shift 2
	before=$(cat "$made")
	"$@" >"$out" 2>"$err" && [ $(($(cat "$made") - before)) -eq "$taken" ]
}

prints()
{
	version=$1
	shift
	takes $count "$version" "$@" && are_ids $count "$version" && in_order
}

without_device()
{
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount -t tmpfs none /dev && mknod -m 666 /dev/urandom c 1 9 && exec "$@"' \
		sh "$@"
}

# Without a device prints no ID, says in a line that there is no DEVICE and fails.
misses()
{
	device=$1
	shift
	! without_device "$@" >"$out" 2>"$err" &&
		[ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -qF "$device" "$err" &&
		grep -qF 'load the module kuid, or use --fallback' "$err"
}

falls_back()
{
	version=$1
	shift
	takes 0 "$version" without_device "$@" && are_ids $batch "$version"
}

# The tests of an example that reads DEVICE, of VERSION, and is run by COMMAND.
example()
{
	device=$1 version=$2
	shift 2
	it "$*" prints "$version" "$@"
	it "$*: no device" misses "$device" "$@"
	it "$*: no device, with a fallback" falls_back "$version" "$@" --fallback
	it "$*: a device, with a fallback" prints "$version" "$@" --fallback
}

# The same if COMMAND is here.
example_if_here()
{
	if command -v "$3" >/dev/null; then
		example "$@"
		return
	fi
	shift 2
	for what in "$*" "$*: no device" "$*: no device, with a fallback" \
			"$*: a device, with a fallback"; do
		skip "$what" "there is no ${1#./}"
	done
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
