#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Debian packages, installs them in roots of Debian 12 and 13, boots these, and prints one
# line of totals:
#   check_install.sh BUILD
# Needs root, and 8 GB below BUILD. The tests are in ../install/machine.sh.

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "" "$@"
install=$top/selftests/install

next=$version.1
work=$build/install
host=$work/host
start=$(date +%s)

# root_of NAME VERSION: a root with the packages, in $work/root, and kernels of VERSION only: for each
# kernel DKMS runs depmod, which takes minutes in an emulated machine.
root_of()
{
	local debs other="?installed ?name(\"^linux-(image|headers|base)-[0-9]\") ?not(?name(\"-$2[.]\"))"
	mapfile -t debs < <(packages_in "$build/packages")
	{ "$install/root.sh" new "$work/root" "$1" && "$install/root.sh" run "$work/root" apt-get -q purge -y "$other" &&
		"$install/root.sh" install "$work/root" "${debs[@]}"; } \
		>"$logs/install_$1.log" 2>&1 || die "no packages in $1, see build/check/install_$1.log"
	# There is no snowflake without a number.
	echo 'options kuid snowflake_worker=17' >"$work/root/etc/modprobe.d/kuid-test.conf"
}

# The next version of the module, built for kernel $1: machine.sh has DKMS take it, because compiling it
# would take long in an emulated machine.
prebuild()
{
	local log=$logs/install_prebuild.log

	dpkg-deb -x "$build/packages-next/kuid-dkms_$next-1_all.deb" "$work/root/tmp" || die "no kuid-dkms"
	"$install/root.sh" run "$work/root" make -C "/lib/modules/$1/build" M="/tmp/usr/src/kuid-$next" \
		modules >"$log" 2>&1 || die "no module of $next, see $log"
	mv "$work/root/tmp/usr/src/kuid-$next/kmod/kuid.ko" "$host"
}

# boot LIFE MACHINE CLOCK [OPTION...]: the clock is in seconds from the beginning of this test.
boot()
{
	local life=$1 machine=$2 clock=$3
	shift 3
	cat >"$work/script" <<-END
	#!/bin/sh
	life=$life version=$version next=$next
	. /host/machine.sh
	$life
	finish
	END
	part "install_$life" "$life" "$install/system.sh" --share "$host" --rtc "@$((start + clock))" --timeout 1500 "$@" \
		"$work/$machine" "$work/script"
}

rm -rf "$work"
mkdir -p "$host"
"$install/packages.sh" "$build/packages" || die "the packages can't be built"
"$install/packages.sh" --version "$next" "$build/packages-next" || die "the packages of $next can't be built"
cp "$top/userspace/tests/tap.sh" "$install/machine.sh" "$host"
cp "$top/debian/tests/reboot" "$host/autopkgtest"
mkdir "$host/next"
packages_in "$build/packages-next" | xargs cp -t "$host/next"

root_of root-bookworm 6.1
"$install/root.sh" image "$work/root" "$work/machine"
prebuild "$(<"$work/machine/release")"
"$install/root.sh" remove "$work/root"
boot first machine 0
boot clock_back machine -3600 --cut
cp -r "$work/machine" "$work/copy"
boot after_power_cut machine -1800
cp --sparse=always "$work/copy/disk" "$work/machine/disk"
boot twin machine -1800
boot clone copy -1800 --append "systemd.machine_id=$(printf %032d 1)"
rm -r "$work/machine" "$work/copy"

root_of root-trixie 6.12
"$install/root.sh" image "$work/root" "$work/trixie"
"$install/root.sh" remove "$work/root"
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=kuid-test -keyout "$host/key" -out "$host/cert" \
	2>/dev/null || die "no key"
boot enforced trixie 0 --append module.sig_enforce=1
boot other_release trixie 0
rm -rf "$work"
totals_end
