/* SPDX-License-Identifier: GPL-2.0-only */
/* The page that programs with private lanes map. */
#ifndef PRIVATE_H
#define PRIVATE_H

#include "dev_kuid.h"

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

#endif /* PRIVATE_H */
