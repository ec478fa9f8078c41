// SPDX-License-Identifier: GPL-2.0-only
/* The consumer that is this machine's kernel. */
#include <errno.h>
#include <inttypes.h>
#include <kuid.h>
#include <stdio.h>
#include <string.h>

#include "consumer.h"
#include "problem.h"

static unsigned int parts;
static struct kuid *handle;

static const char *reason(void)
{
	switch (errno) {
	case ENODEV:
		return "load the module with \"modprobe kuid\"";
	case EPERM:
		return "not permitted: this needs CAP_SYS_ADMIN to claim and "
		       "CAP_SYS_TIME to raise the ceiling";
	case EAGAIN:
		return "the kernel's random generator is not ready";
	case EBUSY:
		return "another kuid-claim has claimed a number meanwhile";
	case ESTALE:
		return "the claim in the kernel is another one, or this "
		       "machine may be a clone";
	case ENOTTY:
		return "the module that is loaded knows of no claims: load the "
		       "one that belongs to this program";
	default:
		return strerror(errno);
	}
}

static struct problem *failed(const char *doing)
{
	return problem_for_now("%s: %s", doing, reason());
}

/* For a request that names a claim. */
static struct problem *failed_to(const char *doing, bool *stale)
{
	*stale = errno == ESTALE || errno == EBUSY;
	return failed(doing);
}

static void token_bits(const char *token, __u64 bits[2])
{
	uint64_t high = 0, low = 0;

	sscanf(token, "%16" SCNx64 "%16" SCNx64, &high, &low);
	bits[0] = high;
	bits[1] = low;
}

/*
 * Only with state=required no ID was made that the file of "kuid keep" does not
 * cover, and nothing is sure while times may come again. A floor of 0 is that
 * of a first start.
 */
static uint64_t sure_ns(const struct kuid_state *state)
{
	if (!state->required || !state->cover_epoch ||
	    state->again_until_ns > state->wall_ns)
		return 0;
	return state->floor_ns;
}

static struct problem *read_state(struct consumer_state *to)
{
	struct kuid_status status;
	struct kuid_state state;
	bool snowflake;

	if (!handle)
		handle = kuid_open(KUID_FORMAT_DEFAULT);
	if (!handle)
		return failed("opening /dev/kuid");
	if (kuid_read_state(handle, &state) ||
	    kuid_read_status(handle, &status))
		return failed("reading the state");
	snowflake = state.snowflake_from == KUID_FROM_CLAIM;
	*to = (struct consumer_state) {
		.load_id = state.load_id,
		.claimed = (state.claim_token[0] || state.claim_token[1]) &&
			   !state.claim_dead,
		.number = snowflake ? state.snowflake_worker : state.worker,
		.floor_ns = state.claim_floor_ns,
		.ceiling_ns = state.claim_ceiling_ns,
		.sure_ns = sure_ns(&state),
		.lag_ns = status.slot_lag_ns,
		.epoch_ms = state.snowflake_epoch_ms,
		.interval = state.interval,
	};
	snprintf(to->token, sizeof(to->token), "%016" PRIx64 "%016" PRIx64,
		 (uint64_t)state.claim_token[0],
		 (uint64_t)state.claim_token[1]);
	return NULL;
}

static struct problem *claim(const struct consumer_claim *wanted, bool *stale)
{
	struct kuid_claim request = {
		.floor_ns = wanted->floor_ns,
		.ceiling_ns = wanted->ceiling_ns,
		.load_id = wanted->load_id,
		.snowflake_epoch_ms = wanted->epoch_ms,
		.interval = wanted->interval,
	};

	token_bits(wanted->token, request.token);
	token_bits(wanted->replaces, request.replaces);
	if (parts & PART_WORKER) {
		request.parts |= KUID_CLAIM_WORKER;
		request.worker = wanted->number;
	}
	if (parts & PART_SNOWFLAKE) {
		request.parts |= KUID_CLAIM_SNOWFLAKE;
		request.snowflake_worker = wanted->number;
	}
	if (kuid_claim_numbers(handle, &request))
		return failed_to("giving the number to the kernel", stale);
	return NULL;
}

static struct problem *raise_ceiling(uint64_t load_id, const char *token,
				     uint64_t ceiling_ns, bool *stale)
{
	__u64 bits[2];

	token_bits(token, bits);
	if (kuid_raise_claim(handle, load_id, bits, ceiling_ns))
		return failed_to("raising the ceiling in the kernel", stale);
	return NULL;
}

static struct problem *end(uint64_t load_id, const char *token,
			   uint64_t *end_ns, bool *stale)
{
	__u64 bits[2];

	token_bits(token, bits);
	if (kuid_end_claim(handle, load_id, bits, end_ns))
		return failed_to("ending the claim in the kernel", stale);
	return NULL;
}

const struct consumer *consumer_kernel(unsigned int wanted)
{
	static const struct consumer kernel = {
		.read = read_state,
		.claim = claim,
		.raise = raise_ceiling,
		.end = end,
	};

	parts = wanted;
	return &kernel;
}
