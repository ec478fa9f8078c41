// SPDX-License-Identifier: MIT
/*
 * The process's side of core/port.h: clocks, CPUs and signals. No function here
 * is a cancellation point: system calls whose wrappers are cancellation points
 * are made by number.
 */
#include "ground.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/port.h"
#include "core/units.h"

#define RELAX_NS 50000

/* Readings of the coarse clocks without a tick between them need few tries. */
#define TRIES 16

static u64 read_clock(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return now.tv_sec * KUID_SEC_NS + now.tv_nsec;
}

u64 kuid_port_mono_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/*
 * The kernel doesn't export the offset between the two clocks. But both coarse
 * clocks change only at ticks, so between two ticks their difference is that
 * offset, to the nanosecond. On a system that emulates Linux with coarse clocks
 * that change at any time, readings only give bounds of the offset; then keep
 * the last offset as long as it is within the bounds.
 */
u64 kuid_port_wall_offset(void)
{
	static u64 told;
	u64 offset = READ_ONCE(told);
	u64 before, wall, after;
	unsigned int tries = 0;

	do {
		before = read_clock(CLOCK_MONOTONIC_COARSE);
		wall = read_clock(CLOCK_REALTIME_COARSE);
		after = read_clock(CLOCK_MONOTONIC_COARSE);
		if (offset - (wall - after) <= after - before)
			return offset;
	} while (before != after && ++tries < TRIES);
	offset = wall - before;
	WRITE_ONCE(told, offset);
	return offset;
}

unsigned int kuid_port_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < 0 ? 0 : cpu;
}

/*
 * By number, with the kernel's set of signals, which is one word: glibc's
 * wrapper never blocks the two signals that glibc uses itself.
 */
static void set_blocked(unsigned long blocked, unsigned long *former)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, former,
		sizeof(blocked));
}

unsigned long kuid_ground_block_signals(void)
{
	unsigned long former = 0;

	set_blocked(~0UL, &former);
	return former;
}

void kuid_ground_restore_signals(unsigned long blocked)
{
	set_blocked(blocked, NULL);
}

void kuid_ground_sleep(void)
{
	const struct timespec time = { .tv_nsec = RELAX_NS };

	syscall(SYS_nanosleep, &time, NULL);
}
