#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The drop-in for libuuid where the device is not the kernel's: what it makes of errors, and of what
# programs do with themselves between two calls. Prints KTAP. DROPIN is the library, DROPIN_TESTS
# the directory of the program that uses libuuid, and FAKE_DEVICE stands in for the device.

# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"
export FAKE="$work/fake"
unset FAKE_FAIL FAKE_OPEN FAKE_HOST LIBKUID_UUID_FALLBACK LIBKUID_UUID_PRIVATE
mkdir "$FAKE"

# libuuid's clock stands still, so its IDs can be told from those that the drop-in makes.
export FAKE_TIME=1000000000
frozen_id='-a4c4-11d5-'

# Each begins with a device that gave no ID.
begin_test()
{
	printf '%s\n' 'load_id 7' 'epoch 1' 'unique 14' >"$FAKE/device"
	head -c 24 /dev/zero >"$FAKE/made"
}

with()
{
	LD_PRELOAD="$FAKE_DEVICE $DROPIN" "$DROPIN_TESTS/libuuid_user" "$@"
}

# Whether the device gave that many IDs, nodes of private lanes and answers about its status.
gave()
{
	[ "$(($(od -A n -t u8 -N 8 "$FAKE/made")))" -eq "$1" ]
}

gave_nodes()
{
	[ "$(($(od -A n -t u8 -j 8 -N 8 "$FAKE/made")))" -eq "$1" ]
}

gave_status()
{
	[ "$(($(od -A n -t u8 -j 16 "$FAKE/made")))" -eq "$1" ]
}

# COUNT lines of the output match.
lines()
{
	[ "$(grep -cE -e "$2" "$out")" -eq "$1" ]
}

