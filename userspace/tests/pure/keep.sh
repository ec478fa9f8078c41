#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid keep with a device that is not there: when it saves, what it tells of failures and to the
# service manager, and how it ends. Prints KTAP. Needs what fake_device.sh does and perl, and must
# be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"
dir=$FAKE/dir
file=$dir/state

sec=000000000
# 2026-11-20T08:15:00Z
now=1795162500
keeper=
listener=

# A machine whose state was restored.
begin_test()
{
	rm -rf "$dir" "$FAKE/notified"
	mkdir "$dir"
	echo 4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4 >"$FAKE/machine-id"
	cat >"$FAKE/device" <<-DEVICE
		restored 1
		wall_ns $now$sec
		slot_ns $now$sec
		epoch 1
		node_from 2
		worker_from 4
	DEVICE
	: >"$FAKE/log"
	: >"$out"
	: >"$err"
}

field()
{
	sed -n "s/^$1 //p" "$FAKE/device"
}

set_field()
{
	sed -i "s/^$1 .*/$1 $2/" "$FAKE/device"
}

# A keep that should be refused would run on.
run()
{
	LD_PRELOAD=$FAKE_DEVICE timeout 100 kuid "$@"
}

# It is started in the background, so $keeper is the tool itself.
start()
{
	LD_PRELOAD=$FAKE_DEVICE kuid keep "$@" >"$out" 2>"$err" </dev/null &
	keeper=$!
}

# Whatever the command does, nothing is left running; an exit status of STATUS: STATUS COMMAND...
ends_with()
{
	want=$1
	shift
	"$@"
	result=$?
	ends TERM "$keeper"
	[ $? -eq "$want" ] && [ ! -s "$out" ] && [ $result -eq 0 ]
}

# The clock of the device may be written back by a call that has read it before: set it until it is
# followed.
follows()
{
	set_field wall_ns "$1$sec"
	sleep 0.1
	[ "$(field ceiling_ns)" = "$2$sec" ] && grep -q "\"ceiling_ns\": $2$sec" "$file"
}

says_lines()
{
	[ "$(grep -cF -- "$2" "$err")" -eq "$1" ]
}

has_saved()
{
	[ -e "$file" ] && [ "$(field ceiling_ns)" -gt 0 ]
}

saves_again_and_again()
{
	start --ahead 60 --every 1 "$file"
	eventually follows $now $((now + 60)) && eventually follows $((now + 5)) $((now + 65)) &&
		eventually follows $((now + 10)) $((now + 70)) && [ ! -s "$err" ]
}

# Not before the time that was asked for.
waits_for_its_time()
{
	start --ahead 86400 --every 43200 "$file"
	eventually has_saved && sleep 5 && [ "$(grep -c '^acknowledge' "$FAKE/log")" -eq 1 ]
}

# FAILURE REPAIR TEXT: it is told once, tried again soon, and its end is told once.
goes_on_after()
{
	failure=$1 repair=$2 text=$3
	$failure
	start --ahead 86400 --every 43200 "$file"
	eventually says_lines 1 "not saving: " && says_lines 1 "$text" && sleep 5 &&
		says_lines 1 "not saving: " && says_lines 0 'saving again' || return
	$repair
	eventually says_lines 1 'saving again' && has_saved && sleep 3 &&
		says_lines 1 'saving again' && [ "$(wc -l <"$err")" -eq 2 ]
}

# The machine's ID is no reason to end.
saves_without_id()
{
	start --ahead 60 --every 1 "$file"
	eventually has_saved && echo "no id" >"$FAKE/machine-id" &&
		eventually follows $((now + 5)) $((now + 65)) &&
		eventually follows $((now + 10)) $((now + 70)) &&
		says_lines 1 'machine-id: not 32 hexadecimal digits'
}

# Another reason is told, too.
tells_each_reason()
{
	obstruct
	start --ahead 60 --every 1 "$file"
	eventually says_lines 1 'Is a directory' && mv "$dir" "$dir.away" &&
		eventually says_lines 1 "there is no directory $dir" && mv "$dir.away" "$dir" &&
		clear_away && eventually says_lines 1 'saving again' && has_saved
}

obstruct() { mkdir "$file.new"; }
clear_away() { rmdir "$file.new"; }
lose_directory() { rmdir "$dir"; }
bring_directory() { mkdir "$dir"; }
lose_state() { set_field restored 0; }
restore() { run restore --fresh "$file"; }

no_device()
{
	export FAKE_OPEN=2
	start --every 1 "$file"
	unset FAKE_OPEN
	eventually says_lines 1 'not saving: there is no /dev/kuid' && [ ! -e "$file" ]
}

# The second of two ends; the first goes on, and another one can follow it.
only_one()
{
	start --every 1 --ahead 60 "$file"
	eventually has_saved && first=$keeper || return
	run keep "$file" >"$out" 2>"$FAKE/second"
	[ $? -eq 1 ] && grep -qF "another \"kuid keep\" keeps $file" "$FAKE/second" &&
		eventually follows $((now + 5)) $((now + 65)) && run save "$file" &&
		kill -KILL "$first" || return
	wait "$first"
	start --every 1 --ahead 60 "$file"
	eventually follows $((now + 10)) $((now + 70)) && [ ! -s "$err" ]
}

