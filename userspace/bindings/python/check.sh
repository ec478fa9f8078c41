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
export MYPY_CACHE_DIR="$work/mypy" PYTHONPATH="$TREE:$tests" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore::RuntimeWarning

# The tests have wrong names and arguments, whose errors they expect.
is_typed()
{
	/usr/bin/mypy --strict -p kuid >"$out" 2>&1 && /usr/bin/mypy --strict "$tests" >"$out" 2>&1
}

# The wheel alone, in a directory as pip would make it.
is_installed()
{
	"$PYTHON" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' \
		"$O"/kuid-*.whl "$work/site" &&
		(cd / && PYTHONPATH=$work/site "$PYTHON" -m kuid v6 3 >"$out" 2>"$err") &&
		[ "$(sort -u "$out" | wc -l)" = 3 ] && grep '^source: ' "$err"
}

survives_fuzzing()
{
	cp -r "$TREE/kuid" "$work" && ${CC:-cc} -g -std=gnu11 -D_GNU_SOURCE -fsanitize=address,undefined \
		-fno-sanitize-recover=all -shared -fPIC -I "$TREE/../libkuid" -o "$work/kuid/libkuid.so" \
		"$TREE"/../libkuid/*.c &&
		LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
			PYTHONPATH=$work "$PYTHON" "$tests/fuzz.py" >"$out" 2>&1
}

# Another libkuid in the process could take the place of functions that it calls.
keeps_to_itself()
{
	readelf -d kuid/libkuid.so >"$out" && grep SYMBOLIC "$out"
}

newer=$(../../../selftests/vm/fetch.sh sqlalchemy)/usr/lib/python3/dist-packages
cd "$TREE" || exit
echo "KTAP version 1"
it "mypy --strict finds nothing" is_typed
it "the tests pass" env PYTHONPATH="$PYTHONPATH:$newer" "$PYTHON" -m unittest test_kuid
it "a device can be waited for, lost and asked" with_device "$PYTHON" -m unittest test_device
it "hostile arguments do no harm" survives_fuzzing
it "the wheel works alone" is_installed
it "its libkuid calls no other one" keeps_to_itself
check_local -workers -threads
check_device
finish
