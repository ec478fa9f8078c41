/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making the IDs of a call, for all callers: open files, the commands and
 * kernel code. sink.h has the places where IDs are stored.
 */
#ifndef KUID_MAKE_H
#define KUID_MAKE_H

#include <linux/nospec.h>
#include <linux/types.h>

#include "core/formats.h"
#include "core/take.h"

struct kuid_poller;
struct kuid_sink;

/*
 * The IDs of one chunk. A call checks for signals and calls the scheduler only
 * between chunks.
 */
#define KUID_MAKE_CHUNK 1024

/**
 * struct kuid_made - the IDs that a call has made
 * @count: how many
 * @epoch: number of their epoch; 0 before the first ID
 * @load_id: load_id of that epoch
 * @last: the stamp or slot of the last ID; valid if @epoch is not 0
 */
struct kuid_made {
	size_t count;
	u64 epoch;
	u64 load_id;
	u64 last;
};

/**
 * struct kuid_request - a call for IDs
 * @want: what the next IDs are made from
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @single: the whole call asks for one ID
 * @poller: the pollers of the open file; NULL for kernel code
 * @nonblock: the call takes what is available and does not sleep for more
 * @made: the IDs that the call has made
 */
struct kuid_request {
	struct kuid_want want;
	struct kuid_poller *poller;
	u32 format;
	bool single;
	bool nonblock;
	struct kuid_made made;
};

/*
 * Whether a caller may ask for a format; KUID_FORMAT_DEFAULT counts. Tables are
 * read by the number, so it stays inside them also if the CPU speculates that
 * the check has passed.
 */
static inline bool kuid_format_ok(u32 *format)
{
	if (*format >= KUID_NR_FORMATS)
		return false;
	*format = array_index_nospec(*format, KUID_NR_FORMATS);
	return true;
}

/*
 * Whether a reservation continues the IDs of a call. It does not if it is of
 * another epoch, or if it is below the last ID because the caller was moved to
 * another CPU. Then the reservation is lost.
 */
static __always_inline bool kuid_made_goes_on(const struct kuid_made *made,
					      const struct kuid_taken *taken)
{
	return !made->epoch || (made->epoch == taken->origin.epoch &&
				made->last < taken->units.first);
}

/* Add IDs that were stored to those of a call. */
static __always_inline void kuid_made_add(struct kuid_made *made,
					  const struct kuid_taken *taken,
					  const u32 stored)
{
	if (!stored)
		return;
	made->count += stored;
	made->epoch = taken->origin.epoch;
	made->load_id = taken->origin.load_id;
	made->last = taken->units.first + taken->units.count - 1;
}

ssize_t kuid_make(struct kuid_request *request, struct kuid_sink *sink);
ssize_t kuid_make_chunk(struct kuid_request *request, struct kuid_sink *sink,
			u32 count);

#endif /* KUID_MAKE_H */
