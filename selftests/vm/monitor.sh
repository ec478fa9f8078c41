# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Machines that are saved and restored by QEMU's monitor, which is asked by two pipes, for clone.sh
# and run/soak.sh, which source it with work set and die() there.
# shellcheck disable=SC2154 # from who sources it

# What makes a machine known to itself: another number, and it is a clone.
generation()
{
	echo "-device vmgenid,guid=$1,id=vmgenid0"
}

# monitored NAME: makes the pipes, and leaves what QEMU has to be told in $monitored.
monitored()
{
	rm -f "$work/$1".{in,out}
	mkfifo "$work/$1".{in,out}
	# shellcheck disable=SC2034 # for who sources it
	monitored="-chardev pipe,id=monitor,path=$work/$1 -mon chardev=monitor,mode=control"
}

# monitor NAME COMMAND MATCH: asks, and leaves the answer that matches in $line. QEMU has both ends
# of its pipes open, so that nothing is lost between two questions.
monitor()
{
	local to from
	exec {to}<>"$work/$1.in" {from}<>"$work/$1.out"
	echo "{\"execute\":$2}" >&"$to"
	while read -r -t 60 line <&"$from"; do
		if [[ $line =~ $3 ]]; then
			exec {to}>&- {from}>&-
			return
		fi
	done
	die "the monitor of $1 doesn't answer $2"
}

# save_machine NAME IMAGE: into a file, and ends it. It stands still meanwhile: QEMU was seen to
# lose pages that emulated processors write to.
save_machine()
{
	monitor "$1" '"qmp_capabilities"' '"return"'
	monitor "$1" '"stop"' '"return"'
	monitor "$1" "\"migrate\",\"arguments\":{\"uri\":\"exec:cat>$2\"}" '"return"'
	until monitor "$1" '"query-migrate"' '"status"' && [[ $line == *'"completed"'* ]]; do
		[[ $line != *'"failed"'* ]] || die "not saved: $line"
		sleep 0.2
	done
	monitor "$1" '"quit"' '"return"'
}

# go_on_restored NAME: one that was started with -incoming.
go_on_restored()
{
	monitor "$1" '"qmp_capabilities"' '"return"'
	until monitor "$1" '"query-status"' '"status"' && [[ $line == *'"paused"'* ]]; do
		sleep 0.2
	done
	monitor "$1" '"cont"' '"return"'
}
