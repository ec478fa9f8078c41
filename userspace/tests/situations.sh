#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What comes of IDs in each situation that the guide for operators has a row for: what is typed, what
# comes, and that no ID comes twice, or that the status tells which may. A reboot is the module loaded
# again, with the clock set. Prints KTAP. Needs what reboots.sh does; sets the clock, mounts and
# suspends.

# shellcheck source=SCRIPTDIR/reboots.sh
. "${0%/*}/reboots.sh"
said=/tmp/keep.said
machine_id=/etc/machine-id
keeper=
year=31536000

# The daemon, as its unit starts it, and what it says.
keep()
{
	before=$(value clock ceiling_ns)
	kuid keep --ahead $((10 * patience)) --every 1 $file >$said 2>&1 </dev/null &
	keeper=$!
	eventually has_begun
}

explain()
{
	tail -n 5 "$out" "$err" "$work/said" $said
	kuid clock
	echo "saved $(saved)"
	sort "$work/all" | uniq -d | head -n 3
	grep . /sys/class/kuid/kuid/status/*
}

# It has moved the kernel's ceiling, also one that is of "kuid restore" or of the daemon before it.
has_begun()
{
	has_ended "$keeper" || [ "$(value clock ceiling_ns)" != "$before" ]
}

stop()
{
	[ -z "$keeper" ] || { kill "-${1:-TERM}" "$keeper" && wait "$keeper"; }
	keeper=
}

# boot SECONDS: the machine crashes if it is up, and boots with its clock so many seconds off.
boot()
{
	stop KILL
	set_clock "$1"
	reload state=required && keep
}

# A machine that was up before, for the first time.
begin_test()
{
	stop KILL
	umount $dir 2>/dev/null
	rm -f "$work/all" $machine_id
	begin state=required
	: >$file.unused
	keep
	makes k64 100 && cp "$out" "$work/all"
}

# IDs come, and none for the second time.
goes_on()
{
	makes k64 100 && cat "$out" >>"$work/all" && makes lex 100 && cat "$out" >>"$work/all" &&
		is_covered && [ -z "$(sort "$work/all" | uniq -d)" ]
}

says()
{
	grep -qF -- "$1" $said
}

# Whether a promise holds for k64 now.
holds()
{
	grep -qw k64 "/sys/class/kuid/kuid/status/$1"
}

# The daemon has refused with this text, k64 waits, and v7 goes on. The status says what to type, which
# is typed. Then IDs go on, after the next boots, too.
refused()
{
	wait "$keeper"
	[ $? -eq 1 ] && says "$1" && waits k64 && makes v7 || return
	keeper=
	kuid status | tr -s ' \n' '  ' >"$out"
	grep -qF "$1" "$out" && command=$(grep -oF '"kuid restore --may-repeat"' "$out" | head -n 1) &&
		eval "$(echo "$command" | tr -d '"')" 2>"$err" && keep && makes k64 10
}

# Nobody knows which times IDs had: for a day they may come again, which the next boot tells, too.
is_told()
{
	! holds unique && grep -q may_repeat /sys/class/kuid/kuid/status/reasons && boot 0 &&
		makes k64 10 && ! holds unique
}

first_boot()
{
	eventually says 'IDs begin: none were made here before' && [ ! -e $file.unused ] && goes_on &&
		holds unique && holds reboot_safe && kuid status --check >"$out"
}

reboots()
{
	stop TERM
	waits k64 && boot 0 && eventually says 'IDs go on above' && goes_on
}

crashes() { boot -600 && goes_on && holds unique && boot -1200 && goes_on; }

# A first boot without a clock, which NTP sets after it.
no_rtc_with_ntp()
{
	stop KILL
	rm "$work/all"
	begin && set_clock -$((56 * year)) && reload state=required && : >$file.unused && keep &&
		goes_on && set_clock 0 && eventually covers 0 && goes_on && holds unique &&
		boot -$((56 * year)) && goes_on && set_clock 0 && eventually covers 0 && goes_on
}

# A ceiling above the clock and so many seconds.
covers()
{
	[ "$(value clock ceiling_ns)" -gt "$(($(date +%s) + $1))000000000" ]
}

no_rtc_ever()
{
	for _ in 1 2 3; do
		boot -$((56 * year)) && eventually says 'more than a day ahead of the clock' && goes_on &&
			holds unique && holds reboot_safe || return
	done
}

# The clock was wrong for one boot, and is right again.
rtc_ahead()
{
	boot $((14 * year)) && goes_on && set_clock 0 && goes_back
}

# The same while the machine is up.
clock_ahead()
{
	set_clock $((14 * year)) && eventually covers 0 && goes_on && set_clock 0 && goes_back
}

# IDs stay in the future, which is told, with the way back; then nothing repeats until that time, and
# nothing after it.
goes_back()
{
	eventually says 'IDs are more than a day ahead of the clock' &&
		says '"kuid restore --may-repeat"' && goes_on &&
		kuid status | tr -s ' \n' '  ' | grep -qF '"kuid restore --may-repeat"' &&
		kuid restore --may-repeat 2>"$err" && goes_on && [ "$(value clock slot_lag_ns)" -lt 100000000000 ] &&
		holds unique && sleep 2 && boot 0 && goes_on && holds unique && holds reboot_safe &&
		! says 'a day ahead' && boot $((14 * year - 3600)) && holds unique &&
		boot $((14 * year + 3600)) && holds unique && goes_on
}

disk_put_back()
{
	cp -a $file /tmp/old.state && sleep 2 && cp -a /tmp/old.state $file && sleep 2 && goes_on &&
		[ "$(saved)" -gt "$(date +%s)000000000" ] && holds unique
}

# Of before the present cover, and the daemon can't know what it had written since.
old_disk_and_restart()
{
	cp -a $file /tmp/old.state && boot 0 && goes_on && stop TERM && cp -a /tmp/old.state $file &&
		keep && refused 'or another file'
}

old_disk_over_reboot()
{
	cp -a $file /tmp/old.state && sleep 1 && goes_on && stop KILL && cp -a /tmp/old.state $file &&
		sleep $((12 * patience)) && boot 0 && goes_on && holds unique
}

other_machine()
{
	echo 4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4 >$machine_id && boot -60 && goes_on &&
		echo 5c9f0e1b2ad34b6c8e0f7a5d91c2b3e4 >$machine_id && boot -90 &&
		eventually says 'is of another machine' && goes_on && holds unique
}

lost() { stop KILL && rm $file && boot 0 && refused 'bring it back' && is_told; }
damaged() { stop KILL && echo x >>$file && boot 0 && refused 'is damaged' && is_told; }
empty_var() { stop KILL && rm -rf $dir && mkdir $dir && boot 0 && refused 'bring it back' && is_told; }
other_interval()
{
	stop KILL && reload state=required interval=6 && keep && wait "$keeper"
	says 'with interval=8' && waits k96 && boot 0 && goes_on
}

foreign()
{
	stop KILL && chown 12345 $file && boot 0 && wait "$keeper"
	says 'chown root' && kuid status | tr -s ' \n' '  ' | grep -qF 'chown root' && waits k64 &&
		chown root $file && keep && goes_on
}

# FAILURE REPAIR TEXT: of the disk, while it is in use; what is told, once, and its end.
bad_disk()
{
	stop TERM
	mount -t tmpfs -o size=16k none $dir && : >$file.unused && boot 0 && "$1" &&
		eventually says "not saving: " && says "$3" && sleep $((12 * patience)) && waits k64 &&
		kuid status | grep -q '^past_ceiling: ' && [ "$(grep -c 'not saving' $said)" -eq 1 ] &&
		"$2" && eventually says 'saving again' && goes_on
}

fill() { ! head -c 20000 /dev/zero >$dir/full 2>/dev/null; }
empty() { rm $dir/full; }
protect() { mount -o remount,ro $dir; }
unprotect() { mount -o remount,rw $dir; }

by_hand()
{
	rmmod kuid && eventually says 'there is no /dev/kuid' && insmod "$KUID_MODULE" state=required &&
		eventually says 'saving again' && goes_on && holds unique
}

two_keepers()
{
	fails 1 "another \"kuid keep\" keeps $file" kuid keep $file && goes_on
}

two_files()
{
	mkdir -p /tmp/other && rm -f /tmp/other/* && : >/tmp/other/state.unused &&
		fails 1 'bring it back' kuid keep /tmp/other/state && cp -a $file /tmp/other/state &&
		boot 0 && fails 1 'or another file' kuid keep /tmp/other/state && goes_on
}

upgrades() { stop HUP && goes_on && keep && goes_on; }

can_suspend()
{
	grep -q mem /sys/power/state && grep -qF '[deep]' /sys/power/mem_sleep &&
		[ -w /sys/class/rtc/rtc0/wakealarm ]
}

suspends()
{
	echo 0 >/sys/class/rtc/rtc0/wakealarm
	echo "+$((3 * patience))" >/sys/class/rtc/rtc0/wakealarm
	echo mem >/sys/power/state && eventually covers 1 && goes_on
}

# Readers on all CPUs while the exact end is saved: none is beyond it.
ends_under_load()
{
	for reader in 1 2 3 4; do
		timeout $((5 * patience)) kuid gen -f k64 -n 1000000000 2>/dev/null |
			tail -n 2 | head -n 1 >/tmp/last.$reader &
		readers="$readers $!"
	done
	sleep $((2 * patience))
	stop TERM
	# shellcheck disable=SC2086 # a list of words
	wait $readers
	for reader in 1 2 3 4; do
		last=$(kuid inspect "$(cat /tmp/last.$reader)" | sed -n 's/^unix_ns *//p')
		[ "$last" -lt "$(saved)" ] || return
	done
}

