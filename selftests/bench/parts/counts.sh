#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions of calls, in a machine that counts them, and in one that tells of clones.

count()
{
	"${0%/*}/../../vm/boot.sh" --kernel "$kernel" --initrd "$initrd" --timeout 600 --icount "$@"
}

kernel=$2 initrd=$1/initrd.cpio
count /guest/bench.sh "$3" && count --qemu "-device vmgenid,guid=auto" /guest/bench.sh vmgenid
