// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host of --print: another generator than the kernel's, which reads
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
#include "host.h"
#include "nanoseconds.h"
#include "output.h"

static struct host_state host;

/* How far the wall clock was ahead of boot_ns() at most, since the claim. */
static int64_t ahead_ns;

static void see_clock(void)
{
	int64_t now_ns = wall_ns() - boot_ns();

	if (now_ns > ahead_ns)
		ahead_ns = now_ns;
}

static struct problem *read_state(struct host_state *state)
{
	see_clock();
	*state = host;
	return NULL;
}

static struct problem *claim(const struct host_claim *wanted, bool *stale)
{
	ahead_ns = wall_ns() - boot_ns();
	host.claimed = true;
	host.number = wanted->number;
	host.floor_ns = wanted->floor_ns;
	host.ceiling_ns = wanted->ceiling_ns;
	strcpy(host.token, wanted->token);
	printf("claim %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", host.number,
	       host.floor_ns / SEC_NS, host.ceiling_ns / SEC_NS);
	output_finish();
	return NULL;
}

static struct problem *raise_ceiling(uint64_t load_id, const char *token,
				     uint64_t ceiling_ns, bool *stale)
{
	host.ceiling_ns = ceiling_ns;
	printf("raise %" PRIu64 " %" PRIu64 "\n", host.number,
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
	if (*end_ns < host.floor_ns)
		*end_ns = host.floor_ns;
	if (*end_ns > host.ceiling_ns)
		*end_ns = host.ceiling_ns;
	host.claimed = false;
	printf("end %" PRIu64 " %" PRIu64 "\n", host.number, *end_ns / SEC_NS);
	output_finish();
	return NULL;
}

const struct host *host_print(uint64_t epoch_ms)
{
	static const struct host printing = {
		.read = read_state,
		.claim = claim,
		.raise = raise_ceiling,
		.end = end,
	};
	char token[TOKEN_SIZE];

	host.epoch_ms = epoch_ms;
	/* Nothing that another process has written is this one's. */
	token_draw(0, token);
	sscanf(token, "%16" SCNx64, &host.load_id);
	return &printing;
}
