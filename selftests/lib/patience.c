// SPDX-License-Identifier: GPL-2.0-only
/*
 * The harness sets a timeout for each test by alarm(). Other programs of the
 * host may take the processors of the machine, so the timeout here is three
 * times as long, and grows with the time that the machine needs for some work.
 * The variable KUID_PATIENCE multiplies it further, because tests take longer on
 * a debug kernel.
 */
#include <stdlib.h>
#include <time.h>

#include "patience.h"

/* The work, and how long an emulated machine of its own needs for it at most. */
#define WORK		2000000
#define WORK_MS		5

unsigned int patience(void)
{
	const char *times = getenv("KUID_PATIENCE");

	return times && atoi(times) > 0 ? atoi(times) : 1;
}

/* How many times slower than that the machine is now, at least 1. */
static unsigned int slowness(void)
{
	struct timespec begin, end;
	unsigned int i, x = 1;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < WORK; i++) {
		x = x * 1664525 + 1013904223;
		/* The compiler must not leave it out. */
		__asm__ __volatile__("" : "+r"(x));
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (end.tv_sec - begin.tv_sec) * 1000 +
	     (end.tv_nsec - begin.tv_nsec) / 1000000;
	return ms > WORK_MS ? ms / WORK_MS : 1;
}

unsigned int __wrap_alarm(unsigned int seconds)
{
	/* alarm(0) ends a timeout. */
	return __real_alarm(seconds ? seconds * 3 * patience() * slowness() : 0);
}
