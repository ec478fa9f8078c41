#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fails unless the library offers what it should:   exports.sh MAP SHARED STATIC
# The declarations of kuid.h come preprocessed on standard input. They, the MAP and what SHARED
# exports must be the same functions. STATIC may have more, but no name that is not the library's.

set -eu
export LC_ALL=C

if [ $# -ne 3 ]; then
	echo "usage: exports.sh MAP SHARED STATIC" >&2
	exit 2
fi
map=$1 shared=$2 static=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# Says what is in one list only.
same()
{
	comm -3 "$dir/$1" "$dir/$2" >"$dir/diff"
	[ -s "$dir/diff" ] || return 0
	echo "exports.sh: in $1 only, or indented in $2 only:" >&2
	cat "$dir/diff" >&2
	status=1
}

grep -o '\bkuid_[a-z0-9_]*(' | tr -d '(' | sort >"$dir/kuid.h"
sed -n 's/^\t\(kuid_[a-z0-9_]*\);$/\1/p' "$map" | sort >"$dir/map"
# Versions of symbols are symbols, too.
nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort >"$dir/shared"
nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | sort >"$dir/static"

[ -s "$dir/kuid.h" ] || { echo "exports.sh: no declarations" >&2; exit 1; }
same kuid.h map
same map shared
# No name of C has a dot, those of what the compiler adds do.
if grep -v '^kuid_\|\.' "$dir/static"; then
	echo "exports.sh: not the library's names, in $static" >&2
	status=1
fi
if comm -23 "$dir/map" "$dir/static" | grep .; then
	echo "exports.sh: not in $static" >&2
	status=1
fi
exit "$status"
