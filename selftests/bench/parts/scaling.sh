#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How reads scale with CPUs, in a machine with two.

[ "$3" = quick ] || exec "${0%/*}/../../vm/boot.sh" --kernel "$2" --initrd "$1/initrd.cpio" \
	--timeout 900 --smp 2 /guest/scaling.sh
