/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of text of one open file as a stream of bytes. A read takes any
 * number of bytes of it. text.h has the text of an ID.
 */
#ifndef KUID_STREAM_H
#define KUID_STREAM_H

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uio.h>

#include "make.h"
#include "sink.h"

/**
 * struct kuid_stream - the line that the last read did not finish
 * @lock: keeps the lines of concurrent reads apart
 * @line: the line
 * @at: bytes of the line that were read
 * @size: bytes of the line; 0 if there is none
 *
 * @lock guards the other fields. poll reads @at and @size without @lock, so
 * reads change them by WRITE_ONCE().
 */
struct kuid_stream {
	struct mutex lock; /* a read holds it from its start to its end */
	char line[KUID_LINE_MAX];
	u8 at;
	u8 size;
};

/*
 * Whether the rest of a line is left. poll must not wait for a read that holds
 * the lock, so the answer may be outdated.
 */
static inline bool kuid_stream_has_rest(const struct kuid_stream *stream)
{
	return READ_ONCE(stream->at) < READ_ONCE(stream->size);
}

void kuid_stream_init(struct kuid_stream *stream);
bool kuid_stream_read_line(struct kuid_stream *stream,
			   struct kuid_watermarks *watermarks, u32 format,
			   char __user *buf);
ssize_t kuid_stream_read(struct kuid_stream *stream,
			 struct kuid_request *request, char __user *buf,
			 size_t size);
ssize_t kuid_stream_read_iter(struct kuid_stream *stream,
			      struct kuid_request *request,
			      struct iov_iter *to);

#endif /* KUID_STREAM_H */
