#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the benchmark and makes its report:   bench.sh [--quick] BENCH KERNEL [PART...]
# BENCH is the directory of the built programs, KERNEL that of fetch.sh. Each part is a script,
# parts/PART.sh BENCH KERNEL full|quick, and all of them run if none is named. With "quick" a part
# measures only what is held to the record, which may be nothing. Lines that it prints with tabs are
# results, see report.awk; other lines are shown. Results go to BENCH/parts/PART.tsv, and the report
# beside that, or with --quick below BENCH/quick.

set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
form=full
if [[ ${1:-} == --quick ]]; then
	form=quick
	shift
fi
if (( $# < 2 )); then
	echo "usage: bench.sh [--quick] BENCH KERNEL [PART...]" >&2
	exit 2
fi
bench=$1 kernel=$2
shift 2
if (( !$# )); then
	for script in "$here"/parts/*.sh; do
		set -- "$@" "$(basename "$script" .sh)"
	done
fi
out=$bench
[[ $form == full ]] || out+=/quick
rm -rf "$out/parts"
mkdir -p "$out/parts"
status=0

# The head of the results of a part.
describe()
{
	local part=$1 processor

	processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	echo "# SPDX-License-Identifier: GPL-2.0-only"
	printf 'machine\t%s\t%s\t%s\n' \
		"$part" date "$(date -u +%F)" \
		"$part" processor "${processor:-$(uname -m)}" \
		"$part" CPUs "$(nproc)" \
		"$part" kernel "$(uname -r)" \
		"$part" "booted kernel" "$(<"$kernel/release")"
}

# Keeps the results, and shows all else; a result on a terminal in one line, otherwise each table.
keep_results()
{
	awk -F '\t' -v file="$1" -v part="$2" -v terminal="$([[ -t 2 ]] && echo 1)" '
		function show(text) { printf "%s", text >"/dev/stderr"; fflush("/dev/stderr") }
		NF == 4 || NF == 5 {
			print >file
			if (terminal)
				show("\r\033[K" part ": " $1 ", " $2 ", " $3)
			else if (!seen[$1]++)
				show(part ": " $1 "\n")
			next
		}
		{ show((terminal ? "\r\033[K" : "") $0 "\n") }
		END { if (terminal) show("\r\033[K") }'
}

for part in "$@"; do
	if [[ ! -x $here/parts/$part.sh ]]; then
		echo "bench.sh: there is no part $part" >&2
		exit 2
	fi
	begin=$SECONDS
	file=$out/parts/$part.tsv
	: >"$file.new"
	if ! "$here/parts/$part.sh" "$bench" "$kernel" "$form" | keep_results "$file.new" "$part"; then
		echo "bench.sh: $part failed" >&2
		: >"$out/parts/$part.failed"
		status=1
	fi
	if [[ -s $file.new ]]; then
		{ describe "$part"; cat "$file.new"; } >"$file"
		echo "bench.sh: $part took $((SECONDS - begin)) s" >&2
	fi
	rm -f "$file.new"
done

# Prints which parts this run has measured, and the date of the other parts in the record.
recorded=$here/../../Documentation/performance
others=()
for file in "$recorded"/*.tsv; do
	[[ -e $out/parts/${file##*/} ]] ||
		others+=("$(basename "$file" .tsv) of $(awk -F '\t' '$3 == "date" { print $4 }' "$file")")
done
echo "bench.sh: measured: $*; not measured, in the record:$(printf ' %s,' "${others[@]:-none}" | sed 's/,$//')" >&2
"$here/report.sh" make "$out" || status=1
"$here/report.sh" hold "$out" || status=1
exit "$status"
