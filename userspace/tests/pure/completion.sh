#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bash offers for kuid's command line what the tool takes, and nothing else; zsh and fish offer the
# same. Prints KTAP. Needs kuid on PATH, BUILT as install.sh does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../../kuid/completion.sh
. "$(dirname "$0")/../../kuid/completion.sh"

# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"

explain()
{
	cat "$work/said"
	echo "offered: ${COMPREPLY[*]}"
}

# Completes the last of these words, taken apart as bash does with a command line.
complete_words()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_kuid
}

# WORDS TEXT...: just these are offered for the last of the words.
offers()
{
	local words
	read -ra words <<<"$1"
	[[ $1 != *' ' ]] || words+=('')
	shift
	complete_words "${words[@]}"
	[[ ${COMPREPLY[*]} == "$*" ]]
}

verbs()
{
	kuid --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

offers_verbs()
{
	complete_words kuid ''
	diff <(printf '%s\n' "${COMPREPLY[@]}" | sort) <(verbs | sort) >/dev/null
}

# All options of --help but -h and -V are offered, and no others.
offers_options()
{
	complete_words kuid "$1" -
	diff <(printf '%s\n' "${COMPREPLY[@]}" | sort) \
		<(kuid "$1" --help | sed -n '/^  *-/p' |
			grep -oE -- '(^ *|, )(--[a-z0-9-]+|-[A-Za-z0-9])' |
			sed 's/^[ ,]*//' | grep -v '^-[hV]$' | sort)
}

# Each word that is offered for an option is taken: what is wrong then is something else.
takes_arguments()
{
	local word
	complete_words kuid "$1" "$2" ''
	[[ ${#COMPREPLY[@]} -gt 0 ]] || return
	for word in "${COMPREPLY[@]}"; do
		! kuid "$1" "$2" "$word" --may-be-wrong 2>&1 | grep -qF "\"$word\"" || return
	done
}

in_directory()
{
	local dir=$work/$1

	mkdir "$dir"
	touch "$dir/state" "$dir/state.lock"
	complete_words kuid "$@" "$dir/st"
	[[ $(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ') == "$dir/state $dir/state.lock " ]]
}

it "the verbs" offers_verbs
it "a verb" offers 'kuid insp' inspect
for verb in $(verbs); do
	it "options of $verb" offers_options "$verb"
done
it "options without a verb are gen's" offers 'kuid --fo' --forever --format
# shellcheck disable=SC2086 # a list of words
it "formats to make" offers 'kuid gen -f ' $formats
# shellcheck disable=SC2086 # a list of words
it "formats without a verb" offers 'kuid -f k' $grid_formats
# shellcheck disable=SC2086 # a list of words
it "formats behind =" offers 'kuid gen --format = v' $stamp_formats
# shellcheck disable=SC2086 # a list of words
it "formats just behind =" offers 'kuid bench --format =' $formats
it "formats to read" offers 'kuid inspect --format u' uuid
it "nothing for a count" offers 'kuid gen -n '
it "nothing for an ID" offers 'kuid inspect '
it "a verb to be helped with" offers 'kuid help insp' inspect
it "files to restore" in_directory restore
it "files to keep" in_directory keep
it "files to write" in_directory cdi --output
while read -r verb option; do
	it "what $verb $option takes" takes_arguments "$verb" "$option"
done <<-OPTIONS
	gen --format
	gen --order
	inspect -f
	inspect -I
	convert --to
	compare -f
	range -f
	range -I
	node --node
	node --worker
	bench -f
OPTIONS

# What calls bash's file is made, and that is where it is looked for.
installed()
{
	mkdir -p "$work/usr/share/bash-completion/completions" &&
		make -s -C "${0%/*}/../.." O="${BUILT:?}" PREFIX="$work/usr" "$BUILT/install/$1" &&
		cp "${0%/*}/../../kuid/completion.sh" "$work/usr/share/bash-completion/completions/kuid"
}

# Both take what is offered for this, and for the name of a file.
in_zsh()
{
	# shellcheck disable=SC2016 # for zsh
	zsh -fc 'compadd() { print -r -- "$@"; }; words=(kuid "${@:2}"); CURRENT=$#words; source $1' \
		zsh "$BUILT/install/completion.zsh" "$@"
}

in_fish()
{
	fish --no-config -c "source $BUILT/install/completion.fish; complete -C 'kuid $*'"
}

offers_in()
{
	local shell=$1
	shift
	[[ $("in_$shell" gen -f k6) == *k64 && $("in_$shell" insp) == *inspect ]] &&
		[[ $("in_$shell" keep "${0%/*}/completion.s") == *completion.sh ]]
}

for shell in zsh fish; do
	if command -v $shell >/dev/null; then
		it "the file for $shell" installed completion.$shell
		it "$shell offers the same" offers_in $shell
	else
		skip "$shell offers the same" "there is no $shell"
	fi
done
finish
