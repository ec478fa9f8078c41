#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid-claim with the kernel as the owner of a number, and with three members of etcd in the guest,
# which have a disk each. Another owner of the same number is a kuid-claim with --print. Prints KTAP.
# run/check_claim.sh puts programs and tests into /claim, and checks the trace that is printed in the end.

export PATH="/claim:$PATH" CHECKED_CLAIM=kuid-claim SHIM_LIB=/claim/shim.so
# An emulated machine is slow: members must not take one another for dead.
export ETCD_HEARTBEAT_INTERVAL=300 ETCD_ELECTION_TIMEOUT=3000
# shellcheck source=SCRIPTDIR/../../userspace/claim/tests/cluster.sh
. "${0%/*}/cluster.sh"
# shellcheck source=SCRIPTDIR/../../userspace/claim/tests/chaos.sh
. "${0%/*}/chaos.sh"
# shellcheck source=SCRIPTDIR/../vm/guest/klog.sh
. /guest/klog.sh
space=guest
number=7
saved=$work/kuid.state
tracing=/sys/kernel/tracing
since=1
drains=0

begin_test()
{
	: >"$out"
	: >"$err"
}

explain()
{
	tail -n 20 "$work/said" "$work/gen.err" "$work"/*/err "$work/trace"
	tail -n 3 "$work"/?.log
	book "$work"/*/out
}

# The ports are those of this machine alone.
set_ports()
{
	# shellcheck disable=SC2034 # by port()
	client_a=2379 wire_a=2380 client_b=2381 wire_b=2382 client_c=2383 wire_c=2384
	# shellcheck disable=SC2034 # by port()
	peer_a=$wire_a peer_b=$wire_b peer_c=$wire_c
}

# Each member keeps its data on an ext4 of its own.
mount_disks()
{
	while read -r driver; do
		case $driver in
		brd) insmod /lib/brd.ko rd_nr=3 rd_size=262144 ;;
		*) insmod "/lib/$driver.ko" ;;
		esac || return
	done </lib/disk.list
	disk=0
	for member in $members; do
		mkdir "$work/data-$member" && mke2fs /dev/ram$disk &&
			mount -t ext4 /dev/ram$disk "$work/data-$member" || return
		disk=$((disk + 1))
	done
}

# The kernel's events and the messages of the owner, in one order.
start_trace()
{
	mount -t tracefs tracefs $tracing
	echo counter >$tracing/trace_clock && echo 4096 >$tracing/buffer_size_kb || return
	cat $tracing/trace_pipe >"$work/trace" &
	tracer=$!
}

# Unloading a module throws the buffer away.
drain()
{
	drains=$((drains + 1))
	echo "drain $drains." >$tracing/trace_marker && eventually grep -qF "drain $drains." "$work/trace"
}

# load PARAMETER
load()
{
	insmod /lib/kuid.ko "$1" || return
	for event in "$tracing"/events/kuid/kuid_claim*/enable; do
		echo 1 >"$event" || return
	done
}

unload()
{
	drain && rmmod kuid
}

says()
{
	if [ "$1" = owner ]; then
		tail -n "+$since" "$work/trace"
	else
		cat "$work/$1/err"
	fi | grep -F -- "$2"
}

etcd_runs()
{
	set_ports
	mount_disks && start_cluster
}

# start_owner [OPTION...]: a kuid-claim of the kernel.
start_owner()
{
	mkdir -p "$work/owner"
	kuid-claim --endpoints "${endpoints:-$(urls)}" --space "$space" --horizon 12 \
		--state "$work/owner/claim" "$@" 2>$tracing/trace_marker </dev/null &
	echo $! >"$claimers/owner"
}

# The ceiling that the owner knows of, in seconds.
owners_ceiling()
{
	sed -n 's/^ *"ceiling": \([0-9]*\),$/\1/p' "$work/owner/claim"
}

# IDs are kept, to be compared in the end.
makes()
{
	kuid gen -f snowflake -n 100 >"$work/batch" 2>"$work/gen.err" && cat "$work/batch" >>"$work/ids"
}

# The number of the IDs that were made last.
number_made()
{
	echo $(($(tail -n 1 "$work/ids") >> 12 & 1023))
}

# Why none are made.
fails_with()
{
	! makes && grep -q "$1" "$work/gen.err"
}

at_the_ceiling()
{
	fails_with 'come to the ceiling'
}

epoch()
{
	cat /sys/class/kuid/kuid/epoch
}

# ------------------------------------------------------------------ boots

# A ceiling of IDs is saved, as the packages do it.
first_boot()
{
	start_trace && load state=required && kuid restore --first "$saved" && fails_with 'needs a worker'
}

owner()
{
	start_owner --number $number --trust-disk
	eventually makes && [ "$(number_made)" -eq $number ]
}

# The machine stops, and etcd does.
crash()
{
	kuid restore --ahead 2 "$saved"
	stop KILL owner
	stop_cluster
	unload
}

