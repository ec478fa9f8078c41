#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs programs of the installed kselftest tree at /selftests in the guest, each with /lib/kuid.ko
# freshly loaded:   selftests.sh PROGRAM[=ARGUMENT[+ARGUMENT...]]...
# Commas may stand between the programs, too.
# Kills a program that prints nothing for the timeout of its settings file.
# Prints KTAP with each program's own KTAP nested in it. Fails if a test fails, a program dies or
# stops short of its plan, the kernel complains, or there is nothing to run. The totals count the
# programs' own tests.

# shellcheck source=SCRIPTDIR/klog.sh
. /guest/klog.sh
# shellcheck source=SCRIPTDIR/kmemleak.sh
. /guest/kmemleak.sh

module=/lib/kuid.ko
# Snowflake is the one format that needs a worker: that of selftests/lib/formats.h.
params=snowflake_worker=17
# For tests that load modules themselves.
export KUID_MODULE=$module KUID_VECTORS=/lib/kuid_vectors.ko
export KUID_CALLERS=/lib/kuid_callers.ko KUID_CLONE=/lib/kuid_clone.ko
export KUID_GRACE=/lib/kuid_grace.ko
[ ! -e /lib/kuid_kunit.ko ] || export KUID_KUNIT=/lib/kuid_kunit.ko
[ ! -e /lib/e1000.ko ] || export KUID_NIC=/lib/e1000.ko
# For programs that use cmocka.
export CMOCKA_MESSAGE_OUTPUT=TAP
tree=/selftests
test=0 pass=0 fail=0 skip=0

# result NAME REASON: a result of this script's level; REASON is ok or the reason for the failure.
result()
{
	test=$((test + 1))
	case $2 in
	ok*) echo "ok $test $1${2#ok}" ;;
	*) echo "not ok $test $1 # $2" ;;
	esac
}

# The same for a result that no program counts.
own_result()
{
	result "$1" "$2"
	if [ "$2" = ok ]; then pass=$((pass + 1)); else fail=$((fail + 1)); fi
}

finish()
{
	echo "# Totals: pass:$pass fail:$fail skip:$skip"
	[ $fail -eq 0 ] && [ $pass -gt 0 ]
	exit
}

