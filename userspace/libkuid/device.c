// SPDX-License-Identifier: MIT
/* The device of a format, and one ID from it with nothing kept. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

/*
 * valgrind and MemorySanitizer don't see that the kernel writes IDs by a
 * pointer in a request, so they are told. To valgrind that is a few
 * instructions, which have no effect without it.
 */
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_DEFINED(at, size) ((void)(at))
#endif
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define TELL_SANITIZER(at, size) __msan_unpoison(at, size)
#endif
#endif
#ifndef TELL_SANITIZER
#define TELL_SANITIZER(at, size) ((void)0)
#endif

int kuid_device_open(const struct kuid_layout *layout)
{
	int fd = open(layout->device, O_RDONLY | O_CLOEXEC);

	/* A missing device file and one without a driver are the same to users.
	 */
	if (fd < 0 && (errno == ENOENT || errno == ENXIO))
		errno = ENODEV;
	return fd;
}

int kuid_device_ask(int fd, unsigned long command, void *request)
{
	if (!ioctl(fd, command, request))
		return 0;
	/* Every module has these commands, so the file is another one. */
	if (errno == ENOTTY &&
	    (command == KUID_IOC_QUERY || command == KUID_IOC_GENERATE))
		errno = ENODEV;
	return -1;
}

bool kuid_device_is_open(const struct kuid *handle)
{
	struct stat now;

	if (fstat(handle->fd, &now))
		return false;
	if (now.st_dev == handle->file_system && now.st_ino == handle->inode)
		return true;
	errno = EBADF;
	return false;
}

/* Have the kernel make IDs, as the request says. */
static int generate(int fd, const struct kuid_layout *layout,
		    struct kuid_generate *request)
{
	void *ids = (void *)(uintptr_t)request->buffer;

	if (kuid_device_ask(fd, KUID_IOC_GENERATE, request))
		return -1;
	(void)VALGRIND_MAKE_MEM_DEFINED(ids,
					request->done * layout->row->id_size);
	TELL_SANITIZER(ids, request->done * layout->row->id_size);
	return 0;
}

int kuid_device_one(struct kuid *handle, void *id)
{
	ssize_t size = read(handle->fd, id, handle->layout->row->id_size);

	if (size == handle->layout->row->id_size)
		return 0;
	/* The device gives whole IDs, so the file is another one now. */
	if (size >= 0)
		errno = EIO;
	return -1;
}

ssize_t kuid_device_make(struct kuid *handle, const struct kuid_layout *layout,
			 unsigned int order, unsigned int flags, void *ids,
			 size_t count)
{
	size_t done = 0;

	while (done < count) {
		size_t left = count - done;
		struct kuid_generate request = {
			.buffer = (uintptr_t)ids + done * layout->row->id_size,
			.format = layout->format,
			.order = order,
			.flags = flags & KUID_NOWAIT ? KUID_GENERATE_NOWAIT : 0,
			.count = left < handle->batch_max ? left
							  : handle->batch_max,
		};

		/* As kuid_device_one() is by read(). */
		pthread_testcancel();
		if (generate(handle->fd, layout, &request))
			return done ? (ssize_t)done : -1;
		done += request.done;
	}
	return done;
}

int kuid_now(unsigned int format, void *id)
{
	const struct kuid_layout *layout = kuid_layout_made(format);
	struct kuid_generate request = {
		.buffer = (uintptr_t)id,
		.format = format,
		.count = 1,
	};
	int fd, cancel, err, ret = -1;

	if (!layout)
		return -1;
	/* No file is left open behind a thread that was cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	fd = kuid_device_open(layout);
	if (fd >= 0) {
		/* A read could give the bytes of another file. */
		ret = generate(fd, layout, &request);
		err = errno;
		close(fd);
		errno = err;
	}
	pthread_setcancelstate(cancel, NULL);
	return ret;
}
