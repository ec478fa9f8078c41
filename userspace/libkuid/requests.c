// SPDX-License-Identifier: MIT
/* Requests to the kernel: status, limits, order, state and identity. */
#include <errno.h>
#include <sys/ioctl.h>

#include "kuid.h"
#include "local.h"
#include "handle.h"

/* A local handle has a random identity and no state, so it takes none. */
static int ask(const struct kuid *handle, unsigned long command, void *request)
{
	if (kuid_handle_is_local(handle)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return ioctl(handle->fd, command, request) ? -1 : 0;
}

/* The kernel gets a copy, so that a failure leaves the caller's struct alone. */
int kuid_read_status(struct kuid *handle, struct kuid_status *status)
{
	struct kuid_status answer = { 0 };

	if (kuid_handle_is_local(handle))
		return kuid_local_status(handle, status);
	if (ask(handle, KUID_IOC_STATUS, &answer))
		return -1;
	*status = answer;
	return 0;
}

int kuid_read_limits(struct kuid *handle, unsigned int format,
		     struct kuid_query *limits)
{
	struct kuid_query answer = { .format = format };

	if (ask(handle, KUID_IOC_QUERY, &answer))
		return -1;
	*limits = answer;
	return 0;
}

int kuid_set_order(struct kuid *handle, unsigned int order)
{
	struct kuid_set_format request = { .order = order };

	return ask(handle, KUID_IOC_SET_FORMAT, &request);
}

int kuid_read_handle_status(const struct kuid *handle,
			    struct kuid_handle_status *status)
{
	*status = (struct kuid_handle_status) {
		.made_by = kuid_handle_is_local(handle) ? KUID_MADE_BY_PROCESS
							: KUID_MADE_BY_KERNEL,
	};
	return 0;
}

int kuid_read_state(struct kuid *handle, struct kuid_state *state)
{
	struct kuid_state answer = { 0 };

	if (ask(handle, KUID_IOC_GET_STATE, &answer))
		return -1;
	*state = answer;
	return 0;
}

static int restore(struct kuid *handle, struct kuid_restore *request,
		   uint64_t *epoch)
{
	if (ask(handle, KUID_IOC_RESTORE, request))
		return -1;
	if (epoch)
		*epoch = request->epoch;
	return 0;
}

int kuid_restore_floor(struct kuid *handle, uint64_t floor_ns, uint64_t *epoch)
{
	struct kuid_restore request = { .floor_ns = floor_ns };

	return restore(handle, &request, epoch);
}

int kuid_start_fresh(struct kuid *handle, uint64_t *epoch)
{
	struct kuid_restore request = { .flags = KUID_RESTORE_FRESH };

	return restore(handle, &request, epoch);
}

int kuid_acknowledge_ceiling(struct kuid *handle, uint64_t ceiling_ns)
{
	struct kuid_acknowledge request = { .ceiling_ns = ceiling_ns };

	return ask(handle, KUID_IOC_ACKNOWLEDGE, &request);
}

int kuid_change_identity(struct kuid *handle, struct kuid_set_identity *request)
{
	struct kuid_set_identity copy = *request;

	if (ask(handle, KUID_IOC_SET_IDENTITY, &copy))
		return -1;
	request->epoch = copy.epoch;
	return 0;
}

int kuid_take_clock_back(struct kuid *handle, unsigned int flags,
			 uint64_t *epoch)
{
	struct kuid_force_clock request = { .flags = flags };

	if (ask(handle, KUID_IOC_FORCE_CLOCK, &request))
		return -1;
	if (epoch)
		*epoch = request.epoch;
	return 0;
}
