#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the Python package, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# shellcheck source=SCRIPTDIR/../with_device.sh
. ../with_device.sh
ids="$PYTHON -m kuid"
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

cd "$TREE" || exit
echo "KTAP version 1"
it "mypy --strict finds nothing" is_typed
for name in $(names); do
	it "$name" "$PYTHON" -m unittest "test_kuid.$name"
done
it "the wheel works alone" is_installed
it "it exports no function of libkuid" hides_libkuid kuid/_kuid.abi3.so
check_device
finish
