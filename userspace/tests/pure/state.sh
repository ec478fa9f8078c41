#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid restore, clock and node with a device that is not there: what they ask of the kernel and the
# disk, in which order, and what they leave when they are refused, fail or are killed. What comes of
# it over reboots is in ../situations.sh. Prints KTAP. Needs what fake_device.sh does, and must be
# given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"
dir=$FAKE/dir
file=$dir/state

sec=000000000
# 2026-11-20T08:15:00Z
now=1795162500
day=86400
machine=4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4

begin_test()
{
	new_machine
}

# A machine that has just loaded the module, with an empty directory.
new_machine()
{
	rm -rf "$dir"
	mkdir "$dir"
	echo $machine >"$FAKE/machine-id"
	begin_device <<-DEVICE
		required 1
		cover_epoch 0
		cover_load_id 0
		again_from_ns 0
		again_until_ns 0
		interval 8
		wall_ns $now$sec
		slot_ns $now$sec
		stamp_ns 0
		floor_ns 0
		ceiling_ns 0
		busy_ns 0
		reasons 0
		epoch 1
		load_id 77
		claim_dead 0
		node_from 2
		node 18838586676582
		worker_from 4
		worker 1
		snowflake_from 5
		snowflake_worker 4294967295
		snowflake_epoch_ms 1288834974657
	DEVICE
}

# The same machine after a reboot.
reboot()
{
	set_field cover_epoch 0 cover_load_id 0 again_from_ns 0 again_until_ns 0 floor_ns 0 \
		ceiling_ns 0 slot_ns "$(field wall_ns)" stamp_ns 0 epoch 1 \
		load_id $(($(field load_id) + 1))
	: >"$FAKE/log"
}

tool()
{
	run "$@" >"$out" 2>"$err" </dev/null
}

# Prints nothing. What it begins with is said, and nothing else.
does()
{
	tool "$@" && [ ! -s "$out" ] && ! grep -qv '^kuid: IDs \(go on\|begin\)' "$err"
}

# A value of the file; nothing if the file is not all that it should be.
saved()
{
	[ "$(tail -n 1 "$file")" = "}" ] && sed -n "s/^  \"${1:-ceiling_ns}\": \([0-9]*\),$/\1/p" "$file"
}

# The log, without lines that do not matter here.
logged()
{
	grep -v '^write\|^chmod\|^state\|^status\|^query\|^may\|^create state.lock' "$FAKE/log" \
		>"$FAKE/got"
	printf '%s\n' "$@" | cmp -s - "$FAKE/got"
}

# A machine that was up for a while.
begun()
{
	new_machine
	does restore --first "$file" && set_field wall_ns $((now + 30))$sec "$@" &&
		cp -a "$file" "$FAKE/before" && cp "$FAKE/device" "$FAKE/device.before" &&
		: >"$FAKE/log"
}

# The same after a reboot.
rebooted()
{
	begun "$@" && reboot && cp "$FAKE/device" "$FAKE/device.before"
}

# Nothing has been asked of the device, and the file is as it was.
untouched()
{
	cmp -s "$file" "$FAKE/before" && cmp -s "$FAKE/device" "$FAKE/device.before" &&
		! grep -q '^cover\|^rename' "$FAKE/log"
}

# COMMAND TEXT: after a reboot and the command the file is refused, saying the text and the way out,
# which works, and after which nothing is in the way of the next save and of the next boot.
refused()
{
	rebooted && $1 || return
	cp -a "$file" "$FAKE/before" 2>/dev/null
	cp "$FAKE/device" "$FAKE/device.before"
	fails 1 "$2" restore "$file" && { untouched || [ ! -e "$file" ]; } &&
		fails 1 "$2" restore "$file" && way_out
}

way_out()
{
	case $(cat "$err") in
	*restore\ --may-repeat*) ;;
	*) return 0 ;; # The file can be put right.
	esac
	does restore --may-repeat "$file" && [ "$(field floor_ns)" -le "$(field wall_ns)" ] &&
		[ "$(saved may_repeat_until_ns)" -gt "$(field wall_ns)" ] && is_covered &&
		does restore "$file" && reboot && does restore "$file" &&
		[ "$(field again_until_ns)" = "$(saved may_repeat_until_ns)" ]
}

