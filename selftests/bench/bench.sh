#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the benchmark and makes its report:   bench.sh [--quick] BENCH KERNEL [PART...]
# BENCH is the directory of the built programs, KERNEL that of fetch.sh. All parts run if none is
# named, or with --quick the one that measures what is held to the record. Lines that a part prints
# with tabs are results, see report.awk; other lines are shown. Results go to BENCH/parts/PART.tsv, and
# the report beside that, or with --quick below BENCH/quick.

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

boot()
{
	"$here/../vm/boot.sh" --kernel "$kernel" --initrd "$bench/initrd.cpio" "$@"
}

# Each part that is a program in one machine, or on this one; the others are scripts.
run_part()
{
	case $1 in
	# Instructions of calls, in a machine that counts them, and in one that tells of clones.
	counts) boot --icount --timeout 600 /guest/bench.sh "$form" &&
		boot --icount --timeout 600 --qemu "-device vmgenid,guid=auto" /guest/bench.sh vmgenid ;;
	# Costs as files and waiters become more.
	growth) boot --icount --timeout 600 /guest/with_module.sh snowflake_worker=17 /bench/growth ;;
	# How reads scale with CPUs. The large window keeps slots from running out.
	scaling) boot --smp 2 --timeout 900 \
		/guest/with_module.sh snowflake_worker=17,max_ahead_ms=1000 /bench/scaling ;;
	threads) "$bench/native" threads ;;
	*) "$here/parts/$1.sh" "$bench" "$kernel" ;;
	esac
}

all=(counts growth scaling threads)
for script in "$here"/parts/*.sh; do
	all+=("$(basename "$script" .sh)")
done
[[ $form == full ]] || all=(counts)
(( $# )) || set -- "${all[@]}"
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
	if [[ " ${all[*]} " != *" $part "* ]]; then
		echo "bench.sh: there is no part $part among ${all[*]}" >&2
		exit 2
	fi
	begin=$SECONDS
	file=$out/parts/$part.tsv
	: >"$file.new"
	if ! run_part "$part" | keep_results "$file.new" "$part"; then
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
