/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * UUIDs of versions 1, 6 and 7, as pure functions of a stamp and an identity,
 * and their fields back.
 *
 * A tick is 100 ns, the unit of RFC 9562's 60-bit time. It holds 100 stamps of
 * a lane. In versions 1 and 6, clock_seq tells these stamps apart: its high 7
 * bits are the nanosecond within the tick plus the epoch's offset, and its low
 * 7 bits are the scrambled lane. So (time, clock_seq) has the order of
 * (nanosecond, scrambled lane).
 *
 * In version 7, the nanosecond within the millisecond is a fraction of 20 bits
 * (RFC 9562 section 6.2, method 3). 20 bits are enough to give each of the 10^6
 * nanoseconds its own fraction.
 */
#ifndef KUID_CORE_UUID_H
#define KUID_CORE_UUID_H

#include "units.h"

#define KUID_TICK_NS 100

/* Ticks from 1582-10-15, where the time of RFC 9562 begins, to 1970-01-01. */
#define KUID_UUID_UNIX_TICKS 0x01B21DD213814000ULL

/* The second word of versions 1 and 6: variant:2 clock_seq:14 node:48. */
#define KUID_UUID_VARIANT	 BIT_ULL(63)
#define KUID_UUID_SEQ_SHIFT	 48
#define KUID_UUID_SEQ_LANE_SHIFT KUID_UUID_SEQ_SHIFT
#define KUID_UUID_SEQ_NS_SHIFT	 (KUID_UUID_SEQ_LANE_SHIFT + 7)
#define KUID_UUID_SEQ_NS_STEP	 BIT_ULL(KUID_UUID_SEQ_NS_SHIFT)

/* The second word of version 7: variant:2 fraction:8 lane:7 random:47. */
#define KUID_V7_FRACTION_SHIFT 54
#define KUID_V7_LANE_SHIFT     47
#define KUID_V7_RANDOM_MASK    (BIT_ULL(KUID_V7_LANE_SHIFT) - 1)
#define KUID_V7_RANDOM_SIZE    6 /* random bytes for each ID */
#define KUID_V7_RANDOM_PAD     2 /* bytes that are read after the last ones */

#define KUID_V7_FRACTIONS BIT_ULL(20)

/* The first word of version 1: time_low, time_mid, version, time_high. */
static __always_inline u64 kuid_v1_high(u64 tick)
{
	return tick << 32 | (tick >> 32 & 0xffff) << 16 | 0x1000 |
	       (tick >> 48 & 0x0fff);
}

static inline u64 kuid_v1_tick(u64 high)
{
	return (high & 0x0fff) << 48 | (high >> 16 & 0xffff) << 32 | high >> 32;
}

/* The first word of version 6: the same time, most significant bits first. */
static __always_inline u64 kuid_v6_high(u64 tick)
{
	return tick >> 12 << 16 | 0x6000 | (tick & 0x0fff);
}

static inline u64 kuid_v6_tick(u64 high)
{
	return high >> 16 << 12 | (high & 0x0fff);
}

static __always_inline u32 kuid_v7_fraction(u32 ns_in_ms)
{
	return ns_in_ms * KUID_V7_FRACTIONS / KUID_MS_NS;
}

/*
 * The nanosecond of a millisecond that has this fraction. If no nanosecond has
 * it, the next higher one; this may be 10^6, the start of the next millisecond.
 */
static inline u32 kuid_v7_ns(u32 fraction)
{
	return ((u64)fraction * KUID_MS_NS + KUID_V7_FRACTIONS - 1) /
	       KUID_V7_FRACTIONS;
}

/* Both words hold a part of the fraction. */
static __always_inline u64 kuid_v7_high(u64 ms, u32 fraction)
{
	return ms << 16 | 0x7000 | fraction >> 8;
}

/* The bits of the second word that differ between the IDs of a batch. */
static __always_inline u64 kuid_v7_bits(u32 fraction, u64 random)
{
	return (u64)(fraction & 0xff) << KUID_V7_FRACTION_SHIFT |
	       (random & KUID_V7_RANDOM_MASK);
}

