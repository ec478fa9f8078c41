/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ground that the core stands on, in the kernel and in userspace.
 *
 * The core is written in the kernel's terms (u64, atomic64_t, cpu_to_be64).
 * In the kernel they are the kernel's own; elsewhere this header gives the few
 * that the core uses, with the same meaning. Beside them it names the three
 * questions the core asks about the machine, each answered by whoever embeds
 * the core: the kernel below, a library or a test with a scripted clock
 * elsewhere.
 */
#ifndef KUID_CORE_PORT_H
#define KUID_CORE_PORT_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

/* Nanoseconds of a clock that is never set and never goes back on any CPU. */
static inline u64 kuid_port_mono_ns(void)
{
	return ktime_get_ns();
}

/* Wall-clock time, in nanoseconds since 1970, of the moment @mono. */
static inline u64 kuid_port_wall_ns(u64 mono)
{
	return ktime_to_ns(ktime_mono_to_real(ns_to_ktime(mono)));
}

/* The CPU this runs on: a hint, stale as soon as the caller is preempted. */
static inline unsigned int kuid_port_cpu(void)
{
	return raw_smp_processor_id();
}

#else /* !__KERNEL__ */

#include <endian.h>
#include <stdbool.h>
#include <linux/types.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define cpu_to_be32(x) htobe32(x)
#define cpu_to_be64(x) htobe64(x)
#define be64_to_cpu(x) be64toh(x)
#define le64_to_cpu(x) le64toh(x)

#define min(a, b)                       \
	({                              \
		__typeof__(a) _a = (a); \
		__typeof__(b) _b = (b); \
		_a < _b ? _a : _b;      \
	})
#define max(a, b)                       \
	({                              \
		__typeof__(a) _a = (a); \
		__typeof__(b) _b = (b); \
		_a > _b ? _a : _b;      \
	})

#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

/* Make the compiler forget how it got the value of a variable. */
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "+r"(var))

#define BIT_ULL(n) (1ULL << (n))

#define __aligned(x)		     __attribute__((__aligned__(x)))
#define ____cacheline_aligned_in_smp __aligned(64)

typedef s64 atomic64_t;

static inline s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(v, __ATOMIC_RELAXED);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	return __atomic_compare_exchange_n(v, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

u64 kuid_port_mono_ns(void);
u64 kuid_port_wall_ns(u64 mono);
unsigned int kuid_port_cpu(void);

#endif /* !__KERNEL__ */
#endif /* KUID_CORE_PORT_H */
