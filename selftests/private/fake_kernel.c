// SPDX-License-Identifier: MIT
/* See fake_kernel.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fake_kernel.h"

/* A node is the multicast bit, half of the generation, and a number. */
#define MULTICAST	 (1ULL << 40)
#define GENERATION_SHIFT 24
#define GENERATION_MASK	 0xffff

int __wrap_open(const char *path, int flags, mode_t mode);
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_ioctl(int fd, unsigned long request, void *data);
int __real_ioctl(int fd, unsigned long request, void *data);
ssize_t __wrap_read(int fd, void *data, size_t size);
ssize_t __real_read(int fd, void *data, size_t size);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset);

struct fake_kernel fake_kernel;

static int page_fd = -1;

/* The file of vmclock between open() and mmap(). */
static _Thread_local int vmclock_fd = -1;

/*
 * The format of each open file. Atomic, because threads can get the same file
 * number one after the other.
 */
static atomic_uchar formats[1024];

static void start(void)
{
	page_fd = memfd_create("page", MFD_CLOEXEC);
	if (page_fd < 0 || ftruncate(page_fd, sizeof(*fake_kernel.shared)) < 0)
		abort();
	fake_kernel.shared = __real_mmap(NULL, sizeof(*fake_kernel.shared),
					 PROT_READ | PROT_WRITE, MAP_SHARED,
					 page_fd, 0);
	if (fake_kernel.shared == MAP_FAILED)
		abort();
	fake_kernel.shared->page.generation = 2;
}

void fake_kernel_reset(void)
{
	struct fake_shared *shared = fake_kernel.shared;

	if (!shared) {
		start();
		shared = fake_kernel.shared;
	}
	fake_kernel = (struct fake_kernel) {
		.shared = shared,
		.max_ahead = 100000000,
		.step_limit = 10000000000,
	};
	shared->page.version = KUID_PAGE_VERSION;
	shared->page.size = sizeof(shared->page);
	shared->vmclock[FAKE_VMCLOCK_MAGIC] = 0x10004b4c4356;
	shared->vmclock[FAKE_VMCLOCK_VERSION] = 1;
	shared->vmclock[FAKE_VMCLOCK_FLAGS] = 1 << 8;
	shared->ids = 0;
	shared->foreign = 0;
	shared->refused = 0;
}

uint64_t fake_kernel_generation(void)
{
	return __atomic_load_n(&fake_kernel.shared->page.generation,
			       __ATOMIC_ACQUIRE);
}

void fake_kernel_step(void)
{
	__atomic_add_fetch(&fake_kernel.shared->page.generation, 1,
			   __ATOMIC_SEQ_CST);
}

void fake_kernel_change(void)
{
	fake_kernel_step();
	fake_kernel_step();
}

void fake_kernel_clone(void)
{
	fake_kernel.shared->vmclock[FAKE_VMCLOCK_GENERATION]++;
}