static __always_inline u64 kuid_v7_low(u32 fraction, u8 lane, u64 random)
{
	return KUID_UUID_VARIANT | (u64)lane << KUID_V7_LANE_SHIFT |
	       kuid_v7_bits(fraction, random);
}

static inline u32 kuid_v7_fraction_of(u64 high, u64 low)
{
	return (high & 0x0fff) << 8 | (low >> KUID_V7_FRACTION_SHIFT & 0xff);
}

/* Versions 1 and 6 differ only in the layout of the tick in the first word. */
static __always_inline u32 kuid_ticks_pack(void *sink,
					   const struct kuid_units *stamps,
					   const struct kuid_identity *identity,
					   kuid_put_t put,
					   u64 (*tick_high)(u64 tick))
{
	u64 tick = stamps->first / KUID_TICK_NS + KUID_UUID_UNIX_TICKS;
	u32 ns = stamps->first % KUID_TICK_NS;
	u64 tick_low = KUID_UUID_VARIANT | identity->node |
		       (u64)identity->seq_offset << KUID_UUID_SEQ_NS_SHIFT |
		       (u64)(stamps->lane ^ identity->lane_scramble)
			       << KUID_UUID_SEQ_LANE_SHIFT;
	u64 low = tick_low + ns * KUID_UUID_SEQ_NS_STEP;
	u32 done = 0;

	for (;;) {
		u32 end = min(stamps->count, done + KUID_TICK_NS - ns);
		__be64 high = cpu_to_be64(tick_high(tick));

		do {
			if (!put(sink, high, cpu_to_be64(low)))
				return done;
			low += KUID_UUID_SEQ_NS_STEP;
		} while (++done < end);

		if (done == stamps->count)
			return done;
		low = tick_low;
		ns = 0;
		tick++;
	}
}

/* UUIDs of version 1, RFC 9562 section 5.1. See kuid_format_pack(). */
static __always_inline u32 kuid_v1_pack(void *sink,
					const struct kuid_units *stamps,
					const struct kuid_identity *identity,
					const u8 *random, kuid_put_t put)
{
	return kuid_ticks_pack(sink, stamps, identity, put, kuid_v1_high);
}

/* UUIDs of version 6, RFC 9562 section 5.6. See kuid_format_pack(). */
static __always_inline u32 kuid_v6_pack(void *sink,
					const struct kuid_units *stamps,
					const struct kuid_identity *identity,
					const u8 *random, kuid_put_t put)
{
	return kuid_ticks_pack(sink, stamps, identity, put, kuid_v6_high);
}

/* UUIDs of version 7, RFC 9562 section 5.7. See kuid_format_pack(). */
static __always_inline u32 kuid_v7_pack(void *sink,
					const struct kuid_units *stamps,
					const struct kuid_identity *identity,
					const u8 *random, kuid_put_t put)
{
	u8 lane = stamps->lane ^ identity->lane_scramble;
	u64 low = kuid_v7_low(0, lane, 0) ^ identity->mask;
	u64 ms = stamps->first / KUID_MS_NS;
	u32 ns = stamps->first % KUID_MS_NS;
	u32 done;

	for (done = 0; done < stamps->count; done++) {
		u32 fraction = kuid_v7_fraction(ns);
		__le64 bits;

		/*
		 * The bytes are little-endian and only the low 47 bits are
		 * used, so the pad bytes never show in an ID.
		 */
		memcpy(&bits, random, sizeof(bits));
		if (!put(sink, cpu_to_be64(kuid_v7_high(ms, fraction)),
			 cpu_to_be64(low ^ kuid_v7_bits(fraction,
							le64_to_cpu(bits)))))
			break;
		random += KUID_V7_RANDOM_SIZE;
		if (++ns == KUID_MS_NS) {
			ns = 0;
			ms++;
		}
	}
	return done;
}

#endif /* KUID_CORE_UUID_H */
