// SPDX-License-Identifier: GPL-2.0-only
/* See host.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/uuid.h"
#include "host.h"
#include "machine.h"

#define MOST_EPOCHS 100000

/*
 * The node and the sequences of each epoch. host_check() sets the lowest and
 * the highest tick that has a stamp of the epoch.
 */
static struct {
	u64 node;
	u64 supply; /* number of the sequences */
	u64 first_tick;
	u64 last_tick;
} epochs[MOST_EPOCHS];

struct host host;
static u64 nodes_drawn;
static u64 keys_drawn;
static u64 supplies_made;
static struct kuid_epoch *retired_epoch;
static struct kuid_sequences *retired_sequences;

static void *make_zeroed(size_t alignment, size_t size)
{
	void *memory = aligned_alloc(alignment, size);

	assert_non_null(memory);
	return memset(memory, 0, size);
}

static struct kuid_sequences *make_sequences(void)
{
	struct kuid_sequences *sequences = make_zeroed(
		__alignof__(*sequences),
		sizeof(*sequences) + host.nr_cpus * sizeof(sequences->runs[0]));

	sequences->nr_cpus = host.nr_cpus;
	return sequences;
}

static struct kuid_epoch *make_epoch(bool node_given)
{
	struct kuid_epoch *epoch = make_zeroed(
		__alignof__(*epoch),
		sizeof(*epoch) + (KUID_FIRST_CPU_LANE + host.nr_lanes) *
					 sizeof(epoch->lanes[0]));

	epoch->load_id = host.load_id;
	epoch->nr_cpu_lanes = host.nr_lanes;
	epoch->closings = host.generator.gate.closings;
	epoch->key = (struct kuid_node_key) { { ++keys_drawn, 1 } };
	epoch->missing = host.missing;
	epoch->stale = host.stale;
	epoch->claimed = host.claimed;
	epoch->identity.snowflake_epoch = host.snowflake_epoch;
	epoch->identity.worker = keys_drawn;
	epoch->identity.snowflake_worker = 2 * keys_drawn;
	epoch->given = node_given ? KUID_PARTS_NODE : 0;
	epoch->identity.node = node_given ? host.given_node
					  : BIT_ULL(40) | ++nodes_drawn;
	return epoch;
}

/* Epochs share sequences, but the tests let most of them begin with new ones. */
static bool makes_sequences(enum kuid_why why)
{
	return why != KUID_EPOCH_STEP && why != KUID_EPOCH_CLAIM;
}

static void free_retired(void)
{
	free(retired_epoch);
	free(retired_sequences);
	retired_epoch = NULL;
	retired_sequences = NULL;
}

/* A cover with the name of the present one. */
static struct kuid_covered host_cover(u64 floor, u64 ceiling)
{
	const struct kuid_covered *now = &host.generator.gate.cover;

	return (struct kuid_covered) {
		.load_id = now->load_id ^ host.other_cover,
		.epoch = now->epoch,
		.floor = floor,
		/* High enough for all, unless the test has another one. */
		.ceiling = ceiling ? ceiling : BIT_ULL(62),
	};
}

struct kuid_claimed host_close(void)
{
	struct kuid_claimed died;

	assert_true(kuid_generator_close(&host.generator, false, &died));
	return died;
}

int host_raise(u64 ceiling)
{
	struct kuid_covered cover = host_cover(0, ceiling);

	return kuid_generator_raise_cover(&host.generator, &cover);
}

bool host_publish(enum kuid_why why, bool node_given)
{
	struct kuid_epoch *former = host.generator.epoch;
	struct kuid_epoch *epoch = make_epoch(node_given);
	struct kuid_claiming claiming = host.claiming;
	struct kuid_change change = machine_change(why);

	free_retired();
	if (makes_sequences(why))
		epoch->sequences = make_sequences();
	/* Other threads read this as soon as the epoch is published. */
	assert_in_range(host.nr_epochs + 1, 1, MOST_EPOCHS - 1);
	epochs[host.nr_epochs + 1].node = epoch->identity.node;
	epochs[host.nr_epochs + 1].supply =
		supplies_made + makes_sequences(why);
	if (change.covers) {
		change.cover = host_cover(host.change.cover.floor,
					  host.change.cover.ceiling);
		change.cover.again_from = host.change.cover.again_from;
		change.cover.again_until = host.change.cover.again_until;
		change.floor = change.cover.floor;
	}
	if (why == KUID_EPOCH_CLAIM) {
		change.floor = claiming.claim.floor;
		change.claiming = &claiming;
	}
	host.refused = kuid_generator_publish(&host.generator, epoch, &change);
	if (host.refused) {
		free(epoch->sequences);
		free(epoch);
		return false;
	}
	host.change.former = change.former;
	host.claiming.claim = claiming.claim;
	host.nr_epochs++;
	host.load_id = 0;
	if (makes_sequences(why))
		supplies_made++;
	assert_int_equal(epoch->number, host.nr_epochs);

	/*
	 * The publisher may itself use the former epoch. Then the memory is
	 * freed when the next epoch is published.
	 */
	retired_epoch = former;
	if (former && former->sequences != epoch->sequences)
		retired_sequences = former->sequences;
	if (host.wait_for_readers) {
		host.wait_for_readers();
		free_retired();
	}
	return true;
}

