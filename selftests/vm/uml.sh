#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots User Mode Linux, which is a program, runs a program in it, and exits as boot.sh does:
#   uml.sh --kernel DIR --initrd FILE [--append "WORD..."] [--mem M] [--timeout SECS] [--log FILE]
#          PROGRAM [ARG...]
# DIR is from kernel.sh, FILE from initramfs.sh.

set -euo pipefail

usage()
{
	echo "uml.sh: $1" >&2
	echo "usage: uml.sh --kernel DIR --initrd FILE [--append WORDS] [--mem M] [--timeout SECS]" \
		"[--log FILE] PROGRAM [ARG...]" >&2
	exit 2
}

kernel='' initrd='' append='' mem=512M timeout=120 log='' nonce=$$.$RANDOM$RANDOM
while (( $# )); do
	case $1 in
	--kernel|--initrd|--append|--mem|--timeout|--log)
		(( $# > 1 )) || usage "$1 needs an argument"
		declare "${1#--}=$2"
		shift 2 ;;
	-*) usage "unknown option $1" ;;
	*) break ;;
	esac
done
(( $# )) || usage "no program to run"
[[ -x $kernel/vmlinuz ]] || usage "no executable vmlinuz in '$kernel'"
[[ -r $initrd ]] || usage "can't read '$initrd'"

work=$(mktemp -d)
vm=
trap '[[ -z $vm ]] || kill "$vm" || true; rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
log=${log:-$work/log}
read -ra words <<<"$append"
exec {console}> >(exec tee "$log")
shown=$!
# In the background, because a trap has to wait until a foreground program ends. Without root= and
# console=, the kernel adds them behind the arguments of the program.
setpriv --pdeathsig TERM timeout --kill-after 5 "$timeout" \
	"$kernel/vmlinuz" "mem=$mem" "initrd=$initrd" con0=null,fd:1 con=null ssl=null quiet loglevel=1 \
	log_buf_len=2M root=98:0 console=tty0 "${words[@]}" "kuid.exit=$nonce" -- "$@" \
	</dev/null >&"$console" 2>&1 {console}>&- &
vm=$!
exec {console}>&-
ended=0
wait "$vm" || ended=$?
vm=
wait "$shown"

# Only this run's init knows the nonce, so no output of a program looks like the last line.
status=$(sed -nE "s/^# exit status $nonce: ([0-9]+)\r?\$/\\1/p" "$log")
[[ -z $status || $ended == 124 ]] || exit "$status"
echo "uml.sh: ended with status $ended, without an exit status of '$*'" >&2
(( ended == 124 )) || ended=125
exit "$ended"
