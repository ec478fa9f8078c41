/* SPDX-License-Identifier: GPL-2.0-only */
/* The measuring loop, and the results as report.py takes them. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#endif

/* Most IDs of a call. */
#define BATCH_MAX 65536U

/* Nanoseconds of a clock. */
__u64 nanoseconds(clockid_t clock);

/* Sorts the values. */
double median(double *values, size_t count);

/**
 * count_ids() - instructions of an ID
 * @run: make as many calls, for as many IDs each
 * @ids: IDs of each call, up to BATCH_MAX
 *
 * These are nanoseconds of CLOCK_MONOTONIC: under QEMU's "-icount shift=0" a
 * nanosecond is one instruction of the guest, kernel and programs together, so
 * the figures can be repeated.
 */
double count_ids(void (*run)(unsigned int calls, unsigned int ids),
		 unsigned int ids);

/*
 * Print a result: a value of a table, by the names of its row and column. A
 * quick run measures the values that are held to the record, and no others.
 */
void result(const char *table, const char *row, const char *column,
	    double value, bool held);

#endif /* BENCH_MEASURE_H */
