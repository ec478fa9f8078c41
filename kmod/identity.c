// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters, and administrators later, choose where node, worker and
 * interval come from. Here the choices are checked and changed, and identities
 * are drawn from them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <net/net_namespace.h>

#include "core/lexical.h"
#include "core/node.h"
#include "identity.h"

/*
 * The address of the first network interface that has one of its own: made by
 * its maker, not drawn, set or borrowed, as those of virtual ones are.
 */
static int kuid_identity_mac(u64 *node)
{
	struct net_device *dev;
	int ret = -ENODEV;

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
 * kuid_identity_init - find what the first choices leave open
 * @choices: where the identity comes from, as module parameters say
 *
 * Context: module load.
 * Return: 0, or -ENODEV if the node shall be a network interface's address and
 * none is suitable.
 */
int __init kuid_identity_init(struct kuid_choices *choices)
{
	if (choices->node.from == KUID_FROM_MAC &&
	    kuid_identity_mac(&choices->node.value)) {
		pr_err("node=mac: no network interface has an address of its own\n");
		return -ENODEV;
	}
	return 0;
}

/* One part of a request: whether it is well-formed. */
static bool kuid_choice_ok(u32 from, u64 value, u64 words, unsigned int bits)
{
	if (from == KUID_FROM_GIVEN)
		return bits == 64 || !(value >> bits);
	return !value && (!from || (from < 64 && words & BIT_ULL(from)));
}

static void kuid_choice_set(struct kuid_choice *choice, u32 from, u64 value)
{
	if (from)
		*choice = (struct kuid_choice) { .from = from, .value = value };
}

/**
 * kuid_identity_change - change what a request says
 * @choices: what was so far; not touched if this fails
 * @set: the request, of which this looks at parts of the identity
 *
 * Context: process.
 * Return: 0; -EINVAL if the request is not well-formed; -ENODEV if the node
 * shall be a network interface's address and none is suitable.
 */
int kuid_identity_change(struct kuid_choices *choices,
			 const struct kuid_set_identity *set)
{
	u64 node = set->node;
	int ret;

	if (!kuid_choice_ok(set->node_from, set->node,
			    BIT_ULL(KUID_FROM_RANDOM) | BIT_ULL(KUID_FROM_MAC),
			    KUID_NODE_BITS) ||
	    !kuid_choice_ok(set->worker_from, set->worker,
			    BIT_ULL(KUID_FROM_RANDOM) | BIT_ULL(KUID_FROM_HOST),
			    64) ||
	    (set->interval && (set->interval < KUID_INTERVAL_MIN ||
			       set->interval > KUID_INTERVAL_MAX)))
		return -EINVAL;
	if (set->node_from == KUID_FROM_MAC) {
		ret = kuid_identity_mac(&node);
		if (ret)
			return ret;
	}

	kuid_choice_set(&choices->node, set->node_from, node);
	kuid_choice_set(&choices->worker, set->worker_from, set->worker);
	if (set->interval)
		choices->interval = set->interval;
	return 0;
}

/**
 * kuid_identity_given - what another machine could have, too
 * @choices: where the identity comes from
 *
 * Context: any.
 * Return: KUID_PART_*
 */
u32 kuid_identity_given(const struct kuid_choices *choices)
{
	return (choices->node.from == KUID_FROM_RANDOM ? 0 : KUID_PART_NODE) |
	       (choices->worker.from == KUID_FROM_GIVEN ? KUID_PART_WORKER : 0);
}

/**
 * kuid_identity_changed - what a request changes
 * @set: the request
 *
 * Context: any.
 * Return: KUID_PART_*
 */
u32 kuid_identity_changed(const struct kuid_set_identity *set)
{
	return (set->node_from ? KUID_PART_NODE : 0) |
	       (set->worker_from ? KUID_PART_WORKER : 0);
}

/* Names that say nothing of the host. */
static bool kuid_worker_name_is_common(const char *name)
{
	return !*name || !strcmp(name, "(none)") ||
	       !strcmp(name, "localhost") ||
	       !strcmp(name, "localhost.localdomain");
}

/* Of the host, not of a container: the initial namespace's name. */
static u64 kuid_worker_of_host(void)
{
	char name[__NEW_UTS_LEN + 1];

	/*
	 * Not under uts_sem, which is not exported. If the copy is of a name
	 * that is being set and in part the old one, the worker is as good as
	 * any other that is made from a name: only a host of that very name
	 * could have it, too.
	 */
	kuid_lex_name(name, init_utsname()->nodename, sizeof(name));

	if (kuid_worker_name_is_common(name)) {
		pr_notice("host name \"%s\" makes no worker, so it is random\n",
			  name);
		return get_random_u64();
	}
	return kuid_lex_worker(name, strlen(name));
}

/**
 * kuid_identity_draw - make the identity of a new epoch
 * @identity: set in all of it
 * @choices: where it comes from
 * @former: that of the epoch before, NULL if there was none
 * @changed: KUID_PART_*: what shall not be as it was if it was drawn
 *
 * Context: process. The kernel's random generator must be ready.
 */
void kuid_identity_draw(struct kuid_identity *identity,
			const struct kuid_choices *choices,
			const struct kuid_identity *former, u32 changed)
{
	struct kuid_node_key key = {
		{ get_random_u64(), get_random_u64() },
	};
	u64 worker = choices->worker.value;

	if (former && !(changed & KUID_PART_WORKER))
		worker = former->worker;
	else if (choices->worker.from == KUID_FROM_RANDOM)
		worker = get_random_u64();
	else if (choices->worker.from == KUID_FROM_HOST)
		worker = kuid_worker_of_host() ^ choices->salt;

	*identity = (struct kuid_identity) {
		.node = choices->node.from == KUID_FROM_RANDOM
				? kuid_node_of(&key, 0)
				: choices->node.value,
		.worker = worker,
		.interval = choices->interval,
		.seq_offset = get_random_u32() % (KUID_SEQ_OFFSET_MAX + 1),
		.lane_scramble = get_random_u32() % KUID_NR_LANES,
	};
}
