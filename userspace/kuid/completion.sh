# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of kuid's command line in bash: sourced by it, on its own or by bash-completion.

_kuid_options()
{
	case $1 in
	gen) printf "%s " -n --count -f --format --forever --local -o --order --text --binary --hex --cf --guid ;;
	inspect) echo -f --format -I --interval -j --json ;;
	convert) echo --to -f --format -I --interval --node ;;
	compare) echo --bound -f --format -I --interval ;;
	status) echo --check -j --json --prometheus ;;
	save) echo --ahead ;;
	restore) echo --ahead --fresh --force ;;
	clock) echo -j --json --force-clock --may-repeat ;;
	node)
		echo -j --json --node --worker --interval --confirm --new-epoch
		;;
	bench) echo -f --format -t --threads --ms -j --json ;;
	esac
	echo --help --usage --version
}

# The words that an option of a verb takes; fails if its argument is any text, or it takes none.
_kuid_arguments()
{
	case "$1 $2" in
	"gen -f" | "gen --format" | "bench -f" | "bench --format")
		echo v1 v6 v7 lex k64 k96 k128
		;;
	*" -f" | *" --format") echo v1 v6 v7 lex k64 k96 k128 uuid ;;
	*" -I" | *" --interval") echo 5 6 7 8 9 10 ;;
	"gen -o" | "gen --order") echo cpu file host ;;
	"convert --to") echo v1 v6 k64 k96 k128 text hex cf guid ;;
	"node --node") echo random mac ;;
	"node --worker") echo host random ;;
	"gen -n" | "gen --count" | "convert --node" | *" --bound" | *" --ahead") ;;
	"bench -t" | *" --threads" | *" --ms") ;;
	*) return 1 ;;
	esac
}

_kuid()
{
	local verbs='gen inspect convert compare status save restore clock node bench'
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=gen words

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
	if words=$(_kuid_arguments "$verb" "$before"); then
		:
	elif [[ $word == -* ]]; then
		words=$(_kuid_options "$verb")
	elif ((COMP_CWORD == 1)); then
		words=$verbs
	elif [[ $verb == save || $verb == restore ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o filenames -F _kuid kuid
