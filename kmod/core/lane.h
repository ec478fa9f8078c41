/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A lane: a supply of strictly increasing nanoseconds. Each nanosecond is
 * handed out once.
 *
 * A lane belongs to a CPU only for speed: other CPUs seldom write it. A task
 * may be preempted or moved to another CPU after it has chosen the lane and
 * before it reserves, and CPUs may share a lane. So a reservation is a
 * compare-and-exchange, and is correct on any CPU.
 */
#ifndef KUID_CORE_LANE_H
#define KUID_CORE_LANE_H

#include "port.h"

/**
 * struct kuid_lane - a lane
 * @last: the last nanosecond that was handed out; only raised, by
 *	compare-and-exchange
 *
 * If the lane is all zeroes, nothing was handed out yet. Each lane has its own
 * cache line, because its CPU writes it for each ID.
 */
struct kuid_lane {
	atomic64_t last;
} ____cacheline_aligned_in_smp;

/**
 * kuid_lane_reserve - reserve nanoseconds of a lane
 * @lane: the lane
 * @now: a time of the stamp clock, in nanoseconds since 1970; an old one does
 *	no harm
 * @above: reserve only stamps above this one
 * @limit: reserve no stamp above this one; at least @now
 * @count: how many nanoseconds the caller wants, at least 1; set to how many
 *	were reserved, 0 if there was none up to @limit
 *
 * A successful reservation is fully ordered. Callers rely on this: see
 * kuid_generator_holds().
 *
 * Context: any. Never sleeps, takes no lock.
 * Return: the first of @count consecutive nanoseconds, which this lane hands
 * out to no other caller. If nothing was reserved, the first nanosecond that
 * the caller would have got without @limit.
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
