// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two or three CPUs that use the generator at the same time, in all
 * interleavings.
 *
 * A scenario lists the acts of each CPU. It is run in all interleavings with a
 * bounded number of preemptions, and then in random ones with any number of
 * preemptions. After each run, the test checks the IDs that were handed out,
 * and when the calls ran.
 *
 * All CPUs see accesses in the order in which they are made. So the model finds
 * accesses in a wrong order, but not a missing barrier. A grace period is that
 * of RCU: the publisher of an epoch waits until all CPUs that were in the core
 * have left it. After that, the model poisons the memory of the former epoch,
 * and the address sanitizer reports each use of it.
 *
 * Plain accesses, such as those that only a lock protects, don't call
 * kuid_port_step(). The model makes them together with the access before. The
 * thread sanitizer checks whether other CPUs could see them too early.
 *
 * By default this takes seconds. For a longer run, set the environment
 * variables MODEL_PREEMPTIONS (3 takes half an hour) and MODEL_WALKS (random
 * runs of each scenario).
 */
#include <sanitizer/asan_interface.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/reading.h"
#include "core/take.h"
#include "core/uuid.h"
#include "machine.h"
#include "scheduler.h"

#define SECOND 1000000000LL
#define MS     1000000LL
#define HOUR   (3600 * SECOND)
#define MONO   (5 * SECOND)
#define NOW    (1700000000 * SECOND + 50) /* inside a tick of 100 ns */
#define AHEAD  (KUID_MAX_AHEAD_MS * KUID_MS_NS)
#define LIMIT  (KUID_STEP_LIMIT_MS * KUID_MS_NS)

#define CPUS	    3
#define MOST_ACTS   5
#define MOST_CALLS  (CPUS * MOST_ACTS)
#define MOST_EPOCHS 5
#define FILES	    2
#define GIVEN	    1 /* a node */

enum deed {
	NOTHING,
	TAKE,
	LOOK, /* read the state, and when an ID is ready */
	SET_WALL,
	PASS,
	PUBLISH,
	CLONE, /* the hypervisor changes the generation ID */
	CLOSE, /* there may be a twin, of which no generation ID tells */
	SHUT,  /* lower the cover's or the claim's ceiling, or end the claim */
};

/* One act of a CPU. */
struct act {
	enum deed deed;
	enum kuid_source source;
	enum kuid_order order;
	u32 count;
	unsigned int on; /* the core's number of the CPU, plus 1; or 0 */
	unsigned int file;
	s64 by;
	enum kuid_why why;
	bool node_given;
	enum kuid_part part;
};

#define TAKE_(s, o, n, ...)                                             \
	{                                                               \
		.deed = TAKE, .source = KUID_##s, .order = KUID_BY_##o, \
		.count = n, ##__VA_ARGS__                               \
	}
#define SET_WALL_(by_)                      \
	{                                   \
		.deed = SET_WALL, .by = by_ \
	}
#define PASS_(by_)                      \
	{                               \
		.deed = PASS, .by = by_ \
	}
#define PUBLISH_(why_, given)                                                  \
	{                                                                      \
		.deed = PUBLISH, .why = KUID_EPOCH_##why_, .node_given = given \
	}
#define CLONE_                 \
	{                      \
		.deed = CLONE, \
	}
#define CLOSE_                 \
	{                      \
		.deed = CLOSE, \
	}
#define SHUT_(part_, by_)                                           \
	{                                                           \
		.deed = SHUT, .part = KUID_PART_##part_, .by = by_, \
	}
#define LOOK_(s)                                  \
	{                                         \
		.deed = LOOK, .source = KUID_##s, \
	}

/**
 * struct scenario - what the CPUs do
 * @name: printed in the report
 * @preemptions: number of preemptions that are tried in all ways, unless
 *	MODEL_PREEMPTIONS is set; 0 is 2
 * @nr_lanes: number of lanes and runs for the CPUs; 0 is 2
 * @node_given: the first epoch has a given node
 * @first: acts before the CPUs start
 * @acts: acts of each CPU; a CPU has its own number, unless an act sets @on.
 *	If the third CPU has none, the model has two
 * @most_writes: how often the snapshot may be changed at most, without epochs
 * @most_wanted: how often an epoch may be requested at most
 * @most_epochs: how many epochs there may be at most; 0: no limit
 * @clones: there is a generation ID, which calls check before they return
 * @shuts: a worker is claimed, and slots and stamps with a given node need a
 *	cover
 * @same_lag: stamps and slots always have the same lag, to within MS
 */
struct scenario {
	const char *name;
	unsigned int preemptions;
	unsigned int nr_lanes;
	bool node_given;
	struct act first[MOST_ACTS];
	struct act acts[CPUS][MOST_ACTS];
	unsigned int most_writes;
	unsigned int most_wanted;
	unsigned int most_epochs;
	bool clones;
	bool shuts;
	bool same_lag;
};

/* A call for units, and the time of its start and end. */
struct call {
	const struct act *act;
	struct kuid_taken taken;
	unsigned int began;
	unsigned int ended;
	u64 clock;	      /* highest time of its clock during the call */
	u64 ready;	      /* if it got nothing: when it would try again */
	unsigned int changes; /* value when it began */
};