# Nests a program's KTAP and writes "planned passed failed skipped" to the file of counts, and
# before that the number of lines so far to /tmp/selftest.lines.
nest()
{
	awk -v counts="$1" '
		# A skip as cmocka writes it. The test has printed the reason before.
		/^not ok [0-9]+ # SKIP / { $0 = "ok " $3 " " $6 " # SKIP " said }
		/^# / { said = substr($0, 3) }
		{
			print "    " $0
			fflush()
			print NR >"/tmp/selftest.lines"
			close("/tmp/selftest.lines")
		}
		/^1\.\.[0-9]+/ { planned = substr($1, 4) + 0; if (!planned && /# *SKIP/) empty = 1 }
		/^ok / { if (/# *SKIP/) skipped++; else passed++ }
		/^not ok / { failed++ }
		END {
			if (planned == "")
				planned = "none"
			if (empty) {
				planned = 1
				skipped++
			}
			print planned, passed + 0, failed + 0, skipped + 0 >counts
		}'
}

# watch LIMIT CHILD: kills the session of a program that prints nothing for so many seconds.
watch()
{
	idle=0 seen=
	while [ "$idle" -lt "$1" ]; do
		# On a machine that is short of processors these seconds are longer, too.
		sleep 1
		read -r lines </tmp/selftest.lines
		if [ "$lines" != "$seen" ]; then idle=0 seen=$lines; else idle=$((idle + 1)); fi
	done
	: >/tmp/selftest.hung
	kill -KILL -"$2"
}

# setsid, so that all processes a program leaves behind can be killed and release the pipe.
run_program()
{
	dir=$tree/${1%%:*}
	program=${1#*:}
	limit=$(sed -n 's/^timeout=\([0-9][0-9]*\)$/\1/p' "$dir/settings" 2>/dev/null)
	# A kernel with checks is slower, and other programs of the host may take its processors. A
	# test that takes longer prints nothing meanwhile, but has a timeout of its own.
	limit=$((${limit:-45} * 3 * ${KUID_PATIENCE:-1}))
	# 0 means no limit, as in the kernel's own runner.
	[ "$limit" -gt 0 ] || limit=1000000

	klog_mark
	# A program must not see what the last one did to clocks and identity, and a program that
	# was killed may have left the module unloaded.
	if { [ -e /sys/module/kuid ] && ! rmmod kuid; } || ! insmod $module $params; then
		fail=$((fail + 1))
		result "$1" "can't reload the module"
		return
	fi
	begin=$(cut -d. -f1 /proc/uptime)
	rm -f /tmp/selftest.hung
	echo 0 >/tmp/selftest.lines
	{
		# shellcheck disable=SC2046 # the arguments are words
		cd "$dir" && set -f && setsid "./${program%%=*}" \
			$(echo "${program#"${program%%=*}"}" | tr '=+' '  ') </dev/null &
		child=$!
		watch "$limit" $child >/dev/null 2>&1 &
		watcher=$!
		wait $child
		echo $? >/tmp/selftest.status
		kill $watcher 2>/dev/null
		kill -KILL -$child 2>/dev/null
	} 2>&1 | nest /tmp/selftest.counts
	seconds=$(($(cut -d. -f1 /proc/uptime) - begin))
	echo "$seconds $1" >>/tmp/seconds
	read -r status </tmp/selftest.status
	read -r planned passed failed skipped </tmp/selftest.counts

	why=
	[ "$failed" -eq 0 ] || why="$failed failed"
	ran=$((passed + failed + skipped))
	broken=
	if [ -e /tmp/selftest.hung ]; then
		broken="killed after $limit seconds without output"
	elif [ "$status" -gt 128 ]; then
		broken="died of signal $((status - 128))"
	elif [ "$planned" = none ]; then
		broken="no plan, exit status $status"
	elif [ "$ran" -ne "$planned" ]; then
		broken="$planned planned, $ran ran"
	elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ] && ! { [ "$status" -eq 4 ] && [ "$skipped" -gt 0 ]; }; then
		broken="exit status $status"
	fi
	if [ -n "$broken" ]; then
		failed=$((failed + 1))
		why=${why:+$why, }$broken
	fi
	if ! klog_check; then
		failed=$((failed + 1))
		why=${why:+$why, }"the kernel complained"
	fi

	pass=$((pass + passed)) fail=$((fail + failed)) skip=$((skip + skipped))
	if [ -n "$why" ]; then
		result "$1" "$why"
	elif [ "$passed" -eq 0 ]; then
		result "$1" "ok # SKIP"
	else
		result "$1" ok
	fi
}

# Writes $1 to the switch of every processor but the first; there is none if they can't be stopped.
switch_others()
{
	for switch in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -e "$switch" ] || echo "$1" >"$switch"
	done
}

# The kernel rewrites its scheduler when the first cgroup gets a CPU limit, as in the test queue. QEMU
# may go on with the old code on another processor, which then crashes or hangs. So one cgroup has a
# limit from now on, given while no other processor runs. Not all kernels have cgroups.
mkdir -p /tmp/cgroup
switch_others 0
if mount -t cgroup2 none /tmp/cgroup 2>/dev/null; then
	mkdir -p /tmp/cgroup/limited
	{ echo +cpu >/tmp/cgroup/cgroup.subtree_control &&
		echo '1000000 1000000' >/tmp/cgroup/limited/cpu.max; } 2>/dev/null
fi
switch_others 1

echo "KTAP version 1"
set -f
# shellcheck disable=SC2046 # the programs are words
set -- $(echo "$*" | tr , ' ')
set +f
# Adds the directory of each. A misspelled name would silently run too few tests.
for name in "$@"; do
	shift
	for path in "$tree"/*/"${name%%=*}" "$tree"/kuid/*/"${name%%=*}"; do
		{ [ -f "$path" ] && [ -x "$path" ]; } && break
	done
	if [ ! -f "$path" ]; then
		echo "Bail out! no program $name in $tree"
		exit 1
	fi
	path=${path%/*}
	set -- "$@" "${path#"$tree/"}:$name"
done
if [ $# -eq 0 ]; then
	echo "Bail out! no programs"
	exit 1
fi
echo "1..$(($# + 3 + 2 * kmemleak_looks))"

why=ok
klog_catches >/dev/null || why="not caught"
own_result "a planted warning is caught" "$why"
[ "$why" = ok ] || finish

kmemleak_mark
klog_mark
why=ok
insmod $module $params || why="insmod fails"
klog_check || why="the kernel complained"
own_result "load the module" "$why"
[ "$why" = ok ] || finish

for name in "$@"; do
	echo "# $name"
	run_program "$name"
done

# Report leaks since the mark, if the kernel finds leaks.
lost()
{
	[ $kmemleak_looks -eq 1 ] || return 0
	why=ok
	kmemleak_check || why="memory leaked"
	own_result "$1" "$why"
}

# Check before unloading: after it the traces can't name the module's functions.
lost "no memory leaked by then"

klog_mark
why=ok
rmmod kuid || why="rmmod fails"
klog_check || why="the kernel complained"
own_result "unload the module" "$why"

kmemleak_mark
lost "no memory leaked by unloading"
sort -rn /tmp/seconds | awk 'NR <= 8 { list = list ", " $2 " " $1 " s" } { all += $1 }
	END { print "# " all " s in programs" list }'
finish
