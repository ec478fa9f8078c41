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
 * struct kuid_request - a call for IDs
 * @watermarks: the watermarks of the open file, or of kernel code
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @order: the IDs that the call's IDs must be above
 * @poller: the pollers of the open file; NULL for kernel code
 * @nonblock: the call takes what is available and does not sleep for more
 * @tried: the call is a single that the short path failed to make, and may have
 *	lost its ID
 * @epoch: number of the epoch of the call's IDs; 0 before the first ID
 * @load_id: load_id of that epoch
 * @last: the stamp or slot of the call's last ID; valid if @epoch is not 0
 */
struct kuid_request {
	struct kuid_watermarks *watermarks;
	struct kuid_poller *poller;
	u32 format;
	enum kuid_order order;
	bool nonblock;
	bool tried;
	u64 epoch;
	u64 load_id;
	u64 last;
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

ssize_t kuid_make(struct kuid_request *request, struct kuid_sink *sink);
ssize_t kuid_make_chunk(struct kuid_request *request, struct kuid_sink *sink,
			bool single, u32 count);

#endif /* KUID_MAKE_H */
