/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What all formats have in common: how an ID is held, whose it is, and where
 * it goes.
 *
 * An ID is held as two words of 64 bits, most significant first; a shorter one
 * is the first bytes of them and the rest is zero.
 */
#ifndef KUID_CORE_FORMAT_H
#define KUID_CORE_FORMAT_H

#include "port.h"

#define KUID_MS_NS  1000000ULL
#define KUID_SEC_NS 1000000000ULL

/**
 * struct kuid_identity - what tells the IDs of one epoch from all others
 * @node: of v1 and v6: 48 bits; a random one has the multicast bit set
 *	(RFC 9562 section 6.10), which no network card's address has
 * @worker: of lex and k128; of k96 through kuid_k96_node()
 * @interval: where the nodes of k96 and k128 are put in: fogfish's I,
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
 * struct kuid_choice - where a part of the identity comes from
 * @from: KUID_FROM_*
 * @value: of KUID_FROM_GIVEN; of KUID_FROM_MAC the address that was found
 */
struct kuid_choice {
	u32 from;
	u64 value;
};

/**
 * struct kuid_choices - where all of it comes from
 * @node: of v1 and v6
 * @worker: of lex, k96 and k128
 * @interval: I of k96 and k128
 * @salt: exclusive-or'ed with the worker that is made from the host name; 0
 *	until there may be another machine of that name
 */
struct kuid_choices {
	struct kuid_choice node;
	struct kuid_choice worker;
	u32 interval;
	u64 salt;
};

/* Parts of an identity, as a set. */
#define KUID_PART_NONE	 0x0
#define KUID_PART_NODE	 0x1
#define KUID_PART_WORKER 0x2
#define KUID_ALL_PARTS	 0x3

/**
 * struct kuid_origin - what an ID takes from the epoch that it is made in
 * @epoch: the epoch's number
 * @load_id: random, not 0: tells the epoch from those of the same number in
 *	other loads, boots and twins
 * @closed: KUID_PART_*: what it would show of the identity and may not
 * @identity: a copy, so that the epoch may go while the ID is being made
 */
struct kuid_origin {
	u64 epoch;
	u64 load_id;
	u32 closed;
	struct kuid_identity identity;
};

/**
 * struct kuid_units - consecutive stamps of one lane, or consecutive slots
 * @first: the first one's number: of a stamp its nanosecond since 1970
 * @count: how many
 * @lane: the stamps' lane, below KUID_NR_LANES; 0 for slots
 */
struct kuid_units {
	u64 first;
	u32 count;
	u8 lane;
};

/* The lane numbers an ID has room for. */
#define KUID_NR_LANES 128

/**
 * struct kuid_taken - what IDs are made from, and whose they are
 * @units: stamps or slots
 * @origin: the epoch they were taken from
 */
struct kuid_taken {
	struct kuid_units units;
	struct kuid_origin origin;
};

/* 99, the highest nanosecond of a tick, and the offset must fit in 7 bits. */
#define KUID_SEQ_OFFSET_MAX 27

#define KUID_INTERVAL_MIN     5
#define KUID_INTERVAL_MAX     10
#define KUID_INTERVAL_DEFAULT 8

/**
 * typedef kuid_put_t - where a made ID goes
 * @sink: the place, and what is needed to store there
 * @high: the ID's first word, as it lies in memory
 * @low: its second word
 *
 * Inlined into the loops that make IDs, so that an ID is built where it is
 * wanted and not copied there.
 *
 * Return: false if it could not be stored.
 */
typedef bool (*kuid_put_t)(void *sink, __be64 high, __be64 low);

#endif /* KUID_CORE_FORMAT_H */
