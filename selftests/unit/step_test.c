// SPDX-License-Identifier: GPL-2.0-only
/*
 * A wall clock that is set back and forth, stands still or is wrong, to the
 * nanosecond. After each test nothing may have been given out twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "core/uuid.h"
#include "host.h"
#include "machine.h"
#include "random.h"

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
	(void)state;
	return start(false);
}

static int setup_given(void **state)
{
	(void)state;
	return start(true);
}

static int teardown(void **state)
{
	struct host_record *record = &host.record;
	bool good = host_check(&record, 1);

	(void)state;
	host_stop();
	return good ? 0 : -1;
}

static u64 next(enum kuid_source source)
{
	struct kuid_units s =
		host_take(source, 0, &file, KUID_BY_FILE, 1).units;

	return s.count ? s.first : 0;
}

/* One of each, so that the highest issued is just now. */
static void take_all(void)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		assert_int_not_equal(next(source), 0);
}

/* The grid's steps are the coarsest of all: of time between two of them. */
#define assert_near(time, expected)                             \
	do {                                                    \
		u64 is = (time), should = (expected);           \
                                                                \
		assert_in_range(is, should - KUID_GRID_TICK_NS, \
				should + KUID_GRID_TICK_NS);    \
	} while (0)

/*
 * By this much back, just after a stamp was issued: half speed from it until
 * the wall clock has caught up, to the nanosecond, and no new epoch.
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

static void back_by_5_ms(void **state)
{
	(void)state;
	set_back(5 * MS);
}

static void back_by_a_second(void **state)
{
	(void)state;
	set_back(SECOND);
}

static void back_by_just_less_than_the_limit(void **state)
{
	(void)state;
	set_back(9900 * MS);
	set_back(9900 * MS);
}

/* The last second of a day is had twice. */
static void a_leap_second(void **state)
{
	u64 day = (NOW / SECOND / 86400 + 1) * 86400 * SECOND;
	u64 last;

	(void)state;
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
	/* Two seconds later, one of them had twice. */
	assert_int_equal(host_clock(KUID_STAMPS), machine_wall());
	assert_int_equal(machine_wall(), day + SECOND);
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_int_equal(machine_steps(), 1);
}

