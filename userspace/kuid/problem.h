/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has gone wrong, for functions whose callers have something to put right
 * before the tool ends: a message to be freed, or NULL if nothing has.
 */
#ifndef KUID_TOOL_PROBLEM_H
#define KUID_TOOL_PROBLEM_H

#include <stdarg.h>

char *problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *problem_of(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

#endif /* KUID_TOOL_PROBLEM_H */
