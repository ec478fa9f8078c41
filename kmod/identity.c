// SPDX-License-Identifier: GPL-2.0-only
/*
 * The identity of an epoch: node, workers and interval. Module parameters and
 * administrators choose where they come from. This file checks and changes
 * these choices and draws identities from them; epochs.c puts an identity into
 * an epoch.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/kconfig.h>
#include <linux/netdevice.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <net/net_namespace.h>

#include "core/lexical.h"
#include "core/node.h"
#include "core/uuid.h"
#include "identity.h"
#include "vmgen.h"

/*
 * Find the first network interface with a permanent address. Addresses that are
 * random, were set, or were copied from another interface don't count; virtual
 * interfaces have such addresses.
 */
static int kuid_identity_mac(u64 *node)
{
	struct net_device *dev;
	int ret = -ENODEV;

	if (!IS_ENABLED(CONFIG_NET))
		return ret;
	rcu_read_lock();
	for_each_netdev_rcu(&init_net, dev) {
		if (dev->type == ARPHRD_ETHER &&
		    dev->addr_assign_type == NET_ADDR_PERM &&
		    is_valid_ether_addr(dev->dev_addr)) {
			*node = ether_addr_to_u64(dev->dev_addr);
			ret = 0;
			break;
		}
	}
	rcu_read_unlock();
	return ret;
}

/**
 * kuid_identity_init - look up the address for the parameter node=mac
 * @choices: the choices of the module parameters; the node's value is set
 *
 * Context: module load. Does not sleep.
 * Return: 0, also if the node comes from elsewhere; -ENODEV if no network
 * interface has a permanent address.
 */
int __init kuid_identity_init(struct kuid_choices *choices)
{
	if (choices->node.from == KUID_FROM_MAC &&
	    kuid_identity_mac(&choices->node.value)) {
		pr_err("node=mac: no network interface has a permanent address\n");
		return -ENODEV;
	}
	return 0;
}

/*
 * Whether one part of a request is valid: not set, a value up to @max, or one
 * of two KUID_FROM_*.
 */
static bool kuid_choice_ok(u32 from, u64 value, u64 max, u32 one, u32 other)
{
	if (from == KUID_FROM_GIVEN)
		return value <= max;
	return !value && (!from || from == one || from == other);
}

static void kuid_choice_set(struct kuid_choice *choice, u32 from, u64 value)
{
	if (from)
		*choice = (struct kuid_choice) { .from = from, .value = value };
}

/**
 * kuid_identity_change - apply a request to the choices
 * @choices: the choices so far; unchanged after an error
 * @set: the request; only the parts of the identity are read and checked, not
 *	the flags
 * @changed: output: KUID_PARTS_* of the parts that the request sets
 *
 * Context: process. Does not sleep.
 * Return: 0; -EINVAL if a part is not valid; -EBUSY if a part is claimed;
 * -ENODEV if the node is to be the address of a network interface, and none has
 * a permanent one.
 */
int kuid_identity_change(struct kuid_choices *choices,
			 const struct kuid_set_identity *set, u32 *changed)
{
	u64 node = set->node;
	int ret;

	if (!kuid_choice_ok(set->node_from, set->node,
			    BIT_ULL(KUID_NODE_BITS) - 1, KUID_FROM_RANDOM,
			    KUID_FROM_MAC) ||
	    !kuid_choice_ok(set->worker_from, set->worker, U64_MAX,
			    KUID_FROM_RANDOM, KUID_FROM_HOST) ||
	    !kuid_choice_ok(set->snowflake_from, set->snowflake_worker,
			    KUID_SNOWFLAKE_WORKER_MAX, KUID_FROM_WORKER,
			    KUID_FROM_WORKER))
		return -EINVAL;
	if ((set->worker_from && choices->worker.from == KUID_FROM_CLAIM) ||
	    (set->snowflake_from && choices->snowflake.from == KUID_FROM_CLAIM))
		return -EBUSY;
	if (set->node_from == KUID_FROM_MAC) {
		ret = kuid_identity_mac(&node);
		if (ret)
			return ret;
	}

	kuid_choice_set(&choices->node, set->node_from, node);
	kuid_choice_set(&choices->worker, set->worker_from, set->worker);
	kuid_choice_set(&choices->snowflake, set->snowflake_from,
			set->snowflake_worker);
	*changed = (set->node_from ? KUID_PARTS_NODE : 0) |
		   (set->worker_from ? KUID_PARTS_WORKER : 0) |
		   (set->snowflake_from ? KUID_PARTS_SNOWFLAKE : 0);
	return 0;
}

