/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers for the simulation. Each experiment starts a sequence of its
 * own from the seed and its name, so it gives the same result whether or not
 * other experiments run before it.
 */
#ifndef KUID_FLEET_RANDOM_H
#define KUID_FLEET_RANDOM_H

#include "core/port.h"

void random_seed(u64 seed);
void random_begin(const char *experiment);

u64 random_bits(void);

/* A number from 0 to @below - 1; @below is far below 2^64. */
u64 random_below(u64 below);

/* A number from -@most to @most. */
s64 random_around(s64 most);

/* The time to the next event in nanoseconds, if there are @rate a second. */
u64 random_gap(double rate);

#endif /* KUID_FLEET_RANDOM_H */
