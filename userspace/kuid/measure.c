// SPDX-License-Identifier: GPL-2.0-only
/* See measure.h. */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "exit_status.h"
#include "formats.h"
#include "measure.h"
#include "nanoseconds.h"

/* One thread, and the subject that it takes IDs from. */
struct taker {
	const struct subject *subject;
	struct kuid *handle;
	int fd;
	unsigned char *ids;
};

/* The most subjects there are. */
#define MOST 64

static ssize_t take_one(struct taker *taker)
{
	return kuid_one(taker->handle, taker->ids) ? -1 : 1;
}

static ssize_t take_many(struct taker *taker)
{
	return kuid_many(taker->handle, taker->ids, SUBJECT_BATCH);
}

static size_t count_of(const struct subject *subject)
{
	return subject->batch ? SUBJECT_BATCH : 1;
}

/* Files in /proc begin anew at their beginning only. */
static ssize_t take_read(struct taker *taker)
{
	size_t count = count_of(taker->subject);
	ssize_t got =
		pread(taker->fd, taker->ids, count * taker->subject->size, 0);

	return got < 0 ? -1 : got / (ssize_t)taker->subject->size;
}

static ssize_t take_random(struct taker *taker)
{
	size_t count = count_of(taker->subject);
	ssize_t got = getrandom(taker->ids, count * taker->subject->size, 0);

	return got < 0 ? -1 : got / (ssize_t)taker->subject->size;
}

static ssize_t take_made(struct taker *taker)
{
	taker->subject->make(taker->ids);
	return 1;
}

static void add(struct subject *list, size_t *count, struct subject subject)
{
	if (*count == MOST)
		abort();
	list[(*count)++] = subject;
}

static void add_pair(struct subject *list, size_t *count,
		     struct subject subject)
{
	add(list, count, subject);
	subject.batch = true;
	if (subject.format)
		subject.take = take_many;
	add(list, count, subject);
}

static void add_format(struct subject *list, size_t *count, unsigned int format)
{
	struct subject subject = { .name = kuid_format_name(format),
				   .format = format,
				   .size = kuid_format_id_size(format),
				   .take = take_one };

	add_pair(list, count, subject);
	subject.flags = KUID_PRIVATE;
	if (formats_is("{stamp}", format))
		add_pair(list, count, subject);
}

static void add_libuuid(struct subject *list, size_t *count)
{
	static const struct {
		const char *name, *symbol;
	} functions[] = {
		{ "libuuid v1", "uuid_generate_time" },
		{ "libuuid v4", "uuid_generate_random" },
	};
	/* Kept until the end. */
	void *library = dlopen("libuuid.so.1", RTLD_NOW);

	for (size_t i = 0; library && i < 2; i++) {
		struct subject subject = { .name = functions[i].name,
					   .size = 16,
					   .take = take_made };
		void *symbol = dlsym(library, functions[i].symbol);

		/* ISO C has no cast from data to functions. */
		*(void **)&subject.make = symbol;
		if (symbol)
			add(list, count, subject);
	}
}

struct subject *subjects_all(unsigned int format, size_t *count)
{
	struct subject *list = calloc(MOST, sizeof(*list));

	if (!list)
		err(EXIT_FAILED, "the list of what to measure");
	*count = 0;
	add_pair(list, count,
		 (struct subject) { .name = "/dev/zero",
				    .path = "/dev/zero",
				    .size = 16,
				    .take = take_read });
	if (format != KUID_FORMAT_DEFAULT)
		add_format(list, count, format);
	else
		for (unsigned int i = 1; kuid_format_name(i); i++)
			add_format(list, count, i);
	add_pair(list, count,
		 (struct subject) { .name = "getrandom",
				    .size = 16,
				    .take = take_random });
	/* 36 characters and an end of line. */
	add(list, count,
	    (struct subject) { .name = "random/uuid",
			       .path = "/proc/sys/kernel/random/uuid",
			       .size = 37,
			       .take = take_read });
	add_libuuid(list, count);
	return list;
}

static void taker_end(struct taker *taker)
{
	free(taker->ids);
	if (taker->fd >= 0)
		close(taker->fd);
	kuid_close(taker->handle);
}

/* False with errno if there is no taking from it. */
static bool taker_begin(struct taker *taker, const struct subject *subject)
{
	*taker = (struct taker) { .subject = subject, .fd = -1 };
	if (subject->format) {
		taker->handle =
			kuid_open_flags(subject->format, subject->flags);
		if (!taker->handle)
			return false;
	}
	if (subject->path) {
		taker->fd = open(subject->path, O_RDONLY | O_CLOEXEC);
		if (taker->fd < 0)
			return false;
	}
	taker->ids = malloc(count_of(subject) * subject->size);
	if (taker->ids)
		return true;
	taker_end(taker);
	errno = ENOMEM;
	return false;
}

/* Shared by the threads of one measurement. */
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

/* Take until it is over; a first ID, which costs more, is not counted. */
static void take(struct runner *runner, struct taker *taker)
{
	uint64_t began_ns;
	ssize_t got = taker->subject->take(taker);

	began_ns = clock_ns(CLOCK_MONOTONIC);
	while (got >= 0) {
		got = taker->subject->take(taker);
		if (got > 0)
			runner->ids += got;
		if (atomic_load_explicit(&runner->race->over,
					 memory_order_relaxed))
			break;
	}
	runner->ns = clock_ns(CLOCK_MONOTONIC) - began_ns;
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

static void interrupt(int nr)
{
}

/* musl can join with a timeout only by the wall clock, which may be set. */
static void join(struct runner *runner)
{
	const struct timespec ms = { .tv_nsec = MS_NS };
	unsigned int waited_ms = 0;

	while (pthread_tryjoin_np(runner->thread, NULL)) {
		nanosleep(&ms, NULL);
		/* Repeat: a signal may come before the call that waits. */
		if (++waited_ms >= 1000 && waited_ms % 10 == 0)
			pthread_kill(runner->thread, SIGALRM);
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
	uint64_t end_ns;

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
	end_ns = clock_ns(CLOCK_MONOTONIC) + ms * MS_NS;
	end.tv_sec = end_ns / SEC_NS;
	end.tv_nsec = end_ns % SEC_NS;
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
