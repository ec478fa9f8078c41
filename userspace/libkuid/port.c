// SPDX-License-Identifier: MIT
/*
 * The process's side of core/port.h: clocks, signals and random bytes. No
 * function here is a cancellation point: system calls whose wrappers are
 * cancellation points are made by number.
 */
#include "port.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/port.h"
#include "core/units.h"

#define RELAX_NS 50000

/* Readings of the coarse clocks without a tick between them need few tries. */
#define TRIES 16

u64 kuid_port_mono_ns(void)
{
	return kuid_process_read(CLOCK_MONOTONIC);
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
		before = kuid_process_read(CLOCK_MONOTONIC_COARSE);
		wall = kuid_process_read(CLOCK_REALTIME_COARSE);
		after = kuid_process_read(CLOCK_MONOTONIC_COARSE);
		if (offset - (wall - after) <= after - before)
			return offset;
	} while (before != after && ++tries < TRIES);
	offset = wall - before;
	WRITE_ONCE(told, offset);
	return offset;
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

unsigned long kuid_process_block_signals(void)
{
	unsigned long former = 0;

	set_blocked(~0UL, &former);
	return former;
}

void kuid_process_restore_signals(unsigned long blocked)
{
	set_blocked(blocked, NULL);
}

void kuid_process_sleep(void)
{
	const struct timespec time = { .tv_nsec = RELAX_NS };

	syscall(SYS_nanosleep, &time, NULL);
}

/* Draw random bytes; false and errno if a signal has ended the wait for them. */
bool kuid_process_draw(void *random, size_t size)
{
	return syscall(SYS_getrandom, random, size, 0) == (ssize_t)size;
}
