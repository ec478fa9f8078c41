/* SPDX-License-Identifier: GPL-2.0-only */
/* A call for IDs, and the IDs that it has made so far. */
#ifndef KUID_REQUEST_H
#define KUID_REQUEST_H

#include <linux/nospec.h>
#include <linux/types.h>

#include "core/formats.h"
#include "core/take.h"
#include "host.h"

struct kuid_poller;

/**
 * struct kuid_made - the IDs that a call has made
 * @count: how many
 * @epoch: number of their epoch; 0 before the first ID
 * @load_id: load_id of that epoch; valid if @epoch is not 0
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
 * @begun: the call has something to return: it sleeps for no ceiling and no
 *	epoch
 * @patient: the call has used up the window: it takes no chunk before all of it
 *	is due, otherwise it would take each ID as soon as it is
 * @made: the IDs that the call has made
 */
struct kuid_request {
	struct kuid_want want;
	struct kuid_poller *poller;
	u32 format;
	bool single;
	bool nonblock;
	bool begun;
	bool patient;
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

/* Describe what a call for one ID of a format takes from the generator. */
static __always_inline struct kuid_want
kuid_want_one(const u32 format, struct kuid_watermarks *watermarks,
	      const enum kuid_order order)
{
	const struct kuid_format *row = &kuid_formats[format];

	return (struct kuid_want) {
		.source = row->source,
		.watermarks = watermarks,
		.order = order,
		.part = row->part,
		.ahead = kuid_host.windows[row->source].one,
		.count = 1,
	};
}

/*
 * Whether a reservation continues the IDs of a call. It does not if it is of
 * another epoch, or if it is below the last ID because the caller was moved to
 * another CPU. Then the reservation is lost.
 */
static inline bool kuid_made_goes_on(const struct kuid_made *made,
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

#endif /* KUID_REQUEST_H */
