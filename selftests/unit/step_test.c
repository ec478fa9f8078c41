// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wall clock is set back and forward, stands still or is wrong. The results
 * are checked to the nanosecond. After each test, no unit may have been handed
 * out twice.
 */

#include "core/uuid.h"
#include "cases.h"
#include "host.h"
#include "machine.h"

#define NOW    HOST_WALL
#define SECOND HOST_SECOND
#define MS     1000000ULL
#define HOUR   (3600 * SECOND)
#define YEARS  (10 * 365 * 24 * HOUR)

static struct kuid_watermarks file;

static int start(bool node_given)
{
	file = (struct kuid_watermarks) { 0 };
	host_start(2, 2, node_given);
	return 0;
}

static int setup(void **state)
{
	return start(false);
}

static int setup_given(void **state)
{
	return start(true);
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

/*
 * Set the clock back by @by just after a stamp was issued. The clock must go on
 * at half speed from that stamp until the wall clock has caught up, to the
 * nanosecond, without a new epoch.
 */
static void set_back(u64 by)
{
	u64 from;

	machine_pass(SECOND + 1);
	take_all();
	from = machine_wall();
	machine_step_wall(-(s64)by);
	machine_forget();

	assert_int_equal(next(KUID_STAMPS), from + 1);
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_int_equal(machine_last_step()->by, -(s64)by);
	assert_int_equal(machine_last_step()->stamp_lag, by);
	assert_false(machine_last_step()->epoch_wanted);
	assert_int_equal(host_read().stamp_lag, by);
	assert_int_equal(host_clock(KUID_STAMPS), from);

	for (int i = 1; i <= 1000; i++) {
		machine_pass(2 * by / 1000);
		take_all();
		assert_int_equal(host_clock(KUID_STAMPS), from + by / 1000 * i);
		assert_int_equal(host_read().stamp_lag, by - by / 1000 * i);
	}
	assert_int_equal(host_clock(KUID_STAMPS), machine_wall());
	assert_int_equal(host_read().slot_lag, 0);
	machine_pass(12345);
	assert_int_equal(next(KUID_STAMPS), machine_wall());
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(host.nr_epochs, 1);
}

TEST(back_by_5_ms)
{
	set_back(5 * MS);
}

TEST(back_by_a_second)
{
	set_back(SECOND);
}

TEST(back_by_just_less_than_the_limit)
{
	set_back(9900 * MS);
	set_back(9900 * MS);
}

/* The wall clock shows the last second of the day twice. */
TEST(a_leap_second)
{
	u64 day = (NOW / SECOND / 86400 + 1) * 86400 * SECOND;
	u64 last;

	machine_set_wall(day - 1);
	take_all();
	last = next(KUID_STAMPS);
	assert_int_equal(last, day);
	machine_pass(1);
	machine_forget();
	machine_step_wall(-(s64)SECOND);
	for (int i = 0; i < 4000; i++) {
		u64 stamp = next(KUID_STAMPS);

		assert_true(stamp > last);
		assert_true(stamp <= day + i * MS / 2 + 2);
		take_all();
		last = next(KUID_STAMPS);
		machine_pass(MS / 2);
	}
	/* After two seconds, the wall clock has caught up. */
	assert_int_equal(host_clock(KUID_STAMPS), machine_wall());
	assert_int_equal(machine_wall(), day + SECOND);
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_int_equal(machine_steps(), 1);
}

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

TEST(a_step_does_not_count_from_the_shown_time)
{
	next(KUID_STAMPS);
	/* The shown time is beyond the limit, but the issued time is not. */
	machine_pass(20 * SECOND);
	host_read();
	machine_step_wall(-(s64)(25 * SECOND));
	assert_int_equal(host_read().stamp_lag, 5 * SECOND);
	assert_int_equal(machine_last_step()->stamp_lag, 5 * SECOND);
	assert_int_equal(machine_last_step()->slot_lag, 0);
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_int_equal(next(KUID_STAMPS), NOW + 1);
	/* No slot was issued, so the slot clock is the wall clock. */
	assert_int_equal(next(KUID_LEX), machine_wall() / 1000);
}

TEST(a_step_back_to_a_time_above_all_ids_has_no_lag)
{
	take_all();
	machine_pass(HOUR);
	machine_step_wall(-(s64)(HOUR - 2 * MS));
	take_all();
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(machine_last_step()->stamp_lag, 0);
	assert_int_equal(host_clock(KUID_STAMPS), NOW + 2 * MS);
	assert_int_equal(host_clock(KUID_LEX), NOW + 2 * MS);
}

/* Each clock step is below the limit, but their sum is not. */
TEST(ten_times_back_by_less_than_the_limit)
{
	u64 by = 9900 * MS;
	u64 slot_lag = 0;

	take_all();
	for (int i = 1; i <= 10; i++) {
		machine_forget();
		machine_step_wall(-(s64)by);
		slot_lag += by;
		take_all();
		/* Every second clock step exceeds the limit. */
		assert_int_equal(machine_epochs_wanted(), i % 2 == 0);
		assert_near(host_read().slot_lag, slot_lag);
		if (i % 2) {
			assert_int_equal(host_read().stamp_lag, by);
			assert_false(host_publish(KUID_EPOCH_STEP, false));
		} else {
			/* The clock caught up by half a second in between. */
			assert_int_equal(machine_last_step()->stamp_lag,
					 2 * by - SECOND / 2);
			assert_true(host_publish(KUID_EPOCH_STEP, false));
			assert_int_equal(host_read().stamp_lag, 0);
			take_all();
		}
		machine_pass(SECOND);
		slot_lag -= SECOND / 2;
		take_all();
	}
	assert_int_equal(host.nr_epochs, 6);
	assert_near(host_read().slot_lag, slot_lag);
}

TEST_AFTER(a_given_node_goes_at_half_speed_past_the_limit, setup_given)
{
	u64 lag = 0;

	next(KUID_STAMPS);
	for (int i = 1; i <= 10; i++) {
		machine_step_wall(-(s64)HOUR);
		lag += HOUR;
		next(KUID_STAMPS);
		assert_int_equal(host_read().stamp_lag, lag);
		assert_int_equal(machine_last_step()->stamp_lag, lag);
		machine_pass(SECOND);
		lag -= SECOND / 2;
		next(KUID_STAMPS);
		assert_int_equal(host_read().stamp_lag, lag);
		next(KUID_LEX);
		next(KUID_GRID);
	}
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_int_equal(machine_steps(), 10);
	/* When the wall clock has caught up, the clock is the wall clock. */
	machine_pass(2 * lag - 2);
	assert_int_equal(host_read().stamp_lag, 1);
	machine_pass(2);
	assert_int_equal(host_read().stamp_lag, 0);
	machine_pass(SECOND);
	assert_int_equal(next(KUID_STAMPS), machine_wall());
}

/* The first tick of 100 ns at or after the wall clock. */
TEST(a_new_epoch_begins_with_the_next_tick)
{
	static const u32 within[] = { 0, 1, 49, 50, 98, 99 };

	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		u64 wall = NOW - HOUR + within[i];
		u64 tick = (wall + 99) / 100 * 100;
		struct kuid_watermarks other = { 0 };
		u64 lex;

		host_teardown(NULL);
		setup(NULL);
		take_all();
		lex = next(KUID_LEX);
		machine_set_wall(wall);
		assert_int_equal(host_read().stamp_lag, HOUR - within[i]);
		assert_int_equal(machine_epochs_wanted(), 1);
		/* The old epoch goes on until the new one is published. */
		assert_int_equal(next(KUID_STAMPS), NOW + 1);
		assert_true(host_publish(KUID_EPOCH_STEP, false));
		assert_int_equal(host_read().origin.epoch, 2);
		assert_int_equal(host_read().stamp_lag, 0);
		assert_int_equal(next(KUID_STAMPS), tick);
		for (unsigned int cpu = 1; cpu < 4; cpu++)
			assert_int_equal(host_take(KUID_STAMPS, cpu, &other,
						   KUID_BY_FILE, 1)
						 .units.first,
					 tick + cpu - 1);
		assert_int_equal(host_take(KUID_STAMPS, 0, &file, KUID_BY_HOST,
					   1)
					 .units.first,
				 tick + 1);
		/*
		 * Slot formats have only the slot to tell IDs apart, so slots
		 * go on.
		 */
		assert_int_equal(next(KUID_LEX), lex + 1);
		assert_near(host_read().slot_lag, HOUR);
	}
}

