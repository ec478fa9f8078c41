#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The program of the machines that twins.sh clones:   twin.sh STATE OPTION...
# It runs kuid-claim with these options, which stops at STATE. Then it waits for a line on the second serial
# port, with the seconds by which it sets the clock forward for a while. It makes IDs until another line tells
# it to end, and prints the IDs from before the wait and those from after it.

export PATH="/claim:$PATH"
# shellcheck source=SCRIPTDIR/../../../selftests/vm/guest/klog.sh
. /guest/klog.sh
state=$1
shift
: >before
: >after

die()
{
	echo "# $1"
	tail -n 20 said gen.err
	exit 1
}

# start [OPTION...]
start()
{
	# shellcheck disable=SC2086 # words
	LD_PRELOAD=/claim/stop_at.so kuid-claim --state claim --horizon 6 $options "$@" 2>>said </dev/null &
	owner=$!
}

# Only the first kuid-claim that has this variable stops. All failures come to LOOK, too.
start_to_stop()
{
	from=
	[ "$state" != LOOK ] || from=DROP
	export STOP_AT="$from to $state,"
	start "$@"
	unset STOP_AT
}

# makes FILE: IDs, or nothing, which is noted.
makes()
{
	if kuid gen -f snowflake -n 10 >made 2>gen.err; then
		cat made >>"$1"
	else
		echo none >>"$1"
		return 1
	fi
}

eventually()
{
	for _ in $(seq 300); do
		! "$@" || return 0
		sleep 0.1
	done
	die "never: $*"
}

is_stopped()
{
	grep -q '^State:.T' "/proc/$owner/status"
}

# Nobody knows of which claim the new record is.
replace_record()
{
	# shellcheck disable=SC2086 # words
	set -- $options
	number=$(($(tail -n 1 made) >> 12 & 1023))
	key=$(printf '/kuid/%s/rec/%010d' "$4" $number | base64 -w 0)
	wget -q -O - --post-data "{\"key\":\"$key\",\"value\":\"eA==\"}" "$2/v3/kv/put" >>said
}

# Only the module is loaded again, which is like a boot.
reboot()
{
	{ insmod /lib/kuid.ko state=required && kuid restore --first saved; } || die 'no module'
	set -- --trust-disk --horizon 60
	start "$@"
	eventually makes before
	kuid restore --ahead 1 saved && kill -KILL $owner && wait $owner
	{ rmmod kuid && insmod /lib/kuid.ko state=required && kuid restore saved; } || die 'no second module'
	start_to_stop "$@"
}

set_clock()
{
	date -s "@$(($(date +%s) + $1))" >>said
}

klog_mark
options=$*
{ insmod /lib/e1000.ko && ip addr add 10.0.2.15/24 dev eth0 && ip link set eth0 up; } || die 'no network'
exec 3</dev/ttyS1
if [ "$state" = OFFLINE ]; then
	reboot
else
	insmod /lib/kuid.ko || die 'no module'
	start_to_stop
fi
case $state in
DROP | LOOK) eventually makes before && replace_record ;;
END | GIVE) eventually makes before && kill -TERM $owner ;;
esac
eventually is_stopped
makes before
echo "# at $state"
read -r offset <&3

makes after
kill -CONT $owner
{ read -r _ && : >told; } <&3 &
enough=0
for round in $(seq 900); do
	case $round in
	5) set_clock "$offset" ;;
	20) set_clock $((-offset)) ;;
	esac
	kill -0 $owner 2>/dev/null || start
	! makes after || [ ! -e told ] || enough=$((enough + 1))
	[ $enough -lt 10 ] || break
	sleep 0.1
done
kill -TERM $owner && wait $owner
sed 's/^/# before: /' before
sed 's/^/# after: /' after
sed 's/^/# said: /' said
klog_check
