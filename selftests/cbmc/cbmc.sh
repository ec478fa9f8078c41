#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Proves the functions of this directory by CBMC:   cbmc.sh CBMC quick|full
# CBMC is the directory of fetch.sh cbmc. Each function that takes and returns nothing is a proof: its
# assertions hold for all values of its variables, no access is out of bounds, no signed number
# overflows, and no loop runs longer than the prover looks. "quick" leaves out the texts. KMOD and
# LIBKUID name other sources, to plant a bug in. Prints KTAP.

set -uo pipefail
prover=$1 form=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
kmod=${KMOD:-$top/kmod} libkuid=${LIBKUID:-$top/userspace/libkuid}
nr=0 failed=0 output=$(mktemp)
trap 'rm -f "$output"' EXIT

# prove FILE UNWIND [MORE...]: the loops of the proofs in FILE end within UNWIND rounds.
prove()
{
	local file=$1 unwind=$2 name
	shift 2

	while read -r name; do
		nr=$((nr + 1))
		if "$prover/bin/cbmc" -I"$kmod" -I"$top/uapi" -I"$libkuid" -I"$here" --function "$name" \
			--bounds-check --pointer-check --signed-overflow-check --undefined-shift-check \
			--div-by-zero-check --unwind "$unwind" --unwinding-assertions --no-built-in-assertions \
			"$here/$file" "$@" >"$output" 2>&1; then
			echo "ok $nr $file: $name"
		else
			echo "not ok $nr $file: $name"
			grep -E 'FAILURE|error' "$output" | sed 's/^/# /'
			failed=1
		fi
	done < <(sed -n 's/^void \([a-z0-9_]*\)(void)$/\1/p' "$here/$file")
}

echo "KTAP version 1"
prove packers.c 6
prove clocks.c 6
prove sequences.c 6
prove times.c 6
[[ $form == quick ]] || prove text.c 66 "$libkuid/parse.c" "$libkuid/layout.c" "$libkuid/uuid.c"
echo "1..$nr"
exit $failed
