#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes the device tree of QEMU's arm64 machine with 2 CPUs and 1G of memory, with a generation ID in
# reserved memory, which QEMU itself can't offer there:   device_tree.sh OUT.dtb
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "$0")/arguments.sh"
takes OUT "$@"
# The last page of 64 KiB; nodes and sizes have two cells.
at=7fff0000

qemu-system-aarch64 -nodefaults -display none -M "virt,dumpdtb=$out" -cpu max,pauth-impdef=on -smp 2 -m 1G \
	2>/dev/null
fdtput -c "$out" /vmgenid /reserved-memory "/reserved-memory/vmgenid@$at"
fdtput -t s "$out" /vmgenid compatible microsoft,vmgenid
fdtput -t x "$out" /vmgenid reg 0 $at 0 10
fdtput -t x "$out" /reserved-memory '#address-cells' 2
fdtput -t x "$out" /reserved-memory '#size-cells' 2
fdtput "$out" /reserved-memory ranges
fdtput -t x "$out" "/reserved-memory/vmgenid@$at" reg 0 $at 0 10000
fdtput "$out" "/reserved-memory/vmgenid@$at" no-map
