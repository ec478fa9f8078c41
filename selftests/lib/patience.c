// SPDX-License-Identifier: GPL-2.0-only
/*
 * The harness sets a timeout for each test by alarm(). It is three times as long
 * here, because other programs of the host may take the processors of the
 * machine. The variable KUID_PATIENCE multiplies it further, because tests take
 * longer on a debug kernel.
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
	return __real_alarm(seconds * 3 * patience());
}
