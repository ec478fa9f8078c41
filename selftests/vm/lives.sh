# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Machines that the IDs outlive, for clone.sh and reboot.sh, which source this file with kernel
# and initrd set. Each machine shares a file with its host, laid out as in lives.c.
# shellcheck disable=SC2034,SC2154 # variables shared with the sourcing script

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"
work=$(mktemp -d) machine='' QUICK=${QUICK:-0}
# shellcheck disable=SC2016 # the jobs of then
at_end '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"'
# Offsets in the file: see struct memory of lives.c.
stop_at=16 go_at=20 told_at=24

die()
{
	echo "not ok: $*"
	exit 1
}

new_memory()
{
	rm -f "$1"
	truncate -s 128M "$1"
}

# memory_number MEMORY AT SIZE: prints a number of 4 or 8 bytes.
memory_number()
{
	od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# wait_for MEMORY AT SIZE NUMBER PID: waits until the number has that value, or is not 0 for "any".
# Fails if the machine ends meanwhile.
wait_for()
{
	local found
	until found=$(memory_number "$1" "$2" "$3"); [[ $found == "$4" || ( $4 == any && $found != 0 ) ]]; do
		kill -0 "$5" 2>/dev/null || return 1
		sleep 0.05
	done
}

tell_to_stop()
{
	printf '\1' | dd of="$1" bs=1 seek=$stop_at conv=notrunc status=none
}

# machine NAME QEMU-ARGS ARG...: boots a machine that runs lives, in the background; its process is
# $machine.
machine()
{
	local name=$1 more=$2
	shift 2
	local shared="-object memory-backend-file,id=shared,share=on,size=128M,mem-path=$work/$name.mem"
	"$here/boot.sh" --kernel "$kernel" --initrd "$initrd" --mem 512M --timeout 900 \
		--log "$work/$name.log" --known-as "lives.$$" \
		--qemu "$shared -device ivshmem-plain,memdev=shared,master=on $more" \
		env KUID_MODULE=/lib/kuid.ko KUID_CALLERS=/lib/kuid_callers.ko /selftests/kuid/state/lives "$@" \
		>"$work/$name.console" 2>&1 </dev/null &
	machine=$!
}

# Prints what a machine's program said.
said()
{
	grep -h '^# ' "$work/$1.log" | grep -v '^# exit status' | tr -d '\r' | sed "s/^# /# $1: /"
}
