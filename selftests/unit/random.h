/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers for tests, the same again for the same seed. The seed is
 * printed at the start and can be given in the environment variable SEED.
 */
#ifndef KUID_UNIT_RANDOM_H
#define KUID_UNIT_RANDOM_H

#include "core/port.h"

void random_start(void);

/* A number from 0 to below - 1, of the calling thread's own sequence. */
u64 random_below(u64 below);

/* Give the calling thread a sequence of its own, the same for the same n. */
void random_thread(unsigned int n);

#endif /* KUID_UNIT_RANDOM_H */
