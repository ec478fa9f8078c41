// SPDX-License-Identifier: MIT
/* Requests to the kernel: status, limits, order, state and identity. */
#include <errno.h>
#include <time.h>

#include "device.h"
#include "private.h"
#include "vmclock.h"

/* A clock that ticks more slowly than this makes the time in IDs coarse. */
#define COARSE_NS 1000

/* A local handle has a random identity and no state, so it takes none. */
static int ask(const struct kuid *handle, unsigned long command, void *request)
{
	if (kuid_handle_is_local(handle)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return kuid_device_ask(handle->fd, command, request);
}

static unsigned long clock_resolution_ns(void)
{
	struct timespec time = { 0 };

	clock_getres(CLOCK_REALTIME, &time);
	return time.tv_sec ? 1000000000 : time.tv_nsec;
}

#define BIT_OF(name, NAME, ...) | 1ULL << KUID_FORMAT_##NAME

/* The promises of a local handle, which makes stamps only. Its IDs are not
 * counted. */
static int read_local_status(struct kuid *handle, struct kuid_status *status)
{
	const uint64_t formats = 0 KUID_STAMP_FORMATS(BIT_OF);
	struct kuid_private_reading reading;

	kuid_private_read(handle, &reading);
	*status = (struct kuid_status) {
		.unique = formats,
		.ordered = formats,
		.reboot_safe = formats,
		.reasons = KUID_REASON_NO_VM_FORK,
		.epoch = kuid_private_epoch(handle),
		.load_id = reading.load_id,
		.stamp_lag_ns = reading.lag,
		.stamp_ahead_ns = reading.ahead,
	};
	if (reading.lag)
		status->reasons |= KUID_REASON_STAMPS_HALF_SPEED;
	if (clock_resolution_ns() > COARSE_NS)
		status->reasons |= KUID_REASON_COARSE_CLOCK;
	return 0;
}

/* The kernel gets a copy, so that a failure leaves the caller's struct alone. */
int kuid_read_status(struct kuid *handle, struct kuid_status *status)
{
	struct kuid_status answer = { 0 };

	if (kuid_handle_is_local(handle))
		return read_local_status(handle, status);
	if (ask(handle, KUID_IOC_STATUS, &answer))
		return -1;
	*status = answer;
	return 0;
}

uint32_t kuid_lane_clones(const struct kuid_status *status)
{
	const u64 *number = kuid_vmclock_map();
	uint32_t clones = status->clones;

	if (!kuid_vmclock_is_device(number))
		clones &= ~KUID_CLONES_SEEN;
	kuid_vmclock_unmap(number);
	return clones;
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

	/* A lane has one order. */
	if (handle->private) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return ask(handle, KUID_IOC_SET_FORMAT, &request);
}

static uint32_t made_by(const struct kuid *handle)
{
	if (kuid_handle_is_local(handle))
		return KUID_MADE_BY_PROCESS;
	if (handle->private && !kuid_private_is_refused(handle))
		return KUID_MADE_BY_LANE;
	return KUID_MADE_BY_KERNEL;
}

int kuid_read_handle_status(const struct kuid *handle,
			    struct kuid_handle_status *status)
{
	struct kuid_private_reading reading = { 0 };

	if (handle->private)
		kuid_private_read(handle, &reading);
	*status = (struct kuid_handle_status) {
		.made_by = made_by(handle),
		.epoch = kuid_private_epoch(handle),
		.lag_ns = reading.lag,
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

int kuid_set_cover(struct kuid *handle, struct kuid_cover *request)
{
	struct kuid_cover copy = *request;

	if (ask(handle, KUID_IOC_COVER, &copy))
		return -1;
	request->epoch = copy.epoch;
	request->load_id = copy.load_id;
	return 0;
}

int kuid_change_identity(struct kuid *handle, struct kuid_set_identity *request)
{
	struct kuid_set_identity copy = *request;

	if (ask(handle, KUID_IOC_SET_IDENTITY, &copy))
		return -1;
	request->epoch = copy.epoch;
	return 0;
}

int kuid_claim_numbers(struct kuid *handle, struct kuid_claim *request)
{
	struct kuid_claim copy = *request;

	if (ask(handle, KUID_IOC_CLAIM, &copy))
		return -1;
	request->epoch = copy.epoch;
	return 0;
}

int kuid_drop_claim(struct kuid *handle, uint64_t load_id, const __u64 token[2],
		    uint64_t *epoch)
{
	struct kuid_claim request = {
		.replaces = { token[0], token[1] },
		.load_id = load_id,
	};

	if (ask(handle, KUID_IOC_CLAIM, &request))
		return -1;
	if (epoch)
		*epoch = request.epoch;
	return 0;
}

int kuid_raise_claim(struct kuid *handle, uint64_t load_id,
		     const __u64 token[2], uint64_t ceiling_ns)
{
	struct kuid_claim_ceiling request = {
		.ceiling_ns = ceiling_ns,
		.load_id = load_id,
		.token = { token[0], token[1] },
	};

	return ask(handle, KUID_IOC_CLAIM_CEILING, &request);
}

int kuid_end_claim(struct kuid *handle, uint64_t load_id, const __u64 token[2],
		   uint64_t *end_ns)
{
	struct kuid_claim_ceiling request = {
		.flags = KUID_CLAIM_END,
		.load_id = load_id,
		.token = { token[0], token[1] },
	};

	if (ask(handle, KUID_IOC_CLAIM_CEILING, &request))
		return -1;
	if (end_ns)
		*end_ns = request.ceiling_ns;
	return 0;
}
