#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Searches the model of claims with Spin:   claim_model.sh [DIRECTORY]
# A row with "none" must be searched to its end. A row with "repeat" takes a rule away, and must find an ID
# that is made twice.

set -uo pipefail

model=$(realpath "$(dirname "${BASH_SOURCE[0]}")/claim.pml")
work=${1:-$(mktemp -d)}
number=0 failed=0

search()
{
	local expected=$1 log=$work/log found result states
	shift
	number=$((number + 1))
	if ! (cd "$work" && rm -f pan* && spin -a "$@" "$model" && gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=3000 \
		-o pan pan.c && ./pan -m100000) >"$log" 2>&1; then
		found=failed
	elif grep -qE 'max search depth too small|out of memory|Search not completed' "$log" &&
	     ! grep -q 'assertion violated' "$log"; then
		found=truncated
	elif grep -q 'errors: 0$' "$log"; then
		found=none
	elif grep -q 'assertion violated.*made' "$log"; then
		found=repeat
	else
		found=failed
	fi
	result=ok
	[[ $found == "$expected" ]] || { result="not ok"; failed=1; cat "$log"; }
	states=$(awk '/states, stored/ { print $1 }' "$log")
	echo "$result $number - ${*:-all rules}: $found, ${states:-?} states," \
		"$(awk '/elapsed time/ { print $4 }' "$log") s"
}

mkdir -p "$work"
search none
search none -DCLONES=1 -DSLOTS=2 -DDRAWS=4
search none -DCLONES=1 -DDRAWS_ALIKE -DSLOTS=2 -DDRAWS=2
search none -DCLONES=1 -DCLONES_UNSEEN -DSLOTS=2 -DDRAWS=3
search none -DLOST_ANSWERS -DSLOTS=2 -DDRAWS=4
search none -DLATE_REQUESTS -DSLOTS=2 -DDRAWS=4
search none -DSTALE_READS -DDRAWS=4
search none -DDAEMONS=2 -DSLOTS=2 -DDRAWS=3
search none -DINTERVALS=2 -DNUMBERS=2 -DSLOTS=2 -DDRAWS=2
search none -DTRUST_DISK -DBOOTS=1 -DSLOTS=2 -DDRAWS=3
search none -DRECOVER -DHORIZON=0 -DDRAWS=2
search repeat -DDAEMONS=2 -DNUMBERS=2 -DSLOTS=1 -DDRAWS=4 -DWITHOUT_RULE_1
search repeat -DCLONES=1 -DWITHOUT_RULE_1_LOAD_ID
search repeat -DWITHOUT_RULE_2_CAS
search repeat -DSTALE_READS -DWITHOUT_RULE_2_FLOOR
search repeat -DCLONES=1 -DDRAWS_ALIKE -DBY_NONCE -DDRAWS=3
search repeat -DCLONES=1 -DDRAWS_ALIKE -DWITHOUT_MIX -DDRAWS=2
search repeat -DRECOVER -DHORIZON=0 -DBY_REVISION -DDRAWS=3
search repeat -DLOST_ANSWERS -DWITHOUT_RULE_3
search repeat -DLATE_REQUESTS -DWITHOUT_RULE_3 -DSLOTS=2 -DDRAWS=3
search repeat -DWITHOUT_RULE_4
search repeat -DWITHOUT_RULE_5_END
search repeat -DCLONES=1 -DWITHOUT_RULE_5_CLAIM
search repeat -DWITHOUT_RULE_5_DELETE
search repeat -DCLONES=1 -DCLONES_UNSEEN -DWITHOUT_RULE_5_VM
search repeat -DTRUST_DISK -DDRAWS=4 -DWITHOUT_RULE_6
search repeat -DTRUST_DISK -DBOOTS=1 -DDRAWS=4 -DWITHOUT_RULE_6_CEILING
search repeat -DTRUST_DISK -DBOOTS=1 -DDRAWS=4 -DWITHOUT_RULE_6_RELEASED
search repeat -DINTERVALS=2 -DNUMBERS=2 -DSLOTS=2 -DDRAWS=3 -DWITHOUT_RULE_7
search repeat -DRECOVER -DSLOTS=4 -DDRAWS=4 -DWITHOUT_RULE_8_RAISE
search repeat -DRECOVER -DSLOTS=2 -DDRAWS=2 -DWITHOUT_RULE_8_READ
search repeat -DRECOVER -DSLOTS=2 -DDRAWS=2 -DWITHOUT_RULE_8_FLOOR
search repeat -DRECOVER -DSLOTS=4 -DDRAWS=2 -DWITHOUT_RULE_8_BOUND
search repeat -DRECOVER -DDRAWS=2 -DWITHOUT_RULE_8_SKEW
search repeat -DWITHOUT_END_FLOOR
search repeat -DCLONES=1 -DWITHOUT_CLAIM_LOAD_ID
search repeat -DCLONES=1 -DWITHOUT_GATE
search repeat -DCLONES=1 -DWITHOUT_FORK_ENDS
echo "1..$number"
exit "$failed"
