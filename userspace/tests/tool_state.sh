#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid save, restore, clock and node with the module: what they promise over reboots, which here
# are loading it again, with the clock set back. Prints KTAP. Needs root, KUID_MODULE and kuid on
# PATH; sets the clock and puts it right again; leaves the module loaded as it was found, but new.

# shellcheck source=SCRIPTDIR/reboots.sh
. "${0%/*}/reboots.sh"

fails()
{
	fails_with 1 "$@"
}

# The same command may succeed later.
fails_for_now()
{
	fails_with 75 "$@"
}

fails_with()
{
	status=$1 text=$2
	shift 2
	kuid "$@" >"$out" 2>"$err"
	[ $? -eq "$status" ] && [ ! -s "$out" ] && grep -qF -- "$text" "$err"
}

waits_for_state()
{
	begin state=required && makes v1 && makes v6 && makes v7 && waits k64 && waits k96 &&
		waits k128 && waits lex
}

# After 30 seconds, and says what is missing.
gives_up()
{
	begin state=required && fails 'Run "kuid restore" as root' gen -f k64 &&
		grep -q 'waiting for IDs' "$err"
}

fresh_start()
{
	begin state=required && fails 'begin with "kuid restore --fresh"' restore $file &&
		fails 'first run "kuid restore"' save $file && waits k64 &&
		does restore --fresh $file && makes k64 5 && makes lex 5 && is_covered &&
		[ "$(value clock floor)" = none ] && fails 'is there' restore --fresh $file
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

# With state=required IDs end below the ceiling, and go on when there is a higher one.
stops_at_ceiling()
{
	begin state=required && does restore --fresh --ahead $((2 * patience)) $file || return
	timeout $((4 * patience)) kuid gen -f k64 -n 1000000000 2>"$err" | tail -n 2 | head -n 1 >"$out"
	last=$(kuid inspect "$(cat "$out")" | sed -n 's/^unix_ns *//p')
	[ "$last" -lt "$(saved)" ] && waits k64 && waits lex && makes v1 && does save $file && makes k64
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
	begin && makes k64 && fails 'first run "kuid restore"' save $file && makes k64 &&
		does restore --fresh --ahead 1 $file && makes k64 && sleep 2 && makes k64 &&
		does save $file && is_covered
}

restores_once()
{
	begin state=required && does restore --fresh $file && cp $file /tmp/state.old && reload &&
		does restore $file && floor=$(value clock floor_ns) && sleep 1 &&
		does restore $file && [ "$(value clock floor_ns)" = "$floor" ]
}

refuses_older_copies()
{
	begin state=required && does restore --fresh $file && cp -p $file /tmp/state.old &&
		sleep 1 && does save $file && reload state=required && does restore $file &&
		cp -p $file /tmp/state.new && cp -p /tmp/state.old $file &&
		fails 'is older than' restore $file && cmp -s $file /tmp/state.old &&
		fails 'is older than' restore --force $file && cp -p /tmp/state.new $file &&
		does restore $file
}

refuses_damage()
{
	begin state=required && does restore --fresh $file && reload state=required || return
	cp -p $file /tmp/state.old
	floor=$(value clock floor_ns) epoch=$(value clock epoch)
	: >$file
	fails 'is empty' restore $file || return
	head -c 200 /tmp/state.old >$file
	fails 'is damaged' restore $file || return
	sed 's/"ceiling_ns": 1/"ceiling_ns": 2/' /tmp/state.old >$file
	fails 'is damaged' restore $file || return
	cp -p /tmp/state.old $file
	chmod 666 $file
	fails 'can be written by others' restore $file || return
	chmod 600 $file
	mv $file $dir/real
	ln -s real $file
	fails 'is a symbolic link' restore $file || return
	rm $file
	waits k64 && [ "$(value clock floor_ns)" = "$floor" ] && [ "$(value clock epoch)" = "$epoch" ] &&
		mv $dir/real $file && does restore $file && makes k64
}

another_machine()
{
	begin && does restore --fresh $file && grep -q '"machine": ""' $file &&
		reload state=required && waits k64 || return
	echo 4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4 >/etc/machine-id
	kuid restore $file >"$out" 2>"$err" && [ ! -s "$out" ] &&
		grep -q 'is of another machine' "$err" && makes k64 && is_covered &&
		grep -q '"machine": "4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4"' $file &&
		reload state=required && does restore $file && makes k64
	result=$?
	rm -f /etc/machine-id
	return $result
}

clock_far_back()
{
	begin state=required && does restore --fresh $file && reload state=required || return
	set_clock -90000
	fails_for_now 'more than a day ahead' restore $file && waits k64 && does restore --force $file &&
		makes k64 && is_covered
	result=$?
	set_clock 0
	return $result
}

another_node()
{
	begin node=0123456789ab state=required && waits v1 && waits v7 && does restore --fresh $file &&
		makes v1 && makes v7 && reload node=0123456789ac state=required &&
		fails 'saved with node 0123456789ab, and the module has 0123456789ac' restore $file &&
		waits v1 && kuid node --node 0123456789ab >"$out" && does restore $file && makes v1
}

full_disk()
{
	begin state=required || return
	mount -t tmpfs -o size=4k none $dir || return
	does restore --fresh $file && cp $file /tmp/state.old && ceiling=$(value clock ceiling_ns) &&
		fails_for_now 'No space left on device' save $file && cmp -s $file /tmp/state.old &&
		[ "$(value clock ceiling_ns)" = "$ceiling" ] &&
		fails_for_now 'No space left on device' save --ahead 0 $file && cmp -s $file /tmp/state.old &&
		[ "$(value clock ceiling_ns)" = "$ceiling" ] && [ ! -e $file.new ] &&
		mount -o remount,size=1m $dir && does save $file && cp $file /tmp/state.old &&
		ceiling=$(value clock ceiling_ns) && mount -o remount,ro $dir &&
		fails_for_now 'Read-only file system' save $file && cmp -s $file /tmp/state.old &&
		[ "$(value clock ceiling_ns)" = "$ceiling" ] &&
		reload state=required && fails_for_now 'Read-only file system' restore $file && waits k64 &&
		mount -o remount,rw $dir && does restore $file && makes k64
	result=$?
	umount $dir
	return $result
}

survives_kills()
{
	begin state=required && does restore --fresh $file || return
	for n in $(seq 40); do
		kuid save --ahead $((n % 3 * 30)) $file 2>/dev/null &
		usleep $((n * 500))
		kill -KILL $! 2>/dev/null
		wait $! 2>/dev/null
		is_covered || return
	done
	makes k64 100 2>/dev/null
	cp "$out" "$work/first"
	reload state=required && does restore $file && makes k64 100 &&
		cat "$out" >>"$work/first" && LC_ALL=C sort -c "$work/first"
}

as_nobody()
{
	su -s /bin/sh nobody -c "$*"
}

# Anyone may look at it, and no more.
needs_root()
{
	begin && kuid restore --fresh $file && chmod 777 $dir && rm -f $file.lock || return
	as_nobody "kuid clock" >"$out" 2>"$err" || return
	as_nobody "kuid node" >"$out" 2>"$err" && grep -q '^worker_from        host$' "$out" || return
	for verb in "save $dir/mine" "restore --fresh $dir/mine" "node --new-epoch" \
		"clock --force-clock --may-repeat"; do
		as_nobody "kuid $verb" >"$out" 2>"$err"
		[ $? -eq 1 ] && grep -q 'not permitted: run it as root' "$err" || return
		rm -f $dir/mine.lock
	done
	[ ! -e $dir/mine ]
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

forces_clock()
{
	begin && does restore --fresh $file && set_clock 40000 && makes k64 && does save $file &&
		set_clock 0 && makes k64 && [ "$(value clock slot_lag_ns)" -gt 39000000000000 ] &&
		kuid clock --force-clock --may-repeat >"$out" 2>"$err" &&
		grep -q '^slot_lag_ns        0$' "$out" && grep -q 'run "kuid save"' "$err" && makes k64 &&
		does save $file && is_covered && [ "$(saved)" -lt "$(($(date +%s) + 100))000000000" ] &&
		reload && does restore $file && [ "$(value clock floor_ns)" -lt \
			"$(($(date +%s) + 100))000000000" ]
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

refuses_identity()
{
	# Another test may have brought a network interface with it.
	begin && epoch=$(value node epoch) &&
		{ [ -e /sys/class/net/eth0 ] ||
			fails 'no network interface is suitable' node --node mac; } &&
		[ "$(value node epoch)" = "$epoch" ] && kuid node --new-epoch >"$out" &&
		[ "$(value node epoch)" = $((epoch + 1)) ]
}

as_json()
{
	kuid clock --json >"$out" && grep -q '^{"wall": ".*"ceiling_ns": [0-9]*}$' "$out" &&
		kuid node --json >"$out" && grep -q '^{"node": ".*"identity": "good"}$' "$out"
}

it "with state=required IDs wait for state" waits_for_state
it "who waits for state in vain is told" gives_up
it "a fresh start must be said" fresh_start
it "k64 does not repeat" does_not_repeat k64 state=required
it "k64 does not repeat, state=off" does_not_repeat k64
it "lex does not repeat" does_not_repeat lex state=required
it "k128 does not repeat" does_not_repeat k128 state=required
it "v1 with a given node does not repeat" does_not_repeat v1 state=required node=0123456789ab
it "v6 with a given node does not repeat" does_not_repeat v6 state=required node=0123456789ab
it "no ID passes the ceiling" stops_at_ceiling
it "save --ahead 0 ends a life" ends_cleanly
it "save --ahead 0 ends a life in which IDs are made" ends_under_load
it "without state=required all works at once" works_without_state
it "restore is done once a life" restores_once
it "older copies are refused" refuses_older_copies
it "what is damaged is refused and changes nothing" refuses_damage
it "another machine's state is restored" another_machine
it "a clock a day back is refused" clock_far_back
it "another node is refused" another_node
it "a full disk and one that can't be written leave all as it was" full_disk
it "save may be killed at any time" survives_kills
it "others than root are told" needs_root
it "CAP_SYS_TIME alone is enough to save and restore" needs_sys_time_alone
it "the clock is forced back, and the saved state with it" forces_clock
it "the identity is set" sets_identity
it "what can't be is refused" refuses_identity
it "all of it as JSON" as_json
finish_reboots
