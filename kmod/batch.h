/* SPDX-License-Identifier: GPL-2.0-only */
/* IDs of one format, as many as one call asks for. */
#ifndef KUID_BATCH_H
#define KUID_BATCH_H

#include <linux/types.h>

#include "core/generator.h"
#include "core/text.h"

struct kuid_poller;

/* The longest ID, and the longest text of one with its end of line. */
#define KUID_ID_MAX   16
#define KUID_LINE_MAX (KUID_TEXT_SIZE_MAX + 1)

/* IDs made between two looks at signals and the scheduler. */
#define KUID_BATCH_CHUNK 1024

/**
 * struct kuid_batch - what is asked for
 * @watermarks: of the open file that the IDs are made for
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @order: what they shall follow
 * @poller: of that file; NULL for kernel code
 * @nonblock: do with what is to be had at once
 * @epoch: number of the epoch that they are made in; 0 before the first
 * @load_id: that epoch's
 * @last: the stamp's nanosecond or the slot of the last one, if @epoch is not 0
 */
struct kuid_batch {
	struct kuid_watermarks *watermarks;
	struct kuid_poller *poller;
	u32 format;
	enum kuid_order order;
	bool nonblock;
	u64 epoch;
	u64 load_id;
	u64 last;
};

unsigned int kuid_batch_id_size(u32 format);
unsigned int kuid_batch_text_size(u32 format);
u64 kuid_batch_rate(u32 format);
enum kuid_source kuid_batch_source(u32 format);
ssize_t kuid_batch_ids(struct kuid_batch *batch, u8 __user *to, size_t count);
ssize_t kuid_batch_lines(struct kuid_batch *batch, u8 __user *to, size_t count);
ssize_t kuid_batch_keep(struct kuid_batch *batch, bool single, u8 *ids,
			size_t count);
void kuid_batch_line(u32 format, const u8 *id, char *line);

#endif /* KUID_BATCH_H */
