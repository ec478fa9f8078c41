// SPDX-License-Identifier: GPL-2.0-only
/*
 * A generator while nobody sets the wall clock: no ID is handed out twice, the
 * order is the requested one, no ID is beyond the window, and the generator
 * tells the right moments and state.
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

static struct kuid_units by_host(enum kuid_source source, unsigned int cpu,
				 struct kuid_watermarks *watermarks, u32 count)
{
	return host_take(source, cpu, watermarks, KUID_BY_HOST, count).units;
}

/* The first unit of a source at a time. */
static u64 first_at(enum kuid_source source, u64 ns)
{
	return kuid_scales[source].at(ns);
}

TEST(each_cpu_has_its_lane)
{
	struct kuid_watermarks files[NR_LANES] = { 0 };

	for (unsigned int cpu = 0; cpu < NR_LANES; cpu++) {
		struct kuid_units s = take(KUID_STAMPS, cpu, &files[cpu], 1);

		assert_int_equal(s.first, NOW);
		assert_int_equal(s.count, 1);
		assert_int_equal(s.lane, KUID_FIRST_CPU_LANE + cpu);
	}
}

TEST(more_cpus_than_lanes_share_them)
{
	for (unsigned int cpu = 0; cpu < 5 * NR_LANES; cpu++) {
		struct kuid_watermarks file = { 0 };
		struct kuid_units s = take(KUID_STAMPS, cpu, &file, 10);

		assert_int_equal(s.lane, KUID_FIRST_CPU_LANE + cpu % NR_LANES);
		assert_int_equal(s.first, NOW + cpu / NR_LANES * 10);
	}
}

TEST(all_cpus_share_a_single_lane)
{
	u64 next = NOW;

	host_teardown(state);
	host_start(1, 1, false);
	for (unsigned int cpu = 0; cpu < 300; cpu++) {
		struct kuid_units s = by_cpu(KUID_STAMPS, cpu, 1 + cpu);

		assert_int_equal(s.lane, KUID_FIRST_CPU_LANE);
		assert_int_equal(s.first, next);
		next += s.count;
		assert_int_equal(by_cpu(KUID_LEX, cpu, 1).first, LEX_NOW + cpu);
	}
}

TEST(lane_numbers_fit_in_an_id)
{
	host_teardown(state);
	host_start(KUID_MAX_CPU_LANES, KUID_MAX_CPU_LANES, false);
	for (unsigned int cpu = 0; cpu < 1000; cpu++) {
		struct kuid_units s = by_cpu(KUID_STAMPS, cpu, 1);

		assert_int_equal(s.lane, KUID_FIRST_CPU_LANE +
						 cpu % KUID_MAX_CPU_LANES);
		assert_true(s.lane < KUID_NR_LANES);
		assert_int_equal(s.first, NOW + cpu / KUID_MAX_CPU_LANES);
	}
}

TEST(more_cpus_than_runs_share_them)
{
	for (unsigned int cpu = 0; cpu < 5 * NR_CPUS; cpu++) {
		struct kuid_watermarks file = { 0 };
		struct kuid_units s = take(KUID_LEX, cpu, &file, 1);

		assert_int_equal(s.first,
				 LEX_NOW + cpu % NR_CPUS * KUID_RUN_SLOTS +
					 cpu / NR_CPUS);
		assert_int_equal(s.lane, 0);
	}
}

TEST(a_cpu_is_in_order_and_ignores_files)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		u64 last = 0;

		for (u32 count = 1; count < 100; count++) {
			struct kuid_units s = by_cpu(source, 1, count);

			assert_true(s.first > last);
			last = s.first + s.count - 1;
		}
		/* The lane of another CPU has not moved. */
		assert_true(by_cpu(source, 0, 1).first < last ||
			    source != KUID_STAMPS);
	}
}

