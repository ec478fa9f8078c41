// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fleet of hosts that make IDs:   fleet [--quick | --streams]
 * Prints what fleet.py makes tables of: lines of a kind and its values, with
 * tabs between them. --quick leaves out slow experiments; the others give the
 * same results. --streams prints IDs of some hosts, to try how streams are
 * merged.
 */
#include <err.h>
#include <string.h>

#include "experiments.h"
#include "random.h"

/* The documents have the results of this seed. */
#define SEED 1

bool only_quick;

int main(int argc, char **argv)
{
	const char *option = argc == 2 ? argv[1] : "";
	bool streams = !strcmp(option, "--streams");

	only_quick = !strcmp(option, "--quick");
	if (argc != 1 + only_quick + streams)
		errx(2, "usage: fleet [--quick | --streams]");
	random_seed(SEED);
	if (streams) {
		print_streams();
		return 0;
	}
	count_repeats();
	measure_order();
	measure_intervals();
	return 0;
}
