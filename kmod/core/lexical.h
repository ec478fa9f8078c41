/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cassie's LexicalUUID, format lex: microseconds since 1970, and a worker, 64
 * bits each. A slot is a microsecond.
 */
#ifndef KUID_CORE_LEXICAL_H
#define KUID_CORE_LEXICAL_H

#include "units.h"

#define KUID_LEX_SLOT_NS 1000
#define KUID_LEX_RATE	 1000000 /* slots in a second */

/* The slot that holds a time. */
static inline u64 kuid_lex_slot(u64 ns)
{
	return ns / KUID_LEX_SLOT_NS;
}

/* The time at which a slot begins. */
static inline u64 kuid_lex_ns(u64 slot)
{
	return slot * KUID_LEX_SLOT_NS;
}

/* The lowest number of slots in a span of time. */
static inline u64 kuid_lex_slots(u64 span_ns)
{
	return span_ns / KUID_LEX_SLOT_NS;
}

/**
 * kuid_lex_worker - compute the worker of a host name, as Cassie does
 * @name: the host name
 * @size: its length in bytes
 *
 * This is FNV-1a of 64 bits, but each byte is sign-extended to 64 bits first,
 * as in Cassie's Scala code.
 *
 * Context: any. Never sleeps.
 * Return: the worker.
 */
static inline u64 kuid_lex_worker(const char *name, size_t size)
{
	u64 hash = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < size; i++) {
		hash ^= (s64)(signed char)name[i];
		hash *= 0x100000001b3ULL;
	}
	return hash;
}

/* LexicalUUIDs. See kuid_format_pack(). */
static __always_inline u32 kuid_lex_pack(void *sink,
					 const struct kuid_units *slots,
					 const struct kuid_identity *identity,
					 const u8 *random, kuid_put_t put)
{
	__be64 worker = cpu_to_be64(identity->worker);
	u64 slot = slots->first;
	u64 end = slot + slots->count;

	/* Otherwise compilers swap the bytes of the worker for each ID. */
	OPTIMIZER_HIDE_VAR(worker);
	for (; slot < end; slot++)
		if (!put(sink, cpu_to_be64(slot), worker))
			break;
	return slot - slots->first;
}

#endif /* KUID_CORE_LEXICAL_H */
