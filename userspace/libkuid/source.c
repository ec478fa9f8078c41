// SPDX-License-Identifier: MIT
/* A source: an open kuid device and what the kernel says of its format. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "layout.h"
#include "source.h"

#define KUID_DEVICE	 "/dev/kuid"
#define KUID_FORMATS_DIR "/dev/kuids/"

/* Each format has a node of its own, so that reads give it too. */
static int kuid_open_device(const struct kuid_layout *layout)
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

struct kuid *kuid_open(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);
	struct kuid_query query = { .format = format };
	struct kuid *source;
	int err;

	if (!layout)
		return NULL;
	if (format == KUID_ANY_UUID) {
		errno = EINVAL;
		return NULL;
	}
	source = malloc(sizeof(*source));
	if (!source)
		return NULL;
	source->fd = kuid_open_device(layout);
	if (source->fd < 0)
		goto free;
	if (ioctl(source->fd, KUID_IOC_QUERY, &query))
		goto close;
	source->format = query.format;
	source->id_size = query.id_size;
	source->batch_max = query.batch_max;
	return source;

close:
	err = errno;
	close(source->fd);
	errno = err;
free:
	free(source);
	return NULL;
}

void kuid_close(struct kuid *source)
{
	int err = errno;

	if (!source)
		return;
	close(source->fd);
	free(source);
	errno = err;
}

size_t kuid_id_size(const struct kuid *source)
{
	return source->id_size;
}

int kuid_one(struct kuid *source, void *id)
{
	/* The kernel gives whole IDs: one, or an error. */
	return read(source->fd, id, source->id_size) < 0 ? -1 : 0;
}

ssize_t kuid_many(struct kuid *source, void *ids, size_t count)
{
	size_t done = 0;

	while (done < count) {
		size_t left = count - done;
		struct kuid_generate generate = {
			.buffer = (uintptr_t)ids + done * source->id_size,
			.format = source->format,
			.count = left < source->batch_max ? left
							  : source->batch_max,
		};

		if (ioctl(source->fd, KUID_IOC_GENERATE, &generate))
			return done ? (ssize_t)done : -1;
		done += generate.done;
	}
	return done;
}