# Ends without a message, and with the margin.
ends_by()
{
	start "$file"
	eventually has_saved && cp "$file" "$FAKE/before" && ends "$1" "$keeper" &&
		cmp -s "$file" "$FAKE/before" && [ "$(field ceiling_ns)" = $((now + 60))$sec ] &&
		[ ! -s "$err" ]
}

# A signal that comes while a failure is retried.
ends_while_failing()
{
	obstruct
	start "$file"
	eventually says_lines 1 'not saving: ' && ends TERM "$keeper"
}

# --- systemd

# A socket of this name writes what it gets into a file, a message a line.
listen()
{
	perl -MSocket -e '
		my ($name, $file) = @ARGV;
		$name =~ s/^@/\0/;
		socket(SOCKET, PF_UNIX, SOCK_DGRAM, 0) && bind(SOCKET, sockaddr_un($name)) or die $!;
		open(STDOUT, ">", $file) or die $!;
		$| = 1;
		print "# listening\n";
		print "$message\n" while defined recv(SOCKET, $message, 4096, 0);' \
		"$1" "$FAKE/notified" &
	listener=$!
	eventually grep -q listening "$FAKE/notified" 2>/dev/null
}

has_notified()
{
	grep -qF -- "$1" "$FAKE/notified"
}

# SOCKET
notifies()
{
	rm -f "$FAKE/socket"
	listen "$1" || return
	obstruct
	export NOTIFY_SOCKET="$1"
	start --every 1 "$file"
	unset NOTIFY_SOCKET
	eventually has_notified 'READY=1' &&
		has_notified 'STATUS=Not saving: ' && clear_away &&
		eventually has_notified 'STATUS=Saving' && ends TERM "$keeper" &&
		eventually has_notified 'STOPPING=1' && [ "$(grep -c READY "$FAKE/notified")" -eq 1 ] &&
		says_lines 0 NOTIFY_SOCKET
	result=$?
	[ $result -eq 0 ] || ends TERM "$keeper"
	kill "$listener"
	wait "$listener" 2>/dev/null
	return $result
}

# A socket that can't be told is, and saving goes on.
has_no_socket()
{
	export NOTIFY_SOCKET="$1"
	start --every 1 --ahead 60 "$file"
	unset NOTIFY_SOCKET
	eventually grep -qF "NOTIFY_SOCKET=$1: $2" "$err" && eventually follows $((now + 5)) $((now + 65))
}

# Where standard error is the journal, and where it is not.
prefixes()
{
	obstruct
	: >"$err"
	JOURNAL_STREAM=$(stat -c "$1" "$err")
	export JOURNAL_STREAM
	start --every 1 "$file"
	unset JOURNAL_STREAM
	eventually grep -qE "^${2}kuid: not saving: " "$err" && clear_away &&
		eventually grep -qE "^${3}kuid: saving again\$" "$err"
}

it "it saves again and again" ends_with 0 saves_again_and_again
it "also after the machine's ID was spoilt" ends_with 0 saves_without_id
it "it waits for its time" ends_with 0 waits_for_its_time
it "what is in the way is told once, and its end" ends_with 0 \
	goes_on_after obstruct clear_away 'Is a directory'
it "no directory is told once, and its end" ends_with 0 \
	goes_on_after lose_directory bring_directory "there is no directory $dir"
it "a state that was not restored is told once, and its end" ends_with 0 \
	goes_on_after lose_state restore 'first run "kuid restore"'
it "each reason is told" ends_with 0 tells_each_reason
it "no device is told" ends_with 0 no_device
it "two can't run" ends_with 0 only_one
for signal in TERM INT HUP; do
	it "SIG$signal ends it" ends_by $signal
done
it "it ends while saving fails" ends_while_failing

it "systemd is told" notifies "$FAKE/socket"
it "systemd is told by an abstract socket" notifies "@kuid-$$"
it "a socket that is not there is told" ends_with 0 \
	has_no_socket "$FAKE/nobody" 'No such file or directory'
long=$FAKE/$(printf '%0100d' 0)
it "a socket whose name is too long is told" ends_with 0 has_no_socket "$long" 'too long'
it "the journal gets priorities" ends_with 0 prefixes %d:%i '<3>' '<5>'
it "another file gets none" ends_with 0 prefixes %d:0 '' ''
it "a device without an inode is no journal" ends_with 0 prefixes %d '' ''

it "--every 0 is refused" fails 2 '"0" is not a time between saves, in seconds' keep --every 0
it "--every of more than half a day is refused" fails 2 'from 1 to 43200' keep --every 43201
it "--every 1s is refused" fails 2 '"1s" is not a time between saves' keep --every 1s
it "--every more than half of --ahead is refused" fails 2 \
	'--every 31 is more than half of --ahead 60' keep --every 31
it "--ahead less than twice --every is refused" fails 2 \
	'--every 20 is more than half of --ahead 39' keep --ahead 39
it "--ahead 0 is refused" fails 2 'more than half of --ahead 0' keep --ahead 0
it "--ahead of more than a day is refused" fails 2 'from 0 to 86400' keep --ahead 86401
it "two files are refused" fails 2 'unexpected argument "b"' keep a b
it "a name that is none is refused" fails 2 '"/tmp/" names no file' keep /tmp/
finish
