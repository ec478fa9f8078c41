// SPDX-License-Identifier: MIT
/*
 * The claim of a number by a machine whose IDs are ahead of its clock, with a
 * store, a consumer and clocks of the test. userspace/claim/tests has the
 * protocol.
 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "claim.h"
#include "clocks.h"
#include "nanoseconds.h"
#include "service.h"

#define HORIZON_S 600
#define NUMBER	  7

static struct consumer_state kernel;
static uint64_t now_ns, next_ns;
static char *record, *space;
static unsigned int writes;

uint64_t wall_ns(void)
{
	return 1795162500 * SEC_NS + now_ns;
}

uint64_t wall_s(void)
{
	return wall_ns() / SEC_NS;
}

uint64_t boot_ns(void)
{
	return now_ns;
}

void service_log(const char *priority, const char *format, ...)
{
}

bool has_unseen_clones(void)
{
	return false;
}

struct problem *claim_file_read(const struct claim_file *file,
				struct saved_claim *saved)
{
	*saved = (struct saved_claim) { 0 };
	return NULL;
}

struct problem *claim_file_write(const struct claim_file *file,
				 const struct saved_claim *saved)
{
	return NULL;
}

static char **text_of_key(uint64_t key)
{
	return key == STORE_SPACE ? &space : &record;
}

struct store_answer *store_get(struct store *store, uint64_t key)
{
	struct store_answer *answer = calloc(1, sizeof(*answer));
	const char *text = *text_of_key(key);

	answer->store_s = wall_s();
	if (text)
		answer->values[answer->count++] = (struct store_value) {
			.key = key,
			.text = strdup(text),
		};
	return answer;
}

struct store_answer *store_list(struct store *store, uint64_t first,
				uint64_t last, uint64_t *end)
{
	fail_msg("one number is looked for");
	return NULL;
}

struct store_answer *store_put(struct store *store,
			       const struct store_change *change)
{
	char **text = text_of_key(change->key);

	free(*text);
	*text = strdup(change->text);
	writes++;
	return calloc(1, sizeof(struct store_answer));
}

void store_value_free(struct store_value *value)
{
	free(value->text);
	*value = (struct store_value) { 0 };
}

void store_answer_free(struct store_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		store_value_free(&answer->values[i]);
	free(answer);
}

static struct problem *read_kernel(struct consumer_state *state)
{
	*state = kernel;
	return NULL;
}

static struct problem *claim_in_kernel(const struct consumer_claim *wanted,
				       bool *stale)
{
	kernel.claimed = true;
	kernel.number = wanted->number;
	kernel.ceiling_ns = wanted->ceiling_ns;
	strcpy(kernel.token, wanted->token);
	return NULL;
}

static struct problem *raise_in_kernel(uint64_t load_id, const char *token,
				       uint64_t ceiling_ns, bool *stale)
{
	kernel.ceiling_ns = ceiling_ns;
	return NULL;
}

static const struct consumer consumer = {
	.read = read_kernel,
	.claim = claim_in_kernel,
	.raise = raise_in_kernel,
};

static const struct claim_settings settings = {
	.space = "test",
	.first = NUMBER,
	.last = NUMBER,
	.parts = PART_SNOWFLAKE,
	.horizon_s = HORIZON_S,
};

static struct claim_file file;

/* A machine that claims the number, with IDs so far ahead of its clock. */
static void begin(struct claim *claim, uint64_t lag_s)
{
	kernel = (struct consumer_state) {
		.load_id = 1,
		.lag_ns = lag_s * SEC_NS,
		.epoch_ms = 1,
		.interval = 8,
	};
	now_ns = SEC_NS;
	writes = 0;
	free(record);
	free(space);
	record = space = NULL;
	claim_open(claim, &settings, NULL, &consumer, &file);
	claim_step(claim);
	next_ns = claim_next_ns(claim);
	assert_true(kernel.claimed);
}

/* The next second, in which the clock of IDs that are ahead has half speed. */
static void go_on(struct claim *claim)
{
	now_ns += SEC_NS;
	kernel.lag_ns -= kernel.lag_ns ? SEC_NS / 2 : 0;
	if (now_ns < next_ns)
		return;
	claim_step(claim);
	next_ns = claim_next_ns(claim);
}

/* Whether the kernel makes IDs with the number. */
static bool makes(void)
{
	return wall_ns() + kernel.lag_ns < kernel.ceiling_ns;
}

TEST(ceiling_is_raised_before_ids_come_to_it)
{
	static const uint64_t lags_s[] = { 0, 100, 400, 500, 590 };

	for (size_t i = 0; i < sizeof(lags_s) / sizeof(lags_s[0]); i++) {
		struct claim claim;

		begin(&claim, lags_s[i]);
		for (int s = 0; s < 3000; s++) {
			assert_true(makes());
			assert_null(claim.wrong);
			go_on(&claim);
		}
		assert_in_range(writes, 3000 * 2 / HORIZON_S - 2, 40);
		claim_close(&claim);
	}
}

TEST(ids_beyond_the_ceiling_are_told)
{
	struct claim claim;
	int s;

	begin(&claim, 3600);
	for (s = 0; !makes(); s++) {
		assert_int_equal(0, claim_left_s(&claim));
		assert_non_null(claim.wrong);
		assert_non_null(
			strstr(claim.wrong->text, "ahead of the clock"));
		go_on(&claim);
	}
	assert_in_range(s, 2 * (3600 - HORIZON_S) - 60,
			2 * (3600 - HORIZON_S) + 60);
	for (s = 0; s < 60; s++)
		go_on(&claim);
	assert_null(claim.wrong);
	assert_true(makes() && claim_left_s(&claim));
	claim_close(&claim);
}

int main(void)
{
	return run_cases("claim", NULL, NULL);
}
