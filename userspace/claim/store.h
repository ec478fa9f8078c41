/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store that hands out numbers. It keeps a text for each number, its
 * record, and one for the whole space, each with a version. Whatever can read
 * several of them and replace one if none has changed can be such a store; etcd
 * is the one that is built.
 *
 * A number is also held by a lease, which ends if the owner doesn't write for a
 * horizon. It only says early that an owner is gone: no promise rests on it.
 */
#ifndef KUID_CLAIM_STORE_H
#define KUID_CLAIM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the store is and how to reach it; NULL for what wasn't given. */
struct store_settings {
	const char *endpoints; /* URLs with commas between them */
	const char *space;
	const char *user;
	const char *password_file;
	const char *ca_file;
	const char *cert_file;
	const char *key_file;
	uint64_t horizon_s; /* how long a lease lasts */
};

/* The highest number: k96 keeps apart those of 32 bits. */
#define NUMBER_MAX UINT32_MAX

/* text is NULL, and version 0, if the store has none. */
struct store_value {
	char *text;
	uint64_t version;
};

struct store_entry {
	uint64_t number;
	bool held;
	struct store_value record;
};

enum store_result {
	STORE_DONE,
	STORE_CHANGED, /* something has another version: nothing was written */
	STORE_UNSURE,  /* no answer: it was written, or still may be, or not */
	STORE_FAILED,  /* nothing was written */
};

/* No answer has more entries. */
#define STORE_PAGE 256

/**
 * struct store_answer - what the store has answered; see store_answer_free()
 * @result: whether it was done
 * @wrong: why not, if it is STORE_UNSURE or STORE_FAILED
 * @revision: of the whole store, and the version of what was just written; it
 *	only goes back if the store was restored from a backup
 * @ahead_s: by how much this machine's clock is certainly ahead of the store's,
 *	negative if it is behind
 * @space: the value of the space
 * @entries: those that were read, in the order of their numbers
 * @count: how many
 */
struct store_answer {
	enum store_result result;
	char *wrong;
	uint64_t revision;
	int64_t ahead_s;
	struct store_value space;
	struct store_entry entries[STORE_PAGE];
	size_t count;
};

/**
 * struct store_change - what is to be written, all of it or nothing
 * @number: the number
 * @record: its new record; NULL: neither record nor lease change
 * @token: the owner's, for the lease
 * @version: the version that its record has now
 * @unless_held: only if no lease holds the number
 * @let_go: end the lease, else hold the number by one
 * @space: the new text of the space; NULL: leave it as it is
 * @check_space: only if the space has the version @space_version
 * @space_version: the version that the space has now
 */
struct store_change {
	uint64_t number;
	const char *record;
	const char *token;
	uint64_t version;
	bool unless_held;
	bool let_go;
	const char *space;
	bool check_space;
	uint64_t space_version;
};

/* A store. Functions may be called from one thread only. */
struct store;

/* The message is that of wrong settings; nothing is sent yet. */
char *store_open(const struct store_settings *settings, struct store **store);
void store_close(struct store *store);

/*
 * Read the space, and the records and leases of the numbers from first to last,
 * but not more than STORE_PAGE: *end is the last number that the answer is
 * about. Numbers without either have no entry.
 */
struct store_answer *store_read(struct store *store, uint64_t first,
				uint64_t last, uint64_t *end);

/*
 * Write. With STORE_CHANGED the answer has the space and, if there is one, the
 * entry of the number as they are.
 */
struct store_answer *store_write(struct store *store,
				 const struct store_change *change);

/* The leases up to now are for others to end, and hold nothing new. */
void store_leave_lease(struct store *store);

void store_answer_free(struct store_answer *answer);

#endif /* KUID_CLAIM_STORE_H */
