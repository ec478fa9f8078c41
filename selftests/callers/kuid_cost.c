// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls kuid_ids_generate() as often as is written into the parameter "calls",
 * for one ID each, so that a program can count the instructions.
 */
#include <linux/kernel.h>
#include <linux/kuid.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static unsigned int format = KUID_FORMAT_V1;
module_param(format, uint, 0644);
MODULE_PARM_DESC(format, "KUID_FORMAT_* (v1)");

static int kuid_cost_call(const char *text, const struct kernel_param *param)
{
	unsigned int calls;
	int ret = kstrtouint(text, 0, &calls);
	ssize_t got;
	u64 id[2];

	while (!ret && calls--) {
		got = kuid_ids_generate(format, KUID_ORDER_CPU, id, 1);
		if (got != 1)
			ret = got ? got : -EIO;
	}
	return ret;
}

static const struct kernel_param_ops kuid_cost_ops = {
	.set = kuid_cost_call,
};

module_param_cb(calls, &kuid_cost_ops, NULL, 0200);
MODULE_PARM_DESC(calls, "make so many calls now");

MODULE_DESCRIPTION("Takes IDs of kuid in kernel code, to be measured");
MODULE_LICENSE("GPL");
