// SPDX-License-Identifier: GPL-2.0-only
/* See odds.h. */
#include <math.h>
#include <stdlib.h>

#include "core/formats.h"
#include "core/parts.h"
#include "odds.h"

double odds_pairs(double hosts)
{
	return hosts * (hosts - 1) / 2;
}

double odds_shared(double hosts, double bits)
{
	return -expm1(-odds_pairs(hosts) / exp2(bits));
}

double odds_same_ns(double hosts, double rate)
{
	return odds_pairs(hosts) * rate * rate / 1e9;
}

double odds_v7(double hosts, double rate)
{
	return odds_same_ns(hosts, rate) / ODDS_LANES / exp2(ODDS_V7_BITS);
}

double odds_overlap(void)
{
	const int offsets = KUID_SEQ_OFFSET_MAX + 1;
	double sum = 0;
	int a, b;

	for (a = 0; a < offsets; a++)
		for (b = 0; b < offsets; b++)
			sum += KUID_TICK_NS - abs(a - b);
	return sum / offsets / offsets / KUID_TICK_NS;
}

double odds_v1(double hosts, double rate)
{
	return odds_v7(hosts, rate) * odds_overlap();
}

double odds_epochs(double hosts, double epochs_a_day, double days, double bits)
{
	/* Each new epoch of one of the two meets the other host's. */
	return odds_pairs(hosts) * (1 + 2 * epochs_a_day * days) / exp2(bits);
}

/* The mean of the lower of two Poisson numbers with the same mean. */
static double mean_of_lower(double mean)
{
	double above = 1;
	double sum = 0;
	int k;

	/* The sum of P(X >= k)^2, where far terms are 0. */
	for (k = 1; k < mean + 20 * sqrt(mean) + 20; k++) {
		above -= exp((k - 1) * log(mean) - mean - lgamma(k));
		above = fmax(above, 0);
		sum += above * above;
	}
	return sum;
}

double odds_grid(double rate, double ticks, double tick_s)
{
	return ticks * mean_of_lower(rate * tick_s);
}

double odds_korder(double rate)
{
	const double tick_s = KUID_GRID_TICK_NS / 1e9;
	const double last_s = 1 - (KUID_GRID_TICKS - 1) * tick_s;

	return odds_grid(rate, KUID_GRID_TICKS - 1, tick_s) +
	       odds_grid(rate, 1, last_s);
}
