// SPDX-License-Identifier: MIT
/*
 * Answers the core's questions about the machine in a process. No function here
 * is a cancellation point, so system calls that would be are made by number.
 */
#include "ground.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/format.h"
#include "core/port.h"

#define RELAX_NS 50000

/* Readings of clocks that all lie between two ticks come after few tries. */
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
 * The kernel does not tell what it adds to one clock to get the other. But the
 * coarse clocks stand still between ticks, so that their difference is that
 * number, to the nanosecond. Where they don't, because this is not Linux but
 * looks like it, readings only tell between which two it lies; then the one
 * that was told last is kept as long as it may be true.
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

/* The kernel's own set of signals, which is one word: glibc's holds some back. */
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
