/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Units, which are stamps or slots, and what becomes of them: they are taken
 * from an epoch, packed as IDs, and stored.
 *
 * An ID is held as two words of 64 bits, the most significant word first. A
 * shorter ID fills the first bytes, and the rest is zero.
 */
#ifndef KUID_CORE_UNITS_H
#define KUID_CORE_UNITS_H

#include "parts.h"

#define KUID_MS_NS  1000000ULL
#define KUID_SEC_NS 1000000000ULL

/**
 * struct kuid_origin - what an ID takes from its epoch
 * @epoch: number of the epoch
 * @load_id: random, not 0: tells this epoch from the epochs with the same
 *	number in other loads, boots and twins
 * @closed: the ID would show a part that it must not show
 * @identity: a copy of the identity, because the epoch may be freed before the
 *	ID is packed
 */
struct kuid_origin {
	u64 epoch;
	u64 load_id;
	bool closed;
	struct kuid_identity identity;
};

/**
 * struct kuid_units - consecutive stamps of one lane, or consecutive slots
 * @first: number of the first unit; a stamp's number is its time in nanoseconds
 *	since 1970
 * @count: number of units
 * @lane: lane of the stamps, below KUID_NR_LANES; 0 for slots
 */
struct kuid_units {
	u64 first;
	u32 count;
	u8 lane;
};

/* An ID has 7 bits for the lane. */
#define KUID_NR_LANES 128

/**
 * struct kuid_taken - units that were taken, and their epoch
 * @units: the stamps or slots
 * @origin: the epoch that @units were taken from
 */
struct kuid_taken {
	struct kuid_units units;
	struct kuid_origin origin;
};

/**
 * typedef kuid_put_t - store an ID
 * @sink: the destination
 * @high: first word of the ID, big-endian
 * @low: second word of the ID, big-endian
 *
 * The compiler inlines this function into the loops that pack IDs, so that an
 * ID is built in its final place and is not copied.
 *
 * Return: false if the ID could not be stored.
 */
typedef bool (*kuid_put_t)(void *sink, __be64 high, __be64 low);

#endif /* KUID_CORE_UNITS_H */
