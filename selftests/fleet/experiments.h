/* SPDX-License-Identifier: GPL-2.0-only */
/* The experiments. fleet.py compares what they print with formulas. */
#ifndef KUID_FLEET_EXPERIMENTS_H
#define KUID_FLEET_EXPERIMENTS_H

#include <stdbool.h>

/* Leave out what is slow. */
extern bool only_quick;

/* "counted", the experiment, and the count. */
void count_repeats(void);

/*
 * How far the IDs of many hosts are out of order: "order" or "point", the
 * fleet, the highest difference of two clocks and the bound, both in
 * nanoseconds; how far IDs are out of order at most, in nanoseconds, in places
 * at most and in the mean.
 */
void measure_order(void);

/*
 * The effect of I on the order of k96: "interval", I, IDs a second, and the
 * same three values. And "pairs", I, seconds, and which part of the pairs of
 * IDs that were made so long apart is out of order.
 */
void measure_intervals(void);

/*
 * The v7 of some hosts: "stream", the host, the ID, and its true time in
 * nanoseconds, in the order of each host.
 */
void print_streams(void);

#endif /* KUID_FLEET_EXPERIMENTS_H */
