/* SPDX-License-Identifier: GPL-2.0-only */
/* The character device: creating and removing it. */
#ifndef KUID_CHRDEV_H
#define KUID_CHRDEV_H

#include <linux/init.h>

int __init kuid_chr_init(void);
void kuid_chr_exit(void);

#endif /* KUID_CHRDEV_H */
