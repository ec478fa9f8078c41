/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * UUIDs as pure functions of a stamp and an identity.
 *
 * A tick of 100 ns, the unit of RFC 9562's 60-bit time, holds 100 stamps of a
 * lane. clock_seq tells them apart: its high 7 bits are the nanosecond within
 * the tick plus the epoch's offset, its low 7 bits the scrambled lane. Thus
 * (time, clock_seq) orders as (nanosecond, scrambled lane).
 */
#ifndef KUID_CORE_UUID_H
#define KUID_CORE_UUID_H

#include "generator.h"

#define KUID_UUID_SIZE	    16
#define KUID_UUID_TEXT_SIZE 36

#define KUID_TICK_NS 100

/* 1582-10-15, where RFC 9562 time starts, to 1970-01-01, in ticks. */
#define KUID_UUID_UNIX_TICKS 0x01B21DD213814000ULL

/* The second half of a UUID: variant:2 clock_seq:14 node:48. */
#define KUID_UUID_VARIANT	 (0x8000ULL << 48)
#define KUID_UUID_SEQ_LANE_SHIFT 48
#define KUID_UUID_SEQ_NS_SHIFT	 (KUID_UUID_SEQ_LANE_SHIFT + 7)
#define KUID_UUID_SEQ_NS_STEP	 BIT_ULL(KUID_UUID_SEQ_NS_SHIFT)

/**
 * typedef kuid_put_t - store one UUID
 * @out: where, of any alignment
 * @high: its first 8 bytes
 * @low: its last 8 bytes
 *
 * Return: false if @out can't be written.
 */
typedef bool (*kuid_put_t)(void *out, __be64 high, __be64 low);

static inline u64 kuid_v1_time(u64 tick)
{
	return tick << 32 | (tick >> 32 & 0xffff) << 16 | 0x1000 |
	       (tick >> 48 & 0x0fff);
}

/**
 * kuid_v1_pack - write UUIDs version 1 (RFC 9562 section 5.1)
 * @out: @stamps->count * KUID_UUID_SIZE bytes
 * @stamps: one stamp for each UUID
 * @identity: of the epoch the stamps were reserved in
 * @put: stores each one; inlined, so that IDs are built where they are wanted
 *	and not copied there
 *
 * Context: any that @put can be called in.
 * Return: how many UUIDs were stored: all, or as many as @put could.
 */
static __always_inline u32 kuid_v1_pack(void *out,
					const struct kuid_stamps *stamps,
					const struct kuid_identity *identity,
					kuid_put_t put)
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
		__be64 high = cpu_to_be64(kuid_v1_time(tick));

		do {
			if (!put(out, high, cpu_to_be64(low)))
				return done;
			low += KUID_UUID_SEQ_NS_STEP;
			out += KUID_UUID_SIZE;
		} while (++done < end);

		if (done == stamps->count)
			return done;
		low = tick_low;
		ns = 0;
		tick++;
	}
}

/**
 * kuid_uuid_to_text - write a UUID as text (RFC 9562 section 4, lower case)
 * @text: KUID_UUID_TEXT_SIZE bytes, without a NUL at the end
 * @id: KUID_UUID_SIZE bytes
 *
 * Context: any. Never sleeps.
 */
static inline void kuid_uuid_to_text(char *text, const u8 *id)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int i;

	for (i = 0; i < KUID_UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*text++ = '-';
		*text++ = digits[id[i] >> 4];
		*text++ = digits[id[i] & 0xf];
	}
}

#endif /* KUID_CORE_UUID_H */
