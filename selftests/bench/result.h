/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of a benchmark, as report.awk takes them. */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Print a result: a value of a table, by the names of its row and column. A
 * quick run measures the values that are held to the record, and no others.
 */
static inline void result(const char *table, const char *row,
			  const char *column, double value, bool held)
{
	printf("%s\t%s\t%s\t%.2f%s\n", table, row, column, value,
	       held ? "\theld" : "");
	fflush(stdout);
}

#endif /* BENCH_RESULT_H */
