// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an ID costs on this machine if the process makes it, compared with one
 * reading of the clock. The IDs of libkuid are those of local handles, which
 * are made by the same code as those of private lanes, but need no device.
 *	native uuidd | threads | LIBRARIES
 * "uuidd" measures only what gets a cache from it, and "threads" how IDs scale
 * with the threads of the process. LIBRARIES is the directory of those of
 * uuid-rs.
 *
 * A read of the device can't be measured here without the module. It is
 * computed: a read of 16 bytes of /dev/zero, what the core does for an ID, and
 * for v7 the random number that the kernel draws.
 *
 * Other programs may run meanwhile. So each subject is measured in many short
 * rounds, all subjects take turns, and the median of the rounds is printed.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core.h"
#include "makers.h"
#include "measure.h"
#include "result.h"

#define BATCH	 256
#define ROUNDS	 401
#define ROUND_NS 100000

#define THREADS_MAX	2 /* more than the machine has CPUs would take turns */
#define THREAD_ROUNDS	101
#define THREAD_ROUND_NS 500000

#define LIBUUID_TIME "uuid_generate_time"
#define CORE	     "core of the module: take a stamp, make a v6"
#define ZERO	     "read of 16 bytes of /dev/zero"
#define RANDOM	     "8 bytes of getrandom, in 12 x 8"
#define RANDOMS	     12 /* that the kernel draws ahead, for get_random_u64() */

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

struct subject;

static void read_clock(struct subject *subject);
static void make_one(struct subject *subject);
static void make_batch(struct subject *subject);
static void make_v4(struct subject *subject);
static void draw_random(struct subject *subject);
static void read_zero(struct subject *subject);
static void call_function(struct subject *subject);

/**
 * struct subject - something that is measured
 * @what: its name
 * @call: make @ids IDs
 * @ids: how many IDs a call makes
 * @format: of libkuid, else 0
 * @symbol: of libuuid or uuid-rs, else NULL
 * @library: file of the library that has @symbol; NULL for libuuid
 * @most_ns: budget of an ID; 0 if there is none
 * @most_ratio: budget of @ratio; 0 if there is none
 * @shared: threads have one handle
 * @handles: of libkuid, of the threads
 * @handle: that of the calling thread
 * @function: of a library, of the core or of makers.h
 * @calls: how many calls are a round
 * @ns: of each ID, by the round; of @threaded, calls in a microsecond
 * @ratio: to the reading of the clock in the same round
 */
static struct subject {
	const char *what;
	void (*call)(struct subject *subject);
	unsigned int ids;
	unsigned int format;
	const char *symbol;
	const char *library;
	double most_ns;
	double most_ratio;
	bool shared;
	struct kuid *handles[THREADS_MAX];
	struct kuid *handle;
	void (*function)(unsigned char *uuid);
	unsigned int calls;
	double ns[ROUNDS];
	double ratio[ROUNDS];
} subjects[] = {
	{ .what = "clock_gettime(CLOCK_REALTIME)", .call = read_clock },
	{ .what = "libkuid v1",
	  .call = make_one,
	  .format = KUID_FORMAT_V1,
	  .most_ratio = 1.35 },
	{ .what = "libkuid v6",
	  .call = make_one,
	  .format = KUID_FORMAT_V6,
	  .most_ratio = 1.35 },
	{ .what = "libkuid v7",
	  .call = make_one,
	  .format = KUID_FORMAT_V7,
	  .most_ratio = 1.7 },
	{ .what = "libkuid v1, batch of 256",
	  .call = make_batch,
	  .ids = BATCH,
	  .format = KUID_FORMAT_V1,
	  .most_ns = 1 },
	{ .what = "libkuid v6, batch of 256",
	  .call = make_batch,
	  .ids = BATCH,
	  .format = KUID_FORMAT_V6,
	  .most_ns = 1 },
	{ .what = "libkuid v7, batch of 256",
	  .call = make_batch,
	  .ids = BATCH,
	  .format = KUID_FORMAT_V7 },
	{ .what = CORE, .call = call_function, .function = core_make_v6 },
	{ .what = ZERO, .call = read_zero },
	{ .what = RANDOM, .call = draw_random, .ids = RANDOMS },
	{ .what = "v4 by getrandom", .call = make_v4 },
	{ .what = "v7 by clock and getrandom",
	  .call = call_function,
	  .function = make_random_v7 },
	{ .what = "v7 by a word in /dev/shm",
	  .call = call_function,
	  .function = make_shared_v7 },
	{ .what = "libuuid 2.38, v1",
	  .call = call_function,
	  .symbol = LIBUUID_TIME },
	{ .what = "libuuid 2.38, v4",
	  .call = call_function,
	  .symbol = "uuid_generate_random" },
	{ .what = "Rust, uuid-rs 1.2, v4",
	  .call = call_function,
	  .symbol = "uuid_rs_v4",
	  .library = "uuid_rs.so" },
	{ .what = "Rust, uuid-rs 1.2, v7",
	  .call = call_function,
	  .symbol = "uuid_rs_v7",
	  .library = "uuid_rs.so" },
	{ .what = "Rust, uuid-rs 1.10, v7",
	  .call = call_function,
	  .symbol = "uuid_rs_v7",
	  .library = "uuid_rs_new.so" },
};

