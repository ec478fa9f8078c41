/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The consumer of a number is the generator whose IDs show it: the kernel's
 * module, or a program that reads standard output.
 */
#ifndef KUID_CLAIM_CONSUMER_H
#define KUID_CLAIM_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

#include "problem.h"
#include "record.h"

/* The parts of the identity that a number is for. */
#define PART_WORKER    0x1
#define PART_SNOWFLAKE 0x2

/**
 * struct consumer_state - what the consumer has
 * @load_id: changes when the machine may have become a clone
 * @claimed: the consumer has a claim, which the next four members describe
 * @token: the claim's token
 * @number: the number that the consumer uses
 * @floor_ns: IDs with @number are at or above this time
 * @ceiling_ns: IDs with @number are below this time
 * @sure_ns: all IDs from before the boot are certainly below this time; 0 if
 *	that isn't certain
 * @lag_ns: how far the clock of IDs is ahead of the wall clock
 * @epoch_ms: what snowflake's milliseconds count from
 * @interval: I of k96 and k128; 0 if it isn't known
 */
struct consumer_state {
	uint64_t load_id;
	bool claimed;
	char token[TOKEN_SIZE];
	uint64_t number;
	uint64_t floor_ns;
	uint64_t ceiling_ns;
	uint64_t sure_ns;
	uint64_t lag_ns;
	uint64_t epoch_ms;
	unsigned int interval;
};

/**
 * struct consumer_claim - what the consumer is to use
 * @load_id: the machine's load_id from before the store was asked
 * @token: the token of this claim
 * @replaces: the token of the claim that this one replaces, empty for none
 * @number: the number to use
 * @floor_ns: IDs with @number are at or above this time
 * @ceiling_ns: IDs with @number are below this time
 * @epoch_ms: what snowflake's milliseconds must count from
 * @interval: what I must be
 */
struct consumer_claim {
	uint64_t load_id;
	const char *token;
	const char *replaces;
	uint64_t number;
	uint64_t floor_ns;
	uint64_t ceiling_ns;
	uint64_t epoch_ms;
	unsigned int interval;
};

/**
 * struct consumer - functions that return NULL or what is wrong
 * @read: read the state
 * @claim: use a number
 * @raise: raise the ceiling of the claim that has this token
 * @end: stop using the number of this claim; all its IDs are below *end_ns
 *
 * If the consumer has another claim or load_id, *stale is set and nothing is
 * changed.
 */
struct consumer {
	struct problem *(*read)(struct consumer_state *state);
	struct problem *(*claim)(const struct consumer_claim *claim,
				 bool *stale);
	struct problem *(*raise)(uint64_t load_id, const char *token,
				 uint64_t ceiling_ns, bool *stale);
	struct problem *(*end)(uint64_t load_id, const char *token,
			       uint64_t *end_ns, bool *stale);
};

/* The kernel uses the number for these parts. */
const struct consumer *consumer_kernel(unsigned int parts);

/* Print what is to be done in place of doing it, one line each. */
const struct consumer *consumer_print(uint64_t epoch_ms);

/*
 * Whether a clone of this machine could go on with its claim unnoticed: it is a
 * virtual machine without a generation ID.
 */
bool has_unseen_clones(void);

#endif /* KUID_CLAIM_CONSUMER_H */
