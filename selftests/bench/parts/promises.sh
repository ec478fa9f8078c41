#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Repeats and IDs out of order, of kuid and others. They are chance, so none is held. The first
# machine, with two CPUs, counts its own. The second one is saved while each generator waits, and
# restored twice; the IDs that both restored ones make are repeats. "make run" calls this with the form
# demo, for some of the generators and cases.

set -euo pipefail

bench=$1 kernel=$2 form=${3:-full}
work=$(mktemp -d)
vm=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../vm" && pwd)
# shellcheck source=SCRIPTDIR/../../vm/monitor.sh
. "$vm/monitor.sh"
trap '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT
count=20000 # that of makers.c

die()
{
	echo "promises: $*" >&2
	exit 1
}

boot=("$vm/boot.sh" --kernel "$kernel" --initrd "$bench/initrd.cpio" --timeout 600
	--clocksource tsc --append random.trust_cpu=on)

# machine NAME QEMU-ARGS: boots one that has a monitor and shares the file NAME.ids. Its process is
# $machine.
machine()
{
	local memory="memory-backend-file,id=ids,size=16M,share=on,mem-path=$work/$1.ids"

	monitored "$1"
	"${boot[@]}" --smp 1 --mem 512M --log "$work/$1.log" --known-as "twins.$$" \
		--qemu "-object $memory -device ivshmem-plain,memdev=ids,addr=0x10,master=on \
$2 $monitored" /guest/promises.sh "$form" twins >"$work/$1.console" 2>&1 </dev/null &
	machine=$!
}

# numbered N FILE: the IDs of twin N, one a line.
numbered()
{
	od -An -v -tx1 -w16 -j $(($1 * count * 16)) -N $((count * 16)) "$2"
}

"${boot[@]}" --smp 2 /guest/promises.sh "$form"

old=11111111-2222-3333-4444-555555555555
declare -A new=(
	[one]=aaaaaaaa-2222-3333-4444-555555555555
	[other]=bbbbbbbb-2222-3333-4444-555555555555
)
machine saved "$(generation $old)"
until grep -q '^the twins are ready' "$work/saved.log" 2>/dev/null; do
	kill -0 "$machine" 2>/dev/null || die "no machine to clone: $(tail -n 5 "$work/saved.console")"
	sleep 0.2
done
save_machine saved "$work/image"
wait "$machine" || true
restored=()
for name in one other; do
	machine $name "$(generation "${new[$name]}") -incoming exec:cat<$work/image"
	go_on_restored $name
	restored+=("$machine")
done
for process in "${restored[@]}"; do
	wait "$process" || die "a clone failed: $(tail -n 5 "$work"/{one,other}.console)"
done

# repeats N: how many IDs of twin N both clones made.
repeats()
{
	local name

	for name in one other; do
		numbered "$1" "$work/$name.ids"
	done | sort | uniq -d | wc -l
}

tr -d '\r' <"$work/saved.log" | sed -n 's/^twin \([0-9]*\): \(.*\)/\1\t\2/p' >"$work/rows"
status=0
while IFS=$'\t' read -r number row; do
	(( $(numbered "$number" "$work/one.ids" | sort -u | wc -l) > 1 )) || die "$row: no IDs"
	found=$(repeats "$number")
	printf 'promises\t%s\trepeats, cloned machine\t%s\n' "$row" "$found"
	if (( found )) && [[ $row == kuid* ]]; then
		echo "promises: $row: $found in clones, but kuid promises that there are none" >&2
		status=1
	fi
done <"$work/rows"
exit $status
