/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The claim of one number. Only two parties are believed: the store's record,
 * which is replaced only if it is as it was read, and the kernel's claim, which
 * is named by its token. The owner's IDs are below a ceiling, which is raised
 * in the store before the kernel, and the next owner's IDs begin at the ceiling
 * of the store. So leases, clocks, pauses, lost answers and files can't make
 * two owners repeat. Documentation/design/claims.md has the rules.
 */
#ifndef KUID_CLAIM_CLAIM_H
#define KUID_CLAIM_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "claim_file.h"
#include "consumer.h"
#include "entry.h"
#include "problem.h"
#include "record.h"
#include "store.h"

/* How far a ceiling is ahead, in seconds. */
#define HORIZON_LEAST 4
#define HORIZON_MOST  86400
#define HORIZON_USUAL 600

struct claim_settings {
	const char *space;
	uint64_t first, last; /* numbers to take one of */
	unsigned int parts;   /* PART_* */
	uint64_t horizon_s;
	bool trust_disk;
};

/*
 * Where the claim is. It is
 *   at LOOK     to see what the kernel has claimed
 *   at OFFLINE  to go on from the file, which is trusted
 *   at CHECK    to compare the kernel's claim with its record
 *   at PICK     to choose a number, and to draw a token
 *   at TAKE     to write the token
 *   at SET      to read what holds for the space, and to claim in the kernel
 *   at OWN      the owner
 *   at RAISE    to write a higher ceiling
 *   at LIFT     to raise the ceiling in the kernel
 *   at DROP     to end the kernel's claim of a number that is lost
 *   at END      to end the kernel's claim of a number that is given back
 *   at GIVE     to write that end as the ceiling
 */
#define CLAIM_STATES(STATE) \
	STATE(LOOK)         \
	STATE(OFFLINE)      \
	STATE(CHECK)        \
	STATE(PICK)         \
	STATE(TAKE)         \
	STATE(SET)          \
	STATE(OWN)          \
	STATE(RAISE)        \
	STATE(LIFT)         \
	STATE(DROP)         \
	STATE(END)          \
	STATE(GIVE)

#define CLAIM_STATE(name) CLAIM_##name,
enum claim_state {
	CLAIM_STATES(CLAIM_STATE)
};
#undef CLAIM_STATE

/**
 * struct claim - see claim_open()
 * @settings: what was asked for
 * @entries: where numbers are claimed
 * @consumer: what uses the number
 * @file: where the number is kept for the next run
 * @saved: what is in the file
 * @file_trusted: the file was written with --trust-disk
 * @state: where the claim is
 * @now: the state of the consumer, as it was read last
 * @load_id: the load_id of the consumer when the claim was at LOOK
 * @mine: the token that this process has set, or adopted because the record of
 *	the number has it; empty if there is none
 * @number: the number
 * @floor_s: all IDs with the number are at or above this time
 * @lifted_s: the ceiling that the consumer has
 * @record: the record of the number, as it was read or written last
 * @former: the text and version from which @record was read; without a text if
 *	the store had no record
 * @next: the record to be written in place of @former
 * @sent: @next was sent, and nobody knows whether it was written
 * @raised_ns: when the ceiling was raised last, on the clock of boot_ns()
 * @raise_ns: when to raise the ceiling again
 * @try_ns: when to try again after failures
 * @quicker: how many times in a row another machine has written first
 * @failures: the number of failures since the last success
 * @failed: the number of failures since the start
 * @wrong: what is wrong now, or NULL
 */
struct claim {
	const struct claim_settings *settings;
	struct entries entries;
	const struct consumer *consumer;
	struct claim_file *file;
	struct saved_claim saved;
	bool file_trusted;
	enum claim_state state;
	struct consumer_state now;
	uint64_t load_id;
	char mine[TOKEN_SIZE];
	uint64_t number;
	uint64_t floor_s;
	uint64_t lifted_s;
	struct record record;
	struct store_value former;
	struct record next;
	bool sent;
	uint64_t raised_ns;
	uint64_t raise_ns;
	uint64_t try_ns;
	unsigned int quicker;
	unsigned int failures;
	uint64_t failed;
	struct problem *wrong;
};

/* Begin with what the file has. consumer and file may be NULL. */
void claim_open(struct claim *claim, const struct claim_settings *settings,
		struct store *store, const struct consumer *consumer,
		struct claim_file *file);

void claim_close(struct claim *claim);

/*
 * Do what is due: claim a number, raise its ceiling, have the consumer use it.
 * To be called every few seconds. Sets claim->wrong.
 */
void claim_step(struct claim *claim);

/* When to call claim_step() next, on the clock of boot_ns(). */
uint64_t claim_next_ns(const struct claim *claim);

/*
 * How long until the consumer's IDs come to its ceiling, in seconds; 0 if it
 * has no number that it may use now.
 */
uint64_t claim_left_s(const struct claim *claim);

/*
 * End the consumer's claim, and give the number back. If this process has
 * claimed no number, it gives back that of the kernel, provided that the record
 * of the number has the token of the kernel's claim.
 */
struct problem *claim_release(struct claim *claim);

/*
 * Close the space until a time at which all owners have come to their ceilings,
 * also owners that the store has forgotten. Later IDs begin above that time.
 */
struct problem *claim_recover(struct claim *claim, uint64_t *until_s);

#endif /* KUID_CLAIM_CLAIM_H */
