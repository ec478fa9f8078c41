/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables and the experiments, each with checks of its own. */
#ifndef KUID_FLEET_EXPERIMENTS_H
#define KUID_FLEET_EXPERIMENTS_H

/* The odds of repeats, from formulas. */
void tables_of_odds(void);

/* Repeats that are counted, compared with these formulas. */
void count_repeats(void);

/* How far the IDs of many hosts are out of order. */
void measure_order(void);

/* What I does to the order of k96. */
void measure_intervals(void);

/*
 * Print the v7 of some hosts to files host-N.ids in a directory, in the order
 * of each host, and to made.tsv with the true time of each ID in nanoseconds.
 */
void write_streams(const char *directory);

#endif /* KUID_FLEET_EXPERIMENTS_H */
