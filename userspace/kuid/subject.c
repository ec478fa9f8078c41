// SPDX-License-Identifier: GPL-2.0-only
/* See subject.h. */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "subject.h"
#include "verbs.h"

#define MOST 32

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
	add_pair(list, count,
		 (struct subject) { .name = kuid_format_name(format),
				    .format = format,
				    .size = kuid_format_id_size(format),
				    .take = take_one });
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
		for (unsigned int i = KUID_FORMAT_V1; i <= KUID_FORMAT_K128;
		     i++)
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

bool taker_begin(struct taker *taker, const struct subject *subject)
{
	*taker = (struct taker) { .subject = subject, .fd = -1 };
	if (subject->format) {
		taker->handle = kuid_open(subject->format);
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

void taker_end(struct taker *taker)
{
	free(taker->ids);
	if (taker->fd >= 0)
		close(taker->fd);
	kuid_close(taker->handle);
}
