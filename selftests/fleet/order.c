// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures how far the IDs of many hosts are out of order, in time and in
 * positions. An ID is out of order by some time if an ID that was made that
 * much later is below it.
 */
#include <err.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiments.h"
#include "host.h"
#include "random.h"

#define DRIFT_PPB 50000

/* An ID and the true time at which it was made. */
struct made {
	struct packed id;
	u64 at;
};

/* IDs that a fleet has made, and the errors of its clocks, in nanoseconds. */
struct fleet {
	struct made *made;
	size_t count;
	size_t room;
	s64 lowest_error;
	s64 highest_error;
};

/**
 * struct scenario - what the hosts of a fleet do
 * @name: what their clocks do
 * @format: KUID_FORMAT_*
 * @hosts: number of hosts
 * @rate: IDs a second of each, one at a time
 * @seconds: how long
 * @error_ns: clocks are wrong by up to this
 * @set_rate: how often a second a clock is set to another error
 * @back_ns: the first host's clock is set back by this for a while
 * @burst: each host takes IDs at one moment until it has used up its window
 * @slow: left out by --quick
 */
struct scenario {
	const char *name;
	u32 format;
	unsigned int hosts;
	double rate;
	unsigned int seconds;
	s64 error_ns;
	double set_rate;
	s64 back_ns;
	bool burst;
	bool slow;
};

/* How far IDs are out of order, at most and in the mean. */
struct disorder {
	u64 most_ns;
	size_t most_places;
	double mean_places;
};

static void keep(struct fleet *fleet, const struct packed *id, u64 at)
{
	if (fleet->count == fleet->room) {
		fleet->room = fleet->room ? 2 * fleet->room : 1024;
		fleet->made = realloc(fleet->made,
				      fleet->room * sizeof(*fleet->made));
		if (!fleet->made)
			err(1, "memory for IDs");
	}
	fleet->made[fleet->count++] = (struct made) { *id, at };
}

static int compare_made(const void *a, const void *b)
{
	const struct made *x = a;
	const struct made *y = b;

	if (x->id.high != y->id.high)
		return x->id.high < y->id.high ? -1 : 1;
	if (x->id.low != y->id.low)
		return x->id.low < y->id.low ? -1 : 1;
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const struct made *const *x = a;
	const struct made *const *y = b;

	if ((*x)->at != (*y)->at)
		return (*x)->at < (*y)->at ? -1 : 1;
	/* IDs of one moment keep the order that they have. */
	return *x < *y ? -1 : *x > *y;
}

/* Sort the IDs, and compare their order with that of their true times. */
static struct disorder measure(struct fleet *fleet)
{
	struct made **by_time = malloc(fleet->count * sizeof(*by_time));
	struct disorder disorder = { 0 };
	double places = 0;
	u64 latest = 0;
	size_t i;

	if (!by_time)
		err(1, "memory for IDs");
	qsort(fleet->made, fleet->count, sizeof(*fleet->made), compare_made);
	for (i = 0; i < fleet->count; i++) {
		u64 at = fleet->made[i].at;

		latest = max(latest, at);
		disorder.most_ns = max(disorder.most_ns, latest - at);
		by_time[i] = &fleet->made[i];
	}
	qsort(by_time, fleet->count, sizeof(*by_time), compare_times);
	for (i = 0; i < fleet->count; i++) {
		size_t place = by_time[i] - fleet->made;
		size_t off = place > i ? place - i : i - place;

		disorder.most_places = max(disorder.most_places, off);
		places += off;
	}
	disorder.mean_places = places / fleet->count;
	free(by_time);
	return disorder;
}

/* Use up the window of a host with calls for one ID. */
static void burst(struct fleet *fleet, struct host *host, u32 format, u64 at)
{
	struct packed id;

	while (host_id(host, format, at, &id))
		keep(fleet, &id, at);
}

