/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The core in this process: what the module does for a read of one ID, without
 * the system call. The clock is CLOCK_MONOTONIC, which is computed from the
 * same counter as the kernel's ktime_get().
 */
#ifndef BENCH_CORE_H
#define BENCH_CORE_H

/* Start a generator with one epoch. Exits if there is no memory. */
void core_start(void);

/* Take a stamp in the order of a file, and make a v6 from it. */
void core_make_v6(unsigned char *id);

#endif /* BENCH_CORE_H */
