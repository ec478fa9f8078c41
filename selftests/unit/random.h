/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers for tests. One seed always gives the same numbers. The seed is
 * printed at the start; the environment variable SEED sets it.
 */
#ifndef KUID_UNIT_RANDOM_H
#define KUID_UNIT_RANDOM_H

#include "core/port.h"

void random_start(void);

/* A number from 0 to @below - 1, from the sequence of the calling thread. */
u64 random_below(u64 below);

static inline u64 random_64(void)
{
	return random_below(1ULL << 32) << 32 | random_below(1ULL << 32);
}

/*
 * Give the calling thread its own sequence of numbers. One @n always gives the
 * same sequence.
 */
void random_thread(unsigned int n);

#endif /* KUID_UNIT_RANDOM_H */
