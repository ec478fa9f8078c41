/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cover: what the state file has and what the kernel knows, and how one
 * follows the other.
 */
#ifndef KUID_TOOL_COVER_H
#define KUID_TOOL_COVER_H

#include <kuid.h>

#include "command_line.h"
#include "nanoseconds.h"
#include "problem.h"
#include "state_file.h"

/* How far ahead a ceiling is: by default, and at most. */
#define COVER_AHEAD_USUAL 60
#define COVER_AHEAD_MOST  86400

/* For the verbs: exit statuses; --ahead and FILE, which cover_target holds. */
#define COVER_EXITS "1 refused or failed, 2 wrong usage, 75 may succeed later"
extern const struct option_row cover_options[];
void cover_take_args(struct argp_state *state, char **args, int count);

extern struct cover_target {
	const char *path;
	uint64_t ahead_s;
} cover_target;

/**
 * enum cover_how - what an administrator says
 * @COVER_AS_SAVED: nothing: what the file has decides
 * @COVER_FIRST: if there is no file, no ID was ever made here
 * @COVER_MAY_REPEAT: go back to the clock, whatever the file has
 */
enum cover_how {
	COVER_AS_SAVED,
	COVER_FIRST,
	COVER_MAY_REPEAT,
};

/*
 * Begin a cover if none has begun since the module was loaded, and save a
 * ceiling that is ahead_ns above all IDs. Tells what it begins with. *refused
 * tells after a failure whether only an administrator can help.
 */
struct problem *cover_save(struct kuid *handle, const struct state_file *file,
			   enum cover_how how, uint64_t ahead_ns,
			   bool *refused);

/* Why cover_save() would refuse the usual file; NULL if it would not. */
struct problem *cover_refusal(void);

#endif /* KUID_TOOL_COVER_H */