TEST(forward_and_back_within_the_limit)
{
	take_all();
	machine_step_wall(5 * SECOND);
	take_all();
	assert_int_equal(host_clock(KUID_STAMPS), NOW + 5 * SECOND);
	machine_step_wall(-5 * (s64)SECOND);
	take_all();
	assert_int_equal(host_read().stamp_lag, 5 * SECOND);
	assert_int_equal(host.generator.steps_back, 1);
	assert_int_equal(host.generator.steps_forward, 1);
	/*
	 * After a clock step forward, the wall clock is above the issued IDs.
	 */
	machine_step_wall(5 * SECOND + 10 * MS);
	assert_int_equal(next(KUID_STAMPS), NOW + 5 * SECOND + 10 * MS);
	assert_int_equal(host_read().stamp_lag, 0);
	assert_int_equal(host.generator.steps_forward, 2);
	assert_int_equal(machine_epochs_wanted(), 0);
}

/*
 * The wall clock is set forward by less than the lag. The lag is less then, and
 * the clock still goes at half speed.
 */
TEST(forward_by_less_than_the_lag)
{
	next(KUID_STAMPS);
	machine_step_wall(-8 * (s64)SECOND);
	assert_int_equal(next(KUID_STAMPS), NOW + 1);
	machine_step_wall(3 * SECOND);
	assert_int_equal(next(KUID_STAMPS), NOW + 2);
	assert_int_equal(machine_last_step()->stamp_lag, 5 * SECOND + 1);
	machine_pass(10 * SECOND);
	assert_int_equal(host_read().stamp_lag, 0);
}

