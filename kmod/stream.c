// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of text. A read gives whole lines. Only a read that is too small for a
 * line gives a piece of one, and the stream of the open file keeps the rest of
 * that line. make.c and sink.c make the lines.
 */
#include <linux/string.h>

#include "events.h"
#include "host.h"
#include "make.h"
#include "request.h"
#include "stream.h"

/*
 * Drop the last @rest bytes of a line. If a read has taken the beginning, "?"
 * and a newline end it: no text of an ID has a "?", so nobody can take the
 * beginning for an ID. Returns the number of bytes that are left.
 */
static u8 kuid_stream_tear(struct kuid_stream_text *line, u8 rest)
{
	if (rest == line->size)
		return 0;
	/* The newline alone doesn't matter: the whole ID was read. */
	if (rest < 2)
		return rest;
	line->text[line->size - 2] = '?';
	return 2;
}

/*
 * Give as much as fits of the kept line. If none is kept, keep @own and give of
 * that, unless it is NULL. The copy may sleep, so it comes after the lock.
 * Returns the number of bytes, or -EFAULT.
 */
static ssize_t kuid_stream_give(struct kuid_stream *stream,
				struct kuid_sink *sink,
				const struct kuid_stream_text *own)
{
	struct kuid_stream_text line;
	u8 rest, n;

	raw_spin_lock(&stream->lock);
	rest = stream->rest;
	if (rest) {
		/* A twin may have the same rest. */
		if (stream->line.closings != READ_ONCE(kuid_host.gate.closings))
			rest = kuid_stream_tear(&stream->line, rest);
	} else if (own) {
		stream->line = *own;
		rest = own->size;
	}
	line = stream->line;
	n = min_t(size_t, rest, sink->left);
	WRITE_ONCE(stream->rest, rest - n);
	raw_spin_unlock(&stream->lock);

	if (kuid_sink_put(sink, line.text + line.size - rest, n))
		return n;

	/*
	 * Drop the line: if it were kept, it would come after IDs that other
	 * calls get meanwhile. Another line may have taken its place.
	 */
	raw_spin_lock(&stream->lock);
	if (!memcmp(stream->line.text, line.text, sizeof(line.text)))
		WRITE_ONCE(stream->rest, kuid_stream_tear(&stream->line, rest));
	raw_spin_unlock(&stream->lock);
	return -EFAULT;
}

/*
 * Make a line, without a lock because that may sleep, and give a piece of it.
 * If another read has kept a line meanwhile, this one is lost.
 */
static ssize_t kuid_stream_begin(struct kuid_stream *stream,
				 struct kuid_request *request,
				 struct kuid_sink *sink)
{
	struct kuid_stream_text line = {
		/*
		 * Pairs with the barrier in kuid_generator_write_begin(): a
		 * call that reads the new value here takes nothing from before
		 * the closing.
		 */
		.closings = smp_load_acquire(&kuid_host.gate.closings),
	};
	struct kuid_sink kernel;
	ssize_t ret;

	kuid_sink_init(&kernel, KUID_SINK_KERNEL, request->format, true,
		       sink->size);
	kernel.kernel = (u8 *)line.text;
	ret = kuid_make(request, &kernel);
	if (ret)
		return ret;
	line.size = (char *)kernel.kernel - line.text;
	return kuid_stream_give(stream, sink, &line);
}

/**
 * kuid_stream_init - initialize a stream that keeps no line
 * @stream: the stream
 *
 * Context: any.
 */
void kuid_stream_init(struct kuid_stream *stream)
{
	*stream = (struct kuid_stream) { 0 };
	raw_spin_lock_init(&stream->lock);
}

/**
 * kuid_stream_read - read text
 * @stream: the stream
 * @request: the call, which has made no ID yet
 * @sink: a sink for text, in user memory or an iov_iter, with room for at least
 *	1 byte; advances by the bytes that were read
 *
 * Gives the rest of a line, if one is kept, and then as many whole lines as
 * fit. Gives a piece of a line only if @sink has no room for the longest line
 * and no rest is kept.
 *
 * Context: process. Sleeps as kuid_make() does. Holds no lock while asleep.
 * Return: -EFAULT if no piece of a line can be written, or what kuid_make()
 * returns. If @sink has advanced, the read has succeeded in any case.
 */
ssize_t kuid_stream_read(struct kuid_stream *stream,
			 struct kuid_request *request, struct kuid_sink *sink)
{
	ssize_t ret = 0;

	if (kuid_stream_has_rest(stream)) {
		kuid_events_look();
		ret = kuid_stream_give(stream, sink, NULL);
		/* Another read may have taken the rest. */
		request->begun = ret > 0;
	}
	if (ret < 0)
		return ret;
	if (sink->left >= sink->size)
		return kuid_make(request, sink);
	return ret ?: kuid_stream_begin(stream, request, sink);
}
