#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the packages for other languages with the device. run/check_bindings.sh puts them into
# /bindings. Prints KTAP.
#
# The program ids-LANGUAGE makes IDs by its package, and prints each as a line of canonical text:
#   ids-LANGUAGE [-from SOURCE] [-host] [-turns] [-workers N] [-threads N] [FORMAT [COUNT]]
#   -from     auto, device, local, or private where libkuid is in the package
#   -host     in the order by host
#   -turns    one ID for each line of standard input; an error is a line "error: TEXT"
#   -workers  N children, forked after an ID was made, print COUNT each; in python and rust
#   -threads  the same in threads
# Those of erlang, go and java read each ID; the packages of the others are tested for that without a
# device. At the end "source: SOURCE" goes to standard error, as do warnings and the error that ends it.

# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. /bindings/tap.sh
# shellcheck source=SCRIPTDIR/../vm/guest/klog.sh
. /guest/klog.sh
# shellcheck disable=SC2154 # tap.sh sets work and out
counters=/sys/class/kuid/kuid/counters
languages=$(find /bindings -name 'ids-*' | sed 's/.*ids-//' | sort)

unload()
{
	[ ! -e /sys/module/kuid ] || eventually rmmod kuid 2>/dev/null
}

loads()
{
	unload && insmod /lib/kuid.ko "$@"
}

# ids LANGUAGE ARGUMENT...
ids()
{
	program=/bindings/ids-$1
	shift
	"$program" "$@" >"$out" 2>"$err"
}

# different COUNT: lines, and nothing else was printed.
different()
{
	[ "$(wc -l <"$out")" = "$1" ] && [ "$(sort -u "$out" | grep -c '^[^ ]*$')" = "$1" ]
}

# The IDs of a run are those that the device has counted: counts FORMAT COUNT COMMAND...
counts()
{
	format=$1 count=$2
	shift 2
	before=$(cat $counters/"$format")
	"$@" && [ $(($(cat $counters/"$format") - before)) -eq "$count" ]
}

comes_from()
{
	grep -qx "source: $1" "$err"
}

# In this process, by libkuid or without it.
comes_from_process()
{
	comes_from local || comes_from plain
}

is_local()
{
	ids "$1" v7 3 && different 3 && comes_from_process && [ "$(grep -c -i kuid "$err")" -ge 1 ]
}

# refuses TEXT LANGUAGE ARGUMENT...: no ID, and an error that says so.
refuses()
{
	text=$1
	shift
	! ids "$@" && [ ! -s "$out" ] && grep -q "$text" "$err"
}

has_lines()
{
	[ "$(wc -l <"$out")" -ge "$1" ]
}

# Two IDs of one process, and what happens between: between COMMAND LANGUAGE ARGUMENT...
between()
{
	command=$1
	shift
	{ echo; eventually has_lines 1 && $command >"$work/between" 2>&1; echo; } | ids "$@"
	cat "$work/between"
	has_lines 2
}

appears()
{
	unload && between loads "$1" -from device -turns v7 && head -n 1 "$out" | grep '^error: .*modprobe kuid' &&
		sed -n 2p "$out" | grep -xE '[0-9a-f-]{36}' && comes_from device
}

stays_local()
{
	unload && between loads "$1" -turns v7 && different 2 && comes_from_process
}

withdraw()
{
	rm /dev/kuid /dev/kuids/v7
}

is_withdrawn()
{
	loads && between withdraw "$1" -turns v7 && different 2 && comes_from device && is_local "$1"
}

# Between the calls the runtime may poll the device, and see that it has an error.
needs_number()
{
	between true "$1" -turns snowflake &&
		[ "$(grep -c 'error: .*this host a number that no other host has' "$out")" = 2 ]
}

is_forbidden()
{
	chmod 0 /dev/kuid /dev/kuids/v7
	su nobody -s /bin/sh -c "/bindings/ids-$1 v7" >"$out" 2>"$err" && different 1 && comes_from_process
	result=$?
	chmod 444 /dev/kuid /dev/kuids/v7
	return $result
}

by_device()
{
	counts "$2" 300 ids "$1" "$2" 300 && different 300 && comes_from device
}

# together LANGUAGE -workers|-threads: 8 of them.
together()
{
	counts v7 8001 ids "$1" "$2" 8 v7 1000 && different 8000
}

# The programs whose numbers are in $pids. A file that one of them prints into is there afterwards.
all_end()
{
	for pid in $pids; do
		wait "$pid" || return
	done
}

# 8 programs at once, where the language has no fork.
programs()
{
	rm -f "$work"/program.*
	pids=
	for n in 1 2 3 4 5 6 7 8; do
		"/bindings/ids-$1" v7 1000 >"$work/program.$n" 2>"$err" &
		pids="$pids $!"
	done
	all_end && cat "$work"/program.* >"$out" && different 8000
}

