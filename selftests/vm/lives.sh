# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Machines whose IDs outlive them, for clone.sh and reboot.sh, which source it with kernel, initrd
# and work set. Each shares a file with its machine, as lives.c has it.
# shellcheck disable=SC2034,SC2154 # for and from who sources it

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Where numbers lie in the file: see struct memory of lives.c.
readers_at=12 stop_at=16 told_at=24

die()
{
	echo "not ok: $*"
	exit 1
}

new_memory()
{
	rm -f "$1"
	truncate -s 64M "$1"
}

# A number of 4 or 8 bytes in a machine's memory.
memory_number()
{
	od -A n -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# wait_for MEMORY AT SIZE NUMBER PID: returns when the number is that, or any but 0 for "any"; there
# is nothing to wait for when the machine has ended.
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

# machine NAME QEMU-ARGS ARG...: boots it in the background, as $machine, to run lives.
machine()
{
	local name=$1 more=$2
	shift 2
	local shared="-object memory-backend-file,id=shared,share=on,size=64M,mem-path=$work/$name.mem"
	"$here/boot.sh" --kernel "$kernel" --initrd "$initrd" --mem 512M --timeout 120 \
		--log "$work/$name.log" --known-as "lives.$$" \
		--qemu "$shared -device ivshmem-plain,memdev=shared,master=on $more" \
		env KUID_MODULE=/lib/kuid.ko /selftests/kuid/lives "$@" \
		>"$work/$name.console" 2>&1 </dev/null &
	machine=$!
}

# What the machine's program said, and how it ended.
said()
{
	grep -h '^# ' "$work/$1.log" | grep -v '^# exit status' | tr -d '\r' | sed "s/^# /# $1: /"
}
