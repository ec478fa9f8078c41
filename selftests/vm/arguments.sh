# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The arguments of scripts that source this. $here is the directory of the script, whose first comment
# says how it is called.
# shellcheck disable=SC2034 # variables of the sourcing script

here=$(cd "$(dirname "$0")" && pwd -P)

die()
{
	echo "${0##*/}: $*" >&2
	exit 1
}

# usage [MESSAGE...]
usage()
{
	{
		(( !$# )) || echo "${0##*/}: $*"
		echo "usage:"
		sed -n '4,/^[^#]*$/{/shellcheck/d; s/^# \{0,1\}//p}' "$0"
	} >&2
	exit 2
}

# takes NAMES ARGUMENT...: sets the variable of each name, in lower case, to an argument. A name in brackets
# may have none, and a last name that ends in "..." has all others, which $rest has.
takes()
{
	local names name

	read -ra names <<<"$1"
	shift
	for name in "${names[@]}"; do
		(( $# )) || [[ $name == \[* ]] || usage
		rest=("$@")
		[[ $name != *... ]] || return 0
		name=${name//[][]/}
		declare -g "${name,,}=${1-}"
		(( !$# )) || shift
	done
	(( !$# )) || usage
}

# options NAMES ARGUMENT...: sets the variable NAME for each option --NAME that is there, to its argument if
# NAMES has "NAME=". The other arguments are in $rest.
options()
{
	local known=" $1 " name

	shift
	while [[ ${1-} == -?* ]]; do
		name=${1#--}
		shift
		[[ $name ]] || break
		if [[ $known == *" $name= "* ]]; then
			(( $# )) || usage "--$name needs an argument"
			declare -g "${name//-/_}=$1"
			shift
		elif [[ $known == *" $name "* ]]; then
			declare -g "${name//-/_}=1"
		else
			usage "unknown option --$name"
		fi
	done
	rest=("$@")
}

# at_end COMMAND: runs it at the end of the script, also if a signal ends it.
at_end()
{
	# shellcheck disable=SC2064 # the value of now
	trap "$1" EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}
