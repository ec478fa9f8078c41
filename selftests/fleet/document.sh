#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the fleet and brings its results into the document, or compares them with it:
#   document.sh write|check BUILD DOCUMENTATION [quick]
# A table lies in fleets.md, or in counted.md beside this script, between the comments "fleet: NAME"
# and "fleet: end", the points of the plots are fleets/plots.tsv, and each plot tells the checksum of
# what it was drawn from. A quick run
# leaves out rows and points; those that it has must be in the document, in the same order. Prints
# TAP.
# shellcheck disable=SC2317 # the checks are called by it

set -eu
cd "$(dirname "$0")"
plots='shared order'

usage()
{
	echo "usage: document.sh write|check BUILD DOCUMENTATION [quick]" >&2
	exit 2
}

[ $# -eq 3 ] || [ $# -eq 4 ] || usage
what=$1 build=$2 to=$3 quick=${4:-}
case $what/$quick in
write/ | check/ | check/quick) ;;
*) usage ;;
esac
pages="$to/fleets.md counted.md"
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. ../../userspace/tests/tap.sh
made=$build/out

# The table with a name, as a page has it.
table()
{
	# shellcheck disable=SC2086 # two names
	awk -v name="$1" '
		/^<!-- fleet: / { on = $3 == name; next }
		on && NF' $pages
}

# contains OLD NEW: the lines of NEW are in OLD, in the same order; without "quick" no others are.
contains()
{
	if [ -z "$quick" ]; then
		diff -u "$1" "$2"
		return
	fi
	awk '
		NR == FNR { line[++n] = $0; next }
		{ while (++at <= n && line[at] != $0); }
		at > n { print "not in the document: " $0; exit 1 }' "$1" "$2"
}

table_is_current()
{
	table "$1" >"$build/table"
	contains "$build/table" "$made/$1.md"
}

# The checksum of what the plots are drawn from, with the script.
checksum()
{
	cat plots.gp "$to/fleets/plots.tsv" | sha256sum | cut -d ' ' -f 1
}

plot_is_current()
{
	grep -qF "drawn from sha256 $(checksum) -->" "$to/fleets/$1.svg" && return
	echo "fleets/$1.svg was drawn from other points: make fleet-record"
	return 1
}

write()
{
	for page in $pages; do
		awk -v word=fleet -v from="$made" -f ../run/fill.awk "$page" >"$build/page.md"
		cat "$build/page.md" >"$page"
	done
	mkdir -p "$to/fleets" "$build/plots"
	cp "$made/plots.tsv" "$to/fleets/plots.tsv"
	gnuplot -e "data='$made/plots.tsv'; to='$build/plots'" plots.gp
	for plot in $plots; do
		# Gnuplot names the picture after itself, and its parts, which a browser shows, by its input.
		sed -e "s|<title>Gnuplot</title>|<title>$(sed -n "/\/$plot.svg/,/^plot/s/^set title \"\(.*\)\"/\1/p" plots.gp)</title>|" \
			-e '/<g id="gnuplot_plot/s|<title>.*</title>||' \
			-e '1a <!-- SPDX-License-Identifier: GPL-2.0-only -->' \
			-e "1a <!-- drawn from sha256 $(checksum) -->" \
			"$build/plots/$plot.svg" >"$to/fleets/$plot.svg"
	done
}

rm -rf "$made"
mkdir -p "$made"
if [ "$what" = write ]; then
	"$build/fleet" "$made" && write
	exit
fi
"$build/fleet" ${quick:+--quick} "$made" || failed=1
for table in "$made"/*.md; do
	table=$(basename "$table" .md)
	it "table $table" table_is_current "$table"
done
it "points of the plots" contains "$to/fleets/plots.tsv" "$made/plots.tsv"
for plot in $plots; do
	it "plot $plot" plot_is_current "$plot"
done
[ "$failed" -eq 0 ]
