#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid save, restore, clock and node with a device that is not there: what they ask of the kernel
# and the disk, in which order, and what they leave when they are refused, fail or are killed.
# Prints KTAP. Needs what fake_device.sh does, and must be given with its path.

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

# Machines are made by the tests.
begin_test()
{
	:
}

# Gives the device a field another value.
set_field()
{
	while [ $# -gt 0 ]; do
		sed -i "s/^$1 .*/$1 $2/" "$FAKE/device"
		shift 2
	done
}

field()
{
	sed -n "s/^$1 //p" "$FAKE/device"
}

# A machine that has just loaded the module, with an empty directory.
new_machine()
{
	rm -rf "$dir"
	mkdir "$dir"
	echo $machine >"$FAKE/machine-id"
	cat >"$FAKE/device" <<-DEVICE
		required 1
		restored 0
		interval 8
		wall_ns $now$sec
		slot_ns $now$sec
		stamp_ns 0
		floor_ns 0
		ceiling_ns 0
		busy_ns 0
		reasons 0
		epoch 1
		node_from 2
		node 18838586676582
		worker_from 4
		worker 1
		snowflake_from 5
		snowflake_worker 4294967295
		snowflake_epoch_ms 1288834974657
	DEVICE
	: >"$FAKE/log"
	: >"$out"
	: >"$err"
}

# The same machine after a reboot.
reboot()
{
	set_field restored 0 floor_ns 0 ceiling_ns 0 slot_ns "$(field wall_ns)" stamp_ns 0
	: >"$FAKE/log"
}

tool()
{
	run "$@" >"$out" 2>"$err" </dev/null
}

# Says and prints nothing.
does()
{
	tool "$@" && [ ! -s "$out" ] && [ ! -s "$err" ]
}

# The last time saved, in nanoseconds; nothing if the file is not all that it should be.
saved()
{
	[ "$(tail -n 1 "$1")" = "}" ] && sed -n 's/^  "ceiling_ns": \([0-9]*\),$/\1/p' "$1"
}

nothing_left()
{
	[ "$(find "$dir" ! -name state.lock ! -path "$dir" | wc -l)" -eq 0 ]
}

# The log, without lines that do not matter here.
logged()
{
	grep -v '^write\|^chmod\|^state\|^status\|^query\|^may\|^create state.lock' "$FAKE/log" \
		>"$FAKE/got"
	printf '%s\n' "$@" | cmp -s - "$FAKE/got"
}

# A machine with a saved state of a minute ahead, after a reboot.
rebooted()
{
	new_machine
	does restore --fresh "$file" || return
	set_field "$@"
	does save "$file" || return
	reboot
	cp "$file" "$FAKE/before"
	cp "$FAKE/device" "$FAKE/device.before"
}

# Refused: nothing has been asked of the device, and the file is as it was.
untouched()
{
	cmp -s "$file" "$FAKE/before" && cmp -s "$FAKE/device" "$FAKE/device.before" &&
		! grep -q '^restore\|^acknowledge\|^rename' "$FAKE/log"
}

# Prints the exit status for a message: 75 if a change of clock or disk is enough.
is_for_now()
{
	case $1 in
	*'a day ahead'* | *'whose file it is not'* | *'No space left'* | *'quota'* | \
		*'Read-only'* | *'random generator'*) echo 75 ;;
	*) echo 1 ;;
	esac
}

# COMMAND TEXT [OPTION...]: after a reboot and the command restore is refused, saying the text.
refused()
{
	rebooted || return
	change=$1 text=$2
	shift 2
	$change || return
	cp -a "$file" "$FAKE/before" 2>/dev/null
	cp "$FAKE/device" "$FAKE/device.before"
	fails "$(is_for_now "$text")" "$text" restore "$@" "$file" && untouched
}

# The same, but --force restores it.
forced()
{
	refused "$@" && does restore --force "$file" &&
		grep -q "^restore $(saved "$FAKE/before")" "$FAKE/log" && is_covered
}

# COMMAND TEXT: after a reboot and the command restore restores it all the same, saying the text, and
# says nothing of what it has saved itself.
restored_and_told()
{
	rebooted && $1 && tool restore "$file" && [ ! -s "$out" ] && grep -qF -- "$2" "$err" &&
		[ "$(wc -l <"$err")" -eq 1 ] &&
		grep -q "^restore $(saved "$FAKE/before")" "$FAKE/log" && is_covered && reboot &&
		does restore "$file"
}

# The kernel never trusts more than the file says.
is_covered()
{
	[ -z "$(saved "$file")" ] || [ "$(saved "$file")" -ge "$(field ceiling_ns)" ]
}

fresh_start()
{
	new_machine
	does restore --fresh "$file" && [ "$(saved "$file")" = $((now + 60))$sec ] &&
		[ "$(field ceiling_ns)" = $((now + 60))$sec ] && [ "$(field restored)" = 1 ] &&
		logged 'restore 0 fresh' 'create state.new' 'fsync file' 'rename state.new state' \
			'fsync directory' "acknowledge $((now + 60))$sec"
}

