/* SPDX-License-Identifier: MIT */
/* What a private lane gets from the handle's device, or without one. */
#ifndef KUID_PRIVATE_NODE_H
#define KUID_PRIVATE_NODE_H

#include "handle.h"

/* Whether calls must not wait: false if the handle has no device any more. */
bool kuid_private_is_nonblocking(const struct kuid *handle);

/*
 * Get a node for a lane, and what comes with it; 0, or -1 and errno. EAGAIN and
 * EOPNOTSUPP mean that the kernel hands out none in this generation.
 */
int kuid_private_get_node(const struct kuid *handle,
			  struct kuid_private_lane *lane);

#endif /* KUID_PRIVATE_NODE_H */