static const struct scenario *scenario;
static struct kuid_generator generator;
static struct kuid_watermarks files[FILES];

/* Memory of the epochs; poisoned when its grace period is over. */
static struct {
	struct kuid_epoch epoch;
	struct kuid_lane lanes[KUID_FIRST_CPU_LANE + CPUS];
} __aligned(64) epochs[MOST_EPOCHS];
static struct {
	struct kuid_sequences sequences;
	struct kuid_cpu_runs runs[CPUS];
} __aligned(64) sequences[MOST_EPOCHS];
static unsigned int nr_epochs;
static unsigned int nr_publishes;
static unsigned int changes; /* how often waiters were woken */
static unsigned int supply_of[MOST_EPOCHS + 1]; /* by number of the epoch */
static u64 node_of[MOST_EPOCHS + 1];

/* The generation ID, and the one that an epoch's identity was drawn with. */
static u64 vm_id[2];
static u64 drawn_of[MOST_EPOCHS + 1];

/* By part of the identity: the ceiling; at KUID_PART_NONE that of all. */
static u64 ceilings[KUID_NR_PARTS];
static const struct kuid_token token = { { 1 } };

/* The first slot of lex that was free when the identity had been closed. */
static u64 closed_from;

static struct call calls[MOST_CALLS + MOST_ACTS];
static unsigned int nr_calls;
static unsigned int time_now;
static const char *broken;

static struct cpu {
	unsigned int on;
	unsigned int section; /* odd while the CPU is in the core */
	struct call *call;
	bool waits_for_readers;
	unsigned int sections[CPUS]; /* of all CPUs when the wait began */
} cpus[CPUS];

/*
 * The highest unit that a call has returned, of the epoch or the sequences in
 * use.
 */
static u64 handed[KUID_NR_SOURCES];
static u64 handed_epoch;
static unsigned int seen_seq;
static u64 seen_mono;
static u64 latest; /* highest time that the wall clock has shown */

static u64 ns_of(enum kuid_source source, u64 value)
{
	switch (source) {
	case KUID_STAMPS:
		return value;
	case KUID_LEX:
		return kuid_lex_ns(value);
	default:
		return kuid_grid_ns(value);
	}
}

static u64 clock_of(enum kuid_source source)
{
	const struct kuid_clock *clock = source == KUID_STAMPS
						 ? &generator.stamp_clock
						 : &generator.slot_clock;

	return kuid_clock_at(clock->offset, clock->half, machine_mono());
}

/*
 * The scheduler calls this before each access, so it sees each state of the
 * generator.
 */
static void look(void)
{
	unsigned int seq = generator.seq.sequence;

	if ((seq == seen_seq && machine_mono() == seen_mono) || seq & 1)
		return;
	seen_seq = seq;
	seen_mono = machine_mono();
	if (handed_epoch != generator.epoch->number) {
		unsigned int was = supply_of[handed_epoch];

		handed_epoch = generator.epoch->number;
		handed[KUID_STAMPS] = 0;
		if (supply_of[handed_epoch] != was)
			memset(handed, 0,
			       KUID_NR_SEQUENCES * sizeof(handed[0]));
	}
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		if (ns_of(source, handed[source]) > clock_of(source) + AHEAD)
			broken = "a writer missed an issued unit";
	for (unsigned int i = 0; i < CPUS; i++) {
		struct call *call = cpus[i].call;

		if (call)
			call->clock =
				max(call->clock, clock_of(call->act->source));
	}
}

/* The last unit that a call without units would have got. */
static u64 next_of(const struct call *call)
{
	return call->taken.units.first + call->act->count - 1;
}

static u64 ahead_of(const struct act *act)
{
	const struct kuid_window *window = &generator.windows[act->source];

	return act->count == 1 ? window->one : window->batch;
}

/* When a call without units can have the unit that it would have got. */
static u64 ready_at(const struct call *call)
{
	const struct act *act = call->act;
	const struct kuid_clock *clock =
		kuid_generator_clock(&generator, act->source);
	struct kuid_clock at = { 0 };
	struct kuid_view view;

	do {
		view = kuid_generator_view(&generator, clock, 0);
		at.offset = view.offset;
		at.half = view.half;
	} while (!kuid_generator_holds(&generator, &view));
	return kuid_clock_reach(&at, kuid_scales[act->source].begin(
					     next_of(call) - ahead_of(act)));
}

static void count_change(const struct kuid_step *step)
{
	changes++;
}

static u64 generation_id(void)
{
	return vm_id[0] << 32 | vm_id[1];
}

/*
 * Store the IDs of a call and let it return, unless a twin may have them. A
 * twin has those whose identity was drawn with another generation ID than that
 * of the moment at which they were stored.
 */
static void store(struct kuid_taken *taken)
{
	struct kuid_claimed died;
	u64 stored;

	if (!taken->units.count)
		return;
	scheduler_step();
	stored = generation_id();
	if (taken->origin.closed) {
		taken->units.count = 0;
	} else if (!kuid_gate_lets_pass(&generator.gate, vm_id,
					taken->origin.epoch)) {
		taken->units.count = 0;
		kuid_generator_close(&generator, true, &died);
	} else if (drawn_of[taken->origin.epoch] != stored) {
		broken = "an ID that a twin may have";
	}
}

