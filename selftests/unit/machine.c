// SPDX-License-Identifier: GPL-2.0-only
/* See machine.h. */
#include <stdatomic.h>

#include "machine.h"

static _Atomic u64 mono;
static _Atomic u64 mono_step;
static _Atomic s64 wall_offset;
static _Atomic u64 wall_wander;
static _Thread_local unsigned int cpu;

void machine_set_mono(u64 ns)
{
	mono = ns;
}

void machine_set_wall_offset(s64 ns)
{
	wall_offset = ns;
}

void machine_set_wall_wander(u64 ns)
{
	wall_wander = ns;
}

void machine_set_mono_step(u64 ns)
{
	mono_step = ns;
}

void machine_set_cpu(unsigned int n)
{
	cpu = n;
}

u64 kuid_port_mono_ns(void)
{
	return atomic_fetch_add(&mono, mono_step);
}

u64 kuid_port_wall_ns(u64 at)
{
	/* The high bits of a product are as good as random. */
	u64 noise = (at * 0x9e3779b97f4a7c15ULL >> 32) % 5;

	return at + wall_offset + (at + noise) * wall_wander;
}

unsigned int kuid_port_cpu(void)
{
	return cpu;
}
