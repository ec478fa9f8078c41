# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Saves and restores machines with QEMU's monitor, through two pipes, for clone.sh and run/soak.sh,
# which source this file with work set and die() defined.
# shellcheck disable=SC2154 # variables of the sourcing script

# The generation ID of a machine: if it differs from that of the saved machine, this is a clone.
# VMCLOCK=1 adds the device vmclock, which QEMU has since version 10.
generation()
{
	echo "-device vmgenid,guid=$1,id=vmgenid0${VMCLOCK:+ -device vmclock}"
}

# monitored NAME: makes the pipes, and sets $monitored to QEMU's arguments for them.
monitored()
{
	rm -f "$work/$1".{in,out}
	mkfifo "$work/$1".{in,out}
	# shellcheck disable=SC2034 # for the sourcing script
	monitored="-chardev pipe,id=monitor,path=$work/$1 -mon chardev=monitor,mode=control"
}

# monitor NAME COMMAND MATCH: sends a command and sets $line to the answer that matches. QEMU keeps
# both pipes open, so nothing is lost between two commands.
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

# save_machine NAME IMAGE: saves a machine to a file and ends it. The machine is stopped first,
# because QEMU has been seen to lose pages that emulated CPUs write to meanwhile.
save_machine()
{
	monitor "$1" '"qmp_capabilities"' '"return"'
	save_again "$@"
}

# The same of a machine that was restored.
save_again()
{
	monitor "$1" '"stop"' '"return"'
	monitor "$1" "\"migrate\",\"arguments\":{\"uri\":\"exec:cat>$2\"}" '"return"'
	until monitor "$1" '"query-migrate"' '"status"' && [[ $line == *'"completed"'* ]]; do
		[[ $line != *'"failed"'* ]] || die "not saved: $line"
		sleep 0.2
	done
	monitor "$1" '"quit"' '"return"'
}

# go_on_restored NAME: continues a machine that was started with -incoming.
go_on_restored()
{
	monitor "$1" '"qmp_capabilities"' '"return"'
	until monitor "$1" '"query-status"' '"status"' && [[ $line == *'"paused"'* ]]; do
		sleep 0.2
	done
	monitor "$1" '"cont"' '"return"'
}
