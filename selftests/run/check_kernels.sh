#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compiles the module for the newest kernel of each of Debian's suites and architectures, in all flavours
# that have headers:   check_kernels.sh BUILD [SUITE-ARCH...]
# Prints TAP and one line of totals, and writes the table for Documentation/results.md to
# BUILD/kernels/headers.md, with the last result of each row. Output of the compiler, such as a warning, is
# a failure. Needs root.

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "[SUITE-ARCH]..." "$@"
build+=/kernels
mkdir -p "$build" || exit
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$top/userspace/tests/tap.sh"

mapfile -t all < <(sed -n 's/^headers-\([^ ]*\) .*/\1/p' "$vm/downloads.list")
rows=("${rest[@]}")
(( ${#rest[@]} )) || rows=("${all[@]}")

declare -A compilers=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu [ppc64el]=powerpc64le-linux-gnu
	[riscv64]=riscv64-linux-gnu [s390x]=s390x-linux-gnu)

# In headers and tools at their real place, as the headers of 7.x have absolute paths. Without the data for
# debuggers, which take time.
compiles()
{
	local status module=$work/module

	rm -rf "$module"
	mkdir "$module"
	cp -a "$top"/{Kbuild,kmod,uapi} "$module"
	# shellcheck disable=SC2016,SC2154 # for the shell in the namespace; tap.sh sets out and work
	unshare --mount sh -ec 'mount -t overlay kuid -o "lowerdir=$0" /usr; exec "$@"' \
		"$headers/usr:$tools" make -s -j "$(nproc)" -C "/usr/src/linux-headers-$1" M="$module" \
		DEB_BUILD_ARCH=amd64 "DEB_HOST_GNU_TYPE=${compilers[$arch]}" KCFLAGS=-g0 \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$out" 2>&1
	status=$?
	(( !status )) && [[ ! -s $out ]] &&
		tr '\0' '\n' <"$module/kmod/kuid.ko" | grep -a "^vermagic=$1 "
}

# Prints the line of one architecture.
row()
{
	local name before=$failed

	for name in "${names[@]}"; do
		it "$suite, $arch: $name" compiles "$name" >&3
	done
	[[ $name =~ ^[0-9.]+(-[0-9]+)?([+~][a-z0-9.]+)* ]]
	echo "| $suite | $arch | ${BASH_REMATCH[0]} |" \
		"$((${#names[@]} - failed + before)) of ${#names[@]} |"
}

exec 3>&1
echo "TAP version 13"
for name in "${rows[@]}"; do
	suite=${name%-*} arch=${name##*-} tools=/usr
	[[ $suite == bookworm* ]] || tools=$("$vm/fetch.sh" "cross-${suite%-*}")/usr || exit
	if headers=$("$vm/fetch.sh" "headers-$name"); then
		mapfile -t names < <(cd "$headers/usr/src" && printf '%s\n' linux-headers-* | grep -v -- -common |
			sed 's/^linux-headers-//' | sort -V)
		row >"$build/$name.row"
	else
		skip "$suite, $arch" "the archive's headers can't be had"
	fi
done
{
	echo "| suite | kernel | flavours that compiled |"
	echo "|---|---|---|"
	for name in "${all[@]}"; do
		cat "$build/$name.row" 2>/dev/null
	done | awk -F ' *[|] *' '
		{ kernel = "| " $2 " | " $4 " | " }
		!(kernel in of) { kernels[++nr] = kernel }
		{ of[kernel] = of[kernel] (of[kernel] ? ", " : "") $3 " " $5 }
		END { for (i = 1; i <= nr; i++) print kernels[i] of[kernels[i]] " |" }'
} >"$build/headers.md"
tap_end
