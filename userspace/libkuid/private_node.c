// SPDX-License-Identifier: MIT
/* Nodes for private lanes: from the kernel, or drawn by the process. */
#include "port.h"

#include <errno.h>
#include <fcntl.h>

#include "core/clock.h"
#include "core/node.h"
#include "core/units.h"
#include "device.h"
#include "private_node.h"

bool kuid_private_is_nonblocking(const struct kuid *handle)
{
	return kuid_device_is_open(handle) &&
	       fcntl(handle->fd, F_GETFL) & O_NONBLOCK;
}

static int draw(const struct kuid *handle, struct kuid_private_lane *lane)
{
	struct {
		struct kuid_node_key key;
		u64 load_id;
	} random;

	if (!kuid_process_draw(&random, sizeof(random)))
		return -1;
	*lane = (struct kuid_private_lane) {
		.node = kuid_node_of(&random.key, 0),
		.generation = *handle->generation,
		.load_id = random.load_id,
		.max_ahead_ns = KUID_MAX_AHEAD_MS * KUID_MS_NS,
		.step_limit_ns = KUID_STEP_LIMIT_MS * KUID_MS_NS,
	};
	return 0;
}

int kuid_private_get_node(const struct kuid *handle,
			  struct kuid_private_lane *lane)
{
	if (kuid_handle_is_local(handle))
		return draw(handle, lane);
	if (!kuid_device_is_open(handle))
		return -1;
	*lane = (struct kuid_private_lane) { 0 };
	return kuid_device_ask(handle->fd, KUID_IOC_PRIVATE_LANE, lane);
}
