/* SPDX-License-Identifier: MIT */
/* IDs from the device of a format, for the library's own files. */
#ifndef KUID_DEVICE_H
#define KUID_DEVICE_H

#include "handle.h"

/* A file descriptor; -1 and ENODEV if there is no such device. */
int kuid_device_open(const struct kuid_layout *layout);

/*
 * Send a command to the kernel: 0, or -1 and errno, which is ENODEV if the file
 * is not the module's, and ENOTTY if the module doesn't know the command.
 */
int kuid_device_ask(int fd, unsigned long command, void *request);

/*
 * Whether the handle's descriptor is still the file that it was opened as. If a
 * program closes the file behind the library's back, as by closefrom(), the
 * descriptor may be another file: false and EBADF. Another open file of the
 * same device file looks the same.
 */
bool kuid_device_is_open(const struct kuid *handle);

/* As kuid_one() and kuid_make(), by the device of the handle. */
int kuid_device_one(struct kuid *handle, void *id);
ssize_t kuid_device_make(struct kuid *handle, const struct kuid_layout *layout,
			 unsigned int order, unsigned int flags, void *ids,
			 size_t count);

#endif /* KUID_DEVICE_H */
