// SPDX-License-Identifier: MIT
/* The device of a format, and one ID from it with nothing kept. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "device.h"

#define KUID_DEVICE	 "/dev/kuid"
#define KUID_FORMATS_DIR "/dev/kuids/"

const struct kuid_format *kuid_device_layout(unsigned int format)
{
	if (format == KUID_ANY_UUID) {
		errno = EINVAL;
		return NULL;
	}
	return kuid_layout_of(format);
}

/* Each format has a node of its own, so that reads give it too. */
int kuid_device_open(const struct kuid_format *layout)
{
	char path[sizeof(KUID_FORMATS_DIR) + 8] = KUID_FORMATS_DIR;
	int fd;

	strcat(path, layout->name);
	fd = open(layout->version == 1 ? KUID_DEVICE : path,
		  O_RDONLY | O_CLOEXEC);
	/* No node, and a node that no driver stands behind, are one to users. */
	if (fd < 0 && (errno == ENOENT || errno == ENXIO))
		errno = ENODEV;
	return fd;
}

int kuid_now(unsigned int format, void *id)
{
	const struct kuid_format *layout = kuid_device_layout(format);
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
