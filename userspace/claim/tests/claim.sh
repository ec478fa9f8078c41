#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid-claim with three members of etcd, with a server of PostgreSQL, and with an API server of
# Kubernetes, which are killed, frozen, cut off and restored; and with claimers that are killed, asleep,
# or have a wrong clock. Prints KTAP. Needs what cluster.sh, server.sh and apiserver.sh do, and must be
# given with its path.
#
# With QUICK=1 it runs fewer tests with these, for make check. Without KUBERNETES it runs none with that.
#
# Horizons are short, so that what takes minutes takes seconds. If the machine is slow, a ceiling may
# pass before it is raised: the number is kept all the same, unless somebody else waits for it.

# shellcheck source=SCRIPTDIR/cluster.sh
. "${0%/*}/cluster.sh"
# shellcheck source=SCRIPTDIR/server.sh
. "${0%/*}/server.sh"
# shellcheck source=SCRIPTDIR/apiserver.sh
. "${0%/*}/apiserver.sh"
# shellcheck source=SCRIPTDIR/chaos.sh
. "${0%/*}/chaos.sh"

tool()
{
	# shellcheck disable=SC2086 # words
	"$CHECKED_CLAIM" $store_options --endpoints "$(urls)" --space "$space" "$@"
}

# at URLS COMMAND...: with these endpoints.
at()
{
	endpoints=$1
	shift
	"$@"
	set -- $?
	endpoints=
	return "$1"
}

# claims NAME OPTION...: a claimer that gets a number.
claims()
{
	start "$@"
	eventually has_number "$1"
}

# owner NAME NUMBER SECONDS: a claimer that gets the number, with that horizon.
owner()
{
	start "$1" --number "$2" --horizon "$3"
	eventually has "$1" "$2"
}

# ------------------------------------------------------------------ many at once

all_have_numbers()
{
	for claimer in "$work"/crowd-*; do
		has_number "${claimer##*/}" || return
	done
}

# crowd OPTION...: 200 claimers at once get 200 numbers, and give them back.
crowd()
{
	program=$CLAIM
	for i in $(seq 200); do
		start "crowd-$i" "$@"
	done
	program=
	eventually all_have_numbers || return
	[ "$(book "$work"/*/out | awk '{ print $1 }' | sort -u | wc -l)" -eq 200 ] || return
	fails_when_full "$@" || return
	for i in $(seq 200); do
		signal TERM "crowd-$i"
	done
	for i in $(seq 200); do
		has_stopped "crowd-$i" || return
	done
	[ "$(cat "$work"/crowd-*/out | grep -c ^end)" -eq 200 ]
}

fails_when_full()
{
	[ "$*" = "--range 0-199" ] || return 0
	start late "$@"
	eventually says late 'all numbers from 0 to 199' && [ ! -s "$work/late/out" ]
}

# ------------------------------------------------------------------ one claimer

keeps_number()
{
	start one --range 5-5 --horizon 4
	eventually has one 5 && goes_on one
}

# The same number at once, and no ID below the end of the last time.
clean_stop()
{
	claims one --horizon 600 && stop TERM one || return
	was=$(awk '$1 == "end" { print $2, $3 }' "$work/one/out")
	claims one --horizon 600 && [ "$(awk '{ print $2, $3 }' "$work/one/out" | tail -n 1)" = "$was" ]
}

# Both have the file of a machine that was stopped cleanly: one of them gets its number.
copies_of_an_image()
{
	claims one --range 0-1 --horizon 600 && stop TERM one || return
	mkdir "$work/two" && cp "$work/one/claim" "$work/two/claim" || return
	start one --range 0-1 --horizon 600
	start two --range 0-1 --horizon 600
	eventually has_number one && eventually has_number two &&
		[ "$(number one)" != "$(number two)" ]
}

# The file is a wish: the number is free when its ceiling has passed, and not before.
killed()
{
	owner one 7 4 || return
	ceiling=$(ceiling one)
	stop KILL one
	start one --number 7 --horizon 4
	eventually more one '^claim' 1 && [ "$(tail -n 1 "$work/one/out" | awk '{ print $3 }')" -ge "$ceiling" ]
}

# Another number is free at once. The file may be that of a machine that runs on.
killed_and_others_are_free()
{
	claims one --range 0-1 --horizon 600 || return
	was=$(number one)
	stop KILL one
	start one --range 0-1 --horizon 600
	eventually has one $((1 - was))
}

# The record is of another take: a clone has claimed the number, or a backup was restored.
record_replaced()
{
	owner one 7 4 || return
	store_text 7 "$(record 0123456789abcdef0123456789abcdef $(($(date +%s) + 600)))" &&
		eventually says one 'number 7 is lost' && eventually not has_number one
}

# record TOKEN CEILING
record()
{
	printf '{"token":"%s","load_id":"0000000000000001","nonce":"%s","ceiling":%s,"renewed":1,"machine":"m"}' \
		"$1" "$(od -An -N16 -tx8 /dev/urandom | tr -d ' \n')" "$2"
}

# A clone of a virtual machine without a generation ID may go on with the number.
unseen_clones()
{
	mkdir "$work/one" && echo 'flags : fpu hypervisor' >"$work/one/cpuinfo" || return
	owner one 7 600 && stop TERM one && ! has_number one && says one 'there is no generation ID' &&
		tool --list | grep -q '^ *7 used' || return
	echo acpi:QEMUVGID:VM_GEN_COUNTER: >"$work/one/modalias"
	owner one 8 600 && stop TERM one && eventually lists 8 free
}

lists()
{
	tool --list | grep -q "^ *$1 $2"
}

# A number whose owner was killed is free when its ceiling has passed, and not before. The second owner
# can't be too late to see that number 8 is taken.
next_owner_waits()
{
	start one --number 7 --horizon 6
	start other --number 8 --horizon 600
	eventually has one 7 && eventually has other 8 || return
	stop KILL one
	stop KILL other
	ceiling=$(ceiling one)
	start two --number 7 --horizon 6
	start late --number 8 --horizon 6
	eventually says late "'s until" && eventually has two 7 && has_passed "$ceiling" && [ ! -s "$work/late/out" ] &&
		[ "$(awk '{ print $3; exit }' "$work/two/out")" -ge "$ceiling" ]
}

