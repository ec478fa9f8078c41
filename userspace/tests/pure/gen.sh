#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid gen with a device that is not there: counts, signals, readers and disks that fail, what the
# device can say, and the line that tells how far it is. Prints KTAP. Needs what fake_device.sh
# does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"

begin_test()
{
	echo slow_ms 0 | begin_device
}

run()
{
	LD_PRELOAD=$FAKE_DEVICE kuid gen -f v1 "$@"
}

# Lines of standard input are v1 in their canonical form, from number 0 on and none missing; prints
# how many.
numbered()
{
	awk '
		function wrong() { print FNR ": " $0 | "cat >&2"; bad = 1; exit 1 }
		{ number = sprintf("%010x", FNR - 1) }
		$0 != "00000000-0000-1000-8000-00" number { wrong() }
		END { if (!bad) print NR }' "$1"
}

# All of the file is whole lines, each in its turn, at least so many.
is_whole()
{
	[ "$(tail -c 1 "$out" | od -A n -t x1)" = ' 0a' ] && count=$(numbered "$out") &&
		[ "$count" -ge "$1" ]
}

makes()
{
	count=$1
	shift
	run "$@" >"$out" 2>"$err" && [ ! -s "$err" ] && is_whole "$count" &&
		[ "$(wc -l <"$out")" -eq "$count" ]
}

prints_bytes()
{
	bytes=$1
	shift
	run "$@" >"$out" 2>"$err" && [ ! -s "$err" ] &&
		[ "$(od -A n -v -t x1 "$out" | tr -d ' \n')" = "$bytes" ]
}

# IDs of a format and order, as the device is asked for them.
asks_for()
{
	format=$1 order=$2 number=$3
	run -f "$format" -o "$order" -n 1001 >"$out" 2>"$err" && [ ! -s "$err" ] &&
		[ "$(wc -l <"$out")" -eq 1001 ] &&
		[ "$(grep -E '^(set|generate)' "$FAKE/log" | tr '\n' ,)" = \
			"set format 0 order $number,generate $format 1000 order 0,generate $format 1 order 0," ]
}

failing_order()
{
	failing set 25 'setting the order: The module is older than libkuid' -o host "$@"
}

# Without the device, which there is none of, and its order is kept.
makes_locally()
{
	while_set FAKE_OPEN 2 run --local -f "$1" -n 5000 >"$out" 2>"$err" && [ ! -s "$err" ] &&
		[ ! -s "$FAKE/log" ] && [ "$(wc -l <"$out")" -eq 5000 ] && kuid inspect <"$out" | grep -c "^format  *$1$" |
		grep -qx 5000 && [ "$(kuid compare <"$out" | sort -u)" = before ]
}

# In a private lane: the device is asked for a node, and for no ID.
makes_privately()
{
	printf 'wall_ns 1795162500000000000\n' >"$FAKE/device"
	run --private -f "$1" -n 5000 >"$out" 2>"$err" && [ ! -s "$err" ] &&
		[ "$(tr '\n' ' ' <"$FAKE/log")" = 'query lane ' ] && [ "$(wc -l <"$out")" -eq 5000 ] &&
		[ "$(kuid compare <"$out" | sort -u)" = before ] &&
		kuid inspect --from-kuid <"$out" | grep -c '^time  *2026-11-20T08:15:00\.' | grep -qx 5000
}

# The node is the one that the kernel gave.
has_private_node()
{
	makes_privately "$1" && [ "$(grep -c -- '-01fa4e000001$' "$out")" -eq 5000 ]
}

# The fake clock is beyond the times that IDs can have.
tells_wrong_clock()
{
	printf 'wall_ns 18446744073000000000\n' >"$FAKE/device"
	fails 1 'the clock of this process is before 1970 or after 2232' --private -f "$1"
}

# The kernel hands out no node at present, so the device makes the IDs.
makes_by_device()
{
	while_set FAKE_FAIL "lane 1 11" makes 1000 --private -n 1000 && grep -q '^generate' "$FAKE/log"
}

