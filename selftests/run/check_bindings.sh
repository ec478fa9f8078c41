#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the packages for other languages, here without a device, and in a booted machine with it:
#   check_bindings.sh BUILD KERNEL ROOT LANGUAGE...
# ROOT is the staging directory of vm-root. Prints KTAP and one line of totals.
#
# A language is a directory of userspace/bindings. Its Makefile builds into O, and has
#   check   tests that need no device; prints KTAP
#   stage   puts its program "ids" into DESTDIR/bindings/ids-LANGUAGE, with all that it needs but
#           shared libraries. bindings/guest.sh says what it does
# and setup.sh knows the language as a need.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "KERNEL ROOT LANGUAGE..." "$@"
stage=$build/bindings/stage
log=$logs/bindings.log
rm -rf "$stage"

# in_tree LANGUAGE TARGET...
in_tree()
{
	make -s -C "$top/userspace/bindings/$1" O="$build/bindings" DESTDIR="$stage" "${@:2}"
}

"$vm/setup.sh" boot "${rest[@]}" || exit
for language in "${rest[@]}"; do
	echo "== $language without a device"
	quietly in_tree "$language" all || continue
	add_tap in_tree "$language" check
	quietly in_tree "$language" stage
done

mkdir -p "$stage/bindings"
cp "$here/../bindings/guest.sh" "$top/userspace/tests/tap.sh" "$stage/bindings"
"$vm/initramfs.sh" "$build/bindings/initrd.cpio" "$root" "$stage" || exit
# With a finer clock the time alone would order the IDs of most programs. On a busy host five languages
# were seen to take 19 minutes.
tap_machine "$kernel" "$build/bindings/initrd.cpio" --mem 2G \
	--clocksource jiffies --timeout $((600 * (${#rest[@]} + 1))) /bindings/guest.sh
totals_end
