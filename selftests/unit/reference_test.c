// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generator beside a reference, which has the same rules in plain
 * arithmetic: no atomics, no counts, nothing computed ahead. Random commands go
 * to both. Each unit, moment, lag and counter must be that of the reference.
 *
 * The reference knows neither ceilings nor ranges, claims, floors and twins:
 * shut_test.c and generator_test.c have these.
 */
#include "cases.h"
#include "host.h"
#include "machine.h"

#define MS	 1000000ULL
#define FILES	 4
#define CPUS	 300
#define LANES	 (KUID_MAX_CPU_LANES + 1)
#define COMMANDS 100000

/* The windows of singles; a batch has half of the time. */
static const struct kuid_window windows[KUID_NR_SOURCES] = {
	[KUID_LEX] = { 100000, 50000 },
	/* Only whole grid ticks count: 97 of 1,024 us are below 100 ms. */
	[KUID_GRID] = { 97 << 14, 48 << 14 },
	[KUID_SNOWFLAKE] = { 100 << 12, 50 << 12 },
	[KUID_STAMPS] = { 100000000, 50000000 },
};

/* A clock: the wall clock, or half the speed from a time on if that is later. */
struct clock {
	u64 offset;
	bool slow;
	u64 from;
	u64 since; /* moment at which it showed @from */
};

/* The slots that a CPU has carved and not handed out: from @next to @end. */
struct run {
	u64 next;
	u64 end;
};

static struct reference {
	struct clock stamps;
	struct clock slots;
	u64 lanes[LANES]; /* the last stamp of each */
	u64 next[KUID_NR_SEQUENCES];
	struct run runs[CPUS][KUID_NR_SEQUENCES];
	u64 epoch;
	bool given;
	u64 given_last; /* the last stamps of earlier epochs, by their nodes */
	u64 drawn_last;
	bool has_stamps; /* the epoch in use has handed out some */
	u64 steps_back;
	u64 steps_forward;
	struct {
		u64 epoch;
		u64 last[KUID_NR_SOURCES];
	} files[FILES];
} ref;

static struct kuid_watermarks files[FILES];

static u64 at(const struct clock *clock, u64 mono)
{
	u64 slow = clock->from + mono / 2 - clock->since / 2;

	return max(mono + clock->offset, clock->slow ? slow : 0);
}

static struct clock *clock_of(enum kuid_source source)
{
	return source == KUID_STAMPS ? &ref.stamps : &ref.slots;
}

/* The highest time that was handed out; 0 if there is none. */
static u64 issued(enum kuid_source source)
{
	u64 last = 0;

	if (source != KUID_STAMPS)
		return ref.next[source] ? host_ns(source, ref.next[source] - 1)
					: 0;
	for (unsigned int i = 0; i <= host.nr_lanes; i++)
		last = max(last, ref.lanes[i]);
	return last;
}

static u64 issued_slots(void)
{
	u64 last = 0;

	for (int i = 0; i < KUID_NR_SEQUENCES; i++)
		last = max(last, issued(i));
	return last;
}

static u64 next_tick(u64 ns)
{
	return (ns + 99) / 100 * 100;
}

static void restart(struct clock *clock)
{
	*clock = (struct clock) { .offset = machine_wall() - machine_mono() };
}

/* Go on from the last time, but not from one in front of the clock. */
static u64 follow(struct clock *clock, u64 last)
{
	u64 wall = machine_wall(), from = last;
	u64 now = at(clock, machine_mono());

	if (from > now)
		from = max(now, last - HOST_AHEAD);
	restart(clock);
	if (from > wall) {
		clock->slow = true;
		clock->from = from;
		clock->since = machine_mono();
	}
	return last > wall ? last - wall : 0;
}

/* The clock step that the next command finds and reports, if any. */
static struct kuid_step report;

static s64 find_step(void)
{
	report.by = machine_wall() - machine_mono() - ref.stamps.offset;
	ref.steps_back += report.by < 0;
	ref.steps_forward += report.by > 0;
	return report.by;
}

/* Each call finds that the wall clock was set. */
static void look(void)
{
	if (!find_step())
		return;
	report.stamp_lag = follow(&ref.stamps, issued(KUID_STAMPS));
	report.slot_lag = follow(&ref.slots, issued_slots());
	report.epoch_wanted = !ref.given && report.stamp_lag > HOST_LIMIT;
}

static u64 lane_of(unsigned int cpu, enum kuid_order order)
{
	return order == KUID_BY_HOST
		       ? KUID_HOST_LANE
		       : KUID_FIRST_CPU_LANE + cpu % host.nr_lanes;
}

static u64 *watermark(unsigned int file, enum kuid_source source)
{
	if (ref.files[file].epoch != ref.epoch) {
		memset(&ref.files[file], 0, sizeof(ref.files[file]));
		ref.files[file].epoch = ref.epoch;
	}
	return &ref.files[file].last[source];
}

/* Up to @count units from @from on, below @end. */
static struct kuid_units cut(u64 from, u64 end, u32 count)
{
	return (struct kuid_units) {
		.first = from,
		.count = from < end ? min((u64)count, end - from) : 0,
	};
}

