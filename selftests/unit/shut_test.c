// SPDX-License-Identifier: GPL-2.0-only
/*
 * The times and parts of the identity that only some IDs must not have: those
 * that show the part get nothing, and all others go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "host.h"
#include "machine.h"

#define MS     1000000LL
#define NOW_MS (HOST_WALL / MS)
#define SPAN   (1LL << 41)

static const u32 parts[] = { KUID_PART_NONE, KUID_PART_NODE, KUID_PART_WORKER,
			     KUID_PART_SNOWFLAKE };

#define NR_PARTS (sizeof(parts) / sizeof(parts[0]))

static int setup(void **state)
{
	(void)state;
	host_start(1, 1, false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	host_stop();
	return 0;
}

static struct kuid_taken take(enum kuid_source source, u32 part)
{
	return kuid_generator_take(
		&host.generator,
		&(struct kuid_want) {
			.source = source,
			.order = KUID_BY_CPU,
			.part = part,
			.ahead = host.generator.windows[source].one,
			.count = 1,
		});
}

static void use_epoch(u64 epoch_ms)
{
	host.snowflake_epoch = epoch_ms;
	assert_true(host_publish(KUID_EPOCH_SET, false));
}

/* Whether snowflakes can be had; everything else always can. */
static bool is_open(void)
{
	u64 since;
	bool open = take(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE).units.count;

	assert_int_equal(kuid_generator_shut(&host.generator, KUID_SNOWFLAKE,
					     KUID_PART_SNOWFLAKE, &since),
			 open ? KUID_SHUT_NOT : KUID_SHUT_RANGE);
	if (!open)
		assert_true(since <= machine_mono());
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		for (unsigned int i = 0; i < NR_PARTS; i++) {
			if (parts[i] == KUID_PART_SNOWFLAKE &&
			    source != KUID_STAMPS)
				continue;
			assert_int_equal(take(source, parts[i]).units.count, 1);
			assert_int_equal(kuid_generator_shut(&host.generator,
							     source, parts[i],
							     &since),
					 KUID_SHUT_NOT);
		}
	return open;
}

/* The wall clock is set into the range of snowflake and out of it. */
static void a_time_outside_41_bits_has_no_snowflake(void **state)
{
	(void)state;
	use_epoch(NOW_MS);
	assert_true(is_open());
	machine_set_wall((NOW_MS + SPAN) * MS);
	assert_false(is_open());
	machine_set_wall((NOW_MS + SPAN) * MS - HOST_AHEAD - MS);
	/* The slot clock does not go back with the wall clock. */
	assert_false(is_open());
	use_epoch(NOW_MS + SPAN - 1000);
	assert_true(is_open());
	machine_pass(HOST_SECOND);
	assert_true(is_open());
	use_epoch(NOW_MS + SPAN + 1000000);
	assert_false(is_open());
}

/* No ID in front of the clock is beyond the end, either. */
static void the_end_is_the_last_millisecond(void **state)
{
	u64 last = (NOW_MS + SPAN) << 12, taken = 0;

	(void)state;
	use_epoch(NOW_MS);
	machine_set_wall((NOW_MS + SPAN) * MS - HOST_AHEAD - 3 * MS);
	for (int i = 0; i < 6; i++) {
		struct kuid_taken t;

		while ((t = take(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE))
			       .units.count)
			taken = t.units.first;
		assert_true(taken < last);
		machine_pass(MS);
	}
	assert_true(taken >= last - (2 << 12));
	assert_false(is_open());
}

/* No clock step tells that an epoch in the future has come. */
static void an_epoch_in_the_future_comes(void **state)
{
	(void)state;
	use_epoch(NOW_MS + 5);
	for (int i = 0; i < 5; i++) {
		assert_false(is_open());
		machine_pass(MS);
	}
	assert_true(is_open());
	assert_int_equal(machine_steps(), 0);
}

static void an_epoch_that_no_time_overflows_has_no_end(void **state)
{
	(void)state;
	machine_set_wall(8277292036000000000ULL - HOST_SECOND);
	use_epoch(8277292035000);
	machine_pass(HOST_SECOND / 2);
	assert_true(is_open());
}

static void a_missing_part_is_closed(void **state)
{
	u32 missing = KUID_PART_SNOWFLAKE;

	(void)state;
	host.missing = missing;
	assert_true(host_publish(KUID_EPOCH_SET, false));
	for (unsigned int i = 0; i < NR_PARTS; i++)
		assert_int_equal(take(KUID_LEX, parts[i]).origin.closed,
				 parts[i] & missing);
	/* Also after a fork has closed and opened all others. */
	kuid_generator_close(&host.generator);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	for (unsigned int i = 0; i < NR_PARTS; i++)
		assert_int_equal(take(KUID_LEX, parts[i]).origin.closed,
				 parts[i] & missing);
	host.missing = 0;
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_int_equal(take(KUID_LEX, missing).origin.closed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_time_outside_41_bits_has_no_snowflake),
		TEST(the_end_is_the_last_millisecond),
		TEST(an_epoch_in_the_future_comes),
		TEST(an_epoch_that_no_time_overflows_has_no_end),
		TEST(a_missing_part_is_closed),
	};

	return cmocka_run_group_tests_name("shut", tests, NULL, NULL);
}
