/* SPDX-License-Identifier: GPL-2.0-only */
/* The sysfs attributes of the first device. chrdev.c creates the device. */
#ifndef KUID_SYSFS_H
#define KUID_SYSFS_H

#include <linux/init.h>
#include <linux/sysfs.h>

extern const struct attribute_group *kuid_sysfs_groups[];

void __init kuid_sysfs_init(void);

#endif /* KUID_SYSFS_H */
