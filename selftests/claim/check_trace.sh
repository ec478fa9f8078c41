#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the trace that guest.sh has printed, and that the check finds what is against the rules: it is given
# the same trace with one change each.   check_trace.sh LOG
# Prints KTAP.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$1
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$here/../../userspace/tests/tap.sh"

check()
{
	"$here/check_trace.py" "$work/trace" "$work/history" "$work/book"
}

# finds RULE FILE AWK: with FILE changed by this program the rule is found to be broken.
finds()
{
	cp "$work/$2" "$work/kept"
	awk "$3" "$work/kept" >"$work/$2"
	! cmp -s "$work/kept" "$work/$2" && ! check >"$out" && grep "^$1: " "$out"
	result=$?
	cp "$work/kept" "$work/$2"
	return $result
}

for part in trace history book; do
	sed -n "s/^# $part: //p" "$log" | tr -d '\r' >"$work/$part"
done
echo "KTAP version 1"
it 'the trace obeys the rules' check
it 'a claim or raise without a write is found' finds written trace '!/ cas: .* done$/'
it 'a ceiling above that of the store is found' finds written trace \
	'/kuid_claim: .*state=lives/ { sub("ceiling_ns=[0-9]*", "ceiling_ns=9000000000000000000") } { print }'
it 'a write that the store has not is found' finds written history 'NR != 2'
it 'a floor below the former ceiling is found' finds floor trace \
	'/kuid_claim: .*state=lives/ { sub("floor_ns=[0-9]*", "floor_ns=0") } { print }'
it 'a ceiling that is lowered before the end is found' finds lowered trace '!/kuid_claim: .*state=ended/'
it 'a ceiling that is lowered below the end is found' finds lowered trace \
	'/kuid_claim: .*state=ended/ { sub("end_ns=[0-9]*", "end_ns=9000000000000000000") } { print }'
it 'a ceiling that another one has lowered is found' finds lowered history \
	'{ sub(/"token":"./, "\"token\":\"" NR % 10) } { print }'
it 'owners with the same times are found' finds spans trace \
	'/kuid_claim_span/ { sub("floor_ns=[0-9]*", "floor_ns=1") } { print }'
# shellcheck disable=SC2016 # awk's own
it 'a raise after the end is found' finds over trace '
	{ print; match($0, "token=[0-9a-f]*"); token = substr($0, RSTART, RLENGTH) }
	/kuid_claim: .*state=lives/ { raised[token] = $0 }
	/kuid_claim: .*state=ended/ && token in raised { last = raised[token] }
	END { sub(" [0-9]+: kuid", " 99999999: kuid", last); print last }'
# shellcheck disable=SC2016 # awk's own
it 'IDs after the end are found' finds over trace '
	{ print; match($0, "token=[0-9a-f]*"); token = substr($0, RSTART, RLENGTH) }
	/kuid_claim: .*state=ended/ { sub("kuid_claim:", "kuid_claim_span:"); sub("end_ns=[0-9]*", "end_ns=9000000000000000000")
		sub(" [0-9]+: kuid", " 99999999: kuid"); last = $0 }
	END { print last }'
finish
