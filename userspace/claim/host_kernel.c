// SPDX-License-Identifier: GPL-2.0-only
/* The host that is this machine's kernel. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <kuid.h>
#include <string.h>
#include <sys/random.h>

#include "host.h"
#include "output.h"
#include "verbs.h"

static unsigned int parts;
static struct kuid *handle;

/* As it was read last. */
static struct kuid_state state;

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

static char *failed(const char *doing)
{
	return problem_for_now("%s: %s", doing, reason());
}

/* Whether the claim in the kernel is for the parts that are asked for. */
static bool has_parts(void)
{
	bool worker = state.worker_from == KUID_FROM_CLAIM;

	if (parts & PART_SNOWFLAKE && state.snowflake_from != KUID_FROM_CLAIM)
		return false;
	if (worker != !!(parts & PART_WORKER))
		return false;
	return parts != (PART_WORKER | PART_SNOWFLAKE) ||
	       state.worker == state.snowflake_worker;
}

static bool lives(void)
{
	return (state.claim_token[0] || state.claim_token[1]) &&
	       !state.claim_dead;
}

/*
 * Only with state=required no ID was made that the file of "kuid keep" does not
 * cover. A floor of 0 is that of a fresh start.
 */
static uint64_t sure_floor(void)
{
	return state.required && state.restored ? state.floor_ns : 0;
}

static char *read_state(struct host_state *host)
{
	if (!handle)
		handle = kuid_open(KUID_FORMAT_DEFAULT);
	if (!handle)
		return failed("opening /dev/kuid");
	if (kuid_read_state(handle, &state))
		return failed("reading the state");
	*host = (struct host_state) {
		.claimed = lives() && has_parts(),
		.stale = state.claim_dead == KUID_CLAIM_DEAD_FORKED,
		.load_id = state.load_id,
		.floor_ns = sure_floor(),
		.epoch_ms = state.snowflake_epoch_ms,
		.number = parts & PART_SNOWFLAKE ? state.snowflake_worker
						 : state.worker,
	};
	return NULL;
}

static char *claim(uint64_t number, uint64_t load_id, uint64_t floor_ns,
		   uint64_t ceiling_ns)
{
	struct kuid_claim request = {
		.floor_ns = floor_ns,
		.ceiling_ns = ceiling_ns,
		.load_id = load_id,
		.snowflake_epoch_ms = state.snowflake_epoch_ms,
		.interval = state.interval,
	};

	if (getrandom(request.token, sizeof(request.token), 0) !=
	    sizeof(request.token))
		err(EXIT_FAILED, "getrandom");
	if (lives())
		memcpy(request.replaces, state.claim_token,
		       sizeof(request.replaces));
	if (parts & PART_WORKER) {
		request.parts |= KUID_CLAIM_WORKER;
		request.worker = number;
	}
	if (parts & PART_SNOWFLAKE) {
		request.parts |= KUID_CLAIM_SNOWFLAKE;
		request.snowflake_worker = number;
	}
	if (kuid_claim_numbers(handle, &request))
		return failed("giving the number to the kernel");
	return NULL;
}

static char *raise_ceiling(uint64_t ceiling_ns)
{
	if (kuid_raise_claim(handle, state.load_id, state.claim_token,
			     ceiling_ns))
		return failed("raising the ceiling in the kernel");
	return NULL;
}

static char *end(struct host_state *host)
{
	uint64_t end_ns;

	if (kuid_end_claim(handle, state.load_id, state.claim_token, &end_ns))
		return failed("ending the claim in the kernel");
	host->end_ns = end_ns;
	return NULL;
}

const struct host *host_kernel(unsigned int wanted)
{
	static const struct host kernel = {
		.read = read_state,
		.claim = claim,
		.raise = raise_ceiling,
		.end = end,
	};

	parts = wanted;
	return &kernel;
}