static struct subject threaded[] = {
	{ .what = "clock_gettime", .call = read_clock },
	{ .what = "v1, own handles",
	  .call = make_one,
	  .format = KUID_FORMAT_V1 },
	{ .what = "v1, one handle",
	  .call = make_one,
	  .format = KUID_FORMAT_V1,
	  .shared = true },
	{ .what = "v7, own handles",
	  .call = make_one,
	  .format = KUID_FORMAT_V7 },
	{ .what = "v7, one handle",
	  .call = make_one,
	  .format = KUID_FORMAT_V7,
	  .shared = true },
	{ .what = "v4 by getrandom", .call = make_v4 },
};

static __thread unsigned char ids[BATCH * KUID_ID_MAX];

static void check(bool good, const struct subject *subject)
{
	if (!good)
		err(1, "%s", subject->what);
}

static void read_clock(struct subject *subject)
{
	struct timespec now;

	check(!clock_gettime(CLOCK_REALTIME, &now), subject);
}

static void make_one(struct subject *subject)
{
	check(!kuid_one(subject->handle, ids), subject);
}

static void make_batch(struct subject *subject)
{
	check(kuid_many(subject->handle, ids, BATCH) == BATCH, subject);
}

static void set_version(unsigned char *uuid, unsigned int version)
{
	uuid[6] = (uuid[6] & 0x0f) | version << 4;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static void make_v4(struct subject *subject)
{
	check(getrandom(ids, 16, 0) == 16, subject);
	set_version(ids, 4);
}

static void read_zero(struct subject *subject)
{
	static int zero = -1;

	if (zero < 0)
		zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	check(read(zero, ids, 16) == 16, subject);
}

static void draw_random(struct subject *subject)
{
	check(getrandom(ids, RANDOMS * 8, 0) == RANDOMS * 8, subject);
}

static void call_function(struct subject *subject)
{
	subject->function(ids);
}

/* Whether uuidd gives libuuid a cache for it. */
static bool is_cached(const struct subject *subject)
{
	return subject->symbol && !strcmp(subject->symbol, LIBUUID_TIME);
}

/* False if it is not on this machine. */
static bool prepare(struct subject *subject, const char *libraries)
{
	const char *name = "libuuid.so.1";
	char path[PATH_MAX];

	if (!subject->ids)
		subject->ids = 1;
	for (int i = 0; i < THREADS_MAX && subject->format; i++) {
		subject->handle =
			i && subject->shared
				? subject->handles[0]
				: kuid_open_flags(subject->format, KUID_LOCAL);
		check(subject->handle, subject);
		subject->handles[i] = subject->handle;
	}
	if (subject->symbol) {
		void *library;

		if (subject->library) {
			snprintf(path, sizeof(path), "%s/%s", libraries,
				 subject->library);
			name = path;
		}
		library = dlopen(name, RTLD_NOW);
		if (!library)
			return false;
		/* ISO C has no cast from data to functions. */
		*(void **)&subject->function = dlsym(library, subject->symbol);
	}
	return !subject->symbol || subject->function;
}

static __u64 run(struct subject *subject, unsigned int calls)
{
	__u64 start = nanoseconds(CLOCK_MONOTONIC);

	for (unsigned int i = 0; i < calls; i++)
		subject->call(subject);
	return nanoseconds(CLOCK_MONOTONIC) - start;
}

/*
 * Let a round take about so long, so that few are interrupted. A call that is
 * interrupted here must not pass for a slow one.
 */
static void set_calls(struct subject *subject, __u64 ns)
{
	unsigned int calls = 1;

	while (run(subject, calls) < ns || run(subject, calls) < ns ||
	       run(subject, calls) < ns)
		calls *= 2;
	subject->calls = calls;
}

static void print_value(const char *row, const char *column, double value,
			double budget)
{
	result("native", row, column, value, false);
	if (budget)
		result_budget("native", row, column, value, budget, false);
}

static void print(const char *row, struct subject *subject)
{
	print_value(row, "ns an ID", median(subject->ns, ROUNDS),
		    subject->most_ns);
	print_value(row, "clock reads", median(subject->ratio, ROUNDS),
		    subject->most_ratio);
}

static double ns_of(const char *what)
{
	size_t i = 0;

	while (strcmp(subjects[i].what, what))
		i++;
	return median(subjects[i].ns, ROUNDS);
}

/* Sums of medians of their parts, of which each was measured. */
static void print_reads(void)
{
	double clock = ns_of(subjects[0].what), v6 = ns_of(CORE) + ns_of(ZERO);
	double v7 = v6 + ns_of(RANDOM);

	print_value("kuid v6 by read, computed", "ns an ID", v6, 0);
	print_value("kuid v6 by read, computed", "clock reads", v6 / clock, 0);
	print_value("kuid v7 by read, computed", "ns an ID", v7, 0);
	print_value("kuid v7 by read, computed", "clock reads", v7 / clock, 0);
}

/**
 * struct player - a thread of a round
 * @thread: the thread
 * @subject: a copy of what it does, with its handle
 * @begin: when all threads were there, in nanoseconds
 * @end: when it has made its calls
 */
static struct player {
	pthread_t thread;
	struct subject subject;
	__u64 begin, end;
} players[THREADS_MAX];

static pthread_barrier_t barrier;

static void *play(void *argument)
{
	struct player *player = argument;

	pthread_barrier_wait(&barrier);
	player->begin = nanoseconds(CLOCK_MONOTONIC);
	run(&player->subject, player->subject.calls);
	player->end = nanoseconds(CLOCK_MONOTONIC);
	return NULL;
}

/*
 * Let threads take the CPUs of the process in turn. The scheduler would leave
 * threads together that run for so short a time.
 */
static void place(pthread_attr_t *attr, unsigned int thread)
{
	unsigned int skip, cpu = 0;
	cpu_set_t cpus, set;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_getaffinity");
	skip = thread % CPU_COUNT(&cpus);
	while (!CPU_ISSET(cpu, &cpus) || skip--)
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_attr_setaffinity_np(attr, sizeof(set), &set);
}

/* Calls in a microsecond, of all threads together. */
static double play_round(const struct subject *subject, unsigned int threads)
{
	__u64 begin = UINT64_MAX, end = 0;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned int i = 0; i < threads; i++) {
		struct player *player = &players[i];

		player->subject = *subject;
		player->subject.handle = subject->handles[i];
		place(&attr, i);
		errno = pthread_create(&player->thread, &attr, play, player);
		if (errno)
			err(1, "thread %u", i);
	}
	for (unsigned int i = 0; i < threads; i++) {
		pthread_join(players[i].thread, NULL);
		begin = players[i].begin < begin ? players[i].begin : begin;
		end = players[i].end > end ? players[i].end : end;
	}
	pthread_barrier_destroy(&barrier);
	pthread_attr_destroy(&attr);
	return (double)subject->calls * threads / (end - begin) * 1000;
}

