// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that goes on in two clones of its machine:
 *	twin NUMBER TIME MAKER... 3<>MEMORY
 * makes an UUID and closes its output, makes COUNT more from TIME on, in
 * seconds of the wall clock, and writes them to the memory at NUMBER times
 * their size. The machine is to be cloned before TIME. The clocks of clones
 * agree, so both make their UUIDs at the same time: PART of them in each
 * PART_NS, because a clone may lose its CPU meanwhile.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "makers.h"

#define COUNT	 20000	  /* that of parts/promises.sh */
#define AWAKE_NS 50000000 /* after TIME, when both clones are awake */
#define PART	 100
#define PART_NS	 4000000

static void wait_for(const struct timespec *begin, long ns)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_REALTIME, &now);
	while (now.tv_sec == begin->tv_sec && now.tv_nsec < ns);
}

int main(int argc, char **argv)
{
	static unsigned char ids[COUNT][16];
	const struct maker *maker;
	struct timespec begin = { 0 };
	unsigned char *memory;
	unsigned long number;
	size_t size;

	maker = argc < 4 ? NULL : maker_find(argc - 3, argv + 3);
	if (!maker)
		errx(2, "usage: twin NUMBER TIME MAKER... 3<>MEMORY");
	number = strtoul(argv[1], NULL, 10);
	begin.tv_sec = strtoul(argv[2], NULL, 10);
	size = (number + 1) * sizeof(ids);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
	if (memory == MAP_FAILED)
		err(1, "memory");

	maker_prepare(maker);
	maker->make(ids[0]);
	if (time(NULL) >= begin.tv_sec)
		errx(1, "%s: begins too late", maker->name);
	close(STDOUT_FILENO);
	errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &begin, NULL);
	if (errno)
		err(1, "%s", maker->name);
	for (int i = 0; i < COUNT; i++) {
		if (i % PART == 0)
			wait_for(&begin, AWAKE_NS + i / PART * PART_NS);
		maker->make(ids[i]);
	}
	memcpy(memory + size - sizeof(ids), ids, sizeof(ids));
	return 0;
}
