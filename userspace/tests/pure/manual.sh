#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid(1) has each verb, option, exit status and key of JSON that the tool has, and no other option.
# Prints KTAP. Needs kuid on PATH, the library of fake_device.c as FAKE_DEVICE, and must be given
# with its path.

FAKE=$(mktemp -d) || exit
export FAKE
trap 'rm -rf "$FAKE"' EXIT
page=$(dirname "$0")/../../../Documentation/man/kuid.1
nr=0
failed=0

it()
{
	nr=$((nr + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $nr $what"
	else
		echo "not ok $nr $what"
		sed 's/^/# /' "$FAKE/diff"
		failed=$((failed + 1))
	fi
}

same()
{
	diff "$1" "$2" >"$FAKE/diff"
}

verbs()
{
	kuid --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# A verb's part of the page.
part()
{
	awk -v verb="$1" '/^\.S[hs] / { on = $0 == ".Ss " verb } on' "$page"
}

# Options as "-f" and "--format", each once; those that all verbs have are told once for all.
of_help()
{
	kuid "$1" --help | grep '^  *-' | grep -oE -- '(^ *|, )(--[a-z0-9-]+|-[?A-Za-z])' |
		sed 's/^[ ,]*//' | grep -v '^-[?V]$\|^--help$\|^--usage$\|^--version$' | sort
}

of_page()
{
	part "$1" | sed -n 's/^\.It \(Fl .*\)/\1/p' | sed 's/ Ns .*//; s/ , /\n/g' |
		sed 's/^Fl /-/' | sort
}

has_options()
{
	of_help "$1" >"$FAKE/help"
	of_page "$1" >"$FAKE/page"
	same "$FAKE/help" "$FAKE/page"
}

has_verbs()
{
	verbs | sort >"$FAKE/help"
	sed -n 's/^\.Ss //p' "$page" | sort >"$FAKE/page"
	same "$FAKE/help" "$FAKE/page" || return
	# In the synopsis, too.
	awk '/^\.Sh / { on = $2 == "SYNOPSIS" } on' "$page" |
		sed -n 's/^\.\(Op \)*Cm //p' | sort >"$FAKE/page"
	same "$FAKE/help" "$FAKE/page"
}

has_exit_statuses()
{
	kuid --help | sed -n 's/^Exit status: //p' | grep -o '[0-9]' >"$FAKE/help"
	awk '/^\.Sh / { on = $0 == ".Sh EXIT STATUS" } on && /^\.It / { print $2 }' "$page" >"$FAKE/page"
	same "$FAKE/help" "$FAKE/page"
}

has_keys()
{
	printf 'reasons 1\n' >"$FAKE/device"
	LD_PRELOAD=$FAKE_DEVICE kuid "$@" --json | grep -oE '"[a-z_]+":' | tr -d '":' |
		sort -u >"$FAKE/keys"
	awk '/^\.Sh / { on = $0 == ".Sh JSON" } on' "$page" >"$FAKE/page"
	: >"$FAKE/diff"
	while read -r key; do
		# Those of an object by format are the formats.
		case $key in
		lex) continue ;;
		esac
		grep -qE "(^|[ ,])$key( |,|$)" "$FAKE/page" || echo "no $key" >>"$FAKE/diff"
	done <"$FAKE/keys"
	[ "$(wc -l <"$FAKE/keys")" -gt 5 ] && [ ! -s "$FAKE/diff" ]
}

it "verbs" has_verbs
for verb in $(verbs); do
	it "options of $verb" has_options "$verb"
done
it "exit statuses" has_exit_statuses
it "keys of status --json" has_keys status
it "keys of bench --json" has_keys bench --ms 1 -f v7
echo "1..$nr"
[ $failed -eq 0 ]
