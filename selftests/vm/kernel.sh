#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds a kernel from Debian's source, with all off but what every.config and NAME.config in this
# directory say, and prints the directory that holds it:   kernel.sh NAME-6.1
# There is what fetch.sh makes of a kernel: vmlinuz, config, release, headers (for KDIR); and nic, a
# staging directory for the initramfs with its driver lib/e1000.ko. It lies beside the source that
# fetch.sh tree-6.1 keeps, and is built again when that or a configuration has changed. Needs no root.

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
configs=("$here/every.config" "$here/${name%-*}.config")
if (( $# != 1 )) || [[ $name != *-* || ! -r ${configs[1]} ]]; then
	echo "usage: kernel.sh NAME-VERSION, of a NAME.config in $here" >&2
	exit 2
fi

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
mkdir -p "$new/headers" "$new/nic/lib" "$source"

say "unpacking the source of Linux $(<"$tree/version")"
tar -xJf "$tree/linux.tar.xz" -C "$source" --strip-components=1

build()
{
	nice make -C "$source" -j"$(nproc)" KBUILD_BUILD_USER=kuid KBUILD_BUILD_HOST=kuid "$@" \
		>"$tmp/log" 2>&1 {lock}>&- || {
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
build bzImage modules

cp "$source/arch/x86/boot/bzImage" "$new/vmlinuz"
cp "$source/.config" "$new/config"
cp "$source/include/config/kernel.release" "$new/release"
cp "$source/drivers/net/ethernet/intel/e1000/e1000.ko" "$new/nic/lib"
echo "$key" >"$new/key"

# What a build of a module outside the tree reads, as in packages of headers; none of it knows where
# it lies.
(
	cd "$source"
	{
		echo .config Module.symvers Makefile tools/objtool/objtool | tr ' ' '\n'
		find scripts include -type f -o -type l
		find arch/x86 -maxdepth 1 -name 'Makefile*'
		find arch/x86/include -type f -o -type l
	} | grep -v '\.o$' | tar -cT -
) | tar -xC "$new/headers"
chmod -R a+rX "$new"

# Renames only: killed between the two, there is no result, and the next run builds it again.
[[ ! -d $result ]] || mv "$result" "$tmp/old"
mv "$new" "$result"
say "$name is in $result"
echo "$result"
