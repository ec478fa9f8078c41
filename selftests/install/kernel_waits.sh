#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that apt upgrades a kernel and its module together, and neither without the other: packages of
# module_package.sh, with kernels that are empty packages, in an apt of its own. Needs no root.

set -euo pipefail
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repo=$work/repo
arch=$(dpkg --print-architecture)
image=linux-image-$arch
mkdir -p "$repo" "$work"/{state/lists/partial,cache/archives/partial,deb/DEBIAN}
echo "deb [trusted=yes] file:$repo ./" >"$work/sources.list"

# deb NAME VERSION [FIELD]
deb()
{
	printf '%s\n' "Package: $1" "Version: $2" "Architecture: $arch" "Maintainer: none <none@kuid.invalid>" \
		"Description: none" ${3:+"$3"} >"$work/deb/DEBIAN/control"
	dpkg-deb --root-owner-group --build "$work/deb" "$repo/$1_$2.deb" >/dev/null
}

# kernel RELEASE VERSION
kernel()
{
	deb "linux-image-$1" "$2"
	deb "$image" "$2" "Depends: linux-image-$1 (= $2)"
}

# module RELEASE VERSION: for that kernel.
module()
{
	printf 'const char info[] = "vermagic=%s SMP\\0version=0.1.0";' "$1" | gcc -x c -c -o "$work/kuid.ko" -
	KERNEL_PACKAGE=$image=$2 "$here/module_package.sh" none "$work/kuid.ko" "$repo" >/dev/null
}

apt()
{
	apt-get -qq -o Dir::State="$work/state" -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
		-o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::Etc::Parts=- -o APT::Sandbox::User= "$@"
}

# upgrades NAME...: these packages, and no others.
upgrades()
{
	(cd "$repo" && dpkg-scanpackages -m . 2>/dev/null >Packages)
	apt update
	diff <(apt -s upgrade --with-new-pkgs | awk '/^(Inst|Remv)/ { print $2 }' | sort) <(printf '%s\n' "$@" | sed '/^$/d' | sort) >&2
}

deb kmod 30
kernel "6.1.0-9-$arch" 6.1.9-1
module "6.1.0-9-$arch" 6.1.9-1
for package in "$repo"/*.deb; do
	dpkg-deb -f "$package"
	echo "Status: install ok installed"
	echo
done >"$work/status"
kernel "6.1.0-10-$arch" 6.1.10-1
upgrades
module "6.1.0-10-$arch" 6.1.10-1
upgrades "$image" "linux-image-6.1.0-10-$arch" "kuid-$image" "kuid-modules-6.1.0-10-$arch"