# ERRNO NODE_FROM TEXT: the kernel refuses a lane.
has_no_lane()
{
	printf 'node_from %s\n' "$2" >"$FAKE/device"
	failing lane "$1" "$3" --private -f v7
}

without_device()
{
	error=$1
	shift
	while_set FAKE_OPEN "$error" fails 1 "$@"
}

says_nothing_of_local()
{
	without_device 2 'there is no' -f "$1" && ! grep -e --local "$err"
}

# CALL ERRNO TEXT ARGUMENT...: the first of these calls fails.
failing()
{
	call=$1 error=$2
	shift 2
	while_set FAKE_FAIL "$call 1 $error" fails 1 "$@"
}

# Runs the words of a command of kuid.
runs()
{
	printf 'node_from 1\n' >"$FAKE/device"
	: >"$FAKE/log"
	# shellcheck disable=SC2086 # a list of words
	LD_PRELOAD=$FAKE_DEVICE kuid $1 >"$out" 2>"$err" && grep -q '^identity' "$FAKE/log"
}

# An error for a format, and what can be run then.
says_what_to_do()
{
	failing generate "$1" "else \"kuid node $2\"" -f "$3" &&
		first=$(sed -n 's/.*Run "kuid \([^"]*\)".*/\1/p' "$err" | sed 's/SECONDS/60/') &&
		[ -n "$first" ] && runs "$first" && runs "node $2"
}

# WORKER_FROM SNOWFLAKE_FROM FORMAT: the format carries a claimed number, which no "kuid node" changes.
says_who_claims_again()
{
	printf 'worker_from %s\nsnowflake_from %s\n' "$1" "$2" >"$FAKE/device"
	failing generate 116 "the number that $3 carries was claimed. \"kuid-claim\" claims one again" -f "$3"
}

# Of a state that is required there is none, or its ceiling is reached: RESTORED COMMAND.
says_which_state_is_missing()
{
	printf 'cover_epoch %s\n' "$1" >"$FAKE/device"
	failing generate 61 "$2" -f k64 && grep -q 'no k64 is made: state is required' "$err"
}

# IDs that were made before are printed whole, and then it says so.
fails_later()
{
	while_set FAKE_FAIL "generate 6 5" run -n 10000 >"$out" 2>"$err"
	[ $? -eq 1 ] && is_whole 4096 && grep -q 'making IDs of v1: Input/output error' "$err"
}

# Numbers of different lengths.
counts_in_decimal()
{
	run -f k64 --decimal -n 5000 >"$out" 2>"$err" && [ ! -s "$err" ] &&
		seq 0 4999 | cmp - "$out"
}

# FORMAT FORM...: each line is a JSON object of an ID.
prints_json()
{
	format=$1 form=${2:-text}
	run -f "$format" -n 5000 "--$form" >"$FAKE/lines" 2>"$err" && printf 'made 0\n' >"$FAKE/device" &&
		run -f "$format" -n 5000 "--$form" --json >"$FAKE/json" 2>"$err" && [ ! -s "$err" ] &&
		python3 -c '
import json, sys
for line in sys.stdin:
    read = json.loads(line)
    print(read.pop(sys.argv[2]))
    assert read == {"format": sys.argv[1]}' "$format" "$form" <"$FAKE/json" >"$out" &&
		[ "$(wc -l <"$out")" -eq 5000 ] && cmp "$out" "$FAKE/lines"
}

# Many lines at once are those of the IDs one by one.
same_lines()
{
	run -f "$1" -n 5000 >"$FAKE/lines" 2>"$err" && [ ! -s "$err" ] &&
		printf 'made 0\n' >"$FAKE/device" && run -f "$1" --hex -n 5000 >"$FAKE/hex" &&
		kuid convert -f "$1" --to text <"$FAKE/hex" >"$out" && [ "$(wc -l <"$out")" -eq 5000 ] &&
		cmp "$out" "$FAKE/lines"
}

to_nowhere()
{
	run >&- 2>"$err"
	[ $? -eq 1 ] && grep -qF 'standard output: Bad file descriptor' "$err"
}

