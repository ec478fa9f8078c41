// SPDX-License-Identifier: GPL-2.0-only
/* See problem.h. */
#include <err.h>
#include <stdio.h>

#include "exit_status.h"
#include "problem.h"

static int status = EXIT_FAILED;

char *text_of(const char *format, va_list args)
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
	text = text_of(format, args);
	va_end(args);
	status = EXIT_FAILED;
	return text;
}

char *problem_for_now(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	status = EXIT_LATER;
	return text;
}

int problem_status(void)
{
	return status;
}
