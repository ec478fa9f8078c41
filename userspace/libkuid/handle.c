// SPDX-License-Identifier: MIT
/* Handles: open device files, or the generator of this process. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "handle.h"
#include "local.h"

static int open_device(struct kuid *handle, const struct kuid_layout *layout)
{
	struct kuid_query query = { .format = layout->format };
	int err;

	handle->fd = kuid_device_open(layout);
	if (handle->fd < 0)
		return -1;
	if (ioctl(handle->fd, KUID_IOC_QUERY, &query)) {
		err = errno;
		close(handle->fd);
		errno = err;
		return -1;
	}
	handle->layout = layout;
	handle->batch_max = query.batch_max;
	return 0;
}

static int open_handle(struct kuid *handle, const struct kuid_layout *layout,
		       unsigned int flags)
{
	if (flags == KUID_LOCAL)
		return kuid_local_open(handle, layout);
	if (!open_device(handle, layout))
		return 0;
	if (flags != KUID_OR_LOCAL || errno != ENODEV)
		return -1;
	if (!kuid_local_open(handle, layout))
		return 0;
	/* Only the device makes this format, so its absence is the error. */
	if (errno == EOPNOTSUPP)
		errno = ENODEV;
	return -1;
}

struct kuid *kuid_open_flags(unsigned int format, unsigned int flags)
{
	const struct kuid_layout *layout = kuid_layout_made(format);
	struct kuid *handle;
	int cancel;

	if (!layout)
		return NULL;
	if (flags && flags != KUID_LOCAL && flags != KUID_OR_LOCAL) {
		errno = EINVAL;
		return NULL;
	}
	/* A cancelled thread would leak the handle. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	handle = calloc(1, sizeof(*handle));
	if (handle && open_handle(handle, layout, flags)) {
		int err = errno;

		free(handle);
		handle = NULL;
		errno = err;
	}
	pthread_setcancelstate(cancel, NULL);
	return handle;
}

struct kuid *kuid_open(unsigned int format)
{
	return kuid_open_flags(format, 0);
}

void kuid_close(struct kuid *handle)
{
	int err = errno;
	int cancel;

	if (!handle)
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (!kuid_handle_is_local(handle))
		close(handle->fd);
	free(handle);
	pthread_setcancelstate(cancel, NULL);
	errno = err;
}

size_t kuid_id_size(const struct kuid *handle)
{
	return handle->layout->id_size;
}

int kuid_fd(const struct kuid *handle)
{
	if (!kuid_handle_is_local(handle))
		return handle->fd;
	errno = EOPNOTSUPP;
	return -1;
}

int kuid_one(struct kuid *handle, void *id)
{
	if (kuid_handle_is_local(handle))
		return kuid_local_make(handle, id, 1) < 0 ? -1 : 0;
	/* The kernel gives whole IDs: one, or an error. */
	return read(handle->fd, id, handle->layout->id_size) < 0 ? -1 : 0;
}

ssize_t kuid_many(struct kuid *handle, void *ids, size_t count)
{
	size_t done = 0;

	if (kuid_handle_is_local(handle))
		return kuid_local_make(handle, ids, count);
	while (done < count) {
		size_t left = count - done;
		struct kuid_generate generate = {
			.buffer =
				(uintptr_t)ids + done * handle->layout->id_size,
			.format = handle->layout->format,
			.count = left < handle->batch_max ? left
							  : handle->batch_max,
		};

		/* As kuid_one() is by read(). */
		pthread_testcancel();
		if (ioctl(handle->fd, KUID_IOC_GENERATE, &generate))
			return done ? (ssize_t)done : -1;
		done += generate.done;
	}
	return done;
}
