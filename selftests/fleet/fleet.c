// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fleet of hosts that make IDs:   fleet [--quick | --streams] DIRECTORY
 * Writes the tables and the points of the plots of Documentation/fleets.md to
 * a directory, and checks what they say. --quick leaves out slow experiments;
 * the others give the same results. --streams writes IDs of some hosts, to try
 * how streams are merged.
 */
#include <err.h>
#include <string.h>

#include "experiments.h"
#include "random.h"
#include "report.h"

/* The documents have the results of this seed. */
#define SEED 1

int main(int argc, char **argv)
{
	bool quick = argc == 3 && !strcmp(argv[1], "--quick");
	bool streams = argc == 3 && !strcmp(argv[1], "--streams");

	if (argc != 2 + quick + streams)
		errx(2, "usage: fleet [--quick | --streams] DIRECTORY");
	random_seed(SEED);
	if (streams) {
		write_streams(argv[2]);
		return 0;
	}
	report_start(argv[argc - 1], quick);
	tables_of_odds();
	count_repeats();
	measure_order();
	measure_intervals();
	return !report_end();
}
