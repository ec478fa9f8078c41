#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the PostgreSQL extension and of the drop-in for libuuid, with a server in the guest:
#   guest.sh VERSION
# run/check_postgresql.sh puts the server into the root directory /postgresql, with the extension and
# the drop-in, and these tests into /postgresql/tests. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. /postgresql/tests/tap.sh
# shellcheck source=SCRIPTDIR/../vm/guest/klog.sh
. /guest/klog.sh
# shellcheck disable=SC2154 # tap.sh sets work and out
version=$1
root=/postgresql
bin=/usr/lib/postgresql/$version/bin
data=/tmp/data
preload=LD_PRELOAD=/usr/lib/kuid/libkuid-uuid.so
counters=/sys/class/kuid/kuid/counters
# Of all sessions, as PGOPTIONS.
options=

explain()
{
	tail -n 20 "$out" "$work/said" $root/tmp/server.log
}

# as_postgres COMMAND: a line of shell, run by the user postgres in the server's root directory.
as_postgres()
{
	chroot $root su postgres -c "export PATH=$bin:/bin LC_ALL=C PGHOST=/tmp PGOPTIONS='$options'; cd /tmp; $*"
}

prepare()
{
	mkdir -p $root/bin $root/dev $root/etc $root/proc $root/tmp || return
	cp /bin/busybox $root/bin || return
	for name in cat diff env grep ls mkdir rm sh sleep su touch; do
		ln -sf busybox $root/bin/$name
	done
	echo 'postgres:x:70:70::/tmp:/bin/sh' >$root/etc/passwd
	echo 'postgres:x:70:' >$root/etc/group
	mount -o bind /dev $root/dev && mount -t tmpfs -o mode=1777 none $root/dev/shm &&
		mount -t proc proc $root/proc && mount -t tmpfs -o mode=1777 none $root/tmp
}

new_server()
{
	as_postgres initdb --no-sync --auth=trust --locale=C --encoding=UTF8 -D $data || return
	cat >>$root$data/postgresql.conf <<-'END'
	fsync = off
	jit = off
	listen_addresses = ''
	shared_buffers = 16MB
	shared_preload_libraries = 'kuid'
	unix_socket_directories = '/tmp'
	END
}

# start [VARIABLE=VALUE...]: of the server's environment.
start()
{
	as_postgres env "$@" pg_ctl --wait --silent -D $data -l /tmp/server.log start
}

stop()
{
	as_postgres pg_ctl --wait --silent -D $data -m "${1:-fast}" stop
}

# Runs SQL from stdin in one session, and prints results and errors.
session()
{
	as_postgres psql -AtqX -d postgres -v VERBOSITY=verbose -f - 2>&1
}

# sql LINE...
sql()
{
	printf '%s\n' "$@" | session
}

# gives TEXT LINE...: all that these lines of SQL print.
gives()
{
	text=$1
	shift
	sql "$@" >"$out"
	[ "$(cat "$out")" = "$text" ]
}

# refuses STATE TEXT HINT LINE...: one fails with this error; without a hint if HINT is empty.
refuses()
{
	state=$1 text=$2 hint=$3
	shift 3
	sql "$@" >"$out"
	says_error
}

says_error()
{
	grep -F "$state: $text" "$out" || return
	if [ "$hint" ]; then
		grep "^HINT: .*$hint" "$out"
	else
		! grep '^HINT: ' "$out"
	fi
}

# A process of the server that ends may still have a device file open.
loads()
{
	[ ! -e /sys/module/kuid ] || eventually rmmod kuid 2>/dev/null || return
	insmod /lib/kuid.ko "$@"
}

regress()
{
	as_postgres "rm -rf regress && mkdir regress && pg_regress --inputdir=/tests --outputdir=regress \
		--bindir=$bin --host=/tmp --load-extension=kuid $1" && return
	cat $root/tmp/regress/regression.diffs >"$out"
	return 1
}

