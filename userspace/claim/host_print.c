// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host of --print: another generator than the kernel's, which reads
 *
 *	claim NUMBER FLOOR CEILING
 *	raise NUMBER CEILING
 *	end NUMBER END
 *
 * with times in seconds since 1970.
 */
#include <inttypes.h>
#include <stdio.h>

#include "clocks.h"
#include "host.h"
#include "nanoseconds.h"
#include "output.h"

static struct host_state host;
static uint64_t ceiling;

static char *read_state(struct host_state *state)
{
	*state = host;
	return NULL;
}

static char *claim(uint64_t number, uint64_t load_id __attribute__((unused)),
		   uint64_t floor_ns, uint64_t ceiling_ns)
{
	host.claimed = true;
	host.number = number;
	ceiling = ceiling_ns;
	printf("claim %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", number,
	       floor_ns / SEC_NS, ceiling_ns / SEC_NS);
	output_finish();
	return NULL;
}

static char *raise_ceiling(uint64_t ceiling_ns)
{
	ceiling = ceiling_ns;
	printf("raise %" PRIu64 " %" PRIu64 "\n", host.number,
	       ceiling_ns / SEC_NS);
	output_finish();
	return NULL;
}

/* The reader may be late, but not by more than to the next second. */
static char *end(struct host_state *state)
{
	uint64_t end_ns = (wall_ns() / SEC_NS + 1) * SEC_NS;

	if (end_ns > ceiling)
		end_ns = ceiling;
	host.claimed = false;
	*state = host;
	state->end_ns = end_ns;
	printf("end %" PRIu64 " %" PRIu64 "\n", host.number, end_ns / SEC_NS);
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

	host.epoch_ms = epoch_ms;
	return &printing;
}
