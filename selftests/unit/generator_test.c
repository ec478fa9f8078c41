// SPDX-License-Identifier: GPL-2.0-only
/*
 * A generator and its state: readings, ceilings, load_ids, nodes of private
 * lanes, twins, and the end of its times. reference_test.c has what it hands
 * out.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"
#include "host.h"
#include "machine.h"

#define NOW	 HOST_WALL
#define NR_LANES 2
#define NR_CPUS	 2
#define AHEAD	 HOST_AHEAD
#define LEX_NOW	 (NOW / 1000)

static int setup(void **state)
{
	host_start(NR_CPUS, NR_LANES, false);
	return 0;
}

static int setup_given(void **state)
{
	host_start(NR_CPUS, NR_LANES, true);
	return 0;
}

static struct kuid_units take(enum kuid_source source, unsigned int cpu,
			      struct kuid_watermarks *watermarks, u32 count)
{
	return host_take(source, cpu, watermarks, KUID_BY_FILE, count).units;
}

static struct kuid_units by_cpu(enum kuid_source source, unsigned int cpu,
				u32 count)
{
	return host_take(source, cpu, NULL, KUID_BY_CPU, count).units;
}

TEST(reading_is_empty_without_an_epoch)
{
	static const struct kuid_reading nothing;
	struct kuid_reading s;

	memset(&s, 0xff, sizeof(s));
	host_stop();
	kuid_generator_read(&host.generator, &s);
	assert_memory_equal(&s.origin, &nothing.origin, sizeof(s.origin));
	assert_int_equal(s.stamp_lag, 0);
	assert_int_equal(s.slot_lag, 0);
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		assert_int_equal(s.ahead[source], 0);
}

/* The lock is held, as by a writer that never ends. */
static void lock_for_ever(void)
{
	host.generator.lock.locked = 1;
	/* If a reader waits for the lock, the alarm kills the test. */
	alarm(20);
}

static void unlock(void)
{
	alarm(0);
	host.generator.lock.locked = 0;
}

TEST(reading_takes_no_lock)
{
	struct kuid_watermarks file = { 0 };
	struct kuid_reading s;

	take(KUID_STAMPS, 0, &file, 1);
	take(KUID_LEX, 0, &file, 1);
	take(KUID_GRID, 0, &file, 1);
	lock_for_ever();
	assert_false(kuid_generator_read(&host.generator, &s));
	assert_int_equal(s.stamp_lag, 0);
	machine_step_wall(-HOST_SECOND);
	assert_true(kuid_generator_read(&host.generator, &s));
	assert_int_equal(s.stamp_lag, HOST_SECOND);
	assert_int_equal(s.steps_back, 1);
	unlock();
}

/*
 * At the ceiling no view holds, so each call for an ID takes the lock. The
 * reading must not take it.
 */
TEST(reading_takes_no_lock_at_the_ceiling)
{
	struct kuid_reading s;

	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_COVER, true));
	assert_int_equal(host_raise(NOW + AHEAD), 0);
	machine_pass(HOST_SECOND);
	lock_for_ever();
	assert_false(kuid_generator_read(&host.generator, &s));
	assert_true(s.past_ceiling);
	assert_int_equal(s.gate.cover.ceiling, NOW + AHEAD);
	unlock();
}

/* The stamp clock goes on, and the slot clock is a second behind. */
TEST_AFTER(the_ceiling_holds_for_given_stamps, setup_given)
{
	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_COVER, true));
	assert_int_equal(host_raise(NOW + 2 * AHEAD), 0);
	assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).count, 1);
	machine_step_wall(-(s64)HOST_SECOND);
	assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).count, 1);
	assert_int_equal(host_raise(NOW + AHEAD), 0);
	assert_true(host_read().past_ceiling);
	assert_int_equal(host_read().clock,
			 NOW + host_read().stamp_lag - HOST_SECOND);
}

