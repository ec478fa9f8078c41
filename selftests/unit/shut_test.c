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

static struct kuid_taken take_many(enum kuid_source source, u32 part, u32 count)
{
	return kuid_generator_take(
		&host.generator,
		&(struct kuid_want) {
			.source = source,
			.order = KUID_BY_CPU,
			.part = part,
			.ahead = host.generator.windows[source].one,
			.count = count,
		});
}

static struct kuid_taken take(enum kuid_source source, u32 part)
{
	return take_many(source, part, 1);
}

/* Take all that the window has. Returns the time of the last unit, or 0. */
static u64 use_up(enum kuid_source source, u32 part)
{
	u64 last = 0;

	for (;;) {
		struct kuid_units units =
			take_many(source, part, 1 << 20).units;

		if (!units.count)
			return last;
		last = host_ns(source, units.first + units.count - 1);
	}
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

/* Claim parts up to a ceiling, from a floor on. */
static void claim(u32 claimed, u64 floor, u64 ceiling)
{
	host.claimed = claimed;
	host.floor = floor;
	host.ceiling = ceiling;
	assert_true(host_publish(KUID_EPOCH_CLAIM, false));
}

/* Parts of the claim are shut or not; all else always is open. */
static void assert_claim(bool open)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		for (unsigned int i = 0; i < NR_PARTS; i++) {
			bool has = source == KUID_STAMPS ||
				   !(parts[i] & host.claimed) || open;
			u64 since;

			assert_int_equal(take(source, parts[i]).units.count,
					 has);
			assert_int_equal(kuid_generator_shut(&host.generator,
							     source, parts[i],
							     &since),
					 has ? KUID_SHUT_NOT : KUID_SHUT_CLAIM);
		}
}

static enum kuid_raised raise_to(u64 ceiling)
{
	u64 to = ceiling;
	enum kuid_raised raised =
		kuid_generator_raise_claim(&host.generator, &to, false);

	assert_int_equal(to, ceiling);
	return raised;
}

static void ids_stay_below_the_ceiling(void **state)
{
	static const u32 claims[] = { KUID_PART_WORKER, KUID_PART_SNOWFLAKE,
				      KUID_PART_WORKER | KUID_PART_SNOWFLAKE };

	(void)state;
	for (int i = 0; i < 3; i++) {
		u64 ceiling = machine_wall() + HOST_AHEAD + 20 * MS;

		claim(claims[i], 0, ceiling);
		assert_claim(true);
		while (machine_wall() < ceiling + HOST_AHEAD) {
			for (int source = 0; source < KUID_NR_SEQUENCES;
			     source++) {
				u32 part = claims[i] & -claims[i];

				assert_true(use_up(source, part) < ceiling);
			}
			machine_pass(MS / 2);
		}
		assert_claim(false);
	}
}

static void raising_begins_no_epoch(void **state)
{
	u64 number;

	(void)state;
	claim(KUID_PART_SNOWFLAKE, 0, HOST_WALL + HOST_SECOND);
	number = host.generator.epoch->number;
	assert_claim(true);
	machine_pass(HOST_SECOND);
	assert_claim(false);
	assert_true(host_read().expired);
	assert_int_equal(raise_to(HOST_WALL + 9 * HOST_SECOND),
			 KUID_CLAIM_RAISED);
	assert_claim(true);
	assert_false(host_read().expired);
	assert_int_equal(host_read().gate.claim, HOST_WALL + 9 * HOST_SECOND);
	assert_int_equal(host.generator.epoch->number, number);
	/* It may become lower, but not lower than IDs. */
	assert_int_equal(raise_to(HOST_WALL + HOST_SECOND - MS),
			 KUID_CLAIM_TOO_LOW);
	assert_claim(true);
	assert_int_equal(raise_to(HOST_WALL + 2 * HOST_SECOND),
			 KUID_CLAIM_RAISED);
	assert_claim(true);
	machine_pass(HOST_SECOND);
	assert_claim(false);
	/* Others have gone on: IDs with the number are below the ceiling. */
	machine_pass(HOST_SECOND);
	take(KUID_LEX, KUID_PART_WORKER);
	assert_int_equal(raise_to(HOST_WALL + 2 * HOST_SECOND),
			 KUID_CLAIM_RAISED);
	assert_claim(false);
}

static void a_claim_can_be_ended(void **state)
{
	u64 end = 0, last;

	(void)state;
	claim(KUID_PART_WORKER, 0, HOST_WALL + 100 * HOST_SECOND);
	/* The last grid tick ends behind the window. */
	last = use_up(KUID_GRID, KUID_PART_WORKER);
	assert_int_equal(kuid_generator_raise_claim(&host.generator, &end,
						    true),
			 KUID_CLAIM_RAISED);
	assert_true(end > last);
	assert_int_equal(take(KUID_LEX, KUID_PART_WORKER).units.count, 0);
	assert_true(end <= machine_wall() + HOST_AHEAD + 2 * KUID_GRID_TICK_NS);
	machine_pass(2 * MS);
	assert_claim(false);
	assert_true(host_read().expired);
	assert_int_equal(raise_to(end + HOST_SECOND), KUID_CLAIM_RAISED);
	assert_claim(true);
}

