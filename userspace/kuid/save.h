/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving the next ceiling, which "kuid restore" does as well. */
#ifndef KUID_TOOL_SAVE_H
#define KUID_TOOL_SAVE_H

#include <kuid.h>

#include "command_line.h"
#include "nanoseconds.h"
#include "problem.h"
#include "state_file.h"

/* How far ahead a ceiling is if nothing is said, and at most. */
#define SAVE_AHEAD_USUAL 60
#define SAVE_AHEAD_MOST	 86400

/* A clock that shows less has not been set since the machine was built. */
#define SAVE_EARLIEST_NS (1577836800 * SEC_NS) /* 2020-01-01 */

/* For verbs that save: the exit statuses; --ahead and FILE, put here. */
#define SAVE_EXITS "1 failed, 2 wrong usage, 75 may succeed later"
extern const struct option_row save_options[];
void save_take_args(struct argp_state *state, char **args, int count);

extern struct save_target {
	const char *path;
	uint64_t ahead_s;
} save_target;

/* Save a ceiling, and have it acknowledged. */
struct problem *save_ceiling(struct kuid *handle,
			     const struct state_file *file);

/* The same with a handle of its own. */
struct problem *save_once(const struct state_file *file);

#endif /* KUID_TOOL_SAVE_H */
