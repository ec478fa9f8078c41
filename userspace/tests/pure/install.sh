#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The library as it is installed: its header by itself, in each standard of C and C++; programs that
# are linked with it by pkg-config, shared and static; and what keeps its symbols as they should be.
# Prints KTAP. BUILT is where "make" has put everything; run beside the library's sources.

# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"
built=${BUILT:?where the library is built}

explain()
{
	cat "$work/said"
}

# Compiles with nothing to complain about.
strictly()
{
	"$@" -Wall -Wextra -Wconversion -pedantic -Werror
}

# A command that must say TEXT and fail.
refuses()
{
	text=$1
	shift
	! "$@" >"$work/said" 2>&1 && grep -qF -- "$text" "$work/said" && return
	cat "$work/said"
	return 1
}

make -s O="$built" PREFIX="$work/usr" install >"$out" 2>&1 || {
	sed 's/^/# /' "$out"
	echo "Bail out! make install"
	exit 1
}
export PKG_CONFIG_PATH="$work/usr/lib/pkgconfig"
lib=$work/usr/lib

echo "KTAP version 1"

# In C, in C++, and by each compiler that is here.
echo '#include <kuid.h>' >"$work/alone.c"
cp "$work/alone.c" "$work/alone.cc"
for compiler in gcc clang; do
	command -v "$compiler" >/dev/null || continue
	for standard in c99 c11 c17 c2x gnu99 gnu17; do
		it "$compiler -std=$standard takes kuid.h" \
			strictly "$compiler" -std=$standard -I"$work/usr/include" -fsyntax-only "$work/alone.c"
	done
done
for compiler in g++ clang++; do
	command -v "$compiler" >/dev/null || continue
	for standard in c++11 c++14 c++17 c++20; do
		it "$compiler -std=$standard takes kuid.h" \
			strictly "$compiler" -std=$standard -I"$work/usr/include" -fsyntax-only "$work/alone.cc"
	done
done

# IDs without a device, through each kind of function.
cat >"$work/program.c" <<'END'
#include <kuid.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	struct kuid *handle = kuid_open_flags(KUID_FORMAT_V7, KUID_LOCAL);
	unsigned char id[KUID_ID_MAX], again[KUID_ID_MAX];
	char text[KUID_TEXT_MAX];
	struct timespec made;

	if (kuid_version() != KUID_VERSION_CODE(KUID_VERSION_MAJOR, KUID_VERSION_MINOR,
						KUID_VERSION_PATCH))
		return 1;
	if (!handle || kuid_one(handle, id) ||
	    kuid_time(KUID_FORMAT_V7, id, 0, KUID_FROM_KUID, &made) ||
	    kuid_text(KUID_FORMAT_V7, id, text, sizeof(text)) ||
	    kuid_parse(KUID_FORMAT_V7, text, strlen(text), again, NULL) || memcmp(id, again, 16))
		return 1;
	kuid_close(handle);
	puts(text);
	return 0;
}
END
sed 's/NULL/nullptr/' "$work/program.c" >"$work/program.cc"

links()
{
	compiler=$1 source=$2
	shift 2
	# shellcheck disable=SC2046 # words of their own
	strictly "$compiler" -o "$work/program" "$work/$source" \
		$(pkg-config --cflags libkuid) "$@"
}

runs()
{
	LD_LIBRARY_PATH=$1 "$work/program" |
		grep -qxE '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
}

# The libraries that a program needs at run time.
needs()
{
	readelf -d "$work/program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep "$@"
}

needs_not()
{
	! needs "$@"
}

for language in c cc; do
	compiler=cc
	[ $language = c ] || compiler=c++
	# shellcheck disable=SC2046
	it "$compiler links with the shared library" links $compiler program.$language $(pkg-config --libs libkuid)
	it "it is needed by its soname" needs -qx 'libkuid\.so\.[0-9]*'
	it "the program runs" runs "$lib"
	# All of the program, and then the library alone.
	# shellcheck disable=SC2046
	it "$compiler links with the static library" \
		links $compiler program.$language -static $(pkg-config --static --libs libkuid)
	it "the program runs" runs /nowhere
	it "$compiler links with the static library and a shared libc" \
		links $compiler program.$language "$lib/libkuid.a"
	it "libkuid is not needed" needs_not libkuid
	it "the program runs" runs /nowhere
done

it "the version is told" \
	test "$(pkg-config --modversion libkuid)" = "$(sed -n 's/.*KUID_VERSION "\(.*\)"/\1/p' ../kmod/version.h)"
it "so is that of kuid.h" test "$(awk '/^#define KUID_VERSION_[A-Z]+ [0-9]/ {
		version = version dot $3; dot = "." } END { print version }' "$work/usr/include/kuid.h")" = \
	"$(pkg-config --modversion libkuid)"