# A claimer is asleep until another one has its number, and longer.
asleep()
{
	owner one 7 4 && signal STOP one || return
	owner two 7 4 && goes_on two && signal CONT one &&
		eventually says one 'number 7 is lost' && eventually not has_number one && goes_on two &&
		[ "$(grep -c 'is lost' "$work/one/err")" -eq 1 ]
}

left_to_the_next_run()
{
	claims one --horizon 600 && stop HUP one && [ "$(lines one ^end)" -eq 0 ] &&
		tool --list | grep -q "^ *$(number one) used"
}

# ------------------------------------------------------------------ clocks

# clock SECONDS TEXT
clock()
{
	mkdir "$work/one" && echo "$1" >"$work/one/clock" || return
	start one --horizon 4
	eventually says one "$2" && [ ! -s "$work/one/out" ] || return
	rm "$work/one/clock"
	eventually says one 'all is well again' && has_number one
}

# An owner whose clock is set to the future does not take its ceiling there.
clock_of_owner()
{
	owner one 7 4 || return
	echo 3600 >"$work/one/clock"
	eventually says one 'seconds ahead of the store' &&
		[ "$(ceiling one)" -lt $(($(date +%s) + 60)) ] || return
	rm "$work/one/clock"
	goes_on one
}

# IDs were made before the clock was set back.
clock_set_back()
{
	mkdir "$work/one" && echo 40 >"$work/one/clock" || return
	owner one 7 600 && rm "$work/one/clock" && was=$(date +%s) && stop TERM one &&
		[ "$(awk '$1 == "end" { print $3 }' "$work/one/out")" -gt $((was + 40)) ]
}

# A member whose clock is off is not believed if another one says something else.
clock_of_member()
{
	echo 'Mon, 01 Jan 2024 00:00:00 GMT' >"$work/date-a"
	at "$(url lossy_a)" start off --horizon 4
	at "$(url lossy_a),$(url client_b)" owner one 7 4 && goes_on one &&
		eventually says off 'seconds ahead of the store' &&
		[ ! -s "$work/off/out" ] && ! says one 'ahead of'
}

# ------------------------------------------------------------------ etcd

leader_killed()
{
	lead=$(leader)
	start one --horizon 4
	start two --horizon 4
	eventually has_number one && eventually has_number two && kill_member "$lead"
	all_go_on one two && start three && eventually has_number three
}

# Frozen for longer than a horizon.
leader_frozen()
{
	lead=$(leader)
	endpoints=$(url "client_$lead"),$(urls)
	for i in 0 1 2; do
		start "one-$i" --number "$i" --horizon 6
	done
	for i in 0 1 2; do
		eventually has "one-$i" "$i" || return
	done
	signal_member STOP "$lead"
	endpoints=
	ceiling=$(ceiling one-0)
	all_go_on one-0 one-1 one-2 || return
	for i in 0 1 2; do
		start "two-$i" --number "$i" --horizon 6
	done
	eventually has_passed "$ceiling" && signal_member CONT "$lead" && all_go_on one-0 one-1 one-2 &&
		has one-0 0 && has one-1 1 && has one-2 2
}

# answered STATUS MEMBER URL: the write is done, and the answer says that it timed out or was cancelled.
answered()
{
	echo "HTTP/1.1 $1" >"$work/status-$2"
	at "$3" start one --range 0-999 --horizon 600
	eventually says one unknown && [ ! -s "$work/one/out" ] || return
	rm "$work/status-$2"
	eventually has_number one && [ "$(tool --list | wc -l)" -eq 1 ]
}

# A claimer that only knows a member that is cut off loses its number; then that is the other's.
member_cut_off()
{
	away=$(follower)
	at "$(url "client_$away")" owner one 7 4 || return
	: >"$work/cut-$away"
	start two --number 7 --horizon 4
	claims three --horizon 4 && eventually has two 7 && goes_on two || return
	rm "$work/cut-$away"
	eventually says one 'number 7 is lost' && goes_on two
}

# The leader itself is cut off; claimers find another member.
leader_cut_off()
{
	lead=$(leader)
	at "$(url "client_$lead"),$(urls)" owner one 7 4 || return
	: >"$work/cut-$lead"
	goes_on one && goes_on one && rm "$work/cut-$lead" && goes_on one
}

all_restarted()
{
	owner one 7 8 || return
	stop_cluster
	start_members
	goes_on one && has one 7
}

unreachable_at_start()
{
	stop_cluster
	start one --horizon 4
	eventually says one 'onnect to' && [ ! -s "$work/one/out" ] || return
	start_members
	eventually says one 'all is well again' && has_number one
}

# Nobody can write, and the ceiling passes; then it goes on with the same number.
away_for_a_horizon()
{
	owner one 7 4 || return
	stop_cluster
	eventually has_passed "$(($(ceiling one) + 1))"
	start_members
	goes_on one && has one 7 && [ "$(lines one ^claim)" -eq 1 ]
}

# answer_lost MEMBER URL: a write is done, but its answer is lost. It must not be done twice, nor taken
# for that of another machine, and the number it has claimed must not be forgotten.
answer_lost()
{
	: >"$work/lose-$1"
	at "$2" start one --range 0-9 --horizon 4
	eventually says one unknown && [ ! -s "$work/one/out" ] || return
	rm "$work/lose-$1"
	eventually has_number one && [ "$(tool --list | wc -l)" -eq 1 ] && goes_on one || return
	: >"$work/lose-$1"
	eventually has_passed "$(ceiling one)"
	rm "$work/lose-$1"
	goes_on one && ! says one 'is lost'
}

# The same, and the request is sent again to another member, which finds it done.
answer_lost_and_repeated()
{
	: >"$work/lose-a"
	at "$(url lossy_a),$(url client_b)" claims one --range 0-9 --horizon 4 &&
		[ "$(tool --list | wc -l)" -eq 1 ] && goes_on one
}

