// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ktime.h>
#include <linux/uaccess.h>

#include "sink.h"
#include "stream.h"
#include "wait.h"

/**
 * struct kuid_stream_to - where a read goes
 * @user: user memory, if @iter is NULL
 * @iter: else what is described by this
 * @left: how much is wanted there
 * @line: bytes of a line, which all have one size
 */
struct kuid_stream_to {
	u8 __user *user;
	struct iov_iter *iter;
	size_t left;
	size_t line;
};

/* All or nothing. */
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

/* Give what is left of a line, or as much of it as is wanted. */
static int kuid_stream_rest(struct kuid_stream *stream,
			    struct kuid_stream_to *to)
{
	size_t n = min_t(size_t, to->left, stream->size - stream->at);
	int ret;

	lockdep_assert_held(&stream->lock);

	/* What could not be given stays for the next read. */
	ret = kuid_stream_copy(to, stream->line + stream->at, n);
	if (!ret)
		WRITE_ONCE(stream->at, stream->at + n);
	return ret;
}

/* Give whole lines. Returns 0 if all that fit have been given. */
static int kuid_stream_lines(struct kuid_request *request,
			     struct kuid_stream_to *to)
{
	size_t count = to->left / to->line;
	struct kuid_sink sink;
	ssize_t ret;

	if (!count)
		return 0;
	if (to->iter)
		kuid_sink_iter(&sink, request->format, true, to->iter);
	else
		kuid_sink_user(&sink, request->format, true, to->user);
	ret = kuid_make(request, &sink, count);
	if (ret < 0)
		return ret;
	if (!to->iter)
		to->user += ret * to->line;
	to->left -= ret * to->line;
	/* Why does not matter: something was given. */
	return ret < count ? -EAGAIN : 0;
}

/* Give the beginning of a line, whose end is for the next read. */
static int kuid_stream_begin(struct kuid_stream *stream,
			     struct kuid_request *request,
			     struct kuid_stream_to *to)
{
	struct kuid_sink sink;
	ssize_t ret;

	lockdep_assert_held(&stream->lock);

	kuid_sink_kernel(&sink, request->format, true, stream->line);
	ret = kuid_make_chunk(request, &sink, true, 1);
	if (ret <= 0)
		return ret;
	WRITE_ONCE(stream->at, 0);
	WRITE_ONCE(stream->size, to->line);
	ret = kuid_stream_rest(stream, to);
	/* Kept, it would come after what others are given. */
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
			kuid_poller_wake_at(request->poller,
					    ktime_get_ns() + NSEC_PER_MSEC);
			return -EAGAIN;
		}
	} else if (mutex_lock_interruptible(&stream->lock)) {
		return -ERESTARTSYS;
	}
	ret = kuid_stream_rest(stream, to);
	if (!ret)
		ret = kuid_stream_lines(request, to);
	if (!ret && to->left)
		ret = kuid_stream_begin(stream, request, to);
	mutex_unlock(&stream->lock);
	return to->left < wanted ? wanted - to->left : ret;
}

/**
 * kuid_stream_init - begin with an ID that is still to be made
 * @stream: the stream
 */
void kuid_stream_init(struct kuid_stream *stream)
{
	*stream = (struct kuid_stream) { 0 };
	mutex_init(&stream->lock);
}

/**
 * kuid_stream_read - read into user memory
 * @stream: the stream
 * @request: what it is made of
 * @buf: the memory
 * @size: bytes of it, at least 1
 *
 * Context: process. As kuid_make().
 * Return: how many bytes were given, at least 1, or an errno, as kuid_make();
 * -EAGAIN also if another read is under way and
 * @request->nonblock.
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
 * kuid_stream_read_iter - read to where an iov_iter says
 * @stream: the stream
 * @request: what it is made of
 * @to: where, at least 1 byte
 *
 * Context: process. As kuid_make().
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
