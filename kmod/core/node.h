/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The random nodes of an epoch: numbered through, and mixed up by a key so
 * that those of other epochs and hosts are others. Each step of the mixing can
 * be undone, so two numbers never give the same node.
 */
#ifndef KUID_CORE_NODE_H
#define KUID_CORE_NODE_H

#include "format.h"

#define KUID_NODE_BITS 48

/* The multicast bit: the lowest bit of the first of a node's six bytes. */
#define KUID_NODE_MULTICAST_SHIFT 40
#define KUID_NODE_MULTICAST	  BIT_ULL(KUID_NODE_MULTICAST_SHIFT)

/* All but that bit. */
#define KUID_NODE_NUMBER_MASK (BIT_ULL(KUID_NODE_BITS - 1) - 1)

/**
 * struct kuid_node_key - what tells the nodes of one epoch from others
 * @words: random
 */
struct kuid_node_key {
	u64 words[2];
};

/**
 * kuid_node_of - a random node
 * @key: the epoch's
 * @number: which one, below 2^47; 0 is the node of the epoch's identity
 *
 * Context: any.
 * Return: 48 bits with the multicast bit set, another for each number.
 */
static inline u64 kuid_node_of(const struct kuid_node_key *key, u64 number)
{
	u64 x = number & KUID_NODE_NUMBER_MASK;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		x = (x + (key->words[i & 1] >> i)) & KUID_NODE_NUMBER_MASK;
		x ^= x >> 25;
		/* Odd, so that it has an inverse. */
		x = x * 0x9e3779b97f4a7c15ULL & KUID_NODE_NUMBER_MASK;
		x ^= x >> 22;
	}
	return x >> KUID_NODE_MULTICAST_SHIFT
			       << (KUID_NODE_MULTICAST_SHIFT + 1) |
	       KUID_NODE_MULTICAST | (x & (KUID_NODE_MULTICAST - 1));
}

#endif /* KUID_CORE_NODE_H */
