/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of a benchmark, as report.py takes them. */
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

/*
 * Print a row of the table of budgets: the highest value that is accepted for a
 * result, or the lowest one. Returns whether it is kept.
 */
static inline bool result_budget(const char *table, const char *row,
				 const char *column, double value,
				 double budget, bool is_lowest)
{
	bool kept = is_lowest ? value >= budget : value <= budget;

	printf("budgets\t%s, %s, %s\tmeasured\t%.2f\n", table, row, column,
	       value);
	printf("budgets\t%s, %s, %s\t%s\t%.2f\n", table, row, column,
	       is_lowest ? "at least" : "at most", budget);
	printf("budgets\t%s, %s, %s\tkept\t%s\n", table, row, column,
	       kept ? "yes" : "no");
	return kept;
}

#endif /* BENCH_RESULT_H */
