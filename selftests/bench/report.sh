#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Results of the benchmark:
#   report.sh make DIR    DIR/results.tsv from DIR/parts/*.tsv; from that report.md, report.csv and plots
#   report.sh hold DIR    compares those results that are held to the record with it
#   report.sh record DIR  copies the parts to Documentation/performance, and writes tables and plots there,
#                         in performance.md and in README.md
#   report.sh check       fails if these documents and plots have not what is recorded

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(cd "$here/../.." && pwd -P)
recorded=$top/Documentation/performance
documents=(README.md Documentation/performance.md)

case $#:${1:-} in
2:make|2:hold|2:record|1:check) ;;
*)
	echo "usage: report.sh make DIR | hold DIR | record DIR | check" >&2
	exit 2
	;;
esac
from=${2:-}
parts=("$from"/parts/*.tsv)
if [[ -n $from && ! -e ${parts[0]} ]]; then
	echo "report.sh: no results in $from: make bench" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tables COMPLETE FILE...: makes $work/NAME.md and .gp from results; links of README.md begin in
# another directory.
tables()
{
	local complete=$1 table
	shift
	awk -v complete="$complete" -v out="$work" -f "$here/report.awk" "$here/tables.list" "$@"
	mkdir "$work/readme"
	for table in "$work"/*.md; do
		sed 's,](performance/,](Documentation/performance/,' "$table" >"$work/readme/${table##*/}"
	done
}

# The checksum of all that a plot is drawn from.
checksum()
{
	cat "$here/plot.gp" "$1" | sha256sum | cut -d ' ' -f 1
}

# draw TO: the plots of all tables
draw()
{
	local points name

	rm -rf "$1"/*.svg
	mkdir -p "$1"
	for points in "$work"/*.gp; do
		[[ -e $points ]] || return 0
		name=$(basename "$points" .gp)
		gnuplot -e "to='$work/plot.svg'" "$points" "$here/plot.gp"
		# Gnuplot names the picture after itself, and its parts, which a browser shows, by its input.
		sed -e "s|<title>Gnuplot</title>|<title>$(sed -n 's/^title_text = "\(.*\)"/\1/p' "$points")</title>|" \
			-e '/<g id="gnuplot_plot/s|<title>.*</title>||' -e '1a <!-- SPDX-License-Identifier: GPL-2.0-only -->' \
			-e "1a <!-- drawn from sha256 $(checksum "$points") -->" "$work/plot.svg" >"$1/$name.svg"
	done
}

# fill DOCUMENT: prints it with its tables
fill()
{
	local tables=$work
	[[ $1 != README.md ]] || tables+=/readme
	awk -v word=bench -v from="$tables" -f "$here/../run/fill.awk" "$top/$1"
}

do_make()
{
	cat "${parts[@]}" >"$from/results.tsv"
	tables '' "$from/results.tsv"
	draw "$from/performance"
	cp "$work"/report.{md,csv} "$from"
	echo "report.sh: the report is $from/report.md"
}

# Only parts that were run are compared. /dev/null stands for a part that was never recorded.
do_hold()
{
	local part record failed=0

	for part in "${parts[@]}"; do
		record=$recorded/${part##*/}
		[[ -e $record ]] || record=/dev/null
		awk -v tolerance=3 -f "$here/hold.awk" "$record" "$part" || failed=1
	done
	(( !failed )) || echo "report.sh: if this is intended: make bench, and then make bench-record" >&2
	return "$failed"
}

do_record()
{
	local document failed

	for failed in "$from"/parts/*.failed; do
		[[ -e $failed ]] || continue
		echo "report.sh: $(basename "$failed" .failed) has failed, its results may lack some" >&2
		return 1
	done
	mkdir -p "$recorded"
	cp "${parts[@]}" "$recorded"
	tables 1 "$recorded"/*.tsv
	draw "$recorded"
	for document in "${documents[@]}"; do
		fill "$document" >"$work/document"
		cat "$work/document" >"$top/$document"
	done
}

do_check()
{
	local document points name status=0

	tables 1 "$recorded"/*.tsv || status=1
	for document in "${documents[@]}"; do
		fill "$document" | diff -u "$top/$document" - || status=1
	done
	while read -r name; do
		(cd "$top" && grep -q "^<!-- bench: $name -->" "${documents[@]}") && continue
		echo "no document has the table $name"
		status=1
	done < <(awk '
		/^table: / { name = $2; shown[name] = 1 }
		/^rows: none/ { delete shown[name] }
		END { for (name in shown) print name }' "$here/tables.list")
	for points in "$work"/*.gp; do
		name=$(basename "$points" .gp)
		grep -qF "drawn from sha256 $(checksum "$points") -->" "$recorded/$name.svg" && continue
		echo "Documentation/performance/$name.svg was drawn from other values: make bench-record"
		status=1
	done
	return "$status"
}

"do_$1"
