#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzes the device in the guest, with each fuzzer in turn:
#   fuzz.sh SECONDS fuzz[=OPTION[+OPTION...]]|trinity|stress-ng...
# "fuzz" is this project's own and reports errors itself, also as a soak. The other fuzzers don't know
# the device and run unprivileged: the kernel must not complain, and afterwards the module must work
# and unload. Prints KTAP.
# shellcheck disable=SC2317 # functions called by a computed name

# shellcheck source=SCRIPTDIR/klog.sh
. /guest/klog.sh

module=/lib/kuid.ko
seconds=$1
shift
test=0 failed=0

# The processes of the user nobody.
nobodys()
{
	for process in /proc/[0-9]*; do
		[ "$(stat -c %U "$process" 2>/dev/null)" != nobody ] || echo "${process#/proc/}"
	done
}

# Runs a command as nobody, and leaves none of its processes behind.
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

# System calls that open, read and watch files. Calls that fill memory are left out, because a
# kernel out of memory complains.
calls='open openat read readv pread64 preadv preadv2 write writev pwritev2 ioctl poll ppoll select
	epoll_ctl epoll_wait epoll_pwait splice tee sendfile fcntl lseek dup dup2 dup3
	fsync fallocate ftruncate fadvise64 readahead copy_file_range flock sync_file_range'

run_fuzz()
{
	KUID_MODULE=$module KUID_CALLERS=/lib/kuid_callers.ko \
		/selftests/kuid/fuzz/fuzz --seconds "$seconds" "$@"
}

# trinity ends on the timeout, or by itself if it finds the kernel tainted.
run_trinity()
{
	set --
	for call in $calls; do
		set -- "$@" -c "$call"
	done
	# Some sockets crash trinity before it begins.
	unprivileged timeout "$seconds" trinity -q -l off -C 4 --disable-fds=sockets -V /dev/kuids "$@"
	status=$?
	took_some || echo "no ID was taken" >>/tmp/fuzzer.log
	{ [ "$status" -eq 143 ] || [ "$status" -eq 0 ]; } && took_some
}

run_stress_ng()
{
	for file in /dev/kuid /dev/kuids/v7 /dev/kuids/lex.txt; do
		unprivileged stress-ng --dev 4 --dev-file "$file" \
			--timeout "$(((seconds + 2) / 3))" || return
	done
}

# A fuzzer that took no ID hasn't fuzzed much; stress-ng never takes one.
took_some()
{
	for file in /dev/kuids/*.txt; do
		format=${file#/dev/kuids/}
		[ "$(cat /sys/class/kuid/kuid/counters/"${format%.txt}")" -eq 0 ] || return 0
	done
	return 1
}

# Each format gives two IDs, which differ.
works()
{
	for file in /dev/kuids/*.txt; do
		[ "$(head -n 2 "$file" | uniq | wc -l)" -eq 2 ] || return
	done
}

echo "KTAP version 1"
echo "1..$#"
for name in "$@"; do
	klog_mark
	why=ok
	case $name in
	fuzz|fuzz=*)
		# shellcheck disable=SC2046 # the options are words
		run_fuzz $(echo "${name#fuzz}" | tr '=+' '  ') 2>&1 | awk '
			{ print "    " $0; fflush() }
			/^ok / && !/# SKIP/ { good = 1 }
			END { exit !good }' || why="it found something"
		;;
	trinity|stress-ng)
		# Without a number there is no snowflake.
		if ! insmod $module snowflake_worker=17; then
			why="insmod fails"
		elif ! "run_$(echo "$name" | tr - _)"; then
			why="it ended with status $status"
			tail -n 20 /tmp/fuzzer.log | sed 's/^/# /'
		elif ! works; then
			why="the module gives no IDs any more"
		fi
		rmmod kuid || why="rmmod fails"
		;;
	*)
		why="no such fuzzer"
		;;
	esac
	klog_check || why="the kernel complained"
	test=$((test + 1))
	if [ "$why" = ok ]; then
		echo "ok $test $name"
	else
		echo "not ok $test $name # $why"
		failed=1
	fi
done
exit $failed