# The clock of a boot is one at which IDs were made, and below the ceiling.
set_back()
{
	date -s "@$(($(owners_ceiling) - 24))"
}

# boot_without_number PARAMETER COMMAND OPTION...: makes none.
boot_without_number()
{
	set_back && load "$1" && eval "$2" || return
	shift 2
	start_owner --number $number "$@"
	eventually says owner 'onnect to' && fails_with 'needs a worker'
	result=$?
	stop KILL owner
	unload
	since=$(wc -l <"$work/trace")
	return $result
}

# restore FILE
restore()
{
	kuid restore --ahead 3600 "$1"
}

boot_without_saved_state()
{
	crash && boot_without_number state=off : --trust-disk
}

# Of a copy, as the next boot is this one again.
boot_without_trust()
{
	cp "$saved" "$work/copy" && boot_without_number state=required "restore $work/copy"
}

# may_repeat FILE: IDs went back by an hour, which the boot after that knows from the file.
may_repeat()
{
	restore "$1" && kuid restore --ahead 1 --may-repeat "$1" && unload && load state=required &&
		restore "$1"
}

boot_that_may_repeat()
{
	cp "$saved" "$work/copy" &&
		boot_without_number state=required "may_repeat $work/copy" --trust-disk
}

# IDs begin above those from before the crash, and end at the ceiling that etcd has.
boot_without_etcd()
{
	last=$(tail -n 1 "$work/ids")
	set_back && load state=required && restore "$saved" || return
	start_owner --number $number --trust-disk
	eventually makes && [ "$(number_made)" -eq $number ] &&
		[ "$(head -n 1 "$work/batch")" -gt "$last" ]
}

ceiling_without_etcd()
{
	date -s "@$(owners_ceiling)" && at_the_ceiling && kuid gen -f v7
}

etcd_is_back()
{
	began=$(epoch)
	start_cluster && eventually makes && [ "$(number_made)" -eq $number ] && [ "$(epoch)" = "$began" ]
}

# ------------------------------------------------------------------ two owners

# Until the ceiling, and not longer, which the status tells. Other formats go on.
owner_asleep()
{
	signal STOP owner && makes && eventually at_the_ceiling && kuid gen -f v7 && kuid gen -f lex &&
		kuid status | grep -q '^expired_claim: ' && kuid status | grep -qF '"kuid-claim"'
}

second_owner()
{
	start second --number $number --horizon 12
	eventually more second ^raise 0 && at_the_ceiling
}

owner_wakes()
{
	signal CONT owner && eventually says owner 'is lost' && at_the_ceiling
}

# The second gives the number back, and the first gets it again.
owner_again()
{
	stop TERM second && eventually makes
}

# A restart goes on in the same epoch, also past the ceiling of before.
restarted()
{
	began=$(epoch)
	stop HUP owner && makes || return
	ceiling=$(owners_ceiling)
	start_owner --number "$number"
	eventually has_passed "$ceiling" && makes && [ "$(epoch)" = "$began" ]
}

# Another kuid-claim, of another space, does not touch the number.
two_at_once()
{
	kuid-claim --endpoints "$(urls)" --space other --number 9 --state "$work/other" 2>"$work/other.err" &
	other=$!
	eventually grep -q "the kernel has claimed number $number" "$work/other.err" && makes &&
		[ "$(number_made)" -eq $number ] && [ ! "$(etcdctl --endpoints "$(urls)" get --prefix /kuid/other/rec)" ]
	result=$?
	ends TERM $other && return $result
}

clean_stop()
{
	stop TERM owner && at_the_ceiling && grep -q '"released": true' "$work/owner/claim" &&
		kuid-claim -e "$(urls)" -s $space -l >"$out" && cat "$out"
}

# The kernel goes on with a number that was left to the next run, until it is given back by hand.
given_back_by_hand()
{
	start_owner --number $number
	eventually makes && stop HUP owner && makes &&
		kuid-claim -e "$(urls)" -s $space --state "$work/owner/claim" --release 2>$tracing/trace_marker &&
		at_the_ceiling &&
		! kuid-claim -e "$(urls)" -s $space --state "$work/owner/claim" --release 2>"$err" &&
		grep -q 'uses no number' "$err"
}

# ------------------------------------------------------------------ clones

# Opening the file announces hibernation, closing it the end of it. A machine that resumes from an
# image is the same to the module as a clone.
be_cloned()
{
	: </dev/snapshot
}

record()
{
	etcdctl --endpoints "$(urls)" get --print-value-only "$(printf '/kuid/%s/rec/%010d' $space "$1")"
}

# None are made until the owner runs, not even if the number is confirmed.
clone()
{
	start_owner --range 20-21 --horizon 60
	eventually makes && signal STOP owner || return
	was=$(number_made)
	record "$was" >"$work/record"
	be_cloned && fails_with 'may be a clone' && kuid node --confirm && fails_with 'may be a clone'
}