TEST(a_file_stays_in_order_when_it_changes_cpu)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		struct kuid_watermarks file = { 0 };
		u64 last = 0;

		for (unsigned int i = 0; i < 200; i++) {
			struct kuid_units s =
				take(source, i / 3, &file, 1 + i % 50);

			assert_int_equal(s.count, 1 + i % 50);
			assert_true(s.first > last);
			last = s.first + s.count - 1;
		}
	}
}

TEST(stamps_of_a_file_follow_at_once)
{
	struct kuid_watermarks file = { 0 };

	assert_int_equal(take(KUID_STAMPS, 0, &file, 1000).first, NOW);
	assert_int_equal(take(KUID_STAMPS, 1, &file, 1).first, NOW + 1000);
	assert_int_equal(take(KUID_STAMPS, 0, &file, 1).first, NOW + 1001);
}

TEST(a_file_does_not_push_other_files)
{
	struct kuid_watermarks one = { 0 }, other = { 0 };

	take(KUID_STAMPS, 0, &one, 1000);
	assert_int_equal(take(KUID_STAMPS, 1, &other, 1).first, NOW);
}

TEST(files_and_sources_have_their_own_watermarks)
{
	struct kuid_watermarks one = { 0 }, other = { 0 };

	assert_int_equal(take(KUID_LEX, 0, &one, 100).count, 100);
	assert_int_equal(take(KUID_GRID, 0, &one, 1).first,
			 kuid_grid_slot(NOW));
	assert_int_equal(take(KUID_STAMPS, 0, &one, 1).first, NOW);
	/* The run of CPU 1 begins after the slots that CPU 0 took. */
	assert_int_equal(take(KUID_LEX, 1, &other, 1).first, LEX_NOW + 100);
	assert_int_equal(take(KUID_STAMPS, 1, &other, 1).first, NOW);
}

/* Callers in file order on other CPUs must not disturb host order. */
TEST(the_host_is_in_order_over_all_files)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		struct kuid_watermarks files[3] = { 0 };
		struct kuid_watermarks noise = { 0 };
		u64 last = 0;

		for (unsigned int i = 0; i < 300; i++) {
			struct kuid_units s = by_host(source, i % 5,
						      &files[random_below(3)],
						      1 + i % 7);

			assert_int_equal(s.count, 1 + i % 7);
			assert_true(s.first > last);
			if (source == KUID_STAMPS)
				assert_int_equal(s.lane, KUID_HOST_LANE);
			last = s.first + s.count - 1;
			take(source, random_below(NR_CPUS), &noise, 1);
			machine_pass(random_below(100));
		}
	}
}

TEST(a_file_stays_in_order_when_it_changes_to_host_order)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		struct kuid_watermarks file = { 0 };
		u64 last = take(source, 0, &file, 500).first + 499;
		struct kuid_units s = by_host(source, 1, &file, 5);

		assert_true(s.first > last);
		last = s.first + 4;
		assert_true(take(source, 1, &file, 1).first > last);
	}
}

TEST(stamps_stay_within_the_window)
{
	struct kuid_watermarks file = { 0 };
	struct kuid_units s = take(KUID_STAMPS, 0, &file, AHEAD);

	/* A batch gets the near half of the window. */
	assert_int_equal(s.first, NOW);
	assert_int_equal(s.count, AHEAD / 2 + 1);
	assert_int_equal(take(KUID_STAMPS, 1, &file, 2).count, 0);
	/*
	 * A single gets the far half, too. Raise the watermark so that the test
	 * need not take all of it.
	 */
	assert_int_equal(take(KUID_STAMPS, 0, &file, 1).first,
			 NOW + AHEAD / 2 + 1);
	file.by_epoch[1].last[KUID_STAMPS] = NOW + AHEAD - 1;
	s = take(KUID_STAMPS, 1, &file, 1);
	assert_int_equal(s.first, NOW + AHEAD);
	assert_int_equal(s.count, 1);
	s = take(KUID_STAMPS, 0, &file, 1);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.first, NOW + AHEAD + 1);
	machine_pass(1);
	assert_int_equal(take(KUID_STAMPS, 0, &file, 1).count, 1);
	assert_int_equal(take(KUID_STAMPS, 1, &file, 1).count, 0);
}

