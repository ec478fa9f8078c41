// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "param.h"

static int kuid_bounded_set(const char *text, const struct kernel_param *kp)
{
	struct kuid_bounded *bounded = kp->arg;
	unsigned int value;

	if (kstrtouint(text, 10, &value) || value < bounded->min ||
	    value > bounded->max) {
		pr_err("%s=%s: must be %u to %u\n", kp->name, text,
		       bounded->min, bounded->max);
		return -EINVAL;
	}
	bounded->value = value;
	return 0;
}

static int kuid_bounded_get(char *text, const struct kernel_param *kp)
{
	const struct kuid_bounded *bounded = kp->arg;

	return sprintf(text, "%u\n", bounded->value);
}

const struct kernel_param_ops kuid_bounded_ops = {
	.set = kuid_bounded_set,
	.get = kuid_bounded_get,
};
