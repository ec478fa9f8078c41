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

# A machine that has made no IDs before.
begin_test()
{
	rm -rf "$dir" "$FAKE/notified"
	mkdir "$dir"
	: >"$file.unused"
	echo 4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4 >"$FAKE/machine-id"
	begin_device <<-DEVICE
		cover_epoch 0
		cover_load_id 0
		wall_ns $now$sec
		slot_ns $now$sec
		floor_ns 0
		ceiling_ns 0
		epoch 1
		load_id 7
		node_from 2
		worker_from 4
	DEVICE
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

# It says what it begins with, and nothing else.
is_quiet()
{
	! grep -qv '^kuid: IDs \(go on\|begin\)' "$err"
}

# Not while it begins: that writes the file twice, and fails if the second time does.
has_saved()
{
	grep -q 'kuid: IDs ' "$err" && [ -e "$file" ] && [ "$(field ceiling_ns)" -gt 0 ]
}

saves_again_and_again()
{
	start --ahead 60 --every 1 "$file"
	eventually has_saved && eventually follows $((now + 5)) $((now + 65)) &&
		eventually follows $((now + 10)) $((now + 70)) && is_quiet
}

# Not before the time that was asked for.
waits_for_its_time()
{
	start --ahead 86400 --every 43200 "$file"
	eventually has_saved && sleep 5 && [ "$(grep -c '^cover' "$FAKE/log")" -eq 1 ]
}

# FAILURE REPAIR TEXT: it is told once, tried again soon, and its end is told once.
goes_on_after()
{
	failure=$1 repair=$2 text=$3
	start --ahead 4 --every 2 "$file"
	eventually has_saved && $failure
	eventually says_lines 1 "not saving: " && says_lines 1 "$text" && sleep 5 &&
		says_lines 1 "not saving: " && says_lines 0 'saving again' || return
	$repair
	eventually says_lines 1 'saving again' && has_saved && sleep 3 &&
		says_lines 1 'saving again' && [ "$(wc -l <"$err")" -eq 3 ]
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
	start --ahead 60 --every 1 "$file"
	eventually has_saved && obstruct && eventually says_lines 1 'Is a directory' && mv "$dir" "$dir.away" &&
		eventually says_lines 1 "there is no directory $dir" && mv "$dir.away" "$dir" &&
		clear_away && eventually says_lines 1 'saving again' && has_saved
}

# Not while the tool saves.
obstruct() { flock "$file.lock" mkdir "$file.new"; }
clear_away() { rmdir "$file.new"; }
lose_directory() { mv "$dir" "$FAKE/lost"; }
bring_directory() { mkdir "$dir"; }

# A file that is lost or put back while it runs is written anew.
file_is_lost()
{
	start --ahead 60 --every 1 "$file"
	eventually has_saved && cp "$file" "$FAKE/old" &&
		eventually follows $((now + 5)) $((now + 65)) && rm "$file" &&
		eventually follows $((now + 6)) $((now + 66)) && cp "$FAKE/old" "$file" &&
		eventually follows $((now + 7)) $((now + 67)) && is_quiet
}

# COMMAND: what only an administrator can help ends it before it has begun.
is_refused()
{
	"$@" && fails 1 "$text" keep "$file" && ! grep -q ^cover "$FAKE/log"
}

no_file() { text='bring it back'; rm "$file.unused"; }
damaged() { text='is empty'; : >"$file"; }
no_directory() { text='there is no directory'; rm -r "$dir"; }
other_has_begun() { text='bring it back'; rm "$file.unused"; set_field cover_epoch 5; }

# As follows() does with the clock.
ends_for_other()
{
	set_field cover_epoch 99
	sleep 0.1
	has_ended "$keeper"
}

# Another process begins a cover with another file: this one ends, with its own as it was.
two_files()
{
	start --ahead 60 --every 1 "$file"
	eventually has_saved && eventually ends_for_other || return
	wait "$keeper"
	[ $? -eq 1 ] && grep -qF 'or another file' "$err"
}

no_device()
{
	while_set FAKE_OPEN 2 fails 1 'there is no /dev/kuid' keep --every 1 "$file" && [ ! -e "$file" ]
}

# The second of two ends; the first goes on, and another one can follow it.
only_one()
{
	start --every 1 --ahead 60 "$file"
	eventually has_saved && first=$keeper || return
	run keep "$file" >"$out" 2>"$FAKE/second"
	[ $? -eq 1 ] && grep -qF "another \"kuid keep\" keeps $file" "$FAKE/second" &&
		eventually follows $((now + 5)) $((now + 65)) &&
		kill -KILL "$first" || return
	wait "$first"
	start --every 1 --ahead 60 "$file"
	eventually follows $((now + 10)) $((now + 70)) && is_quiet
}

# SIGNAL END: ends without a message, and with END seconds ahead.
ends_by()
{
	start "$file"
	eventually has_saved && ends "$1" "$keeper" &&
		[ "$(field ceiling_ns)" = $((now + $2))$sec ] &&
		grep -q "\"ceiling_ns\": $((now + $2))$sec" "$file" && is_quiet
}

# A signal that comes while a failure is retried.
ends_while_failing()
{
	start --every 1 "$file"
	eventually has_saved && obstruct && eventually says_lines 1 'not saving: ' &&
		ends TERM "$keeper"
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
	export NOTIFY_SOCKET="$1"
	start --every 1 "$file"
	unset NOTIFY_SOCKET
	eventually has_notified 'READY=1' && has_notified 'STATUS=Saving' && obstruct &&
		eventually has_notified 'STATUS=Not saving: ' && clear_away && ends TERM "$keeper" &&
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
	: >"$err"
	JOURNAL_STREAM=$(stat -c "$1" "$err")
	export JOURNAL_STREAM
	start --every 1 "$file"
	unset JOURNAL_STREAM
	eventually has_saved && obstruct &&
		eventually grep -qE "^${2}kuid: not saving: " "$err" && clear_away &&
		eventually grep -qE "^${3}kuid: saving again\$" "$err"
}

it "it saves again and again" ends_with 0 saves_again_and_again
it "also after the machine's ID was spoilt" ends_with 0 saves_without_id
it "it waits for its time" ends_with 0 waits_for_its_time
it "what is in the way is told once, and its end" ends_with 0 goes_on_after obstruct clear_away 'Is a directory'
try ends_with 0 goes_on_after lose_directory bring_directory "there is no directory $dir"
it "a file that is lost meanwhile is written anew" ends_with 0 file_is_lost
it "no file is refused" is_refused no_file
it "a damaged file is refused" is_refused damaged
it "no directory is refused" is_refused no_directory
it "a file of nothing that has begun is refused" is_refused other_has_begun
it "two files can't take turns" two_files
it "each reason is told" ends_with 0 tells_each_reason
it "no device is told" no_device
it "two can't run" ends_with 0 only_one
it "SIGTERM saves the exact end" ends_by TERM 0
it "SIGINT saves the exact end" ends_by INT 0
it "SIGHUP leaves the time ahead" ends_by HUP 60
it "it ends while saving fails" ends_while_failing

it "systemd is told" notifies "$FAKE/socket"
it "systemd is told by an abstract socket" notifies "@kuid-$$"
it "a socket that is not there is told" ends_with 0 has_no_socket "$FAKE/nobody" 'No such file or directory'
long=$FAKE/$(printf '%0100d' 0)
it "a socket whose name is too long is told" ends_with 0 has_no_socket "$long" 'too long'
it "the journal gets priorities" ends_with 0 prefixes %d:%i '<3>' '<5>'
it "another file gets none" ends_with 0 prefixes %d:0 '' ''
it "a device without an inode is no journal" ends_with 0 prefixes %d '' ''

it "--every 0 is refused" fails 2 '"0" is not a time between saves, in seconds' keep --every 0
it "--every of more than half a day is refused" fails 2 'from 1 to 43200' keep --every 43201
it "--every 1s is refused" fails 2 '"1s" is not a time between saves' keep --every 1s
try fails 2 '--every 31 is more than half of --ahead 60' keep --every 31
try fails 2 '--every 20 is more than half of --ahead 39' keep --ahead 39
it "--ahead 0 is refused" fails 2 'from 1 to 86400' keep --ahead 0
it "--ahead of more than a day is refused" fails 2 'from 1 to 86400' keep --ahead 86401
it "two files are refused" fails 2 'unexpected argument "b"' keep a b
it "a name that is none is refused" fails 2 '"/tmp/" names no file' keep /tmp/
finish
