/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets the wall clock, for tests that restore it. All functions return 0 or a
 * negative errno.
 */
#ifndef SET_WALL_H
#define SET_WALL_H

#include <sys/timex.h>

#include "formats.h"

/* Set it to a time. */
static inline int set_wall(__u64 to)
{
	const struct timespec time = {
		.tv_sec = to / NSEC_PER_SEC,
		.tv_nsec = to % NSEC_PER_SEC,
	};

	return clock_settime(CLOCK_REALTIME, &time) ? -errno : 0;
}

/* Step it by a duration, less the time from reading to setting the clock. */
static inline int step_wall(__s64 by)
{
	return set_wall(clock_ns() + by);
}

/* Step it by exactly that duration: the kernel adds it to the clock. */
static inline int shift_wall(__s64 by)
{
	struct timex shift = {
		.modes = ADJ_SETOFFSET | ADJ_NANO,
		.time.tv_sec = by / (__s64)NSEC_PER_SEC,
		.time.tv_usec = by % (__s64)NSEC_PER_SEC,
	};

	if (shift.time.tv_usec < 0) {
		shift.time.tv_sec--;
		shift.time.tv_usec += NSEC_PER_SEC;
	}
	return adjtimex(&shift) < 0 ? -errno : 0;
}

static inline int shift_wall_seconds(long seconds)
{
	return shift_wall(seconds * (__s64)NSEC_PER_SEC);
}

#endif /* SET_WALL_H */
