/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The functions that the core needs from its environment: the monotonic clock,
 * the offset of the wall clock, the number of the CPU, waking a waiter, and the
 * report of a change of the clocks.
 *
 * The core is written in the kernel's terms (u64, atomic64_t, cpu_to_be64). A
 * program that embeds the core, the library or a test, has process.h, which
 * defines those that the core uses.
 */
#ifndef KUID_CORE_PORT_H
#define KUID_CORE_PORT_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <asm/byteorder.h>

/*
 * Nanoseconds of a clock that nobody can set, and that never goes back on any
 * CPU.
 */
static inline u64 kuid_port_mono_ns(void)
{
	return ktime_get_ns();
}

/*
 * The wall clock, in nanoseconds since 1970, is the monotonic clock plus this.
 * It changes when the wall clock is set, and after a suspend, which stops the
 * monotonic clock. It does not change at any other time.
 */
static inline u64 kuid_port_wall_offset(void)
{
	return ktime_to_ns(ktime_mono_to_real(0));
}

/*
 * The present CPU. This is only a hint: the caller may be moved to another CPU
 * at any time.
 */
static inline unsigned int kuid_port_cpu(void)
{
	return raw_smp_processor_id();
}

/* Wake a waiter so that it looks at its line. */
static inline void kuid_port_wake(struct task_struct *task)
{
	wake_up_process(task);
}

#else
#include "process.h"
#endif

struct kuid_step;

/*
 * Report that the clocks have changed, in most cases because the wall clock was
 * set. The core calls this without generator->lock, but the caller of the core
 * may hold the lock of a line. Any context but NMI.
 */
void kuid_port_stepped(const struct kuid_step *step);

#endif /* KUID_CORE_PORT_H */
