#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the provers and prints one line of totals:   check_proofs.sh BUILD HOW
# HOW is full or quick, which leaves out the proofs about texts and the model of claims, which take minutes.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build HOW "$@"
herd=$("$vm/fetch.sh" herd7) && source=$("$vm/fetch.sh" source-6.1) &&
	cbmc=$("$vm/fetch.sh" cbmc) || exit

part litmus "litmus tests of the barriers" "$here/../litmus/litmus.sh" "$herd" "$source"
part cbmc "proofs about packers, texts, clocks and lanes" "$here/../cbmc/cbmc.sh" "$cbmc" "$how"
[[ $how == quick ]] || part claims "the model of claims" "$here/../claim/claim_model.sh"
totals_end
