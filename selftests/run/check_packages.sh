#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Debian packages and installs them into roots of fetch.sh that are not booted:
#   check_packages.sh BUILD ROOT...
# Prints TAP, and one line of totals. BUILD/packages gets the packages of this version, BUILD/packages-next those of the next
# one. Needs root.

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build ROOT... "$@"
install=$here/../install
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$top/userspace/tests/tap.sh"
# shellcheck disable=SC2154 # work is set there
root=$work/root

in_root()
{
	"$install/root.sh" run "$root" "$@"
}

# Fails unless what follows prints nothing.
silent()
{
	[[ -z $("$@" 2>&1 | tee /dev/stderr) ]]
}

# Another directory, umask, language and time zone than those of the first build.
build_again()
{
	(umask 077 && DEB_BUILD_OPTIONS=nocheck TMPDIR=$work TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$install/packages.sh" \
		"$work/again")
}

same_bytes()
{
	diff <(cd "$build/packages" && sha256sum ./*.{deb,tar.xz,dsc}) \
		<(cd "$work/again" && sha256sum ./*.{deb,tar.xz,dsc})
}

# The tarball, unpacked where there is no git, makes itself.
packs_itself()
{
	mkdir "$work/alone" &&
		tar -xf "$build/packages/kuid_$version.orig.tar.xz" -C "$work/alone" &&
		(umask 027 && TZ=Asia/Tokyo make -s -C "$work/alone/kuid-$version" dist \
			BUILD="$work/alone/build") &&
		cmp "$work/alone/build/dist/kuid-$version.tar.xz" \
			"$build/packages/kuid_$version.orig.tar.xz"
}

build_next()
{
	DEB_BUILD_OPTIONS=nocheck HOMEPAGE=https://kuid.example MAINTAINER="K & U <k@kuid.example>" \
		"$install/packages.sh" --version "$next" "$build/packages-next"
}

# All packages name the address, but those for debuggers, and the maintainer.
published()
{
	local deb

	grep -qx 'Vcs-Git: https://kuid.example.git' "$build/packages-next"/*.dsc || return
	grep -qx 'Changed-By: K & U <k@kuid.example>' "$build/packages-next"/*.changes || return
	tar -xJOf "$build/packages-next/kuid_$next-1.debian.tar.xz" debian/watch | grep -q '^https://kuid.example ' ||
		return
	for deb in "$build/packages-next"/*.deb; do
		[[ $(dpkg-deb -f "$deb" Maintainer) == "K & U <k@kuid.example>" ]] || return
		[[ $deb == *-dbgsym_* || $(dpkg-deb -f "$deb" Homepage) == https://kuid.example ]] || return
	done
}

# Whether DKMS would build for a kernel.
dkms_takes()
{
	local BUILD_EXCLUSIVE_KERNEL BUILD_EXCLUSIVE_CONFIG

	eval "$(grep ^BUILD_EXCLUSIVE_ "$top/debian/kuid-dkms.dkms")"
	[[ $1 =~ $BUILD_EXCLUSIVE_KERNEL && $BUILD_EXCLUSIVE_CONFIG == "CONFIG_64BIT CONFIG_NET" ]]
}

# All files that packages of this project could leave. What apt, dpkg and DKMS keep for themselves
# is not listed.
files()
{
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./run -o -path ./var/log \
		-o -path ./var/cache -o -path ./var/lib/dpkg -o -path ./var/lib/apt \) -prune \
		-o ! -path './var/lib/dkms/mok.*' ! -name 'modules.*' ! -path './etc/ld.so.cache' -print) |
		LC_ALL=C sort
}

# A kernel has the module of this version, built for it.
module_built()
{
	local version=$1 kernel=$2 module=/lib/modules/$2/updates/dkms/kuid.ko

	[[ -e $root$module ]] || module+=.xz
	[[ $(in_root modinfo -F vermagic "$module") == "$kernel "* ]] &&
		[[ $(in_root modinfo -F version "$module") == "$version" ]] &&
		[[ $(in_root dkms status -k "$kernel") == "kuid/$version, $kernel, x86_64: installed" ]]
}

# By this machine's compiler, against the root's libkuid-dev.
compiles()
{
	cat >"$work/program.c" <<-'END'
	#include <kuid.h>
	#include <kuid/uapi.h>
	int main(void)
	{
		struct kuid *handle = kuid_open_flags(KUID_FORMAT_V7, KUID_LOCAL);
		unsigned char id[KUID_ID_MAX];

		return !handle || kuid_one(handle, id);
	}
	END
	gcc -o "$root/tmp/program" -isystem "$root/usr/include" "$work/program.c" \
		-L "$root/usr/lib/$(gcc -print-multiarch)" -lkuid &&
		in_root /tmp/program && rm "$root/tmp/program"
}

# The units as systemd reads them, with the programs that they start.
units_correct()
{
	# shellcheck disable=SC2016 # for the shell in the root
	silent in_root sh -c 'systemd-analyze verify --man=no \
		$(dpkg -L kuid kuid-claim | grep "/system/.*\.[st]")'
}

units_enabled()
{
	local unit

	for unit in kuid.service kuid-cdi.service kuid-metrics.timer; do
		[[ $(in_root systemctl is-enabled $unit) == enabled ]] || return
	done
}

echo "TAP version 13"
it "the packages can be built, and pass their tests" "$install/packages.sh" "$build/packages"
it "they can be built once more" build_again
it "both builds have the same bytes" same_bytes
it "the tarball makes the same tarball by itself" packs_itself
# Nobody has uploaded them, so there is no bug to close.
it "lintian finds nothing" silent lintian --allow-root --profile debian \
	--suppress-tags initial-upload-closes-no-bugs "$build/packages"/*.changes
it "the tarball has no packaging of Debian" \
	not matches '^[^/]*/debian/' tar -tf "$build/packages/kuid_$version.orig.tar.xz"
it "an upgrade of a kernel waits for its module" "$install/kernel_waits.sh"
next=$version.1
it "the packages of version $next can be built, with the address of a publisher" build_next
it "they have it" published

for kernel in 6.1.0-30-amd64 6.9.7 6.10.11+bpo-amd64 6.12.95+deb12-amd64 7.0.1 7.3-rc1 7.12.1-amd64; do
	it "DKMS builds for $kernel" dkms_takes $kernel
done
for kernel in 5.10.0-30-amd64 6.0.12-amd64 60.1.1 16.1.0 8.0.1; do
	it "DKMS doesn't build for $kernel" not dkms_takes $kernel
done

install_packages()
{
	local packages
	mapfile -t packages < <(packages_in "$1")
	"$install/root.sh" install "$root" "${packages[@]}"
}

tool_works()
{
	in_root kuid gen --local | in_root kuid inspect -
}

check_root()
{
	local kernels kernel

	it "$1 can be made" "$install/root.sh" new "$root" "$1"
	files >"$work/before"
	it "the tool can be installed without the module" \
		"$install/root.sh" install "$root" "$build/packages"/{kuid,libkuid0}_*.deb
	it "nothing is built then" not compgen -G "$root/usr/src/kuid-*"
	it "it makes and reads IDs" tool_works
	it "the packages can be installed" install_packages "$build/packages"
	mapfile -t kernels < <(cd "$root/lib/modules" && printf '%s\n' * | sort -V)
	it "there are headers of two kernels" test ${#kernels[@]} = 2
	for kernel in "${kernels[@]}"; do
		it "the module is built for $kernel" module_built "$version" "$kernel"
	done
	it "its source has no Makefile that DKMS could take for its own" \
		test ! -e "$root/usr/src/kuid-$version/Makefile"
	it "the units are correct" units_correct
	it "they are enabled" units_enabled
	it "the first boot may begin without a saved state" test -e "$root/var/lib/kuid/state.unused"
	it "the module is loaded with state=required" \
		grep -rqx 'options kuid state=required' "$root/lib/modprobe.d"
	it "kuid makes IDs without the device" in_root kuid gen --local -f v7
	it "a program can be compiled with the library" compiles
	it "the manual is there" test -e "$root/usr/share/man/man1/kuid.1.gz"
	it "so are other names of its pages" test -e "$root/usr/share/man/man3/kuid_many.3.gz"

	rm -f "$root/var/lib/kuid/state.unused"
	it "the packages can be upgraded" install_packages "$build/packages-next"
	# Where the running kernel is not installed, DKMS builds an upgrade for the newest one that is.
	kernel=$(find "$root/boot" -name 'vmlinuz-*' -printf '%f\n' | sort -V | tail -n 1)
	it "the module of ${kernel#vmlinuz-} is the new one" module_built "$next" "${kernel#vmlinuz-}"
	it "the tool is the new one" matches " $next\$" in_root kuid --version
	it "an upgrade is no first installation" test ! -e "$root/var/lib/kuid/state.unused"

	it "the packages can be purged" in_root apt-get -q purge -y '~i~nkuid'
	files >"$work/after"
	it "purging leaves nothing" diff "$work/before" "$work/after"
	"$install/root.sh" remove "$root"
}

for name in "${rest[@]}"; do
	check_root "$name"
done
tap_end