save_is_private()
{
	new_machine
	(umask 0777 && does restore --fresh "$file")
	[ "$(stat -c %a "$file")" = 600 ] && [ "$(stat -c %a "$dir/state.lock")" != 666 ]
}

saves_ahead()
{
	new_machine
	does restore --fresh "$file" || return
	set_field "$1" "$2"
	: >"$FAKE/log"
	does save --ahead "$3" "$file" && [ "$(saved "$file")" = "$4" ] &&
		[ "$(field ceiling_ns)" = "$4" ]
}

raises_file_first()
{
	saves_ahead wall_ns $((now + 30))$sec 60 $((now + 90))$sec &&
		logged 'create state.new' 'fsync file' 'rename state.new state' \
			'fsync directory' "acknowledge $((now + 90))$sec"
}

lowers_kernel_first()
{
	saves_ahead wall_ns $((now + 30))$sec 0 $((now + 30))$sec &&
		logged "acknowledge $((now + 30))$sec" 'create state.new' 'fsync file' \
			'rename state.new state' 'fsync directory'
}

restores()
{
	rebooted && does restore "$file" &&
		logged "restore $((now + 60))$sec" 'create state.new' 'fsync file' \
			'rename state.new state' 'fsync directory' \
			"acknowledge $((now + 120))$sec" &&
		[ "$(saved "$file")" = $((now + 120))$sec ]
}

restores_with_ahead()
{
	rebooted && does restore --ahead 5 "$file" && [ "$(saved "$file")" = $((now + 65))$sec ]
}

restore_is_done_once()
{
	restores && : >"$FAKE/log" && set_field wall_ns $((now + 100))$sec &&
		does restore "$file" && ! grep -q ^restore "$FAKE/log" &&
		[ "$(saved "$file")" = $((now + 160))$sec ]
}

restores_after_clean_shutdown()
{
	new_machine
	does restore --fresh "$file" && set_field slot_ns $((now + 1))$sec &&
		does save --ahead 0 "$file" && reboot && does restore "$file" &&
		[ "$(field floor_ns)" = $((now + 1))$sec ]
}

saves_nothing_unrestored()
{
	new_machine
	fails 1 'first run "kuid restore"' save "$file" && nothing_left &&
		[ "$(field ceiling_ns)" = 0 ] || return
	rebooted && fails 1 'first run "kuid restore"' save "$file" && untouched
}

fresh_is_refused_over_a_file()
{
	rebooted
	fails 1 "$file is there: restore it without --fresh" restore --fresh "$file" && untouched &&
		does restore --fresh --force "$file" && grep -q '^restore 0 fresh' "$FAKE/log" ||
		return
	rebooted && rm "$file" && ln -s nowhere "$file" &&
		fails 1 'is there' restore --fresh "$file" &&
		! grep -q '^restore\|^acknowledge' "$FAKE/log"
}

fresh_needs_a_clock()
{
	new_machine
	set_field wall_ns "1577836799$sec" slot_ns "1577836799$sec"
	fails 75 'the clock is before 2020' restore --fresh "$file" && nothing_left &&
		[ "$(field restored)" = 0 ]
}

unused()
{
	new_machine
	: >"$file.unused"
}

first_start()
{
	unused
	tool restore --first "$file" && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] &&
		grep -qF "$file.unused says that this is the first start" "$err" &&
		[ "$(saved "$file")" = $((now + 60))$sec ] && [ ! -e "$file.unused" ] &&
		logged 'restore 0 fresh' 'create state.new' 'fsync file' 'rename state.new state' \
			'fsync directory' 'unlink state.unused' 'fsync directory' \
			"acknowledge $((now + 60))$sec" &&
		reboot && does restore --first "$file" && [ "$(field floor_ns)" = $((now + 60))$sec ]
}

# Without the marker, a file that is not there is lost.
lost_file()
{
	new_machine
	fails 1 'if it is lost' restore --first "$file" && nothing_left &&
		[ "$(field restored)" = 0 ] || return
	unused && tool restore --first "$file" && rm "$file" && reboot &&
		fails 1 'if it is lost' restore --first "$file" && nothing_left &&
		[ "$(field restored)" = 0 ] && does restore --fresh "$file"
}

# A marker that a crash left: the file counts.
file_and_marker()
{
	rebooted && : >"$file.unused" && does restore --first "$file" &&
		grep -q "^restore $((now + 60))$sec" "$FAKE/log" && [ ! -e "$file.unused" ]
}

# The marker does not excuse what is in the place of the file.
marker_and_damage()
{
	rebooted && : >"$file.unused" && edit_file || return
	cp -a "$file" "$FAKE/before"
	fails 1 'is damaged' restore --first "$file" && untouched && [ -e "$file.unused" ]
}

# Only --first takes it for anything; whatever saves removes it.
marker_is_for_first()
{
	unused && fails 1 'if it is lost' restore "$file" && [ -e "$file.unused" ] &&
		does restore --fresh "$file" && [ ! -e "$file.unused" ] &&
		: >"$file.unused" && does save "$file" && [ ! -e "$file.unused" ]
}

