/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that state is saved to, and its directory. */
#ifndef KUID_TOOL_STATE_FILE_H
#define KUID_TOOL_STATE_FILE_H

#include <stdbool.h>

#include "problem.h"
#include "saved_state.h"

/* The one way out of every refused state. */
#define MAY_REPEAT                                                     \
	"\"kuid restore --may-repeat\", after which IDs of lex, k64, " \
	"k96, k128 and snowflake that were made before may come again"

#define STATE_FILE_USUAL "/var/lib/kuid/state"

/*
 * Suffix of a marker beside a state file: no state was ever saved here. The
 * installation leaves it, so that a first start can be told from a start after
 * the state file was lost.
 */
#define STATE_FILE_UNUSED ".unused"

struct state_file {
	const char *path;
	const char *name; /* in its directory */
	int dir;
	int lock;
};

/* Whether a path ends in a name that a file can have. */
bool state_file_has_name(const char *path);

/*
 * Open the directory of a file that need not exist yet, and wait until no other
 * kuid uses it: reading the kernel's state, saving it and setting the ceiling
 * must not be interleaved. The lock is a file of its own beside the file: the
 * file itself gets replaced, and any user who may read the directory can lock
 * that.
 */
struct problem *state_file_open(struct state_file *file, const char *path);
void state_file_close(struct state_file *file);

/*
 * Become the one process that keeps the file up to date, for as long as *keeper
 * is open. *taken tells after a failure whether another process is. This lock
 * is another file than that of state_file_open(), which is held for a moment
 * only.
 */
struct problem *state_file_keep(const struct state_file *file, int *keeper,
				bool *taken);

/* Whether there is no file, and either first is true or the marker is there. */
bool state_file_is_first(const struct state_file *file, bool first);

/*
 * Read it. It must be a regular file that none but root or the caller can have
 * written. A symbolic link is refused: the next save would put a file in its
 * place, and leave an older one where it led, to be restored by mistake.
 */
struct problem *state_file_read(const struct state_file *file,
				struct saved_state *saved);

/*
 * Replace it, so that after a crash at any time either the old or the new one
 * is there, whole, and after success the new one, without the marker. *replaced
 * tells after a failure whether the new one may be there nevertheless.
 */
struct problem *state_file_write(const struct state_file *file,
				 const struct saved_state *saved,
				 bool *replaced);

#endif /* KUID_TOOL_STATE_FILE_H */
