#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid(1) has each verb, option, exit status and key of JSON that the tool has, and no other option.
# Prints KTAP. Needs what fake_device.sh does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"
page=$(dirname "$0")/../../../Documentation/man/kuid.1

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
	kuid "$1" --help | grep '^  *-' | grep -oE -- '(^ *|, )(--[a-z0-9-]+|-[A-Za-z0-9])' |
		sed 's/^[ ,]*//' | grep -v '^-[hV]$\|^--help$\|^--usage$\|^--version$' | sort
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
	diff "$FAKE/help" "$FAKE/page"
}

# Options of a verb in the synopsis.
of_synopsis()
{
	awk -v verb="$1" '
		/^\.S[hs] / { inside = $2 == "SYNOPSIS" }
		/^\.Nm/ { on = 0 }
		/^\.(Op )?Cm / { on = $NF == verb }
		inside && on' "$page" | grep -oE 'Fl [^ ]+' | sed 's/^Fl /-/'
}

# The synopsis has each option, by its letter if it has one.
has_synopsis()
{
	kuid "$1" --help | sed -nE 's/^  (-[A-Za-z0-9]), .*/\1/p; s/^      (--[a-z0-9-]+).*/\1/p' |
		grep -v '^-[hV]$\|^--usage$' | sort >"$FAKE/help"
	of_synopsis "$1" | sort >"$FAKE/page"
	diff "$FAKE/help" "$FAKE/page"
}

has_verbs()
{
	verbs | sort >"$FAKE/help"
	sed -n 's/^\.Ss //p' "$page" | sort >"$FAKE/page"
	diff "$FAKE/help" "$FAKE/page" || return
	# In the synopsis, too.
	awk '/^\.Sh / { on = $2 == "SYNOPSIS" } on' "$page" |
		sed -n 's/^\.\(Op \)*Cm //p' | sort >"$FAKE/page"
	diff "$FAKE/help" "$FAKE/page"
}

has_exit_statuses()
{
	kuid --help | sed -n '/^Exit status: /,$p' | grep -o '[0-9]*' >"$FAKE/help"
	awk '/^\.Sh / { on = $0 == ".Sh EXIT STATUS" } on && /^\.It / { print $2 }' "$page" >"$FAKE/page"
	diff "$FAKE/help" "$FAKE/page"
}

has_keys()
{
	printf 'reasons 1\n' >"$FAKE/device"
	run "$@" --json | grep -oE '"[a-z_]+":' | tr -d '":' |
		sort -u >"$FAKE/keys"
	awk '/^\.Sh / { on = $0 == ".Sh JSON" } on' "$page" >"$FAKE/page"
	while read -r key; do
		# Those of an object by format are the formats.
		case $key in
		lex | snowflake) continue ;;
		esac
		grep -qE "(^|[ ,])$key( |,|$)" "$FAKE/page" || echo "no $key"
	done <"$FAKE/keys" >"$FAKE/lacking"
	cat "$FAKE/lacking"
	[ "$(wc -l <"$FAKE/keys")" -gt 5 ] && [ ! -s "$FAKE/lacking" ]
}

# The IDs in the statements are those that the commands above them print.
has_bounds()
{
	awk '/^\.Sh / { on = $2 == "EXAMPLES" } on' "$page" >"$FAKE/page"
	sed -n 's/^\.Dl \$ kuid \(range .*\)/\1/p' "$FAKE/page" |
		while read -r command; do
			# shellcheck disable=SC2086 # words of a command
			kuid $command
		done | sed -nE 's/^(lowest|highest|end)(_decimal)?  *//p' | grep -v '^\.' | sort -u >"$FAKE/help"
	sed -n '/kuid range/,/^Count/p' "$FAKE/page" | grep -oE "['(][0-9a-f]{8}-[0-9a-f-]{27}|[( ][0-9]{17}" |
		tr -d "'( " | sort -u >"$FAKE/page.ids"
	[ -s "$FAKE/help" ] && diff "$FAKE/help" "$FAKE/page.ids"
}

it "verbs" has_verbs
for verb in $(verbs); do
	it "options of $verb" has_options "$verb"
	it "synopsis of $verb" has_synopsis "$verb"
done
it "bounds of a range" has_bounds
it "exit statuses" has_exit_statuses
it "keys of status --json" has_keys status
it "keys of bench --json" has_keys bench --ms 1 -f v7
finish