# raise_late MEMBER URL: nobody knows whether the ceiling was raised, so the owner does not go beyond it.
raise_late()
{
	at "$2" owner one 7 4 || return
	: >"$work/hold-$1"
	owner two 7 4 && rm "$work/hold-$1" && eventually says one 'number 7 is lost' && goes_on two
}

# late MEMBER URL: a number is given back, but that gets to the store when another one has the number.
late()
{
	at "$2" owner one 7 4 || return
	: >"$work/hold-$1"
	stop TERM one
	[ $? -eq 1 ] && says one 'giving number 7 back' || return
	owner two 7 4 && rm "$work/hold-$1" && goes_on two && goes_on two && ! says two 'is lost'
}

# ------------------------------------------------------------------ backups

# restore: all members begin with the backup.
restore()
{
	stop_cluster
	for member in $members; do
		rm -rf "$work/data-$member"
		etcdctl snapshot restore "$work/backup" --name "$member" --data-dir "$work/data-$member" \
			--initial-cluster "$(initial_cluster)" \
			--initial-advertise-peer-urls "$(url "wire_$member")" || return
		start_member "$member"
	done
	eventually cluster_works
}

backup()
{
	rm -f "$work/backup"
	etcdctl --endpoints "$(url client_a)" snapshot save "$work/backup"
}

# The store has forgotten "new", which loses its number. So does "old", which has the record of the
# backup and was asleep since, as it can't know of "new". Nobody claims a number until all owners have
# come to their ceilings.
backup_restored()
{
	owner old 1 4 && backup && signal STOP old || return
	owner new 1 20 && restore && tool --recover --horizon 20 >"$out" && signal CONT old || return
	start late --number 3 --horizon 20
	closed=$(date -d "$(sed 's/.* before \(.*\)/\1/' "$out")" +%s)
	[ "$closed" -ge $(($(date +%s) + 120)) ] && eventually says new 'number 1 is lost' &&
		eventually says old 'number 1 is lost' && eventually says late 'the store has lost what was written' &&
		eventually not has_number old && eventually not has_number new && [ ! -s "$work/late/out" ]
}

revision()
{
	etcdctl --endpoints "$(url client_b)" -w fields get "$1" | sed -n "s/^\"$2\" : //p"
}

# etcd counts on from the backup, until the record of another owner has the revision of the one that was
# read. A raise that was computed from that one must not be done.
revisions_repeat()
{
	key=/kuid/$space/rec/0000000007
	backup || return
	for i in $(seq 50); do
		etcdctl --endpoints "$(url client_b)" put /counts "$i" || return
	done
	at "$(url lossy_a)" owner one 7 16 || return
	: >"$work/hold-a"
	eventually says one unknown && signal STOP one || return
	revision=$(revision "$key" ModRevision)
	restore || return
	while [ "$(revision /counts Revision)" -lt $((revision - 1)) ]; do
		etcdctl --endpoints "$(url client_b)" put /counts again || return
	done
	store_text 7 "$(record 0123456789abcdef0123456789abcdef $(($(date +%s) + 600)))" &&
		[ "$(revision "$key" ModRevision)" -eq "$revision" ] || return
	rm "$work/hold-a"
	signal CONT one
	eventually says one 'number 7 is lost'
}

# It opens again, and IDs begin above the time at which it did.
closed_space()
{
	closed=$(($(date +%s) + 6))
	space_text '{"kind":"snowflake","epoch":1288834974657,"interval":0,"horizon":4,"closed":'$closed'}'
	start one --number 7 --horizon 4
	eventually says one 'the store has lost what was written' && [ ! -s "$work/one/out" ] &&
		eventually has one 7 && [ "$(awk '{ print $3 }' "$work/one/out" | head -n 1)" -eq $closed ]
}

# ------------------------------------------------------------------ chaos

restart()
{
	at "$chaos_urls" start "$1" --range 0-2 --horizon 4
}

etcd_event()
{
	random 2
	if [ "$drawn" -eq 0 ]; then
		member_event
	else
		toggle cut-a cut-b lose-a hold-a date-a date-b date-c
	fi
}

server_event()
{
	pick KILL STOP CONT CONT toggle
	echo "server $picked"
	case $picked in
	KILL) kill_server && start_server ;;
	STOP | CONT) signal_server "$picked" ;;
	toggle) toggle lose-server hold-server server/clock ;;
	esac
}

signal_server()
{
	# shellcheck disable=SC2046 # words
	kill "-$1" "$(cat "$server/pid")" $(pgrep -P "$(cat "$server/pid")")
}

server_whole()
{
	signal_server CONT && eventually sql -c 'SELECT 1'
}

# The server or etcd below it.
api_event()
{
	random 2
	if [ "$drawn" -eq 0 ]; then
		member_event
		return
	fi
	pick KILL STOP CONT CONT toggle
	echo "api $picked"
	case $picked in
	KILL) etcd_whole && kill_api && start_api ;;
	STOP | CONT) signal_api "$picked" ;;
	toggle) toggle cut-api lose-api hold-api date-api ;;
	esac
}

api_whole()
{
	signal_api CONT && etcd_whole && eventually api_is_ready
}

# Whether three claimers have the three numbers now.
three_own()
{
	owners=0
	for claimer in a b c d e; do
		has_number $claimer && ! has_passed "$(ceiling $claimer)" && owners=$((owners + 1))
	done
	[ $owners -eq 3 ]
}

# Also if a clock was hours ahead: horizons are 4 seconds, and clocks may differ by a minute.
no_ceiling_above()
{
	[ "$(grep -o '"ceiling":[0-9]*' "$work/history" | cut -d : -f 2 | sort -n | tail -n 1)" -le "$1" ]
}

