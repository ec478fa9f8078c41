// SPDX-License-Identifier: GPL-2.0-only
/* See measure.h. */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "measure.h"
#include "verbs.h"

#define SEC_NS 1000000000ULL

/* What the threads of one measurement share. */
struct race {
	const struct subject *subject;
	pthread_barrier_t start;
	atomic_bool over;
};

struct runner {
	pthread_t thread;
	struct race *race;
	int error;
	uint64_t ids;
	uint64_t ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SEC_NS + now.tv_nsec;
}

/* Take until it is over; a first ID, which costs more, is not counted. */
static void take(struct runner *runner, struct taker *taker)
{
	uint64_t began_ns;
	ssize_t got = taker->subject->take(taker);

	began_ns = now_ns();
	while (got >= 0) {
		got = taker->subject->take(taker);
		if (got > 0)
			runner->ids += got;
		if (atomic_load_explicit(&runner->race->over,
					 memory_order_relaxed))
			break;
	}
	runner->ns = now_ns() - began_ns;
	/* The signal that ends a wait which takes too long. */
	if (got < 0)
		runner->error = errno == EINTR ? EAGAIN : errno;
}

static void *run(void *data)
{
	struct runner *runner = data;
	struct taker taker;
	bool begun = taker_begin(&taker, runner->race->subject);

	if (!begun)
		runner->error = errno;
	pthread_barrier_wait(&runner->race->start);
	if (begun) {
		take(runner, &taker);
		taker_end(&taker);
	}
	return NULL;
}

static void interrupt(int nr __attribute__((unused)))
{
}

static struct timespec after_ms(unsigned int ms)
{
	struct timespec time;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &time);
	ns = time.tv_nsec + ms * 1000000ULL;
	time.tv_sec += ns / SEC_NS;
	time.tv_nsec = ns % SEC_NS;
	return time;
}

static void join(struct runner *runner)
{
	unsigned int patience_ms = 1000;

	for (;;) {
		struct timespec until = after_ms(patience_ms);

		if (!pthread_clockjoin_np(runner->thread, NULL, CLOCK_MONOTONIC,
					  &until))
			return;
		/* Again and again: it may come before the call that waits. */
		pthread_kill(runner->thread, SIGALRM);
		patience_ms = 10;
	}
}

static struct measured sum(const struct runner *runners, unsigned int threads)
{
	struct measured measured = { 0 };
	uint64_t ns = 0;

	for (unsigned int i = 0; i < threads; i++) {
		const struct runner *r = &runners[i];

		if (r->error || !r->ids)
			return (struct measured) { .error = r->error ? r->error
								     : EAGAIN };
		measured.ids += r->ids;
		measured.ids_per_second += r->ids * (double)SEC_NS / r->ns;
		ns += r->ns;
	}
	measured.ns_per_id = (double)ns / measured.ids;
	return measured;
}

struct measured measure(const struct subject *subject, unsigned int threads,
			unsigned int ms)
{
	/* Not SA_RESTART: calls that wait are to come back. */
	struct sigaction action = { .sa_handler = interrupt };
	struct race race = { .subject = subject };
	struct runner *runners = calloc(threads, sizeof(*runners));
	struct measured measured;
	struct timespec end;

	if (!runners || sigaction(SIGALRM, &action, NULL))
		err(EXIT_FAILED, "measuring");
	pthread_barrier_init(&race.start, NULL, threads + 1);
	for (unsigned int i = 0; i < threads; i++) {
		runners[i].race = &race;
		errno = pthread_create(&runners[i].thread, NULL, run,
				       &runners[i]);
		if (errno)
			err(EXIT_FAILED, "thread %u of %u", i + 1, threads);
	}
	pthread_barrier_wait(&race.start);
	end = after_ms(ms);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL))
		;
	atomic_store(&race.over, true);
	for (unsigned int i = 0; i < threads; i++)
		join(&runners[i]);
	measured = sum(runners, threads);
	pthread_barrier_destroy(&race.start);
	free(runners);
	return measured;
}
