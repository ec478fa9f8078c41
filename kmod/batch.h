/* SPDX-License-Identifier: GPL-2.0-only */
/* IDs of one format, made straight into the memory of who asked for them. */
#ifndef KUID_BATCH_H
#define KUID_BATCH_H

#include <linux/init.h>
#include <linux/types.h>

#include "core/generator.h"
#include "core/text.h"

/* The longest text of an ID with its end of line. */
#define KUID_LINE_MAX (KUID_TEXT_SIZE_MAX + 1)

/**
 * struct kuid_batch - what is asked for
 * @epoch: the epoch that the IDs are made in
 * @floors: of the open file they are made for
 * @format: KUID_FORMAT_*, not KUID_FORMAT_DEFAULT
 * @nonblock: do with what is to be had at once
 */
struct kuid_batch {
	struct kuid_epoch *epoch;
	struct kuid_floors *floors;
	u32 format;
	bool nonblock;
};

unsigned int kuid_batch_id_size(u32 format);
unsigned int kuid_batch_text_size(u32 format);
u64 kuid_batch_rate(u32 format);
bool kuid_batch_one_id(struct kuid_epoch *epoch, struct kuid_floors *floors,
		       u32 format, u8 __user *to);
ssize_t kuid_batch_ids(const struct kuid_batch *batch, u8 __user *to,
		       size_t count);
ssize_t kuid_batch_lines(const struct kuid_batch *batch, u8 __user *to,
			 size_t count);
int kuid_batch_line(const struct kuid_batch *batch, char *line);

int __init kuid_batch_init(void);
void kuid_batch_exit(void);

#endif /* KUID_BATCH_H */