void host_start(unsigned int nr_cpus, unsigned int nr_lanes, bool node_given)
{
	machine_start(HOST_MONO, HOST_WALL);
	machine_set_cpu(0);
	machine_on_step(NULL);

	host = (struct host) {
		.nr_cpus = nr_cpus,
		.nr_lanes = nr_lanes,
		.load_id = HOST_LOAD_ID,
		.given_node = HOST_GIVEN_NODE,
		.generation = 2,
	};
	nodes_drawn = 0;
	supplies_made = 0;
	kuid_generator_init(&host.generator, HOST_AHEAD, HOST_LIMIT, false);
	host.generator.generation = &host.generation;
	host_record_init(&host.record, 0);
	host_publish(KUID_EPOCH_FIRST, node_given);
}

void host_stop(void)
{
	free_retired();
	if (host.generator.epoch) {
		free(host.generator.epoch->sequences);
		free(host.generator.epoch);
	}
	host.generator.epoch = NULL;
	host_record_free(&host.record);
}

void host_record_init(struct host_record *record, u32 room)
{
	*record = (struct host_record) { .room = room };
	if (room)
		record->given = calloc(room, sizeof(*record->given));
}

void host_record_free(struct host_record *record)
{
	free(record->given);
	*record = (struct host_record) { 0 };
}

struct kuid_reading host_read(void)
{
	struct kuid_reading reading;

	if (kuid_generator_read(&host.generator, &reading))
		kuid_generator_refresh(&host.generator);
	return reading;
}

static void record_given(struct host_record *record, enum kuid_source source,
			 const struct kuid_taken *taken)
{
	if (record->count == record->room) {
		record->room = record->room ? 2 * record->room : 64;
		record->given = realloc(record->given,
					record->room * sizeof(*record->given));
	}
	record->given[record->count++] = (struct host_given) {
		.first = taken->units.first,
		.count = taken->units.count,
		.epoch = taken->origin.epoch,
		.source = source,
		.lane = taken->units.lane,
	};
}

u64 host_ns(enum kuid_source source, u64 value)
{
	return kuid_scales[source].begin(value);
}

u64 host_clock(enum kuid_source source)
{
	const struct kuid_clock *clock = source == KUID_STAMPS
						 ? &host.generator.stamp_clock
						 : &host.generator.slot_clock;

	return kuid_clock_at(READ_ONCE(clock->offset), READ_ONCE(clock->half),
			     machine_mono());
}

/*
 * Whether a unit was handed out inside the window. The clock is read later than
 * by the caller that took the unit, so it shows at least as much. If it was set
 * in between, nothing can be said.
 */
static bool is_in_time(enum kuid_source source, u64 last, u64 ahead)
{
	unsigned int seq = raw_seqcount_begin(&host.generator.seq);
	u64 clock = host_clock(source);

	return host_ns(source, last) <= clock + ahead ||
	       read_seqcount_retry(&host.generator.seq, seq);
}

struct kuid_taken host_take_recorded(struct host_record *record,
				     enum kuid_source source,
				     struct kuid_watermarks *watermarks,
				     enum kuid_order order, u32 count)
{
	const struct kuid_window *window = &host.generator.windows[source];
	unsigned int seq = raw_seqcount_begin(&host.generator.seq);
	u64 ahead = count == 1 ? window->one : window->batch;
	struct kuid_taken taken;
	u64 last;

	kuid_generator_take(&host.generator,
			    &(struct kuid_want) { source, watermarks, order, 0,
						  ahead, count },
			    &taken);
	if (!taken.units.count)
		return taken;

	last = taken.units.first + taken.units.count - 1;
	record_given(record, source, &taken);
	if (taken.units.count > count ||
	    taken.origin.identity.node != epochs[taken.origin.epoch].node)
		record->wrong++;
	/*
	 * If another thread has set the clock meanwhile, nothing can be said.
	 */
	if (!is_in_time(source, last,
			count == 1 ? HOST_AHEAD : HOST_AHEAD / 2) &&
	    (!host.wait_for_readers ||
	     !read_seqcount_retry(&host.generator.seq, seq)))
		record->wrong++;
	return taken;
}

