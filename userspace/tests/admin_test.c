// SPDX-License-Identifier: MIT
/*
 * The functions of libkuid for administrators, run against the device. The
 * device may have a cover or not, and has no given node or worker. The
 * test leaves a cover.
 */
#include <errno.h>
#include <kuid.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "fails.h"

#define SEC_NS 1000000000ULL
#define HOUR   (3600 * SEC_NS)
#define NODE   0x0223456789abULL

/* slot_ns is the end of such a tick. */
#define GRID_TICK_NS 1024000

static int open_handle(void **state)
{
	*state = kuid_open(KUID_FORMAT_V1);
	return *state ? 0 : -1;
}

static int close_handle(void **state)
{
	kuid_close(*state);
	return 0;
}

static uint64_t node_of_next(struct kuid *handle)
{
	unsigned char id[KUID_ID_MAX];
	struct kuid_fields fields;

	assert_int_equal(kuid_one(handle, id), 0);
	assert_int_equal(kuid_decode(KUID_FORMAT_V1, id, 0, 0, &fields), 0);
	return fields.node;
}

static struct kuid_state read_state(struct kuid *handle)
{
	struct kuid_state state;

	assert_int_equal(kuid_read_state(handle, &state), 0);
	return state;
}

static struct kuid_status read_status(struct kuid *handle)
{
	struct kuid_status status;

	assert_int_equal(kuid_read_status(handle, &status), 0);
	return status;
}

TEST(state_and_status_agree)
{
	struct kuid_state now = read_state(*state);
	struct kuid_status status = read_status(*state);

	assert_true(status.epoch > 0);
	assert_int_equal(now.epoch, status.epoch);
	assert_true(status.load_id);
	assert_true(now.load_id == status.load_id);
	assert_int_equal(now.floor_ns, status.floor_ns);
	assert_int_equal(now.ceiling_ns, status.ceiling_ns);
	assert_int_equal(now.node_from, KUID_FROM_RANDOM);
	assert_int_equal(now.node, node_of_next(*state));
	assert_int_equal(now.interval, 8);
}

TEST(a_new_epoch_is_numbered_and_changes_nothing_else)
{
	struct kuid_set_identity request = { 0 };
	struct kuid_state before = read_state(*state), after;
	uint64_t epoch = read_status(*state).epoch;

	assert_int_equal(kuid_change_identity(*state, &request), 0);
	assert_int_equal(request.epoch, epoch + 1);
	assert_int_equal(read_status(*state).epoch, epoch + 1);
	after = read_state(*state);
	assert_int_equal(after.worker, before.worker);
	assert_int_equal(after.node_from, before.node_from);
}

TEST(a_node_is_given_and_taken_away)
{
	struct kuid_set_identity request = {
		.node_from = KUID_FROM_GIVEN,
		.node = NODE,
	};
	struct kuid_state now;

	assert_int_equal(kuid_change_identity(*state, &request), 0);
	assert_int_equal(node_of_next(*state), NODE);
	now = read_state(*state);
	assert_int_equal(now.node_from, KUID_FROM_GIVEN);
	assert_int_equal(now.node, NODE);
	assert_true(now.stamp_ns > 0);

	request = (struct kuid_set_identity) { .node_from = KUID_FROM_RANDOM };
	assert_int_equal(kuid_change_identity(*state, &request), 0);
	assert_int_not_equal(node_of_next(*state), NODE);
}

/* Ask for a cover that names the present one; the device is not 0. */
static int set_cover(struct kuid *device, uint32_t flags, uint64_t floor,
		     uint64_t ceiling)
{
	struct kuid_state now = read_state(device);
	struct kuid_cover request = {
		.flags = flags,
		.floor_ns = floor,
		.ceiling_ns = ceiling,
		.epoch = now.cover_epoch,
		.load_id = now.cover_load_id,
	};

	if (kuid_set_cover(device, &request))
		return -1;
	now = read_state(device);
	assert_int_equal(request.epoch, now.cover_epoch);
	assert_int_equal(request.load_id, now.cover_load_id);
	return 0;
}

TEST(a_cover_begins)
{
	struct kuid_state now = read_state(*state);

	assert_int_equal(
		set_cover(*state, KUID_COVER_BEGIN, 0, now.wall_ns + HOUR), 0);
	assert_int_equal(read_state(*state).cover_epoch, now.epoch + 1);
}

TEST(a_ceiling_is_raised_and_lowered_to_what_was_made)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_K64);
	struct kuid_state now;
	unsigned char id[KUID_ID_MAX];

	assert_non_null(handle);
	assert_int_equal(kuid_one(handle, id), 0);
	now = read_state(*state);
	assert_int_equal(set_cover(*state, 0, 0, now.wall_ns + HOUR), 0);
	assert_int_equal(read_state(*state).ceiling_ns, now.wall_ns + HOUR);
	assert_fails(set_cover(*state, 0, 0, now.slot_ns - GRID_TICK_NS),
		     EINVAL);
	assert_int_equal(read_state(*state).ceiling_ns, now.wall_ns + HOUR);
	assert_int_equal(set_cover(*state, 0, 0, read_state(*state).slot_ns),
			 0);
	kuid_close(handle);
}

static uint64_t ns_of_next(struct kuid *handle)
{
	unsigned char id[KUID_ID_MAX];
	struct kuid_fields fields;

	assert_int_equal(kuid_one(handle, id), 0);
	assert_int_equal(kuid_decode(KUID_FORMAT_K64, id, 0, 0, &fields), 0);
	return fields.sec * SEC_NS + fields.nsec;
}

TEST(a_floor_holds_until_the_clock_is_taken_back)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_K64);
	uint64_t floor = read_state(*state).wall_ns + HOUR;
	const uint32_t back = KUID_COVER_BEGIN | KUID_COVER_BACK;

	assert_non_null(handle);
	assert_int_equal(
		set_cover(*state, KUID_COVER_BEGIN, floor, floor + HOUR), 0);
	assert_int_equal(read_status(*state).floor_ns, floor);
	assert_true(ns_of_next(handle) >= floor);
	assert_true(read_status(*state).slot_lag_ns > HOUR / 2);

	assert_int_equal(set_cover(*state, KUID_COVER_BEGIN, floor - HOUR,
				   floor + HOUR),
			 0);
	assert_int_equal(read_status(*state).floor_ns, floor);
	assert_true(ns_of_next(handle) >= floor);

	assert_int_equal(set_cover(*state, back, 0, floor), 0);
	assert_true(read_state(*state).again_until_ns > floor);
	assert_true(ns_of_next(handle) < floor - HOUR / 2);
	kuid_close(handle);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return run_cases("admin", open_handle, close_handle);
}
