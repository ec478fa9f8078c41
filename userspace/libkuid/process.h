/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The terms of the kernel that the core is written in (u64, atomic64_t,
 * cpu_to_be64), for a process, with the same meaning. core/port.h includes this
 * file. The program that embeds the core implements the functions at the end:
 * the library, or a test with a scripted clock.
 */
#ifndef KUID_PROCESS_H
#define KUID_PROCESS_H

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
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
		__typeof__(a) _x = (a); \
		__typeof__(b) _y = (b); \
		_x > _y ? _x : _y;      \
	})

#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))

/* Hide from the compiler how it got the value of a variable. */
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "+r"(var))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define BIT_ULL(n) (1ULL << (n))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define noinline		     __attribute__((__noinline__))
#define __maybe_unused		     __attribute__((__unused__))
#define __aligned(x)		     __attribute__((__aligned__(x)))
#define ____cacheline_aligned_in_smp __aligned(64)

/*
 * Called before each access to memory that threads share. A test that runs one
 * thread at a time chooses here which thread goes on.
 */
#ifndef kuid_port_step
#define kuid_port_step() ((void)0)
#endif

/* Called while this thread waits for another one. */
#ifndef kuid_port_relax
#include <sched.h>
#define kuid_port_relax() sched_yield()
#endif

#define READ_ONCE(x)                                     \
	({                                               \
		kuid_port_step();                        \
		__atomic_load_n(&(x), __ATOMIC_RELAXED); \
	})
#define WRITE_ONCE(x, value)                                       \
	({                                                         \
		kuid_port_step();                                  \
		__atomic_store_n(&(x), (value), __ATOMIC_RELAXED); \
	})
/* A read that may race with a plain store. */
#define data_race(x) (x)

#define smp_load_acquire(p)                           \
	({                                            \
		kuid_port_step();                     \
		__atomic_load_n(p, __ATOMIC_ACQUIRE); \
	})
#define smp_store_release(p, value)                             \
	({                                                      \
		kuid_port_step();                               \
		__atomic_store_n(p, (value), __ATOMIC_RELEASE); \
	})
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#ifdef __x86_64__
#define smp_mb__after_exchange() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define smp_mb__after_exchange() smp_mb()
#endif

typedef s64 atomic64_t;

static inline s64 atomic64_read(const atomic64_t *v)
{
	return READ_ONCE(*v);
}

static inline void atomic64_set(atomic64_t *v, s64 value)
{
	WRITE_ONCE(*v, value);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	bool done;

	kuid_port_step();
	done = __atomic_compare_exchange_n(v, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
	/*
	 * In the kernel, a successful exchange also orders all later accesses.
	 * An instruction of x86 that exchanges does so by itself.
	 */
	if (done)
		smp_mb__after_exchange();
	return done;
}

typedef struct {
	int locked;
} raw_spinlock_t;

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
	lock->locked = 0;
}

static inline bool raw_spin_trylock(raw_spinlock_t *lock)
{
	kuid_port_step();
	return !__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE);
}

/*
 * Userspace has no interrupts. A program whose signal handlers ask for IDs
 * defines these two to block signals. Otherwise a handler could wait forever
 * for a lock that the interrupted code holds.
 */
#ifndef kuid_port_irq_save
#define kuid_port_irq_save()	     0UL
#define kuid_port_irq_restore(flags) ((void)(flags))
#endif

#define lockdep_assert_held(lock) ((void)(lock))

#define raw_spin_lock_irqsave(lock, flags)      \
	do {                                    \
		(flags) = kuid_port_irq_save(); \
		while (!raw_spin_trylock(lock)) \
			kuid_port_relax();      \
	} while (0)

static inline void raw_spin_unlock_irqrestore(raw_spinlock_t *lock,
					      unsigned long flags)
{
	kuid_port_step();
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
	kuid_port_irq_restore(flags);
}

u64 kuid_port_mono_ns(void);
u64 kuid_port_wall_offset(void);
unsigned int kuid_port_cpu(void);

struct task_struct;
void kuid_port_wake(struct task_struct *task);

#endif /* KUID_PROCESS_H */