given_node()
{
	stop KILL && reload state=required node=0123456789ab && keep && makes v1 1000 &&
		cp "$out" "$work/v1" && stop KILL && set_clock -3600 &&
		reload state=required node=0123456789ab && keep && makes v1 1000 && cat "$out" >>"$work/v1" &&
		[ "$(sort -u "$work/v1" | wc -l)" -eq 2000 ]
}

only_sys_time_keeps()
{
	stop HUP
	chown nobody $dir $file $file.lock $file.keeper
	fails 1 'not permitted' su -s /bin/sh nobody -c "kuid restore $file" &&
		"${0%/*}/only_sys_time" kuid restore $file 2>"$err" && is_covered
}

readers=
it "first boot" first_boot
it "reboot" reboots
it "crash, with the clock behind" crashes
it "no clock at boot, and NTP later" no_rtc_with_ntp
it "no clock ever" no_rtc_ever
it "clock ahead for one boot" rtc_ahead
it "clock ahead while up" clock_ahead
it "old copy of the file put back" disk_put_back
it "old copy put back, and the daemon restarted" old_disk_and_restart
it "old copy of the disk over a reboot" old_disk_over_reboot
it "file of another machine" other_machine
it "file lost" lost
it "file damaged" damaged
it "file of another user" foreign
it "another interval" other_interval
it "disk empty at each boot" empty_var
it "disk full" bad_disk fill empty 'No space left on device'
it "disk read-only" bad_disk protect unprotect 'Read-only file system'
it "module reloaded by hand" by_hand
it "two daemons with one file" two_keepers
it "two daemons with two files" two_files
it "daemon restarted" upgrades
it "stopped while IDs are made" ends_under_load
it "v1 of a given node" given_node
it "CAP_SYS_TIME alone" only_sys_time_keeps
if can_suspend; then
	it "suspend" suspends
else
	skip "suspend" "no deep sleep or no RTC alarm"
fi
stop KILL
umount $dir 2>/dev/null
rm -rf $said $dir /tmp/other
finish_reboots
