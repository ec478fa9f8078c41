// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of a function that makes a UUID, of libuuid or in place of it,
 * or of getrandom() for as many bytes. MOST is the budget.
 *	libuuid TABLE ROW COLUMN LIBRARY FUNCTION [MOST]
 */
#include <dlfcn.h>
#include <err.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "count.h"

#define SAFE "uuid_generate_time_safe"

static void (*generate)(unsigned char *uuid);
static int (*generate_safe)(unsigned char *uuid);
static ssize_t (*draw)(void *bytes, size_t size, unsigned int flags);

static void run(unsigned int calls, unsigned int ids)
{
	unsigned char uuid[16];

	while (calls--)
		generate(uuid);
}

/* A call fails if it is not safe, as when it can't lock the state file. */
static void run_safe(unsigned int calls, unsigned int ids)
{
	unsigned char uuid[16];

	while (calls--)
		if (generate_safe(uuid))
			errx(1, "%s: the UUID is not safe", SAFE);
}

static void run_draw(unsigned int calls, unsigned int ids)
{
	unsigned char uuid[16];

	while (calls--)
		if (draw(uuid, sizeof(uuid), 0) != sizeof(uuid))
			err(1, "getrandom");
}

int main(int argc, char **argv)
{
	void (*of)(unsigned int calls, unsigned int ids) = run;
	void *library, *function;

	if (argc < 6 || argc > 7)
		errx(2,
		     "usage: libuuid TABLE ROW COLUMN LIBRARY FUNCTION [MOST]");
	library = dlopen(argv[4], RTLD_NOW);
	function = library ? dlsym(library, argv[5]) : NULL;
	if (!function)
		errx(1, "%s", dlerror());
	/* ISO C has no cast from data to functions. */
	*(void **)&generate = function;
	*(void **)&generate_safe = function;
	*(void **)&draw = function;
	if (!strcmp(argv[5], SAFE))
		of = run_safe;
	if (!strcmp(argv[5], "getrandom"))
		of = run_draw;
	print_count(argv[1], argv[2], argv[3], count_ids(of, 1),
		    argc > 6 ? atof(argv[6]) : 0, true);
	return count_status();
}
