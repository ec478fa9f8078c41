#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions of UUIDs that the packages for other languages take from the device, beside the language's
# own read of 16 bytes of /dev/urandom (v7) or /dev/zero (v6). The machine counts time in instructions, so
# these are what the benchmarks of the packages print as nanoseconds.

set -euo pipefail

bench=$(realpath "$1") kernel=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
vm=$here/../../vm
stage=$bench/bindings
rm -rf "$stage"
mapfile -t languages < <(cd "$here/../../../userspace/bindings" && printf '%s\n' */ | tr -d /)
"$vm/setup.sh" "${languages[@]}"
for language in "${languages[@]}"; do
	make -s -C "$here/../../../userspace/bindings/$language" O="$bench/../bindings" DESTDIR="$stage" stage >&2
done
"$vm/initramfs.sh" "$bench/bindings.cpio" "$bench/../vm/root" "$stage"
"$vm/boot.sh" --kernel "$kernel" --initrd "$bench/bindings.cpio" --mem 2G --timeout 1800 --icount \
	/guest/bindings.sh | tee /dev/stderr | python3 -c '
import collections, re, sys

names = {"v7": r"device ?\w*7", "read of /dev/urandom": "read.*urandom",
         "v6": r"device ?\w*6", "read of /dev/zero": "read.*zero"}
cost = collections.defaultdict(dict)
for line in sys.stdin:
    language, _, text = line.strip().lower().partition(" ")
    for name, pattern in names.items():
        if re.search(pattern, text):
            cost[language][name] = float(text.partition(" ns")[0].split()[-1])
for language in sys.argv[1:]:
    of = cost[language]
    for uuid, read in ("v7", "read of /dev/urandom"), ("v6", "read of /dev/zero"):
        for column, value in (uuid, of[uuid]), (read, of[read]), (f"{uuid} to that", of[uuid] / of[read]):
            print("bindings", language, column, f"{value:.2f}", sep="\t")' "${languages[@]}"