static void measure_threads(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(threaded); i++) {
		prepare(&threaded[i], NULL);
		set_calls(&threaded[i], THREAD_ROUND_NS);
	}
	for (unsigned int threads = 1; threads <= THREADS_MAX; threads *= 2) {
		char row[16];

		for (size_t n = 0; n < THREAD_ROUNDS; n++)
			for (size_t i = 0; i < ARRAY_SIZE(threaded); i++)
				threaded[i].ns[n] =
					play_round(&threaded[i], threads);
		snprintf(row, sizeof(row), "%u", threads);
		for (size_t i = 0; i < ARRAY_SIZE(threaded); i++)
			result("threads", row, threaded[i].what,
			       median(threaded[i].ns, THREAD_ROUNDS), false);
	}
}

int main(int argc, char **argv)
{
	bool uuidd = argc > 1 && !strcmp(argv[1], "uuidd");
	const char *libraries = uuidd ? NULL : argv[1];
	bool there[ARRAY_SIZE(subjects)];

	if (argc != 2)
		errx(2, "usage: native uuidd | threads | LIBRARIES");
	if (!strcmp(argv[1], "threads")) {
		measure_threads();
		return 0;
	}
	core_start();
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		there[i] = (!uuidd || !i || is_cached(&subjects[i])) &&
			   prepare(&subjects[i], libraries);
		if (there[i])
			set_calls(&subjects[i], ROUND_NS);
	}
	for (size_t round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
			struct subject *subject = &subjects[i];

			if (!there[i])
				continue;
			subject->ns[round] =
				(double)run(subject, subject->calls) /
				((__u64)subject->calls * subject->ids);
			subject->ratio[round] =
				subject->ns[round] / subjects[0].ns[round];
		}
	for (size_t i = uuidd; i < ARRAY_SIZE(subjects); i++) {
		if (!there[i])
			continue;
		print(uuidd ? "libuuid 2.38, v1, uuidd's cache"
			    : subjects[i].what,
		      &subjects[i]);
		if (!strcmp(subjects[i].what, RANDOM))
			print_reads();
	}
	return 0;
}