TEST(an_hour_forward_is_followed_at_once)
{
	take_all();
	machine_step_wall(HOUR);
	assert_int_equal(next(KUID_STAMPS), NOW + HOUR);
	assert_int_equal(next(KUID_LEX), (NOW + HOUR) / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(NOW + HOUR));
	assert_int_equal(machine_last_step()->by, HOUR);
	assert_int_equal(machine_epochs_wanted(), 0);
}

/* A call for any source finds the clock step. */
TEST(each_source_finds_a_step_by_itself)
{
	u64 then = NOW + HOUR;

	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		host_teardown(state);
		setup(state);
		next(source);
		machine_set_wall(then);
		assert_int_equal(next(source), kuid_scales[source].at(then));
		assert_int_equal(machine_steps(), 1);
		machine_step_wall(-(s64)SECOND);
		assert_int_not_equal(next(source), 0);
		assert_int_equal(machine_steps(), 2);
	}
}

TEST(ten_years_forward_and_back)
{
	take_all();
	machine_step_wall(YEARS);
	take_all();
	machine_step_wall(-(s64)YEARS);
	machine_pass(SECOND);
	take_all();
	assert_int_equal(machine_epochs_wanted(), 1);
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(next(KUID_STAMPS), NOW + SECOND);
	assert_int_equal(host_read().stamp_lag, 0);
	/* The slots are years ahead, and their clock goes at half speed. */
	assert_near(host_read().slot_lag, YEARS - SECOND);
	machine_pass(2 * SECOND);
	take_all();
	assert_near(host_read().slot_lag, YEARS - 2 * SECOND);

	/* An administrator may allow slots to repeat. */
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(host_read().slot_lag, 0);
	assert_int_equal(host_read().stamp_lag, 0);
	assert_int_equal(next(KUID_LEX), machine_wall() / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(machine_wall()));
	assert_int_equal(next(KUID_STAMPS), (machine_wall() + 99) / 100 * 100);
	assert_int_equal(host_read().origin.epoch, 3);
}