# The number and its record are left to the twin.
clone_claims_another()
{
	signal CONT owner && eventually makes && [ "$(number_made)" -eq $((41 - was)) ] &&
		record "$was" | cmp - "$work/record" && stop TERM owner
}

# ------------------------------------------------------------------ disks

# The leader's disk is suspended for longer than the horizon. Others wait for the numbers.
disk_suspended()
{
	lead=$(leader) || return
	endpoints=$(url "client_$lead"),$(urls)
	start_owner --number 30 --horizon 16
	start one --number 31 --horizon 16
	eventually makes && eventually has one 31 && fsfreeze --freeze "$work/data-$lead" || return
	start two --number 30 --horizon 16
	start three --number 31 --horizon 16
	endpoints=
	others_go_on
	result=$?
	fsfreeze --unfreeze "$work/data-$lead"
	return $result
}

others_go_on()
{
	ceiling=$(owners_ceiling)
	goes_on one && eventually has_passed "$ceiling" && makes && [ "$(leader)" != "$lead" ]
}

owner_has_raised()
{
	[ "$(owners_ceiling)" -gt "$ceiling" ]
}

disk_resumed()
{
	ceiling=$(owners_ceiling)
	goes_on one && eventually owner_has_raised && makes && [ "$(number_made)" -eq 30 ] &&
		! has_number two && ! has_number three
}

# ------------------------------------------------------------------ chaos

restart()
{
	if [ "$1" = owner ]; then
		start_owner --range 40-41
	else
		start "$1" --range 40-41 --horizon 12
	fi
}

# The machine may be a clone, in whatever state the owner is.
etcd_event()
{
	makes
	random 3
	if [ "$drawn" -eq 0 ]; then
		be_cloned
	else
		member_event
	fi
}

# Two others want the same two numbers.
all_chaos()
{
	echo "CHAOS_SEED=$chaos_seed"
	stop TERM owner
	stop_all
	for claimer in owner p q; do
		restart $claimer
	done
	chaos 25 etcd owner p q || return
	stop TERM p
	stop TERM q
	eventually makes && [ "$(number_made)" -ge 40 ]
}

# ------------------------------------------------------------------ all of it

# No ID of the kernel has a time for which another owner had the number, and none is twice.
none_repeated()
{
	[ "$(sort "$work/ids" | uniq -d | wc -l)" -eq 0 ] && none_shared || return
	book "$work"/*/out >"$work/book"
	while read -r id; do
		echo $((id >> 12 & 1023)) $(((id >> 22) + 1288834974657))
	done <"$work/ids" | awk -v number=$number '
		FNR == NR { n++; of[n] = $1; from[n] = $2 * 1000; to[n] = $3 * 1000; next }
		{
			ids++
			for (i = 1; i <= n; i++)
				if (of[i] == $1 && $2 >= from[i] && $2 < to[i])
					bad++
				else if (of[i] == $1 && $1 == number)
					$2 < from[i] ? before++ : after++
		}
		END {
			print ids, "IDs,", before, "before,", after, "after,", bad + 0, "of others"
			exit bad || !before || !after
		}' "$work/book" - >"$out" && cat "$out"
}

print_trace()
{
	etcd_whole && drain && kill "$tracer"
	grep -e kuid_claim -e ' cas: ' "$work/trace" | sed 's/^ */# trace: /'
	history | sed 's/^/# history: /'
	book "$work"/*/out | sed 's/^/# book: /'
}

klog_mark
echo "KTAP version 1"
it 'etcd runs' etcd_runs
it 'no IDs without a number' first_boot
it 'the owner makes IDs' owner
it 'booted without a saved state, it makes none while etcd is away' boot_without_saved_state
it 'booted with one, it makes none while etcd is away' boot_without_trust
it 'booted where times may come again, it makes none while etcd is away' boot_that_may_repeat
it 'if the disk is trusted, it goes on without etcd' boot_without_etcd
it 'not longer than to the ceiling' ceiling_without_etcd
it 'it goes on with the number when etcd is back' etcd_is_back
it 'it is asleep, and the kernel stops at the ceiling' owner_asleep
it 'a second owner gets the number' second_owner
it 'the first one wakes up, and makes none' owner_wakes
it 'it gets the number back' owner_again
it 'a restart begins no epoch' restarted
it 'a second kuid-claim leaves the number alone' two_at_once
it 'a stop ends the use of the number' clean_stop
it 'a number that was left is given back by hand' given_back_by_hand
it 'a clone makes none with the number' clone
it 'it claims another number' clone_claims_another
it 'owners go on while the disk of the leader is suspended' disk_suspended
it 'they go on when it is resumed' disk_resumed
it 'chaos' all_chaos
stop_all
print_trace
stop_cluster
umount "$work"/data-?
it 'no ID could come from two owners' none_repeated
it 'the kernel complains of nothing' klog_check
finish
