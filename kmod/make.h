/* SPDX-License-Identifier: GPL-2.0-only */
/* Making IDs: as many as a call asks for, to wherever it wants them. */
#ifndef KUID_MAKE_H
#define KUID_MAKE_H

#include <linux/types.h>

#include "core/formats.h"
#include "core/generator.h"

struct kuid_poller;
struct kuid_sink;

/* IDs made between two looks at signals and the scheduler. */
#define KUID_MAKE_CHUNK 1024

/**
 * struct kuid_request - a call for IDs
 * @watermarks: of the open file that the IDs are made for
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @order: what they shall follow
 * @poller: of that file; NULL for kernel code
 * @nonblock: the call takes what is there and does not sleep
 * @epoch: number of the epoch that its IDs are made in; 0 before the first ID
 * @load_id: that epoch's
 * @last: the stamp or slot of the last ID, if @epoch is not 0
 */
struct kuid_request {
	struct kuid_watermarks *watermarks;
	struct kuid_poller *poller;
	u32 format;
	enum kuid_order order;
	bool nonblock;
	u64 epoch;
	u64 load_id;
	u64 last;
};

ssize_t kuid_make(struct kuid_request *request, struct kuid_sink *sink,
		  size_t count);
ssize_t kuid_make_chunk(struct kuid_request *request, struct kuid_sink *sink,
			bool single, u32 count);

#endif /* KUID_MAKE_H */
