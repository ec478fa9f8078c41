/* SPDX-License-Identifier: GPL-2.0-only */
/* The subjects of "kuid bench", IDs of each format and of other generators;
 * how fast they come to a number of threads.
 */
#ifndef KUID_TOOL_MEASURE_H
#define KUID_TOOL_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* IDs that a call of those that make many is asked for. */
#define SUBJECT_BATCH 4096

struct taker;

struct subject {
	const char *name;
	bool batch;
	unsigned int format; /* of kuid's, else 0 */
	unsigned int flags;  /* of kuid_open_flags() */
	const char *path;    /* of files that are read, else NULL */
	size_t size;	     /* bytes that an ID is */
	void (*make)(unsigned char *uuid); /* of libuuid's, else NULL */
	/* Make one ID, or a batch: how many, or -1 and errno. */
	ssize_t (*take)(struct taker *taker);
};

/*
 * All that are there, with IDs of this format or, if it is
 * KUID_FORMAT_DEFAULT, of each; how many is put into count. To be freed. The
 * first two are /dev/zero's: what a read costs, that others are compared to.
 */
struct subject *subjects_all(unsigned int format, size_t *count);

struct measured {
	int error; /* errno if there was one; the rest is 0 then */
	uint64_t ids;
	double ids_per_second;
	double ns_per_id; /* to each thread */
};

/* Measures for ms milliseconds; EAGAIN if an ID has not come a second later. */
struct measured measure(const struct subject *subject, unsigned int threads,
			unsigned int ms);

#endif /* KUID_TOOL_MEASURE_H */
