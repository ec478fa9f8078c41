#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The root directory of a Debian machine, to install packages in and to boot with system.sh:
#   root.sh new DIR NAME            unpack NAME from fetch.sh, such as root-bookworm, into DIR
#   root.sh run DIR COMMAND...      run a command in it, as in a machine that is not booted, with the
#                                   files that $SHARE names in their places
#   root.sh install DIR DEB...      install package files in it, with apt
#   root.sh image DIR MACHINE       make of it MACHINE/disk, with the newest kernel and its initramfs
#                                   beside it
#   root.sh remove DIR              delete it
# Needs root. The disk gets all of the root directory, and a unit for system.sh that is started only
# there.

set -euo pipefail

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"

# Mounts end with the namespace. The root's own /proc and /dev are needed by dkms and by initramfs-tools.
run()
{
	local root=$1
	shift
	# shellcheck disable=SC2016 # for the shell in the namespace
	SHARE=${SHARE:-} unshare --mount --pid --fork bash -ec '
		mount -t proc proc "$0/proc"
		mount -t tmpfs -o mode=755 dev "$0/dev"
		for node in null zero full random urandom tty; do
			touch "$0/dev/$node"
			mount --bind "/dev/$node" "$0/dev/$node"
		done
		mkdir "$0/dev/pts"
		mount -t devpts -o ptmxmode=666 devpts "$0/dev/pts"
		ln -s pts/ptmx "$0/dev/ptmx"
		mkdir -m 1777 "$0/dev/shm"
		ln -s /proc/self/fd "$0/dev/fd"
		for path in $SHARE; do
			[ -e "$0$path" ] || mkdir -p "$0$path"
			mount --bind "$path" "$0$path"
		done
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb \
			DEBIAN_FRONTEND=noninteractive chroot "$0" "$@"' "$root" "$@"
}

new()
{
	local root=$1 base
	base=$("$here/../vm/fetch.sh" "$2")
	[[ ! -e $root ]] || die "$root is there already"
	mkdir -p "$root"
	tar -xpf "$base/root.tar" -C "$root" --numeric-owner
	echo kuid-test >"$root/etc/hostname"
	echo "/dev/vda / ext4 defaults 0 1" >"$root/etc/fstab"
	mkdir -p "$root/host" "$root/var/log/journal"
	# Without services that would only take time of an emulated machine.
	run "$root" systemctl --quiet mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer \
		dpkg-db-backup.timer fstrim.timer
	# The script of system.sh, which is on the host, after all that starts by itself. Type=exec, so
	# that the script can wait for the machine to be up.
	cat >"$root/etc/systemd/system/kuid-test.service" <<-'UNIT'
	[Unit]
	Description=Script of the test machine
	After=multi-user.target
	SuccessAction=poweroff
	FailureAction=poweroff

	[Service]
	Type=exec
	ExecStartPre=modprobe -a virtio_pci 9pnet_virtio
	ExecStartPre=mount -t 9p -o trans=virtio,version=9p2000.L,msize=131072 host /host
	ExecStart=/bin/sh -c '/host/script >/host/output 2>&1; echo $? >/host/status'
	UNIT
}

install()
{
	local root=$1
	shift
	mkdir -p "$root/packages"
	cp "$@" "$root/packages"
	# shellcheck disable=SC2016
	run "$root" sh -c 'apt-get -q install -y --no-install-recommends --allow-downgrades /packages/*.deb'
	rm -r "$root/packages"
}

image()
{
	local root=$1 machine=$2 version size
	mkdir -p "$machine"
	version=$(find "$root/boot" -name "vmlinuz-*" -printf '%f\n' | sort -V | tail -n 1)
	version=${version#vmlinuz-}
	[[ $version ]] || die "no kernel in $root"
	cp "$root/boot/vmlinuz-$version" "$machine/vmlinuz"
	cp "$root/boot/initrd.img-$version" "$machine/initrd"
	echo "$version" >"$machine/release"
	[[ -s $root/etc/machine-id ]] || tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
	size=$(du -sm "$root" | cut -f 1)
	rm -f "$machine/disk"
	/sbin/mke2fs -q -t ext4 -d "$root" "$machine/disk" $((size * 5 / 4 + 512))M
}

remove()
{
	rm -rf --one-file-system "$1"
}

[[ $# -ge 2 && $1 =~ ^(new|run|install|image|remove)$ ]] || usage
(( EUID == 0 )) || die "needs root"
"$@"
