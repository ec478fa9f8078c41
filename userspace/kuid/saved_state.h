/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state that "kuid keep" saves over a restart, and how it is written:
 *
 *	{
 *	  "kuid_state": 1,
 *	  "machine": "4c9f0e1b2ad34b6c8e0f7a5d91c2b3e4",
 *	  "saved": "2026-11-20T08:15:00.000000000Z",
 *	  "saved_ns": 1795162500000000000,
 *	  "ceiling": "2026-11-20T08:16:00.000000000Z",
 *	  "ceiling_ns": 1795162560000000000,
 *	  "load_id": "f0e1d2c3b4a59687",
 *	  "epoch": 3,
 *	  "before_jump_ns": 0,
 *	  "after_jump_ns": 0,
 *	  "may_repeat_from_ns": 0,
 *	  "may_repeat_until_ns": 0,
 *	  "snowflake_epoch_ms": 1288834974657,
 *	  "interval": 8,
 *	  "crc32": "c0ffee00"
 *	}
 *
 * kuid_state is the version of this format. machine is what /etc/machine-id
 * says, or empty if there is no such file. Times are by the wall clock: when it
 * was saved, and the ceiling, below which all lies that may have been handed
 * out; both once for people. load_id and epoch name the cover of the kernel
 * that has this ceiling. If the clock was found more than a day above the
 * ceiling, IDs went on there: none lies between before_jump_ns and
 * after_jump_ns, the last ceiling before and the first time after it.
 * may_repeat_* are kuid_state.again_*_ns. crc32 is the CRC-32 of all that comes
 * before the comma in front of it.
 *
 * It is JSON so that others can read it. But only text that is byte for byte
 * what is written for the values in it is taken: a file that was edited, or
 * that lost or changed as little as a bit, can't be told from one whose ceiling
 * is wrong.
 */
#ifndef KUID_TOOL_SAVED_STATE_H
#define KUID_TOOL_SAVED_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "problem.h"

/* A machine-id(5): 32 hexadecimal digits and a NUL. */
#define MACHINE_ID_SIZE 33

/*
 * Read this machine's; empty if it has none, or none yet. Warns once if the
 * file says something else or can't be read, and takes that as none.
 */
void machine_id_read(char id[MACHINE_ID_SIZE]);

/* No text is as long as that. */
#define SAVED_STATE_MAX 4096

struct saved_state {
	char machine[MACHINE_ID_SIZE];
	uint64_t saved_ns;
	uint64_t ceiling_ns;
	uint64_t load_id, epoch;      /* the name of the cover */
	uint64_t before_ns, after_ns; /* of a jump of the clock; 0 if none */
	uint64_t again_from_ns, again_until_ns;
	uint64_t epoch_ms; /* of snowflake */
	uint64_t interval; /* I of k96 and k128 */
};

/* The text, to be freed. */
char *saved_state_text(const struct saved_state *saved);

/* Read it back. The message about an error follows the file's name. */
struct problem *saved_state_parse(const char *text, size_t size,
				  struct saved_state *saved);

#endif /* KUID_TOOL_SAVED_STATE_H */