# The kernel never trusts more than the file says.
is_covered()
{
	[ -z "$(saved)" ] || [ "$(saved)" -ge "$(field ceiling_ns)" ]
}

first_start()
{
	(umask 0777 && does restore --first "$file") && [ "$(stat -c %a "$file")" = 600 ] &&
		[ "$(saved)" = $((now + 60))$sec ] && [ "$(saved epoch)" = 2 ] &&
		[ "$(field cover_epoch)" = 2 ] &&
		logged 'create state.new' 'fsync file' 'rename state.new state' 'fsync directory' \
			"cover begin 0 $((now + 60))$sec 0 0"
}

# The marker says the same, once, and never excuses what is in the place of the file.
marker()
{
	: >"$file.unused"
	does restore "$file" && [ ! -e "$file.unused" ] && rm "$file" && reboot &&
		fails 1 'there is no' restore "$file" && rebooted && : >"$file.unused" &&
		: >"$file" && fails 1 'is empty' restore --first "$file" && [ -e "$file.unused" ]
}

# FIELD TIME AHEAD CEILING: what a higher ceiling is above.
saves_ahead()
{
	begun "$1" "$2" && does restore --ahead "$3" "$file" && [ "$(saved)" = "$4" ] &&
		[ "$(field ceiling_ns)" = "$4" ]
}

raises_file_first()
{
	saves_ahead wall_ns $((now + 30))$sec 60 $((now + 90))$sec &&
		logged 'create state.new' 'fsync file' 'rename state.new state' \
			'fsync directory' "cover raise 0 $((now + 90))$sec 0 0"
}

lowers_kernel_first()
{
	saves_ahead wall_ns $((now + 30))$sec 5 $((now + 35))$sec &&
		logged "cover raise 0 $((now + 35))$sec 0 0" 'create state.new' 'fsync file' \
			'rename state.new state' 'fsync directory'
}

restores()
{
	rebooted && does restore "$file" && [ "$(saved)" = $((now + 120))000000001 ] &&
		logged 'create state.new' 'fsync file' 'rename state.new state' 'fsync directory' \
			"cover begin $((now + 60))$sec $((now + 120))000000001 0 0"
}

# However far the clock is behind: IDs go on above the file, and that they are ahead is told.
restores_ahead_of_clock()
{
	rebooted && set_field wall_ns 0 slot_ns 0 && tool restore "$file" &&
		grep -q 'IDs are more than a day ahead of the clock' "$err" &&
		[ "$(field floor_ns)" = $((now + 60))$sec ] && is_covered
}

# The clock is years ahead by mistake, and then right: IDs go back, and none comes twice before then.
wrong_clock()
{
	wrong=2208988800
	rebooted && set_field wall_ns $wrong$sec slot_ns 0 && does restore "$file" &&
		[ "$(field floor_ns)" = $wrong$sec ] && [ "$(saved before_jump_ns)" = $((now + 60))$sec ] &&
		[ "$(saved after_jump_ns)" = $wrong$sec ] &&
		set_field wall_ns $((now + 99))$sec slot_ns $((wrong + 5))$sec && tool restore "$file" &&
		grep -q 'a day ahead of the clock, at 2040' "$err" &&
		does restore --may-repeat "$file" && [ "$(field floor_ns)" = $((now + 60))$sec ] &&
		[ "$(field again_from_ns)" = $wrong$sec ] &&
		[ "$(field again_until_ns)" = $((wrong + 65))$sec ] &&
		[ "$(saved)" = $((now + 159))$sec ] && does restore "$file" && reboot &&
		does restore "$file" && [ "$(field floor_ns)" -lt $((now + day))$sec ] &&
		[ "$(field again_from_ns)" = $wrong$sec ]
}

# The same while the module is loaded; without state=required IDs may have followed the clock before.
wrong_clock_while_up()
{
	wrong=2208988800
	begun required "$1" && set_field wall_ns $wrong$sec slot_ns $wrong$sec &&
		does restore "$file" && [ "$(field cover_epoch)" = 3 ] && [ "$(saved epoch)" = 3 ] &&
		[ "$(saved after_jump_ns)" = "$2$sec" ]
}

