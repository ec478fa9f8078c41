# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of kuid's command line in bash: sourced by it, on its own or by bash-completion. The
# verbs, their options and the words that an option takes are those of the tool's help. Run with the
# words of a command line, it prints what it offers for the last one, for other shells.

_kuid_verbs()
{
	"$1" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_kuid_options()
{
	"$1" "$2" --help | sed -n '/^  *-/p' | grep -oE -- '(^ *|, )(--[a-z0-9-]+|-[A-Za-z0-9])' |
		sed 's/^[ ,]*//; /^-[hV]$/d'
}

# The words that an option of a verb takes, FILE for a file, none for another name in upper case;
# fails if the option takes no argument. A range 5..10 is its numbers.
_kuid_arguments()
{
	local argument word words
	argument=$("$1" "$2" --help | sed -n "s/^  *\\(-., \\)*//; s/^$3=\\([^ ]*\\).*/\\1/p")
	[[ $argument ]] || return
	IFS='|' read -ra words <<<"$argument"
	for word in "${words[@]}"; do
		case $word in
		FILE) echo FILE ;;
		*[A-Z]*) ;;
		*..*) seq "${word%%.*}" "${word##*.}" ;;
		*) echo "$word" ;;
		esac
	done
}

# The long name of an option of a verb.
_kuid_long()
{
	case $3 in
	--*) echo "$3" ;;
	-?) "$1" "$2" --help | sed -n "s/^  *$3, \\(--[a-z0-9-]*\\).*/\\1/p" ;;
	esac
}

_kuid()
{
	local kuid=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]} verb=gen verbs words
	verbs=$(_kuid_verbs "$kuid" 2>/dev/null | tr '\n' ' ')

	COMPREPLY=()
	# "--option=" and what is behind it are words of their own.
	if [[ $word == = ]]; then
		word=
	elif [[ $before == = ]]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if ((COMP_CWORD > 1)) && [[ " $verbs " == *" ${COMP_WORDS[1]} "* ]]; then
		verb=${COMP_WORDS[1]}
	fi
	before=$(_kuid_long "$kuid" "$verb" "$before")
	if [[ $before ]] && words=$(_kuid_arguments "$kuid" "$verb" "$before"); then
		:
	elif [[ $word == -* ]]; then
		words=$(_kuid_options "$kuid" "$verb")
	elif ((COMP_CWORD == 1)); then
		words=$verbs
	else
		case $("$kuid" "$verb" --help | head -n 1) in
		*'[FILE]'*) words=FILE ;;
		*'[VERB]'*) words=$verbs ;;
		esac
	fi
	if [[ $words == FILE ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	fi
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_kuid
	((!${#COMPREPLY[@]})) || printf '%s\n' "${COMPREPLY[@]}"
else
	complete -o filenames -F _kuid kuid
fi