/*
 * No ID has the bogus time, so nothing of it must be left after the wall clock
 * was set right.
 */
TEST(a_bogus_time_before_the_first_id)
{
	machine_step_wall(YEARS);
	assert_int_equal(host_read().origin.epoch, 1);
	assert_int_equal(machine_last_step()->by, YEARS);
	machine_pass(30 * SECOND);
	machine_step_wall(-(s64)YEARS);
	machine_forget();
	assert_int_equal(next(KUID_STAMPS), NOW + 30 * SECOND);
	assert_int_equal(next(KUID_LEX), (NOW + 30 * SECOND) / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(NOW + 30 * SECOND));
	assert_int_equal(machine_last_step()->stamp_lag, 0);
	assert_int_equal(machine_last_step()->slot_lag, 0);
	assert_int_equal(machine_epochs_wanted(), 0);
}

/*
 * The monotonic clock stands still, too. All IDs of the window can be had,
 * once.
 */
TEST(all_clocks_stand_still)
{
	u64 got = 0, most = host.generator.windows[KUID_STAMPS].one;
	struct kuid_taken taken;

	for (;;) {
		kuid_generator_take(&host.generator,
				    &(struct kuid_want) { KUID_STAMPS, &file,
							  KUID_BY_FILE, 0, most,
							  12345678 },
				    &taken);
		if (!taken.units.count)
			break;
		assert_int_equal(taken.units.first, NOW + got);
		got += taken.units.count;
	}
	assert_int_equal(got, HOST_AHEAD + 1);
	assert_int_equal(taken.units.first, NOW + got);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(next(KUID_STAMPS), 0);
		assert_int_equal(host_take(KUID_STAMPS, i, &file, KUID_BY_HOST,
					   1)
					 .units.count,
				 0);
	}
	machine_pass(10 * SECOND);
	assert_int_equal(next(KUID_STAMPS), NOW + 10 * SECOND);

	got = 0;
	while (next(KUID_LEX))
		got++;
	assert_int_equal(got, HOST_AHEAD / 1000 + 1);
	got = 0;
	for (;;) {
		kuid_generator_take(
			&host.generator,
			&(struct kuid_want) {
				KUID_GRID, &file, KUID_BY_FILE, 0,
				host.generator.windows[KUID_GRID].one, 9999 },
			&taken);
		if (!taken.units.count)
			break;
		got += taken.units.count;
	}
	assert_int_equal(got, (97 + 1) << KUID_GRID_SEQ_BITS);
	assert_int_equal(machine_steps(), 0);
}

/*
 * The wall clock is set back again and again, and no ID was issued with the
 * times that it showed in between.
 */
TEST(the_wall_clock_stands_still)
{
	assert_int_equal(next(KUID_STAMPS), NOW);
	for (int i = 1; i <= 25000; i++) {
		machine_pass(MS);
		machine_step_wall(-(s64)MS);
		assert_int_equal(machine_wall(), NOW);
		assert_int_equal(next(KUID_STAMPS), NOW + i);
		assert_true(host_read().stamp_lag < (u64)i);
	}
	assert_int_equal(machine_epochs_wanted(), 0);
}

