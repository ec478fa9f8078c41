#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the soak test on 4 CPUs, and prints one line of totals:
#   soak.sh BUILD KERNEL INITRD DURATION [OPTION...]
# After so many seconds the machine is saved and restored as a clone, where the test continues.
# CLOCKSOURCE is the machine's clock source, as boot.sh takes it; tsc by default.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "KERNEL INITRD DURATION [OPTION]..." "$@"
# shellcheck source=SCRIPTDIR/../vm/monitor.sh
. "$vm/monitor.sh"
work=
machine=

die()
{
	echo "not ok: $*"
	exit 1
}

# machine NAME QEMU-ARGS ARG...: boots a machine in the background, as $machine, and shows its
# console.
machine()
{
	local name=$1 more=$2 options
	shift 2
	options="--soak --clone $*"
	monitored "$name"
	: >"$work/$name.console"
	"$vm/boot.sh" --kernel "$kernel" --initrd "$initrd" --smp 4 --mem 2G \
		--clocksource "${CLOCKSOURCE:-tsc}" \
		--timeout $((2 * duration + 3600)) --append random.trust_cpu=on \
		--log "$work/$name.log" --known-as "soak.$$" --qemu "$more $monitored" \
		/guest/fuzz.sh "$duration" "fuzz=${options// /+}" \
		>"$work/$name.console" 2>&1 </dev/null &
	machine=$!
	tail --pid "$machine" -f "$work/$name.console" &
	shown=$!
}

soak()
{
	work=$(mktemp -d)
	trap '[[ -z $(jobs -p) ]] || kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT
	machine saved "$(generation 11111111-2222-3333-4444-555555555555)" "$@"
	until grep -q '# to be saved' "$work/saved.console"; do
		kill -0 "$machine" 2>/dev/null || break
		sleep 1
	done
	if kill -0 "$machine" 2>/dev/null; then
		# Don't show how the saved machine ends.
		kill "$shown"
		save_machine saved "$work/image"
		wait "$machine"
		machine restored "$(generation aaaaaaaa-2222-3333-4444-555555555555) \
-incoming exec:cat<$work/image" "$@"
		go_on_restored restored
	fi
	wait "$machine"
	local status=$?
	wait "$shown"
	return "$status"
}

part soak "Linux $(<"$kernel/release") in QEMU, for $duration seconds and as a clone" soak "${rest[@]}"
totals_end