# A first start that can't remove the marker is not acknowledged, and can be done again.
marker_stays()
{
	unused
	while_set FAKE_FAIL 'unlink 1 5' fails 1 'removing .unused beside it' \
		restore --first "$file" && [ "$(field ceiling_ns)" = 0 ] &&
		does restore --first "$file" && [ ! -e "$file.unused" ] && is_covered
}

first_start_fails_to_save()
{
	unused
	while_set FAKE_FAIL "$1" fails 75 'not saved again' restore --first "$file" &&
		[ "$(field ceiling_ns)" = 0 ] && [ -e "$file.unused" ] &&
		tool restore --first "$file" && [ ! -e "$file.unused" ] && is_covered
}

# Killed before each of its calls in turn, it leaves the marker or a file.
survives_kills_of_first()
{
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		unused
		while_set FAKE_DIE "$n" tool restore --first "$file"
		status=$?
		is_covered && { [ -e "$file.unused" ] || [ -n "$(saved "$file")" ]; } || return
		[ "$status" -eq 99 ] || break
		reboot && tool restore --first "$file" && [ ! -e "$file.unused" ] &&
			is_covered || return
	done
	[ "$status" -eq 0 ] && [ "$n" -gt 9 ]
}

# STATUS TEXT FIELD... : no ceiling is saved of such a time.
saves_no_ceiling()
{
	result=$1 text=$2
	shift 2
	rebooted && set_field restored 1 "$@" && fails "$result" "$text" save "$file" &&
		cmp -s "$file" "$FAKE/before" && ! grep -q '^acknowledge\|^rename' "$FAKE/log"
}

# Where the next file should be there is something that can't be removed.
next_is_in_the_way()
{
	rebooted && mkdir "$file.new" &&
		fails 1 'removing .new beside it: Is a directory' restore "$file" &&
		cmp -s "$file" "$FAKE/before" && [ "$(field ceiling_ns)" = 0 ] && rmdir "$file.new" &&
		does restore "$file"
}

# The directory is something else.
file_for_directory()
{
	rebooted && fails 1 "$file: Not a directory" restore "$file/state" && untouched
}

# The ID only tells whose a file is. MAKE TEXT
goes_on_without_id()
{
	rebooted && rm "$FAKE/machine-id" && $1 && tool restore "$file" && [ ! -s "$out" ] &&
		grep -qF "/etc/machine-id: $2" "$err" && is_covered
	result=$?
	rm -rf "$FAKE/machine-id"
	return $result
}

# Files that restore refuses.
empty_file() { : >"$file"; }
cut_file() { head -c 100 "$FAKE/before" >"$file"; }
edit_file() { sed -i 's/"ceiling_ns": 17951/"ceiling_ns": 17952/' "$file"; }
zero_file() { head -c "$(wc -c <"$FAKE/before")" /dev/zero >"$file"; }
newer_file() { sed -i 's/"kuid_state": 1/"kuid_state": 2/' "$file"; }
older_file() { sed -i 's/"kuid_state": 1/"kuid_state": 0/' "$file"; }
# A file that is whole, but was saved by a clock at 1970; gzip knows its checksum.
unset_clock_file()
{
	whole_file_of 0 1970-01-01T00:00:00.000000000Z
}
last_clock_file() { whole_file_of 8277292036$sec 2232-04-18T23:47:16.000000000Z; }
no_clock_file() { whole_file_of 8277292036000000001 2232-04-18T23:47:16.000000001Z; }
whole_file_of()
{
	sed -e '/crc32/,$d' -e "s/\(\"saved_ns\":\|\"ceiling_ns\":\) [0-9]*/\1 $1/" \
		-e "s/\"20[-0-9T:.]*Z\"/\"$2\"/" "$FAKE/before" | head -c -2 >"$FAKE/body"
	crc=$(gzip -c "$FAKE/body" | tail -c 8 | head -c 4 | od -A n -t x4 | tr -d ' ')
	{ cat "$FAKE/body" && printf ',\n  "crc32": "%s"\n}\n' "$crc"; } >"$file"
}
huge_file() { head -c 1000000 /dev/zero | tr '\0' ' ' >>"$file"; }
let_group_write() { chmod 620 "$file"; }
let_world_write() { chmod 602 "$file"; }
give_away() { chown 12345 "$file"; }
make_link() { mv "$file" "$dir/other" && ln -s other "$file"; }
make_directory() { rm "$file" && mkdir "$file"; }
make_pipe() { rm "$file" && mkfifo "$file"; }
make_device() { rm "$file" && mknod "$file" c 1 3; }
other_machine() { echo "0$machine" | cut -c -32 >"$FAKE/machine-id"; }
no_machine() { rm "$FAKE/machine-id"; }
empty_machine() { echo uninitialized >"$FAKE/machine-id"; }
directory_for_id() { mkdir "$FAKE/machine-id"; }
odd_machine() { echo "no id" >"$FAKE/machine-id"; }
clock_a_day_back() { set_field wall_ns $((now + 60 - day))$sec; }
clock_back() { set_field wall_ns $((now + 59 - day))$sec; }
clock_lost() { set_field wall_ns "0" slot_ns "0"; }
other_machine_ahead() { other_machine && clock_back; }
other_machine_and_node() { other_machine && set_field node_from 1 node 2; }
floor_above() { set_field restored 1 floor_ns $((now + 60))000000001; }
ceiling_above() { set_field restored 1 ceiling_ns $((now + 60))000000001; }