# Nodes of v1 and v6 are random: the multicast bit is set, and no network card has such an address.
hides_the_machine()
{
	sed 's/.*-//' "$out" | sort -u >"$work/nodes"
	[ "$(wc -l <"$work/nodes")" -eq 1 ] && grep -q '^.[13579bdf]' "$work/nodes" || return
	for card in /sys/class/net/*/address; do
		! tr -d : <"$card" | grep -qF -f "$work/nodes" || return
	done
}

# Whether the source of $ids IDs, of which $made were made in the same lane, is $maker.
counted()
{
	case $maker$way in
	devicecancelled) ! gave 0 && gave_nodes 0 ;;
	device*) gave "$ids" && gave_nodes 0 ;;
	lanechildren) gave 0 && gave_nodes 9 ;;
	laneclosed_child) gave 0 && gave_nodes 2 ;;
	# Several threads may open a handle at first. One handle is kept.
	lanethreads) gave 0 && ! gave_nodes 0 ;;
	lane*) gave 0 && gave_nodes 1 ;;
	*) gave 0 && gave_nodes 0 ;;
	esac
}

# Each ID by its maker.
device='^([-0-9]* )?00000000-0000-[167]000-8000-'
shown()
{
	case $way-$maker in
	time_v6-*) version=6 ;;
	time_v7-*) version=7 ;;
	default-libuuid | random-libuuid) version=4 ;;
	*) version=1 ;;
	esac
	prefix=
	[ "$way" != time_safe ] || prefix="$safe "
	[ "$(wc -l <"$out")" -eq "$ids" ] && lines "$ids" \
		"^${prefix}[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-" || return
	case $maker-$version in
	device-*) lines "$ids" "$device" ;;
	lane-7) lines 0 "$device" ;;
	lane-*)
		lines "$ids" '01fa4e00000[12]$' &&
			lines "$([ "$way" = closed_child ] && echo "$count" || echo 0)" '2$'
		;;
	process-7) lines 0 "$device" ;;
	process-*) lines 0 "$device|$frozen_id" && hides_the_machine ;;
	libuuid-1) lines "$ids" "$frozen_id" ;;
	libuuid-*) lines 0 "$device" ;;
	esac
}

# The messages that must be there: that a variable has another value, and WHY kuid gave no ID.
told()
{
	[ -z "$value" ] || echo "libkuid-uuid: LIBKUID_UUID_$value"
	path=/dev/kuid
	case $way in *_v?) path=/dev/kuids/${way#time_} ;; esac
	case $maker-$fallback in
	process-*) why="$why; this process makes the UUIDs itself, without the order of the host" ;;
	aborted-require) why="$why; LIBKUID_UUID_FALLBACK=require" ;;
	aborted-*) why="$why; no UUID made in this process: Operation not supported" ;;
	esac
	[ -z "${why%%;*}" ] || echo "libkuid-uuid: $path: $why"
}

# row ENVIRONMENT "WAY COUNT" "MAKER SAFE" WHY VALUE: in this environment the program makes COUNT IDs
# in one WAY, and MAKER has made them: device, lane, process, libuuid, or it is "aborted" without an
# ID. SAFE is what uuid_generate_time_safe returns, if it isn't the usual for the maker.
row()
(
	way=${2% *} count=${2#* } maker=${3% *} why=$4 value=$5 fail='' open='' host='' state='' fallback='' private=''
	case $maker in device | lane) safe=0 ;; *) safe=-1 ;; esac
	[ "$maker" = "$3" ] || safe=${3#* }
	eval "$1"
	[ -z "$state" ] || echo "$state" >>"$FAKE/device"
	timeout 60 env FAKE_FAIL="$fail" ${open:+"FAKE_OPEN=$open"} ${host:+"FAKE_HOST=$host"} \
		${fallback:+"LIBKUID_UUID_FALLBACK=$fallback"} \
		${private:+"LIBKUID_UUID_PRIVATE=$private"} LD_PRELOAD="$FAKE_DEVICE $DROPIN" \
		"$DROPIN_TESTS/libuuid_user" "$way" "$count" >"$out" 2>"$err"
	status=$?
	told >"$work/want"
	# The shell tells of signals.
	grep -v '^Aborted' "$err" | cmp - "$work/want" || exit
	if [ "$maker" = aborted ]; then
		[ $status -eq 134 ] && [ ! -s "$out" ]
		exit
	fi
	case $way in
	closed | closed_child) ids=$((count + 1)) ;;
	chroot) ids=$((2 * count)) ;;
	children) ids=$((8 * count + 1)) ;;
	children_only | threads | numbers) ids=$((8 * count)) ;;
	*) ids=$count ;;
	esac
	[ $status -eq 0 ] && counted || exit
	case $way in
	children* | threads | numbers)
		[ "$(cat "$out")" = "$ids made, 0 repeated, $((safe ? 0 : ids)) safe" ] ;;
	cancelled) [ ! -s "$out" ] ;;
	*) shown ;;
	esac
)

table()
{
	while IFS='|' read -r what environment way maker why value; do
		if [ "$way" = "chroot 3" ] && [ "$(id -u)" -ne 0 ]; then
			skip "$what" "not root"
		elif [ "$what" ]; then
			it "$what" row "$environment" "$way" "$maker" "$why" "$value"
		fi
	done
}

for failure in "open=2|No such device" "open=19|No such device" "open=13|Permission denied" \
	       "open=24|Too many open files" "fail='query 0 25'|No such device" \
	       "fail='query 0 22'|Invalid argument" "state='silent 1'|No such device" \
	       "state='waiting 1'|Resource temporarily unavailable" \
	       "fail='generate 0 116'|Stale file handle" "fail='generate 0 5'|Input/output error"; do
	table <<-END
		${failure%|*}: the process|${failure%|*}|time 3|process|${failure#*|}
		${failure%|*}: not safe|${failure%|*}|time_safe 3|process|${failure#*|}
	END
done

none='No such device'
told_of_value='FALLBACK must be fallback, warn, require or libuuid; taken as warn'
told_of_lane='PRIVATE must be 0 or 1; taken as 0'
table <<END
uuid_generate_time gives v1||time 3|device
uuid_generate_time_v6 gives v6||time_v6 3|device
uuid_generate_time_v7 gives v7||time_v7 3|device
uuid_generate_time_safe calls them safe||time_safe 3|device
but not where the status doesn't|state='unique 4'|time_safe 3|device -1
no status: not safe|fail='status 0 5'|time_safe 3|device -1
no status, where none is asked for: no matter|fail='status 0 5'|time 3|device
uuid_generate_random is libuuid's||random 3|libuuid
uuid_generate is libuuid's||default 3|libuuid
uuid_generate without random numbers is the device's|host=no-random|default 3|device
errno and memory around the ID are left alone||alone 3|device
the same with signals|state='interrupted 3'|alone 1|device
signals don't matter|state='interrupted 3'|time 3|device

no device: v6 without the address of a card|open=2 fallback=warn|time_v6 3|process|$none
no device: v7|open=2 fallback=warn|time_v7 3|process|$none
warn is the default|open=2; export LIBKUID_UUID_FALLBACK=''|time 3|process|$none
fallback: silent|open=2 fallback=fallback|time 3|process
fallback: not safe|open=2 fallback=fallback|time_safe 3|process
require: aborts uuid_generate_time|open=2 fallback=require|time 3|aborted|$none
require: aborts uuid_generate_time_safe|open=2 fallback=require|time_safe 3|aborted|$none
require: aborts uuid_generate_time_v6|open=2 fallback=require|time_v6 3|aborted|$none
require: aborts uuid_generate_time_v7|open=2 fallback=require|time_v7 3|aborted|$none
require: not if the device answers|fallback=require|time 3|device
libuuid: libuuid makes the IDs|open=2 fallback=libuuid|time 3|libuuid
libuuid: not safe|open=2 fallback=libuuid|time_safe 3|libuuid
not even the process can make an ID|open=2 host=no-wipe fallback=fallback|time 3|aborted|$none
another value: told, though the device answers|fallback=Require|time 3|device||$told_of_value
a value with more behind it: told|fallback='warn '|time 3|device||$told_of_value
another value: as warn|open=2 fallback=Require|time 3|process|$none|$told_of_value
read before main(): require|open=2 fallback=require|clearenv 3|aborted|$none
read before main(): fallback|open=2 fallback=fallback|clearenv 3|process
8 children: one warning|open=2 fallback=warn|children 1000|process|$none
8 threads: one warning|open=2 fallback=warn|threads 1000|process|$none
the process leaves errno and memory alone|open=2 fallback=fallback|alone 3|process
the process has no file open|open=2 fallback=fallback|closed 100|process
threads cancelled in the process|open=2 fallback=fallback|cancelled 200|process

8 children of a process that made an ID||children 20000|device
8 children of a process that made none||children_only 20000|device
8 threads||threads 1000|device
all files closed and others opened||closed 100|device
a thread takes the numbers of files for others||numbers 5000|device
threads cancelled||cancelled 200|device
another root directory||chroot 3|device

in a lane: uuid_generate_time|private=1|time 3|lane
in a lane: uuid_generate_time_safe calls them safe|private=1|time_safe 3|lane
in a lane: uuid_generate_time_v6|private=1|time_v6 3|lane
in a lane: uuid_generate_time_v7|private=1|time_v7 3|lane
in a lane: errno and memory around the ID are left alone|private=1|alone 3|lane
in lanes: 8 children|private=1|children 1000|lane
in a lane: 8 threads|private=1|threads 1000|lane
in a lane: all files closed and others opened|private=1|closed 100|lane
in lanes: a child closes all files and opens others|private=1|closed_child 3|lane
in a lane: threads cancelled|private=1|cancelled 200|lane
in a lane: another root directory|private=1|chroot 3|lane
no lane while the node is given: the device|private=1 fail='lane 0 95'|time 3|device
no lane while the node is given: safe|private=1 fail='lane 0 95'|time_safe 3|device
no lane of an old module: the device|private=1 fail='lane 0 25'|time 3|device
no lane of an old module: safe|private=1 fail='lane 0 25'|time_safe 3|device
no lane at present: the device|private=1 fail='lane 0 11'|time 3|device
no lane at present: safe|private=1 fail='lane 0 11'|time_safe 3|device
no lane, and IDs are not unique: not safe|private=1 fail='lane 0 11' state='unique 4'|time_safe 3|device -1
no lane, and a child closes all files|private=1 fail='lane 0 11'|closed_child 3|device
no lane without a device: the process|private=1 open=2|time 3|process|$none
no lane if nothing is asked for|export LIBKUID_UUID_PRIVATE=''|time 3|device
no lane if 0 is asked for|private=0|time 3|device
no lane for another value: told|private=yes|time 3|device||$told_of_lane
no lane for a value with more behind it: told|private='1 '|time 3|device||$told_of_lane
in a lane: read before main()|private=yes open=2 fallback=fallback|clearenv 3|process||$told_of_lane
END

# The status is read with the first ID of an epoch, but with each that may not be unique.
reads_status()
{
	row "$2" 'time_safe 6' "$3" && gave_status "$1"
}

# time_vN N: libuuid has such a function since 2.41, but not in Debian 12.
asks_libuuid()
{
	FAKE_OPEN=2 LIBKUID_UUID_FALLBACK=libuuid with "$1" >"$out" 2>"$err"
	case $? in
	0) [ ! -s "$err" ] && grep -qxE "[0-9a-f]{8}-[0-9a-f]{4}-$2[-0-9a-f]{21}" "$out" ;;
	134) [ ! -s "$out" ] &&
		grep -q "^libkuid-uuid: no UUID from kuid, and .*: undefined symbol: uuid_generate_$1\$" "$err" ;;
	*) false ;;
	esac
}

# The IDs of a process that can't write its warning at once.
unwarned()
{
	ids=3 maker=process way=time
	FAKE_OPEN=2 with time 3 >"$out" && counted && shown
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

prints_all()
{
	text=$1
	shift
	"$@" >"$out" 2>"$err" && [ ! -s "$err" ] && [ "$(cat "$out")" = "$text" ]
}

# Each child of a process goes on with the same.
libuuid_repeats()
{
	LD_PRELOAD=$FAKE_DEVICE prints_all '41 made, 35 repeated, 0 safe' "$DROPIN_TESTS/libuuid_user" children 5
}

# The file that stays open, with the LIMIT of numbers.
keeps()
{
	prints_all "$1" with limit "$2" && gave 2
}

# It is there for the second and for the fifth ID. The file is closed before the fourth.
device_comes_and_goes()
{
	touch "$FAKE/gone" && begin_steps with steps && step id && gave 0 &&
		rm "$FAKE/gone" && step id && gave 1 &&
		touch "$FAKE/gone" && step close && step id && gave 1 &&
		rm "$FAKE/gone" && step id && end_steps && gave 2 &&
		way=time maker=process why=$none value='' told | cmp - "$err"
}

# The program and the drop-in in one: with the device, without it, and in lanes.
# SANITIZER WAY...
sanitized()
{
	sanitizer=$1
	shift
	for open in "" 2; do
		for way in "time 3" "time_safe 3" "time_v6 3" "time_v7 3" "closed 100" "closed_child 3" \
			   "children 100" "threads 200" "cancelled 100" "$@"; do
			for lane in 0 1; do
				# shellcheck disable=SC2086 # words
				env ${open:+"FAKE_OPEN=$open"} LIBKUID_UUID_FALLBACK=fallback \
					LIBKUID_UUID_PRIVATE=$lane LD_PRELOAD="$FAKE_DEVICE" \
					"$DROPIN_TESTS/libuuid_user_$sanitizer" $way >"$out" 2>"$err" &&
					[ ! -s "$err" ] || return
			done
		done
	done
	for value in warn libuuid; do
		FAKE_OPEN=2 LIBKUID_UUID_FALLBACK=$value LD_PRELOAD=$FAKE_DEVICE \
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

it "status: once" reads_status 1 '' device
it "status: once an epoch" reads_status 3 "state='epoch_ids 2'" device
it "status: each time, if IDs are not unique" reads_status 6 "state='unique 4'" 'device -1'
it "libuuid: uuid_generate_time_v6 is libuuid's, or missing" asks_libuuid time_v6 6
it "libuuid: uuid_generate_time_v7 is libuuid's, or missing" asks_libuuid time_v7 7
it "standard error is closed" stderr_closed
it "standard error is a full pipe" stderr_full
it "standard error is a pipe without a reader" stderr_without_reader
it "libuuid with a clock that stands still repeats in children" libuuid_repeats
it "a file stays open" keeps '64 cloexec nonblock' 1024
it "a file stays open, with few numbers" keeps 'below 64 cloexec nonblock' 32
it "a device that comes and goes" device_comes_and_goes
it "nothing for the address sanitizer" sanitized asan "numbers 100"
[ "${QUICK:-}" ] || it "nothing for the thread sanitizer" sanitized tsan
it "needs the C library only" brings_nothing
it "keeps nothing between calls" keeps_nothing
finish
