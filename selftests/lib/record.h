/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A record of what was given, to find what is given twice, in bounded memory.
 * Whenever the record is full, one more bit of the hash halves it: keys that
 * have this bit are removed, and ignored from then on. Equal keys have equal
 * hashes, so each key in the record was compared with all keys ever added.
 */
#ifndef RECORD_H
#define RECORD_H

#include "children.h"
#include "formats.h"

/**
 * struct record - keys, none of which may be added twice
 * @keys: a hash table with linear probing; a free place is zero
 * @room: number of places, a power of two, of which half may be taken
 * @nr: number of keys
 * @mask: keys whose hash has one of these bits are left out
 */
struct record {
	struct words *keys;
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

/* Children share the keys. Returns false if there is no memory for so many. */
static inline bool record_begin(struct record *record, size_t most)
{
	*record = (struct record) { .room = 2 };
	while (record->room < 2 * most)
		record->room *= 2;
	record->keys = share_memory(record->room * sizeof(struct words));
	return record->keys;
}

static inline void record_end(struct record *record)
{
	munmap(record->keys, record->room * sizeof(struct words));
}

static inline bool record_put(struct record *record, struct words key)
{
	__u64 hash = record_hash(key), at;

	if (hash & record->mask)
		return true;
	for (at = hash >> 20;; at++) {
		struct words *there = &record->keys[at & (record->room - 1)];

		if (!is_key(*there)) {
			*there = key;
			record->nr++;
			return true;
		}
		if (there->high == key.high && there->low == key.low)
			return false;
	}
}

/*
 * Remove half of the keys, and put each of the others again. They begin behind a
 * free place, so no key finds a place that is later than its former one.
 */
static inline void record_halve(struct record *record)
{
	size_t from = 0, i;

	while (is_key(record->keys[from]))
		from++;
	record->mask = record->mask << 1 | 1;
	record->nr = 0;
	for (i = 1; i < record->room; i++) {
		struct words *at =
			&record->keys[(from + i) & (record->room - 1)];
		struct words key = *at;

		*at = (struct words) { 0 };
		if (is_key(key))
			record_put(record, key);
	}
}

/* Add a key, which is not zero. Returns false if it was added before. */
static inline bool record_add(struct record *record, struct words key)
{
	bool first = record_put(record, key);

	if (record->nr > record->room / 2)
		record_halve(record);
	return first;
}

/* Add all keys of another record. Returns how many were there already. */
static inline size_t record_join(struct record *record,
				 const struct record *other)
{
	size_t repeats = 0, i;

	for (i = 0; i < other->room; i++)
		repeats += is_key(other->keys[i]) &&
			   !record_add(record, other->keys[i]);
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
 * the slot. Two v7 of one stamp differ in their random bits, so replace these by
 * the epoch, unless it is 0 because it is not known. The highest bits of a time
 * are free, and hold the source.
 */
static inline struct words unique_part(const struct format *f, const void *id,
				       const struct fields *fields,
				       __u64 epoch)
{
	struct words w = id_words(f, id);

	if (among(f, SLOTS))
		w = (struct words) { fields->slot, 1 };
	else if (f->number != KUID_FORMAT_V7)
		w.high = fields->ns / 100;
	else if (epoch)
		w.low = w.low >> 47 << 47 | epoch;
	w.high ^= source_of(f) << 60;
	return w;
}

#endif /* RECORD_H */