/* Whether the value of a part is one that others have chosen. */
static bool kuid_choice_is_fixed(const struct kuid_choice *choice)
{
	return choice->from == KUID_FROM_GIVEN ||
	       choice->from == KUID_FROM_CLAIM;
}

/* The rule that snowflake's worker is made by: its own, or the worker's. */
static const struct kuid_choice *
kuid_identity_snowflake(const struct kuid_choices *choices)
{
	return choices->snowflake.from == KUID_FROM_WORKER
		       ? &choices->worker
		       : &choices->snowflake;
}

/**
 * kuid_identity_missing - the parts that an identity lacks
 * @choices: where the identity comes from
 *
 * Only snowflake's worker can be missing. A worker that was not given might be
 * any other host's as well, with odds that nobody would take with 10 bits.
 *
 * Context: any.
 * Return: KUID_PARTS_SNOWFLAKE or 0.
 */
u32 kuid_identity_missing(const struct kuid_choices *choices)
{
	const struct kuid_choice *choice = kuid_identity_snowflake(choices);

	return kuid_choice_is_fixed(choice) &&
			       choice->value <= KUID_SNOWFLAKE_WORKER_MAX
		       ? 0
		       : KUID_PARTS_SNOWFLAKE;
}

/**
 * kuid_identity_claimed - the parts of an identity that show a claimed number
 * @choices: where the identity comes from
 *
 * A claimed worker that is too large for snowflake leaves its worker missing.
 *
 * Context: any.
 * Return: KUID_PARTS_* of these parts.
 */
u32 kuid_identity_claimed(const struct kuid_choices *choices)
{
	const struct kuid_choice *snowflake = kuid_identity_snowflake(choices);
	u32 parts = 0;

	if (choices->worker.from == KUID_FROM_CLAIM)
		parts |= KUID_PARTS_WORKER;
	if (snowflake->from == KUID_FROM_CLAIM)
		parts |= KUID_PARTS_SNOWFLAKE;
	return parts & ~kuid_identity_missing(choices);
}

/**
 * kuid_identity_claim - apply a claim to the choices
 * @choices: the choices so far; unchanged after an error
 * @claim: the claim, of which the caller has checked all but I and the epoch of
 *	snowflake
 * @changed: output: KUID_PARTS_* of the parts whose rule has changed
 *
 * Numbers are told apart by times only within one I and one epoch of snowflake.
 *
 * Context: any.
 * Return: 0; -EINVAL if @claim is for another I or another epoch of snowflake.
 */
int kuid_identity_claim(struct kuid_choices *choices,
			const struct kuid_claim *claim, u32 *changed)
{
	u32 was = kuid_identity_claimed(choices);

	if (claim->parts &&
	    (claim->interval != choices->interval ||
	     claim->snowflake_epoch_ms != choices->snowflake_epoch))
		return -EINVAL;
	if (choices->worker.from == KUID_FROM_CLAIM)
		kuid_choice_set(&choices->worker, KUID_FROM_HOST, 0);
	if (choices->snowflake.from == KUID_FROM_CLAIM)
		kuid_choice_set(&choices->snowflake, KUID_FROM_WORKER, 0);
	if (claim->parts & KUID_CLAIM_WORKER)
		kuid_choice_set(&choices->worker, KUID_FROM_CLAIM,
				claim->worker);
	if (claim->parts & KUID_CLAIM_SNOWFLAKE)
		kuid_choice_set(&choices->snowflake, KUID_FROM_CLAIM,
				claim->snowflake_worker);
	*changed = was | kuid_identity_claimed(choices);
	return 0;
}