# all_chaos STORE HISTORY: afterwards all numbers are used, and the store was written by the rules.
all_chaos()
{
	echo "CHAOS_SEED=$chaos_seed"
	for claimer in a b c d e; do
		restart $claimer
	done
	chaos "${CHAOS_ROUNDS:-60}" "$1" a b c d e && eventually three_own || return
	stop_all
	"$2" >"$work/history" && no_ceiling_above $(($(date +%s) + 64)) && book "$work"/*/out >"$work/book" &&
		"${0%/*}/../../../selftests/claim/check_trace.py" /dev/null "$work/history" "$work/book"
}

etcd_chaos()
{
	chaos_urls=$(url lossy_a),$(url lossy_b),$(url lossy_c)
	all_chaos etcd history
}

server_chaos()
{
	chaos_urls=$(server_url "$lossy_port")
	sql <<-'EOF' || return
		CREATE TABLE history (id serial, number bigint, record text);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN INSERT INTO history (number, record) VALUES (NEW.number, NEW.record); RETURN NEW; END $$;
		CREATE TRIGGER note AFTER INSERT OR UPDATE ON kuid_claim FOR EACH ROW EXECUTE FUNCTION note()
	EOF
	all_chaos server server_history
	result=$?
	sql -c 'DROP FUNCTION note CASCADE' -c 'DROP TABLE history' && return $result
}

api_chaos()
{
	chaos_urls=$(api_url "$lossy_api_port")
	all_chaos api api_history
}

server_history()
{
	sql -F ' ' -c "SELECT number, record FROM history ORDER BY id"
}

# The server stores Leases as JSON.
api_history()
{
	timeout 5 etcdctl --endpoints "$(member_urls)" watch --rev 1 -w json \
		--prefix "/registry/leases/$namespace/kuid.$space.0" | python3 -c 'import base64, json, sys
for line in sys.stdin:
    for event in json.loads(line).get("Events") or []:
        lease = json.loads(base64.b64decode(event["kv"]["value"]))["metadata"]
        print(int(lease["name"][-10:]), lease["annotations"]["kuid-claim/record"])' | grep .
}

# ------------------------------------------------------------------ users

etcd_says()
{
	etcdctl --endpoints "$(urls)" "$@"
}

with_users()
{
	echo right >"$work/right"
	echo wrong >"$work/wrong"
	etcd_says user add root:root && etcd_says user grant-role root root &&
		etcd_says role add claims && etcd_says role grant-permission claims --prefix=true readwrite /kuid/ &&
		etcd_says user add claimer:right && etcd_says user grant-role claimer claims &&
		etcd_says auth enable || return
	"$@"
	result=$?
	eventually etcd_says --user root:root auth disable && etcd_says user delete claimer &&
		etcd_says role delete claims && etcd_says user delete root || result=1
	return $result
}

credentials()
{
	start none
	start bad --user claimer --password-file "$work/wrong"
	claims good --user claimer --password-file "$work/right" --horizon 4 &&
		eventually says none 'user name is empty' &&
		eventually says bad 'authentication failed' && goes_on good &&
		[ ! -s "$work/none/out" ] && [ ! -s "$work/bad/out" ]
}

# Tokens are in the memory of members.
token_ends()
{
	at "$(url client_a)" claims one --user claimer --password-file "$work/right" --horizon 4 || return
	kill_member a
	start_member a
	goes_on one
}

# mounted FROM TO COMMAND...: claimers that it starts see the directory FROM at TO.
mounted()
{
	cat >"$work/mounted" <<-EOF
		#!/bin/sh
		exec unshare --map-root-user --mount sh -c 'mount --bind "$1" "$2" && exec "\$@"' sh "$CLAIM" "\$@"
	EOF
	chmod +x "$work/mounted" && shift 2 || return
	program=$work/mounted
	"$@"
	program=
}

# One member alone, which asks for certificates. Only the given one counts, also if the system trusts it.
tls()
{
	# shellcheck disable=SC2046 # words
	set -- $(free_ports 2)
	mkdir "$work/tls"
	etcd --name tls --data-dir "$work/tls/data" --logger zap --log-level error \
		--listen-client-urls "https://127.0.0.1:$1" --advertise-client-urls "https://127.0.0.1:$1" \
		--listen-peer-urls "http://127.0.0.1:$2" \
		--initial-advertise-peer-urls "http://127.0.0.1:$2" \
		--initial-cluster "tls=http://127.0.0.1:$2" --client-cert-auth --trusted-ca-file "$work/ca.pem" \
		--cert-file "$work/server.pem" --key-file "$work/server.key" >"$work/tls/log" 2>&1 &
	echo $! >"$claimers/tls"
	endpoints=https://127.0.0.1:$1
	start good --cacert "$work/ca.pem" --cert "$work/client.pem" --key "$work/client.key"
	mkdir "$work/certs" && cp "$work/ca.pem" "$work/certs" || return
	mounted "$work/certs" /etc/ssl/certs start untrusting --cacert "$work/client.pem" \
		--cert "$work/client.pem" --key "$work/client.key"
	start nobody --cacert "$work/ca.pem"
	endpoints=
	eventually has_number good && eventually says untrusting certificate &&
		eventually grep -q -v state: "$work/nobody/err" && [ ! -s "$work/untrusting/out" ] &&
		[ ! -s "$work/nobody/out" ]
}

# ------------------------------------------------------------------ PostgreSQL

no_table()
{
	start one --horizon 4
	eventually says one 'relation "kuid_claim" does not exist' && [ ! -s "$work/one/out" ] && make_table &&
		eventually says one 'all is well again' && has_number one
}

# The commits that the server was told to make without waiting for the disk.
server_crashes()
{
	sql -c 'ALTER SYSTEM SET synchronous_commit = off' -c 'ALTER SYSTEM SET wal_writer_delay = 10000' \
		-c 'SELECT pg_reload_conf()' || return
	claims one --range 0-999 --horizon 600 || return
	kill_server
	start_server && tool --list >"$out" && [ "$(wc -l <"$out")" -eq 1 ] || return
	sql -c 'ALTER SYSTEM RESET ALL' -c 'SELECT pg_reload_conf()'
	start two --number "$(number one)" --horizon 600
	eventually says two "'s until" && [ ! -s "$work/two/out" ]
}

server_is_away()
{
	owner one 7 8 && kill_server
	eventually says one refused && start_server && goes_on one && has one 7
}

# A standby takes no writes, and has old records.
server_is_read_only()
{
	sql -c 'ALTER DATABASE postgres SET default_transaction_read_only = on' || return
	start one
	eventually says one 'read-only' && [ ! -s "$work/one/out" ] &&
		sql -c 'SET default_transaction_read_only = off' \
			-c 'ALTER DATABASE postgres SET default_transaction_read_only = off' && eventually has_number one
}

# The server says whatever somebody wants it to say, and as much.
server_talks()
{
	sql <<-'EOF' || return
		CREATE FUNCTION talk() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION E'before\nREADY=1\033[2J%', repeat('x', 1000); END $$;
		CREATE TRIGGER talk BEFORE INSERT ON kuid_claim FOR EACH ROW EXECUTE FUNCTION talk()
	EOF
	start one
	eventually says one 'before\x0aREADY=1\x1b[2Jxxxx' && [ "$(awk '{ print length }' "$work/one/err" | sort -n |
		tail -n 1)" -lt 300 ]
	result=$?
	sql -c 'DROP FUNCTION talk CASCADE' && return $result
}

# passwords_wanted COMMAND...: does it while the server asks for passwords and certificates.
passwords_wanted()
{
	sql -c "ALTER ROLE claims PASSWORD 'right'" || return
	for one in server.pem server.key; do
		cp "$work/$one" "$server" || return
	done
	chmod 600 "$server/server.key"
	[ "$(id -u)" -ne 0 ] || chown postgres "$server"/server.*
	cp "$server/data/pg_hba.conf" "$work/hba"
	cat >"$server/data/pg_hba.conf" <<-EOF
		host all admin all trust
		hostssl all claims all scram-sha-256
	EOF
	sql -c "ALTER SYSTEM SET ssl_cert_file = '$server/server.pem'" \
		-c "ALTER SYSTEM SET ssl_key_file = '$server/server.key'" -c 'ALTER SYSTEM SET ssl = on' \
		-c 'SELECT pg_reload_conf()' && eventually server_has_tls && "$@"
	result=$?
	cat "$work/hba" >"$server/data/pg_hba.conf"
	sql -c 'ALTER SYSTEM RESET ALL' -c 'SELECT pg_reload_conf()' && return $result
}

server_has_tls()
{
	PGSSLMODE=require sql -c 'SELECT 1'
}

server_credentials()
{
	echo right >"$work/right"
	echo wrong >"$work/wrong"
	(umask 077 && echo '127.0.0.1:*:*:*:right' >"$work/passfile")
	start none
	start bad --password-file "$work/wrong" --user claims
	start untrusting --password-file "$work/right" --user claims --cacert "$work/client.pem"
	start good --password-file "$work/right" --user claims --cacert "$work/ca.pem"
	at "$store?sslmode=require&passfile=$work/passfile" start filed
	eventually has_number good && eventually has_number filed && eventually says none 'no password supplied' &&
		eventually says bad 'password authentication failed' &&
		eventually says untrusting 'certificate verify failed' &&
		[ ! -s "$work/none/out" ] && [ ! -s "$work/bad/out" ] && [ ! -s "$work/untrusting/out" ]
}

# ------------------------------------------------------------------ Kubernetes

# lease_text NUMBER RECORD
lease_text()
{
	python3 -c 'import json, sys
space, number, record = sys.argv[1:]
print(json.dumps({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
    "metadata": {"name": "kuid.%s.%010d" % (space, int(number)),
    "labels": {"kuid-claim/space": space}, "annotations": {"kuid-claim/record": record}}}))' "$space" "$1" "$2"
}

# put_leases N: the same in Kubernetes.
put_leases()
{
	python3 -c 'import json, ssl, sys, urllib.request
server, ca, space, count = sys.argv[1:]
url = "https://%s/leases" % server
headers = {"Authorization": "Bearer admin", "Content-Type": "application/json"}
for number in range(int(count)):
    record = {"token": "x", "load_id": "%016x" % 1, "nonce": "n", "ceiling": 4000000000,
              "renewed": 1, "machine": "m-%d" % number}
    lease = {"metadata": {"name": "kuid.%s.%010d" % (space, number), "labels": {"kuid-claim/space": space},
                          "annotations": {"kuid-claim/record": json.dumps(record)}}}
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(lease).encode(), headers),
                           context=ssl.create_default_context(cafile=ca))' \
		"127.0.0.1:$api_port/apis/coordination.k8s.io/v1/namespaces/$namespace" "$work/ca.pem" "$space" "$1"
}

# What the manifest allows in its namespace, and nothing anywhere else.
role_is_small()
{
	as_account="--token=$(cat "$work/token")"
	kubectl "$as_account" auth can-i --list --no-headers >"$out" && [ "$(grep -v selfsubject "$out" |
		grep -v '^ ' | tr -s ' ')" = 'leases.coordination.k8s.io [] [] [get list create update]' ] || return
	for other in default kube-system; do
		! kubectl "$as_account" get lease --namespace $other 2>"$err" && grep -q Forbidden "$err" || return
	done
	for verb in delete patch; do
		! kubectl "$as_account" auth can-i $verb lease || return
	done
}

# It takes one request at a time, and answers others with 429.
too_many_requests()
{
	kill_api && start_api --enable-priority-and-fairness=false --max-mutating-requests-inflight 1 || return
	program=$CLAIM
	for i in $(seq 40); do
		start "crowd-$i" --range 0-39 --horizon 4
	done
	program=
	eventually all_have_numbers && eventually grep -q 'status 429' "$work"/crowd-*/err
	result=$?
	stop_all
	kill_api && start_api && return $result
}

