// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an iov_iter describes may lie anywhere and an ID be cut by the end of a
 * piece of it. So IDs are made in a buffer here and copied from there.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "iter.h"

/* IDs that are made before they are copied, if there is memory for that. */
#define KUID_ITER_CHUNK 64

/* The same on the stack. */
#define KUID_ITER_FEW 4

/* Room for an ID, and for the same ID as text. */
#define KUID_ITER_ROOM (KUID_ID_MAX + KUID_LINE_MAX)

/* How far to look ahead whether memory can be written. */
#define KUID_ITER_SURE SZ_64K

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

/* How many bytes can be written, up to a limit. */
static size_t kuid_iter_sure(struct iov_iter *to)
{
	size_t size = min_t(size_t, iov_iter_count(to), KUID_ITER_SURE);

	return size - fault_in_iov_iter_writeable(to, size);
}

static ssize_t kuid_iter_make(struct kuid_batch *batch, struct iov_iter *to,
			      size_t count, bool text)
{
	size_t id_size = kuid_batch_id_size(batch->format);
	size_t line = kuid_batch_text_size(batch->format) + 1;
	size_t size = text ? line : id_size;
	u8 few[KUID_ITER_FEW * KUID_ITER_ROOM];
	bool single = count == 1;
	size_t most = KUID_ITER_FEW;
	u8 *memory = NULL, *ids = few;
	size_t sure = 0, done = 0;
	ssize_t ret;

	if (count > KUID_ITER_FEW)
		memory = kmalloc(KUID_ITER_CHUNK * KUID_ITER_ROOM,
				 (batch->nonblock ? GFP_NOWAIT : GFP_KERNEL) |
					 __GFP_ACCOUNT | __GFP_NOWARN);
	/* Out of memory a read is slower, not refused. */
	if (memory) {
		ids = memory;
		most = KUID_ITER_CHUNK;
	}

	while (done < count) {
		size_t n = min(count - done, most);
		u8 *lines = ids + n * KUID_ID_MAX;
		size_t i, copied;

		/* IDs that are made and can't be copied are lost. */
		if (!single && sure < n * size) {
			sure = kuid_iter_sure(to);
			n = min(n, sure / size);
		}
		if (!n) {
			ret = -EFAULT;
			break;
		}
		ret = kuid_batch_keep(batch, single, ids, n);
		if (ret <= 0)
			break;
		n = ret;
		for (i = 0; text && i < n; i++)
			kuid_batch_line(batch->format, ids + i * id_size,
					lines + i * line);
		copied = kuid_iter_copy(to, text ? lines : ids, n, size);
		done += copied;
		sure -= copied * size;
		if (copied != n) {
			ret = -EFAULT;
			break;
		}
		/* Not for what io_uring has to do next, which can wait. */
		if (task_sigpending(current))
			break;
		cond_resched();
	}

	kfree(memory);
	return done ? done : ret;
}

/**
 * kuid_iter_ids - make IDs where an iov_iter says
 * @batch: what is asked for
 * @to: where they go
 * @count: how many, at least 1
 *
 * Context: process; as kuid_batch_ids().
 * Return: how many were made, at least 1, or an errno, as kuid_batch_ids().
 */
ssize_t kuid_iter_ids(struct kuid_batch *batch, struct iov_iter *to,
		      size_t count)
{
	return kuid_iter_make(batch, to, count, false);
}

/**
 * kuid_iter_lines - make IDs as lines of text where an iov_iter says
 * @batch: what is asked for
 * @to: where they go, kuid_batch_text_size() + 1 bytes for each: all lines of a
 *	format have one size
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
