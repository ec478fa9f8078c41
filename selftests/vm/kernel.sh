#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds a kernel from Debian's source, with all off but what every.config and NAME.config in this
# directory say, and prints the directory that holds it:   kernel.sh NAME-6.1
# There is what fetch.sh makes of a kernel: vmlinuz, config, release, headers (for KDIR); and nic, a
# staging directory for the initramfs with its driver lib/e1000.ko. For NAME uml that is User Mode
# Linux: uml.config says all, vmlinuz is the program, for uml.sh, modules are made with ARCH=um, and
# there is no nic. It lies beside the source that fetch.sh tree-6.1 keeps, and is built again when
# that or a configuration has changed. Needs no root.

set -euo pipefail

say()
{
	echo "kernel.sh: $*" >&2
}

die()
{
	say "$@"
	exit 1
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
name=${1:-} version=${1##*-}
if (( $# != 1 )) || [[ $name != *-* || ! -r $here/${name%-*}.config || $name == every-* ]]; then
	echo "usage: kernel.sh NAME-VERSION, of a NAME.config in $here" >&2
	exit 2
fi
# How it is made, what of it starts, and what modules are made with but what all kernels have.
case $name in
uml-*)
	configs=("$here/uml.config") arch=(ARCH=um SUBARCH=x86_64) image=linux
	parts=(arch/um arch/x86/um arch/x86/include)
	;;
*)
	configs=("$here/every.config" "$here/${name%-*}.config") arch=() image=arch/x86/boot/bzImage
	parts=(tools/objtool/objtool arch/x86/include)
	;;
esac

tree=$("$here/fetch.sh" "tree-$version")
cache=$(dirname "$tree")
result=$cache/$name
key=$(cat "$tree/version" "${configs[@]}" | sha256sum)

# A result appears by one rename, so one that is there is whole.
if [[ -r $result/key && $(<"$result/key") == "$key" ]]; then
	echo "$result"
	exit 0
fi

exec {lock}>"$cache/.lock.$name" || die "can't write to $cache"
flock --nonblock "$lock" || { say "waiting for another build of $name"; flock "$lock"; }
if [[ -r $result/key && $(<"$result/key") == "$key" ]]; then
	echo "$result"
	exit 0
fi

# Under the lock, whatever an interrupted build left is nobody's.
rm -rf "$cache/.build.$name".*
tmp=$(mktemp -d "$cache/.build.$name.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
new=$tmp/result source=$tmp/source
mkdir -p "$new/headers" "$source"

say "unpacking the source of Linux $(<"$tree/version")"
tar -xJf "$tree/linux.tar.xz" -C "$source" --strip-components=1

build()
{
	nice make -C "$source" -j"$(nproc)" "${arch[@]}" KBUILD_BUILD_USER=kuid KBUILD_BUILD_HOST=kuid \
		"$@" >"$tmp/log" 2>&1 {lock}>&- || {
		tail -n 40 "$tmp/log" >&2
		die "the build of $name failed"
	}
}

# An option that has been renamed, or needs another one, is left out without a word.
check_config()
{
	local line lost=()

	while read -r line; do
		case $line in
		CONFIG_*=n) ! grep -q "^${line%=n}=" "$source/.config" || lost+=("$line") ;;
		CONFIG_*) grep -qFx "$line" "$source/.config" || lost+=("$line") ;;
		esac
	done <"$tmp/all.config"
	(( !${#lost[@]} )) || die "this kernel can't have: ${lost[*]}"
}

say "building $name, which takes some minutes"
cat "${configs[@]}" >"$tmp/all.config"
build KCONFIG_ALLCONFIG="$tmp/all.config" allnoconfig
check_config
build "${image##*/}" modules

cp "$source/$image" "$new/vmlinuz"
cp "$source/.config" "$new/config"
cp "$source/include/config/kernel.release" "$new/release"
if (( !${#arch[@]} )); then
	install -D -m 644 -t "$new/nic/lib" "$source/drivers/net/ethernet/intel/e1000/e1000.ko"
fi
echo "$key" >"$new/key"

# What a build of a module outside the tree reads, as in packages of headers; none of it knows where
# it lies.
(
	cd "$source"
	{
		printf '%s\n' .config Module.symvers Makefile
		find scripts include "${parts[@]}" -type f -o -type l
		find arch/x86 -maxdepth 1 -name 'Makefile*'
	} | grep -v '\.[ao]$' | tar -cT -
) | tar -xC "$new/headers"
chmod -R a+rX "$new"

# Renames only: killed between the two, there is no result, and the next run builds it again.
[[ ! -d $result ]] || mv "$result" "$tmp/old"
mv "$new" "$result"
say "$name is in $result"
echo "$result"
