// SPDX-License-Identifier: MIT
/* What administrators ask of the generator behind all sources. */
#include <errno.h>
#include <sys/ioctl.h>

#include "kuid.h"
#include "local.h"
#include "source.h"

/* A process has no identity but a random one, and nothing to restore. */
static int ask(const struct kuid *source, unsigned long command, void *request)
{
	if (kuid_source_is_local(source)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return ioctl(source->fd, command, request) ? -1 : 0;
}

/* The kernel gets structs of our own: after a failure the caller's is as was. */
int kuid_read_status(struct kuid *source, struct kuid_status *status)
{
	struct kuid_status answer = { 0 };

	if (kuid_source_is_local(source))
		return kuid_local_status(source, status);
	if (ask(source, KUID_IOC_STATUS, &answer))
		return -1;
	*status = answer;
	return 0;
}

int kuid_read_source_status(const struct kuid *source,
			    struct kuid_source_status *status)
{
	*status = (struct kuid_source_status) {
		.made_by = kuid_source_is_local(source) ? KUID_MADE_BY_PROCESS
							: KUID_MADE_BY_KERNEL,
	};
	return 0;
}

int kuid_read_state(struct kuid *source, struct kuid_state *state)
{
	struct kuid_state answer = { 0 };

	if (ask(source, KUID_IOC_GET_STATE, &answer))
		return -1;
	*state = answer;
	return 0;
}

static int restore(struct kuid *source, struct kuid_restore *request,
		   uint64_t *epoch)
{
	if (ask(source, KUID_IOC_RESTORE, request))
		return -1;
	if (epoch)
		*epoch = request->epoch;
	return 0;
}

int kuid_restore_floor(struct kuid *source, uint64_t floor_ns, uint64_t *epoch)
{
	struct kuid_restore request = { .floor_ns = floor_ns };

	return restore(source, &request, epoch);
}

int kuid_start_fresh(struct kuid *source, uint64_t *epoch)
{
	struct kuid_restore request = { .flags = KUID_RESTORE_FRESH };

	return restore(source, &request, epoch);
}

int kuid_acknowledge_ceiling(struct kuid *source, uint64_t ceiling_ns)
{
	struct kuid_acknowledge request = { .ceiling_ns = ceiling_ns };

	return ask(source, KUID_IOC_ACKNOWLEDGE, &request);
}

int kuid_change_identity(struct kuid *source, struct kuid_set_identity *request)
{
	struct kuid_set_identity copy = *request;

	if (ask(source, KUID_IOC_SET_IDENTITY, &copy))
		return -1;
	request->epoch = copy.epoch;
	return 0;
}

int kuid_take_clock_back(struct kuid *source, unsigned int flags,
			 uint64_t *epoch)
{
	struct kuid_force_clock request = { .flags = flags };

	if (ask(source, KUID_IOC_FORCE_CLOCK, &request))
		return -1;
	if (epoch)
		*epoch = request.epoch;
	return 0;
}
