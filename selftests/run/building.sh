#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds and installs the module as a user does, and as the build systems of Yocto and Buildroot do:
#   building.sh KERNEL
# KERNEL is a directory from fetch.sh. Prints KTAP. Nothing is installed outside a temporary
# directory.

if [ $# -ne 1 ]; then
	echo "usage: building.sh KERNEL" >&2
	exit 2
fi
headers=$(readlink -f "$1/headers") release=$(cat "$1/release")
cd "${0%/*}/../.." || exit
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. userspace/tests/tap.sh

# Debian's headers are those of a kernel that is built outside its sources: the Makefile names them.
source=$(sed -n 's,^include \(.*\)/Makefile$,\1,p' "$headers/Makefile")
module=$work/module

run()
{
	"$@" MODULE="$module" 2>&1
}

# says TEXT COMMAND...: it succeeds and prints the text.
says()
{
	text=$1
	shift
	run "$@" >"$out" && grep -qF -- "$text" "$out"
}

# refuses TEXT COMMAND...: it fails, prints the text and builds nothing.
refuses()
{
	text=$1
	shift
	! run "$@" >"$out" && grep -qF -- "$text" "$out" && [ ! -e "$module/kmod/kuid.ko" ]
}

# Whether DIRECTORY holds one module, which is for the kernel of the headers, and removes it.
has_module()
{
	found=$(find "$1" -type f -name '*.ko')
	tr '\0' '\n' <"$found" | grep -q "^vermagic=$release " && rm "$found"
}

# A machine whose kernel has no headers.
mkdir "$work/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ "$1" = -r ] && echo 6.1.0-none || exec /bin/uname "$@"\n' >"$work/bin/uname"
chmod +x "$work/bin/uname"
without_headers()
{
	PATH=$work/bin:$PATH "$@"
}

echo "KTAP version 1"

it "without headers make module says what to install" \
	refuses 'apt install linux-headers-6.1.0-none' without_headers make module
it "so does make modules_install" \
	refuses 'for /lib/modules/6.1.0-none/build yet' without_headers make modules_install
it "a KERNEL_SRC that is not there is refused" \
	refuses 'KERNEL_SRC=/nowhere: no Makefile' make module KERNEL_SRC=/nowhere
it "modules_install needs a module" \
	refuses 'No module was built for' make modules_install KERNEL_SRC="$headers"
it "make module names the kernel" \
	says "kuid.ko for Linux $release" make module KERNEL_SRC="$headers"
it "make modules_install installs it" \
	says INSTALL make modules_install KERNEL_SRC="$headers" INSTALL_MOD_PATH="$work/root"
it "it is below the kernel's own modules" has_module "$work/root/lib/modules/$release"
touch "$module/kmod/left"
it "a second build goes on where the first ended" \
	says "for Linux $release" make module KERNEL_SRC="$headers"
it "it is in the same place" test -e "$module/kmod/left"

# packs [VARIABLE...]: the module is in a package for its kernel.
packs()
{
	package=$(make -s module-package MODULE="$module" BUILD="$work/packages" KERNEL_SRC="$headers" "$@" |
		tail -n 1) && dpkg-deb -x "$package" "$work/unpacked" &&
		packed=$work/unpacked/lib/modules/$release/updates/kuid.ko &&
		[ "$(dpkg-deb -f "$package" Provides Depends)" = "Provides: kuid-module
Depends: kmod" ]
}

is_signed()
{
	[ "$(tail -c 28 "$1" | tr -d '\n')" = "~Module signature appended~" ]
}

is_unsigned()
{
	[ -s "$1" ] && ! is_signed "$1"
}

refuses_half_a_signature()
{
	! packs SIGN_KEY="$work/key" 2>"$err" && grep -q 'belong together' "$err"
}

packs_signed()
{
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=kuid -keyout "$work/key" -out "$work/cert" &&
		packs SIGN_KEY="$work/key" SIGN_CERT="$work/cert" && is_signed "$packed"
}

it "make module-package packs it" packs
it "it is not signed" is_unsigned "$packed"
it "make module-package signs it" packs_signed
it "a key needs its certificate" refuses_half_a_signature

# As module.bbclass calls it, with MAKE_TARGETS = "module".
yocto()
{
	make KERNEL_SRC="$source" KERNEL_PATH="$source" KERNEL_VERSION="$release" CC=gcc LD=ld \
		AR=ar OBJCOPY=objcopy STRIP=strip O="$headers" "$@"
}
refuses_to_install()
{
	! run "$@" >"$out" && grep -qF "No module was built for $source yet" "$out"
}
it "a module for another kernel is not installed" \
	refuses_to_install yocto modules_install MODLIB="$work/yocto" DEPMOD=echo
it "Yocto's class builds it" says "for Linux $release" yocto module
it "from the start" test ! -e "$module/kmod/left"
it "Yocto's class installs it" \
	says INSTALL yocto modules_install MODLIB="$work/yocto" DEPMOD=echo
it "it is where the class wants it" has_module "$work/yocto"

# As Buildroot's pkg-kernel-module.mk calls it, in the sources.
mkdir "$work/buildroot"
cp -a Kbuild kmod uapi "$work/buildroot"
buildroot()
{
	make -C "$headers" DEPMOD=true INSTALL_MOD_PATH="$work/target" \
		PWD="$work/buildroot" M="$work/buildroot" "$@"
}
it "Buildroot builds it" says kuid.ko buildroot modules
it "Buildroot installs it" says INSTALL buildroot modules_install
it "it is in the target directory" has_module "$work/target/lib/modules/$release"

finish