# An epoch that begins meanwhile gives the cover another name than was thought.
other_epoch_first()
{
	set_field busy_epochs 1
	does restore --first "$file" && [ "$(saved epoch)" = "$(field cover_epoch)" ] &&
		set_field busy_epochs 0 && does restore "$file"
}

# Files that are refused.
no_file() { rm "$file"; }
empty_file() { : >"$file"; }
cut_file() { head -c 100 "$FAKE/before" >"$file"; }
edit_file() { sed -i 's/"ceiling_ns": 17951/"ceiling_ns": 17952/' "$file"; }
zero_file() { head -c "$(wc -c <"$FAKE/before")" /dev/zero >"$file"; }
newer_file() { sed -i 's/"kuid_state": 1/"kuid_state": 2/' "$file"; }
huge_file() { head -c 1000000 /dev/zero | tr '\0' ' ' >>"$file"; }
# A file that is whole; gzip knows its checksum.
no_clock_file()
{
	sed -e '/crc32/,$d' -e "s/\(\"ceiling_ns\":\) [0-9]*/\1 8277292036000000001/" \
		-e 's/"ceiling": "[^"]*"/"ceiling": "2232-04-18T23:47:16.000000001Z"/' \
		"$FAKE/before" | head -c -2 >"$FAKE/body"
	crc=$(gzip -c "$FAKE/body" | tail -c 8 | head -c 4 | od -A n -t x4 | tr -d ' ')
	{ cat "$FAKE/body" && printf ',\n  "crc32": "%s"\n}\n' "$crc"; } >"$file"
}
let_group_write() { chmod 620 "$file"; }
let_world_write() { chmod 602 "$file"; }
give_away() { chown 12345 "$file"; }
make_link() { mv "$file" "$dir/other" && ln -s other "$file"; }
make_directory() { rm "$file" && mkdir "$file"; }
make_pipe() { rm "$file" && mkfifo "$file"; }
make_device() { rm "$file" && mknod "$file" c 1 3; }
other_interval() { set_field interval 5; }
other_epoch() { set_field snowflake_epoch_ms 0; }
other_cover() { set_field cover_epoch 9 cover_load_id 9; }

# Refused, and not replaced either.
refused_as_another_kind()
{
	rebooted && $1 && fails 1 "$2" restore "$file" && fails 1 "$2" restore --first "$file" &&
		! grep -q '^cover\|^rename' "$FAKE/log"
}

other_machine()
{
	rebooted && echo "0$machine" | cut -c -32 >"$FAKE/machine-id" && tool restore "$file" &&
		grep -qF 'is of another machine' "$err" &&
		[ "$(field floor_ns)" = $((now + 60))$sec ] && reboot && does restore "$file"
}

# The ID only tells whose a file is.
odd_machine()
{
	rebooted && echo "no id" >"$FAKE/machine-id" && tool restore "$file" &&
		grep -qF 'not 32 hexadecimal digits' "$err" && is_covered
}

# --- what fails, and what is left then

# FAILURE STATUS TEXT OPTION...: the old file and the old ceiling; then it can be done again.
keeps_all()
{
	failure=$1 result=$2 text=$3
	shift 3
	begun && while_set FAKE_FAIL "$failure" fails "$result" "$text" restore "$@" "$file" &&
		cmp -s "$file" "$FAKE/before" && cmp -s "$FAKE/device" "$FAKE/device.before" &&
		[ ! -e "$file.new" ] && does restore "$@" "$file" && is_covered
}

# A directory that is not on disk may have the old file or the new one after a crash.
unsure_directory()
{
	begun && old=$(field ceiling_ns) &&
		while_set FAKE_FAIL "fsync 2 5" fails 1 'fsync of its directory' restore "$@" "$file" &&
		[ "$(field ceiling_ns)" -le "$old" ] && is_covered && does restore "$file"
}

first_start_fails()
{
	: >"$file.unused"
	while_set FAKE_FAIL "$1" fails "$2" "$3" restore "$file" && [ "$(field ceiling_ns)" = 0 ] &&
		does restore "$file" && [ ! -e "$file.unused" ] && is_covered
}

