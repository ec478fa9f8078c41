/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the generation ID of QEMU's device VMGENID, not by the method that the
 * module asks.
 */
#ifndef GENERATION_ID_H
#define GENERATION_ID_H

#include <endian.h>
#include <glob.h>

#include "dev_kuid.h"

#define GENERATION_ID_AT	40	/* behind the page in the variable VGIA */

/* Find bytes in a file that matches @pattern, and copy those behind them. */
static inline bool find_behind(const char *pattern, const char *bytes,
			       void *to, size_t size)
{
	char content[4096];
	bool found = false;
	glob_t files;
	size_t i;

	if (glob(pattern, 0, NULL, &files))
		return false;
	for (i = 0; i < files.gl_pathc && !found; i++) {
		int fd = open(files.gl_pathv[i], O_RDONLY | O_CLOEXEC);
		ssize_t got = read(fd, content, sizeof(content));
		const char *at = got <= 0 ? NULL :
				 memmem(content, got, bytes, strlen(bytes));

		close(fd);
		if (!at || at + strlen(bytes) + size > content + got)
			continue;
		memcpy(to, at + strlen(bytes), size);
		found = true;
	}
	globfree(&files);
	return found;
}

/* The address of the generation ID; 0 if there is none. */
static inline __u64 generation_address(void)
{
	__u32 page;
	__u64 reg;

	/* The table that describes the device, or its node in a device tree. */
	if (find_behind("/sys/firmware/acpi/tables/SSDT*", "VGIA\x0c", &page,
			sizeof(page)))
		return page + GENERATION_ID_AT;
	if (find_behind("/proc/device-tree/vmgenid*/reg", "", &reg,
			sizeof(reg)))
		return be64toh(reg);
	return 0;
}

#endif /* GENERATION_ID_H */
