#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the Python package, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
tests=$PWD/tests
export PYTHONPATH="$TREE:$tests" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore::RuntimeWarning

is_typed()
{
	/usr/bin/mypy --strict kuid "$tests" >"$out" 2>&1
}

# The names of the tests of unittest, each of which is a test here.
names()
{
	sed -nE 's/^class (.*)\(unittest.*/\1/p; s/^    def (test_[a-z0-9_]*).*/\1/p' \
		"$tests/test_kuid.py" | awk '/^test_/ { print class "." $0; next } { class = $0 }'
}

# The wheel alone, in a directory as pip would make it.
is_installed()
{
	"$PYTHON" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' \
		"$O"/kuid-*.whl "$work/site" &&
		(cd / && PYTHONPATH=$work/site "$PYTHON" -m kuid -check v6 3 >"$out" 2>"$err") &&
		[ "$(sort -u "$out" | wc -l)" = 3 ] && grep '^source: ' "$err"
}

# The kernel of fake_device.c, which fails as $FAKE_FAIL says.
with_device()
{
	rm -rf "$work/fake" && mkdir "$work/fake" && touch "$work/fake/device" &&
		FAKE=$work/fake LD_PRELOAD="$FAKE_DEVICE $LIBKUID" "$@" >"$out" 2>"$err"
}

# lacks_lanes ERRNO WORD: ENOTTY of a module without lanes, EPROTONOSUPPORT of one with others.
lacks_lanes()
{
	! FAKE_FAIL="lane 1 $1" with_device "$PYTHON" -m kuid -from private v7 &&
		grep "The module is $2 than libkuid" "$err"
}

# fails_without_local ERRNO TEXT
fails_without_local()
{
	! FAKE_FAIL="generate 1 $1" with_device "$PYTHON" -m kuid v7 && grep "$2" "$err" &&
		[ ! -s "$out" ]
}

# opens_as ERRNO SOURCE: what becomes of auto; no ID if SOURCE is empty.
opens_as()
{
	FAKE_OPEN=$1 with_device "$PYTHON" -m kuid v7
	if [ "$2" ]; then
		[ -s "$out" ] && grep -x "source: $2" "$err"
	else
		[ ! -s "$out" ] && ! grep '^source' "$err"
	fi
}

cd "$TREE" || exit
echo "KTAP version 1"
it "mypy --strict finds nothing" is_typed
for name in $(names); do
	it "$name" "$PYTHON" -m unittest "test_kuid.$name"
done
it "the wheel works alone" is_installed
it "a module without lanes is too old" lacks_lanes 25 older
it "a module with other lanes is too new" lacks_lanes 93 newer
it "a device makes IDs" with_device "$PYTHON" -m kuid v7 300
it "a device that may not be read leads to local IDs" opens_as 13 local
it "too many open files are an error" opens_as 24 ''
it "ESTALE is an error" fails_without_local 116 'may be a clone'
it "ENODATA is an error" fails_without_local 61 'state=required'
it "EKEYEXPIRED is an error" fails_without_local 127 'has ended'
it "EPERM of an ID is an error" fails_without_local 1 'Let this user'
finish
