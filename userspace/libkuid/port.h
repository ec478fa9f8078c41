/* SPDX-License-Identifier: MIT */
/*
 * The process's side of core/port.h: macros for the core's locks. A file that
 * takes these locks includes this before any file of the core.
 */
#ifndef KUID_LIB_PORT_H
#define KUID_LIB_PORT_H

#include <linux/kuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

unsigned long kuid_process_block_signals(void);
void kuid_process_restore_signals(unsigned long blocked);
void kuid_process_sleep(void);
bool kuid_process_draw(void *random, size_t size);

/*
 * A signal handler may make an ID. If it interrupted the holder of a lock, it
 * would wait for this lock forever, so block signals while a lock is held.
 */
#define kuid_port_irq_save()	     kuid_process_block_signals()
#define kuid_port_irq_restore(flags) kuid_process_restore_signals(flags)

/*
 * Yielding is not enough: the other thread may be of a lower priority. A test
 * that runs one thread at a time has its own.
 */
#ifndef kuid_port_relax
#define kuid_port_relax() kuid_process_sleep()
#endif

#include "core/port.h"
#include "core/units.h"

/* In nanoseconds. Reading the clocks that Linux always has can't fail. */
static inline u64 kuid_process_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * KUID_SEC_NS + now.tv_nsec;
}

/*
 * The wall clock, in nanoseconds since 1970. Linux does not let anyone set it
 * to a time that IDs can't have, but a program may be shown such a time, as by
 * libfaketime: then KUID_NO_TIME, at which no lane has stamps.
 */
#define KUID_NO_TIME (~0ULL)

static inline u64 kuid_process_wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (unlikely((u64)now.tv_sec > KUID_TIME_MAX_NS / KUID_SEC_NS))
		return KUID_NO_TIME;
	return now.tv_sec * KUID_SEC_NS + now.tv_nsec;
}

#endif /* KUID_LIB_PORT_H */
