/* SPDX-License-Identifier: GPL-2.0-only */
/* Capabilities of the calling thread. */
#ifndef CAPABILITIES_H
#define CAPABILITIES_H

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Give up all capabilities but those of a set of bits. */
static inline bool keep_capabilities(__u64 set)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = set, .permitted = set },
		{ .effective = set >> 32, .permitted = set >> 32 },
	};

	return !syscall(SYS_capset, &header, data);
}

#endif /* CAPABILITIES_H */