static void take(struct cpu *cpu, const struct act *act)
{
	u64 ahead = ahead_of(act);
	struct kuid_watermarks *watermarks = &files[act->file];
	struct call *call = &calls[nr_calls++];
	struct kuid_taken *taken = &call->taken;
	u64 last;

	look();
	*call = (struct call) {
		.act = act,
		.began = ++time_now,
		.clock = generator.seq.sequence & 1 ? 0 : clock_of(act->source),
	};
	call->changes = changes;
	cpu->call = call;
	cpu->section++;
	kuid_generator_take(&generator,
			    &(struct kuid_want) { act->source, watermarks,
						  act->order, act->part, ahead,
						  act->count },
			    taken);
	if (!taken->units.count && taken->units.first != KUID_NEVER)
		call->ready = ready_at(call);
	if (scenario->clones)
		store(taken);
	cpu->section++;
	look();
	cpu->call = NULL;
	call->ended = ++time_now;
	if (!taken->units.count)
		return;

	last = taken->units.first + taken->units.count - 1;
	if (ns_of(act->source, last) >
	    call->clock + (act->count == 1 ? AHEAD : AHEAD / 2))
		broken = "beyond the window";
	if (act->source == KUID_STAMPS
		    ? taken->origin.epoch == handed_epoch
		    : supply_of[taken->origin.epoch] == supply_of[handed_epoch])
		handed[act->source] = max(handed[act->source], last);
}

static void ask(struct cpu *cpu, const struct act *act)
{
	struct kuid_reading state;
	bool found;
	u64 epoch;

	look();
	epoch = handed_epoch;
	cpu->section++;
	found = kuid_generator_read(&generator, &state);
	if (state.origin.epoch < epoch)
		broken = "a reading of a former epoch";
	if (state.choices.node.value != state.origin.identity.node)
		broken = "a reading of two epochs";
	if (scenario->same_lag && (state.stamp_lag > state.slot_lag + MS ||
				   state.slot_lag > state.stamp_lag + MS))
		broken = "a reading of two times";
	if (found)
		kuid_generator_refresh(&generator);
	kuid_generator_when(&generator,
			    &(struct kuid_want) {
				    act->source, &files[act->file], act->order,
				    0, generator.windows[act->source].one, 1 },
			    0);
	cpu->section++;
}

static bool readers_have_left(const struct cpu *cpu)
{
	for (unsigned int i = 0; i < CPUS; i++)
		if (cpu->sections[i] & 1 && cpus[i].section == cpu->sections[i])
			return false;
	return true;
}

static bool publish(struct cpu *cpu, const struct act *act)
{
	struct kuid_epoch *former = generator.epoch;
	struct kuid_epoch *epoch = &epochs[nr_epochs].epoch;
	struct kuid_change change = machine_change(act->why);
	struct kuid_claiming claiming = {
		.claim = { .token = token, .ceiling = NOW + HOUR },
		.load_id = 1,
	};
	bool is_new_supply = act->why != KUID_EPOCH_STEP;
	struct kuid_sequences *supply = &sequences[nr_epochs].sequences;
	struct kuid_sequences *former_supply = former ? former->sequences
						      : NULL;
	int ret;

	memset(&epochs[nr_epochs], 0, sizeof(epochs[0]));
	epoch->load_id = 1;
	epoch->closings = READ_ONCE(generator.gate.closings);
	scheduler_step();
	drawn_of[nr_epochs + 1] = generation_id();
	epoch->identity.node = act->node_given ? GIVEN : 100 + nr_epochs;
	epoch->choices.node.value = epoch->identity.node;
	epoch->given = act->node_given ? KUID_PARTS_NODE : 0;
	epoch->nr_cpu_lanes = scenario->nr_lanes ?: 2;
	change.cover = generator.gate.cover;
	change.cover.ceiling = NOW + HOUR;
	if (act->why == KUID_EPOCH_CLAIM) {
		change.claiming = &claiming;
		epoch->claimed = KUID_PARTS_WORKER;
	}
	if (is_new_supply) {
		memset(&sequences[nr_epochs], 0, sizeof(sequences[0]));
		supply->nr_cpus = epoch->nr_cpu_lanes;
		epoch->sequences = supply;
	}
	node_of[nr_epochs + 1] = epoch->identity.node;
	supply_of[nr_epochs + 1] = supply_of[nr_epochs] + is_new_supply;
	nr_publishes++;
	ret = kuid_generator_publish(&generator, epoch, &change);
	if (ret && ret != -EALREADY)
		broken = "an epoch was refused";
	if (ret)
		return false;
	nr_epochs++;
	changes++;
	if (!cpu)
		return true;

	for (unsigned int i = 0; i < CPUS; i++)
		cpu->sections[i] = cpus[i].section;
	cpu->waits_for_readers = true;
	while (!readers_have_left(cpu))
		scheduler_relax();
	cpu->waits_for_readers = false;
	/* The memory could be freed now. */
	ASAN_POISON_MEMORY_REGION(former, sizeof(epochs[0]));
	if (is_new_supply)
		ASAN_POISON_MEMORY_REGION(former_supply, sizeof(sequences[0]));
	return true;
}

