/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file in which a machine keeps the number it has claimed, as a wish for
 * the next claim. With --trust-disk the machine may go on with the number. It
 * is JSON.
 */
#ifndef KUID_CLAIM_CLAIM_FILE_H
#define KUID_CLAIM_CLAIM_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "problem.h"
#include "record.h"

#define CLAIM_FILE_USUAL "/var/lib/kuid-claim/claim"

#define SPACE_NAME_SIZE 65

/**
 * struct saved_claim - what is in the file
 * @space: of the number; empty if there is no file
 * @token: of the last take, which may not have got to the store
 * @number: the number
 * @floor_s: no ID with the number is below this time
 * @ceiling_s: a ceiling that the store has had; 0 before it has one
 * @released: the machine has made its last ID with the number
 * @trusted: it was written with --trust-disk
 */
struct saved_claim {
	char space[SPACE_NAME_SIZE];
	char token[TOKEN_SIZE];
	uint64_t number;
	uint64_t floor_s;
	uint64_t ceiling_s;
	bool released;
	bool trusted;
};

struct claim_file {
	const char *path;
	int lock;
};

/* Lock the file, which need not exist yet, against other processes. */
struct problem *claim_file_open(struct claim_file *file, const char *path);

/* Read what is in the file. */
struct problem *claim_file_read(const struct claim_file *file,
				struct saved_claim *saved);

/* Replace the file, so that a crash leaves either the old or the new one. */
struct problem *claim_file_write(const struct claim_file *file,
				 const struct saved_claim *saved);

#endif /* KUID_CLAIM_CLAIM_FILE_H */