static void a_claim_has_a_floor(void **state)
{
	u64 floor = HOST_WALL + 5 * HOST_SECOND;

	(void)state;
	claim(KUID_PART_WORKER, floor, floor + 10 * HOST_SECOND);
	for (int source = 0; source < KUID_NR_SEQUENCES; source++)
		assert_true(
			host_ns(source,
				take(source, KUID_PART_WORKER).units.first) >=
			floor);
	/* The stamps stay with the clock, also with a given node. */
	assert_true(take(KUID_STAMPS, KUID_PART_NODE).units.first < floor);
	host.floor += HOST_SECOND;
	assert_true(host_publish(KUID_EPOCH_CLAIM, true));
	assert_true(take(KUID_STAMPS, KUID_PART_NODE).units.first < floor);
	assert_false(host_read().gate.restored);
	/* The next claim does not go back. */
	claim(KUID_PART_SNOWFLAKE, HOST_WALL, floor + 10 * HOST_SECOND);
	assert_true(host_ns(KUID_LEX,
			    take(KUID_LEX, KUID_PART_WORKER).units.first) >=
		    floor);
}

/* A ceiling of storage and one of a claim: each stops what it is for. */
static void both_ceilings_hold(void **state)
{
	u64 since;

	(void)state;
	/* As if the generator had been prepared so. */
	host.generator.gate.required = true;
	host.claimed = KUID_PART_SNOWFLAKE;
	assert_true(host_publish(KUID_EPOCH_RESTORE, false));
	claim(KUID_PART_SNOWFLAKE, 0, HOST_WALL + HOST_SECOND);
	/* No state yet: nothing but the claim is known. */
	assert_int_equal(take(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE).units.count,
			 0);
	assert_int_equal(kuid_generator_shut(&host.generator, KUID_SNOWFLAKE,
					     KUID_PART_SNOWFLAKE, &since),
			 KUID_SHUT_CEILING);
	assert_true(kuid_generator_acknowledge(&host.generator,
					       HOST_WALL + 5 * HOST_SECOND));
	assert_claim(true);
	machine_pass(HOST_SECOND);
	assert_claim(false);
	assert_int_equal(raise_to(HOST_WALL + 9 * HOST_SECOND),
			 KUID_CLAIM_RAISED);
	assert_claim(true);
	machine_pass(4 * HOST_SECOND);
	assert_int_equal(take(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE).units.count,
			 0);
	assert_int_equal(kuid_generator_shut(&host.generator, KUID_SNOWFLAKE,
					     KUID_PART_SNOWFLAKE, &since),
			 KUID_SHUT_CEILING);
	assert_int_equal(take(KUID_LEX, KUID_PART_WORKER).units.count, 0);
	machine_pass(4 * HOST_SECOND);
	assert_int_equal(kuid_generator_shut(&host.generator, KUID_SNOWFLAKE,
					     KUID_PART_SNOWFLAKE, &since),
			 KUID_SHUT_CLAIM);
}

static void a_twin_can_not_raise(void **state)
{
	u64 end = 0;

	(void)state;
	assert_int_equal(raise_to(HOST_WALL + HOST_SECOND), KUID_CLAIM_NONE);
	claim(KUID_PART_WORKER, 0, HOST_WALL + 100 * HOST_SECOND);
	kuid_generator_close(&host.generator);
	assert_int_equal(raise_to(HOST_WALL + 200 * HOST_SECOND),
			 KUID_CLAIM_STALE);
	assert_int_equal(kuid_generator_raise_claim(&host.generator, &end,
						    true),
			 KUID_CLAIM_STALE);
	assert_int_equal(end, 0);
	assert_int_equal(host.generator.gate.claim,
			 HOST_WALL + 100 * HOST_SECOND);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_int_equal(raise_to(HOST_WALL + 200 * HOST_SECOND),
			 KUID_CLAIM_RAISED);
	/* Dropped. */
	claim(0, 0, 0);
	assert_claim(true);
	assert_int_equal(raise_to(HOST_WALL + 300 * HOST_SECOND),
			 KUID_CLAIM_NONE);
	assert_false(host_read().expired);
	assert_int_equal(host_read().gate.claim, 0);
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
		TEST(ids_stay_below_the_ceiling),
		TEST(raising_begins_no_epoch),
		TEST(a_claim_can_be_ended),
		TEST(a_claim_has_a_floor),
		TEST(both_ceilings_hold),
		TEST(a_twin_can_not_raise),
	};

	return cmocka_run_group_tests_name("shut", tests, NULL, NULL);
}