/* No ceiling holds for stamps with a drawn node, however far they are ahead. */
TEST(drawn_stamps_need_no_ceiling)
{
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_int_equal(host_raise(NOW + HOST_SECOND), 0);
	machine_step_wall(3600 * HOST_SECOND);
	by_cpu(KUID_STAMPS, 0, 1);
	machine_step_wall(-3600 * HOST_SECOND);
	assert_int_equal(host_read().stamp_lag, 3600 * HOST_SECOND);
	assert_int_equal(host_read().clock, NOW);
	assert_false(host_read().past_ceiling);
}

TEST(the_ceiling_is_passed_when_the_window_reaches_it)
{
	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_int_equal(host_raise(NOW + AHEAD + 1), 0);
	assert_false(host_read().past_ceiling);
	machine_pass(1);
	assert_true(host_read().past_ceiling);
}

/* Take all that singles may have of a source. Returns the highest time. */
static u64 take_all(enum kuid_source source)
{
	const struct kuid_want want = {
		.source = source,
		.order = KUID_BY_CPU,
		.ahead = host.generator.windows[source].one,
		.count = 1U << 30,
	};
	const struct kuid_units *units;
	struct kuid_taken taken;
	u64 highest = 0;

	do {
		kuid_generator_take(&host.generator, &want, &taken);
		units = &taken.units;
		if (units->count)
			highest = host_ns(source,
					  units->first + units->count - 1);
	} while (units->count);
	return highest;
}

/*
 * A ceiling can be anywhere in a grid tick. After callers have taken all below
 * it, the same ceiling can be set again, but none below their times.
 */
TEST(the_present_ceiling_can_be_set)
{
	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_COVER, true));
	/* Nothing was handed out yet. */
	assert_int_equal(host_raise(1), 0);
	for (int i = 0; i < 500; i++) {
		u64 highest = 0, ceiling = machine_wall() + AHEAD + 2 +
					   random_below(5 * KUID_MS_NS);

		assert_int_equal(host_raise(ceiling), 0);
		machine_set_wall(ceiling - AHEAD - 1);
		for (int source = 0; source < KUID_NR_SOURCES; source++)
			highest = max(highest, take_all(source));
		assert_in_range(highest, ceiling - KUID_MS_NS, ceiling - 1);
		machine_set_wall(ceiling);
		assert_int_equal(host_raise(highest), -EINVAL);
		assert_int_equal(host_raise(ceiling), 0);
		/* Stamps of the next epoch begin in a later tick of 100 ns. */
		assert_true(host_publish(KUID_EPOCH_SET, true));
		assert_int_equal(host_raise(ceiling), 0);
	}
}

TEST_AFTER(reading_tells_the_given_node, setup_given)
{
	struct kuid_reading s;

	kuid_generator_read(&host.generator, &s);
	assert_int_equal(s.origin.identity.node, HOST_GIVEN_NODE);
}

/* IDs and the reading tell the same epoch and load_id. */
static void check_load_id(u64 epoch, u64 load_id)
{
	struct kuid_reading s;

	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		struct kuid_taken t =
			host_take(source, 0, NULL, KUID_BY_CPU, 1);

		assert_int_equal(t.origin.epoch, epoch);
		assert_true(t.origin.load_id == load_id);
	}
	kuid_generator_read(&host.generator, &s);
	assert_int_equal(s.origin.epoch, epoch);
	assert_true(s.origin.load_id == load_id);
}

