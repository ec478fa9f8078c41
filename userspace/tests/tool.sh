#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid(1) as a user meets it: what it prints, its messages and its exit statuses. Prints KTAP.
# Needs the module loaded, KUID_MODULE, root, and kuid on PATH; leaves it loaded, but new.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'

# Prints COUNT well-formed IDs, none twice, and nothing else.
makes()
{
	count=$1
	shift
	kuid "$@" >"$out" 2>"$err" &&
		[ ! -s "$err" ] &&
		[ "$(grep -cE "$uuid" "$out")" -eq "$count" ] &&
		[ "$(wc -l <"$out")" -eq "$count" ] &&
		[ "$(sort -u "$out" | wc -l)" -eq "$count" ]
}

without_device()
{
	unshare -m sh -c 'mount -t tmpfs none /dev && exec kuid gen'
}

# A container that was given nothing but /dev/kuid.
with_one_node()
{
	unshare -m sh -c 'cp -a /dev/kuid /tmp/node && mount -t tmpfs none /dev &&
		cp -a /tmp/node /dev/kuid && exec kuid "$@"' sh "$@" >"$out" 2>"$err" &&
		[ ! -s "$err" ] && [ "$(sort -u "$out" | grep -cE "$uuid")" -eq 10000 ]
}

tells()
{
	text=$1
	shift
	kuid "$@" >"$out" 2>"$err" && [ ! -s "$err" ] && grep -qF -- "$text" "$out"
}

# As nobody, a user without capabilities.
as_nobody()
{
	su -s /bin/sh nobody -c "$*"
}

nobody_fails()
{
	status=$1 text=$2
	shift 2
	as_nobody "$@" >"$out" 2>"$err"
	[ $? -eq "$status" ] && [ ! -s "$out" ] && grep -qF -- "$text" "$err"
}

# A rule that takes the device from others.
without_permission()
{
	chmod 0400 /dev/kuids/v7
	nobody_fails 1 '/dev/kuids/v7: Permission denied: anyone may read it unless a udev rule' kuid gen
	result=$?
	chmod 0444 /dev/kuids/v7
	return $result
}

# The first commands of a new user.
is_used_by_nobody()
{
	as_nobody kuid status >"$out" 2>"$err" && [ ! -s "$err" ] &&
		grep -qxE 'unique       yes(, but not if this machine is cloned)?' "$out" &&
		grep -qx 'ordered      yes' "$out" && grep -qx 'reboot-safe  yes: v1 v6 v7; no: .*' "$out" &&
		grep -q '^no_state: ' "$out" && as_nobody kuid clock >"$out" 2>"$err" &&
		as_nobody kuid gen -n 3 >"$out" 2>"$err" && [ "$(wc -l <"$out")" -eq 3 ] &&
		as_nobody kuid bench --ms 5 -f v6 >"$out" 2>"$err" && grep -q '^v6 *batch ' "$out"
}

ids_of_status()
{
	kuid status --json | sed -n "s/.*\"ids\": {[^}]*\"$1\": \([0-9]*\).*/\1/p"
}

# The status counts what is made, in each of its forms.
counts()
{
	before=$(ids_of_status k96) && kuid gen -f k96 -n 1000 >"$out" 2>"$err" &&
		[ "$(ids_of_status k96)" -eq $((before + 1000)) ] &&
		kuid status --prometheus >"$out" 2>"$err" &&
		grep -qx "kuid_ids_total{format=\"k96\"} $((before + 1000))" "$out" &&
		kuid status >"$out" 2>"$err" && grep -qx " *$((before + 1000)) k96" "$out"
}

# The status agrees with sysfs.
is_as_in_sysfs()
{
	sys=/sys/class/kuid/kuid
	kuid status --json >"$out" 2>"$err" || return
	for pair in "epoch epoch" "limits/max_ahead_ns max_ahead_ns" "clock/resolution_ns clock_resolution_ns" \
		"limits/batch_ahead_ns batch_ahead_ns" "limits/step_limit_ns step_limit_ns"; do
		grep -qE "\"${pair#* }\": $(cat $sys/"${pair% *}")[,}]" "$out" || return
	done
	[ "$(grep -o '"name": "[a-z_]*"' "$out" | sed 's/.*: "\(.*\)"/\1/' | tr '\n' ' ')" = \
		"$(sed 's/$/ /' $sys/status/reasons)" ]
}

