#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands that Documentation/fleets.md shows under "Merging streams":
#   tests.sh FLEET DOCUMENTATION
# The streams are those of simulated hosts, of whose IDs it is known when they were made. Prints TAP.
# Needs kuid on PATH.
# shellcheck disable=SC2317 # the tests are called by it

if [ $# -ne 2 ]; then
	echo "usage: tests.sh FLEET DOCUMENTATION" >&2
	exit 2
fi
fleet=$1
page=$2/fleets.md

# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "${0%/*}/../../userspace/tests/tap.sh"

# Runs the commands, with another bound in nanoseconds if one is given.
merge()
{
	awk '
		/^## / { on = $2 == "Merging" }
		on && sub(/^    \$ /, "")' "$page" >"$work/commands"
	[ $# -eq 0 ] || sed -i "s/--bound [0-9]*/--bound $1/" "$work/commands"
	(cd "$work" && sh ./commands) >"$out" 2>"$err" && [ ! -s "$err" ]
}

# Between two empty lines all IDs were made after those above.
is_in_order()
{
	awk '
		NR == FNR { made[$1] = $2; next }
		!NF { if (highest > before) before = highest; groups++; next }
		!($1 in made) { print "unknown: " $0; bad = 1; exit }
		made[$1] + 0 < before { print $1 " was made before an ID above it"; bad = 1 }
		made[$1] + 0 > highest { highest = made[$1] + 0 }
		END { exit bad || groups < 50 }' "$work/made.tsv" "$out"
}

merges()
{
	merge && is_in_order && grep . "$out" | LC_ALL=C sort >"$work/got" &&
		cut -f 1 "$work/made.tsv" | LC_ALL=C sort | cmp - "$work/got"
}

# Otherwise the streams would prove nothing.
needs_the_bound()
{
	merge 1 && ! is_in_order
}

"$fleet" --streams "$work" || exit
it "what is in order by the bound was made in that order" merges
it "it is not with a bound of 1 ns" needs_the_bound
finish