uint64_t fake_kernel_generation_of(uint64_t node)
{
	return (node >> GENERATION_SHIFT & GENERATION_MASK) * 2;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static bool is_device(int fd)
{
	struct stat file;

	return !fstat(fd, &file) && S_ISCHR(file.st_mode) &&
	       file.st_rdev == makedev(1, 3);
}

static int open_device(int flags, int format)
{
	int fd;

	/* The real function does the same. */
	pthread_testcancel();
	if (fake_kernel.open_errno)
		return fail(fake_kernel.open_errno);
	fd = __real_open("/dev/null", flags, 0);
	if (fd < 0 || fd >= (int)sizeof(formats))
		abort();
	formats[fd] = format;
	return fd;
}

/* The real function's argument after the flags may be missing. */
int __wrap_open(const char *path, int flags, mode_t mode)
{
	if (!strcmp(path, KUID_VMCLOCK_DEVICE)) {
		if (!fake_kernel.has_vmclock)
			return fail(ENOENT);
		vmclock_fd = fcntl(page_fd, F_DUPFD_CLOEXEC, 0);
		return vmclock_fd;
	}
	for (int format = 1; kuid_format_name(format); format++)
		if (!strcmp(path, kuid_format_device(format)))
			return open_device(flags, format);
	return __real_open(path, flags, mode);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset)
{
	if (fd >= 0 && fd == vmclock_fd) {
		offset += offsetof(struct fake_shared, vmclock);
		vmclock_fd = -1;
	}
	if (fd < 0 || !is_device(fd))
		return __real_mmap(address, size, protection, flags, fd,
				   offset);
	errno = fake_kernel.mmap_errno;
	if (protection != PROT_READ || flags != MAP_SHARED ||
	    size != KUID_PAGE_SIZE || offset != KUID_PAGE_OFFSET)
		errno = EINVAL;
	if (errno)
		return MAP_FAILED;
	return __real_mmap(address, size, protection, flags, page_fd, 0);
}

/* Does what kuid_generator_private_node() does. */
static int hand_out(struct kuid_private_lane *lane)
{
	struct fake_shared *shared = fake_kernel.shared;
	const struct kuid_private_lane zero = { 0 };
	uint64_t generation, number;
	int error;

	if (memcmp(lane, &zero, sizeof(zero)))
		return fail(EINVAL);
	error = __atomic_load_n(&fake_kernel.lane_errno, __ATOMIC_RELAXED);
	if (error) {
		__atomic_add_fetch(&shared->refused, 1, __ATOMIC_RELAXED);
		return fail(error);
	}
	for (;;) {
		generation = fake_kernel_generation();
		number =
			__atomic_add_fetch(&shared->nodes, 1, __ATOMIC_SEQ_CST);
		if (!(generation & 1) && fake_kernel_generation() == generation)
			break;
		sched_yield();
	}
	lane->node = MULTICAST | generation / 2 << GENERATION_SHIFT | number;
	lane->generation = generation;
	lane->epoch = generation / 2;
	lane->load_id = 0x10ad;
	lane->max_ahead_ns = fake_kernel.max_ahead;
	lane->step_limit_ns = fake_kernel.step_limit;
	return 0;
}

static int make(int format, unsigned char *ids, size_t count)
{
	const size_t size = kuid_format_id_size(format);

	pthread_testcancel();
	if (fake_kernel.make_errno)
		return fail(fake_kernel.make_errno);
	for (; count; count--, ids += size) {
		uint64_t number = __atomic_add_fetch(&fake_kernel.shared->ids,
						     1, __ATOMIC_RELAXED);

		kuid_lowest(format, ids);
		for (size_t i = 1; i <= 5; i++, number >>= 8)
			ids[size - i] = number;
	}
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, void *data)
{
	struct kuid_generate *generate = data;
	struct kuid_query *query = data;
	int ret, err;

	if (!is_device(fd)) {
		__atomic_add_fetch(&fake_kernel.shared->foreign, 1,
				   __ATOMIC_RELAXED);
		return __real_ioctl(fd, request, data);
	}
	switch (request) {
	case KUID_IOC_QUERY:
		query->batch_max = 100;
		return 0;
	case KUID_IOC_GENERATE:
		generate->done = generate->count;
		return make(generate->format ? (int)generate->format
					     : formats[fd],
			    (unsigned char *)(uintptr_t)generate->buffer,
			    generate->count);
	case KUID_IOC_PRIVATE_LANE:
		if (fake_kernel.asked)
			fake_kernel.asked();
		ret = hand_out(data);
		err = errno;
		if (fake_kernel.asked)
			fake_kernel.asked();
		errno = err;
		return ret;
	default:
		return fail(ENOTTY);
	}
}

ssize_t __wrap_read(int fd, void *data, size_t size)
{
	int format;

	if (!is_device(fd))
		return __real_read(fd, data, size);
	format = formats[fd];
	return make(format, data, size / kuid_format_id_size(format))
		       ? -1
		       : (ssize_t)size;
}
