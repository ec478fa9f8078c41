/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The claim of one number. Its owner makes IDs only below the ceiling that the
 * store has for it, and raises the ceiling before it is needed. The next owner
 * begins at or above that ceiling. Each step replaces a record only if it is as
 * it was read, so there is one owner at a time. Nothing else is relied on: no
 * lease, no timeout, no clock.
 */
#ifndef KUID_CLAIM_CLAIM_H
#define KUID_CLAIM_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "claim_file.h"
#include "host.h"
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
};

/**
 * struct claim - see claim_open()
 * @settings: what was asked for
 * @store: where numbers are claimed
 * @host: what uses the number
 * @file: where it is kept
 * @saved: what the file has, or would have if it could be written
 * @known: whether that is a number
 * @clean: it was given back, and not used since
 * @state: the host's
 * @owned: the record in the store is @record, or will be @tried
 * @record: see there
 * @unsure: @tried was sent, and may have been written, or still may be, if the
 *	version of the record is @tried_version
 * @tried: see there
 * @tried_version: see there
 * @load_id: the host's, before the store was asked for the number
 * @goes_on: the host has the number from before, and needs a new ceiling only
 * @used_to_s: the ceiling that the host has, 0 if it has none
 * @raised_ns: when the ceiling was raised last, on the clock of boot_ns()
 * @raise_ns: when to raise it again
 * @try_ns: when to try again after failures
 * @failures: how many there were since the last success
 * @failed: how many there were
 * @wrong: what is wrong now, or NULL
 */
struct claim {
	const struct claim_settings *settings;
	struct store *store;
	const struct host *host;
	struct claim_file *file;
	struct saved_claim saved;
	bool known;
	bool clean;
	struct host_state state;
	bool owned;
	struct record record;
	bool unsure;
	struct record tried;
	char tried_version[VERSION_SIZE];
	uint64_t load_id;
	bool goes_on;
	uint64_t used_to_s;
	uint64_t raised_ns;
	uint64_t raise_ns;
	uint64_t try_ns;
	unsigned int failures;
	uint64_t failed;
	char *wrong;
};

/* A random number below a limit. */
uint64_t claim_random(uint64_t limit);

/* Whether the number is snowflake's. */
bool claim_is_snowflake(const struct claim *claim);

/* Begin with what the file has. store and host may be NULL for none. */
void claim_open(struct claim *claim, const struct claim_settings *settings,
		struct store *store, const struct host *host,
		struct claim_file *file);

/*
 * Do what is due: claim a number, raise its ceiling, have the host use it. To
 * be called every few seconds. Sets claim->wrong.
 */
void claim_step(struct claim *claim);

/* When to call it next, on the clock of boot_ns(). */
uint64_t claim_next_ns(const struct claim *claim);

/* Whether the host has a number that it may use now. */
bool claim_is_used(const struct claim *claim);

/* Have the host end, and give the number back. */
char *claim_release(struct claim *claim);

/* Forbid to claim numbers for a horizon; *until_s tells how long. */
char *claim_recover(struct claim *claim, uint64_t *until_s);

#endif /* KUID_CLAIM_CLAIM_H */