# Without all that the server needs.
api_is_away()
{
	owner one 7 8 && kill_api
	eventually says one onnect && start_api && goes_on one && has one 7 && ! says one 'is lost'
}

# The server waits for them, and gives up.
etcd_of_api_is_frozen()
{
	owner one 7 8 || return
	for member in $members; do
		signal_member STOP "$member"
	done
	eventually says one 'imed out' && eventually has_passed "$(ceiling one)"
	for member in $members; do
		signal_member CONT "$member"
	done
	goes_on one && has one 7
}

api_is_frozen()
{
	owner one 7 6 && signal_api STOP || return
	eventually has_passed "$(ceiling one)"
	start two --number 7 --horizon 6
	eventually says two 'imed out' && [ ! -s "$work/two/out" ]
	signal_api CONT && eventually has_either_7
}

has_either_7()
{
	has one 7 || has two 7
}

# kubectl only marks it.
lease_deleted()
{
	owner one 7 4 && kubectl delete lease "kuid.$space.0000000007" --wait=false && goes_on one && has one 7 &&
		kubectl get lease "kuid.$space.0000000007" -o yaml | grep -q deletionTimestamp
}

# Removed as the guide says, but while the number has an owner. A raise that comes late must not make the
# Lease anew.
lease_gone()
{
	at "$(api_url "$lossy_api_port")" owner one 7 4 || return
	: >"$work/hold-api"
	eventually says one unknown && signal STOP one || return
	kubectl delete lease -l "kuid-claim/space=$space" --wait=false
	kubectl get lease -l "kuid-claim/space=$space" -o name |
		xargs -n 1 kubectl patch -p '{"metadata":{"finalizers":null}}' || return
	rm "$work/hold-api"
	sleep 2
	[ ! "$(kubectl get lease -l "kuid-claim/space=$space" -o name)" ] && signal CONT one &&
		eventually says one 'number 7 is lost' || return
	# The former ceiling is lost, so the number begins anew.
	stop KILL one
	rm "$work/one/out"
}

