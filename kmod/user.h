/* SPDX-License-Identifier: GPL-2.0-only */
/* IDs in user memory: the short path, and the stores of a sink. */
#ifndef KUID_USER_H
#define KUID_USER_H

#include <linux/types.h>

#include "core/take.h"

struct kuid_made;

bool kuid_user_make_one(struct kuid_watermarks *watermarks,
			enum kuid_order order, u32 format, u8 __user *to,
			struct kuid_made *made);
u32 kuid_user_store_ids(u32 format, u8 __user **to,
			const struct kuid_taken *taken, const u8 *random);
u32 kuid_user_store_lines(u32 format, u8 __user **to,
			  const struct kuid_taken *taken, const u8 *random);

#endif /* KUID_USER_H */
