#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the litmus tests of this directory by herd7:   litmus.sh HERD7 SOURCE
# HERD7 is the directory of fetch.sh herd7, SOURCE that of source-6.1, which has the kernel's memory
# model. The outcome of a test must be impossible. For each line that ends in "// twin: CODE" a twin
# has CODE in place of that line, where "nothing" is nothing; there the outcome must be possible. A
# test with atomic_int is C11's. Prints KTAP.

set -euo pipefail
herd=$1 source=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nr=0 failed=0

# result "ok"|"not ok" NAME
result()
{
	nr=$((nr + 1))
	echo "$1 $nr $2"
	[[ $1 == ok ]] || failed=1
}

# The answer of herd7 to a file: Never, Sometimes or Always.
outcome()
{
	local model=(-conf linux-kernel.cfg)

	! grep -q atomic_int "$1" || model=(-model rc11.cat)
	(cd "$source/tools/memory-model" && "$herd/bin/herd7" -set-libdir "$herd/usr/share/herdtools7/herd" \
		"${model[@]}" "$1") >"$work/out" 2>&1 || true
	sed -n 's/^Observation [^ ]* \([A-Za-z]*\) .*/\1/p' "$work/out"
}

# judge FILE OUTCOME NAME
judge()
{
	if [[ $(outcome "$1") == "$2" ]]; then
		result ok "$3"
	else
		result "not ok" "$3"
		sed 's/^/# /' "$work/out"
	fi
}

# The functions with a comment that names a pair. A comment at the beginning of a line belongs to the
# function behind it.
functions_with_pairs()
{
	awk '
		FNR == 1 { name = ""; pending = 0 }
		/^[a-z].*[a-z_]\(/ && !/;$/ {
			name = $0
			sub(/\(.*/, "", name)
			sub(/.*[ *]/, "", name)
			if (pending) { print name; pending = 0 }
		}
		tolower($0) ~ /pairs (also )?with/ { if (/^ ?[\/*]/) pending = 1; else print name }' \
		"$top"/kmod/*.[ch] "$top"/kmod/core/*.[ch] "$top"/userspace/libkuid/*.[ch] | sort -u
}

echo "KTAP version 1"
for file in "$here"/*.litmus; do
	name=$(basename "$file" .litmus)
	judge "$file" Never "$name: the outcome is impossible"
	while read -r line; do
		sed "${line}s|.*// twin: \(.*\)|\1|; ${line}s|^nothing\$||" "$file" >"$work/$name.litmus"
		judge "$work/$name.litmus" Sometimes "$name: it is possible without line $line"
	done < <(grep -n '// twin: ' "$file" | cut -d : -f 1)
done
while read -r function; do
	if grep -qF " $function()" "$here"/*.litmus; then
		result ok "a litmus test is about $function()"
	else
		result "not ok" "a litmus test is about $function()"
	fi
done < <(functions_with_pairs)
echo "1..$nr"
exit $failed