# The files of its account are where a pod has them.
in_a_pod()
{
	account=$work/run/secrets/kubernetes.io/serviceaccount
	mkdir -p "$account" && cp "$work/ca.pem" "$account/ca.crt" && cp "$work/token" "$account" &&
		printf %s "$namespace" >"$account/namespace" || return
	export KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="$api_port"
	given=$store_options store_options='' endpoints=kubernetes://
	mounted "$work/run" /var/run start one
	store_options=$given endpoints=
	unset KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
	eventually has_number one
}

# A token is replaced while it runs.
api_refuses()
{
	echo wrong >"$work/wrong"
	kubectl create serviceaccount other && account_token other >"$work/other" || return
	start one --password-file "$work/wrong"
	start two --cacert "$work/client.pem"
	start three --password-file "$work/other"
	eventually says one Unauthorized && eventually says two certificate && eventually says three 'cannot get resource' &&
		[ ! -s "$work/one/out" ] && [ ! -s "$work/two/out" ] && [ ! -s "$work/three/out" ] || return
	cp "$work/token" "$work/wrong"
	eventually has_number one
}

# ------------------------------------------------------------------ what is in the store

spaces_differ()
{
	claims one --snowflake-epoch 1420070400000 || return
	start two
	start three --as worker
	eventually says two 'has the snowflake epoch 1420070400000' &&
		eventually says three 'are for "snowflake"' && [ ! -s "$work/two/out" ] && [ ! -s "$work/three/out" ] &&
		[ "$(tool --list | wc -l)" -eq 1 ]
}

# The text of the space has been written when the number was taken, and before it was used.
space_is_written()
{
	claims one --as both && etcdctl --endpoints "$(urls)" get --print-value-only "/kuid/$space/meta" >"$out" &&
		[ "$(cat "$out")" = '{"kind":"both","epoch":1288834974657,"interval":0,"horizon":600,"closed":0}' ]
}

space_text()
{
	etcdctl --endpoints "$(urls)" put "/kuid/$space/meta" "$1"
}

# store_text NUMBER TEXT
store_text()
{
	if [ "$store_options" ]; then
		lease_text "$1" "$2" | kubectl create -f -
	elif [ "$store" ]; then
		sql -v text="$2" <<-EOF
			INSERT INTO kuid_claim VALUES ('$space', $1, :'text')
			ON CONFLICT (space, number) DO UPDATE SET record = excluded.record
		EOF
	else
		etcdctl --endpoints "$(urls)" put "/kuid/$space/rec/$(printf %010d "$1")" "$2"
	fi
}

# Numbers whose records can't be read are left alone.
foreign_records()
{
	store_text 1 junk && store_text 2 '{"token": "x"}' && store_text 3 '' &&
		store_text 5 "$(record x 9223372036854775807)" || return
	start one --range 1-5
	start two --number 2
	eventually has one 4 && eventually says two 'number 2 has something else in the store' &&
		[ "$(tool --list | grep -c unreadable)" -eq 4 ]
}

foreign_space()
{
	space_text junk
	start one
	eventually says one 'the store has something else than kuid-claim writes' &&
		[ ! -s "$work/one/out" ] && stop TERM one
}

# put_records N: in etcd, for the numbers below N.
put_records()
{
	python3 -c 'import base64, json, sys, urllib.request
url, space, count = sys.argv[1:]
def bytes(text):
    return base64.b64encode(text.encode()).decode()
for number in range(int(count)):
    record = {"token": "x", "load_id": "%016x" % 1, "nonce": "n", "ceiling": 4000000000,
              "renewed": 1, "machine": "m-%d" % number}
    put = {"key": bytes("/kuid/%s/rec/%010d" % (space, number)), "value": bytes(json.dumps(record))}
    urllib.request.urlopen(url + "/v3/kv/put", json.dumps(put).encode())' "$(url client_a)" "$space" "$1"
}

# Numbers that snowflake can't have are in the list, and may be asked for.
list_of_large_numbers()
{
	start one --as worker --number 4294967295 --horizon 60
	eventually has one 4294967295 && tool --list | grep -q '^4294967295 used' &&
		tool --list --range 1024-4294967295 | grep -q '^4294967295 used' &&
		! tool --list --range 0-4294967294 | grep used
}

# put_rows N: the same in PostgreSQL.
put_rows()
{
	sql -c "INSERT INTO kuid_claim SELECT '$space', number, format('{\"token\": \"x\",
		\"load_id\": \"0000000000000001\", \"nonce\": \"n\", \"ceiling\": 4000000000, \"renewed\": 1,
		\"machine\": \"m-%s\"}', number) FROM generate_series(0, $1 - 1) number"
}

