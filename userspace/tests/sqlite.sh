#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The SQLite extension in SQLite's own shell. Prints KTAP. Needs the module loaded, root, and
# KUID_MODULE.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
# shellcheck disable=SC2154 # tap.sh sets work, out and err
extension=/lib/kuid/libkuid-sqlite.so

# Runs lines of SQL and of the shell, with the extension.
run()
{
	printf '%s\n' ".load $extension" "$@" | sqlite3 -batch -bail :memory:
}

tells_times()
{
	prints "$(printf '%s\n' 1645557742.0 1645557742.0 1645557742.0 1 1645557742.0 \
			-12219292800.0 10.0)" \
		"SELECT kuid_time('c232ab00-9414-11ec-b3c8-9f6bdeced846');" \
		"SELECT kuid_time('1ec9414c-232a-6b00-b3c8-9f6bdeced846');" \
		"SELECT kuid_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');" \
		"SELECT kuid_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', true) = 1645557742.000797;" \
		"SELECT kuid_time('017f22e2-79b0-7fff-bfff-ffffffffffff', true);" \
		"SELECT kuid_time('00000000-0000-1000-8000-000000000000');" \
		"SELECT kuid_time(10 << 24);"
}

# Discord's documentation has the second one, whose epoch is another.
tells_times_of_snowflakes()
{
	prints "$(printf '%s\n' 1656432460.105 1462015105.796 1288834974.657 0.0 1)" \
		"SELECT kuid_snowflake_time(1541815603606036480);" \
		"SELECT kuid_snowflake_time(175928847299117063, 1420070400000);" \
		"SELECT kuid_snowflake_time('0');" \
		"SELECT kuid_snowflake_time(4194303, 0);" \
		"SELECT kuid_snowflake_time(NULL) IS NULL;"
}

bounds_of_snowflakes()
{
	prints "$(printf '%s\n' '0|4194303' 1420070400000 1 1)" \
		"SELECT kuid_snowflake_lowest(1288834974.657), kuid_snowflake_highest(1288834974.657);" \
		"SELECT kuid_snowflake_highest(1420070400, 0) >> 22;" \
		"SELECT kuid_snowflake_highest(1420070400.0009, '1420070400000') = 4194303;" \
		"SELECT kuid_snowflake_highest(2e9) < kuid_snowflake_lowest(2e9 + 0.001);"
}

tells_none()
{
	prints '1|1|1|1' "SELECT kuid_time('919108f7-52d1-4320-9bac-f847db4148a8') IS NULL,
		kuid_time('00000000-0000-0000-0000-000000000000') IS NULL, kuid_time(NULL) IS NULL,
		kuid_v7_lowest(NULL) IS NULL;"
}

bounds()
{
	prints "$(printf '%s\n' '017f22e2-79b0-7000-8000-000000000000|017f22e2-79b0-7fff-bfff-ffffffffffff' \
			'1ec9414c-232a-6b00-8000-000000000000|1ec9414c-232a-6b09-bfff-ffffffffffff' \
			'28948503401070592|28948503401086975' 1)" \
		"SELECT kuid_v7_lowest(1645557742), kuid_v7_highest(1645557742.0);" \
		"SELECT kuid_v6_lowest(1645557742), kuid_v6_highest(1645557742);" \
		"SELECT kuid_k64_lowest(unixepoch('2022-02-22 19:22:22')), kuid_k64_highest('1645557742');" \
		"SELECT kuid_v7_highest(1.002999) < kuid_v7_lowest(1.003) AND
			kuid_v7_highest(1.002999, true) < kuid_v7_lowest(1.003, true) AND
			kuid_v7_highest(1.002998, true) < kuid_v7_lowest(1.002999, true) AND
			kuid_time(kuid_v7_lowest(1.002999, true), true) = 1.002999;"
}

