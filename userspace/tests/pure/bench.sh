#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid bench with a device that is not there: the form of what it prints, and what it says when
# something can't be measured. Times are none of its business. Prints KTAP. Needs what
# fake_device.sh does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"

begin_test()
{
	echo waiting 0 | begin_device
}

run()
{
	LD_PRELOAD=$FAKE_DEVICE kuid bench --ms 1 "$@"
}

bench()
{
	run "$@" >"$out" 2>"$err"
}

is_stamp()
{
	case " $stamp_formats " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

# The subjects: name and kind.
measured()
{
	grep -v '^libuuid' "$FAKE/names" >"$FAKE/got"
	{
		printf '%s\n' '/dev/zero single' '/dev/zero batch'
		for format in $1; do
			printf '%s\n' "$format single" "$format batch"
			! is_stamp "$format" || printf '%s\n' "$format private single" \
				"$format private batch"
		done
		printf '%s\n' 'getrandom single' 'getrandom batch' 'random/uuid single'
	} | cmp -s - "$FAKE/got"
}

prints_lines()
{
	bench "$@" && [ ! -s "$err" ] &&
		[ "$(head -n 1 "$out" | tr -s ' ')" = ' ns an ID IDs a second ratio' ] &&
		[ "$(sed 1d "$out" | grep -cvE '^[a-z0-9/]+( v[14]| private)? +(single|batch) +[0-9]+\.[0-9] +[0-9]+ +[0-9]+\.[0-9]{2}$')" -eq 0 ] &&
		sed 1d "$out" | sed -E 's/ +(single|batch) .*/ \1/' >"$FAKE/names"
}

number='[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?'
result="\\{\"name\": \"[^\"]+\", \"kind\": \"(single|batch)\", \"ids\": [0-9]+, \"ns_per_id\": $number,"
result="$result \"ids_per_second\": $number, \"ratio\": $number\\}"
prints_json()
{
	threads=$1
	shift
	bench --json "$@" && [ ! -s "$err" ] && [ "$(wc -l <"$out")" -eq 1 ] &&
		grep -qE "^\\{\"threads\": $threads, \"ms\": 1, \"batch\": 4096, \"results\": \\[$result(, $result)*\\]\\}\$" "$out" &&
		grep -oE '"name": "[^"]+", "kind": "[a-z]+"' "$out" |
		sed -E 's/"name": "(.*)", "kind": "(.*)"/\1 \2/' >"$FAKE/names"
}

measures_all()
{
	"$@" && measured "$formats"
}

measures_one()
{
	"$@" -f k96 && measured k96 && "$@" -f v7 && measured v7
}

# told FAILURE STATUS OPTIONS PATTERN...: the device fails so, and lines of the output say it.
told()
{
	# shellcheck disable=SC2086 # options are words
	while_set FAKE_FAIL "$1" bench $3
	[ $? -eq "$2" ] || return
	shift 3
	for pattern; do
		grep -q "$pattern" "$out" || return
	done
}

tells_waits()
{
	printf 'waiting 1\n' >"$FAKE/device"
	bench -f v6
	[ $? -eq 1 ] && grep -q '^v6 *batch *IDs are waited for: "kuid status" says why$' "$out"
}

it "a line for each" measures_all prints_lines
it "JSON for each" measures_all prints_json 1
it "one format only" measures_one prints_lines
it "one format only, JSON" measures_one prints_json 1
it "more threads" measures_one prints_json 3 --threads 3
# One format that makes no batches does not keep it from measuring the rest.
it "no batches of a format are told" told "generate 1 116" 1 "-f v6" \
	'^v6 *batch *Stale file handle' '^random/uuid *single .*[0-9]$'
it "no batches of a format are told in JSON" told "generate 1 116" 1 "-f v6 --json" \
	'{"name": "v6", "kind": "batch", "error": "Stale file handle"}'
it "IDs that don't come are told" tells_waits
it "IDs that lack a state are told" told "generate 1 61" 1 "-f k64" \
	'^k64 *batch *state is required, .*: "kuid status" says what to do$'
# A node that was given leaves the device, and that is no failure.
it "a private lane that can't be had is told" told "lane 1 95" 0 "-f v6" \
	'^v6 private *single *no private lane: the node was given$' '^v6 private *batch .*[0-9]$'
# A failure only if it is asked for: most hosts have no worker of snowflake.
it "a missing worker is told" told "generate 1 126" 1 "-f snowflake" \
	'^snowflake *batch *it has no worker: "kuid node --snowflake NUMBER" gives'
it "a missing worker among all formats is told" told "generate 1 126" 0 "" 'it has no worker'
it "no device: how to load the module" while_set FAKE_OPEN 2 fails 1 'modprobe kuid'
it "no device of a format" while_set FAKE_OPEN 2 fails 1 '/dev/kuids/k96' -f k96
it "no thread is refused" fails 2 '"0" is not a number of threads: a whole number from 1 to 1024' -t 0
it "too many threads are refused" fails 2 '"1025" is not a number of threads' -t 1025
it "no time is refused" fails 2 '"0" is not a time in milliseconds' --ms 0
it "too much time is refused" fails 2 'from 1 to 60000' --ms 60001
it "any UUID is refused" fails 2 '"uuid" is not a format to make' -f uuid
it "an unknown format is refused" fails 2 '"v4" is not a format' -f v4
it "an argument is refused" fails 2 'unexpected argument "v1"' v1
it "a full disk is told" to_full_disk -f v1
it "a full disk is told, JSON" to_full_disk -f v1 --json
finish
