// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into kuid-claim by twin.sh: the program stops, as by SIGSTOP, when
 * it first writes a message that has the text $STOP_AT in it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *awaited;

/* Each call has a whole line. */
static ssize_t say(void *unused, const char *text, size_t size)
{
	ssize_t said = write(STDERR_FILENO, text, size);

	if (awaited && memmem(text, size, awaited, strlen(awaited))) {
		awaited = NULL;
		raise(SIGSTOP);
	}
	return said;
}

__attribute__((constructor)) static void begin(void)
{
	awaited = getenv("STOP_AT");
	stderr = fopencookie(NULL, "w",
			     (cookie_io_functions_t) { .write = say });
	setvbuf(stderr, NULL, _IOLBF, 0);
}
