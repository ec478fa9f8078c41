// SPDX-License-Identifier: GPL-2.0-only
/* See entry.h. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clocks.h"
#include "draw.h"
#include "entry.h"
#include "problem.h"
#include "quoted.h"
#include "time_text.h"

/*
 * Ceilings of a host whose clock is years ahead would keep its numbers from all
 * others for years.
 */
static struct problem *check_clock(const struct store_answer *answer)
{
	int64_t ahead_s = answer->ahead_s;

	if (ahead_s > STORE_SKEW_S || ahead_s < -STORE_SKEW_S)
		return problem_for_now("this machine's clock is %" PRId64
				       " seconds %s the "
				       "store's: set the one that is wrong",
				       ahead_s < 0 ? -ahead_s : ahead_s,
				       ahead_s < 0 ? "behind" : "ahead of");
	return NULL;
}

/*
 * *answer is freed if there is something wrong with it. The clock may have been
 * set since it was compared.
 */
static struct problem *check(struct entries *entries,
			     struct store_answer *answer)
{
	struct problem *wrong = answer->wrong;
	uint64_t store_s = answer->store_s;

	answer->wrong = NULL;
	if (!wrong)
		wrong = check_clock(answer);
	entries->checked_s = wall_s();
	if (store_s && entries->checked_s > store_s + STORE_SKEW_S)
		entries->checked_s = store_s + STORE_SKEW_S;
	if (store_s && entries->checked_s < store_s - STORE_SKEW_S)
		entries->checked_s = store_s - STORE_SKEW_S;
	if (wrong)
		store_answer_free(answer);
	return wrong;
}

/* Take the value of a key out of an answer. */
static struct store_value take_value(struct store_answer *answer, uint64_t key)
{
	for (size_t i = 0; i < answer->count; i++) {
		struct store_value value = answer->values[i];

		if (value.key == key) {
			answer->values[i] = (struct store_value) { 0 };
			return value;
		}
	}
	return (struct store_value) { 0 };
}

struct problem *space_read(struct entries *entries, struct space *space,
			   struct store_value *value)
{
	struct store_answer *answer = store_get(entries->store, STORE_SPACE);
	struct problem *wrong = check(entries, answer);

	*space = (struct space) { 0 };
	*value = (struct store_value) { 0 };
	if (wrong)
		return wrong;
	*value = take_value(answer, STORE_SPACE);
	if (value->text && !space_parse(value->text, space))
		wrong = problem("the store has something else than kuid-claim "
				"writes for the space %s",
				entries->space);
	store_answer_free(answer);
	return wrong;
}

/* Take a number out of an answer. */
static void take(struct entry *entry, struct store_answer *answer,
		 uint64_t number)
{
	*entry = (struct entry) {
		.number = number,
		.value = take_value(answer, number),
	};
	if (entry->value.text)
		entry->readable =
			record_parse(entry->value.text, &entry->record);
}

struct problem *entry_read(struct entries *entries, uint64_t number,
			   struct entry *entry)
{
	struct store_answer *answer = store_get(entries->store, number);
	struct problem *wrong = check(entries, answer);

	if (wrong)
		return wrong;
	take(entry, answer, number);
	store_answer_free(answer);
	return NULL;
}

bool entry_is_free(const struct entry *entry, uint64_t time_s)
{
	return !entry->value.text ||
	       (entry->readable && entry->record.ceiling_s <= time_s);
}

/* Why it isn't free. */
static struct problem *taken(const struct entry *entry)
{
	char when[TIME_TEXT_SIZE];

	if (entry->value.text && !entry->readable)
		return problem("number %" PRIu64 " has something else in the "
			       "store than kuid-claim writes",
			       entry->number);
	time_text(entry->record.ceiling_s, 0, 0, when);
	return problem_for_now("number %" PRIu64 " is %s's until %.19sZ",
			       entry->number, QUOTED(entry->record.machine),
			       when);
}

/*
 * One of the numbers of an answer that are free, by chance: machines that look
 * at the same time should not choose the same.
 */
static bool choose(struct store_answer *answer, uint64_t first, uint64_t end,
		   struct entry *entry)
{
	uint64_t taken_numbers[STORE_PAGE], number;
	size_t nr_taken = 0;

	for (size_t i = 0; i < answer->count; i++) {
		struct entry one = {
			.number = answer->values[i].key,
			.value = answer->values[i],
		};

		one.readable = record_parse(one.value.text, &one.record);
		if (!entry_is_free(&one, wall_s()))
			taken_numbers[nr_taken++] = one.number;
	}
	if (end - first + 1 == nr_taken)
		return false;
	number = first + draw_below(end - first + 1 - nr_taken);
	for (size_t i = 0; i < nr_taken && taken_numbers[i] <= number; i++)
		number++;
	take(entry, answer, number);
	return true;
}

static struct problem *find_from(struct entries *entries, uint64_t first,
				 uint64_t last, struct entry *entry,
				 bool *found)
{
	struct store_answer *answer;
	uint64_t end;
	struct problem *wrong;

	for (*found = false; !*found && first <= last; first = end + 1) {
		answer = store_list(entries->store, first, last, &end);
		wrong = check(entries, answer);
		if (wrong)
			return wrong;
		*found = choose(answer, first, end, entry);
		store_answer_free(answer);
	}
	return NULL;
}

struct problem *entry_find(struct entries *entries, uint64_t first,
			   uint64_t last, struct entry *entry)
{
	uint64_t middle = first + draw_below(last - first + 1);
	bool found;
	struct problem *wrong;

	if (first == last) {
		wrong = entry_read(entries, first, entry);
		if (wrong || entry_is_free(entry, wall_s()))
			return wrong;
		wrong = taken(entry);
		store_value_free(&entry->value);
		return wrong;
	}
	wrong = find_from(entries, middle, last, entry, &found);
	if (!wrong && !found && middle > first)
		wrong = find_from(entries, first, middle - 1, entry, &found);
	if (!wrong && !found)
		wrong = problem_for_now("all numbers from %" PRIu64
					" to %" PRIu64
					" of the space %s are taken",
					first, last, entries->space);
	return wrong;
}
