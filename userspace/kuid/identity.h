/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the identity that IDs carry, and where each can come from. */
#ifndef KUID_TOOL_IDENTITY_H
#define KUID_TOOL_IDENTITY_H

#include <kuid.h>

enum {
	IDENTITY_NODE,
	IDENTITY_WORKER,
	IDENTITY_SNOWFLAKE,
	IDENTITY_PARTS,
};

struct identity_part {
	unsigned int from; /* KUID_FROM_* */
	uint64_t value;
};

/* A part's name; the hexadecimal digits of its value, or 0 if it is decimal. */
const char *identity_name(unsigned int part);
int identity_digits(unsigned int part);

/* With 16 digits and a NUL. */
#define IDENTITY_TEXT_SIZE 17

/* Write a part's value. */
void identity_text(unsigned int part, uint64_t value,
		   char text[IDENTITY_TEXT_SIZE]);

void identity_parts(const struct kuid_state *state,
		    struct identity_part parts[IDENTITY_PARTS]);

/* The word for one of KUID_FROM_*, and the other way; 0 if it is none. */
const char *identity_from(unsigned int from);
unsigned int identity_from_word(const char *word);

#endif /* KUID_TOOL_IDENTITY_H */
