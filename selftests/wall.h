/* SPDX-License-Identifier: GPL-2.0-only */
/* Setting the wall clock, for tests that put it back. */
#ifndef WALL_H
#define WALL_H

#include <errno.h>
#include <sys/timex.h>

/*
 * Set the wall clock by that many seconds from where it is, with nothing lost
 * between reading and setting it. Returns 0 or a negative errno.
 */
static inline int step_wall(long seconds)
{
	struct timex by = {
		.modes = ADJ_SETOFFSET | ADJ_NANO,
		.time.tv_sec = seconds,
	};

	return adjtimex(&by) < 0 ? -errno : 0;
}

#endif /* WALL_H */
