/* SPDX-License-Identifier: MIT */
/* What a handle is to the library's own files. */
#ifndef KUID_HANDLE_H
#define KUID_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/generator.h"

/**
 * struct kuid - a handle
 * @fd: of the device; negative if IDs are made in this process
 * @format: KUID_FORMAT_*, never 0
 * @id_size: bytes of one ID
 * @batch_max: how many IDs the device makes at once
 * @watermarks: what was made of it in this process
 */
struct kuid {
	int fd;
	unsigned int format;
	size_t id_size;
	size_t batch_max;
	struct kuid_watermarks watermarks;
};

static inline bool kuid_handle_is_local(const struct kuid *handle)
{
	return handle->fd < 0;
}

#endif /* KUID_HANDLE_H */
