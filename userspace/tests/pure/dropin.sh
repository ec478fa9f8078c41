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
unset FAKE_FAIL FAKE_TIME
mkdir "$FAKE"

# Each begins with a device that gave no ID.
begin_test()
{
	for file in v1 v6 v7; do
		rm -f "$FAKE/$file"
		: >"$FAKE/$file"
	done
	head -c 8 /dev/zero >"$FAKE/made"
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
	[ "$(($(od -A n -t u8 "$FAKE/made")))" -eq "$1" ]
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

# libuuid calls none safe here, because it has no place for a state.
fails_over()
{
	FAKE_FAIL=$1
	export FAKE_FAIL
	from_libuuid 1 time && with time_safe 3 && gave 0 && are_ids 3 1 '-1 ' ''
	status=$?
	unset FAKE_FAIL
	return $status
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
	FAKE_FAIL=status=5 with time_safe 3 && gave 0 && are_ids 3 1 '-1 ' ''
}

status_of_none_asked_for()
{
	FAKE_FAIL=status=5 from_device 1 time
}

interrupted()
{
	FAKE_FAIL=interrupted=3 from_device 1 time
}

# The paths that are hidden from a container.
hidden()
{
	ln -sf "$1" "$FAKE/v1"
	from_libuuid 1 time
}

# Debian 12's libuuid has no such function.
nothing_to_ask()
{
	FAKE_FAIL=open=2 with "$1"
	[ $? -eq 134 ] && [ ! -s "$out" ] && grep -q "^libkuid-uuid: no ID from kuid, and .*: $2" "$err"
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

closed()
{
	with closed 100 && gave 101 && are_ids 101 1 '' $device
}

cancelled()
{
	says '' with cancelled 200 && ! gave 0
}

# Behind it there is no device, but libuuid is still there.
chrooted()
{
	with chroot 3 && gave 3 && are_ids 6 1 '' '' && [ "$(grep -c "$device\$" "$out")" -eq 3 ]
}

# The program, the drop-in and the device in one.
sanitized()
{
	for way in "time 3" "time_safe 3" "time_v6 3" "time_v7 3" "closed 100" "children 100" \
		   "threads 200" "cancelled 100"; do
		# shellcheck disable=SC2086 # words
		"$DROPIN_TESTS/libuuid_user_$1" $way >"$out" 2>"$err" && [ ! -s "$err" ] || return
	done
	FAKE_FAIL=open=2 "$DROPIN_TESTS/libuuid_user_$1" time_safe 3 >"$out" 2>"$err" && [ ! -s "$err" ]
}

# No program that does without libuuid gets it.
brings_nothing()
{
	readelf -d "$DROPIN" >"$out" 2>"$err" && ! grep NEEDED "$out" | grep -qv 'libc\.so'
}

keeps_nothing()
{
	size -A "$DROPIN_TESTS"/../../obj/dropin/*.o >"$out" 2>"$err" &&
		[ "$(awk '/^\.(data|bss|tdata|tbss)/ { n += $2 } END { print n + 0 }' "$out")" -eq 0 ]
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

it "no device: libuuid" fails_over open=2
it "no driver: libuuid" fails_over open=19
it "no permission: libuuid" fails_over open=13
it "too many open files: libuuid" fails_over open=24
it "another device: libuuid" fails_over query=25
it "another driver's errors: libuuid" fails_over query=22
it "/dev/null in its place: libuuid" hidden /dev/null
it "/dev/zero in its place: libuuid" hidden /dev/zero
it "an ID that would have to be waited for: libuuid" fails_over empty
it "a stale identity: libuuid" fails_over read=116
it "an error no one knows: libuuid" fails_over read=5
it "no order of the host: libuuid" fails_over order=22
it "no status: libuuid" no_status
it "no status, where none is asked for: no matter" status_of_none_asked_for
it "signals don't matter" interrupted
it "neither device nor uuid_generate_time_v6: told" nothing_to_ask time_v6 \
	'undefined symbol: uuid_generate_time_v6'
it "neither device nor uuid_generate_time_v7: told" nothing_to_ask time_v7 \
	'undefined symbol: uuid_generate_time_v7'

it "libuuid itself repeats in children" libuuid_repeats
it "the drop-in doesn't" dropin_does_not
it "8 children" children
it "8 threads" threads
it "all files closed and others opened" closed
it "threads cancelled" cancelled
if [ "$(id -u)" -eq 0 ]; then
	it "another root directory" chrooted
else
	skip "another root directory" "not root"
fi
it "nothing for the address sanitizer" sanitized asan
it "nothing for the thread sanitizer" sanitized tsan

it "needs the C library only" brings_nothing
it "keeps nothing between calls" keeps_nothing
finish
