#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid keep and first starts with the module: IDs that need a ceiling go on while it runs, whatever
# the clock, the disk and the module do. Prints KTAP. Needs what reboots.sh does; sets the clock and
# suspends the machine.

# shellcheck source=SCRIPTDIR/reboots.sh
. "${0%/*}/reboots.sh"
said=/tmp/keep.said
keeper=

# It is started in the background, so $keeper is the tool itself.
start()
{
	kuid keep "$@" $file >$said 2>&1 </dev/null &
	keeper=$!
}

# The command is true, and its keeper then ends without an error.
with_keeper()
{
	keeper=
	"$@"
	result=$?
	cat $said
	ends TERM "$keeper" && [ $result -eq 0 ]
}

says_lines()
{
	[ "$(grep -cF -- "$2" $said)" -eq "$1" ]
}

# So many times, that something is said and nothing else.
says_only()
{
	says_lines "$1" "$2" && [ "$(wc -l <$said)" -eq "$1" ]
}

# A machine whose state was begun with a ceiling that is soon reached.
begin_short()
{
	begin state=required && does restore --fresh --ahead "${1:-1}" $file
}

# A ceiling above this time, in seconds, is saved and acknowledged.
covers()
{
	[ "$(value clock ceiling_ns)" -gt "${1}000000000" ] && is_covered
}

now()
{
	date +%s
}

# IDs are made above the first ceiling, and above two of those that follow.
goes_on()
{
	begin_short $((2 * patience)) || return
	start --ahead $((4 * patience)) --every 1
	: >"$work/ids"
	stopped=
	for _ in 1 2 3; do
		ceiling=$(value clock ceiling_ns)
		eventually makes_past "$ceiling" && [ -z "$stopped" ] || return
	done
	[ "$(sort "$work/ids" | uniq -d | wc -l)" -eq 0 ]
}

# Ends at once if there are no IDs, after 30 seconds.
makes_past()
{
	kuid gen -f k64 -n 10 >"$out" 2>"$err" || stopped=yes
	[ -z "$stopped" ] || return 0
	cat "$out" >>"$work/ids"
	[ "$(kuid inspect "$(tail -n 1 "$out")" | sed -n 's/^unix_ns *//p')" -gt "$1" ]
}

# It sleeps for 12 hours, and only the clock wakes it.
follows_clock()
{
	begin_short 60 || return
	start --ahead 86400 --every 43200
	eventually covers $(($(now) + 80000)) || return
	set_clock 400000
	eventually covers $(($(now) + 80000)) && makes k64 10 && makes lex 10 || return
	# Back: the ceiling stays, and the file says when it was saved.
	before=$(saved_at)
	set_clock 0
	eventually saved_before "$before" && covers $(($(now) + 400000)) && makes k64 10 &&
		says_only 0 ''
}

saved_at()
{
	sed -n 's/^  "saved_ns": \([0-9]*\),$/\1/p' $file
}

saved_before()
{
	[ "$(saved_at)" -lt "$1" ]
}

saved_after()
{
	[ "$(saved_at)" -gt "$1" ]
}

can_suspend()
{
	grep -q mem /sys/power/state && grep -qF '[deep]' /sys/power/mem_sleep &&
		[ -w /sys/class/rtc/rtc0/wakealarm ]
}

wakes_after_suspend()
{
	begin_short 60 || return
	start --ahead 86400 --every 43200
	eventually covers $(($(now) + 80000)) || return
	before=$(saved_at)
	echo 0 >/sys/class/rtc/rtc0/wakealarm
	echo "+$((3 * patience))" >/sys/class/rtc/rtc0/wakealarm
	echo mem >/sys/power/state || return
	eventually saved_after "$before"
}

# FAILURE REPAIR TEXT: of a small disk, while it is in use.
goes_on_after_disk()
{
	begin_short || return
	mount -t tmpfs -o size=16k none $dir && does restore --fresh --ahead 1 $file || return
	start --ahead $((20 * patience)) --every 1
	eventually covers "$(($(now) + 1))" && "$1" && eventually says_lines 1 "$3" &&
		cp $file "$work/before" && sleep 5 && cmp $file "$work/before" && is_covered &&
		says_only 1 'not saving: ' && "$2" && eventually says_lines 1 'saving again' &&
		eventually covers "$(($(now) + 1))" && makes k64 && says_lines 1 'not saving: '
}

