// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading: the order in which the parts of the module start and
 * stop. param.c has the module parameters.
 */
#include <linux/module.h>

#include "chrdev.h"
#include "epochs.h"
#include "events.h"
#include "page.h"
#include "reserve.h"
#include "version.h"
#include "vmgen.h"

static int __init kuid_init(void)
{
	int ret;

	kuid_reserve_init();
	ret = kuid_page_init();
	if (ret)
		return ret;
	ret = kuid_epochs_init();
	if (ret)
		goto err_page;
	kuid_vmgen_init();
	ret = kuid_events_init();
	if (ret)
		goto err_vmgen;
	ret = kuid_chr_init();
	if (ret)
		goto err_events;
	return 0;

err_events:
	kuid_events_exit();
err_vmgen:
	kuid_vmgen_exit();
	kuid_epochs_exit();
err_page:
	kuid_page_exit();
	return ret;
}

static void __exit kuid_exit(void)
{
	kuid_chr_exit();
	kuid_events_exit();
	kuid_vmgen_exit();
	kuid_epochs_exit();
	kuid_page_exit();
}

module_init(kuid_init);
module_exit(kuid_exit);

MODULE_DESCRIPTION("Time-ordered unique IDs for the whole host");
MODULE_AUTHOR("The kuid developers");
MODULE_VERSION(KUID_VERSION);
MODULE_LICENSE("GPL");
