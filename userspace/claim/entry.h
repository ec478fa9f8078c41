/* SPDX-License-Identifier: GPL-2.0-only */
/* The records of a space in the store, and the choice of a number. */
#ifndef KUID_CLAIM_ENTRY_H
#define KUID_CLAIM_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "problem.h"
#include "record.h"
#include "store.h"

/**
 * struct entries - the records of a space
 * @store: where they are
 * @space: the name of the space
 * @checked_s: the wall clock when the store was read last, at most STORE_SKEW_S
 *	from the store's
 */
struct entries {
	struct store *store;
	const char *space;
	uint64_t checked_s;
};

/**
 * struct entry - a number in the store, as it was read
 * @number: the number
 * @value: its record as text, which is NULL if the store has none
 * @readable: the text is one that kuid-claim writes
 * @record: the fields of the text, if it is @readable
 */
struct entry {
	uint64_t number;
	struct store_value value;
	bool readable;
	struct record record;
};

/* Read the record of a number. It is an error if the clock is wrong. */
struct problem *entry_read(struct entries *entries, uint64_t number,
			   struct entry *entry);

/*
 * Read the record of the space. The caller frees the value; its text is NULL if
 * nobody has written that record yet.
 */
struct problem *space_read(struct entries *entries, struct space *space,
			   struct store_value *value);

/* Whether a number may be claimed at a time. */
bool entry_is_free(const struct entry *entry, uint64_t time_s);

/* Find a number in a range that is free; the message says why there is none. */
struct problem *entry_find(struct entries *entries, uint64_t first,
			   uint64_t last, struct entry *entry);

#endif /* KUID_CLAIM_ENTRY_H */
