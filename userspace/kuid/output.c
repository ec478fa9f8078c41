// SPDX-License-Identifier: GPL-2.0-only
/* See output.h. */
#include <err.h>
#include <errno.h>
#include <kuid.h>
#include <stdio.h>
#include <stdlib.h>

#include "output.h"
#include "verbs.h"

void output_failed(void)
{
	/* Only where SIGPIPE is ignored does it get here. */
	if (errno == EPIPE)
		exit(EXIT_FAILED);
	err(EXIT_FAILED, "standard output");
}

void output_id(unsigned int format, unsigned int form, const void *id)
{
	char text[KUID_TEXT_MAX];

	if (kuid_text_form(format, form, id, text, sizeof(text)))
		err(EXIT_FAILED, "text of an ID");
	if (puts(text) == EOF)
		output_failed();
}

void output_finish(void)
{
	if (fflush(stdout))
		output_failed();
}
