// SPDX-License-Identifier: GPL-2.0-only
/* See random.h. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "random.h"

static unsigned int seed;
static _Thread_local unsigned short state[3];

void random_start(void)
{
	const char *given = getenv("SEED");

	seed = given ? strtoul(given, NULL, 0) : (unsigned long)time(NULL);
	printf("# SEED=%u\n", seed);
	random_thread(0);
}

void random_thread(unsigned int n)
{
	state[0] = seed;
	state[1] = seed >> 16;
	state[2] = n;
}

u64 random_below(u64 below)
{
	u64 high = nrand48(state);
	u64 low = nrand48(state);

	return (high << 31 ^ low) % below;
}
