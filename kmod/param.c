// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module parameters: their syntax, limits and defaults. They are set when
 * the module is loaded and can't be changed later. epochs.c puts them into use.
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

#include "core/node.h"
#include "core/snapshot.h"
#include "param.h"

/**
 * struct kuid_bounded - a parameter that is a decimal number
 * @value: the number; the default until the parameter is set
 * @min: the lowest valid number
 * @max: the highest valid number
 */
struct kuid_bounded {
	u64 value;
	u64 min;
	u64 max;
};

static int kuid_bounded_set(const char *text, const struct kernel_param *kp)
{
	struct kuid_bounded *bounded = kp->arg;
	u64 value;

	if (kstrtou64(text, 10, &value) || value < bounded->min ||
	    value > bounded->max) {
		pr_err("%s=%s: must be %llu to %llu\n", kp->name, text,
		       bounded->min, bounded->max);
		return -EINVAL;
	}
	bounded->value = value;
	return 0;
}

static int kuid_bounded_get(char *text, const struct kernel_param *kp)
{
	const struct kuid_bounded *bounded = kp->arg;

	return sprintf(text, "%llu\n", bounded->value);
}

static const struct kernel_param_ops kuid_bounded_ops = {
	.set = kuid_bounded_set,
	.get = kuid_bounded_get,
};

static struct kuid_bounded kuid_max_ahead = {
	.value = KUID_MAX_AHEAD_MS,
	.min = 1,
	.max = 1000,
};

static struct kuid_bounded kuid_step_limit = {
	.value = KUID_STEP_LIMIT_MS,
	.min = 0,
	.max = 3600 * 1000,
};

static struct kuid_bounded kuid_interval = {
	.value = KUID_INTERVAL_DEFAULT,
	.min = KUID_INTERVAL_MIN,
	.max = KUID_INTERVAL_MAX,
};

/* No clock of the kernel reaches a later epoch. */
static struct kuid_bounded kuid_snowflake_epoch = {
	.value = KUID_SNOWFLAKE_EPOCH_DEFAULT,
	.min = 0,
	.max = KUID_TIME_MAX_NS / NSEC_PER_MSEC,
};

module_param_cb(max_ahead_ms, &kuid_bounded_ops, &kuid_max_ahead, 0);
MODULE_PARM_DESC(max_ahead_ms,
		 "ms that IDs may be ahead of the clock: 1 to 1000 (100)");
module_param_cb(step_limit_ms, &kuid_bounded_ops, &kuid_step_limit, 0);
MODULE_PARM_DESC(step_limit_ms,
		 "ms of lag above which an epoch begins: 0 to 3600000 (10000)");
module_param_cb(interval, &kuid_bounded_ops, &kuid_interval, 0);
MODULE_PARM_DESC(interval, "I of k96 and k128: 5 to 10, default 8");
module_param_cb(snowflake_epoch_ms, &kuid_bounded_ops, &kuid_snowflake_epoch,
		0444);
MODULE_PARM_DESC(snowflake_epoch_ms,
		 "ms since 1970 that snowflake counts from (1288834974657)");

static bool kuid_state_required;

static int kuid_state_set(const char *text, const struct kernel_param *kp)
{
	if (!strcmp(text, "off")) {
		kuid_state_required = false;
	} else if (!strcmp(text, "required")) {
		kuid_state_required = true;
	} else {
		pr_err("%s=%s: must be off or required\n", kp->name, text);
		return -EINVAL;
	}
	return 0;
}

static const struct kernel_param_ops kuid_state_ops = {
	.set = kuid_state_set,
};

module_param_cb(state, &kuid_state_ops, NULL, 0);
MODULE_PARM_DESC(state, "off (default), or required: wait for saved state");

/**
 * struct kuid_param_part - a parameter for one part of the identity
 * @words: the words that are valid instead of a hexadecimal number
 * @bits: the width of the number, in bits
 * @choice: the parsed value; the default until the parameter is set
 */
struct kuid_param_part {
	struct {
		const char *name;
		u32 from;
	} words[2];
	unsigned int bits;
	struct kuid_choice choice;
};

static struct kuid_param_part kuid_node = {
	.words = { { "random", KUID_FROM_RANDOM }, { "mac", KUID_FROM_MAC } },
	.bits = KUID_NODE_BITS,
	.choice.from = KUID_FROM_RANDOM,
};

