// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading, in order and in reverse. */
#include <linux/module.h>

#include "chrdev.h"
#include "epoch.h"
#include "version.h"

static int __init kuid_init(void)
{
	return kuid_chr_init();
}

static void __exit kuid_exit(void)
{
	kuid_chr_exit();
	kuid_epoch_exit();
}

module_init(kuid_init);
module_exit(kuid_exit);

MODULE_DESCRIPTION("Time-ordered unique IDs for the whole host");
MODULE_AUTHOR("The kuid developers");
MODULE_VERSION(KUID_VERSION);
MODULE_LICENSE("GPL");