TEST(by_cpu_waits_for_no_watermark)
{
	struct kuid_watermarks file = { 0 };

	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		u64 ahead = host.generator.windows[source].one;
		struct kuid_want want = {
			.source = source,
			.watermarks = &file,
			.order = KUID_BY_CPU,
			.ahead = ahead,
			.count = 1,
		};

		assert_int_equal(take(source, 0, &file, 1).count, 1);
		file.by_epoch[1].last[source] += 2 * ahead;
		assert_true(kuid_generator_when(&host.generator, &want, 0) <=
			    machine_mono());
		want.order = KUID_BY_FILE;
		assert_true(kuid_generator_when(&host.generator, &want, 0) >
			    machine_mono());
	}
}

TEST(lex_slots_stay_within_the_window)
{
	u32 most = AHEAD / 2 / 1000;
	struct kuid_watermarks file = { 0 };
	struct kuid_units s = take(KUID_LEX, 0, &file, 2 * most);

	assert_int_equal(s.first, LEX_NOW);
	assert_int_equal(s.count, most + 1);
	assert_int_equal(take(KUID_LEX, 1, &file, 2).count, 0);
	for (u32 i = 0; i < most; i++)
		assert_int_equal(take(KUID_LEX, 0, &file, 1).count, 1);
	s = take(KUID_LEX, 1, &file, 1);
	assert_int_equal(s.count, 0);
	assert_int_equal(kuid_lex_ns(s.first), NOW + AHEAD + 1000);
	/* A slot may be handed out when its own microsecond begins. */
	machine_pass(999);
	assert_int_equal(take(KUID_LEX, 1, &file, 1).count, 0);
	machine_pass(1);
	assert_int_equal(take(KUID_LEX, 1, &file, 1).count, 1);
}

/* The last grid tick that begins inside the window is used to its end. */
TEST(grid_slots_stay_within_the_window)
{
	struct kuid_watermarks file = { 0 };
	u64 last = 0;

	for (;;) {
		struct kuid_units s = take(KUID_GRID, 0, &file, 16384);

		if (!s.count) {
			assert_int_equal(s.first, last + 1);
			break;
		}
		last = s.first + s.count - 1;
		assert_true(kuid_grid_ns(last) <= NOW + AHEAD / 2);
	}
	assert_int_equal(last & KUID_GRID_SEQ_MAX, KUID_GRID_SEQ_MAX);
	assert_true(kuid_grid_ns(last + 1) >
		    NOW + AHEAD / 2 - KUID_GRID_TICK_NS);
	assert_int_equal(take(KUID_GRID, 0, &file, 1).first, last + 1);
}

/*
 * The window may end in the next second. The last grid tick of a second is
 * short.
 */
TEST(grid_slots_stay_within_any_window_at_any_time)
{
	for (int i = 0; i < 3000; i++) {
		u64 wall = NOW + random_below(2 * HOST_SECOND);
		struct kuid_window *window;
		struct kuid_watermarks file = { 0 };
		struct kuid_taken taken;
		struct kuid_units s;
		u64 ahead = random_below(2 * AHEAD);

		assert_int_equal(host_teardown(NULL), 0);
		setup(NULL);
		machine_set_wall(wall);
		/*
		 * Take all slots of the window at once, so the last one is
		 * checked.
		 */
		window = &host.generator.windows[KUID_GRID];
		window->batch = kuid_grid_slots(ahead);
		kuid_generator_take(&host.generator,
				    &(struct kuid_want) { KUID_GRID, &file,
							  KUID_BY_FILE, 0,
							  window->batch, ~0U },
				    &taken);
		s = taken.units;
		assert_true(s.count > 0);
		assert_true(kuid_grid_ns(s.first) <= wall);
		assert_true(kuid_grid_ns(s.first + s.count - 1) <=
			    wall + ahead);
	}
}