/* The wall clock goes on for a millisecond, and is then set back by that. */
TEST(the_wall_clock_is_held_back)
{
	u64 wanted_at = 0;

	for (int i = 1; i <= 25000; i++) {
		u64 lag = MS + (i - 1) * MS / 2;

		machine_pass(MS);
		assert_int_equal(next(KUID_STAMPS), NOW + lag);
		machine_step_wall(-(s64)MS);
		assert_int_equal(machine_wall(), NOW);
		assert_int_equal(host_read().stamp_lag, lag);
		assert_int_equal(machine_last_step()->stamp_lag, lag);
		if (!wanted_at && machine_epochs_wanted())
			wanted_at = lag;
		if (i % 100 == 0) {
			next(KUID_LEX);
			next(KUID_GRID);
		}
	}
	assert_int_equal(wanted_at, HOST_LIMIT + MS / 2);
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(next(KUID_STAMPS), NOW);
}

/*
 * The window is used up and the wall clock is set again and again: the clock
 * does not move.
 */
TEST(run_ahead_does_not_drive_the_clock)
{
	u64 half = HOST_AHEAD / 2;

	host_take(KUID_STAMPS, 0, &file, KUID_BY_FILE, ~0U);
	host_take(KUID_LEX, 0, &file, KUID_BY_FILE, ~0U);
	host_take(KUID_GRID, 0, &file, KUID_BY_FILE, ~0U);
	for (int i = 1; i <= 5000; i++) {
		machine_step_wall(-1000);
		host_take(KUID_STAMPS, i, &file, KUID_BY_FILE, ~0U);
		host_take(KUID_LEX, i, &file, KUID_BY_FILE, ~0U);
		host_take(KUID_GRID, i, &file, KUID_BY_FILE, ~0U);
		assert_int_equal(host_clock(KUID_STAMPS), NOW);
		assert_int_equal(host_clock(KUID_LEX), NOW);
		assert_int_equal(host_read().stamp_lag, i * 1000);
		/* The lag counts from the issued time, not from the clock. */
		assert_int_equal(machine_last_step()->stamp_lag,
				 half + i * 1000);
	}
	assert_int_equal(machine_steps(), 5000);
	assert_int_equal(host_read().ahead[KUID_STAMPS], half);
	/*
	 * It does not move either if the wall clock is set forward and back in
	 * turn.
	 */
	for (int i = 1; i <= 1000; i++) {
		machine_step_wall(i % 2 ? 3000 : -3000);
		host_take(KUID_STAMPS, i, &file, KUID_BY_FILE, ~0U);
		assert_int_equal(host_clock(KUID_STAMPS), NOW);
	}
}

TEST(forced_clocks_are_the_wall_clock)
{
	take_all();
	machine_step_wall(-(s64)YEARS);
	take_all();
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(host_read().stamp_lag, 0);
	assert_int_equal(host_read().slot_lag, 0);
	assert_int_equal(next(KUID_STAMPS), NOW - YEARS);
	assert_int_equal(next(KUID_LEX), (NOW - YEARS) / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(NOW - YEARS));
	/* No further epoch is requested. */
	machine_forget();
	machine_pass(SECOND);
	take_all();
	assert_int_equal(machine_steps(), 0);
	assert_int_equal(host_clock(KUID_LEX), machine_wall());
}

/*
 * If publishing an epoch finds a clock step, it is reported once, like any
 * other clock step.
 */
TEST(a_new_epoch_reports_a_step)
{
	take_all();
	machine_step_wall(-(s64)HOUR);
	take_all();
	assert_int_equal(machine_epochs_wanted(), 1);
	machine_step_wall(-(s64)SECOND);
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(machine_last_step()->by, -(s64)SECOND);
	assert_int_equal(machine_last_step()->stamp_lag, 0);
	assert_near(machine_last_step()->slot_lag, HOUR + SECOND);
	assert_false(machine_last_step()->epoch_wanted);
	assert_int_equal(host.generator.steps_back, 2);
	take_all();
	assert_int_equal(machine_steps(), 1);

	/* Forced clocks have no lag. */
	machine_step_wall(-(s64)SECOND);
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(machine_last_step()->slot_lag, 0);
}

