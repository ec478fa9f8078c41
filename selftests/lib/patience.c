// SPDX-License-Identifier: GPL-2.0-only
/*
 * The harness gives each test so many seconds, by alarm(). On a kernel that
 * checks itself all takes longer; KUID_PATIENCE tells how many times.
 */
#include <stdlib.h>

#include "patience.h"

unsigned int patience(void)
{
	const char *times = getenv("KUID_PATIENCE");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	return __real_alarm(seconds * patience());
}