# Keys that kuid-claim doesn't write hide those behind them.
foreign_keys()
{
	for i in $(seq 256); do
		etcdctl --endpoints "$(urls)" put "/kuid/$space/rec/0000000000x$i" junk || return
	done
	fails 1 'etcd has other keys than kuid-claim writes' -e "$(urls)" -s "$space" -l
}

# long_list COMMAND: the list is longer than what is read at once.
long_list()
{
	"$1" 300 || return
	tool --list >"$out" && [ "$(wc -l <"$out")" -eq 300 ] && [ "$(sed -n '$p' "$out")" = \
		'       299 used 2096-10-02T07:06:40Z m-299' ] &&
		[ "$(tool --list --range 290-400 | wc -l)" -eq 10 ] || return
	start one --range 0-300
	eventually has one 300
}

# ------------------------------------------------------------------ files and messages

only_one_at_a_time()
{
	claims one || return
	SHIM=$work/one "$CHECKED_CLAIM" --print --endpoints "$(urls)" --state "$work/one/claim" 2>"$err"
	[ $? -eq 1 ] && grep -q 'another kuid-claim uses' "$err"
}

# Its number is no wish for this space.
file_of_another_space()
{
	claims one --horizon 600 --range 0-100 && stop TERM one || return
	start one --space other --number 1000
	eventually has one 1000
}

junk_file()
{
	mkdir "$work/one" && echo '{"kuid_claim": 1}' >"$work/one/claim" || return
	claims one && says one 'is not what kuid-claim writes'
}

metrics()
{
	umask 077
	start one --number 7 --horizon 4 --metrics "$work/metrics"
	umask 022
	eventually has one 7 && goes_on one || return
	[ "$(stat -c %a "$work/metrics")" -eq 644 ] && cat "$work/metrics" >"$out" || return
	for line in "used{space=\"$space\"} 1" "number{space=\"$space\"} 7" \
		"ceiling_left_seconds{space=\"$space\"} [1-4]" \
		"raise_age_seconds{space=\"$space\"} [0-9]" "failures_total{space=\"$space\"} [0-9]"; do
		grep -q "^kuid_claim_$line\$" "$out" || return
	done
	stop TERM one && [ ! -e "$work/metrics" ]
}

notifies()
{
	python3 -c 'import os, socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
while True:
    text = listener.recv(4096).decode()
    print(text, flush=True)
    if "STOPPING=1" in text: break' "$work/notify" >"$work/notified" &
	listener=$!
	eventually [ -e "$work/notify" ] || return
	export NOTIFY_SOCKET="$work/notify"
	start one --number 7 --horizon 4
	unset NOTIFY_SOCKET
	eventually has one 7 && eventually grep -q READY=1 "$work/notified" &&
		eventually grep -q 'STATUS=Number 7' "$work/notified" &&
		grep -q WATCHDOG=1 "$work/notified" && stop TERM one && wait $listener
}

# If the file is trusted, it must know of the end before the store does.
no_room_to_give_back()
{
	start one --number 7 --horizon 600 --trust-disk
	eventually has one 7 || return
	rm "$work/one/claim" && mkdir "$work/one/claim" || return
	stop TERM one
	[ $? -eq 1 ] && says one 'giving number 7 back' && tool --list | grep -q '^ *7 used'
}

run()
{
	"$CHECKED_CLAIM" "$@"
}

has_help()
{
	run --help | grep -q 'Usage: kuid-claim'
}

