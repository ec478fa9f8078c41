/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Definitions that all formats share: how an ID is held in memory, which epoch
 * it belongs to, and where it is stored.
 *
 * An ID is held as two words of 64 bits, the most significant word first. A
 * shorter ID fills the first bytes, and the rest is zero.
 */
#ifndef KUID_CORE_FORMAT_H
#define KUID_CORE_FORMAT_H

#include "port.h"

#define KUID_MS_NS  1000000ULL
#define KUID_SEC_NS 1000000000ULL

/**
 * struct kuid_identity - what tells the IDs of one epoch from all others
 * @node: node of v1 and v6, 48 bits; a random node has the multicast bit set
 *	(RFC 9562 section 6.10), which no address of a network card has
 * @worker: worker of lex and k128; k96 uses kuid_k96_node() of it
 * @interval: where k96 and k128 hold the node: I of the k-ordered formats,
 *	KUID_INTERVAL_MIN to KUID_INTERVAL_MAX
 * @seq_offset: 0 to KUID_SEQ_OFFSET_MAX, added to the nanosecond part of
 *	clock_seq
 * @lane_scramble: 0 to 127, exclusive-or'ed with lane numbers
 */
struct kuid_identity {
	u64 node;
	u64 worker;
	u8 interval;
	u8 seq_offset;
	u8 lane_scramble;
};

/**
 * struct kuid_choice - the rule that one part of the identity is made by
 * @from: KUID_FROM_*
 * @value: for KUID_FROM_GIVEN the given value, for KUID_FROM_MAC the address
 *	that was found
 */
struct kuid_choice {
	u32 from;
	u64 value;
};

/**
 * struct kuid_choices - the rules that an identity is made by
 * @node: rule for the node of v1 and v6
 * @worker: rule for the worker of lex, k96 and k128
 * @interval: I of k96 and k128
 * @salt: exclusive-or'ed with a worker that is made from the host name; 0 until
 *	a twin with the same host name is possible
 */
struct kuid_choices {
	struct kuid_choice node;
	struct kuid_choice worker;
	u32 interval;
	u64 salt;
};

/* A set of parts of an identity. */
#define KUID_PART_NONE	 0x0
#define KUID_PART_NODE	 0x1
#define KUID_PART_WORKER 0x2
#define KUID_ALL_PARTS	 0x3

/**
 * struct kuid_origin - what an ID takes from its epoch
 * @epoch: number of the epoch
 * @load_id: random, not 0: tells this epoch from the epochs with the same
 *	number in other loads, boots and twins
 * @closed: KUID_PART_*: parts that the ID would show, but must not
 * @identity: a copy of the identity, because the epoch may be freed before the
 *	ID is packed
 */
struct kuid_origin {
	u64 epoch;
	u64 load_id;
	u32 closed;
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

/*
 * The sum of 99, the highest nanosecond of a tick, and the offset must fit in 7
 * bits.
 */
#define KUID_SEQ_OFFSET_MAX 27

#define KUID_INTERVAL_MIN     5
#define KUID_INTERVAL_MAX     10
#define KUID_INTERVAL_DEFAULT 8

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

#endif /* KUID_CORE_FORMAT_H */
