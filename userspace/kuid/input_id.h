/* SPDX-License-Identifier: GPL-2.0-only */
/* The IDs that a verb works on: arguments, or lines of standard input. */
#ifndef KUID_TOOL_INPUT_ID_H
#define KUID_TOOL_INPUT_ID_H

#include <kuid.h>
#include <stdbool.h>

#include "forms.h"
#include "command_line.h"

/* An ID, and what it was found to be. */
struct input_id {
	unsigned int format;
	unsigned char bytes[KUID_ID_MAX];
	unsigned long line; /* of standard input; 0 if it was an argument */
};

/* For verbs that take IDs: their options, and the IDs, all of them put here. */
extern const struct option_row input_id_options[];
void input_id_take_args(struct argp_state *state, char **args, int count);

/* For those of them that read times. */
void input_id_take_from_kuid(struct argp_state *state,
			     const struct option_row *option, const char *arg);

#define FROM_KUID_OPTION                                                  \
	{                                                                 \
		"from-kuid", 0, NULL,                                     \
			"kuid made the IDs: read the nanoseconds of v7, " \
			"which other generators fill with random bits",   \
			input_id_take_from_kuid, &input.flags,            \
	}

extern struct input {
	unsigned int format; /* KUID_FORMAT_DEFAULT: what each is found to be */
	uint32_t interval;   /* 0: none was given */
	uint64_t epoch_ms;
	bool lenient;
	unsigned int flags; /* 0 or KUID_FROM_KUID */
	bool keep_going;
	char **args;
	int count; /* 0: the IDs are lines of standard input */
} input;

#define EPOCH_OPTION                                                       \
	{                                                                  \
		"snowflake-epoch", 0, "MS",                                \
			"What {epoch} counts from, in milliseconds since " \
			"1970, which is not in it: Twitter's by default",  \
			take_number, &input.epoch_ms, "an epoch", 0,       \
			KUID_TIME_MAX_NS / 1000000,                        \
	}

/* What the library needs to read IDs of a format besides them. */
uint64_t input_id_setting(unsigned int format);

#define INPUT_ID_EXITS \
	"1 failed, 2 wrong usage, 5 some IDs wrong (--keep-going)"

/*
 * Act on each ID: act returns NULL, or a message from input_id_wrong(). With
 * --keep-going, what is no ID or is wrong otherwise is marked in the output,
 * and so are blank lines that --lenient skips, though nothing is wrong with
 * them. Returns the exit status.
 */
int input_id_each(const char *(*act)(const struct input_id *id),
		  void (*mark)(const char *why));

/*
 * Print a message on what can't be done with an ID, which begins with its line
 * if it has one. It ends the tool with EXIT_FAILED unless --keep-going was
 * given; then it is returned, and valid until the next call.
 */
__attribute__((format(printf, 2, 3))) const char *
input_id_wrong(const struct input_id *id, const char *format, ...);

/* A line of output in place of a wrong ID; no ID is written so. */
#define INPUT_ID_MARK "-"
void input_id_print_mark(const char *why);

#endif /* KUID_TOOL_INPUT_ID_H */
