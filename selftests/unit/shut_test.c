// SPDX-License-Identifier: GPL-2.0-only
/*
 * The times and parts of the identity that only some IDs must not have: those
 * that show the part get nothing, and all others go on.
 */

#include "cases.h"
#include "host.h"
#include "machine.h"

#define MS     1000000LL
#define HOUR   (3600 * HOST_SECOND)
#define NOW_MS (HOST_WALL / MS)
#define SPAN   (1LL << 41)

static int setup(void **state)
{
	host_start(1, 1, false);
	return 0;
}

static struct kuid_taken take_many(enum kuid_source source, enum kuid_part part,
				   u32 count)
{
	const struct kuid_want want = {
		.source = source,
		.order = KUID_BY_CPU,
		.part = part,
		.ahead = host.generator.windows[source].one,
		.count = count,
	};
	/* As left by another call. */
	struct kuid_taken taken = { .units.count = ~0U };

	kuid_generator_take(&host.generator, &want, &taken);
	return taken;
}

static struct kuid_taken take(enum kuid_source source, enum kuid_part part)
{
	return take_many(source, part, 1);
}

/* Why a clock must not be used, and since when. */
static u64 since;

static int shut(enum kuid_source source, enum kuid_part part)
{
	return kuid_generator_shut(&host.generator, source, part, &since);
}

/* Whether there is an ID; if not, the clock must be shut for a reason. */
static bool has_id(enum kuid_source source, enum kuid_part part, int reason)
{
	bool has = take(source, part).units.count;

	assert_int_equal(shut(source, part), has ? 0 : reason);
	assert_true(has || since <= machine_mono());
	return has;
}

/* Take all that the window has. Returns the time of the last unit, or 0. */
static u64 use_up(enum kuid_source source, enum kuid_part part)
{
	struct kuid_units units;
	u64 last = 0;

	/* The rest of a run and the rest of the window, at most. */
	for (int i = 0; i < 100; i++) {
		units = take_many(source, part, 1U << 30).units;
		if (!units.count)
			return last;
		last = host_ns(source, units.first + units.count - 1);
	}
	fail_msg("IDs without end");
	return 0;
}

static void use_epoch(u64 epoch_ms)
{
	host.snowflake_epoch = epoch_ms;
	assert_true(host_publish(KUID_EPOCH_SET, false));
}

/* Whether snowflakes can be had; everything else always can. */
static bool is_open(void)
{
	bool open = has_id(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE, -EOVERFLOW);

	for (int source = 0; source < KUID_NR_SOURCES; source++)
		for (unsigned int i = 0; i < KUID_NR_PARTS; i++)
			if (i != KUID_PART_SNOWFLAKE || source == KUID_STAMPS)
				assert_true(has_id(source, i, 0));
	return open;
}

