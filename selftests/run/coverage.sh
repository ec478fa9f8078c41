#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures which lines of the module the tests run in a booted kernel:
#   coverage.sh BUILD KERNEL INITRD MODULE [TRACEFILE...]
# KERNEL is from ../vm/kernel.sh. INITRD has the module that was built with coverage in MODULE. The
# result for lcov is BUILD/coverage/kmod.info; the TRACEFILEs are added to the report.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/machines.sh
. "$(dirname "$0")/machines.sh"
takes_build "KERNEL INITRD MODULE [TRACEFILE]..." "$@"
out=$build/coverage
rm -rf "$out"
mkdir -p "$out"

echo "== Linux $(<"$kernel/release") in QEMU"
status=0
programs=$(programs_of counted)
"$vm/boot.sh" --kernel "$kernel" --initrd "$initrd" --log "$out/console.log" \
	--append random.trust_cpu=on --qemu "$card" \
	--timeout 7200 env KUID_PATIENCE=4 /guest/coverage.sh "${programs//$'\n'/,}" | sed -u '/^# gcda begins/,/^# gcda ends/d' || status=$?

# gcov needs counts and notes side by side.
sed -n '/^# gcda begins/,/^# gcda ends/{/^#/d;p}' "$out/console.log" | base64 -d | tar -xz -C "$out"
while read -r counts; do
	notes=${counts%.gcda}.gcno
	cp "/${notes#"$out"/}" "$notes"
done < <(find "$out" -name '*.gcda')

lcov=(lcov --quiet --rc lcov_branch_coverage=1 --gcov-tool gcov-12)
"${lcov[@]}" --capture --directory "$out" --output-file "$out/all.info"
"${lcov[@]}" --extract "$out/all.info" "$module/kmod/*" --output-file "$out/kmod.info"
for trace in "$out/kmod.info" "${rest[@]}"; do
	sed "s|^SF:$module/|SF:|; s|^SF:$(cd "$top" && pwd)/|SF:|" "$trace" \
		>"$out/named.$(basename "$trace")"
	lcov --rc lcov_branch_coverage=1 --list "$out/named.$(basename "$trace")"
done
cd "$top"
mapfile -t files < <(sed -n 's/^SF://p' "$out/named.kmod.info" | sort -u)
awk -f "$here/coverage.awk" "$here/coverage.tsv" "$out/named.kmod.info" "${files[@]}" || status=$?
exit "$status"
