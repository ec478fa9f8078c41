/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes for private lanes, and the page that programs with such lanes map. */
#ifndef PRIVATE_H
#define PRIVATE_H

#include "dev_kuid.h"

/* A 32-bit program gets no nodes. */
#ifdef __LP64__
#define HAS_LANES	true
#else
#define HAS_LANES	false
#endif

/* Get a node. The fields that the kernel sets hold other values before. */
static inline int get_lane(int fd, struct kuid_private_lane *lane)
{
	memset(lane, POISON, sizeof(*lane));
	lane->flags = 0;
	lane->reserved0 = 0;
	memset(lane->reserved, 0, sizeof(lane->reserved));
	return ioctl(fd, KUID_IOC_PRIVATE_LANE, lane) ? -errno : 0;
}

/* Map the page as programs do. Returns MAP_FAILED on failure. */
static inline const struct kuid_page *map_page(int fd)
{
	return mmap(NULL, KUID_PAGE_SIZE, PROT_READ, MAP_SHARED, fd,
		    KUID_PAGE_OFFSET);
}

static inline int unmap_page(const struct kuid_page *page)
{
	return munmap((void *)page, KUID_PAGE_SIZE) ? -errno : 0;
}

/* The generation, read as programs must. */
static inline __u64 generation_of(const struct kuid_page *page)
{
	return __atomic_load_n(&page->generation, __ATOMIC_ACQUIRE);
}

/* Whether a program may use IDs of the lane that it has made before. */
static inline bool is_in_use(const struct kuid_private_lane *lane,
			     const struct kuid_page *page)
{
	return generation_of(page) == lane->generation;
}

#endif /* PRIVATE_H */
