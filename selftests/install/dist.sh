#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packs the sources of this tree, with its changes, as OUT/kuid-VERSION.tar.xz, and prints that name:
#   dist.sh [--version VERSION] OUT
# With another VERSION than the tree's they are those of a next release. The packaging of Debian, which
# has revisions of its own, is not in it. The same files and the same commit give the same bytes, whatever
# the umask, the language and the time zone are. In an unpacked tarball, where there is no git, it packs
# all files that are there but build/.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail
export LC_ALL=C

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
version=''
options "version=" "$@"
takes OUT "${rest[@]}"
[[ $version =~ ^([0-9]+(\.[0-9]+)*)?$ ]] || usage "'$version' is not a version"
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here/../.."

list()
{
	if [[ -e .git ]]; then
		# A file may be deleted and not yet committed.
		comm -z -23 <(git ls-files -z --cached --others --exclude-standard ':!debian' | sort -zu) \
			<(git ls-files -z --deleted | sort -zu)
	else
		find . -path ./build -prune -o ! -type d -printf '%P\0'
	fi
}

# The time of the files: that of the commit, or of the files in the tarball.
if [[ -e .git ]]; then
	made=$(git log -1 --format=%ct)
else
	made=$(stat -c %Y kmod/version.h)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=kuid-${version:-$(sed -n 's/.*KUID_VERSION "\(.*\)"/\1/p' kmod/version.h)}
mkdir "$work/$name"
list | tar -c --null -T - | tar -xC "$work/$name"
if [[ $version ]]; then
	sed -i "s/\(KUID_VERSION \)\".*\"/\1\"$version\"/" "$work/$name/kmod/version.h"
fi
tar -C "$work" -c --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	--mtime="@$made" "$name" | xz -T1 >"$work/$name.tar.xz"
mv "$work/$name.tar.xz" "$out"
echo "$out/$name.tar.xz"