TEST(epochs_share_a_load_id_until_a_new_one_is_set)
{
	check_load_id(1, HOST_LOAD_ID);
	assert_true(host_publish(KUID_EPOCH_SET, false));
	check_load_id(2, HOST_LOAD_ID);
	machine_step_wall(-3600 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	check_load_id(3, HOST_LOAD_ID);
	host.load_id = 7;
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	check_load_id(4, 7);
	assert_true(host_publish(KUID_EPOCH_BACK, false));
	check_load_id(5, 7);
}

/*
 * A random node shows in IDs, so an administrator may give a node that was
 * drawn before, after other nodes were in use.
 */
TEST(a_given_node_goes_on_above_drawn_nodes)
{
	struct kuid_units first = by_cpu(KUID_STAMPS, 0, 1);

	machine_set_wall(NOW - 3600 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	assert_true(by_cpu(KUID_STAMPS, 0, 1).first < first.first);
	assert_true(host_publish(KUID_EPOCH_SET, true));
	assert_true(by_cpu(KUID_STAMPS, 0, 1).first > first.first);
}

static int hand_out(struct kuid_private_node *to)
{
	memset(to, 0, sizeof(*to));
	return kuid_generator_private_node(&host.generator, to);
}

TEST(private_nodes_are_those_of_the_epoch)
{
	for (u64 e = 1; e <= 3; e++) {
		const struct kuid_node_key key = host.generator.epoch->key;

		for (u64 i = 1; i <= 1000; i++) {
			struct kuid_private_node private;

			assert_int_equal(hand_out(&private), 0);
			assert_int_equal(private.node, kuid_node_of(&key, i));
			assert_int_not_equal(private.node,
					     kuid_node_of(&key, 0));
			assert_int_equal(private.generation, host.generation);
			assert_int_equal(private.epoch, e);
			assert_int_equal(private.load_id, HOST_LOAD_ID);
		}
		assert_true(host_publish(KUID_EPOCH_SET, false));
	}
}

TEST(private_nodes_can_be_used_up)
{
	struct kuid_epoch *epoch = host.generator.epoch;
	struct kuid_private_node private;

	atomic64_set(&epoch->nodes.last, KUID_NODE_LAST - 2);
	for (u64 i = KUID_NODE_LAST - 1; i <= KUID_NODE_LAST; i++) {
		assert_int_equal(hand_out(&private), 0);
		assert_int_equal(private.node, kuid_node_of(&epoch->key, i));
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hand_out(&private), -ENOSPC);
		assert_int_equal(private.node, 0);
	}
	assert_int_equal(atomic64_read(&epoch->nodes.last), KUID_NODE_LAST);
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_int_equal(hand_out(&private), 0);
	assert_int_equal(private.epoch, 2);
}

TEST(each_epoch_has_its_generation)
{
	static const enum kuid_why reasons[] = {
		KUID_EPOCH_BACK,
		KUID_EPOCH_SET,
		KUID_EPOCH_COVER,
		KUID_EPOCH_FORK,
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		u64 before = host.generation;

		assert_true(host_publish(reasons[i], i & 1));
		assert_true(host.generation > before);
		assert_false(host.generation & 1);
	}
}

/* An epoch that is not needed any more does not end the private lanes. */
TEST(only_an_epoch_changes_the_generation)
{
	u64 before = host.generation;

	by_cpu(KUID_STAMPS, 0, 1);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	machine_set_wall(NOW + HOST_SECOND);
	by_cpu(KUID_STAMPS, 0, 1);
	machine_set_wall(NOW);
	by_cpu(KUID_STAMPS, 0, 1);
	assert_int_equal(host.generation, before);
	machine_set_wall(NOW - 3600 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	assert_int_not_equal(host.generation, before);
}

TEST(a_closed_generator_hands_out_no_node)
{
	struct kuid_private_node private;
	u64 opened, closed;

	opened = host.generation;
	host_close();
	closed = host.generation;
	assert_true(closed > opened);
	assert_int_equal(hand_out(&private), -EAGAIN);
	/* Only an epoch that begins because of the twin opens it. */
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_int_equal(hand_out(&private), -EAGAIN);
	assert_int_equal(atomic64_read(&host.generator.epoch->nodes.last), 0);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_true(host.generation > closed);
	assert_int_equal(hand_out(&private), 0);
	assert_int_equal(private.generation, host.generation);
}

/* Nobody has told of the twin yet: the lane compares the generation ID itself. */
TEST(a_clone_gets_no_node)
{
	u64 vm_id[2] = { 1, 2 };
	struct kuid_private_node private;

	kuid_generator_use_vm_id(&host.generator, vm_id);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(hand_out(&private), 0);
		vm_id[i] = 3;
		assert_int_equal(hand_out(&private), -EAGAIN);
		assert_int_equal(private.node, 0);
		host_close();
		assert_true(host_publish(KUID_EPOCH_FORK, false));
	}
	assert_int_equal(hand_out(&private), 0);
}

/* A notification that tells of a known twin closes nothing. */
TEST(a_twin_is_closed_once)
{
	static u64 vm_id[2] = { 1, 2 };
	struct kuid_claimed died;

	/* Without a generation ID, each one may be of another twin. */
	for (u64 i = 1; i <= 2; i++) {
		assert_true(kuid_generator_close(&host.generator, true, &died));
		assert_int_equal(host.generator.gate.closings, i);
	}
	kuid_generator_use_vm_id(&host.generator, vm_id);
	assert_false(kuid_generator_close(&host.generator, true, &died));
	vm_id[1]++;
	assert_true(kuid_generator_close(&host.generator, true, &died));
	assert_false(kuid_generator_close(&host.generator, true, &died));
	assert_int_equal(host.generator.gate.closings, 3);
}

static bool k64_may_repeat(void)
{
	struct kuid_reading reading;

	kuid_generator_read(&host.generator, &reading);
	return reading.rewound;
}

/* A machine whose clock is set forward was told the time. */
TEST(a_machine_that_was_set_back_may_repeat_k64)
{
	assert_false(k64_may_repeat());
	host_close();
	assert_true(k64_may_repeat());
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	machine_set_wall(NOW - HOST_SECOND);
	assert_true(k64_may_repeat());
	machine_set_wall(NOW);
	assert_true(k64_may_repeat());
	machine_set_wall(NOW + 1);
	assert_false(k64_may_repeat());
	by_cpu(KUID_GRID, 0, 1);
	machine_set_wall(NOW - HOST_SECOND);
	assert_false(k64_may_repeat());
}

/* A restored floor covers what the machine handed out before it was set back. */
TEST(a_restored_floor_ends_repeats_of_k64)
{
	host_close();
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_true(k64_may_repeat());
	host.change.cover.floor = NOW + HOST_SECOND;
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_false(k64_may_repeat());
}

/* The floor may be the time of the last stamp, which was handed out. */
TEST_AFTER(stamps_go_on_above_a_floor, setup_given)
{
	u64 last = by_cpu(KUID_STAMPS, 0, 1).first;

	for (int by = -1; by <= 1; by++) {
		host.change.cover.floor = last + by;
		assert_true(host_publish(KUID_EPOCH_COVER, true));
		assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).first,
				 last + KUID_TICK_NS);
		last += KUID_TICK_NS;
	}
	/* Above all stamps: callers have all of the window at once. */
	host.change.cover.floor = NOW + HOST_SECOND;
	assert_true(host_publish(KUID_EPOCH_COVER, true));
	assert_int_equal(by_cpu(KUID_STAMPS, 0, AHEAD).first,
			 host.change.cover.floor);
	assert_int_equal(by_cpu(KUID_STAMPS, 1, AHEAD).count, AHEAD / 2);
}