static void run_host(struct fleet *fleet, const struct scenario *scenario,
		     unsigned int number)
{
	const u64 end = scenario->seconds * KUID_SEC_NS;
	const u64 back_at = number ? end : end / 3;
	u64 set_at = random_gap(scenario->set_rate);
	u64 burst_at = scenario->burst ? random_below(end) : end;
	struct packed id;
	struct host host;
	bool back = false;
	u64 at = 0;

	host_start(&host, 2, random_around(DRIFT_PPB),
		   random_around(scenario->error_ns));
	while ((at += random_gap(scenario->rate)) < end) {
		if (at > set_at) {
			host_set_clock(&host, at,
				       random_around(scenario->error_ns));
			set_at = at + random_gap(scenario->set_rate);
		}
		if (scenario->back_ns && at > back_at && !back) {
			host_set_clock(&host, at, -scenario->back_ns);
			set_at = at + KUID_SEC_NS;
			back = true;
		}
		if (at > burst_at) {
			burst(fleet, &host, scenario->format, at);
			burst_at = end;
		}
		if (host_id(&host, scenario->format, at, &id))
			keep(fleet, &id, at);
	}
	fleet->lowest_error = min(fleet->lowest_error, host.lowest_error);
	fleet->highest_error = max(fleet->highest_error, host.highest_error);
	host_stop(&host);
}

/* How far apart the times of two IDs of one moment can be. */
static u64 bound_of(const struct fleet *fleet, u32 format)
{
	u64 unit = kuid_formats[format].source == KUID_GRID ? KUID_GRID_TICK_NS
							    : KUID_LEX_SLOT_NS;

	return fleet->highest_error - fleet->lowest_error + HOST_AHEAD + unit;
}

/* Run a fleet, and print how far its IDs are out of order. */
static void run_fleet(const struct scenario *scenario, const char *kind,
		      const char *what)
{
	struct fleet fleet = { .lowest_error = INT64_MAX,
			       .highest_error = INT64_MIN };
	struct disorder disorder;
	unsigned int i;

	if (scenario->slow && only_quick)
		return;
	random_begin(what);
	for (i = 0; i < scenario->hosts; i++)
		run_host(&fleet, scenario, i);
	disorder = measure(&fleet);
	printf("%s\t%s\t%lld\t%llu\t%llu\t%zu\t%.17g\n", kind, what,
	       fleet.highest_error - fleet.lowest_error,
	       bound_of(&fleet, scenario->format), disorder.most_ns,
	       disorder.most_places, disorder.mean_places);
	fflush(stdout);
	free(fleet.made);
}

/* Fleets with clocks of all sorts, for the plot. */
static void run_fleets(const char *series, u32 format, bool with_burst,
		       unsigned int fleets)
{
	unsigned int i;

	for (i = 0; i < fleets; i++) {
		const struct scenario scenario = {
			.format = format,
			.hosts = with_burst ? 5 : 100,
			.rate = 100,
			.seconds = 5,
			.set_rate = 0.5,
			.burst = with_burst,
			/* From 0.01 ms to 1 s, evenly on the plot's scale. */
			.error_ns = 1e4 * pow(10, 5.0 * (i + 0.5) / fleets),
		};
		char what[100];

		snprintf(what, sizeof(what), "%s %u", series, i);
		run_fleet(&scenario, "point", what);
	}
}

void measure_order(void)
{
	const s64 ms = KUID_MS_NS;
	const struct scenario scenarios[] = {
		{ "within 0.1 ms", KUID_FORMAT_V7, 1000, 100, 10, ms / 10 },
		{ "within 10 ms", KUID_FORMAT_V7, 1000, 100, 10, 10 * ms },
		{ "within 10 ms", KUID_FORMAT_LEX, 1000, 100, 10, 10 * ms,
		  .slow = true },
		{ "within 10 ms", KUID_FORMAT_K64, 1000, 100, 10, 10 * ms,
		  .slow = true },
		{ "within 10 ms", KUID_FORMAT_V7, 10000, 10, 20, 10 * ms,
		  .slow = true },
		{ "within 10 ms, and bursts", KUID_FORMAT_LEX, 20, 100, 10,
		  10 * ms, .burst = true, .slow = true },
		{ "within 10 ms, one set back by 5 s", KUID_FORMAT_V7, 1000,
		  100, 20, 10 * ms, .back_ns = 5000 * ms, .slow = true },
		/* So long that there are IDs of 30 s before. */
		{ "within 10 ms, one set back by 30 s", KUID_FORMAT_V7, 200,
		  100, 100, 10 * ms, .back_ns = 30000 * ms, .slow = true },
		{ "within 10 ms, one set back by 5 s", KUID_FORMAT_LEX, 1000,
		  100, 20, 10 * ms, .back_ns = 5000 * ms, .slow = true },
	};
	char what[200];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scenarios); i++) {
		struct scenario scenario = scenarios[i];

		scenario.set_rate = 0.2;
		snprintf(what, sizeof(what), "%s | %s | %u | %.0f",
			 scenario.name, kuid_formats[scenario.format].name,
			 scenario.hosts, scenario.rate);
		run_fleet(&scenario, "order", what);
	}
	run_fleets("order-v7", KUID_FORMAT_V7, false, 20);
	run_fleets("order-lex-burst", KUID_FORMAT_LEX, true, 20);
}

