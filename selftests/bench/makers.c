// SPDX-License-Identifier: GPL-2.0-only
/* The generators of makers.h: kuid, functions of libraries, and three of v7. */
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <kuid.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "makers.h"

static struct kuid *handle;
static int (*generate)(unsigned char *uuid);
static char **command;
static int program;
static FILE *printed;

static void make_by_kuid(unsigned char *id)
{
	if (kuid_one(handle, id))
		err(1, "kuid");
}

static void make_by_library(unsigned char *id)
{
	generate(id);
}

static void make_by_program(unsigned char *id)
{
	char line[64];

	if (write(program, "\n", 1) != 1 ||
	    !fgets(line, sizeof(line), printed) ||
	    kuid_parse(KUID_ANY_UUID, line, strcspn(line, "\n"), id, NULL))
		errx(1, "%s prints no UUID", command[0]);
}

static void start_program(void)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		err(1, "socketpair");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		dup2(ends[1], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	close(ends[1]);
	program = ends[0];
	printed = fdopen(program, "r");
	if (!printed)
		err(1, "%s", command[0]);
}

/* Milliseconds, and 4096ths of them below these. */
static __u64 wall_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec * 1000ULL + now.tv_nsec / 1000000) << 12 |
	       (now.tv_nsec % 1000000 << 12) / 1000000;
}

static void set_v7(unsigned char *id, __u64 ms)
{
	for (int i = 0; i < 6; i++)
		id[i] = ms >> (40 - 8 * i);
	id[6] = (id[6] & 0x0f) | 0x70;
	id[8] = (id[8] & 0x3f) | 0x80;
}

void make_random_v7(unsigned char *id)
{
	__u64 ms = wall_time() >> 12;

	if (getrandom(id + 6, 10, 0) != 10)
		err(1, "getrandom");
	set_v7(id, ms);
}

/* RFC 9562 6.2, method 2: within a millisecond the last one is incremented. */
static void make_counted_v7(unsigned char *id)
{
	static __u64 last_ms, last_random, state;
	__u64 ms = wall_time() >> 12, random;

	if (!state && getrandom(&state, sizeof(state), 0) != sizeof(state))
		err(1, "getrandom");
	if (ms > last_ms) {
		/* A generator of random numbers that was seeded once. */
		state += 0x9e3779b97f4a7c15ULL;
		random = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ULL;
		last_random = random ^ random >> 27;
		last_ms = ms;
	} else {
		last_random += 1 + last_random % 251;
	}
	random = last_random & 0x3fffffffffffffffULL;
	memset(id, 0, 16);
	id[6] = random >> 58;
	id[7] = random >> 50;
	for (int i = 0; i < 8; i++)
		id[8 + i] = (random & 0x3ffffffffffffULL) >> (56 - 8 * i);
	set_v7(id, last_ms);
}

static _Atomic __u64 *map_shared_time(void)
{
	int file = shm_open("/kuid-bench", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *page = MAP_FAILED;

	if (file >= 0 && !ftruncate(file, sizeof(__u64)))
		page = mmap(NULL, sizeof(__u64), PROT_READ | PROT_WRITE,
			    MAP_SHARED, file, 0);
	if (page == MAP_FAILED)
		err(1, "shared memory");
	close(file);
	return page;
}

void make_shared_v7(unsigned char *id)
{
	static _Atomic __u64 *shared;
	static unsigned char node[8];
	__u64 now = wall_time(), last, time;

	if (!shared) {
		if (getrandom(node, sizeof(node), 0) != sizeof(node))
			err(1, "getrandom");
		shared = map_shared_time();
	}
	last = atomic_load(shared);
	do
		time = now > last ? now : last + 1;
	while (!atomic_compare_exchange_weak(shared, &last, time));
	id[6] = time >> 8;
	id[7] = time;
	memcpy(id + 8, node, sizeof(node));
	set_v7(id, time >> 12);
}

static const struct maker makers[] = {
	{ "v1", make_by_kuid, KUID_FORMAT_V1, 0, KUID_ORDER_FILE },
	{ "v6", make_by_kuid, KUID_FORMAT_V6, 0, KUID_ORDER_FILE },
	{ "v7", make_by_kuid, KUID_FORMAT_V7, 0, KUID_ORDER_FILE },
	{ "v7-host", make_by_kuid, KUID_FORMAT_V7, 0, KUID_ORDER_HOST },
	{ "v6-lane", make_by_kuid, KUID_FORMAT_V6, KUID_PRIVATE,
	  KUID_ORDER_FILE },
	{ "v7-lane", make_by_kuid, KUID_FORMAT_V7, KUID_PRIVATE,
	  KUID_ORDER_FILE },
	{ "drop-in", make_by_library, 0, 0, KUID_ORDER_HOST },
	{ "library", make_by_library, 0, 0, 0 },
	{ "program", make_by_program, 0, 0, 0 },
	{ "random-v7", make_random_v7, 0, 0, 0 },
	{ "counted-v7", make_counted_v7, 0, 0, 0 },
	{ "shared-v7", make_shared_v7, 0, 0, 0 },
	{ 0 }
};

static void load_library(const char *file, const char *name)
{
	void *library = dlopen(file, RTLD_NOW);
	void *function = library ? dlsym(library, name) : NULL;

	if (!function)
		errx(1, "%s", dlerror());
	/* ISO C has no cast from data to functions. */
	*(void **)&generate = function;
}

bool maker_is_program(const struct maker *maker)
{
	return maker->make == make_by_program;
}

const struct maker *maker_find(int nr, char **words)
{
	const struct maker *maker = makers;

	if (!nr)
		return NULL;
	while (maker->name && strcmp(maker->name, words[0]))
		maker++;
	if (!maker->name || nr < 2 * maker_is_program(maker))
		return NULL;
	command = words + 1;
	if (maker_is_program(maker))
		return maker;
	if (nr != (maker->make == make_by_library ? 3 : 1))
		return NULL;
	if (maker->make == make_by_library)
		load_library(words[1], words[2]);
	return maker;
}

void maker_prepare(const struct maker *maker)
{
	if (maker_is_program(maker))
		start_program();
	if (!maker->format)
		return;
	handle = kuid_open_flags(maker->format, maker->flags);
	if (!handle)
		err(1, "%s", maker->name);
	if (maker->order == KUID_ORDER_HOST &&
	    kuid_set_order(handle, KUID_ORDER_HOST))
		err(1, "%s", maker->name);
}
