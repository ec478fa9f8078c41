// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads of text. A read may end inside a line; the stream of an open file keeps
 * the rest for the next read. make.c and sink.c make the lines.
 */
#include <linux/ktime.h>
#include <linux/uaccess.h>

#include "sink.h"
#include "stream.h"
#include "wait.h"

/**
 * struct kuid_stream_to - the memory that a read fills
 * @user: address of the next byte in user memory; used if @iter is NULL
 * @iter: the iov_iter to fill; NULL for user memory
 * @left: bytes that the read still asks for
 * @line: size of the format's longest line in bytes
 */
struct kuid_stream_to {
	u8 __user *user;
	struct iov_iter *iter;
	size_t left;
	size_t line;
};

/* Copy all of @size bytes. If that fails, @to does not advance. */
static int kuid_stream_copy(struct kuid_stream_to *to, const char *from,
			    size_t size)
{
	if (to->iter) {
		size_t copied = copy_to_iter(from, size, to->iter);

		if (copied != size) {
			iov_iter_revert(to->iter, copied);
			return -EFAULT;
		}
	} else {
		if (copy_to_user(to->user, from, size))
			return -EFAULT;
		to->user += size;
	}
	to->left -= size;
	return 0;
}

/* Copy the rest of the kept line, or as much of it as the read asks for. */
static int kuid_stream_rest(struct kuid_stream *stream,
			    struct kuid_stream_to *to)
{
	size_t n = min_t(size_t, to->left, stream->size - stream->at);
	int ret;

	lockdep_assert_held(&stream->lock);

	/* If the copy fails, the rest stays for the next read. */
	ret = kuid_stream_copy(to, stream->line + stream->at, n);
	if (!ret)
		WRITE_ONCE(stream->at, stream->at + n);
	return ret;
}

/*
 * Make as many whole lines as fit. Returns 0 if all of them were made, or a
 * negative errno.
 */
static int kuid_stream_lines(struct kuid_request *request,
			     struct kuid_stream_to *to)
{
	size_t count = to->left / to->line;
	struct kuid_sink sink;
	ssize_t ret;

	if (to->iter)
		kuid_sink_iter(&sink, request->format, true, to->iter);
	else
		kuid_sink_user(&sink, request->format, true, to->user);
	ret = kuid_make(request, &sink, count);
	if (ret < 0)
		return ret;
	if (to->iter) {
		to->left = iov_iter_count(to->iter);
	} else {
		to->left -= sink.user - to->user;
		to->user = sink.user;
	}
	/*
	 * After fewer lines the read must end. The caller returns the number of
	 * bytes then, so any error will do.
	 */
	return ret < count ? -EAGAIN : 0;
}

/* Make one more line, copy its beginning, and keep the rest. */
static int kuid_stream_begin(struct kuid_stream *stream,
			     struct kuid_request *request,
			     struct kuid_stream_to *to)
{
	struct kuid_sink sink;
	ssize_t ret;

	lockdep_assert_held(&stream->lock);

	kuid_sink_kernel(&sink, request->format, true, stream->line);
	ret = kuid_make_chunk(request, &sink, true, 1);
	/* The line would not continue the read's lines: the read must end. */
	if (ret <= 0)
		return ret ?: -EAGAIN;
	WRITE_ONCE(stream->at, 0);
	WRITE_ONCE(stream->size, (char *)sink.kernel - stream->line);
	ret = kuid_stream_rest(stream, to);
	/*
	 * Drop the line: if it were kept, it would come after IDs that other
	 * calls get meanwhile.
	 */
	if (ret)
		WRITE_ONCE(stream->size, 0);
	return ret;
}

static ssize_t kuid_stream_give(struct kuid_stream *stream,
				struct kuid_request *request,
				struct kuid_stream_to *to)
{
	size_t wanted = to->left;
	int ret;

	if (request->nonblock) {
		if (!mutex_trylock(&stream->lock)) {
			/* The other read wakes no pollers when it ends. */
			kuid_poller_wake_at(request->poller,
					    ktime_get_ns() + NSEC_PER_MSEC);
			return -EAGAIN;
		}
	} else if (mutex_lock_interruptible(&stream->lock)) {
		return -ERESTARTSYS;
	}
	ret = kuid_stream_rest(stream, to);
	/* Lines may be shorter than the longest one, so that more of them fit. */
	while (!ret && to->left >= to->line)
		ret = kuid_stream_lines(request, to);
	/* The last line may be shorter than what is left, too. */
	while (!ret && to->left)
		ret = kuid_stream_begin(stream, request, to);
	mutex_unlock(&stream->lock);
	return to->left < wanted ? wanted - to->left : ret;
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
	mutex_init(&stream->lock);
}

/**
 * kuid_stream_read_line - read one line into user memory, by the short path
 * @stream: the stream
 * @watermarks: the watermarks of the open file
 * @format: KUID_FORMAT_*
 * @buf: the user memory, as large as a line
 *
 * Context: as kuid_user_single().
 * Return: true; or false if the caller must use kuid_stream_read(), which reads
 * the line or returns the error.
 */
bool kuid_stream_read_line(struct kuid_stream *stream,
			   struct kuid_watermarks *watermarks, u32 format,
			   char __user *buf)
{
	bool done;

	if (!mutex_trylock(&stream->lock))
		return false;
	done = !kuid_stream_has_rest(stream) &&
	       kuid_sink_single_line(watermarks, format, (u8 __user *)buf);
	mutex_unlock(&stream->lock);
	return done;
}

/**
 * kuid_stream_read - read text into user memory
 * @stream: the stream
 * @request: the call
 * @buf: the user memory
 * @size: size of @buf in bytes, at least 1
 *
 * Context: process. Sleeps as kuid_make() does. Also sleeps while another read
 * holds the stream's lock, unless @request->nonblock is set.
 * Return: the number of bytes that were read, at least 1; or an error of
 * kuid_make(); -EAGAIN also if another read holds the lock and
 * @request->nonblock is set.
 */
ssize_t kuid_stream_read(struct kuid_stream *stream,
			 struct kuid_request *request, char __user *buf,
			 size_t size)
{
	struct kuid_stream_to to = {
		.user = (u8 __user *)buf,
		.left = size,
		.line = kuid_formats[request->format].text_size + 1,
	};

	return kuid_stream_give(stream, request, &to);
}

/**
 * kuid_stream_read_iter - read text into an iov_iter
 * @stream: the stream
 * @request: the call
 * @to: the iov_iter, of at least 1 byte; advances by the bytes that were read
 *
 * Context: as kuid_stream_read().
 * Return: as kuid_stream_read().
 */
ssize_t kuid_stream_read_iter(struct kuid_stream *stream,
			      struct kuid_request *request, struct iov_iter *to)
{
	struct kuid_stream_to stream_to = {
		.iter = to,
		.left = iov_iter_count(to),
		.line = kuid_formats[request->format].text_size + 1,
	};

	return kuid_stream_give(stream, request, &stream_to);
}