/* A claim ends if the act has no ceiling for it. */
static void shut(const struct act *act)
{
	struct kuid_covered cover = generator.gate.cover;
	struct kuid_claimed claim = {
		.token = token,
		.ceiling = NOW + act->by,
		.dead = act->by ? KUID_CLAIM_LIVES : KUID_CLAIM_ENDED,
	};
	int ret;

	cover.ceiling = NOW + act->by;
	ret = act->part ? kuid_generator_raise_claim(&generator, 1, &claim)
			: kuid_generator_raise_cover(&generator, &cover);
	if (!ret)
		ceilings[act->part] = act->part ? claim.ceiling : cover.ceiling;
}

static void close_identity(void)
{
	struct kuid_claimed died;

	kuid_generator_close(&generator, false, &died);
	closed_from = atomic64_read(
		&generator.epoch->sequences->by_source[KUID_LEX].next);
}

static void act_on(struct cpu *cpu, const struct act *act, unsigned int number)
{
	cpu->on = act->on ? act->on - 1 : number;
	machine_set_cpu(cpu->on);
	switch (act->deed) {
	case TAKE:
		take(cpu, act);
		break;
	case LOOK:
		ask(cpu, act);
		break;
	case SET_WALL:
		scheduler_step();
		machine_step_wall(act->by);
		break;
	case PASS:
		scheduler_step();
		machine_pass(act->by);
		break;
	case PUBLISH:
		publish(cpu, act);
		break;
	case CLONE:
		scheduler_step();
		vm_id[vm_id[0] & 1]++;
		break;
	case CLOSE:
		close_identity();
		break;
	case SHUT:
		shut(act);
		break;
	case NOTHING:
		break;
	}
	latest = max(latest, machine_wall());
}

static void start(void)
{
	static const struct act first = { .why = KUID_EPOCH_FIRST };
	struct act act = first;

	ASAN_UNPOISON_MEMORY_REGION(epochs, sizeof(epochs));
	ASAN_UNPOISON_MEMORY_REGION(sequences, sizeof(sequences));
	machine_start(MONO, NOW);
	machine_on_step(count_change);
	changes = 0;
	memset(files, 0, sizeof(files));
	memset(cpus, 0, sizeof(cpus));
	memset(handed, 0, sizeof(handed));
	handed_epoch = 0;
	nr_calls = 0;
	nr_epochs = 0;
	nr_publishes = 0;
	time_now = 0;
	broken = NULL;
	seen_seq = 1;
	latest = NOW;
	kuid_generator_init(&generator, AHEAD, LIMIT, scenario->shuts);
	memset(ceilings, 0xff, sizeof(ceilings));
	closed_from = KUID_NEVER;
	vm_id[0] = 0;
	vm_id[1] = 0;
	if (scenario->clones)
		kuid_generator_use_vm_id(&generator, vm_id);
	act.node_given = scenario->node_given;
	publish(NULL, &act);
	if (scenario->shuts) {
		act.why = KUID_EPOCH_COVER;
		publish(NULL, &act);
		act.why = KUID_EPOCH_CLAIM;
		publish(NULL, &act);
	}
	for (unsigned int i = 0; i < MOST_ACTS; i++)
		act_on(&cpus[0], &scenario->first[i], 0);
}

static void run(unsigned int number)
{
	for (unsigned int i = 0; i < MOST_ACTS; i++)
		act_on(&cpus[number], &scenario->acts[number][i], number);
}

static void resume(unsigned int number)
{
	machine_set_cpu(cpus[number].on);
}

static bool may_go_on(unsigned int number)
{
	const struct cpu *cpu = &cpus[number];

	return cpu->waits_for_readers ? readers_have_left(cpu)
				      : !generator.lock.locked;
}

static u64 last_of(const struct call *call)
{
	return call->taken.units.first + call->taken.units.count - 1;
}

/* The two calls may have run in any order. */
static void check_given_once(const struct call *a, const struct call *b)
{
	const struct kuid_units *x = &a->taken.units, *y = &b->taken.units;
	u64 e = a->taken.origin.epoch, f = b->taken.origin.epoch;

	if (a->act->source != b->act->source)
		return;
	if (a->act->source != KUID_STAMPS) {
		if (supply_of[e] != supply_of[f])
			return;
	} else if (e != f) {
		if (node_of[e] == GIVEN && node_of[f] == GIVEN &&
		    x->first / KUID_TICK_NS <= last_of(b) / KUID_TICK_NS &&
		    y->first / KUID_TICK_NS <= last_of(a) / KUID_TICK_NS)
			broken = "two epochs share a tick";
		return;
	} else if (x->lane != y->lane) {
		return;
	}
	if (x->first <= last_of(b) && y->first <= last_of(a))
		broken = "handed out twice";
}

/*
 * A caller that waits for a moment must be woken if that moment moves closer.
 */
static void check_wait(const struct call *call)
{
	if (call->taken.units.first != KUID_NEVER && call->changes == changes &&
	    call->ready > ready_at(call))
		broken = "a caller was left asleep";
}

