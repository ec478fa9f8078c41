// SPDX-License-Identifier: GPL-2.0-only
/* See problem.h. */
#include <err.h>
#include <stdio.h>

#include "problem.h"
#include "verbs.h"

char *problem_of(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		errx(EXIT_FAILED, "out of memory");
	return text;
}

char *problem(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = problem_of(format, args);
	va_end(args);
	return text;
}
