#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Repeats and IDs out of order of generators of other languages and of PostgreSQL, on this machine.

set -euo pipefail

bench=$1
work=$(mktemp -d)
vm=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../vm" && pwd)
trap 'rm -rf "$work"' EXIT

# peer ROW MAKER...: without the cases that would set this machine's clock.
peer()
{
	"$bench/root/bench/makers" promises --demonstrate "$@"
}

# PostgreSQL 18, in its own root directory, as a user that may run a server.
in_postgresql()
{
	chroot --userspec=65534:65534 "$work/root/postgresql" "$@"
}

try_postgresql()
{
	local server bin=/usr/lib/postgresql/18/bin status=0

	server=$("$vm/fetch.sh" postgresql-18)
	mkdir "$work/root"
	(cd "$work/root" && zcat "$server/root.cpio.gz" | cpio --quiet -id 2>/dev/null)
	chmod 755 "$work"
	mkdir -p "$work"/root/postgresql/{dev,data,bin}
	mkdir -m 1777 "$work/root/postgresql/dev/shm"
	mknod -m 666 "$work/root/postgresql/dev/null" c 1 3
	mknod -m 666 "$work/root/postgresql/dev/urandom" c 1 9
	# The server runs its programs by a shell.
	cp "$(command -v busybox)" "$work/root/postgresql/bin/sh"
	echo 'postgres:x:65534:65534::/:/bin/sh' >"$work/root/postgresql/etc/passwd"
	chown 65534 "$work/root/postgresql/data"
	in_postgresql $bin/initdb --no-sync --auth=trust --locale=C -U postgres -D /data >"$work/log" &&
		in_postgresql $bin/pg_ctl --wait --silent -D /data -l /data/log \
			-o "-c listen_addresses= -c unix_socket_directories=/data" start || status=1
	if (( !status )); then
		peer "PostgreSQL 18, v7" program sh -c "sed -u 's/.*/SELECT uuidv7();/' | chroot \
			--userspec=65534:65534 $work/root/postgresql $bin/psql -h /data -U postgres -AtqX" || status=1
		in_postgresql $bin/pg_ctl --silent -D /data -m immediate stop || status=1
	fi
	return $status
}

peer "Python 3.14, v7" program "$("$vm/fetch.sh" python3.14)/bin/python3.14" "${0%/*}/../peers/python.py"
peer "Go, google/uuid 1.6, v7" program "$bench/google_uuid"
if [[ -d $bench/node_modules ]]; then
	NODE_PATH=$bench/node_modules peer "npm uuid 11.1, v7" program node "${0%/*}/../peers/npm_uuid_v7.js"
else
	echo "peers: npm uuid is left out, because npm's registry can't be reached" >&2
fi
if (( !EUID )); then
	try_postgresql || { tail -n 5 "$work/log" >&2; exit 1; }
else
	echo "peers: PostgreSQL is left out, because its root directory needs root" >&2
fi
