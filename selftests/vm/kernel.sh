#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds a kernel from Debian's source, with only the options of every.config and NAME.config in
# this directory, and prints the directory that holds it:   kernel.sh NAME-6.1
# The directory is like that of a kernel from fetch.sh: vmlinuz, config, release, headers
# (KERNEL_SRC); and nic, a staging directory for the initramfs with the driver lib/e1000.ko. The NAME
# uml stands for User Mode Linux: uml.config has all options, vmlinuz is the program that boot.sh runs,
# modules are built with ARCH=um, and there is no nic. The result is kept beside the source from
# fetch.sh tree-6.1, and is rebuilt when the source or a configuration changes. Needs no root.

set -euo pipefail

# shellcheck source=SCRIPTDIR/cached.sh
. "$(dirname "$0")/cached.sh"
takes NAME "$@"
[[ $name == *-* && -r $here/${name%-*}.config && $name != every-* ]] || usage "there is no $name"
version=${name##*-}
# Configurations, make arguments, the file that boots, and what module builds need besides the parts
# that all kernels have.
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

begin_result ".lock.$name" ".build.$name"
source=$tmp/source
mkdir "$new/headers" "$source"

say "unpacking the source of Linux $(<"$tree/version")"
tar -xJf "$tree/linux.tar.xz" -C "$source" --strip-components=1

build()
{
	logged make -C "$source" -j"$(nproc)" "${arch[@]}" KBUILD_BUILD_USER=kuid KBUILD_BUILD_HOST=kuid "$@"
}

# make drops an option silently if it was renamed or depends on another one.
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

# The files that an external module build reads, as in Debian's header packages. None of them
# contains the path of the tree.
(
	cd "$source"
	{
		printf '%s\n' .config Module.symvers Makefile
		find scripts include "${parts[@]}" -type f -o -type l
		find arch/x86 -maxdepth 1 -name 'Makefile*'
	} | grep -v '\.[ao]$' | tar -cT -
) | tar -xC "$new/headers"
end_result
