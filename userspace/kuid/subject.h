/* SPDX-License-Identifier: GPL-2.0-only */
/* What "kuid bench" measures: IDs of each format, and what else could be had. */
#ifndef KUID_TOOL_SUBJECT_H
#define KUID_TOOL_SUBJECT_H

#include <kuid.h>
#include <stdbool.h>
#include <stddef.h>

/* IDs that a call of those that make many is asked for. */
#define SUBJECT_BATCH 4096

struct taker;

struct subject {
	const char *name;
	bool batch;
	unsigned int format; /* of kuid's, else 0 */
	const char *path;    /* of files that are read, else NULL */
	size_t size;	     /* bytes that an ID is */
	void (*make)(unsigned char *uuid); /* of libuuid's, else NULL */
	/* Make one ID, or a batch: how many, or -1 and errno. */
	ssize_t (*take)(struct taker *taker);
};

/* One thread's. */
struct taker {
	const struct subject *subject;
	struct kuid *handle;
	int fd;
	unsigned char *ids;
};

/*
 * All that are there, with IDs of this format or, if it is
 * KUID_FORMAT_DEFAULT, of each; how many is put into count. To be freed. The
 * first two are /dev/zero's: what a read costs, that others are compared to.
 */
struct subject *subjects_all(unsigned int format, size_t *count);

/* False with errno if there is no taking from it. */
bool taker_begin(struct taker *taker, const struct subject *subject);
void taker_end(struct taker *taker);

#endif /* KUID_TOOL_SUBJECT_H */