/* The resume sets the clock forward. */
TEST(a_hibernation_sets_the_clock_forward)
{
	host_close();
	machine_set_wall(NOW + HOST_SECOND);
	host_close();
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_false(k64_may_repeat());
}

TEST_AFTER(a_given_node_is_not_handed_out, setup_given)
{
	struct kuid_private_node private;

	assert_int_equal(hand_out(&private), -EOPNOTSUPP);
	host_close();
	assert_int_equal(hand_out(&private), -EOPNOTSUPP);
	assert_int_equal(atomic64_read(&host.generator.epoch->nodes.last), 0);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_int_equal(hand_out(&private), 0);
}

/* No lane can have this node. */
#define CARD_NODE (HOST_GIVEN_NODE & ~KUID_NODE_MULTICAST)

TEST(a_node_that_a_lane_may_have_is_refused)
{
	struct kuid_private_node private;
	struct kuid_reading before, after;
	struct kuid_epoch *epoch;

	assert_int_equal(hand_out(&private), 0);
	for (u64 i = 1; i <= 3; i++) {
		epoch = host.generator.epoch;
		before = host_read();
		assert_false(host_publish(KUID_EPOCH_SET, true));
		assert_int_equal(host.refused, -EBUSY);
		after = host_read();
		assert_memory_equal(&before, &after, sizeof(after));
		assert_ptr_equal(host.generator.epoch, epoch);
		assert_int_equal(epoch->number, i);
		assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).count, 1);
		/* The lane has ended, and there are others. */
		assert_true(host.generation > private.generation);
		assert_false(host.generation & 1);
		/* Any later epoch of this load refuses the node as well. */
		assert_true(host_publish(KUID_EPOCH_SET, false));
	}
	/* A lane still gets a node. */
	assert_int_equal(hand_out(&private), 0);
	assert_int_equal(private.generation, host.generation);

	host.given_node = CARD_NODE;
	assert_true(host_publish(KUID_EPOCH_SET, true));
	assert_int_equal(host.generator.epoch->identity.node, CARD_NODE);
	assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).first, NOW);
	/* Lanes of epochs before that one count, too. */
	host.given_node = HOST_GIVEN_NODE;
	assert_false(host_publish(KUID_EPOCH_SET, true));
}

