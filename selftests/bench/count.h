/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost of calls in nanoseconds of CLOCK_MONOTONIC. Under QEMU's "-icount
 * shift=0" a nanosecond is one instruction of the guest, kernel and programs
 * together, so the figures can be repeated.
 */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

#include <stdbool.h>

/* Most IDs of a call. */
#define BATCH_MAX 65536U

/**
 * count_ids() - instructions of an ID
 * @run: make as many calls, for as many IDs each
 * @ids: IDs of each call, up to BATCH_MAX
 */
double count_ids(void (*run)(unsigned int calls, unsigned int ids),
		 unsigned int ids);

/**
 * print_count() - print a result
 * @budget: the highest value that is accepted; 0 if there is none
 * @held: as for result()
 */
void print_count(const char *table, const char *row, const char *column,
		 double value, double budget, bool held);

/* The exit status: 1 if a value was above its budget. */
int count_status(void);

#endif /* BENCH_COUNT_H */
