#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the RPM packages, and compares their files with those of Debian's:   check_rpms.sh BUILD
# Both were built into BUILD. Prints TAP, and one line of totals.

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "" "$@"
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$top/userspace/tests/tap.sh"

# Paths without what distributions put elsewhere, and without what only one of them has.
paths()
{
	sed -E 's,^\./,/,; s,^/lib/,/usr/lib/,; s,/x86_64-linux-gnu/|/lib64/,/lib/,; s,\.gz$,,; s,//,/,
		s,/lib/lib/,/lib/,; s,zsh/(site-functions|vendor-completions),zsh,' |
		grep -vE '/$|^/usr/share/(doc|licenses|lintian)/|\.preset$|/\.build-id' | LC_ALL=C sort
}

# same_files RPM DEB
same_files()
{
	# shellcheck disable=SC2154 # work is set by tap.sh
	rpm -qp --nosignature --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$build/rpms/$1"-[0-9]*[46h].rpm |
		sed -n 's/^[^d][^ ]* //p' | paths >"$work/rpm"
	dpkg-deb --fsys-tarfile "$build/packages/$2"_*.deb | tar -t | paths >"$work/deb"
	[[ -s $work/rpm ]] && diff "$work/rpm" "$work/deb"
}

# The guides are in /usr/share/doc, which differs.
same_guides()
{
	diff <(rpm -qpl --nosignature "$build/rpms"/kuid-doc-[0-9]*.noarch.rpm | grep -o '[^/]*\.md$' | grep -v "README\|CHANGELOG" | sort) \
		<(dpkg-deb --fsys-tarfile "$build/packages"/kuid-doc_*.deb | tar -t | grep -o '[^/]*\.md$' |
			grep -v "README\|CHANGELOG" | sort)
}

recommends_module()
{
	local kuid=("$build/rpms"/kuid-[0-9]*.x86_64.rpm)

	rpm -qp --nosignature --recommends "${kuid[@]}" | grep -q '^kuid-kmod ' &&
		! rpm -qp --nosignature --requires "${kuid[@]}" | grep kuid-kmod
}

echo "TAP version 13"
it "rpmlint finds nothing" rpmlint -c "$top/rpm/rpmlint.toml" "$top/rpm"/*.spec \
	"$build/rpms"/*.rpm
while read -r rpm deb; do
	it "$rpm has the files of $deb" same_files "$rpm" "$deb"
done <<-END
	kuid kuid
	kuid-libs libkuid0
	kuid-devel libkuid-dev
	kuid-uuid libkuid-uuid
	kuid-sqlite libkuid-sqlite
	kuid-claim kuid-claim
	kuid-dkms kuid-dkms
END
it "kuid-doc has the guides" same_guides
it "the tool can be installed without the module" recommends_module
tap_end
