#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the Erlang application, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh

passes()
{
	mkdir "$work/tests" && erlc -Werror -o "$work/tests" test/kuid_tests.erl &&
		erl -noshell -pa "$EBIN" "$work/tests" \
			-eval 'halt(case eunit:test(kuid_tests) of ok -> 0; error -> 1 end).' >"$out" 2>&1
}

# All that the specifications say, with those of the runtime.
has_types()
{
	HOME=$work dialyzer --build_plt --output_plt "$work/plt" --apps erts kernel stdlib crypto >"$out" 2>&1
	HOME=$work dialyzer --plt "$work/plt" "$EBIN"/*.beam >"$out" 2>&1
}

is_documented()
{
	erl -noshell -eval "edoc:files(filelib:wildcard(\"src/*.erl\"), [{dir, \"$work/doc\"}]), halt()." >"$out" 2>&1 &&
		[ ! -s "$out" ] && grep -q 'name="v7-0"' "$work/doc/kuid_host.html"
}

# rebar3 needs no network for a package without dependencies.
# shellcheck disable=SC2016 # of sed
is_built()
{
	mkdir -p "$work/first/src" "$work/first/_checkouts" && cd "$work/first" &&
		tar -xzf "$PACKAGE" -C "$work/first/_checkouts" && mv _checkouts/kuid-* _checkouts/kuid || return
	echo '{deps, [kuid]}.' >rebar.config
	echo '{application, first, [{vsn, "1"}, {applications, [kernel, stdlib, kuid]}]}.' >src/first.app.src
	{
		printf -- '-module(first).\n-export([first/0]).\nfirst() ->\n'
		sed -n '/^```erlang$/,/^```$/{/^```/!p}' "$OLDPWD/README.md"
		echo 'io:format("~s ~b~n", [Text, length(Ids)]).'
	} >src/first.erl
	HOME=$work rebar3 compile >"$out" 2>&1 &&
		erl -noshell -pa _build/default/*/*/ebin -s first first -s init stop >"$out" 2>"$err" &&
		grep -E '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} 100$' "$out"
}

echo "KTAP version 1"
it "the tests pass" passes
it "dialyzer finds nothing" has_types
it "edoc finds nothing" is_documented
it "a program can be built with the package" is_built
finish
