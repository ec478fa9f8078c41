#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the Debian packages of this tree, with its changes, into a directory:
#   packages.sh [--version VERSION] OUT
# With another VERSION than the tree's they are those of a next release. Runs in a copy, so that
# nothing is left here. Needs no root.

set -euo pipefail
# The source package has the modes of files.
umask 022

version=''
if [[ ${1:-} == --version && $# -gt 1 ]]; then
	version=$2
	shift 2
fi
(( $# == 1 )) || {
	echo "usage: packages.sh [--version VERSION] OUT" >&2
	exit 2
}
[[ $version =~ ^([0-9]+(\.[0-9]+)*)?$ ]] || {
	echo "packages.sh: '$version' is not a version" >&2
	exit 2
}
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/kuid
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard --deduplicate | while read -rd '' file; do
	# A file may be deleted and not yet committed.
	[[ ! -e $file ]] || printf '%s\0' "$file"
done | tar -c --null -T - | tar -xC "$copy"
cd "$copy"
if [[ $version ]]; then
	sed -i "s/\(KUID_VERSION \)\".*\"/\1\"$version\"/" kmod/version.h
	sed "1s/(.*)/($version)/" debian/changelog >"$work/changelog"
	cat debian/changelog >>"$work/changelog"
	mv "$work/changelog" debian/changelog
fi
dpkg-buildpackage -us -uc >"$work/log" 2>&1 || {
	tail -n 60 "$work/log" >&2
	exit 1
}
rm -f "$out"/*.{deb,dsc,tar.xz,buildinfo,changes}
cp "$work"/*.{deb,dsc,tar.xz,buildinfo,changes} "$out"
