# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared by the tests of kuid-claim, which source this after cluster.sh: a server of PostgreSQL on
# loopback, and what can happen to it. Needs the programs of a server, of which Debian has those of
# each version in a directory of its own, and a user that is not root: "postgres" if root runs this.

server_bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
# shellcheck disable=SC2154 # by tap.sh
server=$work/server
# shellcheck disable=SC2046 # words
set -- $(free_ports 2)
# shellcheck disable=SC2034 # by those that source this
server_port=$1 lossy_port=$2

# The server refuses to run as root.
as_server()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
	else
		"$@"
	fi
}

# server_url [PORT] [USER]
server_url()
{
	echo "postgresql://${2:-claims}@127.0.0.1:${1:-$server_port}/postgres"
}

sql()
{
	psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$(server_url "" admin)" "$@"
}

start_server()
{
	as_server env SHIM="$server" LD_PRELOAD="$server/shim.so" "$server_bin/postgres" -D "$server/data" \
		-p "$server_port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
		-c max_connections=300 >>"$server/log" 2>&1 &
	echo $! >"$server/pid"
	eventually sql -c 'SELECT 1'
}

# All of its processes at once, so that none writes what another one has left in memory.
kill_server()
{
	processes=$(pgrep -P "$(cat "$server/pid")")
	# shellcheck disable=SC2086 # words
	kill -KILL "$(cat "$server/pid")" $processes
	wait "$(cat "$server/pid")"
	eventually none_is_left
}

none_is_left()
{
	# shellcheck disable=SC2086 # words
	! kill -0 $processes
}

end_server()
{
	[ ! -e "$server/pid" ] || kill_server
}
trap 'end_server 2>/dev/null; end_all' EXIT

# One user with the table, as "kuid-claim --schema" has it; passwords are asked for once there are any.
make_server()
{
	chmod 711 "$work"
	mkdir "$server" && mkdir -m 700 "$server/data" && cp "$SHIM_LIB" "$server/shim.so" || return
	if [ "$(id -u)" -eq 0 ]; then
		chown postgres "$server" "$server/data"
	fi
	as_server "$server_bin/initdb" -D "$server/data" -U admin -A trust --no-sync >"$server/log" &&
		start_server && "$CHECKED_CLAIM" --schema >"$work/schema.sql" &&
		sql -c 'CREATE ROLE claims LOGIN'
}

make_table()
{
	sql -f "$work/schema.sql" && sql -c 'GRANT SELECT, INSERT, UPDATE ON kuid_claim TO claims'
}
