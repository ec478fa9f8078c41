#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The drop-in for libuuid where the device is not the kernel's: what it makes of errors, and of what
# programs do with themselves between two calls. Prints KTAP. DROPIN is the library, DROPIN_TESTS
# the directory of the program that uses libuuid and of what stands in for the device.

# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"
fake=$DROPIN_TESTS/counting_device.so
export FAKE="$work/fake"
unset FAKE_FAIL FAKE_TIME FAKE_STATE LIBKUID_UUID_FALLBACK LIBKUID_UUID_PRIVATE
mkdir "$FAKE"

# Each begins with a device that gave no ID.
begin_test()
{
	for file in v1 v6 v7; do
		rm -f "$FAKE/$file"
		{
			# The page: version 1, 64 bytes of fields, generation 2.
			printf '\001\0\0\0\100\0\0\0\002'
			head -c 4087 /dev/zero
		} >"$FAKE/$file"
	done
	head -c 24 /dev/zero >"$FAKE/made"
}

# The program with and without the drop-in.
with()
{
	LD_PRELOAD="$fake $DROPIN" "$DROPIN_TESTS/libuuid_user" "$@" >"$out" 2>"$err"
}

without()
{
	LD_PRELOAD=$fake "$DROPIN_TESTS/libuuid_user" "$@" >"$out" 2>"$err"
}

# Whether the device gave that many IDs.
gave()
{
	[ "$(($(od -A n -t u8 -N 8 "$FAKE/made")))" -eq "$1" ]
}

# The same of nodes of private lanes.
gave_nodes()
{
	[ "$(($(od -A n -t u8 -j 8 -N 8 "$FAKE/made")))" -eq "$1" ]
}

# The same of reads of the status.
gave_status()
{
	[ "$(($(od -A n -t u8 -j 16 "$FAKE/made")))" -eq "$1" ]
}

# All COUNT lines are well-formed IDs of VERSION behind PREFIX; the device's end with its name.
device='016b75696421'
are_ids()
{
	count=$1 version=$2 prefix=$3 end=$4
	id="${prefix}[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
	[ "$(grep -cE "^$id" "$out")" -eq "$count" ] && [ "$(wc -l <"$out")" -eq "$count" ] &&
		[ "$(grep -c "$end\$" "$out")" -eq "$count" ]
}

from_device()
{
	version=$1
	shift
	with "$@" 3 && [ ! -s "$err" ] && gave 3 && are_ids 3 "$version" '' $device
}

# As if the drop-in were not there.
from_libuuid()
{
	version=$1
	shift
	with "$@" 3 && [ ! -s "$err" ] && gave 0 && are_ids 3 "$version" '' '' &&
		! grep -q "$device\$" "$out"
}

# With VALUE in the environment and no device.
without_device()
{
	value=$1
	shift
	FAKE_FAIL="${FAKE_FAIL:-open=2}" LIBKUID_UUID_FALLBACK=$value with "$@"
}

consequence='this process makes the UUIDs itself, without the order of the host'

# The only message is the warning, with the path of the device's file and WHY kuid gave no ID.
warned()
{
	[ "$(cat "$err")" = "libkuid-uuid: $1: $2; $consequence" ]
}

