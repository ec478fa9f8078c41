/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Twitter's Snowflake, format snowflake: a bit that is 0, 41 bits of
 * milliseconds since an epoch of its own, 10 bits of worker and 12 bits of
 * sequence number within the millisecond.
 *
 * A millisecond has 4,096 slots, which are numbered from 1970 on like those of
 * all sequences. Only packing counts from the epoch.
 */
#ifndef KUID_CORE_SNOWFLAKE_H
#define KUID_CORE_SNOWFLAKE_H

#include "units.h"

#define KUID_SNOWFLAKE_SEQ_BITS	   12
#define KUID_SNOWFLAKE_SEQ_MAX	   ((1U << KUID_SNOWFLAKE_SEQ_BITS) - 1)
#define KUID_SNOWFLAKE_WORKER_BITS 10
#define KUID_SNOWFLAKE_MS_BITS	   41
#define KUID_SNOWFLAKE_MS_SHIFT \
	(KUID_SNOWFLAKE_WORKER_BITS + KUID_SNOWFLAKE_SEQ_BITS)

/* Slots of a second. */
#define KUID_SNOWFLAKE_RATE ((u64)1000 << KUID_SNOWFLAKE_SEQ_BITS)

/* The first slot of the millisecond that holds a time. */
static inline u64 kuid_snowflake_slot(u64 ns)
{
	return ns / KUID_MS_NS << KUID_SNOWFLAKE_SEQ_BITS;
}

/* The time at which the millisecond of a slot begins. */
static inline u64 kuid_snowflake_ns(u64 slot)
{
	return (slot >> KUID_SNOWFLAKE_SEQ_BITS) * KUID_MS_NS;
}

/* The lowest number of slots in a span of time. */
static inline u64 kuid_snowflake_slots(u64 span_ns)
{
	return span_ns / KUID_MS_NS << KUID_SNOWFLAKE_SEQ_BITS;
}

/*
 * The first time that has an ID, and the first one behind those that have. The
 * epoch's own millisecond has none, so no ID is 0, and no text has less than 7
 * digits.
 */
static inline u64 kuid_snowflake_first_ns(const struct kuid_identity *identity)
{
	return (identity->snowflake_epoch + 1) * KUID_MS_NS;
}

static inline u64 kuid_snowflake_end_ns(const struct kuid_identity *identity)
{
	return (identity->snowflake_epoch + BIT_ULL(KUID_SNOWFLAKE_MS_BITS)) *
	       KUID_MS_NS;
}

/**
 * kuid_snowflake_of - put an ID together
 * @ms: milliseconds since the epoch, 41 bits
 * @worker: the worker, 10 bits
 * @seq: the sequence number, 12 bits
 *
 * Context: any.
 * Return: the ID.
 */
static __always_inline u64 kuid_snowflake_of(u64 ms, u32 worker, u32 seq)
{
	return ms << KUID_SNOWFLAKE_MS_SHIFT |
	       (u64)worker << KUID_SNOWFLAKE_SEQ_BITS | seq;
}

/*
 * Snowflakes. See kuid_format_pack(). Within a millisecond, the ID of the next
 * slot is the ID plus 1.
 */
static __always_inline u32 kuid_snowflake_pack(void *sink,
					       const struct kuid_units *slots,
					       const struct kuid_identity *id,
					       const u8 *random, kuid_put_t put)
{
	u64 slot = slots->first;
	u64 end = slot + slots->count;

	do {
		u64 next_ms = (slot | KUID_SNOWFLAKE_SEQ_MAX) + 1;
		u64 stop = min(end, next_ms);
		u64 ms =
			(slot >> KUID_SNOWFLAKE_SEQ_BITS) - id->snowflake_epoch;
		u64 made = kuid_snowflake_of(ms, id->snowflake_worker,
					     slot & KUID_SNOWFLAKE_SEQ_MAX);

		do {
			if (!put(sink, cpu_to_be64(made), 0))
				return slot - slots->first;
			made++;
		} while (++slot < stop);
	} while (slot < end);
	return slots->count;
}

#endif /* KUID_CORE_SNOWFLAKE_H */
