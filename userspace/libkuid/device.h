/* SPDX-License-Identifier: MIT */
/* The device of a format, for the library's own files. */
#ifndef KUID_DEVICE_H
#define KUID_DEVICE_H

#include "layout.h"

/* A file descriptor; -1 and ENODEV if there is no such device. */
int kuid_device_open(const struct kuid_layout *layout);

#endif /* KUID_DEVICE_H */