# has_lanes LANGUAGE -workers|-threads
has_lanes()
{
	counts v6 0 ids "$1" -from private "$2" 8 v6 1000 && different 8000 && comes_from private
}

# Programs of all languages make IDs in turn: take_turns ARGUMENT...
take_turns()
{
	pids=
	for language in $languages; do
		mkfifo "$work/to.$language" "$work/from.$language"
		# Keeps both open.
		sleep 1000 <>"$work/to.$language" 3<>"$work/from.$language" &
		pids="$pids $!"
		/bindings/ids-"$language" "$@" <"$work/to.$language" >"$work/from.$language" 2>>"$err" &
		pids="$pids $!"
	done
	for _ in $(seq 200); do
		for language in $languages; do
			echo >"$work/to.$language"
			# shellcheck disable=SC3045 # busybox has -t
			read -t 60 -r line <"$work/from.$language" || break 2
			echo "$line"
		done
	done >"$out"
	# shellcheck disable=SC2086 # several numbers
	kill $pids
	rm "$work"/to.* "$work"/from.*
}

# falls: how many IDs are not above the one before.
falls()
{
	LC_ALL=C awk 'NR > 1 && $0 "" <= last { n++ } { last = $0 "" } END { print n + 0 }' "$out"
}

in_turn()
{
	take_turns -host -turns "$1" && different $((200 * $(echo "$languages" | wc -w))) && [ "$(falls)" = 0 ]
}

# The clock is so coarse that time alone doesn't order what one program makes after the other.
has_no_order()
{
	take_turns -turns "$1" && different $((200 * $(echo "$languages" | wc -w))) &&
		echo "# $1: $(falls) of $(wc -l <"$out") are not above the one before" >&3 && [ "$(falls)" -gt 0 ]
}

# all COMMAND ARGUMENT...: ids of all languages at once, each into a file of its own.
all()
{
	rm -f "$work"/all.*
	pids=
	for language in $languages; do
		/bindings/ids-"$language" "$@" >"$work/all.$language.out" 2>"$work/all.$language.err" &
		pids="$pids $!"
	done
}

# No ID, and the error says TEXT.
all_refused()
{
	for pid in $pids; do
		! wait "$pid" || return
	done
	tail -n 5 "$work"/all.*
	for language in $languages; do
		[ ! -s "$work/all.$language.out" ] && grep -q "$1" "$work/all.$language.err" || return
	done
}

# A twin of this machine may have the node that was given.
is_stale()
{
	loads node=0123456789ab && echo freezer >/sys/power/pm_test && echo disk >/sys/power/state
	all v6
	all_refused 'may be a clone'
	result=$?
	echo none >/sys/power/pm_test
	return $result
}

gives_up()
{
	loads state=required node=0123456789ab && all v6 && all_refused 'state=required'
}

goes_on_when_restored()
{
	loads state=required node=0123456789ab && all v6 && sleep 2 && kuid restore --first "$work/state" &&
		all_end && cat "$work"/all.*.out >"$out" && different "$(echo "$languages" | wc -w)"
}

exec 3>&1
echo "KTAP version 1"
it "a planted warning is caught" klog_catches
klog_mark
for language in $languages; do
	unload
	it "$language: without a device IDs are local, and a warning says so" is_local "$language"
	it "$language: a device that was asked for is an error, which helps" \
		refuses 'modprobe kuid' "$language" -from device v7
	it "$language: it makes IDs when it appears" appears "$language"
	it "$language: what has become local stays so" stays_local "$language"
	it "$language: a device file is removed under it" is_withdrawn "$language"
	loads
	it "$language: a device that may not be read leads to local IDs" is_forbidden "$language"
	for format in v1 v6 v7 k64; do
		it "$language: the device makes $format" by_device "$language" "$format"
	done
	it "$language: snowflakes need a number, and an error says so" needs_number "$language"
	kuid node --snowflake 17 >"$out"
	it "$language: the device makes snowflakes" by_device "$language" snowflake
	it "$language: 8 threads repeat nothing" together "$language" -threads
	case $language in
	python | rust)
		it "$language: 8 workers repeat nothing" together "$language" -workers
		it "$language: workers have lanes of their own" has_lanes "$language" -workers
		;;
	node)
		it "$language: 8 programs repeat nothing" counts v7 8000 programs "$language"
		it "$language: threads share a lane" has_lanes "$language" -threads
		;;
	*) it "$language: 8 programs repeat nothing" counts v7 8000 programs "$language" ;;
	esac
done
for format in v6 v7 k64; do
	it "$format of all languages are in one order" in_turn "$format"
done
# The control: one program alone has one file, and so one order.
case $languages in
*[[:space:]]*) it "without the order by host they are not" has_no_order v7 ;;
*) skip "without the order by host they are not" "there is one language only" ;;
esac
it "an identity that may be a twin's is an error" is_stale
it "they go on when the state is restored" goes_on_when_restored
it "it is an error if it isn't" gives_up
it "the kernel log has no complaints" klog_check
finish