static bool is_shut(const struct call *call)
{
	u64 last = ns_of(call->act->source, last_of(call));

	if (call->act->source == KUID_STAMPS &&
	    node_of[call->taken.origin.epoch] != GIVEN)
		return false;
	return last >= min(ceilings[0], ceilings[call->act->part]);
}

/* Whether the units of a later call must be above those of the former one. */
static bool follows(const struct act *former, const struct act *later)
{
	if (former->source != later->source)
		return false;
	if (former->order == KUID_BY_HOST && later->order == KUID_BY_HOST)
		return true;
	if (later->order == KUID_BY_CPU)
		return former->order == KUID_BY_CPU &&
		       former->on == later->on && later->on;
	return former->order != KUID_BY_CPU && former->file == later->file;
}

static void check_order(const struct call *former, const struct call *later)
{
	if (former->ended < later->began &&
	    former->taken.origin.epoch > later->taken.origin.epoch)
		broken = "a unit of a former epoch";
	if (former->ended < later->began &&
	    former->taken.origin.epoch == later->taken.origin.epoch &&
	    follows(former->act, later->act) &&
	    last_of(former) >= later->taken.units.first)
		broken = "out of order";
}

static const char *wrong(void)
{
	unsigned int writes = generator.seq.sequence / 2 - nr_publishes;

	look();
	if (generator.lock.locked || generator.seq.sequence & 1)
		broken = "the lock or the count is still held";
	if (writes > scenario->most_writes)
		broken = "too many changes of the snapshot";
	if (machine_epochs_wanted() > scenario->most_wanted)
		broken = "too many requests for an epoch";
	if (scenario->most_epochs && nr_epochs > scenario->most_epochs)
		broken = "too many epochs";
	/*
	 * A dropped reservation must be within the window. Otherwise other
	 * callers would wait for it.
	 */
	if (kuid_epoch_issued(generator.epoch) >
		    clock_of(KUID_STAMPS) + AHEAD ||
	    kuid_sequences_issued(generator.epoch->sequences) >
		    clock_of(KUID_LEX) + AHEAD)
		broken = "a reservation beyond the window";
	/*
	 * A clock may be in front of the highest wall clock, but in each
	 * scenario it gains less than the window at half speed.
	 */
	for (int source = 0; source < KUID_NR_SOURCES; source++)
		if (clock_of(source) > latest + AHEAD)
			broken = "a clock ahead of the highest wall clock";
	for (unsigned int i = 0; i < nr_calls; i++) {
		if (!calls[i].taken.units.count) {
			check_wait(&calls[i]);
			continue;
		}
		if (calls[i].taken.origin.epoch - 1 >= nr_epochs)
			broken = "a unit of an unknown epoch";
		if (calls[i].taken.origin.identity.node !=
		    node_of[calls[i].taken.origin.epoch])
			broken = "an identity of another epoch";
		if (calls[i].act->source == KUID_STAMPS &&
		    calls[i].taken.origin.epoch < nr_epochs &&
		    node_of[calls[i].taken.origin.epoch] == GIVEN &&
		    last_of(&calls[i]) > generator.issued)
			broken = "an epoch missed an issued stamp";
		if (calls[i].act->part && calls[i].act->source == KUID_LEX &&
		    !calls[i].taken.origin.closed &&
		    calls[i].taken.units.first >= closed_from)
			broken = "taken for a closed identity";
		if (is_shut(&calls[i]))
			broken = "at or above a ceiling";
		for (unsigned int j = 0; j < nr_calls; j++) {
			if (i == j || !calls[j].taken.units.count)
				continue;
			check_given_once(&calls[i], &calls[j]);
			check_order(&calls[i], &calls[j]);
		}
	}
	return broken;
}

static void print(void)
{
	for (unsigned int i = 0; i < nr_calls; i++)
		printf("# epoch %llu lane %u: %llu, %u; from %u to %u\n",
		       (unsigned long long)calls[i].taken.origin.epoch,
		       calls[i].taken.units.lane,
		       (unsigned long long)calls[i].taken.units.first,
		       calls[i].taken.units.count, calls[i].began,
		       calls[i].ended);
}

/* The address sanitizer calls this before it ends the program. */
void __asan_on_error(void);
void __asan_on_error(void)
{
	printf("# %s: memory used after its grace period\n",
	       scenario ? scenario->name : "");
	scheduler_print();
	fflush(stdout);
}

static void prepare(struct scheduler_model *model, const void *what,
		    unsigned int variant)
{
	scenario = what;
	model->nr_cpus = scenario->acts[2][0].deed ? 3 : 2;
	model->preemptions = scenario->preemptions ?: 2;
}

