#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the PostgreSQL extension for each version, boots a machine with the server, and runs the
# tests of the extension and of the drop-in in it:   check_postgresql.sh BUILD KERNEL ROOT VERSION...
# ROOT is the staging directory of vm-root. Prints KTAP and one line of totals.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "KERNEL ROOT VERSION..." "$@"

# prepare VERSION: makes the initramfs, which ends with the archive of the server.
prepare()
{
	local version=$1 server stage=$build/postgresql/$1 initrd=$build/postgresql/$1.cpio

	server=$("$vm/fetch.sh" "postgresql-$version") || return
	rm -rf "$stage"
	mkdir -p "$stage/postgresql/tests" "$stage/postgresql/usr/lib/kuid" || return
	make -s -C "$top/userspace/postgresql" O="$build/userspace" PG_CONFIG="$server/pg_config" \
		DESTDIR="$stage/postgresql" pkglibdir="/usr/lib/postgresql/$version/lib" \
		datadir="/usr/share/postgresql/$version" install || return
	cp "$root/lib/kuid/libkuid-uuid.so" "$stage/postgresql/usr/lib/kuid" || return
	cp -r "$top"/userspace/postgresql/{sql,expected} "$top"/selftests/postgresql/* \
		"$top/userspace/tests/tap.sh" "$stage/postgresql/tests" || return
	"$vm/initramfs.sh" "$initrd" "$root" "$stage" || return
	zcat "$server/root.cpio.gz" >>"$initrd"
}

for version in "${rest[@]}"; do
	log=$logs/postgresql-$version.log
	echo "== the extension for PostgreSQL $version"
	quietly prepare "$version" || continue
	# With a finer clock the time alone would order the IDs of most sessions.
	tap_machine "$kernel" "$build/postgresql/$version.cpio" \
		--clocksource jiffies --timeout 1200 /postgresql/tests/guest.sh "$version"
done
totals_end
