#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Has the device fuzzed in the guest, each for so long:   fuzz.sh SECONDS fuzz|trinity|stress-ng...
# The first is this project's own, which says itself what is wrong. The others know nothing of the
# device and run without privileges: the kernel must not complain, and the module must work then and
# unload. Prints KTAP.
# shellcheck disable=SC2317 # what is called by a name that is put together

# shellcheck source=SCRIPTDIR/klog.sh
. /guest/klog.sh
# shellcheck source=SCRIPTDIR/results.sh
. /guest/results.sh

module=/lib/kuid.ko
seconds=$1
shift

# The processes of someone who owns nothing.
nobodys()
{
	for process in /proc/[0-9]*; do
		[ "$(stat -c %U "$process" 2>/dev/null)" != nobody ] || echo "${process#/proc/}"
	done
}

# A command of theirs; and none of their processes is left then.
unprivileged()
{
	mkdir -p /tmp/nobody
	chown nobody /tmp/nobody
	(cd /tmp/nobody && exec setsid su -s /bin/sh nobody -c "$*") >/tmp/fuzzer.log 2>&1 </dev/null
	status=$?
	while left=$(nobodys) && [ -n "$left" ]; do
		# shellcheck disable=SC2086 # a list of words
		kill -KILL $left 2>/dev/null
		sleep 0.2
	done
	rm -rf /tmp/nobody
	return "$status"
}

# What opens, reads and watches files. Not what fills memory: a kernel that runs out of it complains.
calls='open openat read readv pread64 preadv preadv2 write writev pwritev2 ioctl poll ppoll select
	epoll_ctl epoll_wait epoll_pwait splice tee sendfile fcntl lseek dup dup2 dup3
	fsync fallocate ftruncate fadvise64 readahead copy_file_range flock sync_file_range'

run_fuzz()
{
	KUID_MODULE=$module /selftests/kuid/fuzz --seconds "$seconds"
}

# It ends when its time is up, or by itself if it found the kernel tainted.
run_trinity()
{
	set --
	for call in $calls; do
		set -- "$@" -c "$call"
	done
	# Some sockets it dies of before it begins.
	unprivileged timeout "$seconds" trinity -q -l off -C 4 --disable-fds=sockets -V /dev/kuids "$@"
	status=$?
	took_some || echo "it took no ID" >>/tmp/fuzzer.log
	{ [ "$status" -eq 143 ] || [ "$status" -eq 0 ]; } && took_some
}

run_stress_ng()
{
	for node in /dev/kuid /dev/kuids/v7 /dev/kuids/lex.txt; do
		unprivileged stress-ng --dev 4 --dev-file "$node" \
			--timeout "$(((seconds + 2) / 3))" || return
	done
}

# What took no ID has not fuzzed much; of these, stress-ng asks for none.
took_some()
{
	for format in v1 v6 v7 lex k64 k96 k128; do
		[ "$(cat /sys/class/kuid/kuid/counters/"$format")" -eq 0 ] || return 0
	done
	return 1
}

# Two of each format, which differ.
works()
{
	for node in /dev/kuids/*.txt; do
		[ "$(head -n 2 "$node" | uniq | wc -l)" -eq 2 ] || return
	done
}

echo "KTAP version 1"
echo "1..$#"
for name in "$@"; do
	klog_mark
	why=ok
	case $name in
	fuzz)
		run_fuzz 2>&1 | awk '
			{ print "    " $0; fflush() }
			/^ok / && !/# SKIP/ { good = 1 }
			END { exit !good }' || why="it found something"
		;;
	trinity|stress-ng)
		if ! insmod $module; then
			why="insmod fails"
		elif ! "run_$(echo "$name" | tr - _)"; then
			why="it ended with status $status"
			tail -n 20 /tmp/fuzzer.log | sed 's/^/# /'
		elif ! works; then
			why="no IDs then"
		fi
		rmmod kuid || why="rmmod fails"
		;;
	*)
		why="no such fuzzer"
		;;
	esac
	klog_check || why="the kernel complained"
	result "$name" "$why"
done
exit $failed
