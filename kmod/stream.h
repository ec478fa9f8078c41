/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of text as a stream of bytes, which is read in pieces of any size. */
#ifndef KUID_STREAM_H
#define KUID_STREAM_H

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uio.h>

#include "make.h"
#include "sink.h"

/**
 * struct kuid_stream - the end of a line that a read did not finish
 * @lock: so that lines of reads at the same time are not mixed up
 * @line: the line
 * @at: how much of it has been read
 * @size: how much there is of it; 0 if there is none
 *
 * @lock protects all of it; poll reads @at and @size without it, which is what
 * they are written by WRITE_ONCE() for.
 */
struct kuid_stream {
	struct mutex lock; /* held for the whole of a read */
	char line[KUID_LINE_MAX];
	u8 at;
	u8 size;
};

/* Whether something is there. A read under way changes it: no waiting for that.
 */
static inline bool kuid_stream_ready(const struct kuid_stream *stream)
{
	return READ_ONCE(stream->at) < READ_ONCE(stream->size);
}

void kuid_stream_init(struct kuid_stream *stream);
ssize_t kuid_stream_read(struct kuid_stream *stream,
			 struct kuid_request *request, char __user *buf,
			 size_t size);
ssize_t kuid_stream_read_iter(struct kuid_stream *stream,
			      struct kuid_request *request,
			      struct iov_iter *to);

#endif /* KUID_STREAM_H */