# The columns have the functions as their defaults.
makes_ids()
{
	prints "$(printf '%s\n' '1000|1000|1000|1000|1000' '1|1|1|1' '1|1|1|1|1')" \
		"CREATE TABLE made (nr INTEGER PRIMARY KEY, v1 TEXT DEFAULT (kuid_v1()),
			v6 TEXT DEFAULT (kuid_v6()), v7 TEXT DEFAULT (kuid_v7()),
			k64 INTEGER DEFAULT (kuid_k64()),
			snowflake INTEGER DEFAULT (kuid_snowflake()));" \
		"INSERT INTO made (nr) SELECT value FROM generate_series(1, 1000);" \
		"SELECT count(DISTINCT v1), count(DISTINCT v6), count(DISTINCT v7), count(DISTINCT k64),
			count(DISTINCT snowflake)
			FROM made;" \
		"SELECT min(b.v6 > a.v6), min(b.v7 > a.v7), min(b.k64 > a.k64),
			min(b.snowflake > a.snowflake)
			FROM made AS a JOIN made AS b ON b.nr = a.nr + 1;" \
		"SELECT min(v1 GLOB '????????-????-1*'), min(v6 GLOB '????????-????-6*'),
			min(v7 BETWEEN kuid_v7_lowest(kuid_time(v7, true), true) AND
				kuid_v7_highest(kuid_time(v7, true), true)),
			min(k64 BETWEEN kuid_k64_lowest(kuid_time(k64)) AND
				kuid_k64_highest(kuid_time(k64))),
			min(snowflake BETWEEN kuid_snowflake_lowest(kuid_snowflake_time(snowflake)) AND
				kuid_snowflake_highest(kuid_snowflake_time(snowflake)))
			FROM made;"
}

# shellcheck disable=SC2016 # for the shell that SQLite's shell runs
is_in_host_order()
{
	prints "kuid-order:	host" ".output /dev/null" "SELECT kuid_v7();" "SELECT kuid_v7();" ".output" \
		'.shell cat /proc/$PPID/fdinfo/* | grep kuid-order'
}

# A column of 16 bytes.
keeps_blobs()
{
	prints "$(printf '%s\n' 'blob|16|1' '1|0' '1645557742.0|1' 1)" \
		"CREATE TABLE made (id BLOB PRIMARY KEY DEFAULT (kuid_blob(kuid_v7())), nr) WITHOUT ROWID;" \
		"INSERT INTO made (nr) VALUES (1);" \
		"INSERT INTO made VALUES (kuid_blob('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), 2);" \
		"SELECT typeof(id), length(id), id > kuid_blob(kuid_v7_lowest(1645557742)) FROM made WHERE nr = 1;" \
		"SELECT count(*), max(id = (SELECT id FROM made WHERE nr = 1)) FROM made
			WHERE id BETWEEN kuid_blob(kuid_v7_lowest(1645557742)) AND kuid_blob(kuid_v7_highest(1645557742));" \
		"SELECT kuid_time(id), kuid_time(id, true) = 1645557742.000797 FROM made WHERE nr = 2;" \
		"SELECT kuid_text(id) = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' FROM made WHERE nr = 2;"
}

finds_blobs_by_index()
{
	run "CREATE TABLE made (id BLOB PRIMARY KEY) WITHOUT ROWID;" \
		"EXPLAIN QUERY PLAN SELECT * FROM made WHERE id >= kuid_blob(kuid_v7_lowest(1645557742));" >"$out" &&
		grep -q 'SEARCH made USING PRIMARY KEY (id>?)' "$out"
}

# is_wrong TEXT SQL
is_wrong()
{
	text=$1
	shift
	run "$@" >"$out" 2>&1
	grep -F -- "$text" "$out"
}

without_module()
{
	rmmod kuid && is_wrong 'could not make an ID with "/dev/kuids/v7": No such device' \
		'SELECT kuid_v7();'
	result=$?
	[ -e /sys/module/kuid ] || insmod "$KUID_MODULE"
	return $result
}

