/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cassie's LexicalUUID, format lex: microseconds since 1970 and a worker, 64
 * bits each. A slot is a microsecond.
 */
#ifndef KUID_CORE_LEXICAL_H
#define KUID_CORE_LEXICAL_H

#include "format.h"

#define KUID_LEX_SLOT_NS 1000
#define KUID_LEX_RATE	 1000000 /* slots in a second */

/* The slot that a moment is in. */
static inline u64 kuid_lex_slot(u64 ns)
{
	return ns / KUID_LEX_SLOT_NS;
}

/* The moment at which a slot begins. */
static inline u64 kuid_lex_ns(u64 slot)
{
	return slot * KUID_LEX_SLOT_NS;
}

/* How many slots there are in a span of time, at least. */
static inline u64 kuid_lex_slots(u64 span_ns)
{
	return span_ns / KUID_LEX_SLOT_NS;
}

/**
 * kuid_lex_worker - a worker from a host name, as Cassie makes it
 * @name: the name
 * @size: its length in bytes
 *
 * FNV-1a of 64 bits, but with each byte taken as signed and extended to 64
 * bits first, as Scala does it.
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

/* Copy a name. Returns whether the copy was the same before. */
static inline bool kuid_lex_copy(char *to, const char *name, size_t size)
{
	bool same = true;
	size_t i;

	for (i = 0; i < size; i++) {
		/* The writer's stores are plain: see kuid_lex_name(). */
		char byte = data_race(READ_ONCE(name[i]));

		same = same && byte == to[i];
		to[i] = byte;
	}
	return same;
}

/**
 * kuid_lex_name - copy a host name that may be set meanwhile
 * @to: set to the name, with a zero behind it; @size bytes
 * @name: the name; @size bytes, zeroes behind it included
 * @size: how much is copied, at least 1
 *
 * For a reader that can't take the writer's lock. A copy is good if the next
 * one is the same. So a name that is set while this function runs is returned
 * as it was or as it is now, never in part.
 *
 * The exception is a writer that is interrupted or preempted in the middle of
 * its copy for as long as two copies take here: they are the same, and have the
 * begin of the new name and the end of the old one.
 *
 * Context: any. Never sleeps; repeats while the name is being set.
 */
static inline void kuid_lex_name(char *to, const char *name, size_t size)
{
	memset(to, 0, size);
	kuid_lex_copy(to, name, size);
	do {
		/* Or a byte of the last copy could be read after one of this. */
		smp_mb();
	} while (!kuid_lex_copy(to, name, size));
	to[size - 1] = '\0';
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

	/* Compilers would rather swap its bytes again for each ID. */
	OPTIMIZER_HIDE_VAR(worker);
	for (; slot < end; slot++)
		if (!put(sink, cpu_to_be64(slot), worker))
			break;
	return slot - slots->first;
}

#endif /* KUID_CORE_LEXICAL_H */
