/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packing IDs into user memory, and the short path of a read of one ID. The
 * loop that packs is inlined together with the store, so no ID is copied on its
 * way to the caller. sink.c has all other sinks and lines of text.
 */
#ifndef KUID_USER_H
#define KUID_USER_H

#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "core/formats.h"
#include "counters.h"
#include "epochs.h"
#include "events.h"
#include "make.h"
#include "reserve.h"
#include "sink.h"

/*
 * Store an ID at *@to, and advance *@to. The caller is inside
 * user_access_begin().
 */
static __always_inline bool kuid_user_put(u8 __user **to, __be64 high,
					  __be64 low, const size_t size)
{
	unsafe_put_user(high, (__be64 __user *)*to, fault);
	if (size == 12)
		unsafe_put_user(cpu_to_be32(be64_to_cpu(low) >> 32),
				(__be32 __user *)(*to + 8), fault);
	if (size == 16)
		unsafe_put_user(low, (__be64 __user *)(*to + 8), fault);
	*to += size;
	return true;
fault:
	return false;
}

static __always_inline bool kuid_user_put_8(void *sink, __be64 high, __be64 low)
{
	return kuid_user_put(sink, high, low, 8);
}

static __always_inline bool kuid_user_put_12(void *sink, __be64 high,
					     __be64 low)
{
	return kuid_user_put(sink, high, low, 12);
}

static __always_inline bool kuid_user_put_16(void *sink, __be64 high,
					     __be64 low)
{
	return kuid_user_put(sink, high, low, 16);
}

/*
 * The store for IDs of @id_size bytes. With a function for each format in place
 * of this choice, gcc 12 has no registers left in the loops of batches: an ID
 * of k128 costs 12 instructions then, not 9.
 */
static __always_inline kuid_put_t kuid_user_put_of(const size_t id_size)
{
	BUILD_BUG_ON(id_size != 8 && id_size != 12 && id_size != 16);
	return id_size == 8    ? kuid_user_put_8
	       : id_size == 12 ? kuid_user_put_12
			       : kuid_user_put_16;
}

/**
 * kuid_user_store - pack IDs from a reservation into user memory
 * @format: KUID_FORMAT_*
 * @at: user address of the first one, with any alignment
 * @sink: as for kuid_format_pack()
 * @size: bytes of an ID or of the longest line
 * @taken: the reservation
 * @random: as for kuid_format_pack()
 * @put: stores an ID
 *
 * Context: process. May fault, and so sleep for user memory.
 * Return: the number of IDs that were stored.
 */
static __always_inline u32 kuid_user_store(const u32 format, u8 __user *at,
					   void *sink, const size_t size,
					   const struct kuid_taken *taken,
					   const u8 *random, kuid_put_t put)
{
	u32 stored;

	if (!user_access_begin(at, taken->units.count * size))
		return 0;
	stored = kuid_format_pack(format, sink, &taken->units,
				  &taken->origin.identity, random, put);
	user_access_end();
	return stored;
}

/* Draw the random bytes of @count IDs, and the pad behind them. */
static __always_inline void kuid_user_draw(u8 *random, const u32 count)
{
	u64 bits;

	static_assert(KUID_RANDOM_SIZE_MAX + KUID_V7_RANDOM_PAD ==
		      sizeof(bits));

	if (count > 1) {
		kuid_sink_draw(random, count);
		return;
	}
	bits = get_random_u64();
	memcpy(random, &bits, sizeof(bits));
}

/*
 * The short path of a call: make up to @want->count IDs from one reservation.
 * Most calls ask for one ID or a few, so this path has no line, no chunk and no
 * lock. It makes none if the call's line is not empty, or anything else is
 * unusual; the caller then takes the general path. @at, @sink, @size,
 * @random and @put are those of kuid_user_store(). @made may be NULL in a call
 * for one ID. Returns true if all of a reservation was stored.
 */
static __always_inline bool
kuid_user_chunk(const struct kuid_want *want, const bool single,
		const u32 format, u8 __user *at, void *sink, const size_t size,
		u8 *random, kuid_put_t put, struct kuid_made *made)
{
	struct kuid_taken taken;
	u32 stored;

	if (!kuid_reserve_passes(want->source, single))
		return false;

	rcu_read_lock_sched();
	kuid_generator_take(&kuid_host, want, &taken);
	/* Here, gcc 12 joins these checks with those of the take. */
	if (unlikely(!taken.units.count) || unlikely(taken.origin.closed)) {
		rcu_read_unlock_sched();
		return false;
	}
	rcu_read_unlock_sched();
	if (made && !kuid_made_goes_on(made, &taken))
		return false;
	if (kuid_formats[format].random_size)
		kuid_user_draw(random, taken.units.count);
	stored = kuid_user_store(format, at, sink, size, &taken, random, put);
	if (unlikely(!stored) ||
	    unlikely(!kuid_events_let_pass(want->part, taken.origin.epoch)))
		return false;
	/* Tell the compiler: it can't know that 1 was stored. */
	if (single)
		stored = 1;
	if (made)
		kuid_made_add(made, &taken, stored);
	this_cpu_add(kuid_counters.ids[format], stored);
	return stored == taken.units.count;
}

/* Make one ID. Returns false if the general path must make it. */
static __always_inline bool
kuid_user_one(struct kuid_watermarks *watermarks, const enum kuid_order order,
	      const u32 format, u8 __user *at, void *sink, const size_t size,
	      kuid_put_t put, struct kuid_made *made)
{
	const struct kuid_want want =
		kuid_want_for(format, watermarks, order, 1);
	u64 random;

	return kuid_user_chunk(&want, true, format, at, sink, size,
			       (u8 *)&random, put, made);
}

/**
 * kuid_user_single - make one ID in user memory, by the short path
 * @watermarks: the watermarks of the open file
 * @order: the IDs that the new one must be above; a constant, so that the code
 *	for other orders is left out
 * @format: KUID_FORMAT_*
 * @to: user address with any alignment
 * @made: the call, which has made no ID yet; updated. May be NULL
 *
 * Context: process; there is an epoch. Does not sleep for an ID, but may fault,
 * and so sleep for user memory.
 * Return: true; or false if the caller must use kuid_make(), which makes the ID
 * or returns the error.
 */
static __always_inline bool kuid_user_single(struct kuid_watermarks *watermarks,
					     const enum kuid_order order,
					     u32 format, u8 __user *to,
					     struct kuid_made *made)
{
	switch (format) {
#define KUID_USER_SINGLE(_name, _NAME, _id_size, ...)                        \
	case KUID_FORMAT_##_NAME:                                            \
		return kuid_user_one(watermarks, order, KUID_FORMAT_##_NAME, \
				     to, &to, _id_size,                      \
				     kuid_user_put_of(_id_size), made);
		KUID_FORMATS(KUID_USER_SINGLE)
#undef KUID_USER_SINGLE
	}
	return false;
}

#endif /* KUID_USER_H */
