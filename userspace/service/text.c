// SPDX-License-Identifier: GPL-2.0-only
/* See text.h. */
#include <err.h>
#include <stdio.h>

#include "exit_status.h"
#include "text.h"

char *text_of(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		errx(EXIT_FAILED, "out of memory");
	return text;
}

char *text_new(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	return text;
}
