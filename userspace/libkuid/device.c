// SPDX-License-Identifier: MIT
/* The device of a format, and one ID from it with nothing kept. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"

int kuid_device_open(const struct kuid_layout *layout)
{
	int fd = open(layout->device, O_RDONLY | O_CLOEXEC);

	/* A missing device file and one without a driver are the same to users.
	 */
	if (fd < 0 && (errno == ENOENT || errno == ENXIO))
		errno = ENODEV;
	return fd;
}

int kuid_device_one(struct kuid *handle, void *id)
{
	/* The kernel gives whole IDs: one, or an error. */
	return read(handle->fd, id, handle->layout->id_size) < 0 ? -1 : 0;
}

ssize_t kuid_device_many(struct kuid *handle, void *ids, size_t count)
{
	size_t done = 0;

	while (done < count) {
		size_t left = count - done;
		struct kuid_generate generate = {
			.buffer =
				(uintptr_t)ids + done * handle->layout->id_size,
			.format = handle->layout->format,
			.count = left < handle->batch_max ? left
							  : handle->batch_max,
		};

		/* As kuid_device_one() is by read(). */
		pthread_testcancel();
		if (ioctl(handle->fd, KUID_IOC_GENERATE, &generate))
			return done ? (ssize_t)done : -1;
		done += generate.done;
	}
	return done;
}

int kuid_now(unsigned int format, void *id)
{
	const struct kuid_layout *layout = kuid_layout_made(format);
	int fd, cancel, err, ret = -1;

	if (!layout)
		return -1;
	/* No file is left open behind a thread that was cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fd = kuid_device_open(layout);
	if (fd >= 0) {
		/* The kernel gives whole IDs: one, or an error. */
		ret = read(fd, id, layout->id_size) < 0 ? -1 : 0;
		err = errno;
		close(fd);
		errno = err;
	}
	pthread_setcancelstate(cancel, NULL);
	return ret;
}
