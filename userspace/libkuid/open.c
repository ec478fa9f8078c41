// SPDX-License-Identifier: MIT
/* Opening, using and closing handles. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device.h"
#include "handle.h"
#include "private.h"

static int open_device(struct kuid *handle)
{
	struct kuid_query query = { .format = handle->layout->format };
	struct stat file;
	int err;

	handle->fd = kuid_device_open(handle->layout);
	if (handle->fd < 0)
		return -1;
	if (fstat(handle->fd, &file) ||
	    kuid_device_ask(handle->fd, KUID_IOC_QUERY, &query)) {
		err = errno;
		close(handle->fd);
		errno = err;
		return -1;
	}
	handle->one = kuid_device_one;
	handle->batch_max = query.batch_max;
	handle->file_system = file.st_dev;
	handle->inode = file.st_ino;
	return 0;
}

static int open_local(struct kuid *handle)
{
	handle->fd = -1;
	return kuid_private_open(handle);
}

static int open_handle(struct kuid *handle, unsigned int flags)
{
	int err;

	if (flags & KUID_LOCAL)
		return open_local(handle);
	if (!open_device(handle)) {
		if (!(flags & KUID_PRIVATE) || !kuid_private_open(handle))
			return 0;
		err = errno;
		close(handle->fd);
		errno = err;
		return -1;
	}
	if (!(flags & KUID_OR_LOCAL) || errno != ENODEV)
		return -1;
	if (!open_local(handle))
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
	int err = errno;
	int cancel;

	if (!layout)
		return NULL;
	/* A local handle has no device, so the others say nothing about it. */
	if (flags & ~(KUID_LOCAL | KUID_OR_LOCAL | KUID_PRIVATE) ||
	    (flags & KUID_LOCAL && flags != KUID_LOCAL)) {
		errno = EINVAL;
		return NULL;
	}
	/* A cancelled thread would leak the handle. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	/* glibc's malloc() has freed memory at hand, its calloc() has not. */
	handle = malloc(sizeof(*handle));
	if (handle) {
		handle->layout = layout;
		handle->private = NULL;
		handle->epochs = 0;
	}
	if (!handle || open_handle(handle, flags)) {
		err = errno;
		free(handle);
		handle = NULL;
	}
	pthread_setcancelstate(cancel, NULL);
	errno = err;
	return handle;
}

struct kuid *kuid_open(unsigned int format)
{
	return kuid_open_flags(format, 0);
}

void kuid_close(struct kuid *handle)
{
	int err = errno;

	if (!handle)
		return;
	if (handle->private)
		kuid_private_close(handle);
	/* Not by close(), which is a cancellation point. */
	if (!kuid_handle_is_local(handle) && kuid_device_is_open(handle))
		syscall(SYS_close, handle->fd);
	free(handle);
	errno = err;
}

size_t kuid_id_size(const struct kuid *handle)
{
	return handle->layout->row->id_size;
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
	return handle->one(handle, id);
}

ssize_t kuid_make(struct kuid *handle, unsigned int format, unsigned int order,
		  unsigned int flags, void *ids, size_t count)
{
	const struct kuid_layout *layout = format ? kuid_layout_made(format)
						  : handle->layout;

	if (!layout)
		return -1;
	if (flags & ~KUID_NOWAIT) {
		errno = EINVAL;
		return -1;
	}
	return handle->private ? kuid_private_make(handle, layout, order, flags,
						   ids, count)
			       : kuid_device_make(handle, layout, order, flags,
						  ids, count);
}

ssize_t kuid_many(struct kuid *handle, void *ids, size_t count)
{
	return kuid_make(handle, KUID_FORMAT_DEFAULT, KUID_ORDER_DEFAULT, 0,
			 ids, count);
}