# The manual page has the options of the help, and no others.
manual()
{
	page=${0%/*}/../../../Documentation/man/kuid-claim.8
	run --help | grep -oE -- ' --[a-z-]+' | sort -u >"$work/options"
	sed -n '/^\.Sh OPTIONS/,/^\.Sh AFTER/p' "$page" | grep '^\.It Fl' | grep -oE -- 'Fl -[a-z-]+' |
		sed 's/Fl -/ --/' | sort -u | diff "$work/options" - && [ -s "$work/options" ]
}

refuses_password()
{
	fails 1 'a URL with a password is refused' -e "$1" -l && ! grep secret "$err"
}

in_full()
{
	[ "${QUICK:-}" ] || with_cluster "$@"
}

# any_store NAME MEMBER URL PUT: what holds for each store; claimers get to MEMBER of it at URL by way of
# the network, and PUT writes many records.
any_store()
{
	with_cluster "a number is kept, $1" keeps_number
	with_cluster "the same number after a clean stop, $1" clean_stop
	with_cluster "the next owner of a number waits, $1" next_owner_waits
	in_full "200 claimers on 200 numbers, $1" crowd --range 0-199
	in_full "asleep past everything, $1" asleep
	in_full "a write whose answer is lost, $1" answer_lost "$2" "$3"
	in_full "a write that comes late, $1" late "$2" "$3"
	in_full "a raise that comes late, $1" raise_late "$2" "$3"
	in_full "records that are not of kuid-claim, $1" foreign_records
	in_full "a list of several pages, $1" long_list "$4"
}

kubernetes()
{
	it 'an API server of Kubernetes' make_api
	store=$(api_url) lossy=$(api_url "$lossy_api_port")
	store_options="--cacert $work/ca.pem --password-file $work/token"
	any_store Kubernetes api "$lossy" put_leases
	with_cluster 'the manifest allows what is needed, and no more' role_is_small
	for status in '408 Request Timeout' '499 Client Closed Request' '500 Internal Server Error' \
		'504 Gateway Timeout'; do
		with_cluster "status $status of Kubernetes" answered "$status" api "$lossy"
	done
	with_cluster 'the API server is killed' api_is_away
	with_cluster 'the API server is frozen' api_is_frozen
	with_cluster 'etcd below it is frozen' etcd_of_api_is_frozen
	with_cluster 'chaos, Kubernetes' api_chaos
	with_cluster 'too many requests' too_many_requests
	with_cluster 'a Lease is deleted' lease_deleted
	with_cluster 'a Lease is gone' lease_gone
	with_cluster 'a pod' in_a_pod
	with_cluster 'a wrong token, another certificate, another account' api_refuses
}

set_ports
export SHIM="$work"
it 'has a help' has_help
it 'is described by its manual page' manual
it 'tells its version' prints "kuid-claim $KUID_VERSION" -V
it 'no store that there is not' fails 1 'is not a store' -e ftp://127.0.0.1 -l
for url in http://u:secret@127.0.0.1 postgresql://u:secret@127.0.0.1 'postgresql://127.0.0.1/?password=secret' \
	'postgresql://127.0.0.1/?ssl%70assword=secret' u:secret@127.0.0.1; do
	it "no password in a URL, as in $url" refuses_password "$url"
done
it 'no URL that PostgreSQL does not know' fails 1 'invalid URI query parameter: "x"' -e 'postgresql://a/?x=y' -l
it 'no user in a URL of etcd' fails 1 'is not an endpoint' -e http://u@127.0.0.1 -l
it 'no empty endpoint' fails 1 'is not an endpoint' -e http://127.0.0.1:1,, -l
it 'no endpoint without a host' fails 1 'is not an endpoint' -e http:// -l
it 'no space with a slash' fails 1 'is not the name of a space' -s a/b -l
it 'no space without a name' fails 2 'needs an argument that is not empty' -s '' -l
for range in 5 5- -5 6-5 0-1024x 0-4294967296 a-b ' 1-2' 1--2 99999999999999999999-1; do
	it "no range $range" fails 2 'is not a range' "--range=$range" --as worker -l
done
it 'no number above a range' fails 2 'snowflake has numbers up to 1023' --number 1024 -p --state "$work/none/claim"
it 'no number that k96 can not show' fails 2 'is not a number' --number 4294967296 --as worker -l
it 'not both a range and a number' fails 2 'only one of --range and --number' -n 1 -r 1-2 -l
it 'no other part' fails 2 'is not what a number is for' --as k64 -l
it 'no horizon that is too short' fails 2 'is not a horizon' --horizon 3 -l
it 'no argument' fails 2 'unexpected argument "x"' -l x
it 'not two things at once' fails 2 'only one of --list' -l --recover
it 'no user of etcd without a password' fails 1 'go together' -u x -l
it 'no user of Kubernetes' fails 1 'has no --user' -e kubernetes://h/ids -u x -l
it 'no namespace of capitals' fails 1 'is not a namespace' -e kubernetes://h/IDS -l
it 'no pod' fails 1 'is no pod' -e kubernetes:// -l
it 'no namespace' fails 1 'name the namespace' -e kubernetes://h -l
it 'no certificate without a key' fails 2 'go together' --cert x -l
it 'a password file that is not there' fails 1 'No such file' -u x --password-file "$work/none" -l
it 'no directory for the file' fails 1 'No such file' -p --state "$work/none/claim"
for scheme in http postgresql; do
	it "a list without a store, $scheme" fails 75 onnect -e "$scheme://127.0.0.1:$(free_ports 1)" -l
done

it 'certificates' make_certificates
start_network "client:$lossy_port:server:$server_port" "tls:$lossy_api_port:api:$api_port"
it 'three members of etcd' start_cluster
any_store etcd a "$(url lossy_a)" put_records
in_full '200 claimers on 1,024 numbers' crowd --range 0-1023
with_cluster 'two machines with one image' copies_of_an_image
in_full 'killed, with its number' killed
with_cluster 'killed, with a range of numbers' killed_and_others_are_free
with_cluster 'the record is of another claim' record_replaced
in_full 'a virtual machine that can be cloned' unseen_clones
in_full 'left to the next run' left_to_the_next_run
in_full 'a clock that is an hour ahead' clock 3600 'seconds ahead of the store'
in_full 'a clock that is an hour behind' clock -3600 'seconds behind the store'
in_full 'the clock of an owner is set an hour ahead' clock_of_owner
in_full 'the clock of an owner is set back' clock_set_back
in_full 'the clock of a member is off' clock_of_member
with_cluster 'the leader is killed' leader_killed
in_full 'the leader is frozen and thaws' leader_frozen
in_full 'a member is cut off' member_cut_off
in_full 'the leader is cut off' leader_cut_off
in_full 'all members are restarted' all_restarted
with_cluster 'etcd is not there yet' unreachable_at_start
in_full 'etcd is away until the ceiling has passed' away_for_a_horizon
in_full 'a transaction whose answer is lost, sent again' answer_lost_and_repeated
in_full 'status 408' answered '408 Request Timeout' a "$(url lossy_a)"
in_full 'status 499' answered '499 Client Closed Request' a "$(url lossy_a)"
in_full 'a backup is restored' backup_restored
in_full 'revisions repeat after a backup was restored' revisions_repeat
in_full 'a space that is closed' closed_space
in_full 'chaos' etcd_chaos
with_cluster 'right and wrong credentials' with_users credentials
in_full 'a token ends' with_users token_ends
in_full 'TLS' tls
with_cluster 'another epoch of snowflake, and another kind' spaces_differ
in_full 'the record of the space' space_is_written
in_full 'a space that is not of kuid-claim' foreign_space
in_full 'a list of large numbers' list_of_large_numbers
in_full 'a list of keys of something else' foreign_keys
with_cluster 'one process for a file' only_one_at_a_time
in_full 'a file of another space' file_of_another_space
in_full 'a file of something else' junk_file
in_full 'metrics' metrics
in_full 'states for systemd' notifies
in_full 'the file can not be written at the end' no_room_to_give_back

it 'a server of PostgreSQL' make_server
store=$(server_url)
with_cluster 'no table' no_table
any_store PostgreSQL server "$(server_url "$lossy_port")" put_rows
in_full 'the server is away' server_is_away
with_cluster 'the server crashes' server_crashes
with_cluster 'the server is read-only' server_is_read_only
with_cluster 'the server says something odd' server_talks
in_full 'chaos, PostgreSQL' server_chaos
in_full 'passwords and certificates of PostgreSQL' passwords_wanted server_credentials

[ -z "${KUBERNETES:-}" ] || kubernetes
finish
