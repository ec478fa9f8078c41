// SPDX-License-Identifier: GPL-2.0-only
/* See clocks.h. */
#include "clocks.h"
#include "nanoseconds.h"

uint64_t wall_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t wall_s(void)
{
	return wall_ns() / SEC_NS;
}

uint64_t boot_ns(void)
{
	return clock_ns(CLOCK_BOOTTIME);
}

int64_t seconds_ahead(int64_t other_s, int64_t before_s, int64_t after_s)
{
	if (before_s > other_s + 1)
		return before_s - other_s - 1;
	return after_s < other_s ? after_s - other_s : 0;
}
