/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The random nodes of an epoch. An epoch has 2^47 of them, which are numbered
 * through and permuted by a random key, so that other epochs and hosts have
 * other nodes. Each step of the permutation can be undone, so two numbers never
 * give the same node.
 */
#ifndef KUID_CORE_NODE_H
#define KUID_CORE_NODE_H

#include "port.h"

#define KUID_NODE_BITS 48

/* The multicast bit: the lowest bit of the first of the six bytes. */
#define KUID_NODE_MULTICAST_SHIFT 40
#define KUID_NODE_MULTICAST	  BIT_ULL(KUID_NODE_MULTICAST_SHIFT)

/* A number has all bits of a node but the multicast bit. */
#define KUID_NODE_NUMBER_MASK (BIT_ULL(KUID_NODE_BITS - 1) - 1)

/* The highest number of a node. */
#define KUID_NODE_LAST KUID_NODE_NUMBER_MASK

/**
 * struct kuid_node_key - the key that permutes the nodes of one epoch
 * @words: random
 */
struct kuid_node_key {
	u64 words[2];
};

/**
 * kuid_node_of - compute a random node
 * @key: key of the epoch
 * @number: number of the node, below 2^47; number 0 is the node of the epoch's
 *	identity
 *
 * Context: any.
 * Return: the node: 48 bits with the multicast bit set, different for each
 * number.
 */
static inline u64 kuid_node_of(const struct kuid_node_key *key, u64 number)
{
	u64 x = number & KUID_NODE_NUMBER_MASK;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		x = (x + (key->words[i & 1] >> i)) & KUID_NODE_NUMBER_MASK;
		x ^= x >> 25;
		/* The factor is odd, so the multiplication has an inverse. */
		x = x * 0x9e3779b97f4a7c15ULL & KUID_NODE_NUMBER_MASK;
		x ^= x >> 22;
	}
	return x >> KUID_NODE_MULTICAST_SHIFT
			       << (KUID_NODE_MULTICAST_SHIFT + 1) |
	       KUID_NODE_MULTICAST | (x & (KUID_NODE_MULTICAST - 1));
}

/**
 * struct kuid_node_counter - counts the nodes of one epoch that private lanes
 *	have got
 * @last: the last number that was handed out; only raised, by
 *	compare-and-exchange
 *
 * If the counter is zero, no private lane has a node of the epoch. It has its
 * own cache line, because any process may raise it at any rate.
 */
struct kuid_node_counter {
	atomic64_t last;
} ____cacheline_aligned_in_smp;

/**
 * kuid_node_next - hand out the number of a node
 * @counter: the epoch's counter
 *
 * A successful call is fully ordered. Callers rely on this: see
 * kuid_generator_private_node().
 *
 * Context: any. Never sleeps, takes no lock.
 * Return: a number for kuid_node_of() that no other caller gets; 0 if all
 * numbers are used up.
 */
static inline u64 kuid_node_next(struct kuid_node_counter *counter)
{
	s64 last = atomic64_read(&counter->last);

	do {
		if (last >= (s64)KUID_NODE_LAST)
			return 0;
	} while (!atomic64_try_cmpxchg(&counter->last, &last, last + 1));
	return last + 1;
}

/* Whether a private lane has a node of the epoch. */
static inline bool kuid_node_any(const struct kuid_node_counter *counter)
{
	return atomic64_read(&counter->last);
}

#endif /* KUID_CORE_NODE_H */
