// SPDX-License-Identifier: GPL-2.0-only
/* See place.h. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "output.h"
#include "place.h"

/*
 * By how many seconds the clock may differ from the store's. Ceilings of a host
 * whose clock is years ahead would keep its numbers from all others for years.
 */
#define SKEW_MOST_S 60

void place_free(struct place *place)
{
	free(place->text);
	place->text = NULL;
}

static char *check_clock(const struct store_answer *answer)
{
	if (answer->ahead_s > SKEW_MOST_S || answer->ahead_s < -SKEW_MOST_S)
		return problem_for_now(
			"this machine's clock is %" PRId64 " seconds %s the "
			"store's: set the one that is wrong",
			answer->ahead_s < 0 ? -answer->ahead_s
					    : answer->ahead_s,
			answer->ahead_s < 0 ? "behind" : "ahead of");
	return NULL;
}

static char *take_space(const struct claim *claim, struct place *place,
			const struct store_answer *answer)
{
	place->space = (struct space) { 0 };
	place->space_version = answer->space.version;
	place->went_back = answer->revision < claim->saved.revision;
	if (answer->space.text &&
	    !space_parse(answer->space.text, &place->space))
		return problem("the store has something else than kuid-claim "
			       "writes for the space %s",
			       claim->settings->space);
	return NULL;
}

void place_take(struct place *place, struct store_answer *answer,
		uint64_t number)
{
	place->number = number;
	for (size_t i = 0; i < answer->count; i++) {
		struct store_entry *entry = &answer->entries[i];

		if (entry->number != number)
			continue;
		place->held = entry->held;
		place->version = entry->record.version;
		place->text = entry->record.text;
		entry->record.text = NULL;
	}
	if (place->text)
		place->readable = record_parse(place->text, &place->record);
}

char *store_wrong(struct store_answer *answer)
{
	char *wrong = answer->wrong;

	answer->wrong = NULL;
	return wrong ? wrong : problem("the store gave no reason");
}

/* Read numbers; *answer is to be freed unless there is something wrong. */
static char *read_numbers(const struct claim *claim, uint64_t first,
			  uint64_t last, uint64_t *end, struct place *place,
			  struct store_answer **answer)
{
	char *wrong;

	*place = (struct place) { 0 };
	*answer = store_read(claim->store, first, last, end);
	wrong = (*answer)->result == STORE_DONE ? check_clock(*answer)
						: store_wrong(*answer);
	if (!wrong)
		wrong = take_space(claim, place, *answer);
	if (wrong)
		store_answer_free(*answer);
	return wrong;
}

char *place_read(const struct claim *claim, uint64_t number,
		 struct place *place)
{
	struct store_answer *answer;
	uint64_t end;
	char *wrong = read_numbers(claim, number, number, &end, place, &answer);

	if (wrong)
		return wrong;
	place_take(place, answer, number);
	store_answer_free(answer);
	return NULL;
}

bool place_has_other_epoch(const struct claim *claim, const struct place *place)
{
	return claim_is_snowflake(claim) && place->readable &&
	       place->record.epoch_ms &&
	       place->record.epoch_ms != claim->state.epoch_ms;
}

bool place_is_free(const struct claim *claim, const struct place *place)
{
	if (place->held || place_has_other_epoch(claim, place))
		return false;
	if (!place->text)
		return true;
	return place->readable && place->record.ceiling_s <= wall_s();
}

/* Why it isn't free. */
static char *taken(const struct claim *claim, const struct place *place)
{
	char when[TIME_TEXT_SIZE];

	if (place->text && !place->readable)
		return problem("number %" PRIu64 " has something else in the "
			       "store than kuid-claim writes",
			       place->number);
	if (place_has_other_epoch(claim, place))
		return problem("number %" PRIu64 " was used with the "
			       "snowflake epoch %" PRIu64 ", this machine has "
			       "%" PRIu64 ": a space can only have one",
			       place->number, place->record.epoch_ms,
			       claim->state.epoch_ms);
	if (!place->text)
		return problem_for_now("number %" PRIu64 " is held, but has "
				       "no record",
				       place->number);
	time_text(place->record.ceiling_s, 0, 0, when);
	return problem_for_now(
		"number %" PRIu64 " is %s's until %.19sZ%s", place->number,
		QUOTED(place->record.machine), when,
		place->held ? ", and as long as it is held" : "");
}

/*
 * One of the numbers of an answer that are free, by chance: machines that look
 * at the same time should not choose the same.
 */
static bool choose(const struct claim *claim, struct store_answer *answer,
		   uint64_t first, uint64_t end, struct place *place)
{
	uint64_t taken_numbers[STORE_PAGE], number;
	size_t nr_taken = 0;

	for (size_t i = 0; i < answer->count; i++) {
		struct store_entry *entry = &answer->entries[i];
		struct place one = {
			.number = entry->number,
			.held = entry->held,
			.text = entry->record.text,
		};

		if (one.text)
			one.readable = record_parse(one.text, &one.record);
		if (!place_is_free(claim, &one))
			taken_numbers[nr_taken++] = one.number;
	}
	if (end - first + 1 == nr_taken)
		return false;
	number = first + claim_random(end - first + 1 - nr_taken);
	for (size_t i = 0; i < nr_taken && taken_numbers[i] <= number; i++)
		number++;
	place_take(place, answer, number);
	return true;
}

static char *find_from(const struct claim *claim, uint64_t first, uint64_t last,
		       struct place *place, bool *found)
{
	struct store_answer *answer;
	uint64_t end;
	char *wrong;

	for (*found = false; !*found && first <= last; first = end + 1) {
		wrong = read_numbers(claim, first, last, &end, place, &answer);
		if (wrong)
			return wrong;
		*found = choose(claim, answer, first, end, place);
		store_answer_free(answer);
	}
	return NULL;
}

char *place_find(const struct claim *claim, struct place *place)
{
	uint64_t first = claim->settings->first, last = claim->settings->last;
	uint64_t middle = first + claim_random(last - first + 1);
	bool found;
	char *wrong;

	if (first == last) {
		wrong = place_read(claim, first, place);
		if (!wrong && !place_is_free(claim, place))
			wrong = taken(claim, place);
		return wrong;
	}
	wrong = find_from(claim, middle, last, place, &found);
	if (!wrong && !found && middle > first)
		wrong = find_from(claim, first, middle - 1, place, &found);
	if (!wrong && !found)
		wrong = problem_for_now("all numbers from %" PRIu64
					" to %" PRIu64
					" of the space %s are taken",
					first, last, claim->settings->space);
	return wrong;
}
