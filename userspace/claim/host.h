/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generator that uses the number: the kernel's module, or a program that
 * reads standard output.
 */
#ifndef KUID_CLAIM_HOST_H
#define KUID_CLAIM_HOST_H

#include <stdbool.h>
#include <stdint.h>

/* The parts of the identity that a number is for. */
#define PART_WORKER    0x1
#define PART_SNOWFLAKE 0x2

/**
 * struct host_state - what the machine has
 * @claimed: it uses @number, up to a ceiling, for just these parts
 * @stale: it may be a clone, and uses no number until one is claimed
 * @load_id: another one after the machine may have become a clone
 * @floor_ns: no ID is made below this time, because all that were made before
 *	the last boot certainly are; 0 if that isn't certain
 * @epoch_ms: what snowflake's milliseconds count from
 * @number: see @claimed
 * @end_ns: set by the function end: all IDs with the number are below this time
 */
struct host_state {
	bool claimed;
	bool stale;
	uint64_t load_id;
	uint64_t floor_ns;
	uint64_t epoch_ms;
	uint64_t number;
	uint64_t end_ns;
};

/**
 * struct host - functions that return NULL or what is wrong
 * @read: read the state
 * @claim: use a number for IDs from a floor to below a ceiling, if the load_id
 *	is still the one that the machine had before the store was asked
 * @raise: raise the ceiling
 * @end: use the number no more
 */
struct host {
	char *(*read)(struct host_state *state);
	char *(*claim)(uint64_t number, uint64_t load_id, uint64_t floor_ns,
		       uint64_t ceiling_ns);
	char *(*raise)(uint64_t ceiling_ns);
	char *(*end)(struct host_state *state);
};

/* The kernel uses the number for these parts. */
const struct host *host_kernel(unsigned int parts);

/* Print what is to be done in place of doing it, one line each. */
const struct host *host_print(uint64_t epoch_ms);

#endif /* KUID_CLAIM_HOST_H */
