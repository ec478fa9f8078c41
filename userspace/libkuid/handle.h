/* SPDX-License-Identifier: MIT */
/* The handle, for the library's own files. */
#ifndef KUID_HANDLE_H
#define KUID_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/generator.h"
#include "layout.h"

/**
 * struct kuid - a handle
 * @fd: of the device; negative if IDs are made in this process
 * @layout: layout of its format
 * @batch_max: how many IDs the device makes at once
 * @watermarks: the highest IDs that a local handle has given
 */
struct kuid {
	int fd;
	const struct kuid_layout *layout;
	size_t batch_max;
	struct kuid_watermarks watermarks;
};

static inline bool kuid_handle_is_local(const struct kuid *handle)
{
	return handle->fd < 0;
}

#endif /* KUID_HANDLE_H */
