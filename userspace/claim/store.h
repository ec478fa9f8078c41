/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The store that hands out numbers. It keeps a text for each number, its
 * record, and one for the whole space. A store must be able to read a text, and
 * to replace it only if it is as it was read. Stores also have versions of
 * their own, but these may repeat after a backup was restored, so the texts are
 * compared, too. No request is about two records.
 */
#ifndef KUID_CLAIM_STORE_H
#define KUID_CLAIM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem.h"

/* Where the store is and how to reach it; NULL for what wasn't given. */
struct store_settings {
	const char *url; /* names the kind of store; etcd has several */
	const char *space;
	const char *user;
	const char *password_file;
	const char *ca_file;
	const char *cert_file;
	const char *key_file;
	long timeout_ms; /* of a request */
};

/* The highest number: k96 keeps apart those of 32 bits. */
#define NUMBER_MAX UINT32_MAX

/* Keys are numbers, and this one, of the record of the space. */
#define STORE_SPACE ((uint64_t)NUMBER_MAX + 1)

/**
 * struct store_value - a record
 * @key: the key of the record
 * @text: the record
 * @version: the store's own version of the record, which changes with each
 *	write
 */
struct store_value {
	uint64_t key;
	char *text;
	char *version;
};

enum store_result {
	STORE_DONE,
	STORE_CONFLICT, /* it has another version: nothing was written */
	STORE_UNKNOWN,	/* no answer: it was written, or still may be, or not */
	STORE_REFUSED,	/* nothing was written */
};

/* No answer has more values. */
#define STORE_PAGE 256

/* The most seconds by which the clock may differ from the store's. */
#define STORE_SKEW_S 60

/**
 * struct store_answer - what the store has answered; see store_answer_free()
 * @result: whether it was done; reads are STORE_DONE or STORE_REFUSED
 * @wrong: why not, if it is STORE_UNKNOWN or STORE_REFUSED
 * @store_s: the store's time; 0 if the answer doesn't have it
 * @ahead_s: by how much this machine's clock is certainly ahead of the store's,
 *	negative if it is behind; only reads tell it
 * @values: the records that were read, in the order of their keys
 * @count: the number of records
 */
struct store_answer {
	enum store_result result;
	struct problem *wrong;
	uint64_t store_s;
	int64_t ahead_s;
	struct store_value values[STORE_PAGE];
	size_t count;
};

/**
 * struct store_change - what is to be written
 * @key: the key of the record
 * @text: the new record
 * @former: the record that there must be now, NULL if there must be none
 * @version: the version of @former
 */
struct store_change {
	uint64_t key;
	const char *text;
	const char *former;
	const char *version;
};

/* A store. Functions may be called from one thread only. */
struct store;

/* Check the settings, which is where an error comes from; nothing is sent. */
struct problem *store_open(const struct store_settings *settings,
			   struct store **store);
void store_close(struct store *store);

/* Read the value of one key, if there is one. */
struct store_answer *store_get(struct store *store, uint64_t key);

/*
 * Read the values of the numbers from first to last, but not more than
 * STORE_PAGE: *end is the last number that the answer is about.
 */
struct store_answer *store_list(struct store *store, uint64_t first,
				uint64_t last, uint64_t *end);

/* Write one value. The same change may be sent again if it is STORE_UNKNOWN. */
struct store_answer *store_put(struct store *store,
			       const struct store_change *change);

void store_answer_free(struct store_answer *answer);

/* ------------------------------------------------------ for kinds of stores */

/**
 * struct store_kind - the functions of a kind of store
 * @open: see store_open()
 * @close: see store_close()
 * @get: see store_get()
 * @list: see store_list()
 * @put: see store_put()
 */
struct store_kind {
	struct problem *(*open)(const struct store_settings *settings,
				struct store **store);
	void (*close)(struct store *store);
	void (*get)(struct store *store, uint64_t key,
		    struct store_answer *answer);
	void (*list)(struct store *store, uint64_t first, uint64_t last,
		     uint64_t *end, struct store_answer *answer);
	void (*put)(struct store *store, const struct store_change *change,
		    struct store_answer *answer);
};

/* Each kind of store begins with this. */
struct store {
	const struct store_kind *kind;
};

extern const struct store_kind store_etcd, store_kubernetes, store_postgresql;

/* The table of PostgreSQL's store, as SQL. */
extern const char store_schema[];

/* Free the text and version of a value, and clear it. */
void store_value_free(struct store_value *value);

/* Add a value, whose text and version are freed with the answer. */
void store_answer_add(struct store_answer *answer, uint64_t key, char *text,
		      char *version);

/*
 * A text of the store for a message, to be freed: not too much of it, with
 * those characters escaped that could do something to a terminal or journal.
 */
char *store_said(const char *text);

/* The first line of a file, to be freed. */
struct problem *store_password(const char *path, char **password);

#endif /* KUID_CLAIM_STORE_H */
