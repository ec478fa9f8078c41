/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose IDs they are: node, worker and interval, as module parameters and
 * administrators say.
 */
#ifndef KUID_IDENTITY_H
#define KUID_IDENTITY_H

#include <linux/init.h>
#include <linux/types.h>
#include <uapi/linux/kuid.h>

#include "core/format.h"

/**
 * struct kuid_choice - where a part of the identity comes from
 * @from: KUID_FROM_*
 * @value: of KUID_FROM_GIVEN; of KUID_FROM_MAC the address that was found
 */
struct kuid_choice {
	u32 from;
	u64 value;
};

/**
 * struct kuid_choices - where all of it comes from
 * @node: of v1 and v6
 * @worker: of lex, k96 and k128
 * @interval: I of k96 and k128
 * @salt: exclusive-or'ed with the worker that is made from the host name; 0
 *	until there may be another machine of that name
 */
struct kuid_choices {
	struct kuid_choice node;
	struct kuid_choice worker;
	u32 interval;
	u64 salt;
};

int __init kuid_identity_init(struct kuid_choices *choices);
int kuid_identity_change(struct kuid_choices *choices,
			 const struct kuid_set_identity *set);
u32 kuid_identity_given(const struct kuid_choices *choices);
u32 kuid_identity_changed(const struct kuid_set_identity *set);
void kuid_identity_draw(struct kuid_identity *identity,
			const struct kuid_choices *choices,
			const struct kuid_identity *former, u32 changed);

#endif /* KUID_IDENTITY_H */
