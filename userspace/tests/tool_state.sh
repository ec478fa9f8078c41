#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid save, restore, clock and node with the module: what they promise over reboots, which here
# are loading it again, with the clock set back. Prints KTAP. Needs root, KUID_MODULE and kuid on
# PATH; sets the clock and puts it right again; leaves the module loaded as it was found, but new.

# shellcheck source=SCRIPTDIR/reboots.sh
. "${0%/*}/reboots.sh"

waits_for_state()
{
	begin state=required && makes v1 && makes v6 && makes v7 && waits k64 && waits k96 &&
		waits k128 && waits lex
}

fresh_start()
{
	begin state=required && fails 1 'begin with "kuid restore --fresh"' kuid restore $file &&
		fails 1 'first run "kuid restore"' kuid save $file && waits k64 &&
		does restore --fresh $file && makes k64 5 && makes lex 5 && is_covered &&
		[ "$(value clock floor)" = none ] && fails 1 'is there' kuid restore --fresh $file
}

# Takes IDs, has a ceiling that was saved before them, and reboots with the clock an hour back: none
# comes again, and they go on from the saved ceiling.
does_not_repeat()
{
	format=$1
	shift
	begin "$@" && does restore --fresh --ahead 3 $file && makes "$format" 1000 || return
	mv "$out" "$work/first"
	ceiling=$(saved)
	set_clock -3600
	makes "$format" 1000 || return
	mv "$out" "$work/second"
	reload "$@" && does restore $file && [ "$(value clock floor_ns)" = "$ceiling" ] || return
	makes "$format" 1000 || return
	mv "$out" "$work/third"
	# Text sorts as IDs do, but that of v1. IDs of two files are not in order within a life.
	if [ "$format" = v1 ]; then
		last=$(tail -n 1 "$work/second")
		[ "$(kuid compare "$last" "$(head -n 1 "$work/third")")" = before ] || return
	else
		cat "$work/first" "$work/second" | LC_ALL=C sort | tail -n 1 >"$out"
		cat "$work/third" >>"$out"
		LC_ALL=C sort -c "$out" 2>"$err" || return
	fi
	[ "$(sort -u "$work/first" "$work/second" "$work/third" | wc -l)" -eq 3000 ] &&
		is_covered
}

ends_cleanly()
{
	begin state=required && does restore --fresh $file && makes k64 10 || return
	mv "$out" "$work/first"
	does save --ahead 0 $file && is_covered && waits k64 &&
		[ "$(saved)" -lt "$(date +%s)000000000" ] || return
	set_clock -3600
	reload state=required && does restore $file && makes k64 10 || return
	cat "$out" >>"$work/first"
	LC_ALL=C sort -c "$work/first" 2>"$err"
}

# Readers on all CPUs while the ceiling is lowered: none is beyond it.
ends_under_load()
{
	begin state=required && does restore --fresh $file || return
	for reader in 1 2 3 4; do
		timeout $((5 * patience)) kuid gen -f k64 -n 1000000000 2>/dev/null |
			tail -n 2 | head -n 1 >/tmp/state.last.$reader &
	done
	sleep $((2 * patience))
	kuid save --ahead 0 $file 2>"$err" || return
	wait
	for reader in 1 2 3 4; do
		last=$(kuid inspect "$(cat /tmp/state.last.$reader)" | sed -n 's/^unix_ns *//p')
		[ "$last" -lt "$(saved)" ] || return
	done
}

works_without_state()
{
	begin && makes k64 && fails 1 'first run "kuid restore"' kuid save $file && makes k64 &&
		does restore --fresh --ahead 1 $file && makes k64 && sleep 2 && makes k64 &&
		does save $file && is_covered
}

as_nobody()
{
	su -s /bin/sh nobody -c "$*"
}

# Without the capability: told so, and neither the kernel nor the file has changed.
not_permitted()
{
	ceiling=$(value clock ceiling_ns) epoch=$(value clock epoch)
	as_nobody "kuid $*" >"$out" 2>"$err"
	[ $? -eq 1 ] && grep -q 'not permitted: run it as root; CAP_SYS_TIME is enough' "$err" &&
		[ "$(value clock ceiling_ns)" = "$ceiling" ] && [ "$(value clock epoch)" = "$epoch" ]
}

needs_sys_time_alone()
{
	begin state=required && chown nobody $dir && not_permitted restore --fresh $file &&
		[ ! -e $file ] && only_sys_time restore --fresh $file && is_covered &&
		[ "$(stat -c %U $file)" = nobody ] && makes k64 && cp -p $file /tmp/state.old &&
		not_permitted save $file && not_permitted save --ahead 0 $file &&
		not_permitted restore $file && cmp -s $file /tmp/state.old && [ ! -e $file.new ] &&
		only_sys_time save $file && ! cmp -s $file /tmp/state.old && is_covered &&
		cp -p $file /tmp/state.old && reload state=required && not_permitted restore $file &&
		cmp -s $file /tmp/state.old && waits k64 && only_sys_time restore $file &&
		is_covered && makes k64 && ! only_sys_time node --new-epoch &&
		grep -q 'needs CAP_SYS_ADMIN' "$err"
}

node_of()
{
	kuid inspect "$(kuid gen -f "$1")" | sed -n 's/^\(node\|worker\)  *//p'
}

sets_identity()
{
	begin && kuid node --node 0123456789ab --worker 1100000022 >"$out" &&
		grep -q '^node_from          given$' "$out" && [ "$(node_of v1)" = 0123456789ab ] &&
		[ "$(node_of v6)" = 0123456789ab ] && [ "$(node_of lex)" = 0000001100000022 ] &&
		[ "$(node_of k96)" = 00000033 ] && [ "$(node_of k128)" = 0000001100000022 ] &&
		kuid node --node random --worker host >"$out" &&
		[ "$(value node node_from)" = random ] && [ "$(node_of v1)" != 0123456789ab ] &&
		[ "$(node_of lex)" = "$(value node worker)" ] &&
		[ "$(node_of k128)" = "$(value node worker)" ]
}

it "with state=required IDs wait for state" waits_for_state
it "a fresh start must be said" fresh_start
it "k64 does not repeat" does_not_repeat k64 state=required
it "v1 with a given node does not repeat" does_not_repeat v1 state=required node=0123456789ab
it "save --ahead 0 ends a life" ends_cleanly
it "save --ahead 0 ends a life in which IDs are made" ends_under_load
it "without state=required all works at once" works_without_state
it "CAP_SYS_TIME alone is enough to save and restore" needs_sys_time_alone
it "the identity is set" sets_identity
finish_reboots