on_disk()
{
	with_keeper goes_on_after_disk "$@"
	result=$?
	umount $dir
	return $result
}

fill_disk() { ! head -c 20000 /dev/zero >$dir/full 2>/dev/null; }
empty_disk() { rm $dir/full; }

# The margin stays at the end, so IDs go on.
keeps_margin()
{
	begin_short || return
	start --ahead $((20 * patience)) --every 1
	eventually covers "$(($(now) + 2))" && ends "$1" "$keeper" &&
		says_only 0 '' && covers "$(now)" && makes k64 10
}

# Killed again and again, and the module loaded again with the clock back: no ID comes twice.
survives_kills()
{
	begin_short $((10 * patience)) && makes k64 10 || return
	cp "$out" "$work/all"
	for n in 1 2 3 4 5 6; do
		start --ahead $((20 * patience)) --every 1
		usleep $((n * 150000))
		kill -KILL "$keeper"
		wait "$keeper"
		is_covered && makes k64 10 || return
		cat "$out" >>"$work/all"
		set_clock $((-n * 600))
		reload state=required && does restore $file && makes k64 10 || return
		cat "$out" >>"$work/all"
	done
	[ "$(sort -u "$work/all" | wc -l)" -eq 130 ]
}

# It doesn't hold the module, and tells that another load has no state yet.
lets_module_go()
{
	begin_short || return
	start --ahead $((20 * patience)) --every 1
	eventually covers "$(($(now) + 1))" && rmmod kuid &&
		eventually says_lines 1 'there is no /dev/kuid' && reload state=required &&
		eventually says_lines 1 'first run "kuid restore"' && waits k64 && does restore $file &&
		eventually says_lines 1 'saving again' && makes k64
}

# From before there is a state on: nothing is saved until it is restored.
waits_for_restore()
{
	begin state=required || return
	start --ahead $((20 * patience)) --every 1
	eventually says_lines 1 'first run "kuid restore"' && [ ! -e $file ] && waits k64 &&
		does restore --fresh --ahead 1 $file && eventually says_lines 1 'saving again' &&
		eventually covers "$(($(now) + 1))" && makes k64
}

only_sys_time_keeps()
{
	begin_short || return
	chown nobody $dir $file $file.lock
	"${0%/*}/only_sys_time" kuid keep --ahead $((20 * patience)) --every 1 $file >$said 2>&1 &
	keeper=$!
	eventually covers "$(($(now) + 1))" && says_only 0 ''
}

# --- the first start

first_start()
{
	begin state=required && : >$file.unused && kuid restore --first $file 2>"$err" &&
		grep -q 'this is the first start' "$err" && makes k64 10 && is_covered &&
		[ ! -e $file.unused ] && cp "$out" "$work/all" && set_clock -3600 &&
		reload state=required && does restore --first $file && makes k64 10 || return
	cat "$out" >>"$work/all"
	LC_ALL=C sort -c "$work/all"
}

it "IDs go on from one ceiling to the next" with_keeper goes_on
it "a clock that is set is followed at once" with_keeper follows_clock
if can_suspend; then
	it "a resume is followed at once" with_keeper wakes_after_suspend
else
	skip "a resume is followed at once" "no deep sleep or no RTC alarm"
fi
it "a full disk is told, and its end" \
	on_disk fill_disk empty_disk 'No space left on device'
it "SIGTERM leaves the margin" keeps_margin TERM
it "it may be killed at any time" survives_kills
it "it lets the module go" with_keeper lets_module_go
it "it waits for a restore" with_keeper waits_for_restore
it "CAP_SYS_TIME alone is enough" with_keeper only_sys_time_keeps
it "a first start begins, and is the first one only" first_start
rm -f $said
finish_reboots
