#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the package for Node.js, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
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

# The kernel of fake_device.c, which fails as $FAKE_FAIL says.
with_device()
{
	rm -rf "$work/fake" && mkdir "$work/fake" && touch "$work/fake/device" &&
		FAKE=$work/fake LD_PRELOAD="$FAKE_DEVICE $LIBKUID" node node_modules/kuid/ids.js "$@" \
			>"$out" 2>"$err"
}

# lacks_lanes ERRNO WORD: ENOTTY of a module without lanes, EPROTONOSUPPORT of one with others.
lacks_lanes()
{
	! FAKE_FAIL="lane 1 $1" with_device -from private v7 && grep "The module is $2 than libkuid" "$err"
}

# fails_without_local ERRNO TEXT
fails_without_local()
{
	! FAKE_FAIL="generate 1 $1" with_device v7 && grep "$2" "$err" && [ ! -s "$out" ]
}

# opens_as ERRNO SOURCE: what becomes of auto; no ID if SOURCE is empty.
opens_as()
{
	FAKE_OPEN=$1 with_device v7
	if [ "$2" ]; then
		[ -s "$out" ] && grep -x "source: $2" "$err"
	else
		[ ! -s "$out" ] && ! grep '^source' "$err"
	fi
}

echo "KTAP version 1"
it "npm installs the package" is_installed
cd "$work/site" || exit
it "its tests pass" passes
it "tsc finds nothing" has_types
it "a module without lanes is too old" lacks_lanes 25 older
it "a module with other lanes is too new" lacks_lanes 93 newer
it "a device makes IDs" with_device v7 300
it "a device that may not be read leads to local IDs" opens_as 13 local
it "too many open files are an error" opens_as 24 ''
it "ESTALE is an error" fails_without_local 116 'may be a clone'
it "ENODATA is an error" fails_without_local 61 'state=required'
it "EKEYEXPIRED is an error" fails_without_local 127 'has ended'
finish
