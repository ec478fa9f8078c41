// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes, worker and interval come from module parameters; what these leave
 * open is random, or made from the host name for the worker.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "core/lexical.h"
#include "identity.h"

/* The multicast bit: the lowest bit of the first of a node's six bytes. */
#define KUID_NODE_BITS	    48
#define KUID_NODE_MULTICAST BIT_ULL(40)

/**
 * struct kuid_number - a parameter that is a number or says where to get it
 * @words: what may stand in its place; the first is the default
 * @bits: how wide it is
 * @given: it is @value, not @word
 * @word: index into @words
 * @value: the number
 *
 * Written while the module is loaded, before anything reads it.
 */
struct kuid_number {
	const char *words[2];
	unsigned int bits;
	bool given;
	unsigned int word;
	u64 value;
};

static struct kuid_number kuid_node = {
	.words = { "random" },
	.bits = KUID_NODE_BITS,
};

enum {
	KUID_WORKER_HOST,
	KUID_WORKER_RANDOM
};

static struct kuid_number kuid_worker = {
	.words = {
		[KUID_WORKER_HOST] = "host",
		[KUID_WORKER_RANDOM] = "random",
	},
	.bits = 64,
};

static struct kuid_number kuid_k96_node = {
	.words = { "worker" },
	.bits = 32,
};

static struct kuid_number kuid_k128_node = {
	.words = { "worker" },
	.bits = 64,
};

static unsigned int kuid_interval = KUID_INTERVAL_DEFAULT;

static bool kuid_number_is_hex(const char *text, unsigned int bits)
{
	size_t size = strlen(text);
	size_t i;

	/* Neither 0x nor a sign, which kstrtou64() would take. */
	for (i = 0; i < size; i++)
		if (!isxdigit(text[i]))
			return false;
	return size && size <= bits / 4;
}

static int kuid_number_set(const char *text, const struct kernel_param *kp)
{
	struct kuid_number *number = kp->arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(number->words) && number->words[i]; i++) {
		if (!strcmp(text, number->words[i])) {
			number->given = false;
			number->word = i;
			return 0;
		}
	}
	if (kuid_number_is_hex(text, number->bits) &&
	    !kstrtou64(text, 16, &number->value)) {
		number->given = true;
		return 0;
	}
	pr_err("%s=%s: must be %s%s%s or up to %u hexadecimal digits\n",
	       kp->name, text, number->words[0], number->words[1] ? ", " : "",
	       number->words[1] ?: "", number->bits / 4);
	return -EINVAL;
}

static int kuid_number_get(char *text, const struct kernel_param *kp)
{
	const struct kuid_number *number = kp->arg;

	if (!number->given)
		return sprintf(text, "%s\n", number->words[number->word]);
	return sprintf(text, "%0*llx\n", number->bits / 4, number->value);
}

static const struct kernel_param_ops kuid_number_ops = {
	.set = kuid_number_set,
	.get = kuid_number_get,
};

static int kuid_interval_set(const char *text, const struct kernel_param *kp)
{
	unsigned int value;

	if (kstrtouint(text, 10, &value) || value < KUID_INTERVAL_MIN ||
	    value > KUID_INTERVAL_MAX) {
		pr_err("%s=%s: must be %u to %u\n", kp->name, text,
		       KUID_INTERVAL_MIN, KUID_INTERVAL_MAX);
		return -EINVAL;
	}
	kuid_interval = value;
	return 0;
}

static const struct kernel_param_ops kuid_interval_ops = {
	.set = kuid_interval_set,
	.get = param_get_uint,
};

module_param_cb(node, &kuid_number_ops, &kuid_node, 0444);
MODULE_PARM_DESC(node, "node of v1 and v6: random (default) or 48 bits in hex");
module_param_cb(worker, &kuid_number_ops, &kuid_worker, 0444);
MODULE_PARM_DESC(worker,
		 "worker of lex: host (default), random or 64 bits in hex");
module_param_cb(k96_node, &kuid_number_ops, &kuid_k96_node, 0444);
MODULE_PARM_DESC(k96_node, "node of k96: worker (default) or 32 bits in hex");
module_param_cb(k128_node, &kuid_number_ops, &kuid_k128_node, 0444);
MODULE_PARM_DESC(k128_node, "node of k128: worker (default) or 64 bits in hex");
module_param_cb(interval, &kuid_interval_ops, &kuid_interval, 0444);
MODULE_PARM_DESC(interval, "I of k96 and k128: 5 to 10, default 8");

/* Names that say nothing of the host. */
static bool kuid_worker_name_is_common(const char *name)
{
	return !*name || !strcmp(name, "(none)") || !strcmp(name, "localhost");
}

/* Of the host, not of a container: the initial namespace's name. */
static u64 kuid_worker_of_host(void)
{
	const char *nodename = init_utsname()->nodename;
	char name[__NEW_UTS_LEN + 1];

	/*
	 * Its lock is not for modules. A name that changes under our hands is
	 * read again; one that is half changed is as good a worker as any.
	 */
	do {
		memcpy(name, nodename, sizeof(name));
		barrier();
	} while (memcmp(name, nodename, sizeof(name)));
	name[__NEW_UTS_LEN] = '\0';

	if (kuid_worker_name_is_common(name)) {
		pr_notice("host name \"%s\" makes no worker, so it is random\n",
			  name);
		return get_random_u64();
	}
	return kuid_lex_worker(name, strlen(name));
}

static u64 kuid_worker_draw(void)
{
	if (kuid_worker.given)
		return kuid_worker.value;
	if (kuid_worker.word == KUID_WORKER_RANDOM)
		return get_random_u64();
	return kuid_worker_of_host();
}

/**
 * kuid_identity_draw - make the identity of a new epoch
 * @identity: set in all of it
 *
 * Context: any in which the kernel's random generator may be used, which must
 * be ready. Does not sleep.
 */
void kuid_identity_draw(struct kuid_identity *identity)
{
	u64 worker = kuid_worker_draw();

	*identity = (struct kuid_identity) {
		.node = kuid_node.given
				? kuid_node.value
				: (get_random_u64() >> (64 - KUID_NODE_BITS)) |
					  KUID_NODE_MULTICAST,
		.worker = worker,
		.node128 = kuid_k128_node.given ? kuid_k128_node.value : worker,
		.node96 = kuid_k96_node.given ? kuid_k96_node.value
					      : worker >> 32 ^ worker,
		.interval = kuid_interval,
		.seq_offset = get_random_u32() % (KUID_SEQ_OFFSET_MAX + 1),
		.lane_scramble = get_random_u32() % KUID_NR_LANES,
	};
}
