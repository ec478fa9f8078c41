/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rest of a line of text, which an open file keeps after a read that was
 * too small for a line. text.h has the text of an ID.
 */
#ifndef KUID_STREAM_H
#define KUID_STREAM_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "sink.h"

/**
 * struct kuid_stream_text - a line for reads that are too small for it
 * @text: the line, which ends in a newline
 * @size: bytes of the line
 * @closings: &kuid_gate.closings before the line was made
 */
struct kuid_stream_text {
	char text[KUID_TEXT_LINE_MAX];
	u8 size;
	u64 closings;
};

/**
 * struct kuid_stream - the line that the last read did not finish
 * @lock: guards the other fields
 * @rest: bytes of @line that no read has taken yet; 0 if no line is kept
 * @line: the line
 *
 * No holder of @lock sleeps or can be preempted: otherwise, it would hold up
 * all processes that share the file. So it is a raw spinlock, for PREEMPT_RT.
 * Reads and poll look at @rest without @lock, so it is changed by WRITE_ONCE().
 */
struct kuid_stream {
	raw_spinlock_t lock;
	u8 rest;
	struct kuid_stream_text line;
};

/* Whether the rest of a line is kept. Another read may take it at once. */
static inline bool kuid_stream_has_rest(const struct kuid_stream *stream)
{
	return READ_ONCE(stream->rest);
}

void kuid_stream_init(struct kuid_stream *stream);
ssize_t kuid_stream_read(struct kuid_stream *stream,
			 struct kuid_request *request, struct kuid_sink *sink);

#endif /* KUID_STREAM_H */
