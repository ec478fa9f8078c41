/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine whose clocks and CPUs a test sets as it likes: what the core asks
 * about the machine is answered from here.
 */
#ifndef KUID_UNIT_MACHINE_H
#define KUID_UNIT_MACHINE_H

#include "core/port.h"

/* Clocks are shared by all threads, as on a real machine. */
void machine_set_mono(u64 ns);
void machine_set_wall_offset(s64 ns);

/* How far the monotonic clock moves at each reading; 0 stops it. */
void machine_set_mono_step(u64 ns);

/*
 * For each nanosecond of the monotonic clock step the wall clock, forward by
 * this on average, back or forth by up to five times as much.
 */
void machine_set_wall_wander(u64 ns);

/* The CPU that the calling thread runs on. */
void machine_set_cpu(unsigned int cpu);

#endif /* KUID_UNIT_MACHINE_H */