refused_without_file()
{
	rebooted && rm "$file" && fails 1 'begin with "kuid restore --fresh"' restore "$file" &&
		fails 1 'begin with "kuid restore --fresh"' restore --force "$file" &&
		nothing_left && cmp -s "$FAKE/device" "$FAKE/device.before"
}

refused_as_another_kind()
{
	rebooted && $1 && fails 1 "$2" restore "$file" && fails 1 "$2" restore --force "$file" &&
		! grep -q '^restore\|^acknowledge' "$FAKE/log" || return
	# It is not replaced either.
	set_field restored 1 ceiling_ns $((now + 60))$sec
	fails 1 "$2" save "$file" && [ "$(field ceiling_ns)" = $((now + 60))$sec ] || return
	fails 1 "$2" save --ahead 0 "$file" && [ "$(field ceiling_ns)" = $((now + 60))$sec ]
}

# --force is for what can be right after all.
refused_always()
{
	refused "$@" --force
}

restored_after()
{
	rebooted && "$@" && does restore "$file"
}

machine_without_id()
{
	new_machine
	rm "$FAKE/machine-id"
	does restore --fresh "$file" && grep -q '^  "machine": "",$' "$file" && reboot &&
		does restore "$file" && reboot && echo $machine >"$FAKE/machine-id" &&
		tool restore "$file" && grep -qF 'of another machine: its machine-id is ""' "$err"
}

# Of another machine, and with a node that was given there: this one's may be any other.
other_machines_node_is_ignored()
{
	rebooted node_from 1 node 1 && other_machine_and_node && tool restore "$file" &&
		[ "$(field restored)" = 1 ]
}

given_node_is_kept()
{
	rebooted node_from 1 node 1 && grep -q '^  "node": "000000000001",$' "$file" &&
		does restore "$file"
}

random_node_is_not_kept()
{
	rebooted && grep -q '^  "node": "random",$' "$file" && set_field node_from 1 node 2 &&
		does restore "$file"
}

other_node_is_refused()
{
	rebooted node_from 1 node 1 && set_field node 2 && cp "$FAKE/device" "$FAKE/device.before" &&
		fails 1 'saved with node 000000000001, and the module has 000000000002' \
			restore "$file" && untouched && does restore --force "$file"
}

# FIELD FIELD TEXT: of the place that the part comes from, and of its value.
other_part_is_refused()
{
	rebooted "$1" 1 "$2" 5 && set_field "$2" 6 && cp "$FAKE/device" "$FAKE/device.before" &&
		fails 1 "saved with $3" restore "$file" && untouched
}

# Also on another machine: the file is where the image came from.
other_epoch_is_refused()
{
	rebooted && set_field snowflake_epoch_ms 0 && cp "$FAKE/device" "$FAKE/device.before" &&
		fails 1 'with snowflake_epoch_ms=1288834974657, and the module was loaded with 0' \
			restore "$file" && untouched && other_machine &&
		fails 1 'snowflakes may repeat' restore "$file" && untouched &&
		echo "$machine" >"$FAKE/machine-id" && does restore --force "$file"
}

other_interval_is_refused()
{
	rebooted && set_field interval 5 && cp "$FAKE/device" "$FAKE/device.before" &&
		fails 1 'with interval=8, and the module was loaded with 5: k96 and k128 may repeat' \
			restore "$file" && untouched && does restore --force "$file"
}

# floor_is SECOND CEILING_NS [I]: the floor after a reboot with another I.
floor_is()
{
	rebooted && whole_file_of "$2" "$(date -u -d "@${2%?????????}" +%FT%T).${2#??????????}Z" &&
		set_field interval "${3:-5}" wall_ns "$2" slot_ns "$2" && does restore --force "$file" &&
		[ "$(field floor_ns)" = "$1$sec" ]
}

node_no_longer_given_is_taken()
{
	rebooted node_from 1 node 1 && set_field node_from 2 node 2 && does restore "$file"
}

# --- what fails, and what is left then

# A failure of CALL while a ceiling is raised: the old file and the old ceiling.
keeps_all()
{
	new_machine
	does restore --fresh "$file" || return
	set_field wall_ns $((now + 30))$sec
	cp "$file" "$FAKE/before"
	cp "$FAKE/device" "$FAKE/device.before"
	while_set FAKE_FAIL "$1" fails "$(is_for_now "$2")" "$2" save "$file" &&
		cmp -s "$file" "$FAKE/before" && cmp -s "$FAKE/device" "$FAKE/device.before" &&
		[ ! -e "$file.new" ] && does save "$file"
}

# The same while it is lowered.
keeps_all_lowering()
{
	new_machine
	does restore --fresh "$file" || return
	set_field wall_ns $((now + 30))$sec
	cp "$file" "$FAKE/before"
	cp "$FAKE/device" "$FAKE/device.before"
	while_set FAKE_FAIL "$1" fails "$(is_for_now "$2")" "$2" save --ahead 0 "$file" &&
		cmp -s "$file" "$FAKE/before" && cmp -s "$FAKE/device" "$FAKE/device.before" &&
		[ ! -e "$file.new" ] && does save --ahead 0 "$file"
}