# The libraries that PROGRAM needs at run time, with a space between two, match the extended regular
# expression.
needs_just()
{
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort |
		paste -s -d ' ' | tee "$work/said" | grep -qxE "$2"
}
it "the library needs nothing but libc" needs_just "$lib/libkuid.so" 'libc\.[^ ]*'
it "the tool needs these libraries alone" \
	needs_just "$work/usr/bin/kuid" 'libc\.[^ ]* libjansson\.so\.[0-9]+ libkuid\.so\.[0-9]+'

has_no_run_path()
{
	! readelf -d "$1" | grep -E '\((RPATH|RUNPATH)\)'
}
it "the installed tool has no run path" has_no_run_path "$work/usr/bin/kuid"
mkdir "$work/tree"
cp -a "$built/bin" "$built/lib" "$work/tree"
it "the tool finds the library of its build tree" env -i "$work/tree/bin/kuid" gen --local

# The inputs of exports.sh, with one thing wrong at a time.
exports()
{
	sh libkuid/exports.sh "$@" <"$work/kuid.i"
}

# A library with one more function, or without one.
relink()
{
	"${CC:-cc}" -shared -fPIC -Wl,--version-script="$1" -o "$work/bad.so" \
		-Wl,--whole-archive "$2" -Wl,--no-whole-archive
}

"${CC:-cc}" -E -P -I../uapi libkuid/kuid.h >"$work/kuid.i"
it "the symbols are those of kuid.h and the map" exports libkuid/libkuid.map "$lib/libkuid.so" "$lib/libkuid.a"

sed '/kuid_one;/d' libkuid/libkuid.map >"$work/less.map"
sed 's/kuid_one;/&\n\tkuid_layout_of;/' libkuid/libkuid.map >"$work/more.map"
it "a function that is not in the map is refused" \
	refuses kuid_one exports "$work/less.map" "$lib/libkuid.so" "$lib/libkuid.a"
it "a function of the map that is not declared is refused" \
	refuses kuid_layout_of exports "$work/more.map" "$lib/libkuid.so" "$lib/libkuid.a"
relink "$work/less.map" "$lib/libkuid.a"
it "a function that is not exported is refused" \
	refuses kuid_one exports libkuid/libkuid.map "$work/bad.so" "$lib/libkuid.a"
echo 'int stray(void); int stray(void) { return 0; }' >"$work/stray.c"
cp "$lib/libkuid.a" "$work/bad.a"
(cd "$work" && "${CC:-cc}" -c -fPIC stray.c && ar r bad.a stray.o) 2>"$out"
it "a name that is not the library's is refused" \
	refuses stray exports libkuid/libkuid.map "$lib/libkuid.so" "$work/bad.a"
sed 's/global:/&\n\tstray;/' libkuid/libkuid.map >"$work/stray.map"
relink "$work/stray.map" "$work/bad.a"
it "so is one that is exported" refuses stray exports libkuid/libkuid.map "$work/bad.so" "$lib/libkuid.a"
cp "$lib/libkuid.a" "$work/bad.a"
ar d "$work/bad.a" device.o
it "a function that the static library lacks is refused" \
	refuses kuid_now exports libkuid/libkuid.map "$lib/libkuid.so" "$work/bad.a"

# Each function is described in the page that man finds by its name.
man3=$work/usr/share/man/man3
has_pages()
{
	sed -n 's/^\t\(kuid_[a-z0-9_]*\);$/\1/p' libkuid/libkuid.map >"$work/functions"
	[ -s "$work/functions" ] || return
	while read -r function; do
		grep -qF ".Fn $function " "$man3/$function.3" &&
			grep -qE "^\.Nm $function( ,)?\$" "$man3/$function.3" || echo "$function"
	done <"$work/functions" >"$work/lacking"
	cat "$work/lacking"
	[ ! -s "$work/lacking" ]
}
it "each function has a manual page" has_pages

has_aliases_beside_pages()
{
	for page in ../Documentation/man/*.3; do
		[ ! -L "$man3/${page##*/}" ] && cmp "$page" "$man3/${page##*/}" || return
	done
	[ -z "$(find "$man3" -xtype l)" ]
}
it "no alias replaces a page or leads nowhere" has_aliases_beside_pages

# Install puts each file into its place, and uninstall leaves none.
dest=$work/dest
make_quietly()
{
	make -s O="$built" DESTDIR="$dest" "$@" >"$out" 2>&1
}

# The files and links below $dest, one a line.
installed()
{
	(cd "$dest" && find . ! -type d | sed 's/^\.//' | LC_ALL=C sort)
}

