/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine whose clocks and CPUs a test sets as it likes: what the core asks
 * about the machine is answered from here, and what it says is kept.
 */
#ifndef KUID_UNIT_MACHINE_H
#define KUID_UNIT_MACHINE_H

#include "core/generator.h"

/* All threads share clocks, as on a real machine. The wall clock goes along. */
void machine_set_mono(u64 ns);
void machine_pass(u64 ns);

/* How far the monotonic clock moves at each reading; 0 stops it. */
void machine_set_mono_step(u64 ns);

/* Set the wall clock. */
void machine_set_wall(u64 ns);
void machine_step_wall(s64 by);

/* Both clocks as they are, without the clock moving. */
u64 machine_mono(void);
u64 machine_wall(void);

/* The CPU that the calling thread runs on. */
void machine_set_cpu(unsigned int cpu);

/* Forget what the core has said. */
void machine_forget(void);

/* How often the core has found the wall clock set, or wanted an epoch. */
unsigned int machine_steps(void);
unsigned int machine_epochs_wanted(void);

/* What it has said to the calling thread last. */
const struct kuid_step *machine_last_step(void);

/* To be called in its place; NULL for nothing. */
void machine_on_step(void (*call)(const struct kuid_step *step));

/* To be called when a task that waits in a line is to look at it. */
void machine_on_wake(void (*call)(struct task_struct *task));

#endif /* KUID_UNIT_MACHINE_H */
