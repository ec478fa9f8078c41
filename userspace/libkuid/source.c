// SPDX-License-Identifier: MIT
/* A source: an open kuid device and what the kernel says of its format, or the
 * process itself.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "local.h"
#include "source.h"

static int open_device(struct kuid *source, const struct kuid_format *layout,
		       unsigned int format)
{
	struct kuid_query query = { .format = format };
	int err;

	source->fd = kuid_device_open(layout);
	if (source->fd < 0)
		return -1;
	if (ioctl(source->fd, KUID_IOC_QUERY, &query)) {
		err = errno;
		close(source->fd);
		errno = err;
		return -1;
	}
	source->format = query.format;
	source->id_size = query.id_size;
	source->batch_max = query.batch_max;
	return 0;
}

static int open_source(struct kuid *source, const struct kuid_format *layout,
		       unsigned int format, unsigned int flags)
{
	if (flags == KUID_LOCAL)
		return kuid_local_open(source, layout, format);
	if (!open_device(source, layout, format))
		return 0;
	if (flags != KUID_OR_LOCAL || errno != ENODEV)
		return -1;
	if (!kuid_local_open(source, layout, format))
		return 0;
	/* What can't be made here either is still made by the device alone. */
	if (errno == EOPNOTSUPP)
		errno = ENODEV;
	return -1;
}

struct kuid *kuid_open_flags(unsigned int format, unsigned int flags)
{
	const struct kuid_format *layout = kuid_device_layout(format);
	struct kuid *source;
	int cancel;

	if (!layout)
		return NULL;
	if (flags && flags != KUID_LOCAL && flags != KUID_OR_LOCAL) {
		errno = EINVAL;
		return NULL;
	}
	/* Nothing is left behind by a thread that was cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	source = calloc(1, sizeof(*source));
	if (source && open_source(source, layout, format, flags)) {
		int err = errno;

		free(source);
		source = NULL;
		errno = err;
	}
	pthread_setcancelstate(cancel, NULL);
	return source;
}

struct kuid *kuid_open(unsigned int format)
{
	return kuid_open_flags(format, 0);
}

void kuid_close(struct kuid *source)
{
	int err = errno;
	int cancel;

	if (!source)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!kuid_source_is_local(source))
		close(source->fd);
	free(source);
	pthread_setcancelstate(cancel, NULL);
	errno = err;
}

size_t kuid_id_size(const struct kuid *source)
{
	return source->id_size;
}

int kuid_fd(const struct kuid *source)
{
	if (!kuid_source_is_local(source))
		return source->fd;
	errno = EOPNOTSUPP;
	return -1;
}

int kuid_one(struct kuid *source, void *id)
{
	if (kuid_source_is_local(source))
		return kuid_local_make(source, id, 1) < 0 ? -1 : 0;
	/* The kernel gives whole IDs: one, or an error. */
	return read(source->fd, id, source->id_size) < 0 ? -1 : 0;
}

ssize_t kuid_many(struct kuid *source, void *ids, size_t count)
{
	size_t done = 0;

	if (kuid_source_is_local(source))
		return kuid_local_make(source, ids, count);
	while (done < count) {
		size_t left = count - done;
		struct kuid_generate generate = {
			.buffer = (uintptr_t)ids + done * source->id_size,
			.format = source->format,
			.count = left < source->batch_max ? left
							  : source->batch_max,
		};

		/* As kuid_one() is by read(). */
		pthread_testcancel();
		if (ioctl(source->fd, KUID_IOC_GENERATE, &generate))
			return done ? (ssize_t)done : -1;
		done += generate.done;
	}
	return done;
}
