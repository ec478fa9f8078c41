#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Costs as files and waiters become more, in a machine that counts instructions.

[ "$3" = quick ] || exec "${0%/*}/../../vm/boot.sh" --kernel "$2" --initrd "$1/initrd.cpio" \
	--timeout 600 --icount /guest/growth.sh