has_no_file()
{
	postmaster=$(head -n 1 $root$data/postmaster.pid)
	for file in "/proc/$postmaster/fd"/*; do
		readlink "$file"
	done >"$out"
	[ -s "$out" ] && ! grep kuid "$out"
}

# shellcheck disable=SC2016 # for the shell that psql runs
has_one_file()
{
	gives 1 'SELECT kuid_v7() FROM generate_series(1, 100) \g /dev/null' \
		'SELECT pg_backend_pid() AS pid \gset' '\setenv PID :pid' \
		'\! ls -l /proc/$PID/fd | grep -c kuid'
}

# The session finds no device, with and without kuid.fallback; then it finds one.
goes_on()
{
	rm -f $root/tmp/loaded
	sql 'SELECT kuid_v7() IS NOT NULL;' 'SET client_min_messages = error;' 'SET kuid.fallback = on;' \
		'SELECT kuid_v7() IS NOT NULL;' '\! while [ ! -e /tmp/loaded ]; do sleep 0.1; done' \
		'SELECT kuid_v7() IS NOT NULL;' >"$work/session" &
	eventually grep -qx t "$work/session" && loads
	touch $root/tmp/loaded
	wait $!
	grep -q ERROR "$work/session" && [ "$(grep -cx t "$work/session")" -eq 2 ] &&
		[ "$(cat $counters/v7)" -eq 1 ]
}

# The process makes IDs in order, and tells once for each session that it does.
falls_back()
{
	gives '100|t' 'SET client_min_messages = error;' 'SET kuid.fallback = on;' \
		'CREATE TABLE fell_back AS SELECT nr, kuid_v7() AS id FROM generate_series(1, 100) AS nr;' \
		'SELECT count(DISTINCT a.id), bool_and(b.id > a.id) FROM fell_back AS a
			LEFT JOIN fell_back AS b ON b.nr = a.nr + 1;' || return
	sql 'SET kuid.fallback = on;' 'SELECT kuid_v7() FROM generate_series(1, 3);' >"$out"
	[ "$(grep -c 'WARNING: .*there is no device' "$out")" -eq 1 ] && grep -q '^HINT: .*modprobe kuid' "$out" &&
		[ "$(grep -cE '^[0-9a-f-]{36}$' "$out")" -eq 3 ]
}

is_refused()
{
	chmod 0 /dev/kuids/v6
	refuses 42501 'could not make an ID with "/dev/kuids/v6": Permission denied' 'read the device' \
		'SELECT kuid_v6();'
}

# Begins a session that waits for an ID.
waiter()
{
	loads state=required || return
	echo 'SELECT kuid_k64();' | session >"$work/waiter" &
	waiter=$!
	eventually is_waiting
}

is_waiting()
{
	[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Extension';")" = 1 ]
}

# ended STATE TEXT: it has, with this error and no other before it.
ended()
{
	wait "$waiter"
	cat "$work/waiter"
	grep -m 1 -e ERROR -e FATAL "$work/waiter" | grep -qF "$1: $2"
}

is_cancelled()
{
	waiter || return
	sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Extension';"
	ended 57014 'canceling statement due to user request'
}

times_out()
{
	loads state=required && refuses 57014 'canceling statement due to statement timeout' '' \
		"SET statement_timeout = '500 ms';" 'SELECT kuid_k64();'
}

is_terminated()
{
	waiter || return
	sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Extension';"
	ended 57P01 'terminating connection due to administrator command'
}

goes_on_when_restored()
{
	waiter && kuid restore --first "$work/state" || return
	wait "$waiter"
	cat "$work/waiter"
	[ "$(cat "$work/waiter")" -gt 0 ]
}

gives_up()
{
	wait "$waiter"
	cp "$work/waiter" "$out"
	state=55000 text='could not make an ID with "/dev/kuids/k64": No data available'
	hint='must restore the saved state'
	says_error
}

# 8 sessions that begin together, each with 300 IDs of each format.
sessions()
{
	rm -f $root/tmp/go $root/tmp/ready.*
	gives "" 'CREATE SEQUENCE event;' \
		'CREATE TABLE took (who int, format text, before bigint, key text COLLATE "C", after bigint);' ||
		return
	pids=
	for who in 1 2 3 4 5 6 7 8; do
		{ echo "\\set who $who"; cat $root/tests/take.sql; } | session >"$work/session.$who" &
		pids="$pids $!"
	done
	eventually all_ready
	touch $root/tmp/go
	for pid in $pids; do
		wait "$pid"
	done
	cat "$work"/session.* >"$out"
	[ ! -s "$out" ]
}

all_ready()
{
	[ "$(find $root/tmp -name 'ready.*' | wc -l)" = 8 ]
}

# No ID is below another one of its format that was returned before its call.
in_order()
{
	gives 'f|2400|8' "SELECT bool_or(NOT done AND key <= highest), count(*) / 2, count(DISTINCT who)
		FROM (SELECT *, max(key) FILTER (WHERE done) OVER (ORDER BY at) AS highest FROM (
		SELECT who, key, before AS at, false AS done FROM took WHERE format = '$1' UNION ALL
		SELECT who, key, after, true FROM took WHERE format = '$1') AS events) AS run;"
}

no_repeats()
{
	gives 12000 'SELECT count(DISTINCT (format, key)) FROM took;'
}

parallel()
{
	sql "$(cat $root/tests/parallel.sql)" >"$out"
	[ "$(cat "$out")" = "t|20000|20000|20000|t|t|t
t" ]
}

# in_lanes COMMAND...: sessions make UUIDs themselves meanwhile, and the device none.
in_lanes()
{
	counted=$(cat $counters/v1 $counters/v6 $counters/v7)
	options='-c kuid.private=on'
	"$@"
	result=$?
	options=
	[ "$(cat $counters/v1 $counters/v6 $counters/v7)" = "$counted" ] && return $result
}

# Each session has a node of its own, which is not the device's.
has_node_of_lane()
{
	two='SELECT substr(kuid_v1()::text, 25) FROM generate_series(1, 2);'
	{ sql "$two" | uniq && sql "$two" | uniq && cat /sys/class/kuid/kuid/identity/node; } >"$out"
	[ "$(wc -l <"$out")" -eq 3 ] && [ "$(sort -u "$out" | wc -l)" -eq 3 ]
}

sessions_in_lanes()
{
	gives '' 'DROP SEQUENCE event;' 'DROP TABLE took;' && sessions && no_repeats
}

# Workers of one query have lanes of their own.
workers_in_lanes()
{
	gives 't|20000' 'SET parallel_setup_cost = 0;' 'SET parallel_tuple_cost = 0;' \
		'SET min_parallel_table_scan_size = 0;' 'SET max_parallel_workers_per_gather = 3;' \
		'CREATE TABLE made_in_lanes AS SELECT process() AS process, kuid_v7() AS v7 FROM many;' \
		'SELECT count(DISTINCT process) > 1, count(DISTINCT v7) FROM made_in_lanes;'
}

# There are no lanes while the node is given.
device_goes_on()
{
	kuid node --node 0223456789ab >"$out" || return
	options='-c kuid.private=on'
	gives 0223456789ab 'SELECT substr(kuid_v1()::text, 25);'
	result=$?
	options=
	kuid node --node random >"$out" && return $result
}

# After a restart, IDs are greater than all before it.
restarts()
{
	gives '' 'CREATE TABLE life (nr int, v6 uuid, v7 uuid, k64 bigint, snowflake bigint);' \
		'INSERT INTO life SELECT 1, kuid_v6(), kuid_v7(), kuid_k64(), kuid_snowflake();' &&
		stop immediate && start &&
		gives 't|t|t|t' \
			'INSERT INTO life SELECT 2, kuid_v6(), kuid_v7(), kuid_k64(), kuid_snowflake();' \
			'SELECT b.v6 > a.v6, b.v7 > a.v7, b.k64 > a.k64, b.snowflake > a.snowflake
				FROM life a, life b WHERE a.nr = 1 AND b.nr = 2;'
}

# A twin of this machine may have the node that was given.
may_be_clone()
{
	loads node="$1" && echo freezer >/sys/power/pm_test && echo disk >/sys/power/state &&
		refuses 55000 'could not make an ID with "/dev/kuids/v6": Stale file handle' 'must confirm or change' \
			'SELECT kuid_v6();'
	result=$?
	echo none >/sys/power/pm_test
	return $result
}

# The node in IDs of uuid-ossp.
node_of_uuid_ossp()
{
	sql 'SELECT substr(uuid_generate_v1()::text, 25);'
}

has_own_node()
{
	gives '' 'CREATE EXTENSION "uuid-ossp";' &&
		[ "$(node_of_uuid_ossp)" != "$(cat /sys/class/kuid/kuid/identity/node)" ]
}

has_node_of_device()
{
	stop && start $preload || return
	node_of_uuid_ossp >"$out"
	cmp "$out" /sys/class/kuid/kuid/identity/node
}

# The server ends all sessions if a process of it aborts.
aborts()
{
	stop && start $preload LIBKUID_UUID_FALLBACK=require && rmmod kuid || return
	node_of_uuid_ossp >"$out"
	grep 'server closed the connection' "$out" && eventually gives 1 'SELECT 1;' &&
		grep 'terminated by signal 6' $root/tmp/server.log
}

echo "KTAP version 1"
it "a planted warning is caught" klog_catches
klog_mark
it "the server is set up" eval 'prepare && new_server && start'
it "the extension can be created" gives '' 'CREATE EXTENSION kuid;'
it "without the module, an ID is an error that says what to do" refuses 58P01 \
	'could not make an ID with "/dev/kuids/v7": No such device' 'modprobe kuid' 'SELECT kuid_v7();'
it "kuid.fallback is off" gives off 'SHOW kuid.fallback;'
it "with kuid.fallback the session makes v7, and says so once" falls_back
it "with kuid.fallback a v6 is an error" refuses 58P01 'could not make an ID with "/dev/kuids/v6"' \
	'modprobe kuid' 'SET kuid.fallback = on;' 'SELECT kuid_v6();'
it "without it again a v7 is an error" refuses 58P01 'could not make an ID with "/dev/kuids/v7"' \
	'modprobe kuid' "SET client_min_messages = error;" 'SET kuid.fallback = on;' \
	'SELECT kuid_v7() \g /dev/null' 'SET kuid.fallback = off;' 'SELECT kuid_v7();'
it "the session goes on when the module is loaded" goes_on
it "a device file that may not be read is an error" is_refused

it "a session that waits for an ID can be cancelled" is_cancelled
it "it has a timeout" times_out
it "it can be terminated" is_terminated
it "it goes on when the state was restored" goes_on_when_restored
it "a session waits for a state" waiter
it "functions of times pass pg_regress" regress times
it "it is an error if the state isn't restored" gives_up

loads
it "a host without a number has no snowflakes, which says what to do" refuses 55000 \
	'could not make an ID with "/dev/kuids/snowflake": Required key not available' \
	'must give this host a number' 'SELECT kuid_snowflake();'
kuid node --snowflake 17 >"$out"
it "functions that make IDs pass pg_regress" regress ids
it "8 sessions take IDs at once" sessions
for format in v1 v6 v7 k64 snowflake; do
	it "$format: an ID is above all that any session had before" in_order $format
done
it "no ID was there twice" no_repeats
it "workers of one query make IDs, in order and without a repeat" parallel
it "after a crash of the server, IDs are above those before" restarts
it "the process that forks all others has no open file of the device" has_no_file
it "a session has one" has_one_file
it "the device makes IDs unless kuid.private is on" gives off 'SHOW kuid.private;'
it "with kuid.private, functions that make IDs pass pg_regress" in_lanes regress ids
it "with kuid.private, each session has a node" in_lanes has_node_of_lane
it "with kuid.private, 8 sessions repeat no ID" in_lanes sessions_in_lanes
it "with kuid.private, workers of one query repeat no ID" in_lanes workers_in_lanes
it "with kuid.private, the device makes IDs with a given node" device_goes_on
it "with kuid.private, a session has one open file" in_lanes has_one_file
it "an identity that may be a twin's is an error" may_be_clone 0123456789ab

loads
it "uuid-ossp alone has a node of its own" has_own_node
it "with the drop-in it has that of the device" has_node_of_device
it "with no device and no fallback it ends the session" aborts
it "the server stops while a session waits" eval 'waiter && stop'
it "the kernel log has no complaints" klog_check
finish