# MACHINE OPTION...: killed before each of its calls in turn, it fails a file that is whole and covers
# the kernel, and the next one is not in the way of what this one left behind.
survives_kills()
{
	prepare=$1
	shift
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		$prepare || return
		set_field slot_ns $((now + 31))$sec
		while_set FAKE_DIE "$n" tool restore "$@" "$file"
		status=$?
		is_covered && [ -n "$(saved)" ] || return
		[ "$status" -eq 99 ] || break
		{ does restore "$file" || does restore --may-repeat "$file"; } && [ ! -e "$file.new" ] &&
			is_covered && reboot && does restore "$file" || return
	done
	[ "$status" -eq 0 ] && [ "$n" -gt 9 ]
}

# IDs that pass the ceiling between reading the state and setting the ceiling.
overtaken()
{
	begun slot_ns $((now + 30))$sec && set_field busy_ns 2$sec &&
		fails 1 'IDs pass the ceiling while it is saved' restore --ahead 1 "$file" &&
		is_covered && does restore --ahead 5 "$file" && is_covered
}

overtaken_once()
{
	begun && set_field wall_ns $((now + 90))$sec &&
		while_set FAKE_FAIL "cover 1 22" does restore "$file" && is_covered &&
		[ "$(grep -c '^cover' "$FAKE/log")" -eq 2 ]
}

# Two at once: the one that comes second reads the state when the first is through.
waits_for_the_other()
{
	begun || return
	(
		flock 9
		run restore "$file" 9>&- &
		sleep 0.5
		cp "$FAKE/log" "$FAKE/log.locked"
		echo $! >"$FAKE/pid"
		flock -u 9
		wait $!
	) 9>"$file.lock" && ! grep -q ^state "$FAKE/log.locked" &&
		[ "$(field ceiling_ns)" = $((now + 90))$sec ]
}

no_directory()
{
	rmdir "$dir"
	fails 1 "there is no directory $dir: make it with \"mkdir -p $dir\"" restore "$file"
}

# Something that can't be removed is where the next file should be.
next_is_in_the_way()
{
	begun && mkdir "$file.new" && fails 1 'removing .new beside it: Is a directory' restore "$file" &&
		cmp -s "$file" "$FAKE/before" && rmdir "$file.new" && does restore "$file"
}

relative_names()
{
	(cd "$dir" && does restore --first other && does restore ./other) && [ -s "$dir/other" ]
}

claimed()
{
	rebooted snowflake_from 6 &&
		fails 1 'first "systemctl stop kuid-claim"' restore --may-repeat "$file" &&
		cmp -s "$file" "$FAKE/before"
}

# After that command the kernel still has the claim, which has ended.
claim_ended()
{
	rebooted snowflake_from 6 && set_field claim_dead 1 && does restore --may-repeat "$file" &&
		[ "$(field cover_epoch)" = 3 ] && [ "$(field snowflake_from)" = 5 ]
}

changes_after_claim()
{
	set_field worker_from 6 snowflake_from 6
	fails 1 'is claimed: stop "kuid-claim" first' node --worker 5 && set_field claim_dead 1 &&
		tool node --worker 5 && [ "$(field worker)" = 5 ] && [ "$(field snowflake_from)" = 5 ]
}

claim_is_not_dropped()
{
	set_field worker_from 6 claim_dead 1
	while_set FAKE_FAIL 'drop 1 1' fails 1 'not permitted' node --worker 5 &&
		[ "$(field worker_from)" = 6 ]
}

# --- clock and node

clock_prints()
{
	set_field slot_ns $((now + 2))$sec ceiling_ns $((now + 60))$sec
	prints "$@"
}