/* The units between @from and @end that a caller gets. */
static struct kuid_units reserve(enum kuid_source source, unsigned int cpu,
				 enum kuid_order order, u64 from, u64 end,
				 u32 count)
{
	u64 now = kuid_scales[source].at(at(&ref.slots, machine_mono()));
	struct kuid_units got;
	struct run *run;
	u64 behind, whole;
	bool keep;

	if (source == KUID_STAMPS) {
		u64 lane = lane_of(cpu, order);

		got = cut(max(from, ref.lanes[lane] + 1), end, count);
		got.lane = lane;
		if (got.count)
			ref.lanes[lane] = got.first + got.count - 1;
		ref.has_stamps |= got.count;
		return got;
	}

	run = &ref.runs[cpu % host.nr_cpus][source];
	if (order == KUID_BY_HOST ||
	    (order == KUID_BY_FILE && count >= KUID_RUN_SLOTS)) {
		got = cut(max(from, ref.next[source]), end, count);
		if (got.count)
			ref.next[source] = got.first + got.count;
		return got;
	}
	got = cut(max(from, run->next), min(end, run->end), count);
	if (got.count) {
		run->next = got.first + got.count;
		return got;
	}
	/* A run that still serves others is kept. */
	keep = run->next < run->end && now < run->end;
	got = cut(max(from, ref.next[source]), end, count);
	if (!got.count)
		return got;
	behind = got.first + got.count;
	whole = (behind + KUID_RUN_SLOTS - 1) / KUID_RUN_SLOTS * KUID_RUN_SLOTS;
	if (keep || whole > end)
		whole = behind;
	ref.next[source] = whole;
	if (!keep)
		*run = (struct run) { behind, whole };
	return got;
}

static u64 window_of(enum kuid_source source, u32 count)
{
	return count == 1 ? windows[source].one : windows[source].batch;
}

static void take(enum kuid_source source, unsigned int cpu, unsigned int file,
		 enum kuid_order order, u32 count)
{
	const struct kuid_scale *scale = &kuid_scales[source];
	struct kuid_units expected;
	struct kuid_taken taken;
	u64 now, from, end;

	look();
	now = scale->at(at(clock_of(source), machine_mono()));
	end = now + window_of(source, count) + scale->tail + 1;
	from = now;
	if (order != KUID_BY_CPU)
		from = max(now, *watermark(file, source) + 1);
	expected = reserve(source, cpu, order, from, end, count);
	if (expected.count && order != KUID_BY_CPU)
		*watermark(file, source) = expected.first + expected.count - 1;

	taken = host_take(source, cpu, &files[file], order, count);
	assert_int_equal(taken.units.first, expected.first);
	assert_int_equal(taken.units.count, expected.count);
	if (!taken.units.count)
		return;
	assert_int_equal(taken.units.lane, expected.lane);
	assert_int_equal(taken.origin.epoch, ref.epoch);
}

/* The moment at which a clock shows the time of the last unit's window. */
static void ask_when(enum kuid_source source, unsigned int cpu,
		     unsigned int file, enum kuid_order order, u32 count,
		     u64 before)
{
	const struct kuid_scale *scale = &kuid_scales[source];
	const struct clock *clock = clock_of(source);
	u64 ahead = window_of(source, count), next, last, time, when;
	const struct kuid_want want = {
		.source = source,
		.watermarks = &files[file],
		.order = order,
		.ahead = ahead,
		.count = count,
	};

	look();
	next = source == KUID_STAMPS ? ref.lanes[lane_of(cpu, order)] + 1
				     : ref.next[source];
	if (order != KUID_BY_CPU)
		next = max(next, *watermark(file, source) + 1);
	next = max(next, scale->at(at(clock, machine_mono()))) + before;
	last = next + min((u64)count - 1, ahead + scale->tail);
	time = scale->begin(last - ahead);

	machine_set_cpu(cpu);
	when = kuid_generator_when(&host.generator, &want, before);
	assert_true(at(clock, when) >= time);
	assert_true(!when || at(clock, when - 1) < time);
}

static void begin_slots(enum kuid_why why)
{
	if (why == KUID_EPOCH_STEP) {
		report.slot_lag = follow(&ref.slots, issued_slots());
		return;
	}
	/* The host begins these epochs with new sequences. */
	memset(ref.next, 0, sizeof(ref.next));
	memset(ref.runs, 0, sizeof(ref.runs));
	restart(&ref.slots);
}

