/* SPDX-License-Identifier: GPL-2.0-only */
/* How the verbs save, keep and restore save the next ceiling. */
#ifndef KUID_TOOL_SAVE_H
#define KUID_TOOL_SAVE_H

#include <kuid.h>

#include "command_line.h"
#include "nanoseconds.h"
#include "problem.h"
#include "state_file.h"

/* How far ahead a ceiling is: by default, and at most. */
#define SAVE_AHEAD_USUAL 60
#define SAVE_AHEAD_MOST	 86400

/* A clock that shows an earlier time was never set. */
#define SAVE_EARLIEST_NS (1577836800 * SEC_NS) /* 2020-01-01 */

/* For these verbs: exit statuses; --ahead and FILE, which save_target holds. */
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
