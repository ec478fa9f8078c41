// SPDX-License-Identifier: GPL-2.0-only
/*
 * How IDs that a process makes itself scale with its threads, on this machine:
 * threads that share a handle of libkuid, and threads that have one each.
 * Handles are local ones, as in native.c.
 *
 * Other programs may run meanwhile. So each figure is the median of many short
 * rounds, and all subjects take turns.
 */
#include <err.h>
#include <errno.h>
#include <kuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "result.h"

#define THREADS_MAX 2 /* more than the machine has CPUs would take turns */
#define ROUNDS	    101
#define ROUND_NS    500000

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

/**
 * struct subject - something that threads do
 * @what: its name
 * @format: of libkuid, else 0
 * @shared: the threads share a handle
 * @random: get random bytes for a v4; otherwise read the clock, if @format is 0
 * @calls: calls of a thread in a round
 * @handles: of the threads
 * @rate: millions of calls a second of all threads, by round
 */
static struct subject {
	const char *what;
	unsigned int format;
	bool shared;
	bool random;
	unsigned int calls;
	struct kuid *handles[THREADS_MAX];
	double rate[ROUNDS];
} subjects[] = {
	{ .what = "clock_gettime" },
	{ .what = "v1, own handles", .format = KUID_FORMAT_V1 },
	{ .what = "v1, one handle", .format = KUID_FORMAT_V1, .shared = true },
	{ .what = "v7, own handles", .format = KUID_FORMAT_V7 },
	{ .what = "v7, one handle", .format = KUID_FORMAT_V7, .shared = true },
	{ .what = "v4 by getrandom", .random = true },
};

/**
 * struct player - a thread of a round
 * @thread: the thread
 * @subject: what it does
 * @handle: its handle, if the subject has any
 * @begin: when all threads were there, in nanoseconds
 * @end: when it has made its calls
 */
static struct player {
	pthread_t thread;
	const struct subject *subject;
	struct kuid *handle;
	__u64 begin, end;
} players[THREADS_MAX];

static pthread_barrier_t barrier;
static cpu_set_t cpus;

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void call(const struct subject *subject, struct kuid *handle)
{
	unsigned char id[KUID_ID_MAX];
	struct timespec ts;
	bool good;

	if (handle)
		good = !kuid_one(handle, id);
	else if (subject->random)
		good = getrandom(id, sizeof(id), 0) == sizeof(id);
	else
		good = !clock_gettime(CLOCK_REALTIME, &ts);
	if (!good)
		err(1, "%s", subject->what);
}

static void *play(void *argument)
{
	struct player *player = argument;

	pthread_barrier_wait(&barrier);
	player->begin = now();
	for (unsigned int i = 0; i < player->subject->calls; i++)
		call(player->subject, player->handle);
	player->end = now();
	return NULL;
}

/*
 * Let threads take the CPUs of the process in turn. The scheduler would leave
 * threads together that run for so short a time.
 */
static void place(pthread_attr_t *attr, unsigned int thread)
{
	unsigned int skip = thread % CPU_COUNT(&cpus), cpu = 0;
	cpu_set_t set;

	while (!CPU_ISSET(cpu, &cpus) || skip--)
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_attr_setaffinity_np(attr, sizeof(set), &set);
}

/* Millions of calls a second, of all threads together. */
static double play_round(const struct subject *subject, unsigned int threads)
{
	__u64 begin = UINT64_MAX, end = 0;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned int i = 0; i < threads; i++) {
		struct player *player = &players[i];

		player->subject = subject;
		player->handle = subject->handles[i];
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

static void open_handles(struct subject *subject)
{
	for (unsigned int i = 0; i < THREADS_MAX; i++) {
		if (i && subject->shared)
			subject->handles[i] = subject->handles[0];
		else
			subject->handles[i] =
				kuid_open_flags(subject->format, KUID_LOCAL);
		if (!subject->handles[i])
			err(1, "%s", subject->what);
	}
}

/*
 * Let a round of one thread take about ROUND_NS. Of a few short rounds, the
 * fastest one was not disturbed.
 */
static void set_calls(struct subject *subject)
{
	double fastest = 0;

	subject->calls = 100;
	for (int i = 0; i < 20; i++) {
		double rate = play_round(subject, 1);

		fastest = rate > fastest ? rate : fastest;
	}
	subject->calls = fastest * ROUND_NS / 1000 + 1;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(unsigned int threads)
{
	char row[16];

	for (unsigned int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
			subjects[i].rate[round] =
				play_round(&subjects[i], threads);
	snprintf(row, sizeof(row), "%u", threads);
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		double *rate = subjects[i].rate;

		qsort(rate, ROUNDS, sizeof(*rate), compare);
		result("threads", row, subjects[i].what, rate[ROUNDS / 2],
		       false);
	}
}

int main(void)
{
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_getaffinity");
	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (subjects[i].format)
			open_handles(&subjects[i]);
		set_calls(&subjects[i]);
	}
	for (unsigned int threads = 1; threads <= THREADS_MAX; threads *= 2)
		measure(threads);
	return 0;
}
