/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine with scripted clocks and CPUs. It implements the functions that the
 * core needs from its environment, and records the clock steps that the core
 * reports.
 */
#ifndef KUID_UNIT_MACHINE_H
#define KUID_UNIT_MACHINE_H

#include "core/change.h"

/*
 * All threads share the clocks, as on a real machine. The wall clock moves by
 * the same amount.
 */
void machine_set_mono(u64 ns);
void machine_pass(u64 ns);

/* Set the clocks, which stand still from now on, and forget all reports. */
void machine_start(u64 mono, u64 wall);

/* How far the monotonic clock moves at each reading; 0 stops it. */
void machine_set_mono_step(u64 ns);

void machine_set_wall(u64 ns);
void machine_step_wall(s64 by);

/* Read a clock without moving it. */
u64 machine_mono(void);
u64 machine_wall(void);

/* The CPU of the calling thread. */
void machine_set_cpu(unsigned int cpu);

/* The changes that the module makes for an epoch that begins for a reason. */
struct kuid_change machine_change(enum kuid_why why);

/* Clear the counters and the last report. */
void machine_forget(void);

/* How often the core has reported a clock step, or has requested an epoch. */
unsigned int machine_steps(void);
unsigned int machine_epochs_wanted(void);

/* The last report to the calling thread. */
const struct kuid_step *machine_last_step(void);

/* Call a function for each report; NULL for none. */
void machine_on_step(void (*call)(const struct kuid_step *step));

/* Call a function when the core wakes a waiter. */
void machine_on_wake(void (*call)(struct task_struct *task));

#endif /* KUID_UNIT_MACHINE_H */
