/* SPDX-License-Identifier: GPL-2.0-only */
/* Standard output. All of it must be written, or the program fails. */
#ifndef KUID_SERVICE_OUTPUT_H
#define KUID_SERVICE_OUTPUT_H

#include <stdbool.h>

/* The option --null: what is printed for an ID ends in NUL, not a newline. */
extern bool output_null;
char output_end(void);

/* Print a text and the end of a line. */
void output_line(const char *text);

/*
 * Hold what is printed back until output_finish(), so that its errno is that of
 * the write. For reports, which print in many steps without looking at errors.
 */
void output_hold(void);

/* Write what is still to be written, and end with a message if it can't be. */
void output_finish(void);

/*
 * End because errno says that standard output can't be written: silently if its
 * reader has gone, which is the reader's choice.
 */
__attribute__((noreturn)) void output_failed(void);

#endif /* KUID_SERVICE_OUTPUT_H */
