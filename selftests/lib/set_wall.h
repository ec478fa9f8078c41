/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting the wall clock, for tests that put it back. */
#ifndef SET_WALL_H
#define SET_WALL_H

#include <sys/timex.h>

#include "formats.h"

/*
 * By exactly that much from where it is, with nothing lost between reading and
 * setting it. Returns 0 or a negative errno.
 */
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
