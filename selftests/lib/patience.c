// SPDX-License-Identifier: GPL-2.0-only
/*
 * The harness sets a timeout for each test by alarm(). The variable KUID_PATIENCE
 * multiplies this timeout, because tests take longer on a debug kernel.
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
