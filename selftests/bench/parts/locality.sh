#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The worth of the order of keys to a database. A machine is booted that makes a million keys of
# each kind; makers.c tells how. Then each kind goes into a table of PostgreSQL and into one of SQLite,
# on this machine.

set -euo pipefail

bench=$1 kernel=$2
vm=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../vm" && pwd)
count=1000000
# In the order of makers.c.
kinds=(v4 v1 v6 v7 lex k64 snowflake)

# The server can't be run by root, and its user may not get at the build directory.
work=$(mktemp -d "${TMPDIR:-/tmp}/kuid-locality.XXXXXX")
server=
stop()
{
	[[ -z $server ]] || as_server "$bin/pg_ctl" --silent -D "$work/data" -m immediate stop || true
	rm -rf "$work"
}
trap stop EXIT

# as_server COMMAND...: of the server, with its libraries.
as_server()
{
	local user=()

	(( EUID )) || user=(setpriv --reuid nobody --regid nogroup --clear-groups)
	"${user[@]}" env LC_ALL=C LD_LIBRARY_PATH="$work/postgresql/usr/lib/x86_64-linux-gnu" "$@"
}

say()
{
	echo "locality: $*" >&2
}

make_keys()
{
	"$vm/boot.sh" --kernel "$kernel" --initrd "$bench/initrd.cpio" --timeout 600 --qemu \
		"-object memory-backend-file,id=keys,size=128M,share=on,mem-path=$work/keys \
-device ivshmem-plain,memdev=keys,addr=0x10" /guest/keys.sh
}

# Of a kind: the bytes of a key, its type in PostgreSQL and in SQLite.
declare -A size=([k64]=8 [snowflake]=8) type=([lex]=bytea [k64]=bigint [snowflake]=bigint)
declare -A sqlite_type=([k64]=INTEGER [snowflake]=INTEGER)

# write_keys NUMBER KIND: its keys as text, one a line.
write_keys()
{
	local bytes=${size[$2]:-16} form=(-tx1 -w16)

	[[ $bytes != 8 ]] || form=(-td8 -w8 --endian=big)
	od -An -v -j $(($1 * count * 16)) -N $((count * bytes)) "${form[@]}" "$work/keys" |
		tr -d ' ' >"$work/keys.$2"
	[[ $(wc -l <"$work/keys.$2") == "$count" ]]
}

start_server()
{
	local top

	top=$("$vm/fetch.sh" postgresql-15)
	(cd "$work" && zcat "$top/root.cpio.gz" | cpio --quiet -id 2>/dev/null)
	bin=$work/postgresql/usr/lib/postgresql/15/bin
	(( EUID )) || chown nobody "$work"
	as_server "$bin/initdb" --no-sync --auth=trust --locale=C --encoding=UTF8 -U postgres \
		-D "$work/data" >"$bench/postgresql.log"
	# The index is larger than the buffers, and only this script makes checkpoints.
	cat >>"$work/data/postgresql.conf" <<-END
	autovacuum = off
	checkpoint_timeout = 1d
	fsync = off
	listen_addresses = ''
	max_wal_size = 16GB
	shared_buffers = 16MB
	unix_socket_directories = '$work'
	END
	as_server "$bin/pg_ctl" --wait --silent -D "$work/data" -l "$work/data/log" start
	server=1
}

query()
{
	as_server "$bin/psql" -h "$work" -U postgres -AtqX -v ON_ERROR_STOP=1 "$@"
}

cell()
{
	printf '%s\t%s\t%s\t%s\n' "$@"
}

megabytes()
{
	awk -v bytes="$1" 'BEGIN { printf "%.1f", bytes / 1e6 }'
}

# Parts of the rows, with a checkpoint after each, as a server makes them from time to time.
fill_postgresql()
{
	local part pages wal images index

	query -c "CREATE TABLE event (id ${type[$1]:-uuid} PRIMARY KEY,
		what text NOT NULL DEFAULT 'it happened')" -c CHECKPOINT \
		-c "SELECT pg_stat_reset_shared('bgwriter'), pg_stat_reset_shared('wal')" >/dev/null
	wal=$(query -c 'SELECT pg_current_wal_lsn()')
	for part in "$work/part."*; do
		echo "COPY event (id) FROM '$part'; CHECKPOINT;"
	done | query
	IFS='|' read -r wal images pages index < <(query -c "SELECT pg_current_wal_lsn() - '$wal', wal_fpi,
		buffers_checkpoint + buffers_clean + buffers_backend, pg_relation_size('event_pkey')
		FROM pg_stat_wal, pg_stat_bgwriter")
	cell locality-postgresql "$1" "MB of the index" "$(megabytes "$index")"
	cell locality-postgresql "$1" "pages written" "$pages"
	cell locality-postgresql "$1" "MB of log" "$(megabytes "$wal")"
	cell locality-postgresql "$1" "page images in it" "$images"
	query -c 'DROP TABLE event' -c CHECKPOINT
}

in_postgresql()
{
	local prefix=''

	[[ $1 != lex ]] || prefix='\\\\x'
	sed "s/^/$prefix/" "$work/keys.$1" | split -l $((count / 10)) - "$work/part."
	chmod a+r "$work"/part.*
	fill_postgresql "$1"
	rm "$work"/part.*
}

# Transactions of 1,000 rows, with the log and the cache that SQLite has by default.
in_sqlite()
{
	local pages key="x'%s'" database=$work/$1.db

	[[ ${size[$1]:-16} == 16 ]] || key=%s
	awk -v row="INSERT INTO event (id) VALUES ($key);\n" '
		NR % 1000 == 1 { print "BEGIN;" }
		{ printf row, $1 }
		NR % 1000 == 0 { print "COMMIT;" }' "$work/keys.$1" >"$work/sql"
	sqlite3 "$database" 'PRAGMA journal_mode = WAL' "CREATE TABLE event (
		id ${sqlite_type[$1]:-BLOB} PRIMARY KEY, what TEXT NOT NULL DEFAULT 'it happened')" >/dev/null
	sqlite3 "$database" 'PRAGMA synchronous = OFF' ".read $work/sql" .stats >"$work/stats"
	cell locality-sqlite "$1" "MB of the database" "$(megabytes "$(stat -c %s "$database")")"
	pages=$(awk '/^Page cache writes:/ { print $NF }' "$work/stats")
	cell locality-sqlite "$1" "pages written" "$pages"
	rm "$database" "$work/sql"
}

say "a machine makes $count keys of each kind"
make_keys
say "PostgreSQL is set up"
start_server
for i in "${!kinds[@]}"; do
	kind=${kinds[i]}
	write_keys "$i" "$kind"
	say "$kind in PostgreSQL"
	in_postgresql "$kind"
	say "$kind in SQLite"
	in_sqlite "$kind"
	rm "$work/keys.$kind"
done