static void the_limit_is_the_last_nanosecond(void **state)
{
	(void)state;
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

static void what_was_shown_does_not_count(void **state)
{
	(void)state;
	next(KUID_STAMPS);
	/* Shown is a time beyond the limit, issued is one that isn't. */
	machine_pass(20 * SECOND);
	host_read();
	machine_step_wall(-(s64)(25 * SECOND));
	assert_int_equal(host_read().stamp_lag, 5 * SECOND);
	assert_int_equal(machine_last_step()->stamp_lag, 5 * SECOND);
	assert_int_equal(machine_last_step()->slot_lag, 0);
	assert_int_equal(machine_epochs_wanted(), 0);
	assert_int_equal(next(KUID_STAMPS), NOW + 1);
	/* Slots were not issued at all, so theirs is the wall clock. */
	assert_int_equal(next(KUID_LEX), machine_wall() / 1000);
}

static void what_is_below_the_new_time_does_not_count(void **state)
{
	(void)state;
	take_all();
	machine_pass(HOUR);
	machine_step_wall(-(s64)(HOUR - 2 * MS));
	take_all();
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(machine_last_step()->stamp_lag, 0);
	assert_int_equal(host_clock(KUID_STAMPS), NOW + 2 * MS);
	assert_int_equal(host_clock(KUID_LEX), NOW + 2 * MS);
}

/* Each less than the limit, but not all of them together. */
static void ten_times_back_by_less_than_the_limit(void **state)
{
	u64 by = 9900 * MS;
	u64 slot_lag = 0;

	(void)state;
	take_all();
	for (int i = 1; i <= 10; i++) {
		machine_forget();
		machine_step_wall(-(s64)by);
		slot_lag += by;
		take_all();
		/* Every other time it is too much. */
		assert_int_equal(machine_epochs_wanted(), i % 2 == 0);
		assert_near(host_read().slot_lag, slot_lag);
		if (i % 2) {
			assert_int_equal(host_read().stamp_lag, by);
			assert_false(host_publish(KUID_EPOCH_STEP, false));
		} else {
			/* Half of a second in between was caught up. */
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

static void a_fixed_node_goes_at_half_speed_however_far(void **state)
{
	u64 lag = 0;

	(void)state;
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
	/* And is the wall clock when that has come. */
	machine_pass(2 * lag - 2);
	assert_int_equal(host_read().stamp_lag, 1);
	machine_pass(2);
	assert_int_equal(host_read().stamp_lag, 0);
	machine_pass(SECOND);
	assert_int_equal(next(KUID_STAMPS), machine_wall());
}

/* The next tick at the wall clock, wherever in a tick that is. */
static void a_new_epoch_begins_with_the_next_tick(void **state)
{
	static const u32 within[] = { 0, 1, 49, 50, 98, 99 };

	(void)state;
	for (size_t i = 0; i < sizeof(within) / sizeof(within[0]); i++) {
		u64 wall = NOW - HOUR + within[i];
		u64 tick = (wall + 99) / 100 * 100;
		struct kuid_watermarks other = { 0 };
		u64 lex;

		teardown(NULL);
		setup(NULL);
		take_all();
		lex = next(KUID_LEX);
		machine_set_wall(wall);
		assert_int_equal(host_read().stamp_lag, HOUR - within[i]);
		assert_int_equal(machine_epochs_wanted(), 1);
		/* Until it is there the old one goes on. */
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
		/* Slots have nothing to be told apart by, and go on. */
		assert_int_equal(next(KUID_LEX), lex + 1);
		assert_near(host_read().slot_lag, HOUR);
	}
}

static void forward_and_back_within_the_limit(void **state)
{
	(void)state;
	take_all();
	machine_step_wall(5 * SECOND);
	take_all();
	assert_int_equal(host_clock(KUID_STAMPS), NOW + 5 * SECOND);
	machine_step_wall(-5 * (s64)SECOND);
	take_all();
	assert_int_equal(host_read().stamp_lag, 5 * SECOND);
	assert_int_equal(host.generator.steps_back, 1);
	assert_int_equal(host.generator.steps_forward, 1);
	/* Forward again: the wall clock is above what was issued. */
	machine_step_wall(5 * SECOND + 10 * MS);
	assert_int_equal(next(KUID_STAMPS), NOW + 5 * SECOND + 10 * MS);
	assert_int_equal(host_read().stamp_lag, 0);
	assert_int_equal(host.generator.steps_forward, 2);
	assert_int_equal(machine_epochs_wanted(), 0);
}

/* Forward, but not as far: it is nearer now, and at half speed still. */
static void forward_by_less_than_the_lag(void **state)
{
	(void)state;
	next(KUID_STAMPS);
	machine_step_wall(-8 * (s64)SECOND);
	assert_int_equal(next(KUID_STAMPS), NOW + 1);
	machine_step_wall(3 * SECOND);
	assert_int_equal(next(KUID_STAMPS), NOW + 2);
	assert_int_equal(machine_last_step()->stamp_lag, 5 * SECOND + 1);
	machine_pass(10 * SECOND);
	assert_int_equal(host_read().stamp_lag, 0);
}

static void an_hour_forward_is_followed_at_once(void **state)
{
	(void)state;
	take_all();
	machine_step_wall(HOUR);
	assert_int_equal(next(KUID_STAMPS), NOW + HOUR);
	assert_int_equal(next(KUID_LEX), (NOW + HOUR) / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(NOW + HOUR));
	assert_int_equal(machine_last_step()->by, HOUR);
	assert_int_equal(machine_epochs_wanted(), 0);
}

/* Whatever is asked for first finds the step, with nothing before it. */
static void each_source_finds_a_step_by_itself(void **state)
{
	u64 then = NOW + HOUR;

	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		teardown(state);
		setup(state);
		next(source);
		machine_set_wall(then);
		assert_int_equal(next(source), source == KUID_STAMPS ? then
					       : source == KUID_LEX
						       ? kuid_lex_slot(then)
						       : kuid_grid_slot(then));
		assert_int_equal(machine_steps(), 1);
		machine_step_wall(-(s64)SECOND);
		assert_int_not_equal(next(source), 0);
		assert_int_equal(machine_steps(), 2);
	}
}

static void ten_years_forward_and_back(void **state)
{
	(void)state;
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
	/* Slots are years ahead, and their clock goes at half speed. */
	assert_near(host_read().slot_lag, YEARS - SECOND);
	machine_pass(2 * SECOND);
	take_all();
	assert_near(host_read().slot_lag, YEARS - 2 * SECOND);

	/* Unless someone says that they may be had again. */
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(host_read().slot_lag, 0);
	assert_int_equal(host_read().stamp_lag, 0);
	assert_int_equal(next(KUID_LEX), machine_wall() / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(machine_wall()));
	assert_int_equal(next(KUID_STAMPS), (machine_wall() + 99) / 100 * 100);
	assert_int_equal(host_read().origin.epoch, 3);
}

/* Nobody has had an ID with the bogus time, so that it is as if never was. */
static void a_bogus_time_before_the_first_id(void **state)
{
	(void)state;
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

/* The monotonic clock too: all that is ahead can be had, once. */
static void all_clocks_stand_still(void **state)
{
	u64 got = 0, most = host.generator.windows[KUID_STAMPS].one;
	struct kuid_taken taken;

	(void)state;
	for (;;) {
		taken = kuid_generator_take(
			&host.generator,
			&(struct kuid_want) { KUID_STAMPS, &file, KUID_BY_FILE,
					      0, most, 12345678 });
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
		u32 count =
			kuid_generator_take(
				&host.generator,
				&(struct kuid_want) {
					KUID_GRID, &file, KUID_BY_FILE, 0,
					host.generator.windows[KUID_GRID].one,
					9999 })
				.units.count;

		if (!count)
			break;
		got += count;
	}
	assert_int_equal(got, (97 + 1) << KUID_GRID_SEQ_BITS);
	assert_int_equal(machine_steps(), 0);
}

/* It is held back all the time, and no one has had what it showed before. */
static void the_wall_clock_stands_still(void **state)
{
	(void)state;
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

/* It goes on for a millisecond, and then is set back by that. */
static void the_wall_clock_is_held_back(void **state)
{
	u64 wanted_at = 0;

	(void)state;
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

/* Set again and again with all of the window used up: it doesn't move. */
static void run_ahead_does_not_drive_the_clock(void **state)
{
	u64 half = HOST_AHEAD / 2;

	(void)state;
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
		/* From what was issued, not from the clock. */
		assert_int_equal(machine_last_step()->stamp_lag,
				 half + i * 1000);
	}
	assert_int_equal(machine_steps(), 5000);
	assert_int_equal(host_read().ahead[KUID_STAMPS], half);
	/* The same when it is set forward and back in turn. */
	for (int i = 1; i <= 1000; i++) {
		machine_step_wall(i % 2 ? 3000 : -3000);
		host_take(KUID_STAMPS, i, &file, KUID_BY_FILE, ~0U);
		assert_int_equal(host_clock(KUID_STAMPS), NOW);
	}
}

static void forced_clocks_are_the_wall_clock(void **state)
{
	(void)state;
	take_all();
	machine_step_wall(-(s64)YEARS);
	take_all();
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(host_read().stamp_lag, 0);
	assert_int_equal(host_read().slot_lag, 0);
	assert_int_equal(next(KUID_STAMPS), NOW - YEARS);
	assert_int_equal(next(KUID_LEX), (NOW - YEARS) / 1000);
	assert_int_equal(next(KUID_GRID), kuid_grid_slot(NOW - YEARS));
	/* And nothing is wanted any more. */
	machine_forget();
	machine_pass(SECOND);
	take_all();
	assert_int_equal(machine_steps(), 0);
	assert_int_equal(host_clock(KUID_LEX), machine_wall());
}

/* A step that an epoch begins with is told as any other is, and told once. */
static void a_new_epoch_tells_of_a_step(void **state)
{
	(void)state;
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

	/* Forced clocks lag behind nothing. */
	machine_step_wall(-(s64)SECOND);
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(machine_steps(), 1);
	assert_int_equal(machine_last_step()->slot_lag, 0);
}

/* A given node's stamps go on from where they were. */
static void a_new_epoch_tells_how_a_fixed_node_lags(void **state)
{
	(void)state;
	take_all();
	machine_step_wall(-(s64)SECOND);
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_FORCE, true));
	assert_int_equal(machine_steps(), 1);
	assert_near(machine_last_step()->stamp_lag, SECOND);
	assert_int_equal(machine_last_step()->slot_lag, 0);
}

/* Where there was none, nothing is told. */
static void a_new_epoch_tells_of_no_step(void **state)
{
	(void)state;
	take_all();
	machine_forget();
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(machine_steps(), 0);
	/* Nor is a step whose epoch is not published, which others find. */
	machine_step_wall(-(s64)SECOND);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(machine_steps(), 0);
	take_all();
	assert_int_equal(machine_steps(), 1);
}

/* Slots may be had again then, stamps with the one node may not. */
static void forced_with_a_fixed_node_stamps_go_on(void **state)
{
	u64 last;

	(void)state;
	take_all();
	last = next(KUID_STAMPS);
	machine_step_wall(-(s64)HOUR);
	assert_true(host_publish(KUID_EPOCH_FORCE, true));
	assert_int_equal(next(KUID_LEX), (NOW - HOUR) / 1000);
	assert_int_equal(host_read().slot_lag, 0);
	assert_int_equal(next(KUID_STAMPS), (last / 100 + 1) * 100);
	/* Their clock goes on from where it was, not from the new epoch. */
	assert_int_equal(host_read().stamp_lag, HOUR);
	machine_pass(2 * HOUR);
	take_all();
	assert_int_equal(host_read().stamp_lag, 0);
}

/* Above all there was, in a tick of its own, whatever the last one's place. */
static void a_new_epoch_of_a_fixed_node_is_above_all(void **state)
{
	u64 last = next(KUID_STAMPS);

	(void)state;
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
		/* The clock may have gone on to it. */
		assert_true(stamp == tick ||
			    (stamp > tick && stamp == machine_wall()));
		last = stamp;
		machine_pass(random_below(300));
	}
}

/* One epoch with a node of its own in between must not make it forget. */
static void a_node_given_again_is_above_all(void **state)
{
	u64 last;

	(void)state;
	machine_step_wall(HOUR);
	last = next(KUID_STAMPS);
	assert_int_equal(last, NOW + HOUR);
	machine_step_wall(-(s64)HOUR);
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(next(KUID_STAMPS), NOW);
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_int_equal(next(KUID_STAMPS), NOW);
	assert_true(host_publish(KUID_EPOCH_FORCE, true));
	/* It begins as far ahead of its clock as may be, at half speed. */
	assert_int_equal(next(KUID_STAMPS), 0);
	machine_pass(2);
	assert_int_equal(next(KUID_STAMPS), (last / 100 + 1) * 100);
}

static void an_epoch_is_refused_when_it_is_not_wanted_any_more(void **state)
{
	struct kuid_epoch *epoch = host.generator.epoch;
	struct kuid_reading before, after;
	u64 last;

	(void)state;
	take_all();
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	machine_step_wall(-(s64)HOUR);
	take_all();
	last = next(KUID_STAMPS);
	assert_int_equal(machine_epochs_wanted(), 1);
	/* While it was made, the wall clock was set right. */
	machine_step_wall(HOUR - SECOND);
	before = host_read();
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	after = host_read();
	assert_int_equal(before.stamp_lag, after.stamp_lag);
	assert_int_equal(before.slot_lag, after.slot_lag);
	assert_int_equal(after.origin.epoch, 1);
	assert_ptr_equal(host.generator.epoch, epoch);
	assert_int_equal(next(KUID_STAMPS), last + 1);

	/* The same with no one having looked since. */
	machine_step_wall(-(s64)HOUR);
	take_all();
	machine_step_wall(HOUR);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(next(KUID_STAMPS), last + 3);

	/* And when time has done it. */
	machine_step_wall(-20 * (s64)SECOND);
	take_all();
	assert_int_equal(machine_epochs_wanted(), 3);
	last = next(KUID_STAMPS);
	machine_pass(HOUR);
	assert_false(host_publish(KUID_EPOCH_STEP, false));
	assert_int_equal(next(KUID_STAMPS), machine_wall());
}

static void a_step_is_counted_once_whoever_finds_it(void **state)
{
	(void)state;
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

/* The one who finds the step may publish before it goes on. */
static void publish_at_once(const struct kuid_step *step)
{
	if (step->epoch_wanted)
		assert_true(host_publish(KUID_EPOCH_STEP, false));
}

static void an_epoch_may_begin_where_the_step_is_found(void **state)
{
	(void)state;
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

static void an_idle_file_has_no_floor_of_former_epochs(void **state)
{
	struct kuid_watermarks idle[4] = { 0 };

	(void)state;
	machine_step_wall(YEARS);
	for (int i = 0; i < 4; i++)
		for (int source = 0; source < KUID_NR_SOURCES; source++)
			host_take(source, 0, &idle[i], KUID_BY_FILE, 3);
	machine_step_wall(-(s64)YEARS);
	/* Each is used again after one more epoch than the one before. */
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

/* It was not used in the epoch before this one, but long before. */
static void a_file_that_skips_epochs_is_in_order_in_each(void **state)
{
	(void)state;
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

/* Who comes late with the number of a former epoch must not undo this one's. */
static void a_late_one_does_not_take_a_file_back(void **state)
{
	struct kuid_watermarks was;

	(void)state;
	host_publish(KUID_EPOCH_FORCE, false);
	host_publish(KUID_EPOCH_FORCE, false);
	take_all();
	was = file;
	assert_int_equal(was.epoch, 3);
	kuid_generator_enter(&host.generator, &file, 2);
	kuid_generator_enter(&host.generator, &file, 3);
	assert_memory_equal(&was, &file, sizeof(was));
	/* The next one has a watermark of its own beside it. */
	kuid_generator_enter(&host.generator, &file, 4);
	assert_int_equal(file.epoch, 4);
	assert_int_equal(file.of[0].last[KUID_STAMPS], 0);
	assert_int_equal(file.of[0].last[KUID_LEX], 0);
	assert_int_equal(file.of[0].last[KUID_GRID], 0);
	assert_memory_equal(&was.of[1], &file.of[1], sizeof(was.of[1]));
}

/* All that can happen, in any order: nothing twice, none too far ahead. */
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

static void many_steps(void **state)
{
	(void)state;
	many_steps_at_random(false);
}

static void many_steps_with_a_fixed_node(void **state)
{
	(void)state;
	many_steps_at_random(true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_GIVEN(name) \
	cmocka_unit_test_setup_teardown(name, setup_given, teardown)
	const struct CMUnitTest tests[] = {
		TEST(back_by_5_ms),
		TEST(back_by_a_second),
		TEST(back_by_just_less_than_the_limit),
		TEST(a_leap_second),
		TEST(the_limit_is_the_last_nanosecond),
		TEST(what_was_shown_does_not_count),
		TEST(what_is_below_the_new_time_does_not_count),
		TEST(ten_times_back_by_less_than_the_limit),
		TEST_GIVEN(a_fixed_node_goes_at_half_speed_however_far),
		TEST(a_new_epoch_begins_with_the_next_tick),
		TEST(forward_and_back_within_the_limit),
		TEST(forward_by_less_than_the_lag),
		TEST(an_hour_forward_is_followed_at_once),
		TEST(each_source_finds_a_step_by_itself),
		TEST(ten_years_forward_and_back),
		TEST(a_bogus_time_before_the_first_id),
		TEST(all_clocks_stand_still),
		TEST(the_wall_clock_stands_still),
		TEST(the_wall_clock_is_held_back),
		TEST(run_ahead_does_not_drive_the_clock),
		TEST(a_new_epoch_tells_of_a_step),
		TEST_GIVEN(a_new_epoch_tells_how_a_fixed_node_lags),
		TEST(a_new_epoch_tells_of_no_step),
		TEST(forced_clocks_are_the_wall_clock),
		TEST_GIVEN(forced_with_a_fixed_node_stamps_go_on),
		TEST_GIVEN(a_new_epoch_of_a_fixed_node_is_above_all),
		TEST_GIVEN(a_node_given_again_is_above_all),
		TEST(an_epoch_is_refused_when_it_is_not_wanted_any_more),
		TEST(a_step_is_counted_once_whoever_finds_it),
		TEST(an_epoch_may_begin_where_the_step_is_found),
		TEST(an_idle_file_has_no_floor_of_former_epochs),
		TEST(a_file_that_skips_epochs_is_in_order_in_each),
		TEST(a_late_one_does_not_take_a_file_back),
		TEST(many_steps),
		TEST_GIVEN(many_steps_with_a_fixed_node),
	};

	random_start();
	return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
