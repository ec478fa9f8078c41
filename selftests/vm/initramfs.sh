#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the initramfs that boot.sh boots:   initramfs.sh OUT.cpio DIR...
# It has busybox, guest/ (as /guest, with init), and the content of each DIR, of which the last one
# wins. For another architecture one DIR has its busybox and libraries. Shared libraries that
# programs in a DIR need, and that no DIR has, are copied from this machine. Nothing is compressed,
# because an emulated machine would unpack it for seconds.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "$0")/arguments.sh"
takes "OUT DIR..." "$@"
dirs=()
for dir in "${rest[@]}"; do
	[[ -d $dir ]] || usage "$dir is not a directory"
	dirs+=("$(cd "$dir" && pwd -P)")
done

busybox=$(command -v busybox) || die "busybox is missing: run setup.sh boot"
! ldd "$busybox" >/dev/null 2>&1 || die "$busybox is not static: run setup.sh boot"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp" "$out.new.$$"' EXIT

base=$tmp/base
mkdir -p "$base"/{bin,dev,dev/shm,etc,lib,proc,root,run,sbin,sys,tmp,var}
cp "$busybox" "$base/bin/busybox"
cp -r "$here/guest" "$base/guest"
ln -s guest/init "$base/init"
ln -s busybox "$base/bin/sh"
echo "root:x:0:0:root:/root:/bin/sh" >"$base/etc/passwd"
echo "nobody:x:65534:65534:nobody:/:/bin/sh" >>"$base/etc/passwd"

# The guest's loader has no cache and searches the default directories of this machine, so a library
# keeps its path. LD_LIBRARY_PATH makes ldd find libraries inside the DIRs.
copy_libraries()
{
	local path='' dir triplet name libraries

	triplet=$(gcc -print-multiarch 2>/dev/null || true)
	for dir in "${dirs[@]}"; do
		for name in "lib/$triplet" "usr/lib/$triplet" lib usr/lib; do
			path+=${path:+:}$dir/$name
		done
	done
	mapfile -t libraries < <(find "${dirs[@]}" -type f \( -perm /111 -o -name '*.so*' \) \
		-exec env LD_LIBRARY_PATH="$path" ldd {} + 2>/dev/null |
		sed -nE 's,^\t(.* => )?(/[^ ]*) \(.*,\2,p; s,^\t(.*) => not found,no \1,p' | sort -u)
	for name in "${libraries[@]}"; do
		[[ $name == /* ]] || die "$name for a program in ${dirs[*]}"
		for dir in "${dirs[@]}"; do
			[[ $name != "$dir"/* ]] || continue 2
		done
		install -D -m 755 "$name" "$base$name"
	done
}
copy_libraries

# Concatenated archives: the kernel unpacks all of them, later ones over earlier ones. The top
# directories are left out, because the last one would set the mode of /. /dev/console is in the
# kernel's built-in initramfs.
for dir in "$base" "${dirs[@]}"; do
	(cd "$dir" && find . -mindepth 1 -print0 |
		cpio --quiet --null -o -H newc -R +0:+0 --reproducible)
done >"$out.new.$$"
mv "$out.new.$$" "$out"
