#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sortable base 64 and sort(1): the text has the order of the IDs byte by byte, and not in a locale
# that knows a language. Prints KTAP. Needs kuid on PATH.

# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"
alphabet=.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz

# IDs in their order, which differ in the bits that the last character has.
ids()
{
	for number in $(seq 0 63); do
		printf '0060398a03eb27327b6980%02x\n' "$number"
	done | kuid convert -f k96 --to text
}

shows_the_alphabet()
{
	ids >"$out" && [ "$(cut -c 16 "$out" | tr -d '\n')" = $alphabet ]
}

sorts_by_byte()
{
	ids >"$work/want" && LC_ALL=C sort "$work/want" >"$out" && cmp "$out" "$work/want"
}

# Only the order differs.
missorts()
{
	ids >"$work/want" && LOCPATH=$work LC_ALL=en_US.UTF-8 sort "$work/want" >"$out" &&
		! cmp -s "$out" "$work/want" && LC_ALL=C sort "$out" | cmp - "$work/want"
}

echo "KTAP version 1"
it "sortable base 64 has its alphabet" shows_the_alphabet
it "LC_ALL=C sort keeps the order" sorts_by_byte
if localedef -i en_US -f UTF-8 "$work/en_US.UTF-8" 2>"$err"; then
	it "sort in the locale en_US.UTF-8 does not" missorts
else
	skip "sort in the locale en_US.UTF-8 does not" "localedef can't make it"
fi
finish