TEST(singles_have_all_of_the_window_and_batches_half)
{
	const struct kuid_window *windows = host.generator.windows;

	assert_int_equal(windows[KUID_STAMPS].one, 100000000);
	assert_int_equal(windows[KUID_STAMPS].batch, 50000000);
	assert_int_equal(windows[KUID_LEX].one, 100000);
	assert_int_equal(windows[KUID_LEX].batch, 50000);
	/* Only whole grid ticks count: 97 of 1,024 us are below 100 ms. */
	assert_int_equal(windows[KUID_GRID].one, 97 << KUID_GRID_SEQ_BITS);
	assert_int_equal(windows[KUID_GRID].batch, 48 << KUID_GRID_SEQ_BITS);
	assert_int_equal(windows[KUID_SNOWFLAKE].one, 100 << 12);
	assert_int_equal(windows[KUID_SNOWFLAKE].batch, 50 << 12);
}

/* When a single is ready. */
static u64 when_one(enum kuid_source source, struct kuid_watermarks *file,
		    enum kuid_order order)
{
	const struct kuid_want want = {
		source, file, order, 0, host.generator.windows[source].one, 1
	};

	return kuid_generator_when(&host.generator, &want, 0);
}

/* When all that a batch can have at once is ready. */
static u64 when_all(enum kuid_source source, struct kuid_watermarks *file)
{
	const struct kuid_want want = { source,
					file,
					KUID_BY_FILE,
					0,
					host.generator.windows[source].batch,
					~0U };

	return kuid_generator_when(&host.generator, &want, 0);
}

/* Take singles up to the end of the window. */
static void use_up(enum kuid_source source, struct kuid_watermarks *file)
{
	u64 limit = first_at(source, HOST_WALL + machine_mono() - HOST_MONO) +
		    host.generator.windows[source].one +
		    kuid_scales[source].tail;
	struct kuid_watermark *watermark = &file->by_epoch[host.nr_epochs & 1];
	atomic64_t *value = &watermark->last[source];

	while (take(source, 0, file, ~0U).count)
		;
	/*
	 * Raise the watermark, so that the test need not take each ID of the
	 * far half.
	 */
	if ((u64)*value < limit - 100)
		*value = limit - 100;
	while (take(source, 0, file, 1).count)
		;
}

/* One nanosecond before the moment there is no ID, and then there is one. */
static void assert_ready_at(enum kuid_source source, unsigned int cpu,
			    struct kuid_watermarks *file, enum kuid_order order,
			    u64 mono)
{
	machine_set_mono(mono - 1);
	assert_int_equal(when_one(source, file, order), mono);
	assert_int_equal(host_take(source, cpu, file, order, 1).units.count, 0);
	machine_set_mono(mono);
	assert_int_equal(host_take(source, cpu, file, order, 1).units.count, 1);
}

TEST(when_tells_the_exact_moment)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		for (int order = KUID_BY_FILE; order <= KUID_BY_HOST; order++) {
			struct kuid_watermarks file = { 0 };
			u64 mono;

			host_teardown(NULL);
			setup(NULL);
			machine_pass(random_below(HOST_SECOND));
			machine_set_cpu(0);
			assert_true(when_one(source, &file, order) <=
				    machine_mono());
			use_up(source, &file);
			mono = when_one(source, &file, order);
			assert_true(mono > machine_mono());
			assert_ready_at(source, 0, &file, order, mono);
		}
	}
}

/* More than the window can never be had at once. */
TEST(when_clamps_the_count_to_the_window)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		struct kuid_watermarks file = { 0 };
		u64 mono;

		use_up(source, &file);
		mono = when_all(source, &file);
		assert_true(mono > machine_mono());
		machine_set_mono(mono);
		assert_true(when_all(source, &file) <= mono);
	}
}