/**
 * kuid_identity_given - the parts of an identity that are given, not drawn
 * @choices: where the identity comes from
 *
 * After a VM fork a given part stays as it is, and a twin may have it as well.
 * Other parts are drawn again; a worker from the host name is salted.
 *
 * Context: any.
 * Return: KUID_PARTS_* of the given parts. The address of a network interface
 * counts as given.
 */
u32 kuid_identity_given(const struct kuid_choices *choices)
{
	return (choices->node.from == KUID_FROM_RANDOM ? 0 : KUID_PARTS_NODE) |
	       (kuid_choice_is_fixed(&choices->worker) ? KUID_PARTS_WORKER
						       : 0) |
	       (kuid_identity_missing(choices) ^ KUID_PARTS_SNOWFLAKE);
}

/* Whether a host name is one that many hosts have. */
static bool kuid_worker_name_is_common(const char *name)
{
	return !*name || !strcmp(name, "(none)") ||
	       !strcmp(name, "localhost") ||
	       !strcmp(name, "localhost.localdomain");
}

/*
 * Make a worker from the name of the host: that of the initial namespace, not
 * that of a container.
 */
static u64 kuid_worker_of_host(void)
{
	const char *from = init_utsname()->nodename;
	char name[__NEW_UTS_LEN + 1];
	size_t i;

	/*
	 * The copy is made without uts_sem, which is not exported to modules.
	 * If the name is being set meanwhile, the copy may be a mix of the old
	 * and the new name. Its worker is as good as that of a real name: only
	 * a host with exactly that name would have the same one.
	 */
	for (i = 0; i < __NEW_UTS_LEN; i++)
		/* The writer uses plain stores. */
		name[i] = data_race(READ_ONCE(from[i]));
	name[i] = '\0';

	if (kuid_worker_name_is_common(name)) {
		pr_notice("host name \"%s\" makes no worker, so it is random\n",
			  name);
		return kuid_vmgen_random();
	}
	return kuid_lex_worker(name, strlen(name));
}

/**
 * kuid_identity_draw - draw the identity of a new epoch
 * @identity: output, all fields are set
 * @key: output: the key of the epoch's random nodes
 * @choices: where the identity comes from
 * @former: the identity of the former epoch; NULL for the first epoch
 * @changed: KUID_PARTS_*; without KUID_PARTS_WORKER, the worker of @former is
 *	kept
 *
 * A random node, and the offset and scramble of stamps, are new in each epoch.
 * So are the nodes of its private lanes.
 *
 * Context: process. Does not sleep. The kernel's random generator is ready.
 */
void kuid_identity_draw(struct kuid_identity *identity,
			struct kuid_node_key *key,
			const struct kuid_choices *choices,
			const struct kuid_identity *former, u32 changed)
{
	u64 worker = choices->worker.value;

	if (former && !(changed & KUID_PARTS_WORKER))
		worker = former->worker;
	else if (choices->worker.from == KUID_FROM_RANDOM)
		worker = kuid_vmgen_random();
	else if (choices->worker.from == KUID_FROM_HOST)
		worker = kuid_worker_of_host() ^ choices->salt;

	*key = (struct kuid_node_key) {
		{ kuid_vmgen_random(), kuid_vmgen_random() },
	};
	*identity = (struct kuid_identity) {
		.node = choices->node.from == KUID_FROM_RANDOM
				? kuid_node_of(key, 0)
				: choices->node.value,
		.worker = worker,
		.snowflake_epoch = choices->snowflake_epoch,
		.snowflake_worker =
			kuid_identity_missing(choices)
				? 0
				: kuid_identity_snowflake(choices)->value,
		.interval = choices->interval,
		.seq_offset = kuid_vmgen_random() % (KUID_SEQ_OFFSET_MAX + 1),
		.lane_scramble = kuid_vmgen_random() % KUID_NR_LANES,
		.mask = kuid_vmgen_random() & KUID_V7_RANDOM_MASK,
	};
}
