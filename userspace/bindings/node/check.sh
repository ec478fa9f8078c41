#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the package for Node.js, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# shellcheck source=SCRIPTDIR/../with_device.sh
. ../with_device.sh
ids="node node_modules/$NAME/ids.js"
installed=node_modules/$NAME
tests=$PWD/tests
ids_tsv=$PWD/../ids.tsv

# As npm does it, from the packed file, without the network and its scripts.
is_installed()
{
	mkdir "$work/site" && cd "$work/site" && echo '{}' >package.json && cp "$tests"/* . &&
		npm install --offline --no-audit --no-fund --ignore-scripts "$PACKAGE" >"$out" 2>&1
}

has_types()
{
	sed -i "s|@kuid/kuid|$NAME|" types.ts && cp types.ts types.mts &&
		tsc --strict --noEmit --target es2022 --module nodenext types.ts types.mts >"$out" 2>&1
}

# The lines that the README shows.
are_keys()
{
	sed -i "s|@kuid/kuid|$NAME|" orms.ts && tsc --target es2022 --module commonjs --experimentalDecorators \
		--emitDecoratorMetadata --skipLibCheck orms.ts >"$out" 2>&1 && node --no-warnings orms.js >"$out" 2>&1
}

survives_fuzzing()
{
	(cd "$installed" && CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" \
		node build.js "$work/fuzzed.node") >"$out" 2>&1 &&
		LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \
			node --no-warnings fuzz.js "$work/fuzzed.node" "./$installed" >"$out" 2>&1
}

# Where no addon comes with the package, npm compiles it.
is_compiled()
{
	rm -r "$installed/prebuilt" && npm rebuild --offline "$NAME" >"$out" 2>&1 && [ -e "$installed/kuid.node" ] &&
		$ids -from local v6 3 >"$out" && [ "$(sort -u "$out" | wc -l)" = 3 ]
}

# No compiler is no error.
is_plain()
{
	rm -f "$installed/kuid.node" && CC=false npm rebuild --offline "$NAME" >"$out" 2>&1 &&
		$ids v7 3 >"$out" 2>"$err" && [ "$(sort -u "$out" | wc -l)" = 3 ] && grep -x 'source: plain' "$err"
}

echo "KTAP version 1"
it "npm installs the package" is_installed
cd "$work/site" || exit
it "its tests pass" node kuid.test.js "$NAME" "$ids_tsv"
it "a device can be waited for, lost and asked" with_device node device.test.js "$NAME"
it "hostile arguments do no harm" survives_fuzzing
it "tsc finds nothing" has_types
it "it exports no function of libkuid" hides_libkuid "$installed"/prebuilt/*.node
if npm install --no-audit --no-fund --ignore-scripts typeorm@1 sql.js@1 reflect-metadata@0.2 drizzle-orm@0.45 \
	>"$out" 2>&1; then
	it "TypeORM and Drizzle take UUIDs as keys" are_keys
else
	skip "TypeORM and Drizzle take UUIDs as keys" "npm's registry can't be reached"
fi
check_local -threads
check_device
it "npm compiles the addon" is_compiled
it "without a compiler UUIDs are plain" is_plain
finish