/*
 * The clock rounds at half speed, so the monotonic and the wall clock are tried
 * with odd and even values.
 */
TEST(when_tells_the_exact_moment_at_half_speed)
{
	for (int i = 0; i < 300; i++) {
		enum kuid_source source = i % KUID_NR_SOURCES;
		struct kuid_watermarks file = { 0 };
		u64 clock, mono;

		host_teardown(NULL);
		setup(NULL);
		machine_pass(random_below(HOST_SECOND));
		use_up(source, &file);
		machine_pass(random_below(1000));
		machine_step_wall(-(s64)(5 * HOST_SECOND + random_below(3)));
		clock = host_clock(source);
		mono = when_one(source, &file, KUID_BY_FILE);
		/*
		 * The clock goes on from where it was, not from the issued IDs
		 * in front of it. So the caller may have to wait for the
		 * run-ahead.
		 */
		assert_int_equal(host_clock(source), clock);
		if (mono <= machine_mono())
			continue;
		assert_ready_at(source, i % NR_CPUS, &file,
				i % 2 ? KUID_BY_FILE : KUID_BY_HOST, mono);
	}
}

/* The unit that a failed call returns as first is ready at that moment. */
TEST(ready_tells_the_exact_moment)
{
	for (int i = 0; i < 300; i++) {
		enum kuid_source source = i % KUID_NR_SOURCES;
		u64 ahead = host.generator.windows[source].batch;
		struct kuid_watermarks file = { 0 };
		struct kuid_units s;
		u64 mono;

		host_teardown(NULL);
		setup(NULL);
		machine_pass(random_below(HOST_SECOND));
		while (take(source, 0, &file, ~0U).count)
			;
		if (i % 2)
			machine_step_wall(-(s64)random_below(8 * HOST_SECOND));
		s = take(source, 0, &file, 2);
		assert_int_equal(s.count, 0);
		mono = kuid_clock_reach(
			kuid_generator_clock(&host.generator, source),
			kuid_scales[source].begin(s.first - ahead));
		machine_set_mono(mono - 1);
		assert_int_equal(take(source, 0, &file, 2).count, 0);
		machine_set_mono(mono);
		assert_true(take(source, 0, &file, 2).count > 0);
	}
}

TEST(a_file_with_a_high_watermark_delays_no_other)
{
	struct kuid_watermarks ahead = { 0 }, other = { 0 };

	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		take(source, 0, &ahead, 1);
		take(source, 0, &other, 1);
	}
	ahead.by_epoch[1].last[KUID_LEX] = LEX_NOW + AHEAD / 1000;
	ahead.by_epoch[1].last[KUID_GRID] =
		kuid_grid_slot(NOW + AHEAD) + KUID_GRID_SEQ_MAX;
	assert_int_equal(take(KUID_LEX, 0, &ahead, 1).count, 0);
	assert_int_equal(take(KUID_GRID, 0, &ahead, 1).count, 0);
	assert_ready_at(KUID_LEX, 0, &ahead, KUID_BY_FILE, HOST_MONO + 1000);
	assert_ready_at(KUID_GRID, 0, &ahead, KUID_BY_FILE,
			HOST_MONO + KUID_GRID_TICK_NS);
	assert_int_equal(take(KUID_LEX, 0, &other, 1).count, 1);
	assert_int_equal(take(KUID_GRID, 0, &other, 1).count, 1);
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

