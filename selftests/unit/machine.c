// SPDX-License-Identifier: GPL-2.0-only
/* See machine.h and count.h. */
#include <stdatomic.h>

#include "machine.h"

_Thread_local unsigned long count_locks;
_Thread_local unsigned long count_held;
_Thread_local unsigned long count_accesses;

static _Atomic u64 mono;
static _Atomic u64 mono_step;
static _Atomic u64 wall_offset;
static _Atomic unsigned int steps;
static _Atomic unsigned int epochs_wanted;
static void (*on_step)(const struct kuid_step *step);
static void (*on_wake)(struct task_struct *task);
static _Thread_local struct kuid_step last_step;
static _Thread_local unsigned int cpu;

void machine_set_mono(u64 ns)
{
	mono = ns;
}

void machine_pass(u64 ns)
{
	mono += ns;
}

void machine_set_mono_step(u64 ns)
{
	mono_step = ns;
}

void machine_set_wall(u64 ns)
{
	wall_offset = ns - mono;
}

void machine_step_wall(s64 by)
{
	wall_offset += by;
}

u64 machine_mono(void)
{
	return mono;
}

u64 machine_wall(void)
{
	return mono + wall_offset;
}

void machine_set_cpu(unsigned int n)
{
	cpu = n;
}

void machine_forget(void)
{
	steps = 0;
	epochs_wanted = 0;
	last_step = (struct kuid_step) { 0 };
}

void machine_start(u64 at_mono, u64 wall)
{
	machine_set_mono(at_mono);
	machine_set_mono_step(0);
	machine_set_wall(wall);
	machine_forget();
}

unsigned int machine_steps(void)
{
	return steps;
}

unsigned int machine_epochs_wanted(void)
{
	return epochs_wanted;
}

const struct kuid_step *machine_last_step(void)
{
	return &last_step;
}

void machine_on_step(void (*call)(const struct kuid_step *step))
{
	on_step = call;
}

u64 kuid_port_mono_ns(void)
{
	kuid_port_step();
	return atomic_fetch_add(&mono, mono_step);
}

u64 kuid_port_wall_offset(void)
{
	kuid_port_step();
	return wall_offset;
}

unsigned int kuid_port_cpu(void)
{
	return cpu;
}

void kuid_port_stepped(const struct kuid_step *step)
{
	last_step = *step;
	if (step->by)
		steps++;
	if (step->epoch_wanted)
		epochs_wanted++;
	if (on_step)
		on_step(step);
}

void machine_on_wake(void (*call)(struct task_struct *task))
{
	on_wake = call;
}

void kuid_port_wake(struct task_struct *task)
{
	on_wake(task);
}

struct kuid_change machine_change(enum kuid_why why)
{
	return (struct kuid_change) {
		.why = why,
		.if_behind = why == KUID_EPOCH_STEP,
		.redrawn = why == KUID_EPOCH_FIRST || why == KUID_EPOCH_FORK,
		.fresh_slots = why == KUID_EPOCH_FIRST ||
			       why == KUID_EPOCH_BACK,
		.covers = why == KUID_EPOCH_COVER || why == KUID_EPOCH_BACK,
	};
}