# Options and the fields that they make of it, as "NAME VALUE" each.
sets()
{
	options=$1
	shift
	# shellcheck disable=SC2086 # a list of words
	tool node $options || return
	while [ $# -gt 0 ]; do
		[ "$(field "${1% *}")" = "${1#* }" ] || return
		shift
	done
	[ "$(grep -c ^identity "$FAKE/log")" -eq 1 ] && [ "$(field epoch)" = 2 ]
}

# On a host with I of 5, and a worker whose halves are folded into the node of k96.
converts()
{
	set_field worker $((0x100000000 + 0x03eb2733)) interval 5
	prints "$@"
}

tells()
{
	line=$1
	shift
	set_field "$@"
	tool node && grep -qxF "$line" "$out"
}

clock_lines="wall               2026-11-20T08:15:00.000000000Z
wall_ns            $now$sec
epoch              1
stamp_lag_ns       1
slot_lag_ns        2000000000
stamp_ahead_ns     3
lex_ahead_ns       4
grid_ahead_ns      5
snowflake_ahead_ns 9
floor              none
floor_ns           0
ceiling            2026-11-20T08:16:00.000000000Z
ceiling_ns         1795162560$sec"
clock_json="{\"wall\": \"2026-11-20T08:15:00.000000000Z\", \"wall_ns\": $now$sec, \"epoch\": 1,"
clock_json="$clock_json \"stamp_lag_ns\": 1, \"slot_lag_ns\": 2000000000, \"stamp_ahead_ns\": 3,"
clock_json="$clock_json \"lex_ahead_ns\": 4, \"grid_ahead_ns\": 5, \"snowflake_ahead_ns\": 9,"
clock_json="$clock_json \"floor\": \"none\", \"floor_ns\": 0,"
clock_json="$clock_json \"ceiling\": \"2026-11-20T08:16:00.000000000Z\", \"ceiling_ns\": 1795162560$sec}"
node_lines="node               112233445566
node_from          random
worker             0000000000000001
worker_from        host
snowflake          none
snowflake_from     worker
snowflake_epoch_ms 1288834974657
interval           8
claim_ceiling      none
claim_ceiling_ns   0
epoch              1
identity           good"
node_json='{"node": "112233445566", "node_from": "random", "worker": "0000000000000001",'
node_json="$node_json \"worker_from\": \"host\", \"snowflake\": \"none\","
node_json="$node_json \"snowflake_from\": \"worker\", \"snowflake_epoch_ms\": 1288834974657,"
node_json="$node_json \"interval\": 8, \"claim_ceiling\": \"none\", \"claim_ceiling_ns\": 0,"
node_json="$node_json \"epoch\": 1,"
node_json="$node_json \"identity\": \"good\"}"

it "a first start saves, and begins last" first_start
it "a marker says that it is the first start, once" marker
it "the file is raised before the kernel" raises_file_first
it "the kernel is lowered before the file" lowers_kernel_first
it "a ceiling is above the wall clock" saves_ahead wall_ns $((now + 7))$sec 5 $((now + 12))$sec
it "a ceiling is above lex and k-ordered IDs" saves_ahead slot_ns $((now + 37))$sec 5 $((now + 42))$sec
it "a ceiling is above v1 and v6" saves_ahead stamp_ns $((now + 37))$sec 5 $((now + 42))$sec
it "a ceiling is above the clock of IDs" saves_ahead clock_ns $((now + 37))$sec 5 $((now + 42))$sec
it "a ceiling is above the floor" saves_ahead floor_ns $((now + 37))$sec 5 $((now + 42))$sec
it "a reboot begins at the ceiling" restores
it "a clock that was lost is not in the way" restores_ahead_of_clock
it "a clock that was wrong fails a way back" wrong_clock
it "so does one that is set while the machine is up" wrong_clock_while_up 1 2208988800
it "it is not known since when, if state is not required" wrong_clock_while_up 0 $((now + 60))
it "an epoch that comes between names the cover" other_epoch_first

it "no file is refused" refused no_file 'if no IDs were made on this machine before'
it "an empty file is refused" refused empty_file 'is empty'
it "a file cut short is refused" refused cut_file 'is damaged: its end is missing'
it "a file that was edited is refused" refused edit_file 'its checksum is wrong'
it "a file of zeroes is refused" refused zero_file 'is damaged'
it "a newer format is refused" refused newer_file 'is of version 2, and this kuid knows'
it "a huge file is refused" refused huge_file 'is damaged'
it "a file of a time that no clock can have is refused" refused no_clock_file 'that no clock can have'
try refused other_interval 'with interval=8, and the module was loaded with 5: k96 and k128 may come twice'
try refused other_epoch 'with snowflake_epoch_ms=1288834974657, and the module was loaded with 0'
it "a file that is not of what has begun is refused" refused other_cover 'or another file'
it "a file that its group can write is refused" refused let_group_write 'can be written by'
it "a file that all can write is refused" refused let_world_write 'can be written by'
if [ "$(id -u)" -eq 0 ]; then
	it "a file of another user is refused" refused give_away 'belongs to another user'
	it "a device is refused" refused_as_another_kind make_device 'is not a regular file'
else
	skip "a file of another user is refused" "not root"
	skip "a device is refused" "not root"
fi
it "a symbolic link is refused" refused_as_another_kind make_link 'is a symbolic link'
it "a directory is refused" refused_as_another_kind make_directory 'is not a regular file'
it "a pipe is refused" refused_as_another_kind make_pipe 'is not a regular file'
it "another machine's file is restored and told" other_machine
it "a machine-id that is none is taken as none" odd_machine

it "no new file: all is as before" keeps_all 'create 2 13' 1 'making .new beside it: Permission denied'
it "no lock: all is as before" keeps_all 'create 1 30' 75 'Read-only file system'
it "chmod fails: all is as before" keeps_all 'chmod 1 1' 1 'setting the mode'
it "a full disk at once: all is as before" keeps_all 'write 1 28' 75 'No space left on device'
it "a full disk later: all is as before" keeps_all 'write 3 28' 75 'No space left on device'
it "a full quota: all is as before" keeps_all 'write 1 122' 75 'Disk quota exceeded'
it "fsync fails: all is as before" keeps_all 'fsync 1 5' 1 'fsync of .new beside it: Input/output error'
it "rename fails: all is as before" keeps_all 'rename 1 30' 75 'replacing it: Read-only file system'
try while_set FAKE_HOST user keeps_all 'may 1 1' 1 'not permitted: run it as root'
it "no random numbers: all is as before" keeps_all 'state 1 11' 75 'random generator is not ready'
it "an old module: all is as before" keeps_all 'state 1 25' 1 'The module is older than libkuid'
it "lowering, no new file: all is as before" keeps_all 'create 2 13' 1 'making .new' --ahead 5
it "lowering, a full disk: all is as before" keeps_all 'write 2 28' 75 'No space left' --ahead 5
it "lowering, rename fails: all is as before" keeps_all 'rename 1 5' 1 'replacing it' --ahead 5
it "fsync of the directory fails: not told to the kernel" unsure_directory
it "lowering, fsync of the directory fails: the lower ceiling" unsure_directory --ahead 5
it "a first start on a full disk can be done again" first_start_fails 'write 1 28' 75 'No space left'
it "one that can't remove the marker, too" first_start_fails 'unlink 1 5' 1 'removing .unused'
it "raising can be killed at any time" survives_kills begun
it "lowering can be killed at any time" survives_kills begun --ahead 5
it "beginning can be killed at any time" survives_kills rebooted
it "going back can be killed at any time" survives_kills rebooted --may-repeat
it "IDs that pass each ceiling are told" overtaken
it "IDs that pass one ceiling get another" overtaken_once
it "two at once wait for each other" waits_for_the_other
it "no directory is told" no_directory
it "a directory in place of the next file is told" next_is_in_the_way
it "a file may be named from where one is" relative_names
it "going back while a number is claimed is refused" claimed
it "IDs go back when the claim has ended" claim_ended
try fails 2 'only one of --first and --may-repeat' restore --first --may-repeat

it "clock prints lines" clock_prints "$clock_lines" clock
it "clock --json prints a line" clock_prints "$clock_json" clock --json
it "clock takes no argument" fails 2 'unexpected argument "now"' clock now

it "node prints lines" prints "$node_lines" node
it "node --json prints a line" prints "$node_json" node --json
it "node --node HEX" sets '--node 0123456789aB' 'node_from 1' 'node 1250999896491' 'worker_from 4'
it "node --node random" sets '--node random' 'node_from 2' 'node 13' 'worker 1'
it "node --node mac" sets '--node mac' 'node_from 3'
it "node --worker HEX" sets '--worker fedcba9876543210' 'worker_from 1' 'node_from 2'
it "node --worker erlang:NAME" sets '--worker erlang:kuid@host.example.org' 'worker_from 1' 'worker 233706199'
it "node --worker host" sets '--worker host' 'worker_from 4' 'worker 13'
it "node --worker random" sets '--worker random' 'worker_from 2'
it "node --snowflake NUMBER" sets '--snowflake 1023' 'snowflake_from 1' 'snowflake_worker 1023' 'worker_from 4'
it "node --snowflake 0" sets '--snowflake 0' 'snowflake_from 1' 'snowflake_worker 0'
it "node --snowflake worker" sets '--snowflake worker' 'snowflake_from 5'
it "node tells the worker of snowflake" tells 'snowflake          17' snowflake_from 1 snowflake_worker 17
try fails 2 '"1024" is not a worker of snowflake: a whole number from 0 to 1023' node --snowflake 1024
try fails 2 '"1f" is not a worker of snowflake' node --snowflake 1f
it "a negative worker of snowflake is refused" fails 2 '"-1" is not a worker of snowflake' node --snowflake=-1
it "node --new-epoch changes nothing else" sets '--new-epoch' 'node 18838586676582' 'node_from 2'
it "node --confirm" sets '--confirm' 'node_from 2'
it "node tells a clone" tells 'identity           stale' reasons 512
it "convert makes k96 with this host's node and I" converts .5.tXa0xODOQPN.0 convert --to k96 .5.tXbhdV.3
try converts "$(tool convert --to k128 -I 5 --node 103eb2733 .5.tXbhdV.3 && cat "$out")" convert --to k128 .5.tXbhdV.3
it "convert: an I that is given counts" converts .5.tXVEf8n8vPN.0 convert --to k96 -I 8 .5.tXbhdV.3
it "convert makes k64 of this host's k96" converts .5.tXbhdV.3 convert --to k64 .5.tXa0xODOQPN.0
try fails 1 'its node 3eb2732 is not 1, ' convert --to k64 -I 5 .5.tXa0xODOQPN.0
try while_set FAKE_FAIL 'identity 1 19' fails 1 'no network interface is suitable' node --node mac
it "node sets a worker when a claim of it has ended" changes_after_claim
it "node: a claim that can't be dropped" claim_is_not_dropped
try while_set FAKE_FAIL 'identity 1 16' fails 1 'a process may have had it in a private lane' node --node 0123456789ab
it "node: not permitted is told" \
	while_set FAKE_HOST user while_set FAKE_FAIL 'identity 1 1' \
	fails 1 'not permitted: run it as root; CAP_SYS_TIME is enough' node --new-epoch
it "node: root is not permitted in a container" \
	while_set FAKE_HOST root,user while_set FAKE_FAIL 'identity 1 1' \
	fails 1 'not permitted: this root has no CAP_SYS_TIME' node --new-epoch

it "a node with a wrong character is refused" fails 2 'but character 5 is none' node --node 0123x
try fails 2 '"0x12" is not a node: 1 to 12 hexadecimal digits, "random" or "mac"' node --node 0x12
it "a node too long is refused" fails 2 'but character 13 is one too many' node --node 0123456789abc
it "an empty node is refused" fails 2 'are needed' node --node ''
it "a sign is refused" fails 2 'character 1 is none' node --node=-1
it "host is no node" fails 2 '"host" is not a node' node --node host
it "mac is no worker" fails 2 '"mac" is not a worker' node --worker mac
it "a worker too long is refused" fails 2 'character 17 is one too many' node --worker 0123456789abcdef0
it "given is no word" fails 2 '"given" is not a worker' node --worker given
it "node can't change the interval" fails 2 'unrecognized option' node --interval 10
it "node takes no argument" fails 2 'unexpected argument "5"' node 5
it "--ahead 0 is refused" fails 2 'from 1 to 86400' restore --ahead 0
it "--ahead 1s is refused" fails 2 '"1s" is not a time ahead' restore --ahead 1s
it "two files are refused" fails 2 'unexpected argument "b"' restore a b
it "a name that is none is refused" fails 2 '"/tmp/" names no file' restore /tmp/
it "an empty name is refused" fails 2 '"" names no file' restore ''
it "a directory's own name is refused" fails 2 '"x/.." names no file' restore x/..
finish
