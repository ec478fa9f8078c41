/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file in which a machine keeps the number it has claimed, so that it gets
 * the same one after a restart, and can go on without the store. It is JSON.
 */
#ifndef KUID_CLAIM_CLAIM_FILE_H
#define KUID_CLAIM_CLAIM_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

#define CLAIM_FILE_USUAL "/var/lib/kuid-claim/claim"

/* A product UUID and a NUL. */
#define PRODUCT_SIZE 37

#define SPACE_NAME_SIZE 65

/**
 * struct saved_claim - what is in the file
 * @space: of the number
 * @product: the product UUID of the machine, empty if it has none. The clone of
 *	a virtual machine gets another one
 * @token: that the record of the number has or, if the last transaction did not
 *	get through, may have
 * @former: that it may have instead; empty if there is none
 * @number: the number
 * @seq: the highest that a record with @token may have
 * @ceiling_s: the last ceiling that the store is known to have, or the end of
 *	all IDs if @released; 0 before the first
 * @floor_s: no ID with the number is below this time
 * @released: the machine has made its last ID with the number
 */
struct saved_claim {
	char space[SPACE_NAME_SIZE];
	char product[PRODUCT_SIZE];
	char token[TOKEN_SIZE];
	char former[TOKEN_SIZE];
	uint64_t number;
	uint64_t seq;
	uint64_t ceiling_s;
	uint64_t floor_s;
	bool released;
};

struct claim_file {
	const char *path;
	int lock;
};

/*
 * Lock the file, which need not exist yet, against other processes until this
 * one ends; *taken tells after a failure whether another one has it.
 */
char *claim_file_open(struct claim_file *file, const char *path, bool *taken);

/* Read it; *exists tells whether it is there. */
char *claim_file_read(const struct claim_file *file, struct saved_claim *saved,
		      bool *exists);

/* Replace it, so that after a crash either the old or the new one is there. */
char *claim_file_write(const struct claim_file *file,
		       const struct saved_claim *saved);

#endif /* KUID_CLAIM_CLAIM_FILE_H */