# Each ID is after the one before, whichever command made it.
is_in_host_order()
{
	: >"$out"
	for count in 100 5000 1 5000 100; do
		kuid gen -f v7 -o host -n $count >>"$out" 2>"$err" || return
	done
	[ "$(kuid compare <"$out" | sort -u)" = before ] && [ "$(wc -l <"$out")" -eq 10201 ]
}

says_it_waits()
{
	rmmod kuid && insmod "$KUID_MODULE" state=required || return
	kuid gen -f k64 >"$out" 2>"$err" &
	pid=$!
	# As long as the test may take: only then it has not been said.
	until [ -s "$err" ]; do
		sleep 1
	done
	kill $pid
	wait $pid
	[ $? -eq 143 ] && [ ! -s "$out" ] &&
		[ "$(cat "$err")" = 'kuid: waiting for IDs: "kuid status" says why' ] &&
		kuid status | grep -q '^no_state: ' && kuid gen -f v7 >"$out" 2>"$err"
	result=$?
	rmmod kuid && insmod "$KUID_MODULE" snowflake_worker=17 && return $result
}

# The device makes none of them.
makes_privately()
{
	before=$(ids_of_status v6) && uuid='^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$' &&
		makes 5000 gen -f v6 --private -n 5000 && [ "$(ids_of_status v6)" -eq "$before" ] &&
		[ "$(kuid compare <"$out" | sort -u)" = before ]
}

# Only the processes that keep the module are listed: one with a private lane, one with two files open.
keeps_the_module()
{
	kuid status --holders >"$out" && [ ! -s "$out" ] || return
	kuid gen --private --forever >/dev/null &
	pid=$!
	# shellcheck disable=SC2217 # it only holds the files
	sleep 1000 </dev/kuids/v7 3</dev/kuid &
	reader=$!
	eventually lists "$pid +kuid +[0-9]+ open, private lane" && lists "$reader +[a-z]+ +2 open" &&
		! rmmod kuid 2>"$err"
	result=$?
	kill $reader $pid
	wait $pid
	[ $? -eq 143 ] && return $result
}

lists()
{
	kuid status --holders >"$out" && [ "$(wc -l <"$out")" -eq 2 ] && grep -qE "^ *$1\$" "$out"
}

measures()
{
	kuid bench --ms 10 --json -t 2 >"$out" 2>"$err" && [ ! -s "$err" ] &&
		[ "$(grep -o '"kind"' "$out" | wc -l)" -ge 25 ] && ! grep -q '"error"' "$out"
}

it "makes one ID without being asked twice" makes 1
it "gen makes one ID" makes 1 gen
it "more than a batch" makes 10000 gen -n 10000

it "no device: says how to show it" fails 1 'BindReadOnlyPaths=' without_device
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
it "many IDs of the one node that there is" with_one_node gen -f v1 -n 10000

it "anyone may use it" is_used_by_nobody
it "no permission: which rule it is" without_permission
it "changing the node needs a capability" nobody_fails 1 'which needs CAP_SYS_ADMIN' kuid node --node random
it "status counts" counts
it "status is as in sysfs" is_as_in_sysfs
try fails 1 'kuid is loaded already' "${0%/*}/here.sh" module kuid report
it "status: all is held" tells 'unique       yes' status
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
it "gen -o host is in order over commands" is_in_host_order
it "gen --private" makes_privately
it "gen --private keeps the module, and can be found" keeps_the_module
uuid='^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
it "gen -o cpu" makes 5000 gen -o cpu -n 5000
it "gen says that it waits" says_it_waits
it "bench measures" measures
it "--version is the module's" tells "kuid $(cat /sys/module/kuid/version)" --version
finish