without_number()
{
	rmmod kuid && insmod "$KUID_MODULE" &&
		is_wrong 'must give this host a number that no other host has' \
			'SELECT kuid_snowflake();' && kuid node --snowflake 17
}

# The schema is trusted by default, so that columns have such defaults.
untrusted_schema()
{
	is_wrong 'unsafe use of kuid_v7()' 'PRAGMA trusted_schema = OFF;' \
		'CREATE VIEW drain AS SELECT kuid_v7();' 'SELECT * FROM drain;' &&
		prints 10.0 'PRAGMA trusted_schema = OFF;' \
			'CREATE VIEW times AS SELECT kuid_time(10 << 24);' 'SELECT * FROM times;'
}

# A connection looks for the device until it is there.
finds_device_later()
{
	rmmod kuid || return
	printf '%s\n' ".load $extension" 'SELECT kuid_v7();' ".shell insmod $KUID_MODULE" \
		'SELECT kuid_v7() > 0;' | sqlite3 :memory: >"$out" 2>&1
	[ -e /sys/module/kuid ] || insmod "$KUID_MODULE"
	[ "$(tail -n 1 "$out")" = 1 ]
}

echo "KTAP version 1"
it "the times of IDs" tells_times
it "those of snowflakes" tells_times_of_snowflakes
it "IDs without a time" tells_none
it "the lowest and highest IDs of a time" bounds
it "the lowest and highest snowflakes of a time" bounds_of_snowflakes
it "IDs of all formats: each once, increasing, in the bounds of their times" makes_ids
it "they have the order of the host" is_in_host_order
it "an untrusted schema can't use up IDs" untrusted_schema
it "text that is no UUID is an error" is_wrong 'not a UUID' "SELECT kuid_time('x');"
it "a blob of another size is none" is_wrong 'not a UUID as 16 bytes' "SELECT kuid_time(x'00');"
it "nor can it be made text" is_wrong 'not a UUID as 16 bytes' "SELECT kuid_text(x'00');"
try is_wrong 'not a UUID as 16 bytes' "SELECT kuid_text('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');"
try is_wrong 'not a UUID as text' "SELECT kuid_blob(x'017f22e279b07cc398c4dc0c0c07398f');"
it "a number is neither" is_wrong 'not a UUID as text' "SELECT kuid_blob(1);"
try is_wrong 'not a UUID as text' "SELECT kuid_blob('017f22e2-79b0-7cc3-98c4-dc0c0c07398f' || char(0));"
it "blobs have bounds, times and texts" keeps_blobs
it "an index finds blobs of a time" finds_blobs_by_index
it "a time must be a number" is_wrong 'number of seconds' "SELECT kuid_v7_lowest('2026-11-01');"
it "a format doesn't reach each time" is_wrong 'out of range' 'SELECT kuid_v7_lowest(-1);'
it "not even if it is huge" is_wrong 'out of range' 'SELECT kuid_k64_highest(1e300);'
it "a negative number is no snowflake" is_wrong 'not a snowflake' 'SELECT kuid_snowflake_time(-1);'
it "text is none" is_wrong 'not a snowflake' "SELECT kuid_snowflake_time('x');"
it "an epoch is not negative" is_wrong 'no epoch' 'SELECT kuid_snowflake_time(1, -1);'
it "nor text" is_wrong 'no epoch' "SELECT kuid_snowflake_lowest(1.0, 'x');"
it "a time before the epoch is an error" is_wrong 'out of range' 'SELECT kuid_snowflake_lowest(1288834974.656);'
it "a time past 41 bits is an error" is_wrong 'out of range' 'SELECT kuid_snowflake_highest(2199023255.552, 0);'
it "a host without a number has no snowflakes, which says what to do" without_number
it "a missing device is an error" without_module
it "a connection goes on when there is one" finds_device_later
finish
