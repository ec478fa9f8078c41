#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions of other generators with the libraries of Debian 12 and of Debian 13, on a kernel that
# offers getrandom() without a system call, as the C library of Debian 13 uses it. They are not held to
# the record: libuuid's v4 takes a number of steps that depends on the time.

set -o pipefail
vm=${0%/*}/../../vm
kernel=$("$vm/fetch.sh" 6.12) || exit
# Another kernel than that of the other parts.
printf 'machine\tdebian13\tbooted kernel\t%s\n' "$(<"$kernel/release")"
"$vm/boot.sh" --kernel "$kernel" --initrd "$1/initrd.cpio" --timeout 600 --icount /guest/debian13.sh |
	sed 's/\theld\r*$//'
