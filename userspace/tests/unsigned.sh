#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid in a machine whose kernel refuses modules without a signature of a key that it knows, because of a
# parameter or of lockdown, as with Secure Boot:   unsigned.sh MODULE
# Prints KTAP. Needs root, in a machine that has no module yet.

if [ $# -ne 1 ]; then
	echo "usage: unsigned.sh MODULE" >&2
	exit 2
fi
module=$1
# shellcheck source=SCRIPTDIR/tap.sh
. "${0%/*}/tap.sh"
mount -t securityfs securityfs /sys/kernel/security

refused()
{
	! insmod "$module" >"$out" 2>&1 && grep -qE 'Key was rejected by service|Operation not permitted' "$out"
}

says_what_helps()
{
	! kuid status >"$out" 2>&1 && grep -qF 'only if a key that it knows has signed it' "$out"
}

echo "KTAP version 1"
it "the module is refused" refused
it "kuid status says what helps" says_what_helps
it "kuid makes IDs in the process" kuid gen --local -f v7
finish
