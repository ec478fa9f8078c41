// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of a function that makes a UUID, of libuuid or in place of it:
 *	libuuid TABLE ROW COLUMN LIBRARY FUNCTION
 */
#include <dlfcn.h>
#include <err.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "count.h"

#define SAFE "uuid_generate_time_safe"

static void (*generate)(unsigned char *uuid);
static int (*generate_safe)(unsigned char *uuid);

static void run(unsigned int calls, unsigned int ids)
{
	unsigned char uuid[16];

	(void)ids;
	while (calls--)
		generate(uuid);
}

/* Not safe is another case: its state file can't be locked, for instance. */
static void run_safe(unsigned int calls, unsigned int ids)
{
	unsigned char uuid[16];

	(void)ids;
	while (calls--)
		if (generate_safe(uuid))
			errx(1, "%s: the UUID is not safe", SAFE);
}

int main(int argc, char **argv)
{
	void *library, *function;
	bool safe;

	if (argc != 6)
		errx(2, "usage: libuuid TABLE ROW COLUMN LIBRARY FUNCTION");
	library = dlopen(argv[4], RTLD_NOW);
	function = library ? dlsym(library, argv[5]) : NULL;
	if (!function)
		errx(1, "%s", dlerror());
	/* ISO C has no cast from data to functions. */
	*(void **)&generate = function;
	*(void **)&generate_safe = function;
	safe = !strcmp(argv[5], SAFE);
	print_count(argv[1], argv[2], argv[3],
		    count_ids(safe ? run_safe : run, 1), 0, true);
	return count_status();
}