# A directory that is not on disk may have the old file or the new one after a crash.
unsure_directory()
{
	new_machine
	does restore --fresh "$file" || return
	old=$(field ceiling_ns)
	set_field wall_ns $((now + 30))$sec
	while_set FAKE_FAIL "fsync 2 5" fails 1 'fsync of its directory' save "$@" "$file" &&
		[ "$(field ceiling_ns)" -le "$old" ] && is_covered
}

not_acknowledged()
{
	new_machine
	does restore --fresh "$file" || return
	old=$(field ceiling_ns)
	set_field wall_ns $((now + 30))$sec
	while_set FAKE_FAIL "acknowledge 1 1" fails 1 'not permitted' save "$file" &&
		[ "$(field ceiling_ns)" = "$old" ] && is_covered
}

# Killed before each of its calls in turn, it leaves a file that is whole and covers the kernel.
survives_kills()
{
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		new_machine
		does restore --fresh "$file" || return
		cp "$file" "$FAKE/before"
		set_field wall_ns $((now + 30))$sec slot_ns $((now + 31))$sec
		while_set FAKE_DIE "$n" tool save "$@" "$file"
		status=$?
		is_covered || return
		[ -n "$(saved "$file")" ] || return
		[ "$status" -eq 99 ] || break
		# The next one is not in the way of what this one left behind.
		does save "$file" && [ ! -e "$file.new" ] && is_covered && reboot &&
			does restore "$file" || return
	done
	[ "$status" -eq 0 ] && [ "$n" -gt 9 ]
}

survives_kills_of_restore()
{
	for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		rebooted || return
		while_set FAKE_DIE "$n" tool restore "$file"
		status=$?
		is_covered && [ "$(saved "$file")" -ge $((now + 60))$sec ] || return
		[ "$status" -eq 99 ] || break
		does restore "$file" && reboot && does restore "$file" || return
	done
	[ "$status" -eq 0 ] && [ "$n" -gt 9 ]
}

restore_fails_to_save()
{
	rebooted
	while_set FAKE_FAIL "fsync 1 5" fails 1 'restored, but not saved again' restore "$file" &&
		cmp -s "$file" "$FAKE/before" && [ "$(field floor_ns)" = $((now + 60))$sec ] &&
		[ "$(field ceiling_ns)" = 0 ] && does restore "$file" &&
		[ "$(saved "$file")" = $((now + 120))$sec ]
}

# IDs that pass the ceiling between reading the state and acknowledging.
overtaken()
{
	new_machine
	does restore --fresh "$file" && set_field busy_ns 1$sec &&
		fails 1 'IDs pass the ceiling while it is saved' save --ahead 0 "$file" &&
		is_covered && does save --ahead 3 "$file" && is_covered
}

# IDs are made all the time, 15 ms of them between two calls of the tool.
overtaken_for_a_while()
{
	new_machine
	does restore --fresh "$file" && set_field busy_ns 15000000 &&
		does save --ahead 0 "$file" && is_covered &&
		[ "$(field ceiling_ns)" -lt $((now + 1))$sec ]
}

overtaken_once()
{
	new_machine
	does restore --fresh "$file" && set_field wall_ns $((now + 90))$sec || return
	while_set FAKE_FAIL "acknowledge 1 22" does save "$file" && is_covered &&
		[ "$(grep -c '^acknowledge' "$FAKE/log")" -eq 3 ]
}

# Two at once: the one that comes second reads the state when the first is through.
waits_for_the_other()
{
	new_machine
	does restore --fresh "$file" || return
	set_field wall_ns $((now + 30))$sec
	: >"$FAKE/log"
	(
		flock 9
		run save "$file" 9>&- &
		sleep 0.5
		cp "$FAKE/log" "$FAKE/log.locked"
		echo $! >"$FAKE/pid"
		flock -u 9
		wait $!
	) 9>"$file.lock" && ! grep -q ^state "$FAKE/log.locked" &&
		[ "$(field ceiling_ns)" = $((now + 90))$sec ]
}

full_disk()
{
	keeps_all "write $1 28" 'No space left on device'
}

no_directory()
{
	new_machine
	rmdir "$dir"
	fails 1 "there is no directory $dir: make it with \"mkdir -p $dir\"" restore "$file"
}

relative_names()
{
	new_machine
	(cd "$dir" && does restore --fresh other && does save ./other) && [ -s "$dir/other" ]
}

# --- clock and node

clock_prints()
{
	new_machine
	set_field slot_ns $((now + 2))$sec ceiling_ns $((now + 60))$sec
	prints "$@"
}

forces_clock()
{
	new_machine
	set_field slot_ns $((now + day))$sec
	tool clock --force-clock --may-repeat && grep -qx 'slot_lag_ns        0' "$out" &&
		[ ! -s "$err" ] && logged 'force 1'
}

