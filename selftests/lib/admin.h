/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of administrators: state, identity and clock. */
#ifndef ADMIN_H
#define ADMIN_H

#include <poll.h>

#include "formats.h"
#include "module.h"
#include "status.h"

/* A node with the bit that no network card has, which decode() checks. */
#define GIVEN_NODE	0x0123456789abULL

#define ALL_PARAMS	"node=0123456789ab worker=fedcba9876543210"

static inline int get_state(int fd, struct kuid_state *state)
{
	*state = (struct kuid_state) { 0 };
	return ioctl(fd, KUID_IOC_GET_STATE, state) ? -errno : 0;
}

/* Make a request for the cover that has begun, or for the first one. */
static inline int ask_cover(int fd, struct kuid_cover *cover)
{
	struct kuid_state state;
	int ret = get_state(fd, &state);

	if (ret)
		return ret;
	cover->epoch = state.cover_epoch;
	cover->load_id = state.cover_load_id;
	return ioctl(fd, KUID_IOC_COVER, cover) ? -errno : 0;
}

/*
 * Begin a cover whose ceiling is the lowest that is valid: calls wait until it is
 * raised. A floor of 0 means that no ID was ever made.
 */
static inline int begin_cover(int fd, __u64 floor)
{
	struct kuid_cover cover = { .floor_ns = floor,
				    .flags = KUID_COVER_BEGIN };
	struct kuid_state state;
	int ret = get_state(fd, &state);

	if (ret)
		return ret;
	cover.ceiling_ns = floor + 1;
	if (cover.ceiling_ns < state.slot_ns)
		cover.ceiling_ns = state.slot_ns;
	if (cover.ceiling_ns < state.stamp_ns)
		cover.ceiling_ns = state.stamp_ns;
	return ask_cover(fd, &cover);
}

static inline int raise_cover(int fd, __u64 ceiling)
{
	struct kuid_cover cover = { .ceiling_ns = ceiling };

	return ask_cover(fd, &cover);
}

/* Have slots go back to the wall clock, with a ceiling an hour above it. */
static inline int go_back(int fd, __u64 *epoch)
{
	struct kuid_cover cover = {
		.ceiling_ns = clock_ns() + 3600 * NSEC_PER_SEC,
		.flags = KUID_COVER_BEGIN | KUID_COVER_BACK,
	};
	int ret = ask_cover(fd, &cover);

	if (!ret)
		*epoch = cover.epoch;
	return ret;
}

static inline int set_identity(int fd, struct kuid_set_identity *set)
{
	return ioctl(fd, KUID_IOC_SET_IDENTITY, set) ? -errno : 0;
}

static inline long take(int fd, const struct format *f, __u32 order, void *ids,
			__u32 count, __u64 *epoch)
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)ids,
		.format = f->number,
		.order = order,
		.count = count,
	};

	if (ioctl(fd, KUID_IOC_GENERATE, &g))
		return -errno;
	if (epoch)
		*epoch = g.epoch;
	return g.done;
}

/* Take one ID and decode it. Returns 0 or a negative errno. */
static inline int take_fields(int fd, const struct format *f,
			      struct fields *fields)
{
	__u8 id[ID_SIZE_MAX];
	long got = take(fd, f, KUID_ORDER_DEFAULT, id, 1, NULL);

	if (got < 0)
		return got;
	return got == 1 && decode(f, id, fields) ? 0 : -EBADMSG;
}

static inline bool poll_says_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

/* Wait until the wall clock is past a time. */
static inline void wait_past(__u64 time)
{
	while (clock_ns() <= time)
		usleep(5000);
}

#endif /* ADMIN_H */