static struct kuid_param_part kuid_worker = {
	.words = { { "host", KUID_FROM_HOST }, { "random", KUID_FROM_RANDOM } },
	.bits = 64,
	.choice.from = KUID_FROM_HOST,
};

static bool kuid_part_is_hex(const char *text, unsigned int bits)
{
	size_t size = strlen(text);
	size_t i;

	/* kstrtou64() would also accept 0x and a sign. */
	for (i = 0; i < size; i++)
		if (!isxdigit(text[i]))
			return false;
	return size && size <= bits / 4;
}

static int kuid_part_set(const char *text, const struct kernel_param *kp)
{
	struct kuid_param_part *part = kp->arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(part->words); i++) {
		if (!strcmp(text, part->words[i].name)) {
			part->choice.from = part->words[i].from;
			return 0;
		}
	}
	if (kuid_part_is_hex(text, part->bits) &&
	    !kstrtou64(text, 16, &part->choice.value)) {
		part->choice.from = KUID_FROM_GIVEN;
		return 0;
	}
	pr_err("%s=%s: must be %s, %s or up to %u hexadecimal digits\n",
	       kp->name, text, part->words[0].name, part->words[1].name,
	       part->bits / 4);
	return -EINVAL;
}

static int kuid_part_get(char *text, const struct kernel_param *kp)
{
	const struct kuid_param_part *part = kp->arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(part->words); i++)
		if (part->choice.from == part->words[i].from)
			return sprintf(text, "%s\n", part->words[i].name);
	return sprintf(text, "%0*llx\n", part->bits / 4, part->choice.value);
}

static const struct kernel_param_ops kuid_part_ops = {
	.set = kuid_part_set,
	.get = kuid_part_get,
};

module_param_cb(node, &kuid_part_ops, &kuid_node, 0444);
MODULE_PARM_DESC(node,
		 "node of v1 and v6: random (default), mac or 48 bits in hex");
module_param_cb(worker, &kuid_part_ops, &kuid_worker, 0444);
MODULE_PARM_DESC(worker,
		 "lex, k96, k128: host (default), random or 64 bits in hex");

static struct kuid_choice kuid_snowflake = { .from = KUID_FROM_WORKER };

static int kuid_snowflake_set(const char *text, const struct kernel_param *kp)
{
	unsigned int worker;

	if (!strcmp(text, "worker")) {
		kuid_snowflake.from = KUID_FROM_WORKER;
		return 0;
	}
	if (kstrtouint(text, 10, &worker) ||
	    worker > KUID_SNOWFLAKE_WORKER_MAX) {
		pr_err("%s=%s: must be worker or 0 to %u\n", kp->name, text,
		       KUID_SNOWFLAKE_WORKER_MAX);
		return -EINVAL;
	}
	kuid_snowflake.from = KUID_FROM_GIVEN;
	kuid_snowflake.value = worker;
	return 0;
}

static int kuid_snowflake_get(char *text, const struct kernel_param *kp)
{
	if (kuid_snowflake.from == KUID_FROM_WORKER)
		return sprintf(text, "worker\n");
	return sprintf(text, "%llu\n", kuid_snowflake.value);
}

static const struct kernel_param_ops kuid_snowflake_ops = {
	.set = kuid_snowflake_set,
	.get = kuid_snowflake_get,
};

module_param_cb(snowflake_worker, &kuid_snowflake_ops, NULL, 0444);
MODULE_PARM_DESC(snowflake_worker,
		 "worker of snowflake: 0 to 1023, or worker (default)");

/**
 * kuid_param_read - read the module parameters
 * @params: output, all fields are set
 *
 * Context: module load. Does not sleep.
 */
void kuid_param_read(struct kuid_params *params)
{
	*params = (struct kuid_params) {
		.max_ahead_ns = kuid_max_ahead.value * NSEC_PER_MSEC,
		.step_limit_ns = kuid_step_limit.value * NSEC_PER_MSEC,
		.state_required = kuid_state_required,
		.choices = {
			.node = kuid_node.choice,
			.worker = kuid_worker.choice,
			.snowflake = kuid_snowflake,
			.snowflake_epoch = kuid_snowflake_epoch.value,
			.interval = kuid_interval.value,
		},
	};
}
