/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The k-ordered IDs of fogfish: k64 for one host, k96 and k128 with a node.
 *
 * All three formats hold one slot of one grid: A megaseconds, B seconds within
 * the megasecond, C the second's microseconds >> 10, and a sequence number
 * within the grid tick. A second has 977 grid ticks, and the last one is
 * shorter than the others. A grid tick has 16,384 slots, which are numbered
 * from 1970 on.
 *
 * k64 is the four fields one after the other. k96 and k128 have a node before
 * the lowest I bits of B, where I is the interval. So within 2^I seconds, the
 * IDs of one node are together.
 */
#ifndef KUID_CORE_KORDER_H
#define KUID_CORE_KORDER_H

#include "units.h"

#define KUID_GRID_SEQ_BITS 14
#define KUID_GRID_SEQ_MAX  ((1U << KUID_GRID_SEQ_BITS) - 1)
#define KUID_GRID_C_BITS   10
#define KUID_GRID_B_BITS   20
#define KUID_GRID_TICKS	   977	   /* in a second: 0 to 999,999 us >> 10 */
#define KUID_GRID_TICK_NS  1024000 /* except the last one of a second */
#define KUID_GRID_MEGA	   1000000

/* Slots of a second. */
#define KUID_GRID_RATE ((u64)KUID_GRID_TICKS << KUID_GRID_SEQ_BITS)

/* The first slot of the grid tick that holds a time. */
static inline u64 kuid_grid_slot(u64 ns)
{
	u64 sec = ns / KUID_SEC_NS;
	u32 usec = ns % KUID_SEC_NS / 1000;

	return (sec * KUID_GRID_TICKS + (usec >> KUID_GRID_C_BITS))
	       << KUID_GRID_SEQ_BITS;
}

/* The time at which the grid tick of a slot begins. */
static inline u64 kuid_grid_ns(u64 slot)
{
	u64 tick = slot >> KUID_GRID_SEQ_BITS;
	u64 c = tick % KUID_GRID_TICKS;

	return tick / KUID_GRID_TICKS * KUID_SEC_NS +
	       (c << KUID_GRID_C_BITS) * 1000;
}

/* The lowest number of slots in a span of time. */
static inline u64 kuid_grid_slots(u64 span_ns)
{
	return span_ns / KUID_GRID_TICK_NS << KUID_GRID_SEQ_BITS;
}

/* The k64 of a slot. */
static __always_inline u64 kuid_k64_of_slot(u64 slot)
{
	u64 tick = slot >> KUID_GRID_SEQ_BITS;
	u64 sec = tick / KUID_GRID_TICKS;
	u64 a = sec / KUID_GRID_MEGA;
	u64 b = sec % KUID_GRID_MEGA;
	u64 c = tick % KUID_GRID_TICKS;

	return ((a << KUID_GRID_B_BITS | b) << KUID_GRID_C_BITS | c)
		       << KUID_GRID_SEQ_BITS |
	       (slot & KUID_GRID_SEQ_MAX);
}

/* How many bits of a k64 are after the node. */
static __always_inline unsigned int kuid_korder_split(unsigned int interval)
{
	return interval + KUID_GRID_C_BITS + KUID_GRID_SEQ_BITS;
}

/* The bits of a k64 after the node. */
static __always_inline u64 kuid_korder_behind(u64 k64, unsigned int split)
{
	return k64 & (BIT_ULL(split) - 1);
}

/* The node of k96 has 32 bits, so the 64 bits of the worker are folded. */
static __always_inline u32 kuid_k96_node(u64 worker)
{
	return worker >> 32 ^ worker;
}

/**
 * kuid_k96_of_k64 - put a node into a k64
 * @k64: the k64
 * @node: the node
 * @interval: I, KUID_INTERVAL_MIN to KUID_INTERVAL_MAX
 * @low: set to the second word, of which k96 has the upper half
 *
 * Context: any.
 * Return: the first word.
 */
