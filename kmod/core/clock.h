/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The stamp clock: nanoseconds since 1970 that follow the wall clock but never
 * go back.
 *
 * It stands on the monotonic clock, which no one can set, and keeps the
 * highest offset to the wall clock it has seen. A wall clock set forward is
 * followed at once; one set back is not, until it is set forward beyond where
 * it was.
 */
#ifndef KUID_CORE_CLOCK_H
#define KUID_CORE_CLOCK_H

#include "port.h"

/**
 * struct kuid_clock - a stamp clock
 * @offset: what is added to the monotonic clock to get the stamp clock, in
 *	nanoseconds; only ever raised, by compare-and-exchange
 *
 * A clock of all zeroes is ready for use: its first reading is the wall clock.
 */
struct kuid_clock {
	atomic64_t offset;
};

/**
 * kuid_clock_now - read the stamp clock
 * @clock: the clock
 *
 * Two readings of which one ended before the other began do not go back,
 * whichever CPUs they were made on: neither the monotonic clock nor the offset
 * does.
 *
 * Context: any but NMI. Never sleeps.
 * Return: nanoseconds since 1970-01-01T00:00:00Z.
 */
static __always_inline u64 kuid_clock_now(struct kuid_clock *clock)
{
	u64 mono = kuid_port_mono_ns();
	s64 wall_offset = kuid_port_wall_ns(mono) - mono;
	s64 offset = atomic64_read(&clock->offset);

	while (offset < wall_offset) {
		/*
		 * Fully ordered, so that whoever is told a time of the new
		 * offset can't meet a CPU that still reads the old one.
		 */
		if (atomic64_try_cmpxchg(&clock->offset, &offset, wall_offset))
			offset = wall_offset;
	}
	return mono + offset;
}

#endif /* KUID_CORE_CLOCK_H */
