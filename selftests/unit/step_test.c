// SPDX-License-Identifier: GPL-2.0-only
/*
 * The moments at which a clock step begins an epoch, and those at which the
 * epoch is refused. reference_test.c has all other clock steps.
 */
#include "core/uuid.h"
#include "cases.h"
#include "host.h"
#include "machine.h"

#define NOW    HOST_WALL
#define SECOND HOST_SECOND
#define HOUR   (3600 * SECOND)

static struct kuid_watermarks file;

static int setup(void **state)
{
	file = (struct kuid_watermarks) { 0 };
	host_start(2, 2, false);
	return 0;
}

static u64 next(enum kuid_source source)
{
	struct kuid_units s =
		host_take(source, 0, &file, KUID_BY_FILE, 1).units;

	return s.count ? s.first : 0;
}

/* Take one unit of each source, so the highest issued time is now. */
static void take_all(void)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		assert_int_not_equal(next(source), 0);
}

/*
 * The time of a grid slot is that of its grid tick, so the lag of the slots is
 * exact only to one grid tick.
 */
#define assert_near(time, expected)                             \
	do {                                                    \
		u64 is = (time), should = (expected);           \
                                                                \
		assert_in_range(is, should - KUID_GRID_TICK_NS, \
				should + KUID_GRID_TICK_NS);    \
	} while (0)

TEST(the_limit_is_the_last_nanosecond)
{
	assert_int_equal(next(KUID_STAMPS), NOW);
	machine_step_wall(-(s64)HOST_LIMIT);
	assert_int_equal(host_read().stamp_lag, HOST_LIMIT);
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_false(host_publish(KUID_EPOCH_STEP, false));

	machine_step_wall(-1);
	assert_int_equal(host_read().stamp_lag, HOST_LIMIT + 1);
	assert_int_equal(machine_epochs_wanted(), 1);
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(host_read().stamp_lag, 0);
}

TEST(an_epoch_is_refused_if_it_is_not_wanted_any_more)
{
	struct kuid_epoch *epoch = host.generator.epoch;
	struct kuid_reading before, after;
	u64 last;

	take_all();
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	machine_step_wall(-(s64)HOUR);
	take_all();
	last = next(KUID_STAMPS);
	assert_int_equal(machine_epochs_wanted(), 1);
	/* The wall clock was set right while the epoch was made. */
	machine_step_wall(HOUR - SECOND);
	before = host_read();
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	after = host_read();
	assert_int_equal(before.stamp_lag, after.stamp_lag);
	assert_int_equal(before.slot_lag, after.slot_lag);
	assert_int_equal(after.origin.epoch, 1);
	assert_ptr_equal(host.generator.epoch, epoch);
	assert_int_equal(next(KUID_STAMPS), last + 1);

	/* The clock was corrected, and no call has noticed yet. */
	machine_step_wall(-(s64)HOUR);
	take_all();
	machine_step_wall(HOUR);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(next(KUID_STAMPS), last + 3);

	/* The wall clock has caught up by itself. */
	machine_step_wall(-20 * (s64)SECOND);
	take_all();
	assert_int_equal(machine_epochs_wanted(), 3);
	last = next(KUID_STAMPS);
	machine_pass(HOUR);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(next(KUID_STAMPS), machine_wall());
}

/* The caller that finds the clock step may publish before it goes on. */
static void publish_at_once(const struct kuid_step *step)
{
	if (step->epoch_wanted)
		assert_true(host_publish(KUID_EPOCH_STEP, false));
}

TEST(an_epoch_may_begin_where_the_step_is_found)
{
	machine_on_step(publish_at_once);
	for (int i = 1; i < 50; i++) {
		u64 wall = NOW - i * HOUR;

		take_all();
		machine_set_wall(wall);
		assert_int_equal(next(KUID_STAMPS), wall);
		assert_int_equal(host_read().origin.epoch, 1 + i);
	}
	assert_near(host_read().slot_lag, 49 * HOUR);
}

/*
 * A caller that is still in a former epoch must not clear the watermarks of the
 * epoch in use.
 */
TEST(a_late_caller_does_not_reset_a_file)
{
	struct kuid_watermarks was;

	host_publish(KUID_EPOCH_BACK, false);
	host_publish(KUID_EPOCH_BACK, false);
	take_all();
	was = file;
	assert_int_equal(was.epoch, 3);
	kuid_generator_enter(&host.generator, &file, 2);
	kuid_generator_enter(&host.generator, &file, 3);
	assert_memory_equal(&was, &file, sizeof(was));
	/* The next epoch uses the other watermark. */
	kuid_generator_enter(&host.generator, &file, 4);
	assert_int_equal(file.epoch, 4);
	assert_int_equal(file.by_epoch[0].last[KUID_STAMPS], 0);
	assert_int_equal(file.by_epoch[0].last[KUID_LEX], 0);
	assert_int_equal(file.by_epoch[0].last[KUID_GRID], 0);
	assert_memory_equal(&was.by_epoch[1], &file.by_epoch[1],
			    sizeof(was.by_epoch[1]));
}

int main(void)
{
	return run_cases("step", setup, host_teardown);
}
