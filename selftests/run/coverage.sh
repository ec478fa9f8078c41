#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures which lines of the module the tests run in a booted kernel:
#   coverage.sh BUILD KERNEL INITRD MODULE [TRACEFILE...]
# KERNEL is from ../vm/kernel.sh. INITRD has the module that was built with coverage in MODULE. The
# result for lcov is BUILD/coverage/kmod.info; the TRACEFILEs are added to the report.

set -euo pipefail

if (( $# < 4 )); then
	echo "usage: coverage.sh BUILD KERNEL INITRD MODULE [TRACEFILE...]" >&2
	exit 2
fi
build=$1 kernel=$2 initrd=$3 module=$4
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$build/coverage
rm -rf "$out"
mkdir -p "$out"

echo "== Linux $(<"$kernel/release") in QEMU"
status=0
mapfile -t programs < <(awk '/^[^#].* counted\>/ { print $1 }' "$here/programs.list")
"$here/../vm/boot.sh" --kernel "$kernel" --initrd "$initrd" --log "$out/console.log" \
	--append random.trust_cpu=on --qemu "-device e1000,mac=52:54:00:6b:75:69" \
	--timeout 7200 env KUID_PATIENCE=4 /guest/coverage.sh "${programs[@]}" | sed -u '/^# gcda begins/,/^# gcda ends/d' || status=$?

# gcov needs counts and notes side by side.
sed -n '/^# gcda begins/,/^# gcda ends/{/^#/d;p}' "$out/console.log" | base64 -d | tar -xz -C "$out"
while read -r counts; do
	notes=${counts%.gcda}.gcno
	cp "/${notes#"$out"/}" "$notes"
done < <(find "$out" -name '*.gcda')

lcov=(lcov --quiet --rc lcov_branch_coverage=1 --gcov-tool gcov-12)
"${lcov[@]}" --capture --directory "$out" --output-file "$out/all.info"
"${lcov[@]}" --extract "$out/all.info" "$module/kmod/*" --output-file "$out/kmod.info"
for trace in "$out/kmod.info" "$@"; do
	sed "s|^SF:$module/|SF:|; s|^SF:$(cd "$here/../.." && pwd)/|SF:|" "$trace" \
		>"$out/named.$(basename "$trace")"
	lcov --rc lcov_branch_coverage=1 --list "$out/named.$(basename "$trace")"
done
cd "$here/../.."
awk -f "$here/coverage.awk" "$here/coverage.tsv" "$out/named.kmod.info" || status=$?
exit "$status"
