# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared by the tests of kuid-claim, which source this: three members of etcd on loopback and what
# can happen to them; claimers, and a book of all that they have printed. Needs etcd, etcdctl,
# python3, and these from the environment: CLAIM, the program, CHECKED_CLAIM, the same with
# sanitizers, and SHIM_LIB, the library to preload. Must be given with its path.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. "${0%/*}/../../tests/tap.sh"
export ETCDCTL_API=3

members='a b c'
# Processes to be ended: claimers by their name in $work/claimers, members and the network.
claimers=$work/claimers
mkdir "$claimers"
network=
store=
store_options=

# free_ports N: that nobody listens on now.
free_ports()
{
	python3 -c 'import socket, sys
sockets = [socket.socket() for i in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])' "$1"
}

# Each member has a port for clients, one for clients by way of the network, and two for its peers.
set_ports()
{
	# shellcheck disable=SC2046 # words
	set -- $(free_ports 12)
	for member in $members; do
		eval "client_$member=$1 lossy_$member=$2 peer_$member=$3 wire_$member=$4"
		shift 4
	done
}

port()
{
	eval "echo \"\$$1\""
}

url()
{
	echo "http://127.0.0.1:$(port "$1")"
}

member_urls()
{
	for member in $members; do
		url "client_$member"
	done | paste -sd,
}

# The store for claimers: all members, or $store.
urls()
{
	echo "${store:-$(member_urls)}"
}

# start_network [ROW...]: with other rows of network.py.
start_network()
{
	# shellcheck disable=SC2046 # words
	python3 "${0%/*}/network.py" "$work" $(for member in $members; do
		echo "peer:$(port "wire_$member"):$member:$(port "peer_$member")"
		echo "client:$(port "lossy_$member"):$member:$(port "client_$member")"
	done) "$@" 2>"$work/network.log" &
	network=$!
	eventually [ -e "$work/network" ]
}

# start_member NAME [OPTION...]
start_member()
{
	member=$1
	shift
	etcd --name "$member" --data-dir "$work/data-$member" --logger zap --log-level error \
		--listen-client-urls "$(url "client_$member")" \
		--advertise-client-urls "$(url "client_$member")" \
		--listen-peer-urls "$(url "peer_$member")" \
		--initial-advertise-peer-urls "$(url "wire_$member")" \
		--initial-cluster "$(initial_cluster)" "$@" >>"$work/$member.log" 2>&1 &
	echo $! >"$work/pid-$member"
}

initial_cluster()
{
	for one in $members; do
		echo "$one=$(url "wire_$one")"
	done | paste -sd,
}

signal_member()
{
	kill "-$1" "$(cat "$work/pid-$2")"
}

kill_member()
{
	signal_member KILL "$1" && wait "$(cat "$work/pid-$1")"
	rm -f "$work/pid-$1"
}

# Whether the cluster takes a write.
cluster_works()
{
	etcdctl --endpoints "$(member_urls)" put /works yes >/dev/null 2>&1
}

start_members()
{
	for member in $members; do
		start_member "$member"
	done
}

start_cluster()
{
	start_members
	eventually cluster_works
}

etcd_whole()
{
	for member in $members; do
		if [ ! -e "$work/pid-$member" ]; then
			start_member "$member"
		else
			signal_member CONT "$member"
		fi
	done
	eventually cluster_works
}

stop_cluster()
{
	for member in $members; do
		[ ! -e "$work/pid-$member" ] || kill_member "$member" 2>/dev/null
	done
}

# All that it was told to write for numbers of the space: NUMBER RECORD.
history()
{
	timeout 5 etcdctl --endpoints "$(member_urls)" watch --rev 1 --prefix "/kuid/$space/rec/" | paste - - - |
		awk '{ sub(".*/0*", "", $2); print $2 + 0, $3 }'
}

# The name of the member that leads; fails if there is none.
leader()
{
	for member in $members; do
		etcdctl --endpoints "$(url "client_$member")" endpoint status -w fields 2>/dev/null |
			awk -v member="$member" -F ' : ' '{ field[$1] = $2 } END {
				if (field["\"MemberID\""] == field["\"Leader\""] && field["\"Leader\""]) print member }'
	done | grep .
}

# A member that doesn't lead.
follower()
{
	lead=$(leader) || return
	echo "$members" | tr ' ' '\n' | grep -v "$lead" | head -n 1
}

# The second address is that of this machine for those that it emulates.
make_certificates()
{
	(
		cd "$work" && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca \
			-keyout ca.key -out ca.pem &&
			printf 'subjectAltName=IP:127.0.0.1,IP:10.0.2.2\n' >names &&
			for one in server client; do
				openssl req -newkey rsa:2048 -nodes -subj /CN=$one -keyout $one.key -out $one.csr &&
					openssl x509 -req -days 2 -in $one.csr -CA ca.pem -CAkey ca.key \
						-CAcreateserial -extfile names -out $one.pem || exit
			done
	)
}

