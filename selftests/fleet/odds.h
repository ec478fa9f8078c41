/* SPDX-License-Identifier: GPL-2.0-only */
/* The odds of repeats, as formulas. */
#ifndef KUID_FLEET_ODDS_H
#define KUID_FLEET_ODDS_H

#define ODDS_DAY     86400.0
#define ODDS_YEAR    (365.25 * ODDS_DAY)
#define ODDS_V7_BITS 47
#define ODDS_LANES   128.0

/* Pairs of hosts. */
double odds_pairs(double hosts);

/* The odds that two of @hosts random numbers of @bits are the same. */
double odds_shared(double hosts, double bits);

/*
 * How many pairs of IDs of different hosts are of the same nanosecond, a
 * second, if each host makes @rate IDs a second at random times.
 */
double odds_same_ns(double hosts, double rate);

/* Repeats of v7 a second. */
double odds_v7(double hosts, double rate);

/*
 * The part of the nanoseconds of a tick in which two epochs with the same node
 * can make the same v1: the offsets of their clock_seq are 0 to 27 each.
 */
double odds_overlap(void);

/* Repeats of v1 a second, and of v6. */
double odds_v1(double hosts, double rate);

/* How many pairs of epochs have the same node at the same time, in @days. */
double odds_epochs(double hosts, double epochs_a_day, double days, double bits);

/*
 * Repeats a second of two hosts with the same number, of a format that begins
 * each of @ticks grid ticks a second with the same slot.
 */
double odds_grid(double rate, double ticks, double tick_s);

/* The same for k96 and k128, whose last grid tick of a second is shorter. */
double odds_korder(double rate);

#endif /* KUID_FLEET_ODDS_H */