# Nodes of v1 and v6 are random: the multicast bit is set, and no network card has such an address.
hides_the_machine()
{
	cut -d - -f 5 "$out" | sort -u >"$work/nodes"
	[ "$(wc -l <"$work/nodes")" -eq 1 ] && grep -q '^.[13579bdf]' "$work/nodes" || return
	for card in /sys/class/net/*/address; do
		! tr -d : <"$card" | grep -qF -f "$work/nodes" || return
	done
}

from_process()
{
	gave 0 && are_ids 3 "$1" '' '' && ! grep -q "$device\$" "$out"
}

# libuuid's clock stands still, the drop-in's doesn't.
frozen=1000000000
frozen_id='-a4c4-11d5-'

# The process makes IDs, none of them safe, and tells once WHY the device doesn't.
fails_over()
{
	FAKE_FAIL=$1 FAKE_TIME=$frozen
	export FAKE_FAIL FAKE_TIME
	with time 3 && from_process 1 && hides_the_machine && warned /dev/kuid "$2" &&
		! grep -q -e $frozen_id "$out" &&
		with time_safe 3 && gave 0 && are_ids 3 1 '-1 ' '' && warned /dev/kuid "$2"
	status=$?
	unset FAKE_FAIL FAKE_TIME
	return $status
}

# Versions that Debian 12's libuuid doesn't know.
fails_over_to()
{
	without_device warn "time_v$1" 3 && from_process "$1" &&
		warned "/dev/kuids/v$1" 'No such device'
}

v6_hides_the_machine()
{
	fails_over_to 6 && hides_the_machine
}

default_is_warn()
{
	without_device '' time 3 && from_process 1 && warned /dev/kuid 'No such device'
}

silent()
{
	without_device fallback time 3 && from_process 1 && hides_the_machine && [ ! -s "$err" ] &&
		without_device fallback time_safe 3 && are_ids 3 1 '-1 ' '' && [ ! -s "$err" ]
}

# Whether it was aborted without an ID, and said just that; the shell tells of signals.
aborted()
{
	[ $? -eq 134 ] && [ ! -s "$out" ] &&
		[ "$(grep -v '^Aborted' "$err")" = "libkuid-uuid: $1" ]
}

required()
{
	without_device require "$1" 3
	aborted "$2: No such device; LIBKUID_UUID_FALLBACK=require"
}

# A device that answers is all that is required.
required_only_if_needed()
{
	LIBKUID_UUID_FALLBACK=require from_device 1 time
}

libuuid_on_request()
{
	export FAKE_TIME=$frozen
	without_device libuuid time 3 && [ ! -s "$err" ] && gave 0 && are_ids 3 1 '' '' &&
		[ "$(grep -c -e $frozen_id "$out")" -eq 3 ] &&
		without_device libuuid time_safe 3 && [ ! -s "$err" ] && are_ids 3 1 '-1 ' ''
	status=$?
	unset FAKE_TIME
	return $status
}

# time_vN N: libuuid has such a function since 2.41, but not in Debian 12.
asks_libuuid()
{
	without_device libuuid "$1"
	case $? in
	0) [ ! -s "$err" ] && grep -qxE "[0-9a-f]{8}-[0-9a-f]{4}-$2[-0-9a-f]{21}" "$out" ;;
	134) [ ! -s "$out" ] &&
		grep -q "^libkuid-uuid: no UUID from kuid, and .*: undefined symbol: uuid_generate_$1\$" "$err" ;;
	*) false ;;
	esac
}

not_even_in_process()
{
	FAKE_FAIL='open=2 no-wipe' without_device fallback time
	aborted '/dev/kuid: No such device; no UUID made in this process: Operation not supported'
}

told_of_value='libkuid-uuid: LIBKUID_UUID_FALLBACK must be fallback, warn, require or libuuid; '
told_of_value="${told_of_value}taken as warn"
other_value()
{
	LIBKUID_UUID_FALLBACK=$1 with time 3 && gave 3 && are_ids 3 1 '' $device &&
		[ "$(cat "$err")" = "$told_of_value" ]
}

other_value_without_device()
{
	without_device Require time 3 && from_process 1 && [ "$(head -n 1 "$err")" = "$told_of_value" ] &&
		sed -i 1d "$err" && warned /dev/kuid 'No such device'
}

# The program clears its environment before the first call.
environment_is_read_first()
{
	LIBKUID_UUID_FALLBACK=require FAKE_FAIL=open=2 with clearenv 3
	aborted '/dev/kuid: No such device; LIBKUID_UUID_FALLBACK=require' &&
		LIBKUID_UUID_FALLBACK=fallback FAKE_FAIL=open=2 with clearenv 3 && from_process 1 &&
		[ ! -s "$err" ]
}

warns_in_children_once()
{
	without_device warn children 1000 && warned /dev/kuid 'No such device' && gave 0 &&
		[ "$(cat "$out")" = '8001 made, 0 repeated, 0 safe' ]
}

warns_in_threads_once()
{
	without_device warn threads 1000 && warned /dev/kuid 'No such device' && gave 0 &&
		[ "$(cat "$out")" = '8000 made, 0 repeated, 0 safe' ]
}

falls_back_alone()
{
	without_device fallback alone 3 && from_process 1 && [ ! -s "$err" ]
}

falls_back_closed()
{
	without_device fallback closed 100 && gave 0 && are_ids 101 1 '' '' && hides_the_machine
}

falls_back_cancelled()
{
	without_device fallback cancelled 200 && [ ! -s "$out" ] && [ ! -s "$err" ] && gave 0
}

# The IDs of a process that can't write its warning at once.
unwarned()
{
	FAKE_FAIL=open=2 LD_PRELOAD="$fake $DROPIN" \
		timeout 60 "$DROPIN_TESTS/libuuid_user" time 3 >"$out" && from_process 1
}

stderr_closed()
{
	unwarned 2>&-
}

stderr_full()
{
	mkfifo "$work/full" || return
	(
		exec 4<>"$work/full"
		! dd if=/dev/zero of="$work/full" bs=4096 oflag=nonblock 2>"$err" || exit
		unwarned 2>&4
	)
}

# The only reader leaves before the call.
stderr_without_reader()
{
	mkfifo "$work/unread" || return
	(
		exec 3<>"$work/unread"
		exec 4>"$work/unread" 3>&-
		unwarned 2>&4
	)
}

safe()
{
	with time_safe 3 && gave 3 && are_ids 3 1 "$1 " $device
}

not_unique()
{
	FAKE_FAIL=repeats safe -1
}

no_status()
{
	FAKE_FAIL=status=5 safe -1
}

status_of_none_asked_for()
{
	FAKE_FAIL=status=5 from_device 1 time
}

# The status is read with the first ID of an epoch, but with each that may not be unique.
status_of_each_epoch()
{
	with time_safe 6 && gave_status 1 && are_ids 6 1 '0 ' $device || return
	begin_test
	FAKE_FAIL=epochs=2 with time_safe 6 && gave_status 3 && are_ids 6 1 '0 ' $device || return
	begin_test
	FAKE_FAIL=repeats with time_safe 6 && gave_status 6 && are_ids 6 1 '-1 ' $device
}

interrupted()
{
	FAKE_FAIL=interrupted=3 from_device 1 time
}

# The paths that are hidden from a container.
hidden()
{
	ln -sf "$1" "$FAKE/v1"
	with time 3 && from_process 1 && warned /dev/kuid 'No such device'
}

generates_random()
{
	from_libuuid 4 "$1"
}

no_random()
{
	FAKE_FAIL=no-random from_device 1 default
}

leaves_alone()
{
	from_device 1 alone && FAKE_FAIL=interrupted=3 with alone && gave 4 && [ ! -s "$err" ]
}

says()
{
	text=$1
	shift
	"$@" && [ ! -s "$err" ] && [ "$(cat "$out")" = "$text" ]
}

# Where the clock stands still each child of a process goes on with the same.
libuuid_repeats()
{
	FAKE_TIME=1000000000 says '41 made, 35 repeated, 0 safe' without children 5
}

# libuuid with the real clock and a state file: MADE IDs in WAY, all called safe, and how many of
# them are repeats. Children inherit the parent's open file, and with it the lock.
with_state()
{
	made=$1
	shift
	FAKE_STATE=$work/clock.txt
	export FAKE_STATE
	"$@" 20000
	status=$?
	unset FAKE_STATE
	repeats=$(sed -n "s/^$made made, \([0-9]*\) repeated, $made safe$/\1/p" "$out")
	[ $status -eq 0 ] && [ ! -s "$err" ] && [ "$repeats" ] && [ -s "$work/clock.txt" ] &&
		rm "$work/clock.txt"
}

# How many is chance: 722 to 11,305 were seen with util-linux 2.38.1.
libuuid_repeats_safe_ids()
{
	with_state 160001 without children && [ "$repeats" -gt 0 ]
}

libuuid_repeats_none_first_made_by_children()
{
	with_state 160000 without children_only && [ "$repeats" -eq 0 ]
}

# A clock that runs, but no place for the state.
libuuid_repeats_unsafe_ids()
{
	without children 20000 && grep -q '^160001 made, [1-9][0-9]* repeated, 0 safe$' "$out"
}

dropin_repeats_none_of_these()
{
	with children 20000 && [ "$(cat "$out")" = '160001 made, 0 repeated, 160001 safe' ] &&
		with children_only 20000 && [ "$(cat "$out")" = '160000 made, 0 repeated, 160000 safe' ] &&
		gave 320001
}

dropin_does_not()
{
	FAKE_TIME=1000000000 says '41 made, 0 repeated, 41 safe' with children 5 && gave 41
}

children()
{
	says '8001 made, 0 repeated, 8001 safe' with children 1000 && gave 8001
}

threads()
{
	says '8000 made, 0 repeated, 8000 safe' with threads 1000 && gave 8000
}

# The file that stays open, with the LIMIT of numbers.
keeps()
{
	says "$1" with limit "$2" && gave 2
}

numbers_taken()
{
	says '40000 made, 0 repeated, 40000 safe' with numbers 5000 && gave 40000
}

# It is there for the second and for the fifth ID. The file is closed before the fourth.
device_comes_and_goes()
{
	mv "$FAKE/v1" "$FAKE/away" && begin_steps with steps && step id && gave 0 &&
		mv "$FAKE/away" "$FAKE/v1" && step id && gave 1 &&
		mv "$FAKE/v1" "$FAKE/away" && step close && step id && gave 1 &&
		mv "$FAKE/away" "$FAKE/v1" && step id && end_steps && gave 2 &&
		warned /dev/kuid 'No such device'
}

closed()
{
	with closed 100 && gave 101 && are_ids 101 1 '' $device
}

cancelled()
{
	says '' with cancelled 200 && ! gave 0
}

# Another root directory has no device, but the file is open.
chrooted()
{
	with chroot 3 && [ ! -s "$err" ] && gave 6 && are_ids 6 1 '' $device
}

# VERSION WAY PREFIX: 3 IDs are made in one lane, and none by the device.
from_lane()
{
	version=$1 prefix=$3
	with "$2" 3 && [ ! -s "$err" ] && gave 0 && gave_nodes 1 || return
	case $version in
	7) are_ids 3 7 "$prefix" '' ;;
	*) are_ids 3 "$version" "$prefix" 6b7500000001 ;;
	esac
}

# The device makes the IDs if it hands out no node, but this error.
from_device_without_lane()
{
	FAKE_FAIL=lane=$1 from_device 1 time && gave_nodes 0 &&
		FAKE_FAIL=lane=$1 with time_safe 3 && are_ids 3 1 '0 ' $device
}

not_unique_without_lane()
{
	FAKE_FAIL='lane=11 repeats' with time_safe 3 && are_ids 3 1 '-1 ' $device
}

from_process_without_device()
{
	FAKE_FAIL=open=2 with time 3 && from_process 1 && gave_nodes 0 &&
		warned /dev/kuid 'No such device'
}

told_of_lane='libkuid-uuid: LIBKUID_UUID_PRIVATE must be 0 or 1; taken as 0'
other_lane_value()
{
	LIBKUID_UUID_PRIVATE=$1 with time 3 && gave 3 && gave_nodes 0 && are_ids 3 1 '' $device &&
		[ "$(cat "$err")" = "$told_of_lane" ]
}

# The program clears its environment before the first call.
lane_value_is_read_first()
{
	LIBKUID_UUID_PRIVATE=yes LIBKUID_UUID_FALLBACK=fallback FAKE_FAIL=open=2 with clearenv 3 &&
		[ "$(cat "$err")" = "$told_of_lane" ]
}

off()
{
	LIBKUID_UUID_PRIVATE=$1 from_device 1 time && gave_nodes 0
}

in_lanes()
{
	export LIBKUID_UUID_PRIVATE=1
	"$@"
	status=$?
	unset LIBKUID_UUID_PRIVATE
	return $status
}

# Each child has a lane of its own.
children_in_lanes()
{
	says '8001 made, 0 repeated, 8001 safe' with children 1000 && gave 0 && gave_nodes 9
}

# Several threads may open a handle at first. One handle is kept.
threads_in_lanes()
{
	says '8000 made, 0 repeated, 8000 safe' with threads 1000 && gave 0 && ! gave_nodes 0
}

closed_in_lane()
{
	with closed 100 && gave 0 && gave_nodes 1 && are_ids 101 1 '' 6b7500000001
}

closed_child_in_lanes()
{
	with closed_child 3 && [ ! -s "$err" ] && gave 0 && gave_nodes 2 &&
		are_ids 4 1 '' '6b750000000[12]' && [ "$(grep -c '2$' "$out")" -eq 3 ]
}

closed_child_by_device()
{
	FAKE_FAIL=lane=11 with closed_child 3 && [ ! -s "$err" ] && gave 4 && are_ids 4 1 '' $device
}

cancelled_in_lane()
{
	says '' with cancelled 200 && gave 0 && gave_nodes 1
}

chrooted_in_lane()
{
	with chroot 3 && [ ! -s "$err" ] && gave 0 && are_ids 6 1 '' 6b7500000001
}

# The program, the drop-in and the device in one: with the device, without it, and in lanes.
# SANITIZER WAY...
sanitized()
{
	sanitizer=$1
	shift
	for fail in "" open=2; do
		for way in "time 3" "time_safe 3" "time_v6 3" "time_v7 3" "closed 100" "closed_child 3" \
			   "children 100" "threads 200" "cancelled 100" "$@"; do
			for lane in 0 1; do
				# shellcheck disable=SC2086 # words
				FAKE_FAIL=$fail LIBKUID_UUID_FALLBACK=fallback LIBKUID_UUID_PRIVATE=$lane \
					"$DROPIN_TESTS/libuuid_user_$sanitizer" $way >"$out" 2>"$err" &&
					[ ! -s "$err" ] || return
			done
		done
	done
	for value in warn libuuid; do
		FAKE_FAIL=open=2 LIBKUID_UUID_FALLBACK=$value \
			"$DROPIN_TESTS/libuuid_user_$sanitizer" time_safe 3 >"$out" 2>"$err" || return
	done
	[ ! -s "$err" ]
}

# No program that does without libuuid gets it.
brings_nothing()
{
	readelf -d "$DROPIN" >"$out" 2>"$err" && ! grep NEEDED "$out" | grep -qv 'libc\.so'
}

# Two words that the environment said, three of the open file, and two pointers for each of 4 formats.
keeps_nothing()
{
	size -A "$DROPIN_TESTS"/../../obj/dropin/*.o >"$out" 2>"$err" &&
		[ "$(awk '/^\.(data|bss|tdata|tbss)/ { n += $2 } END { print n + 0 }' "$out")" -eq 96 ]
}

it "uuid_generate_time gives v1" from_device 1 time
it "uuid_generate_time_v6 gives v6" from_device 6 time_v6
it "uuid_generate_time_v7 gives v7" from_device 7 time_v7
it "uuid_generate_time_safe calls them safe" safe 0
it "but not where the status doesn't" not_unique
it "uuid_generate_random is libuuid's" generates_random random
it "uuid_generate is libuuid's" generates_random default
it "uuid_generate without random numbers is the device's" no_random
it "errno and memory around the ID are left alone" leaves_alone

it "no device: the process makes the IDs" fails_over open=2 'No such device'
it "no driver: the process" fails_over open=19 'No such device'
it "no permission: the process" fails_over open=13 'Permission denied'
it "too many open files: the process" fails_over open=24 'Too many open files'
it "another device: the process" fails_over query=25 'No such device'
it "another driver's errors: the process" fails_over query=22 'Invalid argument'
it "another driver that does nothing: the process" fails_over silent 'No such device'
it "/dev/null in its place: the process" hidden /dev/null
it "/dev/zero in its place: the process" hidden /dev/zero
it "an ID that would have to be waited for: the process" fails_over empty \
	'Resource temporarily unavailable'
it "a stale identity: the process" fails_over generate=116 'Stale file handle'
it "an error no one knows: the process" fails_over generate=5 'Input/output error'
it "no status: not safe" no_status
it "no status, where none is asked for: no matter" status_of_none_asked_for
it "status: once an epoch" status_of_each_epoch
it "signals don't matter" interrupted
it "no device: v6 without the address of a card" v6_hides_the_machine
it "no device: v7" fails_over_to 7
it "warn is the default" default_is_warn
it "fallback: silent" silent
it "require: aborts uuid_generate_time" required time /dev/kuid
it "require: aborts uuid_generate_time_safe" required time_safe /dev/kuid
it "require: aborts uuid_generate_time_v6" required time_v6 /dev/kuids/v6
it "require: aborts uuid_generate_time_v7" required time_v7 /dev/kuids/v7
it "require: not if the device answers" required_only_if_needed
it "libuuid: libuuid makes the IDs" libuuid_on_request
it "libuuid: uuid_generate_time_v6 is libuuid's, or missing" asks_libuuid time_v6 6
it "libuuid: uuid_generate_time_v7 is libuuid's, or missing" asks_libuuid time_v7 7
it "not even the process can make an ID: aborts" not_even_in_process
it "another value: told, though the device answers" other_value Require
it "a value with more behind it: told" other_value 'warn '
it "another value: as warn" other_value_without_device
it "the environment is read before main()" environment_is_read_first
it "8 children: one warning" warns_in_children_once
it "8 threads: one warning" warns_in_threads_once
it "the process leaves errno and memory around the ID alone" falls_back_alone
it "the process has no file open" falls_back_closed
it "threads cancelled while the process makes IDs" falls_back_cancelled
it "standard error is closed" stderr_closed
it "standard error is a full pipe" stderr_full
it "standard error is a pipe without a reader" stderr_without_reader

it "libuuid with a clock that stands still repeats in children" libuuid_repeats
it "the drop-in doesn't" dropin_does_not
# It takes two children that read the clock in the same microsecond.
if [ "$(nproc)" -gt 1 ]; then
	it "libuuid with a state file repeats in children of a process that made an ID" \
		libuuid_repeats_safe_ids
	echo "# libuuid repeated $repeats of 160001"
	it "libuuid without a state file repeats in children" libuuid_repeats_unsafe_ids
else
	skip "libuuid with a state file repeats in children of a process that made an ID" "one CPU"
	skip "libuuid without a state file repeats in children" "one CPU"
fi
it "libuuid with a state file repeats none in children of a process that made none" \
	libuuid_repeats_none_first_made_by_children
it "the drop-in repeats none of these" dropin_repeats_none_of_these
it "8 children" children
it "8 threads" threads
it "all files closed and others opened" closed
it "a thread takes the numbers of files for others" numbers_taken
it "a file stays open" keeps '64 cloexec nonblock' 1024
it "a file stays open, with few numbers" keeps 'below 64 cloexec nonblock' 32
it "a device that comes and goes" device_comes_and_goes
it "threads cancelled" cancelled
if [ "$(id -u)" -eq 0 ]; then
	it "another root directory" chrooted
else
	skip "another root directory" "not root"
fi
it "in a lane: uuid_generate_time" in_lanes from_lane 1 time ''
it "in a lane: uuid_generate_time_safe calls them safe" in_lanes from_lane 1 time_safe '0 '
it "in a lane: uuid_generate_time_v6" in_lanes from_lane 6 time_v6 ''
it "in a lane: uuid_generate_time_v7" in_lanes from_lane 7 time_v7 ''
it "in a lane: errno and memory around the ID are left alone" in_lanes from_lane 1 alone ''
it "in a lane: the environment is read before main()" lane_value_is_read_first
it "no lane while the node is given: the device" in_lanes from_device_without_lane 95
it "no lane of an old module: the device" in_lanes from_device_without_lane 25
it "no lane at present: the device" in_lanes from_device_without_lane 11
it "no lane at present, and IDs are not unique: not safe" in_lanes not_unique_without_lane
it "no lane without a device: the process" in_lanes from_process_without_device
it "no lane if 0 is asked for" off 0
it "no lane if nothing is asked for" off ''
it "no lane for another value: told, and the device" other_lane_value yes
it "no lane for a value with more behind it: told, and the device" other_lane_value '1 '
it "in lanes: 8 children" in_lanes children_in_lanes
it "in a lane: 8 threads" in_lanes threads_in_lanes
it "in a lane: all files closed and others opened" in_lanes closed_in_lane
it "in lanes: a child closes all files and opens others" in_lanes closed_child_in_lanes
it "no lane at present: a child closes all files and opens others" in_lanes closed_child_by_device
it "in a lane: threads cancelled" in_lanes cancelled_in_lane
if [ "$(id -u)" -eq 0 ]; then
	it "in a lane: another root directory" in_lanes chrooted_in_lane
else
	skip "in a lane: another root directory" "not root"
fi
it "nothing for the address sanitizer" sanitized asan "numbers 100"
it "nothing for the thread sanitizer" sanitized tsan

it "needs the C library only" brings_nothing
it "keeps nothing between calls" keeps_nothing
finish
