#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fails if parts of the source include each other in a circle:   circles.sh FILE...
# A part is a .c file with the header of its name. Includes are looked up beside the file that has
# them and then in the directories that -I names for kmod, userspace and the tests of the core; files of
# other projects don't count.

set -uo pipefail

# Prints "PART INCLUDED-PART" for each include.
edges()
{
	local file included dir part

	for file in "$@"; do
		while read -r included; do
			for dir in "$(dirname "$file")" kmod userspace userspace/{libkuid,service} selftests/unit; do
				[[ -e $dir/$included ]] || continue
				part=$(realpath --relative-to=. "$dir/$included")
				echo "${file%.[ch]} ${part%.[ch]}"
				break
			done
		done < <(sed -n 's/^#[ \t]*include "\(.*\)"$/\1/p' "$file")
	done
}

# tsort writes the parts of each circle to stderr.
if ! circles=$(edges "$@" | tsort 2>&1 >/dev/null); then
	echo "$circles"
	exit 1
fi
