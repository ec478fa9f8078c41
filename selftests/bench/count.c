// SPDX-License-Identifier: GPL-2.0-only
/* See count.h. */
#include <unistd.h>

#include "count.h"
#include "measure.h"
#include "result.h"

#define ROUNDS	     3
#define CALLS_MAX    2000
#define IDS_OF_ROUND 40000
#define WINDOW_US    100000

/* The time of 32 lex. */
#define RUN_NS	  32000
#define BEFORE_NS 200

static int above_budget;

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

static unsigned long long measure_round(void (*run)(unsigned int calls,
						    unsigned int ids),
					unsigned int calls, unsigned int ids)
{
	unsigned long long start;

	wait_for_slots();
	start = nanoseconds(CLOCK_MONOTONIC);
	run(calls, ids);
	return nanoseconds(CLOCK_MONOTONIC) - start;
}

/*
 * The lowest of a few rounds: the kernel's own work in the background adds to
 * a round, and nothing takes away from it.
 */
double count_ids(void (*run)(unsigned int calls, unsigned int ids),
		 unsigned int ids)
{
	unsigned int calls = IDS_OF_ROUND / ids;
	unsigned long long lowest;

	if (calls > CALLS_MAX)
		calls = CALLS_MAX;
	if (!calls)
		calls = 1;
	/* The first round touches memory and fills caches of the kernel. */
	measure_round(run, calls, ids);
	lowest = measure_round(run, calls, ids);
	for (unsigned int i = 1; i < ROUNDS; i++) {
		unsigned long long ns = measure_round(run, calls, ids);

		if (ns < lowest)
			lowest = ns;
	}
	return (double)lowest / calls / ids;
}

void print_count(const char *table, const char *row, const char *column,
		 double value, double budget, bool held)
{
	result(table, row, column, value, held);
	if (!budget || result_budget(table, row, column, value, budget, false))
		return;
	printf("%s: %s, %s: %.2f is above the budget of %.2f\n", table, row,
	       column, value, budget);
	above_budget = 1;
}

int count_status(void)
{
	return above_budget;
}