/* A slot of a host, to be packed with each I. */
struct slot {
	struct kuid_units unit;
	u64 worker;
	u64 at;
};

/* The slots of a fleet in the order of their true times. */
struct slots {
	struct slot *of;
	size_t count;
	double rate;
};

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a;
	const struct slot *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static struct slots make_slots(unsigned int hosts, double rate,
			       unsigned int seconds)
{
	const u64 end = seconds * KUID_SEC_NS;
	struct slots slots = { .rate = hosts * rate };
	size_t room = slots.rate * seconds * 1.1 + 1000;
	unsigned int i;

	slots.of = malloc(room * sizeof(*slots.of));
	if (!slots.of)
		err(1, "memory for slots");
	for (i = 0; i < hosts; i++) {
		struct host host;
		u64 at = 0;

		host_start(&host, 2, 0, random_around(10 * KUID_MS_NS));
		while ((at += random_gap(rate)) < end && slots.count < room) {
			struct kuid_taken taken =
				host_take(&host, KUID_GRID, at, 1);

			slots.of[slots.count++] = (struct slot) {
				taken.units, taken.origin.identity.worker, at
			};
		}
		host_stop(&host);
	}
	qsort(slots.of, slots.count, sizeof(*slots.of), compare_slots);
	return slots;
}

static struct packed pack_slot(const struct slot *slot, unsigned int interval)
{
	const struct kuid_identity identity = { .worker = slot->worker,
						.interval = interval };

	return host_pack(KUID_FORMAT_K96, &slot->unit, &identity);
}

static size_t first_from(const struct slots *slots, u64 at)
{
	size_t low = 0, high = slots->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (slots->of[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The part of the pairs of IDs of two hosts, made some time apart, of which the
 * later ID is the lower one.
 */
static double part_out_of_order(const struct slots *slots,
				unsigned int interval, double apart_s)
{
	const unsigned int samples = 4000;
	unsigned int n = 0, wrong = 0;

	while (n < samples) {
		size_t i = random_below(slots->count);
		size_t j = first_from(slots, slots->of[i].at + apart_s * 1e9);
		struct made early, late;

		if (j >= slots->count ||
		    slots->of[i].worker == slots->of[j].worker)
			continue;
		early.id = pack_slot(&slots->of[i], interval);
		late.id = pack_slot(&slots->of[j], interval);
		wrong += compare_made(&late, &early) < 0;
		n++;
	}
	return (double)wrong / samples;
}

static void measure_interval(const struct slots *slots, unsigned int interval)
{
	struct fleet fleet = { 0 };
	struct disorder disorder;
	double apart_s;
	size_t i;

	for (i = 0; i < slots->count; i++) {
		struct packed id = pack_slot(&slots->of[i], interval);

		keep(&fleet, &id, slots->of[i].at);
	}
	disorder = measure(&fleet);
	free(fleet.made);
	printf("interval\t%u\t%.17g\t%llu\t%zu\t%.17g\n", interval, slots->rate,
	       disorder.most_ns, disorder.most_places, disorder.mean_places);
	for (apart_s = 1; apart_s < 1500; apart_s *= 1.5)
		printf("pairs\t%u\t%.17g\t%.17g\n", interval, apart_s,
		       part_out_of_order(slots, interval, apart_s));
	fflush(stdout);
}

void measure_intervals(void)
{
	struct slots slots;
	unsigned int interval;

	if (only_quick)
		return;
	random_begin("intervals");
	/* The longest interval must end a few times, at 2^10 seconds. */
	slots = make_slots(200, 1, 8192);
	for (interval = 5; interval <= 10; interval++)
		measure_interval(&slots, interval);
	free(slots.of);
}
