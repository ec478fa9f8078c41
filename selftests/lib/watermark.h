/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The highest ID that was returned, in memory that threads and processes share.
 * A taker reads it before a call, and raises it after the call: then each ID of
 * the call must be above what the taker has read.
 */
#ifndef WATERMARK_H
#define WATERMARK_H

#include "formats.h"

/**
 * struct watermark - the highest ID that was returned
 * @locked: held by the process or thread that reads or writes @highest
 * @highest: only raised
 */
struct watermark {
	bool locked;
	struct words highest;
};

/* Raise it to @id, which may be zero. Returns the highest ID then. */
static inline struct words raise_watermark(struct watermark *watermark,
					   struct words id)
{
	while (__atomic_test_and_set(&watermark->locked, __ATOMIC_ACQUIRE))
		sched_yield();
	if (words_after(id, watermark->highest))
		watermark->highest = id;
	id = watermark->highest;
	__atomic_clear(&watermark->locked, __ATOMIC_RELEASE);
	return id;
}

static inline struct words read_watermark(struct watermark *watermark)
{
	return raise_watermark(watermark, (struct words) { 0 });
}

#endif /* WATERMARK_H */
