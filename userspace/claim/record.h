/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts in the store, as JSON: a record for each number that was ever
 * claimed, and one for the space that the numbers belong to.
 *
 *	{"token": "6c31...", "load_id": "9c0e...", "nonce": "09fa...",
 *	 "ceiling": 1795162560, "renewed": 1795161960, "machine": "web-12"}
 *	{"kind": "snowflake", "epoch": 1288834974657, "interval": 0,
 *	 "horizon": 600, "closed": 0}
 */
#ifndef KUID_CLAIM_RECORD_H
#define KUID_CLAIM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

/* 128 random bits as hexadecimal digits, and a NUL. */
#define TOKEN_SIZE 33

/* Longer than a host name. */
#define MACHINE_SIZE 128

/* Longer than the name of a kind. */
#define KIND_SIZE 16

/**
 * struct record - the last that the owner of a number has written
 * @token: drawn for the take; tells it from all others
 * @load_id: of the machine that it was for
 * @nonce: drawn for this write; tells it from all others
 * @ceiling_s: all IDs with the number are below this time, in seconds since
 *	1970; so the next owner's may begin here
 * @renewed_s: when it was written, by the owner's clock, for people
 * @machine: the owner's host name, for people
 */
struct record {
	char token[TOKEN_SIZE];
	uint64_t load_id;
	char nonce[TOKEN_SIZE];
	uint64_t ceiling_s;
	uint64_t renewed_s;
	char machine[MACHINE_SIZE];
};

/**
 * struct space - what holds for all numbers
 * @kind: what the numbers are for; empty if nobody has said so yet
 * @epoch_ms: what snowflake's milliseconds count from; 0 if the numbers aren't
 *	snowflake's
 * @interval: I of k96 and k128; 0 if the numbers aren't theirs
 * @horizon_s: the longest horizon of an owner: how far a ceiling may be ahead
 * @closed_s: no number is used for IDs below this time, because the store has
 *	lost what was written, and may not know of all owners
 */
struct space {
	char kind[KIND_SIZE];
	uint64_t epoch_ms;
	uint64_t interval;
	uint64_t horizon_s;
	uint64_t closed_s;
};

/* The text, to be freed. */
char *record_text(const struct record *record);
char *space_text(const struct space *space);

/* Read it back; false if it is not such a text. */
bool record_parse(const char *text, struct record *record);
bool space_parse(const char *text, struct space *space);

#endif /* KUID_CLAIM_RECORD_H */
