/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The identity of an epoch: checking where it comes from, and drawing it.
 * core/parts.h has the struct, epochs.h the epochs.
 */
#ifndef KUID_IDENTITY_H
#define KUID_IDENTITY_H

#include <linux/init.h>
#include <linux/types.h>
#include <uapi/linux/kuid.h>

#include "core/parts.h"
#include "core/node.h"

int __init kuid_identity_init(struct kuid_choices *choices);
int kuid_identity_change(struct kuid_choices *choices,
			 const struct kuid_set_identity *set, u32 *changed);
u32 kuid_identity_given(const struct kuid_choices *choices);
u32 kuid_identity_claimed(const struct kuid_choices *choices);
int kuid_identity_claim(struct kuid_choices *choices,
			const struct kuid_claim *claim, u32 *changed);
u32 kuid_identity_missing(const struct kuid_choices *choices);
void kuid_identity_draw(struct kuid_identity *identity,
			struct kuid_node_key *key,
			const struct kuid_choices *choices,
			const struct kuid_identity *former, u32 changed);

#endif /* KUID_IDENTITY_H */
