#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the provers and prints one line of totals:   check_proofs.sh BUILD [quick]
# "quick" leaves out the proofs about texts and the model of claims, which take minutes.

set -uo pipefail

if (( $# < 1 || $# > 2 )); then
	echo "usage: check_proofs.sh BUILD [quick]" >&2
	exit 2
fi
logs=$1/proofs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
mkdir -p "$logs" || exit
herd=$("$here/../vm/fetch.sh" herd7) && source=$("$here/../vm/fetch.sh" source-6.1) &&
	cbmc=$("$here/../vm/fetch.sh" cbmc) || exit

echo "== litmus tests of the barriers"
log=$logs/litmus.log
add_tap "$here/../litmus/litmus.sh" "$herd" "$source"

echo "== proofs about packers, texts, clocks and lanes"
log=$logs/cbmc.log
add_tap "$here/../cbmc/cbmc.sh" "$cbmc" "${@:2}"

if [[ ${2:-} != quick ]]; then
	echo "== the model of claims"
	log=$logs/claims.log
	add_tap "$here/../claim/claim_model.sh"
fi
totals_end
