#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Debian packages of this tree, with its changes, into a directory:
#   packages.sh [--version VERSION] OUT
# With another VERSION than the tree's they are those of a next release. They are built from the
# tarball of dist.sh and the directory debian. If HOMEPAGE is set, the packages name it, as Vcs-Git that
# with ".git", and uscan looks there for tarballs. If MAINTAINER is set, it is theirs. Prints what it
# made and how to install it. Needs no root.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail
# The source package has the modes of files.
umask 022

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
version=''
options "version=" "$@"
takes OUT "${rest[@]}"
mkdir -p "$out"
out=$(cd "$out" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$(cd "$here/../.." && pwd)
[[ -d $tree/debian ]] || die "a release tarball has no directory debian: get that of a package, or use git"
next=(${version:+--version "$version"})
tarball=$("$here/dist.sh" "${next[@]}" "$work")
tar -xf "$tarball" -C "$work"
cd "${tarball%.tar.xz}"
version=${PWD##*/kuid-}
cp -r "$tree/debian" .
if (( ${#next[@]} )); then
	{
		sed "1s/(.*)/($version-1)/" "$tree/debian/changelog"
		cat "$tree/debian/changelog"
	} >debian/changelog
fi
mv "$tarball" "$work/kuid_$version.orig.tar.xz"
# The extension is for the server of this Debian, which has the highest number.
server=$(printf '%s\n' /usr/lib/postgresql/*/bin/pg_config | sort -V | tail -n 1 | cut -d / -f 5)
if [[ $server != 15 ]]; then
	sed -i "s/postgresql-15/postgresql-$server/" debian/control
	mv debian/postgresql-15-kuid.install "debian/postgresql-$server-kuid.install"
fi
if [[ ${HOMEPAGE:-} ]]; then
	sed -i "/^Standards-Version:/a Homepage: $HOMEPAGE\nVcs-Browser: $HOMEPAGE\nVcs-Git: $HOMEPAGE.git" \
		debian/control
	printf '%s\n' version=4 "$HOMEPAGE .*/kuid-(\d[\d.]*)\.tar\.xz" >debian/watch
fi
if [[ ${MAINTAINER:-} ]]; then
	# The last entry of the changelog is the package's own.
	name=${MAINTAINER//&/\\&}
	sed -i "s|^Maintainer: .*|Maintainer: $name|" debian/control
	sed -i "0,/^ -- .*>/s|^ -- .*>| -- $name>|; s/>>/>/" debian/changelog
fi
dpkg-buildpackage -us -uc >"$work/log" 2>&1 || {
	grep -A 20 '^not ok' "$work/log" >&2
	tail -n 60 "$work/log" >&2
	exit 1
}
rm -f "$out"/*.{deb,dsc,tar.xz,buildinfo,changes}
cp "$work"/*.{deb,dsc,tar.xz,buildinfo,changes} "$out"
cd "$out"
echo "In $out:"
printf '  %s\n' *.deb | grep -v -e -dbgsym_
echo "To install the module, which DKMS builds, and the tool:"
echo "  sudo apt install $out/{kuid,kuid-dkms,libkuid0}_${version}-*.deb linux-headers-$(dpkg --print-architecture)"
