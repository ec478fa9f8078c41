/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record of what was given, to find what is given twice, in bounded memory. 64
 * keys that differ in their lowest bits only are one entry, so the IDs of a large
 * call need little room. Whenever the record is full, one more bit of the hash
 * halves it: entries that have this bit are removed, and ignored from then on.
 * Equal keys have equal hashes, so each key in the record was compared with all
 * keys ever added.
 */
#ifndef RECORD_H
#define RECORD_H

#include "children.h"
#include "formats.h"

/**
 * struct span - up to 64 keys
 * @key: what all of them have
 * @mask: the keys, by their lowest bits
 */
struct span {
	struct words key;
	__u64 mask;
};

/**
 * struct record - keys, none of which may be added twice
 * @spans: a hash table with linear probing; a free place has a key of zero
 * @room: number of places, a power of two, of which half may be taken
 * @nr: number of spans
 * @mask: spans whose hash has one of these bits are left out
 */
struct record {
	struct span *spans;
	size_t room;
	size_t nr;
	__u64 mask;
};

static inline __u64 record_hash(struct words key)
{
	__u64 h = key.high ^ key.low * 0x9e3779b97f4a7c15ULL;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93ULL;
	h = (h ^ h >> 29) * 0xff51afd7ed558ccdULL;
	return h ^ h >> 32;
}

static inline bool is_key(struct words key)
{
	return key.high || key.low;
}

/* Children share it. Returns false if there is no memory for so many spans. */
static inline bool record_begin(struct record *record, size_t most)
{
	*record = (struct record) { .room = 2 };
	while (record->room < 2 * most)
		record->room *= 2;
	record->spans = share_memory(record->room * sizeof(struct span));
	return record->spans;
}

static inline void record_end(struct record *record)
{
	munmap(record->spans, record->room * sizeof(struct span));
}

static inline bool record_put(struct record *record, struct span span)
{
	__u64 hash = record_hash(span.key), at;
	bool first;

	if (hash & record->mask)
		return true;
	for (at = hash >> 20;; at++) {
		struct span *there = &record->spans[at & (record->room - 1)];

		if (!is_key(there->key)) {
			*there = span;
			record->nr++;
			return true;
		}
		if (there->key.high != span.key.high ||
		    there->key.low != span.key.low)
			continue;
		first = !(there->mask & span.mask);
		there->mask |= span.mask;
		return first;
	}
}

/*
 * Remove half of the spans, and put each of the others again. They begin behind a
 * free place, so no span finds a place that is later than its former one.
 */
static inline void record_halve(struct record *record)
{
	size_t from = 0, i;

	while (is_key(record->spans[from].key))
		from++;
	record->mask = record->mask << 1 | 1;
	record->nr = 0;
	for (i = 1; i < record->room; i++) {
		struct span *at =
			&record->spans[(from + i) & (record->room - 1)];
		struct span span = *at;

		*at = (struct span) { 0 };
		if (is_key(span.key))
			record_put(record, span);
	}
}

/* Add keys that are not zero. Returns false if any of them was added before. */
static inline bool record_add_span(struct record *record, struct span span)
{
	bool first = record_put(record, span);

	if (record->nr > record->room / 2)
		record_halve(record);
	return first;
}

/* Add a key of the same span. Returns false if it is of another, or is there. */
static inline bool span_joins(struct span *span, struct span one)
{
	if (one.key.high != span->key.high || one.key.low != span->key.low ||
	    one.mask & span->mask)
		return false;
	span->mask |= one.mask;
	return true;
}

static inline bool record_add(struct record *record, struct words key)
{
	return record_add_span(record, (struct span) { key, 1 });
}

/* Add the keys of another record. Returns in how many spans any was there. */
static inline size_t record_join(struct record *record,
				 const struct record *other)
{
	size_t repeats = 0, i;

	for (i = 0; i < other->room; i++)
		repeats += is_key(other->spans[i].key) &&
			   !record_add_span(record, other->spans[i]);
	return repeats;
}

/* The formats that share stamps or slots have the same number. */
static inline __u64 source_of(const struct format *f)
{
	return f->number == KUID_FORMAT_V6 ? KUID_FORMAT_V1 :
	       f->number == KUID_FORMAT_K96 || f->number == KUID_FORMAT_K128 ?
	       KUID_FORMAT_K64 : f->number;
}

/*
 * The part of an ID that no other ID may have. v1 and v6 of one stamp differ in
 * their bytes, so take the stamp. k64, k96 and k128 of one slot do too, so take
 * the slot. Two v7 of one stamp differ in their random bits, so take the stamp
 * and the epoch, or the whole ID if the epoch is 0 because it is not known. The
 * stamps and slots of a batch follow each other, so they make few spans.
 */
static inline struct span unique_part(const struct format *f, const void *id,
				      const struct fields *fields,
				      __u64 epoch)
{
	const struct words w = id_words(f, id);
	struct words key = { .low = source_of(f) << 60 };
	__u64 number = fields->slot;

	if (is_stamp(f) && f->number != KUID_FORMAT_V7) {
		/* clock_seq: 7 bits of the lane below 7 bits of the time. */
		number = (fields->ns / 100) << 14 | bits(w, 73, 7) << 7 |
			 bits(w, 66, 7);
		key.low |= fields->node;
	} else if (is_stamp(f) && epoch) {
		number = fields->ns;
		key.low |= epoch << 7 | bits(w, 74, 7);
	} else if (is_stamp(f)) {
		return (struct span) { { w.high, w.low }, 1 };
	}
	key.high = number >> 6;
	return (struct span) { key, 1ULL << (number & 63) };
}

#endif /* RECORD_H */
