#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the provers and prints one line of totals:   check_proofs.sh BUILD quick|full
# "quick" leaves out the proofs about texts and the model of claims, which take minutes.

set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"
takes "BUILD quick|full" "$@"
herd=$("$here/../vm/fetch.sh" herd7) && source=$("$here/../vm/fetch.sh" source-6.1) &&
	cbmc=$("$here/../vm/fetch.sh" cbmc) || exit

part litmus "litmus tests of the barriers" "$here/../litmus/litmus.sh" "$herd" "$source"
part cbmc "proofs about packers, texts, clocks and lanes" "$here/../cbmc/cbmc.sh" "$cbmc" "$2"
[[ $2 == quick ]] || part claims "the model of claims" "$here/../claim/claim_model.sh"
totals_end
