/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the identity that IDs carry, and where each can come from. */
#ifndef KUID_TOOL_CHOICE_H
#define KUID_TOOL_CHOICE_H

#include <kuid.h>

enum {
	CHOICE_NODE,
	CHOICE_WORKER,
	CHOICE_SNOWFLAKE,
	CHOICES,
};

struct choice {
	unsigned int from; /* KUID_FROM_* */
	uint64_t value;
};

/* A part's name; the hexadecimal digits of its value, or 0 if it is decimal. */
const char *choice_name(unsigned int part);
int choice_digits(unsigned int part);

/* With 16 digits and a NUL. */
#define CHOICE_TEXT_SIZE 17

/* Write a part's value. */
void choice_text(unsigned int part, uint64_t value,
		 char text[CHOICE_TEXT_SIZE]);

void choices_of(const struct kuid_state *state, struct choice parts[CHOICES]);

/* The word for one of KUID_FROM_*, and the other way; 0 if it is none. */
const char *choice_from(unsigned int from);
unsigned int choice_from_word(const char *word);

#endif /* KUID_TOOL_CHOICE_H */
