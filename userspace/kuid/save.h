/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving the next ceiling, which "kuid restore" does as well. */
#ifndef KUID_TOOL_SAVE_H
#define KUID_TOOL_SAVE_H

#include <argp.h>
#include <kuid.h>

#include "state_file.h"

#define SAVE_SEC_NS 1000000000ULL
#define SAVE_DAY_NS (86400 * SAVE_SEC_NS)

/* How far ahead a ceiling is if nothing is said, and at most. */
#define SAVE_AHEAD_USUAL 60
#define SAVE_AHEAD_MOST	 86400

/* A clock that shows less has not been set since the machine was built. */
#define SAVE_EARLIEST_NS (1577836800 * SAVE_SEC_NS) /* 2020-01-01 */

/* For verbs that save: --ahead and FILE, put into the child's input. */
struct save_target {
	const char *path;
	uint64_t ahead_ns;
};

#define SAVE_TARGET_USUAL                                       \
	{                                                       \
		STATE_FILE_USUAL, SAVE_AHEAD_USUAL *SAVE_SEC_NS \
	}

extern const struct argp_child save_target_child[];

/* Save a ceiling, and have it acknowledged. */
char *save_ceiling(struct kuid *handle, const struct state_file *file,
		   uint64_t ahead_ns);

#endif /* KUID_TOOL_SAVE_H */
