/* SPDX-License-Identifier: GPL-2.0-only */
/* The ways by which programs get IDs. */
#ifndef BENCH_PATHS_H
#define BENCH_PATHS_H

#include <err.h>
#include <linux/kuid.h>
#include <stdbool.h>
#include <sys/types.h>

/* In place of a format: 16 bytes of /dev/zero, by calls that can read them. */
#define ZERO KUID_FORMAT_DEFAULT

/**
 * struct path - one way to get IDs
 * @name: the row of results
 * @batches: the table of batches; NULL if the path makes single IDs only
 * @open: get ready for a format, or ZERO; false if the path does not make it
 * @run: make calls for so many IDs each
 * @close: undo @open
 */
struct path {
	const char *name;
	const char *batches;
	bool (*open)(unsigned int format);
	void (*run)(unsigned int calls, unsigned int ids);
	void (*close)(void);
};

/* Ends with a path without a name. */
extern const struct path paths[];

/*
 * End the program unless a call has returned what it should. In line, so that
 * it adds as little as possible.
 */
static inline void check_call(ssize_t got, ssize_t want, const char *call)
{
	if (__builtin_expect(got == want, 1))
		return;
	if (got < 0)
		err(1, "%s", call);
	errx(1, "%s: %zd instead of %zd", call, got, want);
}

/* An open file, or the end of the program. */
int open_file(const char *path, int flags);

#endif /* BENCH_PATHS_H */
