/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message, to be freed, for functions whose callers have something to put
 * right before the program ends. Such functions return NULL if nothing is wrong.
 */
#ifndef KUID_SERVICE_PROBLEM_H
#define KUID_SERVICE_PROBLEM_H

#include <stdarg.h>

/* vasprintf(3), or the program's end if there is no memory. */
char *text_of(const char *format, va_list args);

char *problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The same for a problem that may go away without anybody changing the command:
 * the clock is set later, or the disk gets space.
 */
char *problem_for_now(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* The exit status that tells which kind the last problem was of. */
int problem_status(void);

#endif /* KUID_SERVICE_PROBLEM_H */
