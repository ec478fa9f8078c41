# shellcheck shell=sh disable=SC2154 # cluster.sh and the scripts set the variables
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared by the tests of kuid-claim, which source this after cluster.sh: random events for claimers and
# their store. The script has restart NAME, which starts a claimer with its options.

chaos_seed=${CHAOS_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}

# random N: sets $drawn to a number below N.
random()
{
	chaos_seed=$(((chaos_seed * 1103515245 + 12345) % 2147483648))
	drawn=$((chaos_seed / 65536 % $1))
}

# pick WORD...: sets $picked to one of them.
pick()
{
	random $#
	shift "$drawn"
	picked=$1
}

# Only one of them keeps on running, and a slow machine may have begun with the second.
start_again()
{
	signal CONT "$1"
	first=$(cat "$claimers/$1")
	restart "$1"
	second=$(cat "$claimers/$1")
	eventually one_has_ended || return
	! has_ended "$second" || echo "$first" >"$claimers/$1"
}

one_has_ended()
{
	has_ended "$first" || has_ended "$second"
}

# It is asleep, killed, told to end, left to the next run; its disk is copied and rolled back, its clock
# set.
claimer_event()
{
	pick STOP STOP CONT CONT KILL HUP TERM copy roll_back twice clock
	echo "$1 $picked"
	case $picked in
	STOP | CONT)
		signal "$picked" "$1"
		return
		;;
	copy)
		cp "$work/$1/claim" "$work/$1/claim.old"
		return
		;;
	twice)
		start_again "$1"
		return
		;;
	clock)
		toggle "$1/clock"
		return
		;;
	esac
	signal CONT "$1"
	if [ "$picked" = roll_back ]; then
		stop KILL "$1"
		[ ! -e "$work/$1/claim.old" ] || cp "$work/$1/claim.old" "$work/$1/claim"
	else
		stop "$picked" "$1"
	fi
	restart "$1"
}

member_event()
{
	# shellcheck disable=SC2086 # words
	pick $members
	member=$picked
	pick STOP CONT CONT KILL
	echo "$member $picked"
	if [ ! -e "$work/pid-$member" ]; then
		start_member "$member"
	elif [ "$picked" = KILL ]; then
		kill_member "$member"
	else
		signal_member "$picked" "$member"
	fi
}

# toggle NAME...: begins or ends something of network.py, or sets a clock hours ahead or behind, that of a
# store by more than that of a claimer.
toggle()
{
	pick "$@"
	toggled=$work/$picked
	pick -10800 10800
	echo "$toggled $picked"
	if [ -e "$toggled" ]; then
		rm "$toggled"
		return
	fi
	case $toggled in
	*/date-*) LC_ALL=C date -u -d "@$(($(date +%s) + 2 * picked))" '+%a, %d %b %Y %T GMT' >"$toggled" ;;
	*/server/clock) echo $((2 * picked)) >"$toggled" ;;
	*) echo "$picked" >"$toggled" ;;
	esac
}

# chaos ROUNDS STORE CLAIMER...: the functions STORE_event and STORE_whole do something to the store.
chaos()
{
	rounds=$1 chaotic=$2
	shift 2
	for _ in $(seq "$rounds"); do
		pick "$@"
		claimer_event "$picked"
		random 3
		[ "$drawn" -gt 0 ] || "${chaotic}_event"
		random 10
		sleep "0.$drawn"
	done
	for claimer; do
		signal CONT "$claimer"
	done
	rm -f "$work"/cut-* "$work"/lose-* "$work"/hold-* "$work"/date-* "$work"/*/clock
	"${chaotic}_whole"
}