TEST(reading_tells_lag_and_run_ahead)
{
	struct kuid_watermarks file = { 0 };
	struct kuid_reading s;

	s = host_read();
	assert_int_equal(s.origin.epoch, 1);
	assert_int_equal(s.origin.identity.node,
			 host.generator.epoch->identity.node);
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		assert_int_equal(s.ahead[source], 0);

	take(KUID_STAMPS, 1, &file, 1000);
	take(KUID_LEX, 1, &file, 2 * KUID_RUN_SLOTS);
	take(KUID_GRID, 1, &file, 3 * 16384);
	s = host_read();
	assert_int_equal(s.ahead[KUID_STAMPS], 999);
	assert_int_equal(s.ahead[KUID_LEX],
			 kuid_lex_ns(LEX_NOW + 2 * KUID_RUN_SLOTS - 1) - NOW);
	assert_int_equal(s.ahead[KUID_GRID],
			 kuid_grid_ns(kuid_grid_slot(NOW) + 3 * 16384 - 1) -
				 NOW);
	assert_int_equal(s.stamp_lag, 0);
	assert_int_equal(s.slot_lag, 0);

	machine_pass(400);
	machine_step_wall(-HOST_SECOND);
	s = host_read();
	assert_int_equal(s.ahead[KUID_STAMPS], 599);
	assert_int_equal(s.stamp_lag, HOST_SECOND);
	assert_int_equal(s.wall, machine_wall());
	assert_int_equal(s.slot_lag, HOST_SECOND);
	machine_pass(1000);
	s = host_read();
	assert_int_equal(s.ahead[KUID_STAMPS], 99);
	assert_int_equal(s.stamp_lag, HOST_SECOND - 500);
	machine_pass(2 * HOST_SECOND);
	s = host_read();
	assert_int_equal(s.stamp_lag, 0);
	assert_int_equal(s.slot_lag, 0);
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		assert_int_equal(s.ahead[source], 0);
}

/* A refresh must not change what a reading has told. */
static void assert_told_is_as_read(const struct kuid_reading *read,
				   const struct kuid_reading *told)
{
	assert_int_equal(read->origin.epoch, told->origin.epoch);
	assert_int_equal(read->stamp_lag, told->stamp_lag);
	assert_int_equal(read->slot_lag, told->slot_lag);
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		assert_int_equal(read->ahead[source], told->ahead[source]);
	assert_int_equal(read->stamp_end, told->stamp_end);
	assert_int_equal(read->slot_end, told->slot_end);
	assert_int_equal(read->past_ceiling, told->past_ceiling);
	assert_int_equal(read->may_repeat, told->may_repeat);
	assert_int_equal(read->steps_back, told->steps_back);
	assert_int_equal(read->steps_forward, told->steps_forward);
}

TEST(reading_is_the_same_after_a_refresh)
{
	struct kuid_watermarks file = { 0 };
	struct kuid_reading read, told;
	unsigned int found = 0;

	for (int i = 0; i < 20000; i++) {
		u64 most = random_below(4) ? AHEAD / 2 : 2 * HOST_LIMIT;

		machine_pass(random_below(AHEAD / 2));
		take(random_below(KUID_NR_SOURCES), random_below(2), &file,
		     1 + random_below(20000));
		if (random_below(2))
			machine_step_wall(random_below(2 * most) - most);
		machine_forget();
		if (kuid_generator_read(&host.generator, &read)) {
			found++;
			/* The reading has not changed the generator. */
			assert_int_equal(machine_steps(), 0);
			kuid_generator_refresh(&host.generator);
			assert_int_equal(machine_steps(), 1);
		}
		assert_false(kuid_generator_read(&host.generator, &told));
		assert_told_is_as_read(&read, &told);
		if (!random_below(100))
			host_publish(KUID_EPOCH_FORCE, random_below(2));
	}
	assert_in_range(found, 5000, 15000);
}

TEST(a_step_of_a_nanosecond_is_counted)
{
	for (u64 i = 1; i < 3; i++) {
		machine_step_wall(1);
		assert_int_equal(host_read().steps_forward, i);
		assert_int_equal(host_read().steps_forward, i);
		machine_step_wall(-1);
		assert_int_equal(host_read().steps_back, i);
		assert_int_equal(host_read().steps_back, i);
	}
}

