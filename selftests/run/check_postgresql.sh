#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the PostgreSQL extension for each version, boots a machine with the server, and runs the
# tests of the extension and of the drop-in in it:   check_postgresql.sh BUILD KERNEL ROOT VERSION...
# ROOT is the staging directory of vm-root. Prints KTAP and one line of totals.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$here/../..
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
takes "BUILD KERNEL ROOT VERSION..." "$@"
kernel=$2 root=$3

# prepare VERSION: makes the initramfs, which ends with the archive of the server.
prepare()
{
	local version=$1 server stage=$build/postgresql/$1 initrd=$build/postgresql/$1.cpio

	server=$("$here/../vm/fetch.sh" "postgresql-$version") || return
	rm -rf "$stage"
	mkdir -p "$stage/postgresql/tests" "$stage/postgresql/usr/lib/kuid" || return
	make -s -C "$tree/userspace/postgresql" O="$build/userspace" PG_CONFIG="$server/pg_config" \
		DESTDIR="$stage/postgresql" pkglibdir="/usr/lib/postgresql/$version/lib" \
		datadir="/usr/share/postgresql/$version" install || return
	cp "$root/lib/kuid/libkuid-uuid.so" "$stage/postgresql/usr/lib/kuid" || return
	cp -r "$tree"/userspace/postgresql/{sql,expected} "$tree"/selftests/postgresql/* \
		"$tree/userspace/tests/tap.sh" "$stage/postgresql/tests" || return
	"$here/../vm/initramfs.sh" -o "$initrd" "$root" "$stage" || return
	zcat "$server/root.cpio.gz" >>"$initrd"
}

for version in "${@:4}"; do
	log=$logs/postgresql-$version.log
	echo "== the extension for PostgreSQL $version"
	quietly prepare "$version" || continue
	echo "== Linux $(<"$kernel/release") in QEMU"
	# With a finer clock the time alone would order the IDs of most sessions.
	add_tap "$here/../vm/boot.sh" --kernel "$kernel" --initrd "$build/postgresql/$version.cpio" \
		--clocksource jiffies --timeout 1200 /postgresql/tests/guest.sh "$version"
done
totals_end
