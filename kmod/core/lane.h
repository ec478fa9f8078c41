/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A lane: a source of strictly increasing nanoseconds, each given out once.
 *
 * A lane belongs to a CPU only in that it is rarely touched by another one: a
 * task may be preempted or moved between choosing a lane and reserving from
 * it, and CPUs may share a lane. So the one word is changed by a full
 * compare-and-exchange, and being right does not depend on who makes it.
 */
#ifndef KUID_CORE_LANE_H
#define KUID_CORE_LANE_H

#include "port.h"

/**
 * struct kuid_lane - a lane
 * @last: the last nanosecond given out; only ever raised, by
 *	compare-and-exchange
 *
 * A lane of all zeroes has given out nothing. Lanes lie in cache lines of
 * their own because each is written by its CPU for every ID.
 */
struct kuid_lane {
	atomic64_t last;
} ____cacheline_aligned_in_smp;

/**
 * kuid_lane_reserve - take nanoseconds from a lane
 * @lane: the lane
 * @now: a reading of the stamp clock; older than the present does no harm
 * @above: all stamps taken will be above this one
 * @limit: nothing will be above this one, at least @now
 * @count: how many nanoseconds are wanted, at least 1; set to how many were
 *	taken, 0 if there was none up to @limit
 *
 * Context: any. Never sleeps.
 * Return: the first of @count consecutive nanoseconds, none of which this lane
 * has given out before or will again; if none was taken, the one that came
 * next.
 */
static __always_inline u64 kuid_lane_reserve(struct kuid_lane *lane, u64 now,
					     u64 above, u64 limit, u32 *count)
{
	s64 last = atomic64_read(&lane->last);
	u64 first;
	u32 n;

	do {
		u64 from = max_t(u64, above, last);

		first = max(now, from + 1);
		if (first > limit) {
			*count = 0;
			return first;
		}
		n = min_t(u64, *count - 1, limit - first) + 1;
	} while (!atomic64_try_cmpxchg(&lane->last, &last, first + n - 1));

	*count = n;
	return first;
}

#endif /* KUID_CORE_LANE_H */