static void publish(enum kuid_why why, bool given)
{
	u64 last = issued(KUID_STAMPS), begin;
	bool begins = why != KUID_EPOCH_STEP ||
		      (!ref.given && last > machine_wall() + HOST_LIMIT);

	assert_int_equal(host_publish(why, given), begins);
	if (!begins)
		return;
	find_step();
	/* Lanes that were not used count to where they begin. */
	if (ref.given)
		ref.given_last = max(ref.given_last, last);
	else
		ref.drawn_last = max(ref.drawn_last, last);
	/* The given node may be one that was drawn before. */
	if (given)
		ref.given_last = max(ref.given_last, ref.drawn_last);
	if (why == KUID_EPOCH_BACK)
		ref.given_last = 0;
	begin = next_tick(given ? ref.given_last + 1 : machine_wall());
	if (given && !ref.given_last)
		begin = 1;
	for (unsigned int i = 0; i <= host.nr_lanes; i++)
		ref.lanes[i] = begin - 1;
	if (given)
		report.stamp_lag = follow(&ref.stamps, begin - 1);
	else
		restart(&ref.stamps);
	begin_slots(why);
	ref.given = given;
	ref.has_stamps = false;
	ref.epoch++;
}

/* A time that all slots of a sequence are below. */
static u64 end_of(enum kuid_source source)
{
	return host_ns(source, ref.next[source] + kuid_scales[source].tail);
}

static void read_state(void)
{
	struct kuid_reading reading;
	u64 wall = machine_wall(), stamp_end = ref.given_last, slot_end = 0;

	look();
	reading = host_read();
	assert_int_equal(reading.origin.epoch, ref.epoch);
	assert_int_equal(reading.wall, wall);
	assert_int_equal(reading.stamp_lag,
			 at(&ref.stamps, machine_mono()) - wall);
	assert_int_equal(reading.slot_lag,
			 at(&ref.slots, machine_mono()) - wall);
	for (int i = 0; i < KUID_NR_SOURCES; i++) {
		u64 now = at(clock_of(i), machine_mono());

		assert_int_equal(reading.ahead[i],
				 issued(i) - min(issued(i), now));
		if (i < KUID_NR_SEQUENCES)
			slot_end = max(slot_end, end_of(i));
	}
	if (ref.given && ref.has_stamps)
		stamp_end = issued(KUID_STAMPS);
	assert_int_equal(reading.stamp_end, stamp_end ? stamp_end + 1 : 0);
	assert_int_equal(reading.slot_end, slot_end);
	assert_int_equal(reading.steps_back, ref.steps_back);
	assert_int_equal(reading.steps_forward, ref.steps_forward);
}

/* Any size up to 2^@bits, small ones as often as large ones. */
static u64 any(unsigned int bits)
{
	return random_below(1ULL << random_below(bits + 1));
}

static void set_wall(void)
{
	s64 by = any(random_below(50) ? 45 : 58);

	machine_step_wall(random_below(2) ? by : -by);
	/* No clock has such a time, and sums of times would overflow. */
	if (machine_wall() > 2 * HOST_WALL || machine_wall() < HOST_WALL / 2)
		machine_set_wall(HOST_WALL);
}

static void one_command(void)
{
	unsigned int cpu = random_below(random_below(2) ? 3 : CPUS);
	enum kuid_source source = random_below(KUID_NR_SOURCES);
	unsigned int file = random_below(FILES);
	enum kuid_order order = random_below(3);
	u32 count = 1 + any(random_below(4) ? 6 : 27);

	switch (random_below(40)) {
	case 0:
		set_wall();
		break;
	case 1:
		publish(KUID_EPOCH_STEP, false);
		break;
	case 2:
		if (!random_below(8))
			/* Stamps with a given node would go back, too. */
			publish(random_below(2) && !ref.given && !ref.given_last
					? KUID_EPOCH_BACK
					: KUID_EPOCH_SET,
				random_below(2));
		break;
	case 3 ... 6:
		machine_pass(any(36));
		break;
	case 7 ... 8:
		ask_when(source, cpu, file, order, count, any(10));
		break;
	case 9 ... 10:
		read_state();
		break;
	default:
		take(source, cpu, file, order, count);
	}
}

static void compare(unsigned int nr_cpus, unsigned int nr_lanes, bool given)
{
	memset(files, 0, sizeof(files));
	memset(&ref, 0, sizeof(ref));
	host_start(nr_cpus, nr_lanes, given);
	ref.given = given;
	ref.epoch = 1;
	restart(&ref.stamps);
	restart(&ref.slots);
	for (int i = 0; i < COMMANDS; i++) {
		const struct kuid_step *told = machine_last_step();

		machine_forget();
		report = (struct kuid_step) { 0 };
		one_command();
		assert_int_equal(machine_steps(), !!report.by);
		if (!report.by)
			continue;
		assert_int_equal(told->by, report.by);
		assert_int_equal(told->stamp_lag, report.stamp_lag);
		assert_int_equal(told->slot_lag, report.slot_lag);
		assert_int_equal(told->epoch_wanted, report.epoch_wanted);
	}
	assert_true(host.nr_epochs > 10);
	assert_int_equal(host_teardown(NULL), 0);
}

TEST(one_cpu)
{
	compare(1, 1, false);
}

TEST(two_cpus)
{
	compare(2, 2, false);
}

TEST(a_given_node)
{
	compare(3, 2, true);
}

TEST(many_cpus)
{
	compare(KUID_MAX_CPU_LANES + 1, KUID_MAX_CPU_LANES, false);
}

int main(void)
{
	return run_cases("reference", NULL, NULL);
}
