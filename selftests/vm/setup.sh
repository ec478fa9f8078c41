#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the packages for a purpose on this Debian 12 machine:   setup.sh [NEED...]
# packages.list has the needs and their packages. If nothing is missing, it prints nothing and changes
# nothing.

set -euo pipefail

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "$0")/arguments.sh"
list=$here/packages.list
needs=()
(( $# )) || mapfile -t needs < <(sed -nE 's/^([a-z]+) \+ .*/\1/p' "$list")
debian=$(. /etc/os-release && echo "$VERSION_ID")
wanted=()
for need in "$@" "${needs[@]}"; do
	read -ra row < <(awk -v need="$need" '$1 == need' "$list") || true
	[[ $need =~ ^[a-z] && ${row[*]} ]] || usage "unknown need '$need'"
	for name in "${row[@]:2}"; do
		[[ $name == 13:* && $debian == 12 ]] || wanted+=("${name#13:}")
	done
	# Node.js of other archives comes with npm and its headers.
	[[ $need != node ]] || command -v npm >/dev/null || wanted+=(npm libnode-dev)
done
wanted=("${wanted[@]/%RELEASE/$(uname -r)}")

# dpkg-query fails for unknown names and leaves them out of its answer.
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for name in "${wanted[@]}"; do
	[[ $'\n'$present$'\n' == *$'\n'"installed $name"$'\n'* ]] || missing+=("$name")
done
(( ${#missing[@]} )) || exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
as_root=(env DEBIAN_FRONTEND=noninteractive)
if (( EUID )); then
	as_root=(sudo -n "${as_root[@]}")
	"${as_root[@]}" true 2>/dev/null ||
		die "packages are missing; as root, run: apt-get update && ${install[*]}"
fi

echo "setup.sh: installing ${missing[*]}" >&2
# Always update first: old package lists name files that the archive no longer has.
"${as_root[@]}" apt-get -qq update </dev/null >&2
"${as_root[@]}" "${install[@]}" -qq </dev/null >&2