# start NAME [OPTION...]: a claimer, with its directory $work/NAME.
start()
{
	name=$1
	shift
	mkdir -p "$work/$name"
	[ -e "$work/$name/cpuinfo" ] || echo 'flags : fpu' >"$work/$name/cpuinfo"
	# shellcheck disable=SC2086 # words
	SHIM=$work/$name LD_PRELOAD=$SHIM_LIB "${program:-$CHECKED_CLAIM}" --print $store_options \
		--endpoints "${endpoints:-$(urls)}" --space "$space" --state "$work/$name/claim" "$@" \
		>>"$work/$name/out" 2>>"$work/$name/err" </dev/null &
	echo $! >"$claimers/$name"
}

signal()
{
	kill "-$1" "$(cat "$claimers/$2")"
}

# stop SIGNAL NAME: ends it, and fails if it fails.
stop()
{
	pid=$(cat "$claimers/$2")
	rm "$claimers/$2"
	ends "$1" "$pid"
}

# Waits for one that was told to end.
has_stopped()
{
	pid=$(cat "$claimers/$1")
	rm "$claimers/$1"
	eventually has_ended "$pid" && wait "$pid"
}

# Ends all of them, also those that are asleep.
stop_all()
{
	for claimer in "$claimers"/*; do
		[ -e "$claimer" ] || continue
		kill -KILL "$(cat "$claimer")"
		wait "$(cat "$claimer")" 2>/dev/null
		rm "$claimer"
	done
}

# The number that a claimer has now.
number()
{
	awk '{ number = $1 == "end" ? "" : $2 } END { print number }' "$work/$1/out"
}

has_number()
{
	[ "$(number "$1")" ]
}

# has NAME NUMBER
has()
{
	[ "$(number "$1")" = "$2" ]
}

# lines NAME PATTERN: how often a claimer has printed it.
lines()
{
	grep -c "$2" "$work/$1/out"
}

# more NAME PATTERN COUNT: it has printed it more often than that.
more()
{
	[ "$(lines "$1" "$2")" -gt "$3" ]
}

# says NAME TEXT
says()
{
	grep -qF -- "$2" "$work/$1/err"
}

# goes_on NAME: it raises its ceiling again, twice, since the first may have been under way.
goes_on()
{
	all_go_on "$1"
}

# The same for several at once.
all_go_on()
{
	for name; do
		lines "$name" ^raise >"$work/$name/raises"
	done
	for name; do
		eventually more "$name" ^raise $(($(cat "$work/$name/raises") + 1)) || return
	done
}

# The second at which a claimer's last ceiling passes.
ceiling()
{
	awk '$1 != "end" { ceiling = $NF } END { print ceiling }' "$work/$1/out"
}

has_passed()
{
	[ "$(date +%s)" -ge "$1" ]
}

# All times for which claimers had a number: NUMBER FROM TO CLAIMER.
book()
{
	awk '
		function end() { if (number != "") print number, from, to, name; number = "" }
		FNR == 1 || $1 == "claim" { end() }
		{ name = FILENAME; to = $NF }
		$1 == "claim" { number = $2; from = $3 }
		$1 == "end" { end() }
		END { end() }' "$@" | sort -n -k 1,1 -k 2,2 -k 3,3
}

# No time of a number was given out twice, to whomever.
none_shared()
{
	book "$work"/*/out | awk '
		$1 == number && $2 < to { print "shared: " last " and " $0; bad = 1 }
		$1 != number || $3 > to { to = $3; last = $0 }
		{ number = $1 }
		END { exit bad }'
}

begin_test()
{
	space=test-$nr
	: >"$out"
	: >"$err"
}

explain()
{
	tail -n 20 "$work/said"
	for claimer in "$work"/*/err; do
		tail -n 5 "$claimer" | sed "s|^|$claimer: |"
	done
	cat "$work"/*/out | tail -n 40
	tail -n 5 "$work/network.log"
}

# Every test begins without claimers, and with the cluster whole. The book is checked for each.
after_each()
{
	"$@"
	result=$?
	rm -f "$work"/cut-* "$work"/lose-* "$work"/hold-* "$work"/date-* "$work"/status-* "$work"/answer-*
	stop_all
	etcd_whole || result=1
	if ls "$work"/*/out >/dev/null 2>&1; then
		none_shared || result=1
		! grep 'AddressSanitizer\|runtime error' "$work"/*/err || result=1
	fi
	return $result
}

# with_cluster WHAT COMMAND...
with_cluster()
{
	what=$1
	shift
	it "$what" after_each "$@"
	# explain() has read the claimers' directories.
	for claimer in "$work"/*/out; do
		[ ! -e "$claimer" ] || rm -rf "${claimer%/out}"
	done
}

end_all()
{
	stop_all
	for member in $members; do
		[ ! -e "$work/pid-$member" ] || signal_member CONT "$member"
	done
	stop_cluster
	[ -z "$network" ] || kill "$network"
	rm -rf "$work"
}
trap end_all EXIT
trap 'exit 1' INT TERM
