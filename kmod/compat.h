/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels the module builds for: 6.1 and later. */
#ifndef KUID_COMPAT_H
#define KUID_COMPAT_H

#include <linux/version.h>

/* The device that class.devnode() is given became const in 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define kuid_compat_devnode_const
#else
#define kuid_compat_devnode_const const
#endif

#endif /* KUID_COMPAT_H */