# The installed files are those that match an extended regular expression, one or more.
only()
{
	installed >"$work/list"
	[ -s "$work/list" ] && ! grep -vE "^($1)\$" "$work/list"
}

substitutes_all()
{
	make_quietly install-system && ! grep -r '@[A-Z]*@' "$dest"
}

uninstalls()
{
	make_quietly uninstall "$@" && [ -z "$(installed)" ]
}

usr=/usr/local
man=$usr/share/man
it "install-lib installs" make_quietly install-lib
it "the library alone" only "$usr/(lib/(libkuid\..*|pkgconfig/libkuid.pc)|include/.*\.h)|$man/man3/.*\.3"
it "uninstall removes it" uninstalls
it "install-tool installs" make_quietly install-tool
it "the tool alone" only "$usr/bin/kuid|$usr/share/(bash-completion|fish|zsh)/.*|$man/man[14]/kuid\.[14]"
it "uninstall removes it" uninstalls
it "install-dropin installs" make_quietly install-dropin
it "the drop-in alone" only "$usr/lib/kuid/libkuid-uuid.so|$man/man7/libkuid-uuid.7"
it "uninstall removes it" uninstalls
it "and its directory" test ! -e "$dest$usr/lib/kuid"

multiarch="PREFIX=/usr LIBDIR=/usr/lib/some-linux-gnu"
# shellcheck disable=SC2086 # two arguments
it "install takes PREFIX and LIBDIR" make_quietly install $multiarch
it "all is below PREFIX" only '/usr/(bin|lib|include|share)/.*'
it "libraries are in LIBDIR" eval '! installed | grep /usr/lib/ | grep -v /usr/lib/some-linux-gnu/'
it "pkg-config names LIBDIR" grep -qx libdir=/usr/lib/some-linux-gnu "$dest/usr/lib/some-linux-gnu/pkgconfig/libkuid.pc"
it "the manual page names the drop-in's path" \
	grep -q /usr/lib/some-linux-gnu/kuid/libkuid-uuid.so "$dest/usr/share/man/man7/libkuid-uuid.7"
touch "$dest/usr/lib/other"
# shellcheck disable=SC2086
it "uninstall leaves files of others" eval "! uninstalls $multiarch && only /usr/lib/other"
rm "$dest/usr/lib/other"

# Each path variable moves the files that it names, away from PREFIX.
for variable in BINDIR INCLUDEDIR DATADIR MANDIR COMPLETIONDIR PKGCONFIGDIR; do
	it "install takes $variable" make_quietly install $variable=/moved
	it "it moves files" eval 'installed | grep -q ^/moved/'
	it "uninstall takes $variable" uninstalls $variable=/moved
done
for variable in UNITDIR UDEVDIR MODULESLOADDIR MODPROBEDIR; do
	it "install-system takes $variable" make_quietly install-system $variable=/moved
	it "it moves files" eval 'installed | grep -q ^/moved/'
	it "uninstall takes $variable" uninstalls $variable=/moved
done
it "no name in @ is left in a unit" substitutes_all
# In an image, where no udev has told systemd of the device.
enables_silently()
{
	make_quietly install-system UNITDIR=/usr/lib/systemd/system &&
		systemctl --root="$dest" enable kuid.service >"$out" 2>&1 && ! grep 'non-existent unit' "$out"
	result=$?
	rm -rf "${dest:?}/etc"
	make_quietly uninstall UNITDIR=/usr/lib/systemd/system && return $result
}

if command -v systemctl >/dev/null; then
	it "units of the device can be enabled where there is none" enables_silently
else
	skip "units of the device can be enabled where there is none" 'no systemctl'
fi
it "uninstall removes the units" uninstalls

# A refused install leaves nothing.
does_not_install()
{
	text=$1
	shift
	refuses "$text" make -s O="$built" DESTDIR="$dest" "$@" install && [ -z "$(installed)" ]
}
it "a relative DESTDIR is refused" does_not_install 'DESTDIR="here" is not an absolute' DESTDIR=here
it "a relative PREFIX is refused" does_not_install 'PREFIX="usr" is not an absolute' PREFIX=usr
it "a relative LIBDIR is refused" does_not_install 'LIBDIR="lib" is not an absolute' LIBDIR=lib
it "a blank in a path is refused" does_not_install 'PREFIX="/u sr" has a blank' PREFIX="/u sr"
it "a colon in a path is refused" does_not_install 'LIBDIR="/a:b" has a blank or' LIBDIR=/a:b
it "what sed takes for its own is refused" does_not_install 'BINDIR="/a|b" has a' 'BINDIR=/a|b'

finish
