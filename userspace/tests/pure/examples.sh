#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples, with pipes in place of devices for those that take a path: they print the IDs that
# they asked for, and leave the others. Without a device they say so, or make IDs on request. Prints
# KTAP. Needs perl, and in $COMPILED those that were compiled; what no compiler or interpreter is
# here for is skipped.

here=${0%/*}
examples=$here/../../examples
# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"
count=5

# How many bytes are left in a pipe.
left_in()
{
	dd if="$1" bs=65536 count=1 iflag=nonblock 2>"$work/dd" | wc -c
}

# Prints the lines in WANTED, of the IDs that two pipes hold, and leaves so many bytes in each.
prints()
{
	wanted=$1 left=$2 left_text=$3
	shift 3
	rm -f "$work/kuid" "$work/kuid.txt"
	mkfifo "$work/kuid" "$work/kuid.txt" || return
	(
		# The pipes hold what nobody has read while they are open here.
		exec 3<>"$work/kuid" 4<>"$work/kuid.txt"
		# Written at once, so that there is enough for any read.
		dd bs=4096 if="$work/v7" of="$work/kuid" 2>"$work/dd"
		dd bs=4096 if="$work/v7.txt" of="$work/kuid.txt" 2>"$work/dd"
		"$@" "$work/kuid" >"$out" 2>"$err" </dev/null && [ ! -s "$err" ] &&
			cmp "$out" "$wanted" && [ "$(left_in "$work/kuid")" -eq "$left" ] &&
			[ "$(left_in "$work/kuid.txt")" -eq "$left_text" ]
	)
}

# Prints no ID, says in a line what is wrong with PATH and fails.
fails()
{
	path=$1
	shift
	! "$@" "$path" >"$out" 2>"$err" </dev/null && [ ! -s "$out" ] &&
		[ "$(wc -l <"$err")" -eq 1 ] && grep -qF "$path" "$err"
}

# There is no device, and it says what helps.
misses()
{
	fails "$@" && grep -qF 'load the module kuid, or use --fallback' "$err"
}

# Prints IDs of VERSION that it made itself.
falls_back()
{
	version=$1
	shift
	uuid="[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
	"$@" >"$out" 2>"$err" && [ ! -s "$err" ] && [ "$(sort -u "$out" | wc -l)" -eq $count ] &&
		[ "$(grep -cxE "$uuid" "$out")" -eq $count ] && in_time "$version"
}

# The time in v7 is now; a clock of seconds may be used.
in_time()
{
	[ "$1" -eq 7 ] || return 0
	now=$(date +%s)
	while read -r id; do
		milliseconds=$(echo "$id" | cut -c 1-8,10-13)
		age=$((now - 0x$milliseconds / 1000))
		[ $age -ge 0 ] && [ $age -lt 1000 ] || return
	done <"$out"
}

# it_with NEEDED WHAT COMMAND...: a test, if NEEDED is here.
it_with()
{
	needed=$1
	shift
	if command -v "$needed" >/dev/null; then
		it "$@"
	else
		skip "$1" "there is no ${needed##*/}"
	fi
}

# The tests of an example that is run by COMMAND if NEEDED is here: it prints WANTED and leaves so many
# bytes of each pipe.
example()
{
	name=$1 needed=$2 wanted=$3 left=$4 left_text=$5
	shift 5
	it_with "$needed" "$name" prints "$wanted" "$left" "$left_text" "$@"
	it_with "$needed" "$name: no device" misses "$work/kuids/v7" "$@"
	it_with "$needed" "$name: no IDs" fails "$work/none" "$@"
	it_with "$needed" "$name: no IDs, with a fallback" fails "$work/none" "$@" --fallback
	it_with "$needed" "$name: no device, with a fallback" falls_back 7 "$@" --fallback \
		"$work/kuids/v7"
}

# One that reads five IDs as bytes and one as text.
example_of_bytes()
{
	name=$1 needed=$2
	shift 2
	example "$name" "$needed" "$work/bytes" 80 333 "$@"
}

# One that takes its IDs from the library, and of which only the fallback can be seen here.
example_of_library()
{
	name=$1 version=$2
	shift 2
	if [ -e /dev/kuid ]; then
		skip "$name: no device" "there is one"
		skip "$name: no device, with a fallback" "there is one"
	else
		it_with "$1" "$name: no device" misses /dev/kuid "$@"
		it_with "$1" "$name: no device, with a fallback" falls_back "$version" "$@" --fallback
	fi
}

perl -ne 'print pack "H*", $1 if /^([0-9a-f]{32})$/' "$here/v7.recorded" >"$work/v7"
sed -nE 's/^([0-9a-f]{8})(.{4})(.{4})(.{4})(.{12})$/\1-\2-\3-\4-\5/p' "$here/v7.recorded" \
	>"$work/v7.txt"
head -n 6 "$work/v7.txt" >"$work/lines"
{ head -n 5 "$work/v7.txt"; head -n 1 "$work/v7.txt"; } >"$work/bytes"
ln -s /dev/null "$work/none"
ln -s /dev/null "$work/none.txt"

echo "KTAP version 1"
example_of_library many.c 1 "$COMPILED/many"
example_of_library many.cc 7 "$COMPILED/many-cc"
example many.sh sh "$work/lines" 160 148 sh "$examples/many.sh"
example_of_bytes many.py python3 python3 "$examples/many.py"
example_of_bytes many.pl perl perl "$examples/many.pl"
example_of_bytes many.js node node "$examples/many.js"
example_of_bytes many.erl escript escript "$examples/many.erl"
# Run from its source, it is compiled first.
example_of_bytes Many.java javac java "$examples/Many.java"
example_of_bytes many.go "$COMPILED/many-go" "$COMPILED/many-go"
example_of_bytes many.rs "$COMPILED/many-rs" "$COMPILED/many-rs"
finish