static __always_inline u64 kuid_k96_of_k64(u64 k64, u32 node,
					   unsigned int interval, u64 *low)
{
	unsigned int split = kuid_korder_split(interval);
	u64 behind = kuid_korder_behind(k64, split);

	/* The lower 32 bits of the node and the bits after it. */
	*low = ((u64)node << split | behind) << 32;
	return (k64 ^ behind) | (u64)node << 32 >> (64 - split) | behind >> 32;
}

/**
 * kuid_k128_of_k64 - put a node into a k64
 * @k64: the k64
 * @node: the node
 * @interval: I, KUID_INTERVAL_MIN to KUID_INTERVAL_MAX
 * @low: set to the second word
 *
 * Context: any.
 * Return: the first word.
 */
static __always_inline u64 kuid_k128_of_k64(u64 k64, u64 node,
					    unsigned int interval, u64 *low)
{
	unsigned int split = kuid_korder_split(interval);

	*low = node << split | kuid_korder_behind(k64, split);
	return k64 >> split << split | node >> (64 - split);
}

/**
 * kuid_k64_of_k96 - take the node out of a k96
 * @high: the first word
 * @low: the second word, of which k96 has the upper half
 * @interval: the I that the ID was made with; the ID does not hold it
 * @node: set to the node
 *
 * Context: any.
 * Return: the k64.
 */
static inline u64 kuid_k64_of_k96(u64 high, u64 low, unsigned int interval,
				  u32 *node)
{
	unsigned int split = kuid_korder_split(interval);
	u64 tail = high << 32 | low >> 32;
	u64 before = high >> split;

	/* The conversion to 32 bits drops the bits above the node. */
	*node = tail >> split | high >> 32 << (64 - split);
	return before << split | kuid_korder_behind(tail, split);
}

/**
 * kuid_k64_of_k128 - take the node out of a k128
 * @high: the first word
 * @low: the second word
 * @interval: the I that the ID was made with; the ID does not hold it
 * @node: set to the node
 *
 * Context: any.
 * Return: the k64.
 */
static inline u64 kuid_k64_of_k128(u64 high, u64 low, unsigned int interval,
				   u64 *node)
{
	unsigned int split = kuid_korder_split(interval);

	*node = high << (64 - split) | low >> split;
	return high >> split << split | kuid_korder_behind(low, split);
}

/*
 * Within a grid tick, consecutive slots differ only in the lowest bits. So an
 * ID is the ID before it plus a constant, which is cheaper than packing each
 * slot.
 */
static __always_inline u32 kuid_korder_pack(void *sink,
					    const struct kuid_units *slots,
					    const struct kuid_identity *id,
					    kuid_put_t put, unsigned int bits)
{
	u32 node96 = kuid_k96_node(id->worker);
	u64 slot = slots->first;
	u64 end = slot + slots->count;

	do {
		u64 next_tick = (slot | KUID_GRID_SEQ_MAX) + 1;
		u64 stop = min(end, next_tick);
		u64 high = kuid_k64_of_slot(slot);
		u64 low = 0;

		if (bits == 96)
			high = kuid_k96_of_k64(high, node96, id->interval,
					       &low);
		if (bits == 128)
			high = kuid_k128_of_k64(high, id->worker, id->interval,
						&low);
		do {
			if (!put(sink, cpu_to_be64(high), cpu_to_be64(low)))
				return slot - slots->first;
			if (bits == 64)
				high++;
			else
				low += bits == 96 ? BIT_ULL(32) : 1;
		} while (++slot < stop);
	} while (slot < end);
	return slots->count;
}

/* See kuid_format_pack(). */
#define KUID_KORDER_PACK(_bits)                                             \
	static __always_inline u32 kuid_k##_bits##_pack(                    \
		void *sink, const struct kuid_units *slots,                 \
		const struct kuid_identity *identity, const u8 *random,     \
		kuid_put_t put)                                             \
	{                                                                   \
		return kuid_korder_pack(sink, slots, identity, put, _bits); \
	}
KUID_KORDER_PACK(64)
KUID_KORDER_PACK(96)
KUID_KORDER_PACK(128)
#undef KUID_KORDER_PACK

#endif /* KUID_CORE_KORDER_H */
