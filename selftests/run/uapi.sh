#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The binary interface of uapi/linux/kuid.h as compilers see it:
#   uapi.sh record 64|32   prints each struct and constant, for 64-bit or 32-bit programs
#   uapi.sh compile COMPILER ARG...
#                          compiles a program that includes this header only and uses each constant

set -euo pipefail

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
cd "$here/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The names of the constants, in the order of their definition.
constants()
{
	gcc -E -dD -Iuapi -include linux/kuid.h -x c /dev/null |
		sed -n 's/^#define \(KUID_[A-Z0-9_]*\) .*/\1/p'
}

# Nothing is executed, so no 32-bit C library is needed. If the compiler keeps the kernel's headers
# in a directory of the 64-bit architecture, they are the same for 32 bits.
record()
{
	local bits=$1 name value

	{
		echo '#include <linux/kuid.h>'
		echo 'enum constants {'
		constants | sed 's/.*/of_& = &,/'
		echo '} constants;'
	} >"$work/record.c"
	gcc "-m$bits" -ffreestanding -g -fno-eliminate-unused-debug-types -Iuapi \
		-idirafter "/usr/include/$(gcc -print-multiarch)" -c "$work/record.c" -o "$work/record.o"

	echo '/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */'
	echo '/* What programs rely on, written by "make uapi-record": offset and size of each field, in bytes. */'
	# Cache lines aren't part of the interface.
	pahole "$work/record.o" | sed -E '/cacheline[ :]/d; s/ cachelines: [0-9]+,//'
	echo
	pahole -C constants "$work/record.o" |
		sed -nE 's/^\tof_(KUID_[A-Z0-9_]*) += ([0-9]+),$/\1 \2/p' |
		while read -r name value; do
			printf '%-29s = 0x%x\n' "$name" "$value"
		done
}

compile()
{
	local compiler=$1
	shift

	{
		echo '#include <linux/kuid.h>'
		echo 'extern const __u64 constants[];'
		echo 'const __u64 constants[] = {'
		constants | sed 's/.*/&,/; $s/,$//'
		echo '};'
	} >"$work/program"
	"$compiler" "$@" -Wall -Wextra -Werror -pedantic -Iuapi -fsyntax-only "$work/program"
}

case $#:${1:-} in
2:record)
	[[ $2 == 64 || $2 == 32 ]] || usage
	record "$2" ;;
[2-9]*:compile)
	shift
	compile "$@" ;;
*)
	usage ;;
esac
