// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does to the running machine what a hypervisor does to a clone: changes its
 * generation ID, and has the device VMGENID notify.
 */
#include <linux/acpi.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/sizes.h>

static unsigned long address;
module_param(address, ulong, 0444);
MODULE_PARM_DESC(address, "address of the generation ID");

static u64 *kuid_clone_id;

static int kuid_clone_change(const char *text, const struct kernel_param *kp)
{
	unsigned int word;

	if (!kuid_clone_id || kstrtouint(text, 10, &word) || word > 1)
		return -EINVAL;
	WRITE_ONCE(kuid_clone_id[word], kuid_clone_id[word] + 1);
	return 0;
}

static const struct kernel_param_ops kuid_clone_change_ops = {
	.set = kuid_clone_change,
};
module_param_cb(change, &kuid_clone_change_ops, NULL, 0200);
MODULE_PARM_DESC(change, "increment this word of the ID: 0 or 1");

static int kuid_clone_notify(const char *method, const struct kernel_param *kp)
{
#ifdef CONFIG_ACPI
	acpi_string path = (char *)method;

	if (acpi_disabled ||
	    ACPI_FAILURE(acpi_evaluate_object(NULL, path, NULL, NULL)))
		return -ENODEV;
	/* The handlers of the notification run in a queue. */
	acpi_os_wait_events_complete();
	return 0;
#else
	return -ENODEV;
#endif
}

static const struct kernel_param_ops kuid_clone_notify_ops = {
	.set = kuid_clone_notify,
};
module_param_cb(notify, &kuid_clone_notify_ops, NULL, 0200);
MODULE_PARM_DESC(notify,
		 "run this method of the firmware, and wait for all handlers");

static int __init kuid_clone_init(void)
{
	kuid_clone_id = memremap(address, SZ_16, MEMREMAP_WB);
	return kuid_clone_id ? 0 : -ENXIO;
}

static void __exit kuid_clone_exit(void)
{
	memunmap(kuid_clone_id);
}

module_init(kuid_clone_init);
module_exit(kuid_clone_exit);

MODULE_DESCRIPTION("Changes the generation ID of a virtual machine");
MODULE_LICENSE("GPL");
