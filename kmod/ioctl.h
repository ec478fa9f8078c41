/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands of <linux/kuid.h>; reads and polls are in chrdev.c. */
#ifndef KUID_IOCTL_H
#define KUID_IOCTL_H

struct file;

long kuid_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

#endif /* KUID_IOCTL_H */
