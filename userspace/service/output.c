// SPDX-License-Identifier: GPL-2.0-only
/* See output.h. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_status.h"
#include "output.h"

void output_failed(void)
{
	/* Only where SIGPIPE is ignored does it get here. */
	if (errno == EPIPE)
		exit(EXIT_FAILED);
	err(EXIT_FAILED, "standard output");
}

bool output_null;

char output_end(void)
{
	return output_null ? '\0' : '\n';
}

void output_line(const char *text)
{
	if (fputs(text, stdout) == EOF || putchar(output_end()) == EOF)
		output_failed();
}

void output_hold(void)
{
	/* As long as the longest report of all formats, and more. */
	static char buffer[64 * 1024];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

void output_finish(void)
{
	if (ferror(stdout) || fflush(stdout))
		output_failed();
}