struct kuid_taken host_take(enum kuid_source source, unsigned int cpu,
			    struct kuid_watermarks *watermarks,
			    enum kuid_order order, u32 count)
{
	struct kuid_taken taken;

	machine_set_cpu(cpu);
	taken = host_take_recorded(&host.record, source, watermarks, order,
				   count);
	assert_int_equal(host.record.wrong, 0);
	return taken;
}

/* Ranges of one source with the same value must not overlap. */
static u64 supply_of(const struct host_given *given)
{
	return given->source == KUID_STAMPS ? epochs[given->epoch].node
					    : epochs[given->epoch].supply;
}

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int by_supply(const void *a, const void *b)
{
	const struct host_given *x = a, *y = b;
	int order = compare(x->source, y->source);

	if (!order)
		order = compare(supply_of(x), supply_of(y));
	if (!order && x->source == KUID_STAMPS)
		order = compare(x->epoch, y->epoch);
	if (!order)
		order = compare(x->lane, y->lane);
	if (!order)
		order = compare(x->first, y->first);
	return order;
}

static bool say(const char *what, const struct host_given *given)
{
	printf("# %s: source %u epoch %u lane %u, %llu and %u more\n", what,
	       given->source, given->epoch, given->lane,
	       (unsigned long long)given->first, given->count - 1);
	return false;
}

static bool is_given_once(struct host_given *all, u32 count)
{
	bool good = true;

	qsort(all, count, sizeof(*all), by_supply);
	for (u32 i = 1; i < count; i++) {
		const struct host_given *was = &all[i - 1];

		if (all[i].source == was->source &&
		    supply_of(&all[i]) == supply_of(was) &&
		    (all[i].source != KUID_STAMPS ||
		     all[i].epoch == was->epoch) &&
		    all[i].lane == was->lane &&
		    all[i].first < was->first + was->count)
			good = say("handed out twice", &all[i]);
	}
	return good;
}

/* Epochs with one node follow each other, and share no tick of 100 ns. */
static bool has_ticks_of_its_own(const struct host_given *all, u32 count)
{
	u64 last_tick = 0;
	bool good = true;

	for (u64 i = 1; i <= host.nr_epochs; i++) {
		epochs[i].first_tick = ~0ULL;
		epochs[i].last_tick = 0;
	}
	for (u32 i = 0; i < count; i++) {
		u32 n = all[i].epoch;
		u64 last = all[i].first + all[i].count - 1;

		if (all[i].source != KUID_STAMPS)
			continue;
		epochs[n].first_tick =
			min(epochs[n].first_tick, all[i].first / KUID_TICK_NS);
		epochs[n].last_tick =
			max(epochs[n].last_tick, last / KUID_TICK_NS);
	}
	for (u64 i = 1; i <= host.nr_epochs; i++) {
		if (epochs[i].node != HOST_GIVEN_NODE || !epochs[i].last_tick)
			continue;
		if (epochs[i].first_tick <= last_tick) {
			printf("# epoch %llu shares a tick with a former epoch\n",
			       (unsigned long long)i);
			good = false;
		}
		last_tick = epochs[i].last_tick;
	}
	return good;
}

static bool is_within_reach(const struct host_given *all, u32 count)
{
	u64 supply = epochs[host.nr_epochs].supply;
	bool good = true;

	for (u32 i = 0; i < count; i++) {
		u64 last = all[i].first + all[i].count - 1;

		if (all[i].source == KUID_STAMPS
			    ? all[i].epoch != host.nr_epochs
			    : epochs[all[i].epoch].supply != supply)
			continue;
		if (host_ns(all[i].source, last) >
		    host_clock(all[i].source) + HOST_AHEAD)
			good = say("beyond the window", &all[i]);
	}
	return good;
}

bool host_check(struct host_record *const *records, unsigned int count)
{
	struct host_given *all;
	u32 total = 0;
	bool good = true;

	for (unsigned int i = 0; i < count; i++) {
		total += records[i]->count;
		if (records[i]->wrong) {
			printf("# %u broken promises in thread %u\n",
			       records[i]->wrong, i);
			good = false;
		}
	}
	all = calloc(total + 1, sizeof(*all));
	total = 0;
	for (unsigned int i = 0; i < count; i++) {
		if (records[i]->count)
			memcpy(all + total, records[i]->given,
			       records[i]->count * sizeof(*all));
		total += records[i]->count;
	}
	good &= is_given_once(all, total);
	good &= has_ticks_of_its_own(all, total);
	good &= is_within_reach(all, total);
	free(all);
	return good;
}

int host_teardown(void **state)
{
	struct host_record *record = &host.record;
	bool good = host_check(&record, 1);

	host_stop();
	return good ? 0 : -1;
}
