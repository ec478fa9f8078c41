// SPDX-License-Identifier: GPL-2.0-only
/* The tables of odds. */
#include <math.h>

#include "core/formats.h"
#include "experiments.h"
#include "odds.h"
#include "report.h"

static const double sizes[] = { 10, 100, 1e3, 1e4, 1e5, 1e6 };
static const double rates[] = { 100, 1e4 };
static const double epochs[] = { 1.0 / 30, 1, 24 };

/* The formulas give values that were computed in other ways. */
static void check_formulas(void)
{
	const struct {
		const char *what;
		double is;
		double wanted;
	} known[] = {
		{ "birthdays of 23 people", odds_shared(23, log2(365)), 0.500 },
		{ "v7, 10^4 hosts, repeats a year",
		  odds_v7(1e4, 1e4) * ODDS_YEAR, 8.76e-3 },
		{ "v7, 10^6 hosts, repeats a year",
		  odds_v7(1e6, 1e4) * ODDS_YEAR, 87.6 },
		{ "k96, 10^4 hosts, a shared node", odds_shared(1e4, 32),
		  0.01157 },
		{ "k96, two hosts with few IDs", odds_korder(0.01),
		  0.0001 * 1.0236e-3 },
		/* Each takes the first slots of a tick: nearly all repeat. */
		{ "k96, two hosts with many IDs", odds_korder(1e6), 1e6 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		report_check(fabs(known[i].is / known[i].wanted - 1) < 0.03,
			     "formula: %s: %.4g", known[i].what, known[i].is);
}

static void table_of_repeats(void)
{
	size_t i, j;

	report_table("repeats", "hosts | IDs a second of each | "
				"v7: repeats a year | v1, v6: repeats a year");
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (j = 0; j < ARRAY_SIZE(rates); j++)
			report_row(
				"%.0f | %.0f | %s | %s", sizes[i], rates[j],
				NUMBER(odds_v7(sizes[i], rates[j]) * ODDS_YEAR),
				NUMBER(odds_v1(sizes[i], rates[j]) *
				       ODDS_YEAR));
}

static void table_of_epochs(void)
{
	size_t i, j;

	report_table("epochs", "hosts | one epoch in 30 days | one a day | "
			       "24 a day");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		double odds[ARRAY_SIZE(epochs)];

		for (j = 0; j < ARRAY_SIZE(epochs); j++)
			odds[j] = -expm1(-odds_epochs(sizes[i], epochs[j],
						      ODDS_YEAR / ODDS_DAY,
						      ODDS_V7_BITS));
		report_row("%.0f | %s | %s | %s", sizes[i], ODDS(odds[0]),
			   ODDS(odds[1]), ODDS(odds[2]));
	}
}

static void table_of_numbers(void)
{
	size_t i;

	report_table("numbers", "hosts | 10 bits: snowflake | 32 bits: k96 | "
				"64 bits: lex, k128");
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		report_row("%.0f | %s | %s | %s", sizes[i],
			   ODDS(odds_shared(sizes[i], 10)),
			   ODDS(odds_shared(sizes[i], 32)),
			   ODDS(odds_shared(sizes[i], 64)));
}

static void table_of_pairs(void)
{
	double rate;

	report_table("pairs", "IDs a second of each | k96, k128 | snowflake | "
			      "lex");
	for (rate = 1; rate <= 1e5; rate *= 10)
		report_row("%.0f | %s | %s | %s", rate,
			   NUMBER(odds_korder(rate)),
			   NUMBER(odds_grid(rate, 1000, 1e-3)),
			   NUMBER(odds_grid(rate, KUID_LEX_RATE, 1e-6)));
}

static void lines_of_plots(void)
{
	double at;

	for (at = 10; at < 1.1e6; at *= 1.25) {
		report_point("shared-10", at, odds_shared(at, 10));
		report_point("shared-32", at, odds_shared(at, 32));
		report_point("shared-47", at, odds_shared(at, 47));
		report_point("shared-64", at, odds_shared(at, 64));
	}
}

void tables_of_odds(void)
{
	check_formulas();
	table_of_repeats();
	table_of_epochs();
	table_of_numbers();
	table_of_pairs();
	lines_of_plots();
}