/* Stamps of earlier epochs count, those with a random node don't. */
TEST_AFTER(reading_tells_the_end_of_given_stamps, setup_given)
{
	assert_int_equal(host_read().stamp_end, 0);
	by_cpu(KUID_STAMPS, 0, 250);
	assert_int_equal(host_read().stamp_end, NOW + 250);
	assert_true(host_publish(KUID_EPOCH_SET, true));
	assert_int_equal(host_read().stamp_end, NOW + 250);
	by_cpu(KUID_STAMPS, 0, 1);
	assert_int_equal(host_read().stamp_end, NOW + 301);
	assert_true(host_publish(KUID_EPOCH_SET, false));
	by_cpu(KUID_STAMPS, 0, 5000);
	assert_int_equal(host_read().stamp_end, NOW + 301);
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
	assert_true(host_publish(KUID_EPOCH_RESTORE, true));
	assert_true(kuid_generator_acknowledge(&host.generator, NOW + AHEAD));
	machine_pass(HOST_SECOND);
	lock_for_ever();
	assert_false(kuid_generator_read(&host.generator, &s));
	assert_true(s.past_ceiling);
	assert_int_equal(s.gate.ceiling, NOW + AHEAD);
	unlock();
}

TEST(the_ceiling_is_passed_when_the_window_reaches_it)
{
	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_RESTORE, false));
	assert_true(
		kuid_generator_acknowledge(&host.generator, NOW + AHEAD + 1));
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
 * it, the same ceiling can be acknowledged again, but none below their times.
 */
TEST(the_present_ceiling_can_be_acknowledged)
{
	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_RESTORE, true));
	for (int i = 0; i < 500; i++) {
		u64 highest = 0, ceiling = machine_wall() + AHEAD + 2 +
					   random_below(5 * KUID_MS_NS);

		assert_true(
			kuid_generator_acknowledge(&host.generator, ceiling));
		machine_set_wall(ceiling - AHEAD - 1);
		for (int source = 0; source < KUID_NR_SOURCES; source++)
			highest = max(highest, take_all(source));
		assert_in_range(highest, ceiling - KUID_MS_NS, ceiling - 1);
		machine_set_wall(ceiling);
		assert_false(
			kuid_generator_acknowledge(&host.generator, highest));
		assert_true(
			kuid_generator_acknowledge(&host.generator, ceiling));
		/* Stamps of the next epoch begin in a later tick of 100 ns. */
		assert_true(host_publish(KUID_EPOCH_SET, true));
		assert_true(
			kuid_generator_acknowledge(&host.generator, ceiling));
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
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
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

static enum kuid_handout hand_out(struct kuid_private_node *to)
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

			assert_int_equal(hand_out(&private),
					 KUID_NODE_HANDED_OUT);
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
		assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
		assert_int_equal(private.node, kuid_node_of(&epoch->key, i));
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hand_out(&private), KUID_NODES_USED_UP);
		assert_int_equal(private.epoch, 1);
		assert_int_equal(private.node, 0);
	}
	assert_int_equal(atomic64_read(&epoch->nodes.last), KUID_NODE_LAST);
	assert_true(host_publish(KUID_EPOCH_NODES, false));
	assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
	assert_int_equal(private.epoch, 2);
}

