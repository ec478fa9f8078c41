// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an iov_iter describes may lie anywhere and an ID be cut by the end of a
 * piece of it. So IDs are made in a buffer here and copied from there.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "iter.h"

/* IDs that are made before they are copied: a page holds what that takes. */
#define KUID_ITER_CHUNK 64

/**
 * struct kuid_iter_buffer - a chunk on its way
 * @ids: as they are made
 * @lines: the same as text
 */
struct kuid_iter_buffer {
	u8 ids[KUID_ITER_CHUNK * KUID_ID_MAX];
	char lines[KUID_ITER_CHUNK * KUID_LINE_MAX];
};

/*
 * Copy whole units of a size. Returns how many: all that there is room for,
 * although a machine may stop before it has filled the memory in front of a
 * hole, as arm64 does. One at a time is copied without meeting the hole.
 */
static size_t kuid_iter_copy(struct iov_iter *to, const void *from,
			     size_t count, size_t size)
{
	size_t n = count, done = 0;
	size_t copied;

	do {
		copied = copy_to_iter(from + done * size, n * size, to);
		/* Or a pipe would keep the beginning of what does not come. */
		iov_iter_revert(to, copied % size);
		done += copied / size;
		if (copied < size && n == 1)
			break;
		n = 1;
	} while (done < count);
	return done;
}

static ssize_t kuid_iter_make(struct kuid_batch *batch, struct iov_iter *to,
			      size_t count, bool text)
{
	size_t id_size = kuid_batch_id_size(batch->format);
	size_t line = kuid_batch_text_size(batch->format) + 1;
	struct kuid_iter_buffer *buffer;
	bool single = count == 1;
	size_t done = 0;
	ssize_t ret;

	buffer = kmalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;

	while (done < count) {
		size_t n = min_t(size_t, count - done, KUID_ITER_CHUNK);
		size_t i, copied;

		ret = kuid_batch_keep(batch, single, buffer->ids, n);
		if (ret <= 0)
			break;
		n = ret;
		if (text) {
			for (i = 0; i < n; i++)
				kuid_batch_line(batch->format,
						buffer->ids + i * id_size,
						buffer->lines + i * line);
			copied = kuid_iter_copy(to, buffer->lines, n, line);
		} else {
			copied = kuid_iter_copy(to, buffer->ids, n, id_size);
		}
		done += copied;
		if (copied != n) {
			ret = -EFAULT;
			break;
		}
		/* Not for what io_uring has to do next, which can wait. */
		if (task_sigpending(current))
			break;
		cond_resched();
	}

	kfree(buffer);
	return done ? done : ret;
}

/**
 * kuid_iter_ids - make IDs where an iov_iter says
 * @batch: what is asked for
 * @to: where they go
 * @count: how many, at least 1
 *
 * Context: process; as kuid_batch_ids().
 * Return: how many were made, at least 1, or an errno, as kuid_batch_ids();
 * -ENOMEM.
 */
ssize_t kuid_iter_ids(struct kuid_batch *batch, struct iov_iter *to,
		      size_t count)
{
	return kuid_iter_make(batch, to, count, false);
}

/**
 * kuid_iter_lines - make IDs as lines of text where an iov_iter says
 * @batch: what is asked for
 * @to: where they go, kuid_batch_text_size() + 1 bytes for each
 * @count: how many, at least 1
 *
 * Context: process; as kuid_batch_ids().
 * Return: as kuid_iter_ids().
 */
ssize_t kuid_iter_lines(struct kuid_batch *batch, struct iov_iter *to,
			size_t count)
{
	return kuid_iter_make(batch, to, count, true);
}