forces_clock_and_warns()
{
	new_machine
	does restore --fresh "$file" && set_field slot_ns $((now + day))$sec && does save "$file" &&
		tool clock --force-clock --may-repeat && grep -q 'run "kuid save"' "$err" &&
		does save "$file" && [ "$(field ceiling_ns)" = $((now + 60))$sec ] && is_covered
}

node_prints()
{
	new_machine
	prints "$@"
}

# Options and the fields that they make of it, as "NAME VALUE" each.
sets()
{
	options=$1
	shift
	new_machine
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
	new_machine
	set_field worker $((0x100000000 + 0x03eb2733)) interval 5
	prints "$@"
}

# Another host's ID, or one with another I.
leaves()
{
	new_machine
	fails "$@"
}

tells()
{
	line=$1
	shift
	new_machine
	set_field "$@"
	tool node && grep -qxF "$line" "$out"
}

fails_with()
{
	new_machine
	while_set FAKE_FAIL "$@"
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

it "restore --fresh begins, saves, and acknowledges last" fresh_start
it "what is saved is private whatever the umask" save_is_private
it "save writes, syncs, renames, syncs, and acknowledges last" raises_file_first
it "save acknowledges a lower ceiling first" lowers_kernel_first
it "a ceiling is above the wall clock" saves_ahead wall_ns $((now + 7))$sec 5 $((now + 12))$sec
it "a ceiling is above lex and k-ordered IDs" \
	saves_ahead slot_ns $((now + 7))$sec 5 $((now + 12))$sec
it "a ceiling is above v1 and v6" saves_ahead stamp_ns $((now + 7))$sec 5 $((now + 12))$sec
it "a ceiling is above the floor" saves_ahead floor_ns $((now + 7))$sec 5 $((now + 12))$sec
it "--ahead 0 is for a shutdown" saves_ahead slot_ns $((now + 7))$sec 0 $((now + 7))$sec
it "restore restores, then saves anew" restores
it "restore takes --ahead" restores_with_ahead
it "restore of this boot's own file only saves" restore_is_done_once
it "restore after a clean shutdown begins where it ended" restores_after_clean_shutdown
it "save is refused before restore" saves_nothing_unrestored
it "--fresh is refused over a file, whatever it is" fresh_is_refused_over_a_file
it "--fresh needs a clock that is set" fresh_needs_a_clock
it "--first begins where a marker is" first_start
it "--first never begins where a file is lost" lost_file
it "--first restores a file beside a marker" file_and_marker
it "--first refuses a damaged file beside a marker" marker_and_damage
it "a marker is for --first, and gone when anything is saved" marker_is_for_first
it "--first that can't remove the marker is not acknowledged" marker_stays
it "--first on a full disk can be done again" first_start_fails_to_save 'write 1 28'
it "--first whose rename fails can be done again" first_start_fails_to_save 'rename 1 30'
it "--first can be killed at any time" survives_kills_of_first
it "--first with --fresh is refused" fails 2 'only one of --first and --fresh' \
	restore --first --fresh
it "save needs a clock that is set" \
	saves_no_ceiling 75 'the clock is before 2020' wall_ns 0 slot_ns 0
it "save takes the last time there is" saves_ahead slot_ns 8277292030$sec 6 8277292036$sec
it "save takes no time after that" \
	saves_no_ceiling 1 'the last that can be saved, in 2232' slot_ns 8277291976000000001

it "no file is refused" refused_without_file
it "an empty file is refused" refused_always empty_file 'is empty'
it "a file cut short is refused" refused_always cut_file 'is damaged: its end is missing'
it "a file that was edited is refused" refused_always edit_file 'its checksum is wrong'
it "a file of zeroes is refused" refused_always zero_file 'is damaged'
it "a newer format is refused" refused_always newer_file 'is of version 2, and this kuid knows'
it "an older format is refused" refused_always older_file 'is of version 0, and this kuid knows'
it "a huge file is refused" refused_always huge_file 'is damaged'
it "a file of a clock that was not set is refused" \
	refused_always unset_clock_file 'was saved by a clock that was not set'
it "a file of the last time there is needs --force" \
	refused last_clock_file 'is more than a day ahead'
it "a file of a time that no clock can have is refused" \
	refused_always no_clock_file 'has a ceiling that no clock can have'
it "a file that its group can write is refused" refused_always let_group_write 'can be written by'
it "a file that all can write is refused" refused_always let_world_write 'can be written by'
if [ "$(id -u)" -eq 0 ]; then
	it "a file of another user is refused" refused_always give_away 'belongs to another user'
	it "a device is refused" refused_as_another_kind make_device 'is not a regular file'
else
	skip "a file of another user is refused" "not root"
	skip "a device is refused" "not root"
fi
it "a symbolic link is refused" refused_as_another_kind make_link 'is a symbolic link'
it "a directory is refused" refused_as_another_kind make_directory 'is not a regular file'
it "a pipe is refused" refused_as_another_kind make_pipe 'is not a regular file'
it "another machine's file is restored" restored_and_told other_machine 'is of another machine'
it "a file of before the machine lost its ID is restored" \
	restored_and_told no_machine 'is of another machine'
it "a file of before the machine's ID was taken is restored" \
	restored_and_told empty_machine 'is of another machine'
it "another machine's file more than a day ahead needs --force" \
	refused other_machine_ahead 'whose file it is not, use --fresh --force'
it "another machine's node is ignored" other_machines_node_is_ignored
it "a machine-id that is none is taken as none" \
	goes_on_without_id odd_machine 'not 32 hexadecimal digits'
it "a machine that gets an ID is another one" machine_without_id
it "a day ahead of the clock is taken" restored_after clock_a_day_back
it "more than a day ahead needs --force" forced clock_back 'is more than a day ahead of the clock'
it "a clock that was lost needs --force" forced clock_lost 'is more than a day ahead of the clock'
it "a file older than the floor is refused" \
	refused_always floor_above 'is older than what was restored'
it "a file older than the ceiling is refused" \
	refused_always ceiling_above 'is older than what was saved'
it "a given node is saved" given_node_is_kept
it "a node that was not given is not" random_node_is_not_kept
it "another node than the saved one needs --force" other_node_is_refused
it "another worker is refused" \
	other_part_is_refused worker_from worker 'worker 0000000000000005, and'
it "another worker of snowflake is refused" \
	other_part_is_refused snowflake_from snowflake_worker 'snowflake 5, and the module has 6'
it "another epoch of snowflake needs --force" other_epoch_is_refused
it "another interval needs --force" other_interval_is_refused
it "IDs begin where the interval moves no bits" floor_is 1700002048 "1700001060$sec"
it "they begin there at once" floor_is 1700001024 "1700001024$sec"
it "a nanosecond later they begin at the next such time" floor_is 1700002048 1700001024000000001
it "that may be the next megasecond" floor_is 1701000000 "1700999500$sec"
it "with the same interval they begin at the ceiling" floor_is 1700001060 "1700001060$sec" 8
it "a node that is no longer given is no other" node_no_longer_given_is_taken

it "no new file: all is as before" \
	keeps_all 'create 2 13' 'making .new beside it: Permission denied'
it "no lock: all is as before" keeps_all 'create 1 30' 'Read-only file system'
it "chmod fails: all is as before" keeps_all 'chmod 1 1' 'setting the mode'
it "a full disk at once: all is as before" full_disk 1
it "a full disk later: all is as before" full_disk 3
it "a full quota: all is as before" keeps_all 'write 1 122' 'Disk quota exceeded'
it "fsync fails: all is as before" \
	keeps_all 'fsync 1 5' 'fsync of .new beside it: Input/output error'
it "rename fails: all is as before" keeps_all 'rename 1 30' 'replacing it: Read-only file system'
it "not permitted: all is as before" while_set FAKE_HOST user keeps_all 'may 1 1' \
	'not permitted: run it as root'
it "no random numbers: all is as before" keeps_all 'state 1 11' 'random generator is not ready'
it "an old module: all is as before" keeps_all 'state 1 25' 'The module is older than libkuid'
it "--ahead 0, not permitted: all is as before" keeps_all_lowering 'may 1 1' 'not permitted'
it "--ahead 0, no new file: all is as before" keeps_all_lowering 'create 2 13' 'making .new'
it "--ahead 0, a full disk: all is as before" keeps_all_lowering 'write 2 28' 'No space left'
it "--ahead 0, fsync fails: all is as before" keeps_all_lowering 'fsync 1 5' 'fsync of .new'
it "--ahead 0, rename fails: all is as before" keeps_all_lowering 'rename 1 5' 'replacing it'
it "--ahead 0, not acknowledged: all is as before" \
	keeps_all_lowering 'acknowledge 1 1' 'not permitted'
it "fsync of the directory fails: not acknowledged" unsure_directory
it "--ahead 0, fsync of the directory fails: the lower ceiling" unsure_directory --ahead 0
it "not acknowledged: the file covers more" not_acknowledged
it "save can be killed at any time" survives_kills
it "save --ahead 0 can be killed at any time" survives_kills --ahead 0
it "restore can be killed at any time" survives_kills_of_restore
it "restore that can't save can be done again" restore_fails_to_save
it "IDs that pass each ceiling are told" overtaken
it "IDs that pass one ceiling get another" overtaken_once
it "--ahead 0 while IDs are made gets a higher ceiling" overtaken_for_a_while
it "two at once wait for each other" waits_for_the_other
it "no directory is told" no_directory
it "a file in place of the directory is told" file_for_directory
it "a directory in place of the next file is told" next_is_in_the_way
it "so is a directory in its place" goes_on_without_id directory_for_id 'Is a directory'
it "a file may be named from where one is" relative_names

it "clock prints lines" clock_prints "$clock_lines" clock
it "clock --json prints a line" clock_prints "$clock_json" clock --json
it "clock is set back by force" forces_clock
it "clock set back by force is to be saved" forces_clock_and_warns
it "--force-clock needs --may-repeat" \
	fails 2 "IDs of $slot_formats may be the same" clock --force-clock
it "--may-repeat needs --force-clock" fails 2 '--may-repeat is for --force-clock' clock --may-repeat
it "clock takes no argument" fails 2 'unexpected argument "now"' clock now
it "clock: not permitted is told" fails_with 'force 1 1' fails 1 'not permitted' \
	clock --force-clock --may-repeat

it "node prints lines" node_prints "$node_lines" node
it "node --json prints a line" node_prints "$node_json" node --json
it "node --node HEX" sets '--node 0123456789aB' 'node_from 1' 'node 1250999896491' 'worker_from 4'
it "node --node random" sets '--node random' 'node_from 2' 'node 13' 'worker 1'
it "node --node mac" sets '--node mac' 'node_from 3'
it "node --worker HEX" sets '--worker fedcba9876543210' 'worker_from 1' 'node_from 2'
it "node --worker erlang:NAME" sets '--worker erlang:kuid@host.example.org' 'worker_from 1' \
	'worker 233706199'
it "node --worker host" sets '--worker host' 'worker_from 4' 'worker 13'
it "node --worker random" sets '--worker random' 'worker_from 2'
it "node --snowflake NUMBER" sets '--snowflake 1023' 'snowflake_from 1' 'snowflake_worker 1023' \
	'worker_from 4'
it "node --snowflake 0" sets '--snowflake 0' 'snowflake_from 1' 'snowflake_worker 0'
it "node --snowflake worker" sets '--snowflake worker' 'snowflake_from 5'
it "node tells the worker of snowflake" tells 'snowflake          17' \
	snowflake_from 1 snowflake_worker 17
it "a worker of snowflake too high is refused" \
	fails 2 '"1024" is not a worker of snowflake: a whole number from 0 to 1023' \
	node --snowflake 1024
it "a hexadecimal worker of snowflake is refused" fails 2 '"1f" is not a worker of snowflake' \
	node --snowflake 1f
it "a negative worker of snowflake is refused" fails 2 '"-1" is not a worker of snowflake' \
	node --snowflake=-1
it "node --new-epoch changes nothing else" sets '--new-epoch' 'node 18838586676582' 'node_from 2'
it "node --confirm" sets '--confirm' 'node_from 2'
it "node tells a clone" tells 'identity           stale' reasons 512
it "convert makes k96 with this host's node and I" converts .5.tXa0xODOQPN.0 convert --to k96 .5.tXbhdV.3
it "convert makes k128 with this host's worker" \
	converts "$(tool convert --to k128 -I 5 --node 103eb2733 .5.tXbhdV.3 && cat "$out")" \
	convert --to k128 .5.tXbhdV.3
it "convert: an I that is given counts" converts .5.tXVEf8n8vPN.0 convert --to k96 -I 8 .5.tXbhdV.3
it "convert makes k64 of this host's k96" converts .5.tXbhdV.3 convert --to k64 .5.tXa0xODOQPN.0
it "convert makes no k64 of another host's k96" leaves 1 'its node 3eb2732 is not 1, ' \
	convert --to k64 -I 5 .5.tXa0xODOQPN.0
it "node: no network interface is told" \
	fails_with 'identity 1 19' fails 1 'no network interface is suitable' \
	node --node mac
it "node: a claimed part is told" \
	fails_with 'identity 1 16' fails 1 'what is to be changed is claimed' \
	node --snowflake 5
it "node: a node that a private lane may have is told" \
	fails_with 'identity 1 16' fails 1 'a process may have had it in a private lane' \
	node --node 0123456789ab
it "node: not permitted is told" \
	while_set FAKE_HOST user fails_with 'identity 1 1' \
	fails 1 'not permitted: run it as root; CAP_SYS_TIME is enough' node --new-epoch
it "node: root is not permitted in a container" \
	while_set FAKE_HOST root,user fails_with 'identity 1 1' \
	fails 1 'not permitted: this root has no CAP_SYS_TIME' node --new-epoch

it "a node with a wrong character is refused" fails 2 'but character 5 is none' node --node 0123x
it "0x is refused" fails 2 '"0x12" is not a node: 1 to 12 hexadecimal digits, "random" or "mac"' \
	node --node 0x12
it "a node too long is refused" fails 2 'but character 13 is one too many' node --node 0123456789abc
it "an empty node is refused" fails 2 'are needed' node --node ''
it "a sign is refused" fails 2 'character 1 is none' node --node=-1
it "host is no node" fails 2 '"host" is not a node' node --node host
it "mac is no worker" fails 2 '"mac" is not a worker' node --worker mac
it "a worker too long is refused" fails 2 'character 17 is one too many' \
	node --worker 0123456789abcdef0
it "given is no word" fails 2 '"given" is not a worker' node --worker given
it "node can't change the interval" fails 2 'unrecognized option' node --interval 10
it "node takes no argument" fails 2 'unexpected argument "5"' node 5
it "--ahead -1 is refused" fails 2 '"-1" is not a time ahead, in seconds' save --ahead=-1
it "--ahead of more than a day is refused" fails 2 'from 0 to 86400' save --ahead 86401
it "--ahead 1s is refused" fails 2 '"1s" is not a time ahead' restore --ahead 1s
it "two files are refused" fails 2 'unexpected argument "b"' save a b
it "a name that is none is refused" fails 2 '"/tmp/" names no file' save /tmp/
it "an empty name is refused" fails 2 '"" names no file' restore ''
it "a directory's own name is refused" fails 2 '"x/.." names no file' save x/..
finish
