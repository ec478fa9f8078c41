#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the package for Node.js, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# shellcheck source=SCRIPTDIR/../with_device.sh
. ../with_device.sh
ids="node node_modules/kuid/ids.js"
tests=$PWD/tests

# As npm does it, from the packed file, and without the network.
is_installed()
{
	mkdir "$work/site" && cd "$work/site" && echo '{}' >package.json &&
		npm install --offline --no-audit --no-fund "$PACKAGE" >"$out" 2>&1
}

# The tests are beside the package that was installed.
passes()
{
	cp "$tests"/* "$work/site" && node kuid.test.js >"$out" 2>"$err" && [ "$(grep -c '^ok' "$out")" -ge 9 ]
}

has_types()
{
	cp "$tests/types.ts" "$work/site" && tsc --strict --noEmit --target es2020 --moduleResolution node \
		types.ts >"$out" 2>&1
}

echo "KTAP version 1"
it "npm installs the package" is_installed
cd "$work/site" || exit
it "its tests pass" passes
it "tsc finds nothing" has_types
it "it exports no function of libkuid" hides_libkuid node_modules/kuid/kuid.node
check_device
finish
