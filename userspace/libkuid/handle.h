/* SPDX-License-Identifier: MIT */
/* The handle, for the library's own files. */
#ifndef KUID_HANDLE_H
#define KUID_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/port.h"
#include "layout.h"

struct kuid_private;

/**
 * struct kuid - a handle
 * @one: makes one ID, as kuid_one(): one function for each place where IDs are
 *	made and each format, so that kuid_one() has nothing to look up
 * @fd: of the device; negative if the handle is local
 * @file_system: of @fd, if that is set
 * @inode: of @fd, if that is set; see kuid_device_is_open()
 * @layout: layout of its format
 * @batch_max: how many IDs the device makes at once
 * @private: the lane, if this process makes the IDs; NULL if the device does
 * @generation: the generation that lanes are compared with
 * @vmclock: a number of the hypervisor's that lanes are compared with, too; see
 *	vmclock.h
 * @epochs: how many lanes the handle has had, in this process and those that
 *	forked it, and how often the device has taken over
 */
struct kuid {
	int (*one)(struct kuid *handle, void *id);
	int fd;
	dev_t file_system;
	ino_t inode;
	const struct kuid_layout *layout;
	size_t batch_max;
	struct kuid_private *private;
	const u64 *generation;
	const u64 *vmclock;
	u64 epochs;
};

static inline bool kuid_handle_is_local(const struct kuid *handle)
{
	return handle->fd < 0;
}

#endif /* KUID_HANDLE_H */
