/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts in the store, as JSON: a record for each number that was ever
 * claimed, and one for the space that the numbers belong to.
 *
 *	{"token": "6c31...", "machine": "web-12", "seq": 7,
 *	 "ceiling": 1795162560, "epoch": 1288834974657,
 *	 "nonce": "09fa..."}
 *	{"horizon": 600, "closed": 0}
 */
#ifndef KUID_CLAIM_RECORD_H
#define KUID_CLAIM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* 128 random bits as hexadecimal digits, and a NUL. */
#define TOKEN_SIZE 33

/* Longer than a host name. */
#define MACHINE_SIZE 128

/**
 * struct record - the last that the owner of a number has written
 * @token: drawn by the owner; tells its life from all others
 * @machine: the owner's host name, for people
 * @seq: counts what the owner has written
 * @ceiling_s: all IDs with the number are below this time, in seconds since
 *	1970; so the next owner's may begin here
 * @epoch_ms: what snowflake's milliseconds count from; 0 if the number never
 *	was snowflake's
 * @nonce: drawn for this write; tells it from all others
 */
struct record {
	char token[TOKEN_SIZE];
	char machine[MACHINE_SIZE];
	uint64_t seq;
	uint64_t ceiling_s;
	uint64_t epoch_ms;
	char nonce[TOKEN_SIZE];
};

/**
 * struct space - what holds for all numbers
 * @horizon_s: the longest horizon of an owner: how far a ceiling may be ahead
 * @closed_s: no number may be claimed before this time, because the store was
 *	restored from a backup, and may not know of all owners until then
 */
struct space {
	uint64_t horizon_s;
	uint64_t closed_s;
};

/* The text, to be freed. */
char *record_text(const struct record *record);
char *space_text(const struct space *space);

/* Read it back; false if it is not such a text. */
bool record_parse(const char *text, struct record *record);
bool space_parse(const char *text, struct space *space);

/* Draw a token that nobody has. */
void token_draw(char token[TOKEN_SIZE]);

#endif /* KUID_CLAIM_RECORD_H */
