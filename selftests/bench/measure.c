// SPDX-License-Identifier: GPL-2.0-only
/* See measure.h. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure.h"

#define ROUNDS	     3
#define CALLS_MAX    2000
#define IDS_OF_ROUND 40000
#define WINDOW_US    100000

/* The time of 32 lex. */
#define RUN_NS	  32000
#define BEFORE_NS 200

__u64 nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int is_higher(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), is_higher);
	return values[count / 2];
}

/*
 * Slots that the rounds before used up come back with the clock. A CPU takes
 * runs of slots whose begin is aligned, so that a batch of lex costs more or
 * less with the microsecond at which a round begins. The first call reads the
 * clock about 1 us after this, which must not be now before and now after the
 * end of a microsecond.
 */
static void wait_for_slots(void)
{
	usleep(WINDOW_US);
	while ((nanoseconds(CLOCK_REALTIME) + BEFORE_NS) % RUN_NS >= 100)
		;
}

/*
 * The lowest of a few rounds: the kernel's own work in the background adds to
 * a round, and nothing takes away from it. The first round touches memory and
 * fills caches of the kernel, so it does not count.
 */
double count_ids(void (*run)(unsigned int calls, unsigned int ids),
		 unsigned int ids)
{
	unsigned int calls = IDS_OF_ROUND / ids;
	__u64 lowest = ~0ULL;

	if (calls > CALLS_MAX)
		calls = CALLS_MAX;
	if (!calls)
		calls = 1;
	for (unsigned int i = 0; i <= ROUNDS; i++) {
		__u64 start, ns;

		wait_for_slots();
		start = nanoseconds(CLOCK_MONOTONIC);
		run(calls, ids);
		ns = nanoseconds(CLOCK_MONOTONIC) - start;
		if (i && ns < lowest)
			lowest = ns;
	}
	return (double)lowest / calls / ids;
}

void result(const char *table, const char *row, const char *column,
	    double value, bool held)
{
	printf("%s\t%s\t%s\t%.2f%s\n", table, row, column, value,
	       held ? "\theld" : "");
	fflush(stdout);
}
