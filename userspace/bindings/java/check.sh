#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the Java package, for "make check" beside it, which has compiled it without a warning.
# Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# shellcheck source=SCRIPTDIR/../with_device.sh
. ../with_device.sh
ids="java -jar $JAR"

# pass COMMAND...: the tests, run by a command.
pass()
{
	"$@" java -cp "$JAR:$TESTS" kuid.Tests "$VECTORS" >"$out" 2>&1
}

# With the lines that the README shows, as a module.
# shellcheck disable=SC2016 # of sed
is_built()
{
	mkdir "$work/first" || return
	{
		printf 'package first;\nimport java.util.UUID;\nimport kuid.Kuid;\npublic class First {\n'
		printf 'public static void main(String[] args) {\n'
		sed -n '/^```java$/,/^```$/{/^```/!p}' README.md
		printf 'System.out.println(id);\n}\n}\n'
	} >"$work/First.java"
	echo 'module first { requires kuid; }' >"$work/module-info.java"
	javac -p "$JAR" -d "$work/first" "$work/First.java" "$work/module-info.java" &&
		java -p "$JAR:$work/first" -m first/first.First >"$out" 2>"$err" &&
		grep -xE '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}' "$out"
}

# 8 threads, whose IDs java.util.UUID decodes.
are_decoded()
{
	java -jar "$JAR" -from local -check -threads 8 "$1" 5000 >"$out" 2>"$err" &&
		[ "$(sort -u "$out" | wc -l)" = 40000 ] && grep -x 'source: local' "$err"
}

# IDs with the node that this kernel hands out, from 8 threads.
are_of_lane()
{
	with_device java -jar "$JAR" -from private -check -threads 8 "$1" 5000 &&
		[ "$(sort -u "$out" | wc -l)" = 40000 ] && [ "$(cat "$err")" = "source: private" ] &&
		{ [ "$1" = v7 ] || [ "$(grep -c '01fa4e000001$' "$out")" = 40000 ]; }
}

lacks_library()
{
	! java -jar "$JAR" -from private >"$out" 2>"$err" && grep "private lanes need $1" "$err"
}

are_of_processes()
{
	java -jar "$JAR" -from local -workers 3 v6 5000 >"$out" 2>"$err" &&
		[ "$(sort -u "$out" | wc -l)" = 15000 ]
}

echo "KTAP version 1"
it "the tests pass" pass env
# Root can read any file, and nobody else can make device files.
if [ "$(id -u)" = 0 ]; then
	it "the tests pass for another user" pass setpriv --reuid 65534 --regid 65534 --clear-groups
else
	skip "the tests pass for another user" "this is not root"
fi
for format in v1 v6 v7; do
	it "java.util.UUID decodes $format" are_decoded $format
done
it "processes make different IDs" are_of_processes
it "a program can be built with the package" is_built
if [ "$LIBKUID" ]; then
	for format in v1 v6 v7; do
		it "a private lane makes $format" are_of_lane $format
	done
	it "a private lane makes a batch" with_device env KUID_LANE_NODE=01fa4e000001 java \
		-cp "$JAR:$TESTS" kuid.Tests "$VECTORS" privateTest
	check_lanes
	it "a private lane needs libkuid" lacks_library libkuid.so.0
else
	it "a private lane needs Java 22" lacks_library 'libkuid, Java 22'
fi
finish
