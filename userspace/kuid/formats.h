/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats as lists of names, by facts of each. */
#ifndef KUID_TOOL_FORMATS_H
#define KUID_TOOL_FORMATS_H

#include <kuid.h>
#include <stdbool.h>
#include <stdint.h>

/* Numbers of formats are below this: a status has room for no more. */
#define FORMATS_MOST \
	(sizeof(((struct kuid_status *)NULL)->ids) / sizeof(uint64_t))

/*
 * Put lists of names into a text, to be freed: {WORD} becomes the names of the
 * formats that the word is true of, with a character between them.
 *
 * {all}, {uuid}: all formats, all that are UUIDs
 * {stamp}, {slot}, {lex}, {grid}, {snowflake}: by what their IDs are made from,
 *	where slots are all but stamps
 * {node}, {worker}: by the part of the identity that their IDs show
 * {interval}: those that have an interval
 * {epoch}: those whose times count from an epoch that is not in them
 * {by_time}: those whose bytes sort by time; those with an interval do so only
 *	among IDs that are 2^I seconds apart
 * {text_by_time}: those whose text does, too: not decimal numbers, which may be
 *	of different lengths
 * {host_only}: those of the grid without node and interval, whose IDs are
 *	unique on one host only
 * {decimal}, {ulid}: those that have this form
 * {target}: those that another format can be converted to
 */
char *formats_fill_in(const char *text, char between);

/*
 * What the library needs to read IDs of a format besides them: the interval or
 * the epoch, or nothing.
 */
uint64_t formats_setting(unsigned int format, uint32_t interval,
			 uint64_t epoch_ms);

/* Whether a word is true of a format: never of KUID_ANY_UUID. */
bool formats_is(const char *word, unsigned int format);

/* Print each format, its size, its order and its use as a line. */
void formats_print(void);

#endif /* KUID_TOOL_FORMATS_H */
