#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Finds complaints of the kernel while a test runs, for scripts in the guest:
#   . /guest/klog.sh; klog_mark; run the test; klog_check
#
# the test has failed
# If there is a complaint, klog_check prints the kernel log since the mark.

klog_complaints='WARNING|BUG|Oops|[Gg]eneral protection'
klog_complaints="$klog_complaints|possible circular locking|possible recursive|suspicious RCU usage"
klog_complaints="$klog_complaints|inconsistent lock state|[Hh]eld lock freed|bad unlock balance"
klog_complaints="$klog_complaints|rcu.*(stall|starved)|KASAN|KCSAN|KFENCE|UBSAN|kmemleak: [0-9]+ new"
klog_complaints="$klog_complaints|(soft|hard) (lockup|LOCKUP)|hung task|blocked for more than"
klog_complaints="$klog_complaints|scheduling while atomic|sleeping function called from invalid"
klog_complaints="$klog_complaints|refcount_t: |list_(add|del) corruption"
klog_complaints="$klog_complaints|cannot create duplicate filename|with -EEXIST"
# Checkers that gave up.
klog_complaints="$klog_complaints|kmemleak: .*disabled|turning off the locking correctness"
klog_marks=0

klog_mark()
{
	klog_marks=$((klog_marks + 1))
	klog_now="klog mark $$.$klog_marks"
	echo "$klog_now" >/dev/kmsg
}

# If klog_check found nothing, every test would pass.
klog_catches()
{
	klog_mark
	echo "WARNING: planted" >/dev/kmsg
	! klog_check
}

# If the mark has dropped out of the log, the whole log is newer than it. A stack trace alone is no
# failure if a test made the kernel refuse memory. The kernel has data races of its own: they are
# printed, but fail no test. A race is its own if the report names no function of kuid's modules,
# other than functions that the racing code interrupted, or callers of what has state of its own: of
# the random generator, but not of the copy into the caller's memory, and of a sleep.
klog_check()
{
	# lockdep may have given up before the first mark.
	if grep -q '^ *debug_locks: *0' /proc/lockdep_stats 2>/dev/null; then
		echo "# the kernel doesn't check locks any more"
		return 1
	fi
	dmesg | awk -v mark="$klog_now" -v complaints="$klog_complaints" '
		substr($0, length($0) - length(mark) + 1) == mark {
			lines = bad = traces = refused = race = others = 0
			next
		}
		{ line[++lines] = $0 }
		$0 ~ complaints { bad++ }
		/BUG: KCSAN/ { race = $0; ours = theirs = 0 }
		/ bytes by / { theirs = 0 }
		/ (asm_[a-z_]+|crng_make_state|schedule_hrtimeout)\+/ { theirs = 1 }
		/\[kuid/ && !theirs { ours = 1 }
		race && /==========/ {
			if (!ours) {
				bad--
				other[++others] = race
			}
			race = 0
		}
		/Call Trace/ { traces++ }
		/FAULT_INJECTION: forcing a failure/ { refused++ }
		END {
			for (i = 1; i <= others; i++)
				print "# not ours: " other[i]
			if (!bad && (!traces || refused))
				exit 0
			print "# the kernel complained:"
			for (i = 1; i <= lines; i++)
				print "#   " line[i]
			exit 1
		}'
}
