#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the crate, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# shellcheck source=SCRIPTDIR/../with_device.sh
. ../with_device.sh
ids=$IDS

quietly()
{
	"$@" >"$out" 2>&1
}

cd "$TREE" || exit
echo "KTAP version 1"
it "clippy finds nothing" quietly cargo clippy --quiet --all-targets -- -D warnings
it "the tests pass" quietly cargo test --quiet
it "the documentation has no broken link" quietly env RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
check_device
finish
