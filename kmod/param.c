// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module parameters: their syntax, limits and defaults. They are set when
 * the module is loaded and can't be changed later. epochs.c puts them into use,
 * chrdev.c the group.
 *
 * Those with permission 0 are not in sysfs, because the device's attributes
 * show them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <uapi/linux/kuid.h>

#include "core/clock.h"
#include "core/node.h"
#include "param.h"

/**
 * struct kuid_param - a parameter: a number, or a word in place of it
 * @words: the words that are valid, and their KUID_FROM_* or flag
 * @digits: a hexadecimal number has up to this many; 0 for a decimal number
 * @min: the lowest valid number
 * @max: the highest valid number
 * @choice: the value; the default until the parameter is set
 */
struct kuid_param {
	struct {
		const char *name;
		u32 from;
	} words[2];
	unsigned int digits;
	u64 min;
	u64 max;
	struct kuid_choice choice;
};

static bool kuid_param_parse(const struct kuid_param *param, const char *text,
			     u64 *value)
{
	size_t size = strlen(text);
	size_t i;

	/* kstrtou64() would also accept 0x and a sign. */
	for (i = 0; i < size; i++)
		if (!isxdigit(text[i]))
			return false;
	return !(param->digits && size > param->digits) &&
	       !kstrtou64(text, param->digits ? 16 : 10, value) &&
	       *value >= param->min && *value <= param->max;
}

static int kuid_param_set(const char *text, const struct kernel_param *kp)
{
	struct kuid_param *param = kp->arg;
	const char *first = param->words[0].name;
	const char *second = param->words[1].name;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(param->words); i++) {
		if (param->words[i].name &&
		    !strcmp(text, param->words[i].name)) {
			param->choice.from = param->words[i].from;
			return 0;
		}
	}
	if (kuid_param_parse(param, text, &param->choice.value)) {
		param->choice.from = KUID_FROM_GIVEN;
		return 0;
	}
	if (param->digits)
		pr_err("%s=%s: must be %s, %s or up to %u hexadecimal digits\n",
		       kp->name, text, first, second, param->digits);
	else if (param->min > param->max)
		pr_err("%s=%s: must be %s or %s\n", kp->name, text, first,
		       second);
	else
		pr_err("%s=%s: must be %s%s%llu to %llu\n", kp->name, text,
		       first ?: "", first ? " or " : "", param->min,
		       param->max);
	return -EINVAL;
}

static int kuid_param_get(char *text, const struct kernel_param *kp)
{
	const struct kuid_param *param = kp->arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(param->words); i++)
		if (param->words[i].name &&
		    param->choice.from == param->words[i].from)
			return sprintf(text, "%s\n", param->words[i].name);
	if (param->digits)
		return sprintf(text, "%0*llx\n", param->digits,
			       param->choice.value);
	return sprintf(text, "%llu\n", param->choice.value);
}

static const struct kernel_param_ops kuid_param_ops = {
	.set = kuid_param_set,
	.get = kuid_param_get,
};

static struct kuid_param kuid_max_ahead = {
	.min = 1,
	.max = 1000,
	.choice.value = KUID_MAX_AHEAD_MS,
};

module_param_cb(max_ahead_ms, &kuid_param_ops, &kuid_max_ahead, 0);
MODULE_PARM_DESC(max_ahead_ms,
		 "ms that IDs may be ahead of the clock: 1 to 1000 (100)");

static struct kuid_param kuid_step_limit = {
	.max = 3600 * 1000,
	.choice.value = KUID_STEP_LIMIT_MS,
};

module_param_cb(step_limit_ms, &kuid_param_ops, &kuid_step_limit, 0);
MODULE_PARM_DESC(step_limit_ms,
		 "ms of lag above which an epoch begins: 0 to 3600000 (10000)");

static struct kuid_param kuid_interval = {
	.min = KUID_INTERVAL_MIN,
	.max = KUID_INTERVAL_MAX,
	.choice.value = KUID_INTERVAL_DEFAULT,
};

module_param_cb(interval, &kuid_param_ops, &kuid_interval, 0);
MODULE_PARM_DESC(interval, "I of k96 and k128: 5 to 10, default 8");

/* No clock of the kernel reaches a later epoch. */
static struct kuid_param kuid_snowflake_epoch = {
	.max = KUID_TIME_MAX_NS / NSEC_PER_MSEC,
	.choice.value = KUID_SNOWFLAKE_EPOCH_DEFAULT,
};

module_param_cb(snowflake_epoch_ms, &kuid_param_ops, &kuid_snowflake_epoch,
		0444);
MODULE_PARM_DESC(snowflake_epoch_ms,
		 "ms since 1970 that snowflake counts from (1288834974657)");

static struct kuid_param kuid_node = {
	.words = { { "random", KUID_FROM_RANDOM }, { "mac", KUID_FROM_MAC } },
	.digits = KUID_NODE_BITS / 4,
	.max = U64_MAX,
	.choice.from = KUID_FROM_RANDOM,
};

module_param_cb(node, &kuid_param_ops, &kuid_node, 0444);
MODULE_PARM_DESC(node,
		 "node of v1 and v6: random (default), mac or 48 bits in hex");

static struct kuid_param kuid_worker = {
	.words = { { "host", KUID_FROM_HOST }, { "random", KUID_FROM_RANDOM } },
	.digits = 64 / 4,
	.max = U64_MAX,
	.choice.from = KUID_FROM_HOST,
};

module_param_cb(worker, &kuid_param_ops, &kuid_worker, 0444);
MODULE_PARM_DESC(worker,
		 "lex, k96, k128: host (default), random or 64 bits in hex");

static struct kuid_param kuid_snowflake = {
	.words = { { "worker", KUID_FROM_WORKER } },
	.max = KUID_SNOWFLAKE_WORKER_MAX,
	.choice.from = KUID_FROM_WORKER,
};

module_param_cb(snowflake_worker, &kuid_param_ops, &kuid_snowflake, 0444);
MODULE_PARM_DESC(snowflake_worker,
		 "worker of snowflake: 0 to 1023, or worker (default)");

/* Numbers are not valid: @max is below @min. */
static struct kuid_param kuid_state = {
	.words = { { "off", false }, { "required", true } },
	.min = 1,
};

module_param_cb(state, &kuid_param_ops, &kuid_state, 0);
MODULE_PARM_DESC(state, "off (default), or required: wait for saved state");

static struct kuid_param kuid_gid = {
	.max = U32_MAX - 1,
};

module_param_cb(gid, &kuid_param_ops, &kuid_gid, 0);
MODULE_PARM_DESC(gid, "number of the group of the device files (0)");

/**
 * kuid_param_gid - the group of the device files
 *
 * Context: any, once the module is loaded. Does not sleep.
 * Return: its number in the initial user namespace.
 */
u32 kuid_param_gid(void)
{
	return kuid_gid.choice.value;
}

/**
 * kuid_param_read - read the module parameters
 * @params: output, all fields are set
 *
 * Context: module load. Does not sleep.
 */
void kuid_param_read(struct kuid_params *params)
{
	*params = (struct kuid_params) {
		.max_ahead_ns = kuid_max_ahead.choice.value * NSEC_PER_MSEC,
		.step_limit_ns = kuid_step_limit.choice.value * NSEC_PER_MSEC,
		.state_required = kuid_state.choice.from,
		.choices = {
			.node = kuid_node.choice,
			.worker = kuid_worker.choice,
			.snowflake = kuid_snowflake.choice,
			.snowflake_epoch = kuid_snowflake_epoch.choice.value,
			.interval = kuid_interval.choice.value,
		},
	};
}
