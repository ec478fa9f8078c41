#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds kuid-claim and runs its tests:   check_claim.sh BUILD
# Prints KTAP and one line of totals.

set -uo pipefail

if (( $# != 1 )); then
	echo "usage: check_claim.sh BUILD" >&2
	exit 2
fi
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/totals.sh
. "$here/totals.sh"

mkdir -p "$build/check" || exit
log=$build/check/claim.log
add_tap make -s -C "$here/../../userspace" O="$build/userspace" check-claim
totals_end
