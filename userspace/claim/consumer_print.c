// SPDX-License-Identifier: GPL-2.0-only
/*
 * The consumer of --print: another generator than the kernel's, which reads
 *
 *	claim NUMBER FLOOR CEILING
 *	raise NUMBER CEILING
 *	end NUMBER END
 *
 * with times in seconds since 1970. It ends with its reader, so the next run of
 * this program finds no claim.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clocks.h"
#include "consumer.h"
#include "draw.h"
#include "nanoseconds.h"
#include "output.h"

static struct consumer_state printed;

/* How far the wall clock was ahead of boot_ns() at most, since the claim. */
static int64_t ahead_ns;

static void see_clock(void)
{
	int64_t now_ns = wall_ns() - boot_ns();

	if (now_ns > ahead_ns)
		ahead_ns = now_ns;
}

static struct problem *read_state(struct consumer_state *state)
{
	see_clock();
	*state = printed;
	return NULL;
}

static struct problem *claim(const struct consumer_claim *wanted, bool *stale)
{
	ahead_ns = wall_ns() - boot_ns();
	printed.claimed = true;
	printed.number = wanted->number;
	printed.floor_ns = wanted->floor_ns;
	printed.ceiling_ns = wanted->ceiling_ns;
	strcpy(printed.token, wanted->token);
	printf("claim %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", printed.number,
	       printed.floor_ns / SEC_NS, printed.ceiling_ns / SEC_NS);
	output_finish();
	return NULL;
}

static struct problem *raise_ceiling(uint64_t load_id, const char *token,
				     uint64_t ceiling_ns, bool *stale)
{
	printed.ceiling_ns = ceiling_ns;
	printf("raise %" PRIu64 " %" PRIu64 "\n", printed.number,
	       ceiling_ns / SEC_NS);
	output_finish();
	return NULL;
}

/*
 * The reader may be late, but not by more than to the next second. It may have
 * made IDs before the clock was set back.
 */
static struct problem *end(uint64_t load_id, const char *token,
			   uint64_t *end_ns, bool *stale)
{
	see_clock();
	*end_ns = ((boot_ns() + ahead_ns) / SEC_NS + 1) * SEC_NS;
	if (*end_ns < printed.floor_ns)
		*end_ns = printed.floor_ns;
	if (*end_ns > printed.ceiling_ns)
		*end_ns = printed.ceiling_ns;
	printed.claimed = false;
	printf("end %" PRIu64 " %" PRIu64 "\n", printed.number,
	       *end_ns / SEC_NS);
	output_finish();
	return NULL;
}

const struct consumer *consumer_print(uint64_t epoch_ms)
{
	static const struct consumer printing = {
		.read = read_state,
		.claim = claim,
		.raise = raise_ceiling,
		.end = end,
	};
	char token[TOKEN_SIZE];

	printed.epoch_ms = epoch_ms;
	/* Nothing that another process has written is this one's. */
	draw_token(0, token);
	sscanf(token, "%16" SCNx64, &printed.load_id);
	return &printing;
}