# A reader that has had enough ends it, by SIGPIPE or, where that is ignored, by itself.
to_head()
{
	(
		[ "$1" = 141 ] || trap '' PIPE
		{
			run --forever 2>"$err"
			echo $? >"$FAKE/status"
		} | head -n 3 >"$out"
	)
	[ ! -s "$err" ] && is_whole 3 && [ "$(cat "$FAKE/status")" = "$1" ]
}

# Starts it with its own way to take a signal: SIGNAL OPTION... Sets pid. $blocked is never taken.
start()
{
	signal=$1
	shift
	env --default-signal="$signal" ${blocked:+--block-signal="$blocked"} LD_PRELOAD="$FAKE_DEVICE" \
		kuid gen -f v1 "$@" &
	pid=$!
}

# For "eventually": the signal is sent again and again.
ends_by()
{
	has_ended "$pid" || ! kill -s "$1" "$pid"
}

# More than 1000 IDs.
has_many()
{
	[ "$(wc -c <"$out")" -gt 40000 ]
}

ends_whole()
{
	start "$1" --forever >"$out" 2>"$err"
	eventually has_many
	ends "$1" "$pid"
	[ $? -eq "$2" ] && [ ! -s "$err" ] && is_whole 1000
}

# The reader takes more than 1000 IDs, and the rest after the signal. By then the pipe should be full, in
# the midst of a line.
ends_in_pipe()
{
	mkfifo "$FAKE/pipe"
	exec 9<>"$FAKE/pipe"
	start INT --forever "$@" >"$FAKE/pipe" 2>"$err" 9>&-
	exec 8<"$FAKE/pipe" 9>&-
	dd bs=40000 count=1 iflag=fullblock <&8 >"$out"
	sleep 0.5
	kill -s INT $pid
	sleep 0.5
	cat <&8 >>"$out"
	exec 8<&-
	rm "$FAKE/pipe"
	wait $pid
	[ $? -eq 130 ] && [ ! -s "$err" ]
}

# Nothing is lost that was begun.
ends_whole_in_pipe()
{
	ends_in_pipe && is_whole 1000
}

# The same with NULs.
ends_whole_null()
{
	ends_in_pipe --null || return
	tr '\0' '\n' <"$out" >"$FAKE/lines"
	mv "$FAKE/lines" "$out"
	is_whole 1000
}

# The same for IDs as they are, of a size that does not divide the pipe's: each ends in its number.
ends_whole_binary()
{
	ends_in_pipe --binary -f k96 || return
	size=$(wc -c <"$out")
	[ $((size % 12)) -eq 0 ] && [ "$size" -gt 12000 ] &&
		[ "$(tail -c 5 "$out" | od -A n -v -t x1 | tr -d ' \n')" = "$(printf '%010x' $((size / 12 - 1)))" ]
}

# If no one reads the first signal waits for the rest of the line, and one that comes a second later doesn't,
# whatever came between.
ends_at_once()
{
	mkfifo "$FAKE/pipe"
	exec 9<>"$FAKE/pipe"
	start TERM --forever >"$FAKE/pipe" 2>"$err" 9>&-
	# A byte tells that it catches signals by now.
	dd bs=1 count=1 <&9 >"$out"
	eventually ends_by TERM || kill -KILL "$pid"
	wait $pid
	status=$?
	exec 9>&-
	rm "$FAKE/pipe"
	[ "$status" = 143 ]
}

