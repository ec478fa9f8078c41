/* SPDX-License-Identifier: MIT */
/* The device of a format, for the library's own files. */
#ifndef KUID_DEVICE_H
#define KUID_DEVICE_H

#include "layout.h"

/* NULL and EINVAL for what is no format that IDs are made in. */
const struct kuid_format *kuid_device_layout(unsigned int format);

/* A file descriptor; -1 and ENODEV if there is no such device. */
int kuid_device_open(const struct kuid_format *layout);

#endif /* KUID_DEVICE_H */
