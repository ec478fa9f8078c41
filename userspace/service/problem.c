// SPDX-License-Identifier: GPL-2.0-only
/* See problem.h. */
#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "problem.h"
#include "text.h"

static struct problem *made(int status, const char *format, va_list args)
{
	char *text = text_of(format, args);
	size_t size = strlen(text) + 1;
	struct problem *wrong = malloc(sizeof(*wrong) + size);

	if (!wrong)
		errx(EXIT_FAILED, "out of memory");
	wrong->status = status;
	memcpy(wrong->text, text, size);
	free(text);
	return wrong;
}

struct problem *problem(const char *format, ...)
{
	struct problem *wrong;
	va_list args;

	va_start(args, format);
	wrong = made(EXIT_FAILED, format, args);
	va_end(args);
	return wrong;
}

struct problem *problem_for_now(const char *format, ...)
{
	struct problem *wrong;
	va_list args;

	va_start(args, format);
	wrong = made(EXIT_LATER, format, args);
	va_end(args);
	return wrong;
}

void problem_end(const struct problem *wrong)
{
	errx(wrong->status, "%s", wrong->text);
}
