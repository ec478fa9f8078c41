#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds library, tool, drop-in and examples with gcc and clang, for glibc and for musl, without a
# warning, and runs the tests of the tool once more for musl:
#   compilers.sh BUILD SYSROOT
# SYSROOT is "fetch.sh musl". Prints KTAP.
# shellcheck disable=SC2317 # the tests are called by it

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build SYSROOT "$@"
build+=/compilers
mkdir -p "$build"
cd "$top/userspace" || exit
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. tests/tap.sh

# shellcheck disable=SC2154 # work and out are set there
explain()
{
	tail -n 20 "$out"
	grep -A 9 '^not ok' "$work/said" || tail -n 20 "$work/said"
}

musl_gcc=(CC=musl-gcc CPPFLAGS="-idirafter $sysroot/usr/include" LDFLAGS="-L$sysroot/usr/lib")
# Debian has no shared libgcc for musl.
musl_clang=(CC="clang --target=$(uname -m)-linux-musl --sysroot=$sysroot --gcc-toolchain=/usr"
	LDFLAGS=-static-libgcc)

# builds NAME ARGUMENT...: fails if make prints anything, such as a warning of the linker.
builds()
{
	local name=$1

	shift
	make -s -j "$(nproc)" O="$build/$name" CFLAGS="-O2 -g -Werror" "$@" >"$out" 2>&1 && [[ ! -s $out ]]
}

makes_ids()
{
	"$build/$1/bin/kuid" gen --local -n 1000 | sort -u | grep -cxE '[-0-9a-f]{36}' | grep -qx 1000
}

# The tests preload the fake device into programs of glibc, too, so it must not bring musl along.
builds_fake_device()
{
	local fake=$build/musl-gcc/tests/pure/fake_device.so

	make -s O="$build/musl-gcc" "${musl_gcc[@]}" CC="musl-gcc -nostdlib" "$fake" &&
		! readelf -d "$fake" | grep NEEDED
}

# The drop-in needs no program of libuuid here: only the one function that it calls.
drop_in_works()
{
	local from=$build/musl-gcc

	mkdir "$work/device" && echo 'load_id 1' >"$work/device/device"
	cat >"$work/uuid.c" <<-'END'
	#include <stdio.h>

	void uuid_generate_time(unsigned char *uuid);

	int main(void)
	{
		unsigned char uuid[16];

		uuid_generate_time(uuid);
		for (int i = 0; i < 16; i++)
			printf("%02x", uuid[i]);
		return 0;
	}
	END
	musl-gcc -o "$work/uuid" "$work/uuid.c" -Wl,-rpath,"$from/lib:$from/lib/kuid" \
		"$from/lib/kuid/libkuid-uuid.so" "$from/lib/libkuid.so" || return
	# The first ID of the fake device.
	[[ $(FAKE=$work/device LD_PRELOAD=$from/tests/pure/fake_device.so "$work/uuid") == \
		00000000000010008000000000000000 ]]
}

# A test of the tool, with the words that musl and the stand-alone argp have for errors.
passes()
{
	make -s O="$build/musl-gcc" TESTED="$build/musl-gcc/bin/kuid" \
		SCRIPTS="$work/tests/pure/$1.sh" check-tool
}

cp -a tests "$work/tests"
sed -i -e 's|Input/output error|I/O error|' -e 's/Too many open files/No file descriptors available/' \
	-e 's/Disk quota exceeded/Quota exceeded/' -e "s/'quota'/'Quota'/" \
	-e "s/\(option\|argument\) -- '\(.\)'/\1 -- \2/" -e "s/option '\(-[^']*\)'/option \\\\\`\1'/" \
	"$work"/tests/pure/*.sh

echo "KTAP version 1"
it "gcc builds for glibc" builds gcc CC=gcc
it "clang builds for glibc" builds clang CC=clang
it "gcc builds for musl" builds musl-gcc "${musl_gcc[@]}"
it "clang builds for musl" builds musl-clang "${musl_clang[@]}"
it "clang builds the SQLite extension" builds clang -C sqlite CC=clang
for name in clang musl-gcc musl-clang; do
	it "the tool of $name makes IDs" makes_ids $name
done
for name in musl-gcc musl-clang; do
	it "the tool of $name needs musl" \
		matches "interpreter: /lib/ld-musl" readelf -l "$build/$name/bin/kuid"
done
it "the fake device for musl can be built" builds_fake_device
it "the drop-in for musl takes IDs from it" drop_in_works
for name in bench cdi gen state status tool; do
	it "the tool for musl passes $name.sh" passes $name
done

finish