TEST(each_epoch_has_its_generation)
{
	static const enum kuid_why reasons[] = {
		KUID_EPOCH_FORCE, KUID_EPOCH_SET,   KUID_EPOCH_RESTORE,
		KUID_EPOCH_FORK,  KUID_EPOCH_NODES,
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
	kuid_generator_close(&host.generator);
	closed = host.generation;
	assert_true(closed > opened);
	assert_int_equal(hand_out(&private), KUID_NODE_CLOSED);
	/* Only an epoch that begins because of the twin opens it. */
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_int_equal(hand_out(&private), KUID_NODE_CLOSED);
	assert_int_equal(atomic64_read(&host.generator.epoch->nodes.last), 0);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_true(host.generation > closed);
	assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
	assert_int_equal(private.generation, host.generation);
}

/* Nobody has told of the twin yet: the lane compares the generation ID itself. */
TEST(a_clone_gets_no_node)
{
	u64 vm_id[2] = { 1, 2 };
	struct kuid_private_node private;

	kuid_generator_use_vm_id(&host.generator, vm_id);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
		vm_id[i] = 3;
		assert_int_equal(hand_out(&private), KUID_NODE_CLOSED);
		assert_int_equal(private.node, 0);
		kuid_generator_close(&host.generator);
		assert_true(host_publish(KUID_EPOCH_FORK, false));
	}
	assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
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
	kuid_generator_close(&host.generator);
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
	kuid_generator_close(&host.generator);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_true(host_publish(KUID_EPOCH_RESTORE, false));
	assert_true(k64_may_repeat());
	host.floor = NOW + HOST_SECOND;
	assert_true(host_publish(KUID_EPOCH_RESTORE, false));
	assert_false(k64_may_repeat());
}

/* The floor may be the time of the last stamp, which was handed out. */
TEST_AFTER(stamps_go_on_above_a_floor, setup_given)
{
	u64 last = by_cpu(KUID_STAMPS, 0, 1).first;

	for (int by = -1; by <= 1; by++) {
		host.floor = last + by;
		assert_true(host_publish(KUID_EPOCH_RESTORE, true));
		assert_int_equal(by_cpu(KUID_STAMPS, 0, 1).first,
				 last + KUID_TICK_NS);
		last += KUID_TICK_NS;
	}
	/* Above all stamps: callers have all of the window at once. */
	host.floor = NOW + HOST_SECOND;
	assert_true(host_publish(KUID_EPOCH_RESTORE, true));
	assert_int_equal(by_cpu(KUID_STAMPS, 0, AHEAD).first, host.floor);
	assert_int_equal(by_cpu(KUID_STAMPS, 1, AHEAD).count, AHEAD / 2);
}

/* The resume sets the clock forward. */
TEST(a_hibernation_sets_the_clock_forward)
{
	kuid_generator_close(&host.generator);
	machine_set_wall(NOW + HOST_SECOND);
	kuid_generator_close(&host.generator);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_false(k64_may_repeat());
}

TEST_AFTER(a_given_node_is_not_handed_out, setup_given)
{
	struct kuid_private_node private;

	assert_int_equal(hand_out(&private), KUID_NODE_IS_GIVEN);
	kuid_generator_close(&host.generator);
	assert_int_equal(hand_out(&private), KUID_NODE_IS_GIVEN);
	assert_int_equal(atomic64_read(&host.generator.epoch->nodes.last), 0);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
}

/* No lane can have this node. */
#define CARD_NODE (HOST_GIVEN_NODE & ~KUID_NODE_MULTICAST)

TEST(a_node_that_a_lane_may_have_is_refused)
{
	struct kuid_private_node private;
	struct kuid_reading before, after;
	struct kuid_epoch *epoch;

	assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
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
	assert_int_equal(hand_out(&private), KUID_NODE_HANDED_OUT);
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

/* Slots from before the clock was forced may repeat until that time. */
TEST(clear_counts_slots_before_a_forced_clock)
{
	struct kuid_units s = by_cpu(KUID_LEX, 1, 1000);

	u64 last = kuid_lex_ns(s.first + s.count - 1);

	machine_set_wall(NOW - 3600 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_FORCE, false));
	assert_true(kuid_generator_clear(&host.generator) > last);
	machine_set_wall(last);
	assert_true(host_read().may_repeat);
	machine_set_wall(kuid_generator_clear(&host.generator));
	assert_false(host_read().may_repeat);
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