TEST(a_node_is_given_if_there_were_no_lanes)
{
	machine_pass(60 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_SET, true));
	assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).first,
			 NOW + 60 * HOST_SECOND);
	assert_int_equal(host_read().stamp_lag, 0);
}

TEST(clear_is_zero_without_ids)
{
	assert_true(kuid_generator_clear(&host.generator) <= 1);
	host_stop();
	assert_int_equal(kuid_generator_clear(&host.generator), 0);
}

/*
 * A new load with the same identity begins at the time that the old one tells.
 */
TEST_AFTER(a_generator_that_begins_when_clear_repeats_nothing, setup_given)
{
	static const u32 counts[] = { 1, 31, 32, 33, 16383, 16384, 16385 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		u64 last[KUID_NR_SOURCES], clear;
		struct kuid_watermarks fresh = { 0 };

		host_teardown(state);
		setup_given(state);
		machine_set_wall(NOW + i);
		for (int source = 0; source < KUID_NR_SOURCES; source++) {
			struct kuid_units s = by_cpu(source, 1, counts[i]);

			assert_int_equal(s.count, counts[i]);
			last[source] = s.first + s.count - 1;
		}
		clear = kuid_generator_clear(&host.generator);
		assert_true(clear > kuid_lex_ns(last[KUID_LEX]));

		host_teardown(state);
		setup_given(state);
		machine_set_wall(clear);
		for (int source = 0; source < KUID_NR_SOURCES; source++)
			assert_true(take(source, 0, &fresh, 1).first >
				    last[source]);
	}
}

/* Only the lanes are far ahead, not the sequences. */
TEST_AFTER(clear_counts_stamps_with_a_given_node, setup_given)
{
	by_cpu(KUID_STAMPS, 1, 5000000);
	assert_int_equal(kuid_generator_clear(&host.generator), NOW + 5000000);
}

/* Slots from before they went back may repeat until that time. */
TEST(clear_counts_slots_from_before_going_back)
{
	struct kuid_units s = by_cpu(KUID_LEX, 1, 1000);

	u64 last = kuid_lex_ns(s.first + s.count - 1);

	machine_set_wall(NOW - 3600 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_BACK, false));
	assert_true(kuid_generator_clear(&host.generator) > last);
	machine_set_wall(last);
	assert_true(host_read().slots_again);
	machine_set_wall(kuid_generator_clear(&host.generator));
	assert_false(host_read().slots_again);
}

/* No other generator has this node. */
TEST(clear_ignores_stamps_with_a_random_node)
{
	by_cpu(KUID_STAMPS, 1, 5000000);
	assert_true(kuid_generator_clear(&host.generator) <= 1);
}

int main(void)
{
	return run_cases("generator", setup, host_teardown);
}
