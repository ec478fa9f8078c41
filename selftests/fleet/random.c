// SPDX-License-Identifier: GPL-2.0-only
/* See random.h. The generator is SplitMix64. */
#include <math.h>

#include "core/lexical.h"
#include "random.h"

static u64 seed;
static u64 state;

void random_seed(u64 number)
{
	seed = number;
}

void random_begin(const char *experiment)
{
	state = seed ^ kuid_lex_worker(experiment, strlen(experiment));
}

u64 random_bits(void)
{
	u64 x = state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

u64 random_below(u64 below)
{
	return random_bits() % below;
}

s64 random_around(s64 most)
{
	return (s64)random_below(2 * most + 1) - most;
}

u64 random_gap(double rate)
{
	double uniform = ((random_bits() >> 11) + 0.5) / (double)BIT_ULL(53);

	return -log(uniform) / rate * 1e9;
}