# It says nothing before its alarm.
ends_while_waiting()
{
	printf 'waiting 1\n' >"$FAKE/device"
	blocked=ALRM
	start INT "$@" >"$out" 2>"$err"
	blocked=
	eventually grep -q ^generate "$FAKE/log"
	eventually ends_by INT || kill -KILL "$pid"
	wait $pid
	[ $? -eq 130 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
}

tells_that_it_waits()
{
	printf 'waiting 1\n' >"$FAKE/device"
	start TERM "$@" >"$out" 2>"$err"
	eventually [ -s "$err" ]
	ends TERM "$pid"
	[ $? -eq 143 ] && [ ! -s "$out" ] &&
		[ "$(cat "$err")" = 'kuid: waiting for IDs: "kuid status" says why' ]
}

# On a terminal: what COMMAND writes to it, as one line a piece.
on_terminal()
{
	printf 'slow_ms 150\n' >"$FAKE/device"
	script -qefc "$1" /dev/null </dev/null | tr '\r' '\n' >"$err"
}

shows_progress()
{
	on_terminal "LD_PRELOAD=$FAKE_DEVICE kuid gen -f v1 -n 8k >$out" && is_whole 8000 &&
		grep -q '^4096 of 8000 IDs, 51%, 5461 a second' "$err" &&
		# Nothing of it is left in the end.
		[ "$(tail -n 1 "$err")" = "$(printf '\033[K')" ]
}

shows_progress_forever()
{
	on_terminal "LD_PRELOAD=$FAKE_DEVICE kuid gen -f v1 --forever 2>/dev/tty | head -n 6k >$out" &&
		grep -qE '^[0-9]+ IDs, [0-9]+ a second' "$err"
}

shows_none_among_ids()
{
	on_terminal "LD_PRELOAD=$FAKE_DEVICE kuid gen -f v1 -n 6k" && ! grep -q 'second' "$err" &&
		[ "$(grep -c '^00000000-' "$err")" -eq 6000 ]
}

shows_none_elsewhere()
{
	on_terminal "LD_PRELOAD=$FAKE_DEVICE kuid gen -f v1 -n 6k 2>$FAKE/other >$out" && is_whole 6000 &&
		[ ! -s "$FAKE/other" ] && [ ! -s "$err" ]
}

quick_shows_none()
{
	on_terminal "LD_PRELOAD=$FAKE_DEVICE kuid gen -f v1 -n 1k >$out" && is_whole 1000 && [ ! -s "$err" ]
}

it "one ID if nothing is said" makes 1
it "-n 1" makes 1 -n 1
it "-n 4096, a batch" makes 4096 -n 4096
it "-n 4097, a batch and one" makes 4097 -n 4097
it "-n 9000, in batches that come in pieces" makes 9000 -n 9000
it "-n 2k is 2000" makes 2000 -n 2k
it "--count=0k1 is no count" fails 2 '"0k1" is not a count' --count=0k1
for count in 0 0k -1 +1 1x 1K 1kk k '' ' 1' 18446744073709551616 18446744073709552k \
	99999999999999999999G; do
	it "-n '$count' is refused" fails 2 "\"$count\" is not a count: a whole number from 1" -n "$count"
done
it "--forever with a count is refused" fails 2 'only one of --count and --forever' --forever -n 5
it "--forever takes no argument" fails 2 "doesn't allow an argument" --forever=5
it "an argument is refused" fails 2 'unexpected argument "5"' 5
it "an unknown format is refused" fails 2 '"v5" is not a format' -f v5

it "canonical text" prints 00000000-0000-1000-8000-000000000000 --text
it "hexadecimal" prints 00000000000010008000000000000000 --hex
it "ColdFusion's form" prints 00000000-0000-1000-8000000000000000 --cf
it "GUID" prints 00000000000000108000000000000000 --guid
it "decimal" prints 0 -f k64 --decimal
it "ULID" prints 0000000000E008000000000000 -f v7 --ulid
it "braces" prints '{00000000-0000-6000-8000-000000000000}' -f v6 --braces
it "URN" prints urn:uuid:00000000-0000-1000-8000-000000000000 --urn
it "--decimal of many" counts_in_decimal
it "--decimal of v7 is refused" fails 2 '--decimal is for k64 snowflake, not v7' -f v7 --decimal
it "--ulid of v6 is refused" fails 2 '--ulid is for v7, not v6' -f v6 --ulid
it "--braces of lex is refused" fails 2 "--braces is for $stamp_formats, not lex" -f lex --braces
it "--urn of k128 is refused" fails 2 "--urn is for $stamp_formats, not k128" -f k128 --urn
it "--binary with another form is refused" fails 2 'only one of --binary and --hex' --binary --hex
it "a form twice is one form" prints 00000000000010008000000000000000 --hex --hex
it "-0" prints_bytes 30303030303030302d303030302d313030302d383030302d30303030303030303030303000 -0
it "JSON has the form's name" prints_json v7 ulid
it "JSON has decimal numbers as strings" prints_json k64 decimal
try prints_bytes 30303030303030303030303030303030003030303030303030303030303030303100 --null --hex -f k64 -n 2
it "--null of bytes is refused" fails 2 '--null is for text, not for --binary' --null --binary
it "bytes" prints_bytes 0000000000001000800000000000000000000000000010008000000000000001 --binary -n 2
it "v6" prints 00000000-0000-6000-8000-000000000000 -f v6
it "v7 in ColdFusion's form" prints 00000000-0000-7000-8000000000000000 -f v7 --cf
it "lex" prints 00000000-0000-0000-0000000000000000 -f lex
it "lex in hexadecimal" prints 00000000000000000000000000000000 -f lex --hex
it "k64" prints ........... -f k64
it "k96 in hexadecimal" prints 000000000000000000000000 -f k96 --hex
it "k128" prints ...................... -f k128

it "-o cpu" asks_for v1 cpu 1
it "-o file" asks_for k96 file 2
it "-o host" asks_for v7 host 3
it "an old module, order" failing_order
it "an old module, order of many" failing_order -n 5k
for format in $formats; do
	it "many of $format are lines" same_lines "$format"
	it "many of $format are lines of JSON" prints_json "$format"
done
it "-o host is whole" makes 5000 -n 5k --order=host
it "an unknown order is refused" fails 2 '"all" is not an order: cpu, file or host' -o all
it "-o host fails" failing generate 5 'making IDs of v1: Input/output error' -o host
for format in $stamp_formats; do
	it "--local -f $format" makes_locally "$format"
done
for format in $node_formats; do
	it "--private -f $format" has_private_node "$format"
done
it "--private -f v7" makes_privately v7
it "a time that no ID has is told" tells_wrong_clock v7
it "--private while there is no node to have" makes_by_device
it "--private with a given node" has_no_lane 95 1 'the node was given, so only the device makes IDs'
it "--private with the node of a card" has_no_lane 95 3 'the node was given, so only the device makes IDs'
try has_no_lane 95 2 'the kernel hands out no lane for --private'
it "--private with an old module" has_no_lane 25 2 'The module is older than libkuid'
it "--private without a device" without_device 2 'there is no /dev/kuids/v7: load the module' --private -f v7
for option in local private; do
	for format in $slot_formats; do
		try fails 2 "--$option is for $stamp_formats, not $format" --$option -f "$format"
	done
	try fails 2 "--order is for the device, not for --$option" --$option -o host
done
it "--private with --local is refused" fails 2 'only one of --local and --private' --private --local
it "no device: --local must be asked for" without_device 2 'are made by "kuid gen --local"'
it "no device: --local is not advised for what it can't make" says_nothing_of_local k64
try without_device 2 'there is no /dev/kuid: load the module, as root, with "modprobe kuid", or "insmod kuid.ko"'
# FILE TEXT: of a kernel that refuses modules without a signature.
asks_for_signature()
{
	echo "$2" >"$FAKE/$1"
	without_device 2 'which this kernel allows only if a key that it knows has signed it'
	result=$?
	rm "$FAKE/$1"
	return $result
}

it "sig_enforce: what the module lacks" asks_for_signature sig_enforce Y
it "Secure Boot: what the module lacks" asks_for_signature lockdown 'none [integrity] confidentiality'
try eval '! asks_for_signature lockdown "[none] integrity confidentiality"'
on_host()
{
	while_set FAKE_HOST "$@"
}

try on_host file without_device 6 'no driver for /dev/kuid: load the module, as root, with "modprobe kuid"'
it "no driver in a container: who loads the module" on_host file,pid without_device 6 \
	'no driver for /dev/kuid: the module is not loaded, and a container can'\''t load it'
it "no driver for a file of an earlier load" on_host loaded,file without_device 6 \
	'no driver for /dev/kuids/v7: this device file is not of the module that is loaded now' -f v7
for namespace in pid user; do
	try on_host $namespace without_device 2 'there is no /dev/kuid: the module is not loaded, and a container'
	it "no device in a $namespace namespace: how to pass it in" on_host loaded,$namespace \
		without_device 2 'there is no /dev/kuid: the host has loaded the module, but this container'
	try on_host $namespace without_device 1 '/dev/kuid: Operation not permitted: a container needs the device'
done
it "a unit without the device: how to show it" on_host loaded without_device 2 \
	'there is no /dev/kuid: the module is loaded, but this process can'\''t see the device file'
it "no device of a format: the same" without_device 2 'there is no /dev/kuids/k64' -f k64
try without_device 13 '/dev/kuid: Permission denied: anyone may read it unless a udev rule'
try without_device 1 '/dev/kuids/v7: Operation not permitted: a systemd unit needs' -f v7
it "too many files" without_device 24 '/dev/kuid: Too many open files'
it "a clone: how to confirm, v1" says_what_to_do 116 '--node random' v1
it "a clone: how to confirm, lex" says_what_to_do 116 '--worker random' lex
it "a clone: how to confirm, k96" says_what_to_do 116 '--worker random' k96
it "a clone: how to confirm, k128" says_what_to_do 116 '--worker random' k128
it "a clone: how to confirm, snowflake" failing generate 116 'else "kuid node --snowflake NUMBER"' -f snowflake
it "a clone: who claims a number again, snowflake" says_who_claims_again 4 6 snowflake
it "a clone: who claims a number again, k96" says_who_claims_again 6 1 k96
it "a clone: who claims a number again, the worker as snowflake's" says_who_claims_again 6 5 snowflake
it "no state: where to look" says_which_state_is_missing 0 'see "systemctl status kuid"'
it "the ceiling: how to save a higher one" says_which_state_is_missing 1 'Run "kuid keep" as root'
it "no state is told if many are made" failing generate 61 'see "systemctl status kuid"' -f lex -n 5k
try failing generate 126 'Run "kuid node --snowflake NUMBER" as root, or let "kuid-claim" claim one' -f snowflake
it "an expired claim is told" failing generate 127 'the time has come to the ceiling of the claim' -f k96
it "a time that snowflake can't hold" failing generate 75 "its 41 bits can't hold the time" -f snowflake
it "no random numbers yet" failing generate 11 'random generator is not ready: try again'
it "another file in the place of the device" failing generate 25 "No such device"
it "another error" failing generate 5 'making IDs of v1: Input/output error'
it "an error behind IDs" fails_later
it "a clone is told if many are made" failing generate 116 'this machine may be a clone' -n 5k

it "a full disk is told, one ID" to_full_disk
it "a full disk is told, many IDs" to_full_disk -n 100k
it "a full disk is told, bytes" to_full_disk --forever --binary
it "no standard output is told" to_nowhere
it "a reader that has had enough ends it" to_head 141
it "the same where SIGPIPE is ignored" to_head 1
it "SIGINT ends it behind a line" ends_whole INT 130
it "SIGTERM ends it behind a line" ends_whole TERM 143
it "SIGHUP ends it behind a line" ends_whole HUP 129
it "SIGINT ends it behind a line, in a full pipe" ends_whole_in_pipe
it "SIGINT ends it behind a NUL, in a full pipe" ends_whole_null
it "SIGINT ends it behind an ID" ends_whole_binary
it "a signal that comes again ends it at once" ends_at_once
it "SIGINT ends it while it waits" ends_while_waiting
it "SIGINT ends it while it waits for many" ends_while_waiting --forever
it "that it waits is told" tells_that_it_waits
it "that it waits for many is told" tells_that_it_waits --forever
it "on a terminal it shows how far it is" shows_progress
it "with no end in sight, too" shows_progress_forever
it "but not among the IDs" shows_none_among_ids
it "nor elsewhere than on a terminal" shows_none_elsewhere
it "nor if it is done at once" quick_shows_none
finish
