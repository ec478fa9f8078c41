#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the Debian packages of BUILD/packages into the root of a Debian 12 with podman, boots it,
# and runs the tests of containers in it:   check_containers.sh BUILD TOGETHER
# TOGETHER is the program containers/together. Prints KTAP and one line of totals. The machine is
# left in BUILD/containers. Needs root.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build TOGETHER "$@"
install=$here/../install
machine=$build/containers
root=$machine/root
share=$machine/share
rm -rf --one-file-system "$machine"
mkdir -p "$share" || exit

in_root()
{
	"$install/root.sh" run "$root" "$@"
}

# The image has busybox, the tool with its libraries, and the programs of the tests.
make_image()
{
	local image=$machine/image file name

	mkdir -p "$image"/{bin,tmp}
	cp "$root/bin/busybox" "$image/bin"
	for name in cat find head mknod sh sleep sort stat true wc; do
		ln -s busybox "$image/bin/$name"
	done
	in_root ldd /usr/bin/kuid | grep -o '/[^ ]*' >"$machine/libraries" || return
	while read -r file; do
		mkdir -p "$image${file%/*}"
		cp -L "$root$file" "$image$file" || return
	done < <(echo /usr/bin/kuid; echo /usr/local/bin/together; echo /usr/local/bin/look.sh
		cat "$machine/libraries")
	tar -C "$image" -cf "$share/image.tar" .
}

prepare()
{
	"$install/root.sh" new "$root" root-containers || return
	"$install/root.sh" install "$root" "$build/packages"/{kuid,kuid-dkms,libkuid0}_*.deb || return
	cp "$together" "$here/../containers/look.sh" "$root/usr/local/bin" || return
	in_root groupadd readers || return
	in_root useradd --create-home --groups readers somebody || return
	mkdir -p "$root/var/lib/systemd/linger" "$root/etc/containers"
	touch "$root/var/lib/systemd/linger/somebody"
	printf '[containers]\nnetns = "none"\n' >"$root/etc/containers/containers.conf"
	# There is no snowflake without a number.
	echo 'options kuid snowflake_worker=17' >"$root/etc/modprobe.d/kuid-test.conf"
	make_image || return
	cp "$top/userspace/tests/tap.sh" "$top/Documentation/containers.md" "$share"
	"$install/root.sh" image "$root" "$machine"
}

echo "== a Debian 12 with podman is made"
log=$machine/log
quietly prepare || exit
"$install/root.sh" remove "$root"

# With a finer clock the time alone would order the IDs of most formats.
part containers "Linux $(<"$machine/release") in QEMU" \
	"$install/system.sh" --share "$share" --append "clocksource=jiffies" --mem 2G \
	--timeout 3600 "$machine" "$here/../containers/guest.sh"
totals_end
