/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parts of an identity, and the rules that they are made by. */
#ifndef KUID_CORE_PARTS_H
#define KUID_CORE_PARTS_H

#include "port.h"

/**
 * struct kuid_identity - what tells the IDs of one epoch from all others
 * @node: node of v1 and v6, 48 bits; a random node has the multicast bit set
 *	(RFC 9562 section 6.10), which no address of a network card has
 * @worker: worker of lex and k128; k96 uses kuid_k96_node() of it
 * @snowflake_epoch: time that snowflake's milliseconds count from, in
 *	milliseconds since 1970; never changes
 * @snowflake_worker: worker of snowflake, 10 bits; 0 if there is none
 * @interval: where k96 and k128 hold the node: I of the k-ordered formats,
 *	KUID_INTERVAL_MIN to KUID_INTERVAL_MAX; never changes
 * @seq_offset: 0 to KUID_SEQ_OFFSET_MAX, added to the nanosecond part of
 *	clock_seq
 * @lane_scramble: 0 to 127, exclusive-or'ed with lane numbers
 * @mask: 47 bits, exclusive-or'ed with the random bits of v7, which a twin may
 *	draw, too
 */
struct kuid_identity {
	u64 node;
	u64 worker;
	u64 snowflake_epoch;
	u16 snowflake_worker;
	u8 interval;
	u8 seq_offset;
	u8 lane_scramble;
	u64 mask;
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
 * @snowflake: rule for the worker of snowflake
 * @snowflake_epoch: &kuid_identity.snowflake_epoch
 * @interval: I of k96 and k128; never changes
 * @salt: exclusive-or'ed with a worker that is made from the host name; 0 until
 *	a twin with the same host name is possible
 */
struct kuid_choices {
	struct kuid_choice node;
	struct kuid_choice worker;
	struct kuid_choice snowflake;
	u64 snowflake_epoch;
	u32 interval;
	u64 salt;
};

/**
 * enum kuid_part - the part of an identity that an ID shows
 * @KUID_PART_NONE: it shows none
 * @KUID_PART_NODE: the node
 * @KUID_PART_WORKER: the worker
 * @KUID_PART_SNOWFLAKE: the worker of snowflake
 * @KUID_PART_MASK: random bits, which are masked by the identity
 * @KUID_NR_PARTS: number of values
 */
enum kuid_part {
	KUID_PART_NONE,
	KUID_PART_NODE,
	KUID_PART_WORKER,
	KUID_PART_SNOWFLAKE,
	KUID_PART_MASK,
	KUID_NR_PARTS
};

/* Sets of parts. */
#define KUID_PARTS_OF(part)  (1U << (part) >> 1)
#define KUID_PARTS_NODE	     KUID_PARTS_OF(KUID_PART_NODE)
#define KUID_PARTS_WORKER    KUID_PARTS_OF(KUID_PART_WORKER)
#define KUID_PARTS_SNOWFLAKE KUID_PARTS_OF(KUID_PART_SNOWFLAKE)
#define KUID_PARTS_ALL	     (KUID_PARTS_OF(KUID_NR_PARTS) - 1)

/*
 * The sum of 99, the highest nanosecond of a tick, and the offset must fit in 7
 * bits.
 */
#define KUID_SEQ_OFFSET_MAX 27

#endif /* KUID_CORE_PARTS_H */
