#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the RPM packages of this tree from the tarball of dist.sh:   rpms.sh OUT
# If HOMEPAGE or MAINTAINER is set, they name it. Packages that the spec needs are not looked for, because they have
# other names on Debian. The tests are not run: the Debian packages have the same ones. kuid-kmod.spec
# needs kmodtool, which Debian has not, so it is not built.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
takes OUT "$@"
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/dist.sh" "$work/SOURCES" >/dev/null
# Debian's rpm has no debugging packages, and its own place for its database.
rpmbuild -ba --nodeps --nocheck --define "_topdir $work" --define "debug_package %{nil}" --dbpath "$work/db" \
	${HOMEPAGE:+--define "homepage $HOMEPAGE"} ${MAINTAINER:+--define "packager $MAINTAINER"} "$here/../../rpm/kuid.spec" >"$work/log" 2>&1 || {
	tail -n 60 "$work/log" >&2
	exit 1
}
rm -f "$out"/*.rpm
find "$work"/{RPMS,SRPMS} -name '*.rpm' -exec cp {} "$out" \;
