/* SPDX-License-Identifier: GPL-2.0-only */
/* Times, and what is taken of many. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <linux/types.h>
#include <stdlib.h>
#include <time.h>

/* Nanoseconds of a clock. */
static inline __u64 nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline int is_higher(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), is_higher);
	return values[count / 2];
}

#endif /* BENCH_MEASURE_H */