/* The wall clock is set into the range of snowflake and out of it. */
TEST(a_time_outside_41_bits_has_no_snowflake)
{
	use_epoch(NOW_MS);
	assert_false(is_open());
	machine_pass(MS);
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
TEST(the_end_is_the_last_millisecond)
{
	u64 last = (NOW_MS + SPAN) << 12, taken = 0;

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
TEST(an_epoch_in_the_future_comes)
{
	use_epoch(NOW_MS + 5);
	for (int i = 0; i < 6; i++) {
		assert_false(is_open());
		machine_pass(MS);
	}
	assert_true(is_open());
	assert_int_equal(machine_steps(), 0);
}

TEST(an_epoch_that_no_time_overflows_has_no_end)
{
	machine_set_wall(8277292036000000000ULL - HOST_SECOND);
	use_epoch(8277292035000);
	machine_pass(HOST_SECOND / 2);
	assert_true(is_open());
}

/* Nobody but callers whose clock is shut may be there to find a clock step. */
TEST(a_clock_step_opens_a_shut_clock)
{
	/* As if the generator had been prepared so. */
	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_int_equal(host_raise(HOST_WALL + HOST_SECOND), 0);
	machine_pass(2 * HOST_SECOND);
	assert_int_equal(take(KUID_LEX, KUID_PART_WORKER).units.count, 0);
	machine_step_wall(-2 * (s64)HOST_SECOND);
	assert_int_equal(take(KUID_LEX, KUID_PART_WORKER).units.count, 1);
}

/* Callers have waited since the clock was shut, not since the last raise. */
TEST(a_ceiling_that_the_window_reaches_opens_no_clock)
{
	u64 end = machine_mono() + HOST_SECOND - HOST_AHEAD;

	host.generator.gate.required = true;
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_int_equal(host_raise(HOST_WALL + HOST_SECOND), 0);
	machine_pass(HOST_SECOND);
	assert_int_equal(host_raise(machine_wall() + HOST_AHEAD), 0);
	assert_int_equal(shut(KUID_LEX, KUID_PART_WORKER), -ENODATA);
	assert_int_equal(since, end);
}

/* Callers count from this moment how long they have waited for a state. */
TEST(a_clock_without_state_is_shut_since_the_start)
{
	static struct kuid_generator generator;
	u64 begin;

	machine_pass(HOST_SECOND);
	begin = machine_mono();
	kuid_generator_init(&generator, HOST_AHEAD, HOST_LIMIT, true);
	generator.epoch = host.generator.epoch;
	machine_pass(HOST_SECOND);
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		for (unsigned int i = 0; i < KUID_NR_PARTS; i++) {
			assert_int_equal(kuid_generator_shut(&generator, source,
							     i, &since),
					 -ENODATA);
			assert_int_equal(since, begin);
		}
}

static void assert_closed(u32 parts)
{
	for (unsigned int i = 0; i < KUID_NR_PARTS; i++)
		assert_int_equal(take(KUID_LEX, i).origin.closed,
				 !!(KUID_PARTS_OF(i) & parts));
}

/* Only the reading of a stale part tells that it is stale. */
TEST(a_missing_or_stale_part_is_closed)
{
	host.missing = KUID_PARTS_SNOWFLAKE;
	host.stale = KUID_PARTS_NODE;
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_closed(KUID_PARTS_SNOWFLAKE | KUID_PARTS_NODE);
	assert_int_equal(host_read().stale, KUID_PARTS_NODE);
	/* The same after a fork has closed and opened all other parts. */
	host_close();
	assert_closed(KUID_PARTS_ALL);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_closed(KUID_PARTS_SNOWFLAKE | KUID_PARTS_NODE);
	host.missing = host.stale = 0;
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_closed(0);
}

/* The token of the next claim, and that of the last one. */
static u64 drawn;

static struct kuid_token last_token(void)
{
	return (struct kuid_token) { { drawn ? 1 : 0, drawn } };
}

/* Claim parts up to a ceiling, from a floor on; replaces what lives. */
static int try_claim(u32 claimed, u64 floor, u64 ceiling)
{
	host.claimed = claimed;
	host.claiming = (struct kuid_claiming) {
		.claim.floor = floor,
		.claim.ceiling = ceiling,
		.load_id = host.generator.epoch->load_id,
	};
	if (kuid_claimed_lives(&host.generator.gate.claim))
		host.claiming.replaces = host.generator.gate.claim.token;
	if (claimed) {
		drawn++;
		host.claiming.claim.token = last_token();
	}
	host_publish(KUID_EPOCH_CLAIM, false);
	return host.refused;
}

static void claim(u32 claimed, u64 floor, u64 ceiling)
{
	assert_int_equal(try_claim(claimed, floor, ceiling), 0);
}

/* Parts of the claim are shut or not; all else always is open. */
static void assert_claim(bool open)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		for (unsigned int i = 0; i < KUID_NR_PARTS; i++) {
			bool has = source == KUID_STAMPS ||
				   !(KUID_PARTS_OF(i) & host.claimed) || open;

			assert_int_equal(has_id(source, i, -EKEYEXPIRED), has);
		}
}

/* Raise the claim with a token, or end it if the ceiling is 0. */
static int raise_named(u64 load_id, struct kuid_token token, u64 ceiling)
{
	struct kuid_claimed raise = {
		.token = token,
		.ceiling = ceiling,
		.dead = ceiling ? KUID_CLAIM_LIVES : KUID_CLAIM_ENDED,
	};
	struct kuid_claimed before = host.generator.gate.claim;
	int ret = kuid_generator_raise_claim(&host.generator, load_id, &raise);

	if (!ret && ceiling)
		assert_int_equal(raise.ceiling, ceiling);
	if (!ret)
		assert_memory_equal(&raise, &host.generator.gate.claim,
				    sizeof(raise));
	if (ret == -ESTALE)
		assert_memory_equal(&before, &host.generator.gate.claim,
				    sizeof(before));
	return ret;
}

static int raise_to(u64 ceiling)
{
	return raise_named(host.generator.epoch->load_id, last_token(),
			   ceiling);
}

TEST(ids_stay_below_the_ceiling)
{
	static const u32 claims[] = { KUID_PARTS_WORKER, KUID_PARTS_SNOWFLAKE,
				      KUID_PARTS_WORKER |
					      KUID_PARTS_SNOWFLAKE };

	for (int i = 0; i < 3; i++) {
		u64 ceiling = machine_wall() + HOST_AHEAD + 20 * MS;

		claim(claims[i], 0, ceiling);
		assert_claim(true);
		while (machine_wall() < ceiling + HOST_AHEAD) {
			for (int source = 0; source < KUID_NR_SEQUENCES;
			     source++) {
				enum kuid_part part = __builtin_ffs(claims[i]);

				assert_true(use_up(source, part) < ceiling);
			}
			machine_pass(MS / 2);
		}
		assert_claim(false);
	}
}

TEST(a_claim_expires_when_the_window_reaches_its_ceiling)
{
	claim(KUID_PARTS_WORKER, 0, machine_wall() + HOST_AHEAD + 1);
	assert_false(host_read().expired);
	machine_pass(1);
	assert_true(host_read().expired);
}

TEST(raising_begins_no_epoch)
{
	u64 number;

	claim(KUID_PARTS_SNOWFLAKE, 0, HOST_WALL + HOST_SECOND);
	number = host.generator.epoch->number;
	assert_claim(true);
	machine_pass(HOST_SECOND);
	assert_claim(false);
	assert_true(host_read().expired);
	assert_int_equal(raise_to(HOST_WALL + 9 * HOST_SECOND), 0);
	assert_claim(true);
	assert_false(host_read().expired);
	assert_int_equal(host_read().gate.claim.ceiling,
			 HOST_WALL + 9 * HOST_SECOND);
	assert_int_equal(host.generator.epoch->number, number);
	/* The ceiling may be lowered, but not below the IDs. */
	assert_int_equal(raise_to(HOST_WALL + HOST_SECOND - MS), -EINVAL);
	assert_claim(true);
	assert_int_equal(raise_to(HOST_WALL + 2 * HOST_SECOND), 0);
	assert_claim(true);
	machine_pass(HOST_SECOND);
	assert_claim(false);
	/* Others have gone on: IDs with the number are below the ceiling. */
	machine_pass(HOST_SECOND);
	take(KUID_LEX, KUID_PART_WORKER);
	assert_int_equal(raise_to(HOST_WALL + 2 * HOST_SECOND), 0);
	assert_claim(false);
}

TEST(a_claim_can_be_ended_for_good)
{
	const u64 load_id = host.generator.epoch->load_id;
	u64 end, last;

	claim(KUID_PARTS_WORKER, 0, HOST_WALL + 100 * HOST_SECOND);
	/* The last grid tick ends behind the window. */
	last = use_up(KUID_GRID, KUID_PART_WORKER);
	assert_int_equal(raise_to(0), 0);
	end = host_read().gate.claim.ceiling;
	assert_true(end > last);
	assert_int_equal(take(KUID_LEX, KUID_PART_WORKER).units.count, 0);
	assert_true(end <= machine_wall() + HOST_AHEAD + 2 * KUID_GRID_TICK_NS);
	machine_pass(2 * MS);
	assert_claim(false);
	assert_true(host_read().expired);
	assert_int_equal(host_read().gate.claim.dead, KUID_CLAIM_ENDED);
	/* A dead claim can't be raised, and its end stays. */
	assert_int_equal(raise_to(end + HOST_SECOND), -ESTALE);
	take(KUID_LEX, KUID_PART_NONE);
	machine_pass(HOST_SECOND);
	assert_int_equal(raise_to(0), 0);
	assert_int_equal(host_read().gate.claim.ceiling, end);
	/* Neither an epoch nor a fork changes that. */
	assert_true(host_publish(KUID_EPOCH_SET, false));
	host_close();
	assert_int_equal(host_read().gate.claim.dead, KUID_CLAIM_ENDED);
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_int_equal(host_read().gate.claim.ceiling, end);
	assert_claim(false);
	/* Another claim takes its place. */
	claim(KUID_PARTS_WORKER, end, end + 100 * HOST_SECOND);
	assert_claim(true);
	assert_int_equal(raise_named(load_id,
				     (struct kuid_token) { { 1, drawn - 1 } },
				     0),
			 -ESTALE);
}

/* The claim is reported with a time above its last slot. */
TEST(a_claim_tells_how_far_it_was_used)
{
	u64 floor = HOST_WALL + HOST_SECOND, last, worker;
	const struct kuid_claimed *former = &host.change.former;

	take(KUID_GRID, KUID_PART_NONE);
	for (int i = 0; i < 2; i++) {
		machine_pass(HOST_SECOND + 7);
		claim(KUID_PARTS_WORKER, i ? floor += 5 * HOST_SECOND : 0,
		      HOST_WALL + 100 * HOST_SECOND);
		assert_int_equal(host.claiming.claim.parts, KUID_PARTS_WORKER);
		worker = host.generator.epoch->identity.worker;
		last = use_up(KUID_GRID, KUID_PART_WORKER);
		claim(0, 0, 0);
		assert_int_equal(former->parts, KUID_PARTS_WORKER);
		assert_int_equal(former->token.words[1], drawn);
		assert_int_equal(former->worker, worker);
		assert_int_equal(former->snowflake_worker, 2 * worker);
		assert_int_equal(former->floor, i ? floor : 0);
		assert_in_range(former->end, last + 1,
				last + 2 * KUID_GRID_TICK_NS);
	}
}

TEST(a_claim_has_a_floor)
{
	u64 floor = HOST_WALL + 5 * HOST_SECOND;

	claim(KUID_PARTS_WORKER, floor, floor + 10 * HOST_SECOND);
	assert_int_equal(host_read().gate.claim.floor, floor);
	/* The floor begins a slot of each source. */
	for (int source = 0; source < KUID_NR_SEQUENCES; source++)
		assert_int_equal(
			host_ns(source,
				take(source, KUID_PART_WORKER).units.first),
			floor);
	/* The stamps stay with the clock, also with a given node. */
	assert_true(take(KUID_STAMPS, KUID_PART_NODE).units.first < floor);
	host.claiming.replaces = host.claiming.claim.token;
	host.claiming.claim.token.words[1] = ++drawn;
	host.claiming.claim.floor += HOST_SECOND;
	assert_true(host_publish(KUID_EPOCH_CLAIM, true));
	assert_true(take(KUID_STAMPS, KUID_PART_NODE).units.first < floor);
	assert_false(host_read().gate.cover.epoch);
	/* The next claim does not go back. */
	claim(KUID_PARTS_SNOWFLAKE, HOST_WALL, floor + 10 * HOST_SECOND);
	assert_true(host_ns(KUID_LEX,
			    take(KUID_LEX, KUID_PART_WORKER).units.first) >=
		    floor);
}

/* The sequence is above the floor, but a CPU still has a run below it. */
TEST(a_floor_inside_the_window_empties_runs)
{
	u64 floor = HOST_WALL + 20 * MS;

	host_teardown(state);
	host_start(2, 1, false);
	for (int source = 0; source < KUID_NR_SEQUENCES; source++) {
		machine_set_cpu(0);
		take(source, KUID_PART_WORKER);
		machine_set_cpu(1);
		use_up(source, KUID_PART_NONE);
	}
	claim(KUID_PARTS_WORKER, floor, HOST_WALL + 100 * HOST_SECOND);
	machine_set_cpu(0);
	for (int source = 0; source < KUID_NR_SEQUENCES; source++) {
		u64 first = take(source, KUID_PART_WORKER).units.first;

		assert_true(host_ns(source, first) >= floor);
	}
}

/* The clock goes to a floor only if no slot was handed out in front of it. */
TEST(a_floor_where_slots_end_moves_no_clock)
{
	u64 floor;

	use_up(KUID_LEX, KUID_PART_NONE);
	floor = kuid_sequences_end(host.generator.epoch->sequences);
	claim(KUID_PARTS_WORKER, floor, HOST_WALL + 100 * HOST_SECOND);
	assert_true(host_read().slot_lag < HOST_AHEAD / 2);
	claim(KUID_PARTS_WORKER, floor + HOST_SECOND,
	      HOST_WALL + 100 * HOST_SECOND);
	assert_true(host_read().slot_lag >= HOST_SECOND);
}

/* A ceiling of storage and one of a claim: each stops what it is for. */
TEST(both_ceilings_hold)
{
	/* As if the generator had been prepared so. */
	host.generator.gate.required = true;
	host.claimed = KUID_PARTS_SNOWFLAKE;
	claim(KUID_PARTS_SNOWFLAKE, 0, HOST_WALL + HOST_SECOND);
	/* No state yet: nothing but the claim is known. */
	assert_false(has_id(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE, -ENODATA));
	assert_int_equal(host_raise(HOST_WALL + HOST_SECOND), -ENODATA);
	assert_true(host_publish(KUID_EPOCH_COVER, false));
	assert_int_equal(host_raise(HOST_WALL + 5 * HOST_SECOND), 0);
	assert_claim(true);
	machine_pass(HOST_SECOND);
	assert_claim(false);
	assert_int_equal(raise_to(HOST_WALL + 9 * HOST_SECOND), 0);
	assert_claim(true);
	machine_pass(4 * HOST_SECOND);
	assert_false(has_id(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE, -ENODATA));
	assert_false(has_id(KUID_LEX, KUID_PART_WORKER, -ENODATA));
	machine_pass(4 * HOST_SECOND);
	assert_int_equal(shut(KUID_SNOWFLAKE, KUID_PART_SNOWFLAKE),
			 -EKEYEXPIRED);
}

/* Begin a cover; returns the error. */
static int cover(enum kuid_why why, struct kuid_covered covered)
{
	host.change = (struct kuid_change) { .cover = covered };
	host_publish(why, false);
	host.change = (struct kuid_change) { 0 };
	return host.refused;
}

TEST(a_cover_begins_with_a_ceiling_above_all_slots)
{
	u64 number = host.generator.epoch->number;
	u64 last = use_up(KUID_LEX, KUID_PART_WORKER);
	struct kuid_covered low = { .ceiling = last };

	host.generator.gate.required = true;
	assert_int_equal(cover(KUID_EPOCH_COVER, low), -EINVAL);
	assert_int_equal(host.generator.epoch->number, number);
	assert_false(host_read().gate.cover.epoch);
	low.ceiling = last + 2 * HOST_AHEAD;
	low.floor = HOST_WALL;
	assert_int_equal(cover(KUID_EPOCH_COVER, low), 0);
	assert_true(host_read().gate.cover.epoch);
	assert_int_equal(host_read().gate.cover.floor, HOST_WALL);
	assert_true(use_up(KUID_LEX, KUID_PART_WORKER) < low.ceiling);
	assert_false(host_read().slots_again);
}

/* The clock was years ahead by mistake, and slots with it. */
TEST(slots_go_back_and_tell_when_they_may_repeat)
{
	const u64 years = 100000 * HOUR;
	struct kuid_covered back = { .floor = HOST_WALL + 9 * HOST_SECOND,
				     .ceiling = HOST_WALL + 99 * HOST_SECOND };
	u64 last;

	host.generator.gate.required = true;
	assert_int_equal(cover(KUID_EPOCH_COVER,
			       (struct kuid_covered) {
				       .floor = HOST_WALL + years,
				       .ceiling = HOST_WALL + 2 * years }),
			 0);
	last = use_up(KUID_LEX, KUID_PART_WORKER);
	assert_in_range(last, HOST_WALL + years,
			HOST_WALL + years + 2 * HOST_AHEAD);
	/* Its lowest time is known: the time before is sure. */
	back.again_from = HOST_WALL + years;
	assert_int_equal(cover(KUID_EPOCH_BACK, back), 0);
	assert_false(host_read().slots_again);
	assert_int_equal(host_read().gate.cover.floor, back.floor);
	assert_true(host_read().gate.cover.again_until > last);
	last = use_up(KUID_LEX, KUID_PART_WORKER);
	assert_in_range(last, back.floor, back.floor + 2 * HOST_AHEAD);
	/* A later cover, as of the next boot's daemon, keeps the time. */
	back.again_from = back.again_until = 0;
	assert_int_equal(cover(KUID_EPOCH_COVER, back), 0);
	assert_int_equal(host_read().gate.cover.again_from, HOST_WALL + years);
	machine_set_wall(HOST_WALL + years - HOST_AHEAD - 1);
	assert_false(host_read().slots_again);
	machine_pass(1);
	assert_true(host_read().slots_again);
	machine_set_wall(HOST_WALL + years + HOST_SECOND);
	assert_false(host_read().slots_again);
	/* If nobody knows it, all times may come again until then. */
	back = (struct kuid_covered) { .ceiling = HOST_WALL + 3 * years };
	machine_set_wall(HOST_WALL);
	assert_int_equal(cover(KUID_EPOCH_BACK, back), 0);
	assert_true(host_read().slots_again);
}

TEST(a_cover_answers_to_its_name_only)
{
	struct kuid_covered next = { .floor = HOST_WALL + HOST_SECOND };
	u64 first;

	assert_int_equal(cover(KUID_EPOCH_COVER, next), 0);
	first = host_read().gate.cover.epoch;
	assert_int_equal(first, host.generator.epoch->number);
	host.other_cover = true;
	assert_int_equal(host_raise(HOST_WALL + HOUR), -ESTALE);
	assert_int_equal(cover(KUID_EPOCH_COVER, next), -ESTALE);
	assert_int_equal(cover(KUID_EPOCH_BACK, next), -ESTALE);
	assert_int_equal(host_read().gate.cover.epoch, first);
	host.other_cover = false;
	/* A clone goes on with it. */
	host.load_id = 7;
	host_close();
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_int_equal(host_raise(HOST_WALL + HOUR), 0);
	assert_int_equal(cover(KUID_EPOCH_COVER, next), 0);
	assert_int_equal(host_read().gate.cover.epoch,
			 host.generator.epoch->number);
	assert_int_equal(host_read().gate.cover.load_id, 7);
}

/* Stamps of a given node go back with slots, and tell it for themselves. */
TEST(stamps_of_a_given_node_go_back)
{
	const u64 years = 100000 * HOUR;
	struct kuid_covered back = { .ceiling = HOST_WALL + HOUR };
	u64 last;

	assert_true(host_publish(KUID_EPOCH_SET, true));
	machine_step_wall(years);
	last = use_up(KUID_STAMPS, KUID_PART_NODE);
	machine_step_wall(-(s64)years);
	host.change.cover = back;
	assert_true(host_publish(KUID_EPOCH_BACK, true));
	host.change.cover = (struct kuid_covered) { 0 };
	assert_true(use_up(KUID_STAMPS, KUID_PART_NODE) <
		    HOST_WALL + 2 * HOST_AHEAD);
	assert_int_equal(host_read().stamp_lag, 0);
	assert_true(host_read().stamps_again);
	assert_true(host_read().stamp_end < back.ceiling);
	assert_true(host_read().gate.cover.again_until > last);
	/* With another node they don't repeat. */
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_false(host_read().stamps_again);
	assert_true(host_read().slots_again);
}

/* Times that are over don't make those between seem to come again. */
TEST(times_that_are_over_are_forgotten)
{
	struct kuid_covered next = { .floor = HOST_WALL,
				     .again_from = HOST_WALL - HOUR,
				     .again_until = HOST_WALL - 1 };
	const u64 later = HOST_WALL + 9 * HOUR;

	assert_int_equal(cover(KUID_EPOCH_COVER, next), 0);
	assert_false(host_read().slots_again);
	next.again_from = later;
	next.again_until = later + HOUR;
	assert_int_equal(cover(KUID_EPOCH_COVER, next), 0);
	assert_int_equal(host_read().gate.cover.again_from, later);
	/* Two that are to come become one. */
	next.again_from = later + 2 * HOUR;
	next.again_until = later + 3 * HOUR;
	assert_int_equal(cover(KUID_EPOCH_COVER, next), 0);
	assert_int_equal(host_read().gate.cover.again_from, later);
	assert_int_equal(host_read().gate.cover.again_until, next.again_until);
	machine_set_wall(later);
	assert_true(host_read().slots_again);
	/* Slots begin above them, though the clock is below. */
	next = (struct kuid_covered) { .floor = later + 4 * HOUR };
	assert_int_equal(cover(KUID_EPOCH_COVER, next), 0);
	assert_int_equal(host_read().gate.cover.again_until, 0);
}

TEST(a_claim_answers_to_its_name_only)
{
	const u64 load_id = host.generator.epoch->load_id;
	const u64 ceiling = HOST_WALL + 100 * HOST_SECOND;
	struct kuid_token token;
	u64 number;

	/* Nothing is claimed, so no token is right. */
	assert_int_equal(raise_named(load_id, (struct kuid_token) { 0 },
				     ceiling),
			 -ESTALE);
	assert_int_equal(raise_named(load_id, (struct kuid_token) { { 1, 1 } },
				     0),
			 -ESTALE);
	claim(KUID_PARTS_WORKER, 0, ceiling);
	token = last_token();
	number = host.generator.epoch->number;
	for (int i = 0; i < 4; i++) {
		struct kuid_token other = token;

		other.words[i & 1] ^= i < 2 ? 1 : BIT_ULL(63);
		assert_int_equal(raise_named(load_id, other, ceiling), -ESTALE);
		assert_int_equal(raise_named(load_id, other, 0), -ESTALE);
		host.claiming.replaces = other;
		assert_false(host_publish(KUID_EPOCH_CLAIM, false));
		assert_int_equal(host.refused, -ESTALE);
	}
	assert_int_equal(raise_named(load_id, (struct kuid_token) { 0 }, 0),
			 -ESTALE);
	assert_int_equal(raise_named(load_id ^ 1, token, ceiling), -ESTALE);
	assert_int_equal(raise_named(load_id ^ 1, token, 0), -ESTALE);
	host.claiming.replaces = (struct kuid_token) { 0 };
	assert_false(host_publish(KUID_EPOCH_CLAIM, false));
	assert_int_equal(host.refused, -EBUSY);
	host.claiming.replaces = token;
	host.claiming.load_id ^= 1;
	assert_false(host_publish(KUID_EPOCH_CLAIM, false));
	assert_int_equal(host.refused, -ESTALE);
	assert_claim(true);
	assert_int_equal(host.generator.epoch->number, number);
	assert_int_equal(raise_to(ceiling + HOST_SECOND), 0);
	/* A dead claim has no name. */
	assert_int_equal(raise_to(0), 0);
	host.claiming.load_id = load_id;
	assert_false(host_publish(KUID_EPOCH_CLAIM, false));
	assert_int_equal(host.refused, -ESTALE);
	host.claiming.replaces = (struct kuid_token) { 0 };
	/* A late request for the former claim must not reach the next one. */
	assert_false(host_publish(KUID_EPOCH_CLAIM, false));
	assert_int_equal(host.refused, -EINVAL);
	host.claiming.claim.token.words[1] = ++drawn;
	assert_true(host_publish(KUID_EPOCH_CLAIM, false));
}

TEST(a_twin_gets_and_keeps_no_claim)
{
	const u64 load_id = host.generator.epoch->load_id;
	const u64 ceiling = HOST_WALL + 100 * HOST_SECOND;
	struct kuid_claimed died;

	assert_int_equal(host_close().token.words[0], 0);
	/* The twin has the same load_id until its next epoch. */
	assert_int_equal(try_claim(KUID_PARTS_WORKER, 0, ceiling), -ESTALE);
	assert_true(host_publish(KUID_EPOCH_SET, false));
	assert_int_equal(try_claim(KUID_PARTS_WORKER, 0, ceiling), -ESTALE);
	host.load_id = load_id + 1;
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	claim(KUID_PARTS_WORKER, 0, ceiling);
	take(KUID_LEX, KUID_PART_WORKER);

	died = host_close();
	assert_int_equal(died.token.words[1], drawn);
	assert_int_equal(died.dead, KUID_CLAIM_FORKED);
	assert_true(died.end > died.floor);
	assert_int_equal(raise_to(2 * ceiling), -ESTALE);
	assert_int_equal(raise_to(0), -ESTALE);
	assert_int_equal(host.generator.gate.claim.ceiling, ceiling);
	host.load_id = load_id + 2;
	assert_true(host_publish(KUID_EPOCH_FORK, false));
	assert_int_equal(host_read().gate.claim.dead, KUID_CLAIM_FORKED);
	assert_int_equal(host_read().gate.claim.token.words[1], drawn);
	assert_int_equal(raise_to(2 * ceiling), -ESTALE);
	assert_int_equal(raise_to(0), -ESTALE);
	/* Dropped, without naming it. */
	claim(0, 0, 0);
	assert_claim(true);
	assert_false(host_read().expired);
	assert_int_equal(host_read().gate.claim.ceiling, 0);
	assert_int_equal(host_read().gate.claim.dead, KUID_CLAIM_LIVES);
}

int main(void)
{
	return run_cases("shut", setup, host_teardown);
}
