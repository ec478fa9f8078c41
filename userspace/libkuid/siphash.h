/* SPDX-License-Identifier: MIT */
/*
 * SipHash-2-4 of one 64-bit word: a keyed hash (Aumasson, Bernstein, "SipHash: a
 * fast short-input PRF", 2012). The word stands for its 8 bytes, little-endian.
 */
#ifndef KUID_SIPHASH_H
#define KUID_SIPHASH_H

#include "core/port.h"

struct kuid_siphash_state {
	u64 a, b, c, d;
};

static __always_inline u64 kuid_siphash_turn(u64 word, unsigned int bits)
{
	return word << bits | word >> (64 - bits);
}

static __always_inline void kuid_siphash_round(struct kuid_siphash_state *v)
{
	v->a += v->b;
	v->c += v->d;
	v->b = kuid_siphash_turn(v->b, 13) ^ v->a;
	v->d = kuid_siphash_turn(v->d, 16) ^ v->c;
	v->a = kuid_siphash_turn(v->a, 32) + v->d;
	v->c += v->b;
	v->d = kuid_siphash_turn(v->d, 21) ^ v->a;
	v->b = kuid_siphash_turn(v->b, 17) ^ v->c;
	v->c = kuid_siphash_turn(v->c, 32);
}

static __always_inline void kuid_siphash_block(struct kuid_siphash_state *v,
					       u64 block)
{
	v->d ^= block;
	kuid_siphash_round(v);
	kuid_siphash_round(v);
	v->a ^= block;
}

static __always_inline u64 kuid_siphash(u64 key0, u64 key1, u64 word)
{
	struct kuid_siphash_state v = {
		.a = key0 ^ 0x736f6d6570736575ULL,
		.b = key1 ^ 0x646f72616e646f6dULL,
		.c = key0 ^ 0x6c7967656e657261ULL,
		.d = key1 ^ 0x7465646279746573ULL,
	};

	kuid_siphash_block(&v, word);
	/* The last block has the length in bytes in its highest byte. */
	kuid_siphash_block(&v, 8ULL << 56);
	v.c ^= 0xff;
	kuid_siphash_round(&v);
	kuid_siphash_round(&v);
	kuid_siphash_round(&v);
	kuid_siphash_round(&v);
	return v.a ^ v.b ^ v.c ^ v.d;
}

#endif /* KUID_SIPHASH_H */
