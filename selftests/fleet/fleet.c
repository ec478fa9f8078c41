// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fleet of hosts that make IDs:   fleet [--quick] [--seed N] DIRECTORY
 *                                   fleet --streams DIRECTORY
 * Writes the tables and the points of the plots of Documentation/fleets.md to
 * a directory, and checks what they say. --quick leaves out slow experiments;
 * the others give the same results. --streams writes IDs of some hosts, to try
 * how streams are merged.
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments.h"
#include "random.h"
#include "report.h"

/* The documents have the results of this seed. */
#define SEED 1

static int usage(void)
{
	fputs("usage: fleet [--quick] [--seed N] DIRECTORY\n"
	      "       fleet --streams DIRECTORY\n",
	      stderr);
	return 2;
}

static bool take_seed(u64 *seed, const char *text)
{
	char *end;

	errno = 0;
	*seed = strtoull(text, &end, 0);
	if (end != text && !*end && !errno && *text != '-')
		return true;
	warnx("not a seed: \"%s\"", text);
	return false;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "seed", required_argument, NULL, 's' },
		{ "streams", no_argument, NULL, 't' },
		{ 0 },
	};
	bool quick = false, streams = false;
	u64 seed = SEED;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'q')
			quick = true;
		else if (c == 't')
			streams = true;
		else if (c != 's' || !take_seed(&seed, optarg))
			return usage();
	}
	if (optind != argc - 1)
		return usage();

	random_seed(seed);
	if (streams) {
		write_streams(argv[optind]);
		return 0;
	}
	printf("# SEED=%llu\n", (unsigned long long)seed);
	report_start(argv[optind], quick);
	tables_of_odds();
	count_repeats();
	measure_order();
	measure_intervals();
	return !report_end();
}
