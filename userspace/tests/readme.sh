#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each command that README.md shows under "Use" works and prints the same there, with other IDs of
# the same formats. Prints KTAP. Needs the module loaded.

# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
here=${0%/*}

# Splits the indented lines of the part into files: command.N, and shown.N with its output.
split()
{
	awk -v to="$work" '
		/^## / { on = $2 == "Use" }
		!on || !sub(/^    /, "") { next }
		sub(/^\$ /, "") { n++; print >(to "/command." n); next }
		sub(/^> /, "") { print >(to "/command." n); next }
		{ print >(to "/shown." n) }
		END { print n + 0 }' "$here/README.md"
}

# Puts the format in place of each ID.
formats()
{
	sed -E 's/[0-9a-f]{8}-[0-9a-f]{4}-([167])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/v\1/
		s/^[._0-9A-Za-z]{11}$/k64/'
}

shows()
{
	# The directory of the packages; the machine has what "make install" installs.
	sed 's|/usr/lib/[^/]*/kuid/|/lib/kuid/|' "$work/command.$1" >"$work/run"
	sh "$work/run" >"$out" 2>"$err" && [ ! -s "$err" ] || return
	formats <"$out" >"$work/got"
	formats <"$work/shown.$1" | diff - "$work/got" || return
	! cmp -s "$out" "$work/shown.$1"
}

echo "KTAP version 1"
commands=$(split)
for n in $(seq "$commands"); do
	name=$(head -n 1 "$work/command.$n")
	# The first word that sets no variable is the program.
	program=$(sed -E -n '1s/^([A-Z_]+=[^ ]* )*([^ ]+).*/\2/p' "$work/command.$n")
	if command -v "$program" >/dev/null; then
		it "$name" shows "$n"
	else
		skip "$name" "there is no $program"
	fi
done
it "several commands" [ "$commands" -ge 3 ]
finish