/* The stamps of a given node go on. */
TEST_AFTER(a_new_epoch_reports_the_lag_of_a_given_node, setup_given)
{
	take_all();
	machine_step_wall(-(s64)SECOND);
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_FORCE, true));
	assert_int_equal(machine_steps(), 1);
	assert_near(machine_last_step()->stamp_lag, SECOND);
	assert_int_equal(machine_last_step()->slot_lag, 0);
}

/* If there was no clock step, publishing an epoch reports nothing. */
TEST(a_new_epoch_reports_nothing_without_a_step)
{
	take_all();
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(machine_steps(), 0);
	/*
	 * An epoch that is refused reports no clock step. The next call finds
	 * and reports it.
	 */
	machine_step_wall(-(s64)SECOND);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(machine_steps(), 0);
	take_all();
	assert_int_equal(machine_steps(), 1);
}

/* Slots may repeat then, but stamps with the same given node may not. */
TEST_AFTER(stamps_of_a_given_node_go_on_when_forced, setup_given)
{
	u64 last;

	take_all();
	last = next(KUID_STAMPS);
	machine_step_wall(-(s64)HOUR);
	assert_true(host_publish(KUID_EPOCH_FORCE, true));
	assert_int_equal(next(KUID_LEX), (NOW - HOUR) / 1000);
	assert_int_equal(host_read().slot_lag, 0);
	assert_int_equal(next(KUID_STAMPS), (last / 100 + 1) * 100);
	/* The stamp clock goes on from where it was. */
	assert_int_equal(host_read().stamp_lag, HOUR);
	machine_pass(2 * HOUR);
	take_all();
	assert_int_equal(host_read().stamp_lag, 0);
}

/*
 * The last stamp may be anywhere in its tick of 100 ns. The new epoch begins
 * above all stamps, with a tick of its own.
 */
TEST_AFTER(a_new_epoch_of_a_given_node_is_above_all_stamps, setup_given)
{
	u64 last = next(KUID_STAMPS);

	for (u32 i = 0; i < 1000; i++) {
		unsigned int cpu = random_below(3);
		u64 tick, stamp;

		if (random_below(2))
			machine_step_wall(-(s64)random_below(HOUR));
		last = max(last,
			   host_take(KUID_STAMPS, cpu, &file, KUID_BY_FILE, 1)
				   .units.first);
		assert_true(host_publish(KUID_EPOCH_FORCE, true));
		tick = (last / 100 + 1) * 100;
		stamp = host_take(KUID_STAMPS, 1 + cpu, &file, KUID_BY_CPU, 1)
				.units.first;
		/* The clock may have passed the start of that tick. */
		assert_true(stamp == tick ||
			    (stamp > tick && stamp == machine_wall()));
		last = stamp;
		machine_pass(random_below(300));
	}
}

/*
 * After an epoch with a random node, the stamps of the given node must still be
 * above the earlier ones.
 */