static const struct scenario scenarios[] = {
	/*
	 * The machine is cloned twice, while two CPUs make IDs and a third one begins
	 * epochs.
	 */
	{ "clones",
	  .nr_lanes = 3,
	  .acts = {
		  { TAKE_(STAMPS, FILE, 1, .part = KUID_PART_NODE),
		    TAKE_(STAMPS, FILE, 1, .part = KUID_PART_NODE),
		    TAKE_(STAMPS, FILE, 1, .part = KUID_PART_NODE) },
		  { CLONE_, TAKE_(LEX, HOST, 1, .part = KUID_PART_WORKER),
		    CLONE_,
		    TAKE_(LEX, HOST, 1, .part = KUID_PART_WORKER) },
		  { PUBLISH_(FORK, false), PUBLISH_(SET, false),
		    PUBLISH_(FORK, false) },
	  },
	  .most_writes = 8,
	  .clones = true },
	/* Two CPUs share a file, and nothing else happens. */
	{ "one file of stamps",
	  .preemptions = 3,
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(STAMPS, FILE, 2) } } },
	{ "one file of lex",
	  .preemptions = 3,
	  .acts = { { TAKE_(LEX, FILE, 3), TAKE_(LEX, FILE, 1) },
		    { TAKE_(LEX, FILE, 1), TAKE_(LEX, FILE, 2) } } },
	{ "one file of three CPUs",
	  .nr_lanes = 3,
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 2), TAKE_(STAMPS, FILE, 1) } } },
	{ "one lane of two CPUs",
	  .preemptions = 3,
	  .nr_lanes = 1,
	  .acts = { { TAKE_(STAMPS, CPU, 1), TAKE_(STAMPS, CPU, 3),
		      TAKE_(STAMPS, CPU, 1) },
		    { TAKE_(STAMPS, CPU, 2), TAKE_(STAMPS, CPU, 1),
		      TAKE_(STAMPS, FILE, 1) } } },
	{ "one lane of three CPUs, and the host's",
	  .nr_lanes = 1,
	  .acts = { { TAKE_(STAMPS, CPU, 1, .on = 1),
		      TAKE_(STAMPS, CPU, 1, .on = 1) },
		    { TAKE_(STAMPS, CPU, 2, .on = 1),
		      TAKE_(STAMPS, HOST, 1, .file = 1) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(STAMPS, HOST, 2) } } },
	/* The counts are so high that a run is used up and the next one is carved. */
	{ "one run of two CPUs",
	  .preemptions = 3,
	  .nr_lanes = 1,
	  .acts = { { TAKE_(LEX, CPU, 30, .on = 1),
		      TAKE_(LEX, CPU, 3, .on = 1),
		      TAKE_(LEX, CPU, 3, .on = 1) },
		    { TAKE_(LEX, CPU, 30, .on = 1),
		      TAKE_(LEX, CPU, 3, .on = 1),
		      TAKE_(LEX, CPU, 3, .on = 1) } } },
	{ "one run of two CPUs, used with watermarks",
	  .preemptions = 3,
	  .nr_lanes = 1,
	  .first = { TAKE_(GRID, FILE, 5) },
	  .acts = { { TAKE_(GRID, FILE, 40), TAKE_(GRID, CPU, 30) },
		    { TAKE_(GRID, CPU, 20), TAKE_(GRID, FILE, 3),
		      TAKE_(GRID, FILE, 1, .file = 1) } } },
	/* Near halves end after 50,000 more slots. */
	{ "the last slot of the window",
	  .first = { TAKE_(LEX, HOST, 50000) },
	  .acts = { { TAKE_(LEX, HOST, 2) }, { TAKE_(LEX, HOST, 2) } } },
	{ "one sequence of three CPUs",
	  .acts = { { TAKE_(GRID, CPU, 33), TAKE_(GRID, CPU, 3) },
		    { TAKE_(GRID, FILE, 2), TAKE_(GRID, FILE, 2) },
		    { TAKE_(GRID, HOST, 3), TAKE_(GRID, HOST, 1) } } },
	{ "one run while time passes it",
	  .nr_lanes = 1,
	  .acts = { { TAKE_(LEX, CPU, 3), TAKE_(LEX, CPU, 3) },
		    { TAKE_(LEX, CPU, 3), TAKE_(LEX, FILE, 3) },
		    { PASS_(20000), PASS_(20000) } } },
	/*
	 * Callers must not make each other retry forever. One refresh is enough for all
	 * of them.
	 */
	{ "a step forward",
	  .first = { TAKE_(STAMPS, FILE, 1) },
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1) },
		    { SET_WALL_(SECOND) } },
	  .most_writes = 1 },
	{ "a step forward, slots",
	  .first = { TAKE_(LEX, FILE, 1) },
	  .acts = { { TAKE_(LEX, FILE, 3), TAKE_(GRID, FILE, 1) },
		    { TAKE_(LEX, FILE, 1), TAKE_(GRID, CPU, 1) },
		    { SET_WALL_(SECOND) } },
	  .most_writes = 1 },
	/*
	 * A caller that slept across the clock step drops its reservation, which may be
	 * beyond the window. So each such caller may cause one more refresh.
	 */
	{ "a step back",
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1) },
		    { SET_WALL_(-SECOND) } },
	  .most_writes = 3 },
	{ "a step back, all of a window",
	  .acts = { { TAKE_(STAMPS, FILE, ~0U), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, ~0U, .file = 1),
		      TAKE_(STAMPS, FILE, 1) },
		    { SET_WALL_(-SECOND) } },
	  .most_writes = 3 },
	{ "a step back, lex",
	  .acts = { { TAKE_(LEX, FILE, 30), TAKE_(LEX, FILE, 3) },
		    { TAKE_(LEX, FILE, 1), TAKE_(LEX, FILE, 1) },
		    { SET_WALL_(-SECOND) } },
	  .most_writes = 3 },
	{ "a step back, the grid",
	  .nr_lanes = 1,
	  .acts = { { TAKE_(GRID, FILE, 20000), TAKE_(GRID, FILE, 3) },
		    { TAKE_(GRID, CPU, 1), TAKE_(GRID, HOST, 1) },
		    { SET_WALL_(-SECOND) } },
	  .most_writes = 3 },
	{ "steps back while time passes",
	  .first = { TAKE_(STAMPS, FILE, 1) },
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, HOST, 1), TAKE_(STAMPS, CPU, 1) },
		    { PASS_(MS), SET_WALL_(-5 * MS), PASS_(MS),
		      SET_WALL_(-200 * MS) } },
	  .most_writes = 6 },
	{ "forward and back",
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(LEX, FILE, 1) },
		    { SET_WALL_(9 * SECOND), SET_WALL_(-9 * SECOND) } },
	  .most_writes = 6 },
	/*
	 * A caller looks at a wall clock that is set twice, and then sleeps for many
	 * seconds. When it goes on, it must not mistake IDs that others got meanwhile
	 * for IDs from before the clock step.
	 */
	{ "a sleep longer than the limit of a clock step",
	  /*
	  * Enter the file first, so that no caller needs the lock for
	  * that.
	  */
	  .first = { TAKE_(STAMPS, FILE, 1) },
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(LEX, FILE, 3) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(LEX, FILE, 1) },
		    { SET_WALL_(MS), SET_WALL_(-MS),
		      PASS_(20 * SECOND) } },
	  .most_writes = 4 },
	{ "a sleep, and no step",
	  .nr_lanes = 1,
	  .first = { TAKE_(STAMPS, FILE, 1) },
	  .acts = { { TAKE_(STAMPS, FILE, 3), TAKE_(STAMPS, HOST, 1) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(GRID, CPU, 1) },
		    { PASS_(20 * SECOND), TAKE_(GRID, FILE, 1) } } },
	/* One of the CPUs is the worker that publishes the epoch. */
	{ "a step back, slots and the new epoch",
	  .nr_lanes = 1,
	  .first = { TAKE_(STAMPS, CPU, 1) },
	  .acts = { { TAKE_(LEX, FILE, 3) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(LEX, FILE, 1) },
		    { SET_WALL_(-HOUR), PUBLISH_(STEP, false) } },
	  .most_writes = 3,
	  .most_wanted = 3 },
	{ "an epoch that was never requested",
	  .acts = { { TAKE_(STAMPS, FILE, 3) },
		    { PASS_(20 * SECOND), TAKE_(STAMPS, FILE, 1),
		      TAKE_(LEX, FILE, 1) },
		    { PUBLISH_(STEP, false) } },
	  .most_epochs = 1 },
	{ "a step back and the new epoch",
	  .first = { TAKE_(STAMPS, FILE, 1), TAKE_(LEX, FILE, 1) },
	  .acts = { { TAKE_(STAMPS, FILE, 10), TAKE_(LEX, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(STAMPS, FILE, 1) },
		    { SET_WALL_(-HOUR), PUBLISH_(STEP, false) } },
	  .most_writes = 3,
	  .most_wanted = 3 },
	{ "an epoch that is not needed any more",
	  .first = { TAKE_(STAMPS, FILE, 1), SET_WALL_(-HOUR) },
	  .acts = { { TAKE_(STAMPS, FILE, 10), TAKE_(LEX, FILE, 1) },
		    { TAKE_(STAMPS, FILE, 1), SET_WALL_(HOUR) },
		    { PUBLISH_(STEP, false), TAKE_(STAMPS, FILE, 1) } },
	  .most_writes = 4,
	  .most_wanted = 3 },
	{ "slots go back",
	  .first = { TAKE_(LEX, FILE, 5), SET_WALL_(-HOUR) },
	  .acts = { { TAKE_(LEX, FILE, 40) },
		    { TAKE_(LEX, FILE, 1), TAKE_(LEX, FILE, 1) },
		    { PUBLISH_(BACK, false) } },
	  .most_writes = 3 },
	{ "read while the clocks go back",
	  .nr_lanes = 1,
	  .first = { TAKE_(STAMPS, FILE, 1), TAKE_(LEX, FILE, 1) },
	  .acts = { { LOOK_(STAMPS), LOOK_(LEX) },
		    { SET_WALL_(-HOUR), LOOK_(GRID),
		      PUBLISH_(BACK, false) } },
	  .most_writes = 2,
	  .most_wanted = 2,
	  .same_lag = true },
	{ "read while an epoch begins",
	  .nr_lanes = 1,
	  .first = { TAKE_(STAMPS, FILE, 1) },
	  .acts = { { LOOK_(STAMPS) },
		    { TAKE_(STAMPS, FILE, 1), LOOK_(GRID) },
		    { SET_WALL_(-HOUR), PUBLISH_(STEP, false) } },
	  .most_writes = 3,
	  .most_wanted = 3 },
	/*
	 * The second epoch is not published before all callers have left the epoch
	 * before the first one.
	 */
	{ "two epochs in a row",
	  .acts = { { TAKE_(STAMPS, FILE, 10), TAKE_(STAMPS, FILE, 9) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(STAMPS, FILE, 1) },
		    { PUBLISH_(BACK, false), PUBLISH_(BACK, false) } } },
	{ "two epochs, and a file that was idle in one",
	  .first = { SET_WALL_(HOUR), TAKE_(STAMPS, FILE, 1),
		     SET_WALL_(-HOUR), PUBLISH_(BACK, false) },
	  .acts = { { TAKE_(STAMPS, FILE, 9), TAKE_(STAMPS, FILE, 3) },
		    { TAKE_(STAMPS, FILE, 1), TAKE_(STAMPS, FILE, 1) },
		    { PUBLISH_(BACK, false), PUBLISH_(BACK, false) } },
	  .most_writes = 2 },
	{ "two epochs of slots",
	  .acts = { { TAKE_(LEX, FILE, 40), TAKE_(LEX, FILE, 1) },
		    { TAKE_(LEX, FILE, 1), TAKE_(LEX, FILE, 1) },
		    { PUBLISH_(BACK, false), PUBLISH_(BACK, false) } } },
	{ "a given node",
	  .node_given = true,
	  .acts = { { TAKE_(STAMPS, CPU, 1), TAKE_(STAMPS, CPU, 1) },
		    { TAKE_(STAMPS, FILE, 150), TAKE_(STAMPS, FILE, 1) },
		    { PUBLISH_(SET, true), TAKE_(STAMPS, CPU, 1) } } },
	{ "a given node, twice",
	  .nr_lanes = 1,
	  .node_given = true,
	  .acts = { { TAKE_(STAMPS, CPU, 1), TAKE_(STAMPS, CPU, 1) },
		    { TAKE_(STAMPS, HOST, 150), TAKE_(STAMPS, CPU, 1) },
		    { PUBLISH_(SET, true), PUBLISH_(SET, true) } } },
	{ "a given node, after a random one",
	  .nr_lanes = 1,
	  .node_given = true,
	  .acts = { { TAKE_(STAMPS, CPU, 1), TAKE_(STAMPS, CPU, 1) },
		    { TAKE_(STAMPS, CPU, 150), TAKE_(STAMPS, CPU, 1) },
		    { PUBLISH_(SET, false), PUBLISH_(SET, true) } } },
	/* What these changes report must hold for all that is taken beside them. */
	{ "the identity is closed",
	  .acts = { { TAKE_(LEX, HOST, 1, .part = KUID_PART_WORKER),
		      TAKE_(LEX, HOST, 1, .part = KUID_PART_WORKER) },
		    { CLOSE_ } },
	  .most_writes = 1 },
	{ "the claim ends",
	  .nr_lanes = 1,
	  .shuts = true,
	  .acts = { { TAKE_(LEX, CPU, 3, .part = KUID_PART_WORKER),
		      TAKE_(LEX, CPU, 30, .part = KUID_PART_WORKER) },
		    { TAKE_(LEX, HOST, 2, .part = KUID_PART_WORKER),
		      TAKE_(GRID, FILE, 1, .part = KUID_PART_WORKER) },
		    { SHUT_(WORKER, 0) } },
	  .most_writes = 1 },
	{ "the ceiling of the claim is lowered",
	  .nr_lanes = 1,
	  .shuts = true,
	  .acts = { { TAKE_(LEX, CPU, 30, .part = KUID_PART_WORKER),
		      TAKE_(LEX, CPU, 3, .part = KUID_PART_WORKER) },
		    { TAKE_(LEX, HOST, 30, .part = KUID_PART_WORKER) },
		    { SHUT_(WORKER, 20000) } },
	  .most_writes = 1 },
	{ "the ceiling of the cover is lowered",
	  .nr_lanes = 1,
	  .node_given = true,
	  .shuts = true,
	  .acts = { { TAKE_(LEX, FILE, 30), TAKE_(STAMPS, CPU, 20000) },
		    { TAKE_(STAMPS, HOST, 20000) },
		    { SHUT_(NONE, 20000) } },
	  .most_writes = 1 },
	{ "a given node and a step back",
	  .nr_lanes = 1,
	  .node_given = true,
	  .acts = { { TAKE_(STAMPS, CPU, 1), TAKE_(STAMPS, CPU, 1) },
		    { TAKE_(STAMPS, FILE, 150), TAKE_(STAMPS, CPU, 1) },
		    { SET_WALL_(-HOUR), PUBLISH_(SET, true) } },
	  .most_writes = 3 },
};

int main(void)
{
	struct scheduler_model model = {
		.name = "model",
		.walks = 3000,
		.prepare = prepare,
		.start = start,
		.run = run,
		.resume = resume,
		.look = look,
		.may_go_on = may_go_on,
		.wrong = wrong,
		.print = print,
	};

	return scheduler_main(&model, scenarios, sizeof(scenarios[0]),
			      ARRAY_SIZE(scenarios));
}
