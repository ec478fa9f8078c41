#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the Java package, for "make check" beside it, which has compiled it without a warning.
# Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# pass COMMAND...: the tests, run by a command.
pass()
{
	"$@" java -cp "$JAR:$TESTS" org.junit.runner.JUnitCore kuid.Tests >"$out" 2>&1
}

# With the lines that the README shows, as a module.
# shellcheck disable=SC2016 # of sed
is_built()
{
	mkdir "$work/first" || return
	{
		printf 'package first;\nimport java.util.List;\nimport java.util.UUID;\nimport kuid.Format;\nimport kuid.Kuid;\npublic class First {\n'
		printf 'public static void main(String[] args) {\n'
		sed -n '/^```java$/,/^```$/{/^```/!p}' README.md
		printf 'System.out.println(id);\n}\n}\n'
	} >"$work/First.java"
	echo 'module first { requires kuid; }' >"$work/module-info.java"
	javac -p "$JAR" -d "$work/first" "$work/First.java" "$work/module-info.java" &&
		java -p "$JAR:$work/first" -m first/first.First >"$out" 2>"$err" &&
		grep -xE '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}' "$out"
}

# The ID; whether it was read back; statements of saving and of loading; and IDs that were made.
is_saved()
{
	classes=$JAR
	for jar in hibernate3 hibernate-commons-annotations geronimo-jpa_2.0_spec geronimo-jta-1.2-spec \
		dom4j javassist slf4j-api slf4j-nop commons-collections3 antlr hsqldb; do
		classes=$classes:/usr/share/java/$jar.jar
	done
	javac -cp "$classes" -d "$work/hibernate" tests/hibernate/Orders.java &&
		java -cp "$classes:$work/hibernate" --add-opens java.base/java.lang=ALL-UNNAMED \
			kuid.Orders >"$out" 2>"$err" && grep -E '^[0-9a-f-]{36} true 1 1 1$' "$out"
}

echo "KTAP version 1"
it "the tests pass" pass env
# Root can read any file, and nobody else can make device files.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
# shellcheck disable=SC2086 # several words
if $nobody test -r "$JAR" 2>/dev/null; then
	it "the tests pass for another user" pass $nobody
else
	skip "the tests pass for another user" "this is not root, or others may not read this tree"
fi
it "a program can be built with the package" is_built
it "Hibernate saves a row with one statement, and loads it without another ID" is_saved
finish
