/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way from the generator to user memory. IDs are made by a few loops, one
 * for each format, that are inlined with the store into user memory at their
 * heart: no buffer and no copy between them.
 */
#ifndef KUID_MAKE_H
#define KUID_MAKE_H

#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "core/uuid.h"
#include "counters.h"
#include "host.h"

/* What IDs of a format are made from. */
static __always_inline enum kuid_source kuid_make_source(const u32 format)
{
	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
	case KUID_FORMAT_V7:
		return KUID_STAMPS;
	case KUID_FORMAT_LEX:
		return KUID_LEX;
	default:
		return KUID_GRID;
	}
}

/* The parts of the identity that an ID of a format shows. */
static __always_inline u32 kuid_make_parts(const u32 format)
{
	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		return KUID_PART_NODE;
	case KUID_FORMAT_LEX:
	case KUID_FORMAT_K96:
	case KUID_FORMAT_K128:
		return KUID_PART_WORKER;
	default:
		return 0;
	}
}

/*
 * Stores into user memory, inside user_access_begin(). A sink is a pointer to
 * where the next ID goes, or begins with one.
 */
static __always_inline bool kuid_put_8(void *sink, __be64 high, __be64 low)
{
	u8 __user **at = sink;

	unsafe_put_user(high, (__be64 __user *)*at, fault);
	*at += 8;
	return true;
fault:
	return false;
}

static __always_inline bool kuid_put_12(void *sink, __be64 high, __be64 low)
{
	u8 __user **at = sink;

	unsafe_put_user(high, (__be64 __user *)*at, fault);
	unsafe_put_user(cpu_to_be32(be64_to_cpu(low) >> 32),
			(__be32 __user *)(*at + 8), fault);
	*at += 12;
	return true;
fault:
	return false;
}

static __always_inline bool kuid_put_16(void *sink, __be64 high, __be64 low)
{
	u8 __user **at = sink;

	unsafe_put_user(high, (__be64 __user *)*at, fault);
	unsafe_put_user(low, (__be64 __user *)(*at + 8), fault);
	*at += 16;
	return true;
fault:
	return false;
}

/* Take from a source. */
static __always_inline struct kuid_taken
kuid_make_take(struct kuid_watermarks *watermarks,
	       const enum kuid_source source, const enum kuid_order order,
	       const u32 parts, u64 ahead, u32 count)
{
	rcu_read_lock_sched();

	const struct kuid_taken taken =
		source == KUID_STAMPS
			? kuid_generator_stamps(&kuid_host, watermarks, order,
						parts, ahead, count)
			: kuid_generator_slots(&kuid_host, source, watermarks,
					       order, parts, ahead, count);

	rcu_read_unlock_sched();
	return taken;
}

static __always_inline u32 kuid_make_pack(const u32 format, void *sink,
					  const struct kuid_taken *taken,
					  const u8 *random, kuid_put_t put)
{
	const struct kuid_identity *identity = &taken->origin.identity;
	const struct kuid_stamps *stamps = &taken->stamps;
	const struct kuid_slots slots = {
		.first = stamps->first,
		.count = stamps->count,
	};

	switch (format) {
	case KUID_FORMAT_V1:
		return kuid_v1_pack(sink, stamps, identity, put);
	case KUID_FORMAT_V6:
		return kuid_v6_pack(sink, stamps, identity, put);
	case KUID_FORMAT_V7:
		return kuid_v7_pack(sink, stamps, identity, random, put);
	case KUID_FORMAT_LEX:
		return kuid_lex_pack(sink, &slots, identity, put);
	case KUID_FORMAT_K64:
		return kuid_k64_pack(sink, &slots, identity, put);
	case KUID_FORMAT_K96:
		return kuid_k96_pack(sink, &slots, identity, put);
	default:
		return kuid_k128_pack(sink, &slots, identity, put);
	}
}

/* Make IDs of what was taken, and store them. Returns how many were stored. */
static __always_inline u32 kuid_make_store(const u32 format, void *sink,
					   const size_t size,
					   const struct kuid_taken *taken,
					   u8 *random, kuid_put_t put)
{
	u32 count = taken->stamps.count;
	u8 __user **at = sink;
	u32 stored;

	if (format == KUID_FORMAT_V7)
		get_random_bytes(random, count * KUID_V7_RANDOM_SIZE);
	if (!user_access_begin(*at, count * size))
		return 0;
	stored = kuid_make_pack(format, sink, taken, random, put);
	user_access_end();
	this_cpu_add(kuid_counters.ids[format], stored);
	return stored;
}

#endif /* KUID_MAKE_H */
