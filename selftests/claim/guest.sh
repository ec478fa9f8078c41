#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid-claim with the kernel, and with one member of etcd in the guest. Another owner of the same
# number is a kuid-claim with --print. Prints KTAP. run/check_claim.sh puts programs and tests into
# /claim.

# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. /claim/tap.sh
# shellcheck source=SCRIPTDIR/../vm/guest/klog.sh
. /guest/klog.sh
export PATH="/claim:$PATH" ETCDCTL_API=3
url=http://127.0.0.1:2379
number=7

explain()
{
	tail -n 20 "$work/said" "$work"/*.err "$work/etcd.log"
}

start_etcd()
{
	etcd --data-dir "$work/etcd" --listen-client-urls $url --advertise-client-urls $url \
		--listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
		--initial-cluster default=http://127.0.0.1:2380 --logger zap --log-level error >>"$work/etcd.log" 2>&1 &
	eventually etcdctl endpoint health
}

# start NAME [OPTION...]: a kuid-claim; its process ID is in $work/NAME.pid.
start()
{
	name=$1
	shift
	kuid-claim -e $url --number $number --horizon 12 --state "$work/$name.claim" "$@" \
		>>"$work/$name.out" 2>>"$work/$name.err" &
	echo $! >"$work/$name.pid"
}

signal()
{
	kill "-$1" "$(cat "$work/$2.pid")"
}

# IDs are kept, to be compared in the end.
makes()
{
	kuid gen -f snowflake -n 100 >"$work/batch" 2>"$work/gen.err" && cat "$work/batch" >>"$work/ids"
}

# Why none are made.
fails_with()
{
	! makes && grep -q "$1" "$work/gen.err"
}

makes_none_for_lack_of_a_number()
{
	fails_with 'no snowflake'
}

first_owner()
{
	start first
	eventually makes && [ "$(kuid inspect -f snowflake "$(tail -n 1 "$work/ids")" | grep -c "worker  *$number\$")" -eq 1 ]
}

# Until the ceiling, and not longer. Other formats go on.
first_owner_asleep()
{
	signal STOP first && makes && eventually fails_with 'come to the ceiling' && kuid gen -f v7 && kuid gen -f lex
}

second_owner()
{
	start second --print
	eventually grep -q ^raise "$work/second.out" && fails_with 'come to the ceiling'
}

first_owner_wakes()
{
	signal CONT first && eventually grep -q 'is lost' "$work/first.err" && fails_with 'come to the ceiling'
}

# The second gives the number back, and the first gets it again.
first_owner_again()
{
	signal TERM second && eventually makes
}

# A restart goes on in the same epoch.
restart()
{
	epoch=$(cat /sys/class/kuid/kuid/epoch)
	signal HUP first && eventually has_ended "$(cat "$work/first.pid")" && makes && start first &&
		eventually grep -q '"former": ""' "$work/first.claim" && sleep 15 && makes &&
		[ "$(cat /sys/class/kuid/kuid/epoch)" = "$epoch" ]
}

clean_stop()
{
	signal TERM first && eventually has_ended "$(cat "$work/first.pid")" && fails_with 'come to the ceiling' &&
		grep -q '"released": true' "$work/first.claim" && kuid-claim -e $url -l >"$out" && cat "$out"
}

# No time of an ID of the kernel is one for which the second owner had the number, and none is twice.
none_repeated()
{
	[ "$(sort "$work/ids" | uniq -d | wc -l)" -eq 0 ] || return
	awk '
		FNR == NR && $1 == "claim" { from = $3 }
		FNR == NR { to = $NF; next }
		{ ms = int($1 / 4194304) + 1288834974657; if (ms >= from * 1000 && ms < to * 1000) bad++; n++ }
		{ if (ms < from * 1000) before++; else after++ }
		END { print n, "IDs,", before, "before,", after, "after,", bad + 0, "within", from, to; exit !(before && after) || bad }' \
		"$work/second.out" "$work/ids" | tee "$out"
	! grep -q 'IDs, .* [1-9][0-9]* within' "$out"
}

klog_mark
insmod /lib/kuid.ko || exit
echo "KTAP version 1"
it 'etcd runs' start_etcd
it 'no IDs without a number' makes_none_for_lack_of_a_number
it 'the first owner makes IDs' first_owner
it 'it is asleep, and the kernel stops at the ceiling' first_owner_asleep
it 'a second owner gets the number' second_owner
it 'the first one wakes up, and makes none' first_owner_wakes
it 'it gets the number back' first_owner_again
it 'a restart begins no epoch' restart
it 'a stop ends the use of the number' clean_stop
it 'no ID could come from both' none_repeated
it 'the kernel complains of nothing' klog_check
finish
