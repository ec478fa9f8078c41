#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the module with each bug of ../plants, and fails unless the program that the patch names
# finds the bug. Prints one line of totals:   check_plants.sh BUILD KERNEL [PLANT]...
# BUILD/vm has the files of the machine. PLANT names some of the patches. Two machines run at a time.
# shellcheck disable=SC2154 # takes() sets variables

set -uo pipefail

# shellcheck source=SCRIPTDIR/machines.sh
. "$(dirname "$0")/machines.sh"
takes_build "KERNEL [PLANT]..." "$@"
plants=("${rest[@]}")
(( ${#plants[@]} )) || mapfile -t plants < <(cd "$here/../plants" && printf '%s\n' *.patch)
plants=("${plants[@]%.patch}")
work=$build/plants
rm -rf "$work"
mkdir -p "$work"

# The program of a patch: one of the machine, or one and =CASES, or unit/FLAVOUR/NAME.
catcher()
{
	sed -n 's/^Caught-by: //p' "$here/../plants/$1.patch"
}

# The clock with which make check runs a program: coarse if not with the fine one, too.
clock_of()
{
	awk -v name="${1%%=*}" '$1 == name && /coarse/ && !/fine/ { clock = "coarse" }
		END { print clock ? clock : "fine" }' "$here/programs.list"
}

# boot DIRECTORY PROGRAM...: runs programs in a machine with the module of a directory, and with the
# clock of the first program. They are one word, because the kernel passes at most 32 to init.
boot()
{
	local status=0 initrd=$1/initrd.cpio programs=${*:2} clock
	clock=$(clock_of "$2")
	local -n options=$clock

	"$vm/initramfs.sh" "$initrd" "$build"/vm/{root,tests} "$kernel/nic" "$1/root" || return
	"$vm/boot.sh" --kernel "$kernel" --initrd "$initrd" "${options[@]}" \
		/guest/selftests.sh "${programs// /,}" || status=$?
	rm "$initrd"
	return $status
}

# Builds the module, or the program of the core, with a bug. Only what the patch touches is built
# again, so all are built in one directory, one after the other.
build()
{
	local program dir=$work/$1

	program=$(catcher "$1")
	[[ -n $program ]] || { echo "no line Caught-by: in the patch"; return 1; }
	mkdir -p "$dir/root/lib"
	patch -s -p1 -d "$work/module" <"$here/../plants/$1.patch" || return
	if [[ $program == unit/* ]]; then
		make -s -C "$here/../unit" O="$work/unit" KMOD="$work/module/kmod" \
			"$work/$program" && cp "$work/$program" "$dir/"
	else
		make -s -C "$kernel/headers" M="$work/module" modules &&
			cp "$work/module/kmod/kuid.ko" "$dir/root/lib/"
	fi
	local status=$?
	patch -s -R -p1 -d "$work/module" <"$here/../plants/$1.patch" || return
	return $status
}

# Fails unless the program fails with the bug, in a machine that has loaded the module.
finds()
{
	local program dir=$work/$1

	program=$(catcher "$1")
	if [[ $program == unit/* ]]; then
		! MODEL_PREEMPTIONS=1 timeout 600 "$dir/${program##*/}"
		return
	fi
	boot "$dir" "$program" >"$dir/console" && { echo "$program passes"; return 1; }
	if ! grep -q '^ok [0-9]* load the module' "$dir/console" ||
		! grep '^not ok [0-9]* [a-z/]*:' "$dir/console" | grep -qF ":$program "; then
		tail -n 20 "$dir/console"
		return 1
	fi
	grep -a '^ *not ok' "$dir/console"
}

# Builds and tries the plants, and prints TAP. The log of a plant has the rest.
try_all()
{
	local name built

	for name in "${plants[@]}"; do
		build "$name" >"$logs/plant_$name.log" 2>&1 </dev/null
		built=$?
		(( $(jobs -rp | wc -l) < 2 )) || wait -n
		verdict "$name" $built &
	done
	wait
}

verdict()
{
	local result=ok

	(( !$2 )) && finds "$1" >>"$logs/plant_$1.log" 2>&1 </dev/null || result="not ok"
	[[ $result == ok ]] || tail -n 20 "$logs/plant_$1.log" | sed 's/^/# /'
	echo "$result $1: $(catcher "$1")"
	rm -rf "${work:?}/$1"
}

echo "== the programs without a bug"
log=$logs/plants.log
mkdir -p "$work"/{module,none/root/lib}
cp -a "$top"/{Kbuild,kmod,uapi} "$work/module"
mapfile -t programs < <(for name in "${plants[@]}"; do catcher "$name"; done | grep -v ^unit/ | sort -u)
if (( ${#programs[@]} )); then
	quietly make -s -C "$kernel/headers" M="$work/module" modules || { totals_end; exit; }
	cp "$work/module/kmod/kuid.ko" "$work/none/root/lib/"
	for clock in fine coarse; do
		mapfile -t names < <(for name in "${programs[@]}"; do
			[[ $(clock_of "$name") != "$clock" ]] || echo "$name"
		done)
		if (( ${#names[@]} )); then quietly boot "$work/none" "${names[@]}" && add 0 1 0 0; fi
	done
fi

echo "== ${#plants[@]} bugs"
add_tap try_all
totals_end
