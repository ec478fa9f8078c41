/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a verb is, as a line that is written over and over: on standard
 * error, if that is a terminal which standard output does not go to as well.
 */
#ifndef KUID_TOOL_PROGRESS_H
#define KUID_TOOL_PROGRESS_H

#include <stdint.h>

/* total is how many IDs there will be, 0 if there is no end to them. */
void progress_begin(uint64_t total);
void progress_tell(uint64_t done);

/* Take the line away, if there is one, before a message. Keeps errno. */
void progress_end(void);

#endif /* KUID_TOOL_PROGRESS_H */