TEST_AFTER(a_node_given_again_is_above_all_stamps, setup_given)
{
	u64 last;

	machine_step_wall(HOUR);
	last = next(KUID_STAMPS);
	assert_int_equal(last, NOW + HOUR);
	machine_step_wall(-(s64)HOUR);
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(next(KUID_STAMPS), NOW);
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(next(KUID_STAMPS), NOW);
	assert_true(host_publish(KUID_EPOCH_FORCE, true));
	/*
	 * The first stamp is a whole window in front of the clock, which goes
	 * at half speed. So the caller waits for 2 ns.
	 */
	assert_int_equal(next(KUID_STAMPS), 0);
	machine_pass(2);
	assert_int_equal(next(KUID_STAMPS), (last / 100 + 1) * 100);
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

TEST(a_step_is_counted_once)
{
	take_all();
	machine_step_wall(-(s64)MS);
	assert_true(host_publish(KUID_EPOCH_SET, false));
	take_all();
	assert_int_equal(host.generator.steps_back, 1);
	assert_int_equal(host.generator.steps_forward, 0);

	machine_step_wall(HOUR);
	take_all();
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_int_equal(host.generator.steps_back, 1);
	assert_int_equal(host.generator.steps_forward, 1);
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

TEST(an_idle_file_has_no_watermark_of_former_epochs)
{
	struct kuid_watermarks idle[4] = { 0 };

	machine_step_wall(YEARS);
	for (int i = 0; i < 4; i++)
		for (int source = 0; source < KUID_NR_SOURCES; source++)
			host_take(source, 0, &idle[i], KUID_BY_FILE, 3);
	machine_step_wall(-(s64)YEARS);
	/* Each file is idle for one more epoch than the file before. */
	for (int i = 0; i < 4; i++) {
		machine_pass(SECOND);
		assert_true(host_publish(KUID_EPOCH_FORCE, false));
		for (int source = 0; source < KUID_NR_SOURCES; source++) {
			u64 first =
				host_take(source, 1, &idle[i], KUID_BY_FILE, 1)
					.units.first;

			assert_true(host_ns(source, first) <= machine_wall());
		}
		assert_int_equal(idle[i].epoch, 2 + i);
	}
}

/* The file was not used in the epoch before, but in an earlier one. */
TEST(a_file_that_skips_epochs_is_in_order_in_each)
{
	for (int i = 0; i < 300; i++) {
		u64 last = 0;

		for (u32 n = random_below(5); n; n--) {
			unsigned int cpu = random_below(2);
			struct kuid_units s = host_take(KUID_STAMPS, cpu, &file,
							KUID_BY_FILE,
							1 + random_below(500))
						      .units;

			assert_true(s.first > last);
			assert_true(last || s.first <= machine_wall() + 99);
			last = s.first + s.count - 1;
		}
		machine_pass(random_below(SECOND));
		machine_step_wall(-(s64)random_below(HOUR));
		if (!host_publish(KUID_EPOCH_STEP, false))
			host_publish(KUID_EPOCH_FORCE, false);
	}
}

/*
 * A caller that is still in a former epoch must not clear the watermarks of the
 * epoch in use.
 */
TEST(a_late_caller_does_not_reset_a_file)
{
	struct kuid_watermarks was;

	host_publish(KUID_EPOCH_FORCE, false);
	host_publish(KUID_EPOCH_FORCE, false);
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

/*
 * All events in random order: no unit is handed out twice or beyond the window.
 */
static void many_steps_at_random(bool node_given)
{
	struct kuid_watermarks files[3] = { 0 };

	for (int i = 0; i < 30000; i++) {
		struct kuid_taken t;

		switch (random_below(20)) {
		case 0:
			machine_step_wall(random_below(20 * SECOND) -
					  10 * SECOND);
			break;
		case 1:
			machine_step_wall(random_below(4 * MS) - 2 * MS);
			break;
		case 2:
			if (random_below(20))
				break;
			machine_step_wall(random_below(2 * HOUR) - HOUR);
			break;
		case 3:
			host_publish(KUID_EPOCH_STEP, false);
			break;
		case 4:
			if (node_given && !random_below(10))
				host_publish(KUID_EPOCH_STEP, true);
			break;
		case 5:
			if (!random_below(50))
				host_publish(KUID_EPOCH_FORCE, random_below(2));
			break;
		default:
			machine_pass(random_below(10) ? random_below(MS)
						      : random_below(SECOND));
			break;
		}
		t = host_take(random_below(KUID_NR_SOURCES), random_below(5),
			      &files[random_below(3)], random_below(3),
			      1 + random_below(random_below(9) ? 5 : 100000));
		assert_true(!t.units.count || t.origin.epoch == host.nr_epochs);
	}
	assert_true(host.nr_epochs > 2);
}

TEST(many_steps)
{
	many_steps_at_random(false);
}

TEST_AFTER(many_steps_with_a_given_node, setup_given)
{
	many_steps_at_random(true);
}

int main(void)
{
	return run_cases("step", setup, host_teardown);
}
