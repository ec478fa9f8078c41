/* SPDX-License-Identifier: GPL-2.0-only */
/* A number as it is in the store, and the choice of one. */
#ifndef KUID_CLAIM_PLACE_H
#define KUID_CLAIM_PLACE_H

#include "claim.h"

/**
 * struct place - a number in the store, as it was read
 * @number: it
 * @held: a lease holds it
 * @version: of its record
 * @text: of the record, NULL if it has none
 * @readable: that is a record, which @record has
 * @record: see there
 * @space: what holds for all numbers
 * @space_version: its version
 * @went_back: the store was restored from a backup
 */
struct place {
	uint64_t number;
	bool held;
	uint64_t version;
	char *text;
	bool readable;
	struct record record;
	struct space space;
	uint64_t space_version;
	bool went_back;
};

/* Read one. The message is also that of a clock that is wrong. */
char *place_read(const struct claim *claim, uint64_t number,
		 struct place *place);
void place_free(struct place *place);

/* Take the text of a number out of an answer. */
void place_take(struct place *place, struct store_answer *answer,
		uint64_t number);

/* Why the store did not do it, to be freed. */
char *store_wrong(struct store_answer *answer);

/* Whether a number, which is not this machine's, may be claimed. */
bool place_is_free(const struct claim *claim, const struct place *place);

/*
 * IDs of two epochs of snowflake that are years apart can be the same, and
 * ceilings don't tell them apart.
 */
bool place_has_other_epoch(const struct claim *claim,
			   const struct place *place);

/* Find a number that is free; the message says why there is none. */
char *place_find(const struct claim *claim, struct place *place);

#endif /* KUID_CLAIM_PLACE_H */
