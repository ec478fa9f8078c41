/* SPDX-License-Identifier: GPL-2.0-only */
/* A page that is missing until a test provides it: a store there sleeps. */
#ifndef MISSING_PAGE_H
#define MISSING_PAGE_H

#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#include "dev_kuid.h"

#define USERFAULTFD	"/proc/sys/vm/unprivileged_userfaultfd"
#define NO_USERFAULTFD	"the kernel has no userfaultfd"

/* Map the page at *@to. Returns a userfaultfd, or a negative errno. */
static inline int map_missing_page(void **to)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	size_t page = sysconf(_SC_PAGESIZE);
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*to = mmap(NULL, page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	missing.range.start = (uintptr_t)*to;
	missing.range.len = page;
	if (*to == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &missing))
		return -EIO;
	return fd;
}

/* Wait until somebody sleeps because the page is missing. */
static inline bool wait_for_fault(int fd)
{
	struct uffd_msg fault;

	return read(fd, &fault, sizeof(fault)) == sizeof(fault);
}

static inline int provide_page(int fd, void *to)
{
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)to, sysconf(_SC_PAGESIZE) },
	};

	return ioctl(fd, UFFDIO_ZEROPAGE, &zero) ? -errno : 0;
}

#endif /* MISSING_PAGE_H */
