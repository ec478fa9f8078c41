#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds what tests need and runs them, by the names of their files; or parts of check.sh:
#   one.sh BUILD KERNEL NAMES
# NAMES are NAME[=CASE[+CASE...]][,NAME...], with CASEs as in programs.list.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "KERNEL NAMES" "$@"
tests=$here/..

# part NAME ARG...: runs a part of check.sh. The arguments are for make, which builds what it boots.
part()
{
	local initrd=vm-initrd own=''

	case $1 in
	interface|lasting|order) initrd="vm-initrd-all" ;;
	debug*|kcsan*|uml) own=${1%%_*} ;;
	waits) own=uml ;;
	esac
	if [[ -n $own ]]; then
		make -s -C "$tests" BUILD="$build" "check-$own" PARTS="$1" "${@:2}"
	else
		make -s -C "$tests" BUILD="$build" $initrd "${@:2}" >/dev/null &&
			"$here/check.sh" "$build" "$kernel" check "$1"
	fi
}

# In the first machine that has it. Of the kernel's selftests only its directory is built.
in_machine()
{
	local machine directory name

	machine=$(awk -F '[ =]+' -v name="${1%%=*}" '$1 == name { print $2 }' "$here/programs.list")
	[[ -n $machine ]] || return 0
	# fleet/order.c is no test.
	for directory in $(cd "$tests" && grep -l kselftest.mk -- */Makefile); do
		directory=${directory%/*}
		name=${1%%=*}
		[[ ! -e $tests/$directory/$name && ! -e $tests/$directory/${name%_32}.c ]] || break
	done
	found=1
	KUID_ONLY=$1 part "$machine" TARGETS="$directory"
}

# Of the core, or of library and tool: these need no device.
in_userspace()
{
	local path

	for path in "$tests"/{unit,private}/"$1.c" "$tests/../userspace/tests/pure/$1"{,.c}; do
		[[ -e $path && $path == *_test.c || -e $path && $path == *.sh ]] || continue
		found=1
		case $path in
		*/unit/*|*model_test.c) make -s -C "$tests/unit" O="$build/unit" QUICK=1 T="$1" check ;;
		*) make -s -C "$tests/../userspace" O="$build/userspace" T="$1" check ;;
		esac || return
	done
}

status=0
for name in ${names//,/ }; do
	found=''
	in_userspace "$name" || status=1
	in_machine "$name" || status=1
	if [[ -z $found ]] && ! "$here/check.sh" "$build" "$kernel" names | grep -x -- "$name" >/dev/null; then
		echo "one.sh: there is no test and no part $name" >&2
		status=2
	elif [[ -z $found ]]; then
		part "$name" || status=1
	fi
done
exit $status
