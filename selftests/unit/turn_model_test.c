// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers on three CPUs look at one line at the same time, in all
 * interleavings: see model_test.c. Time stands still meanwhile.
 *
 * A caller that finds no IDs sleeps. After each run, the test checks that no
 * caller sleeps although its IDs are free and nobody has woken it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/turn.h"
#include "machine.h"
#include "scheduler.h"

#define CPUS  3
#define MONO  5000000000ULL
#define NOW   1700000000000000000ULL
#define AHEAD (KUID_MAX_AHEAD_MS * KUID_MS_NS)
#define MS    1000000ULL

enum deed {
	NOTHING,
	TRY,   /* until IDs are taken, or the caller has to sleep */
	LEAVE, /* like a caller that got a signal */
};

/**
 * struct task_struct - a caller
 * @count: how many IDs it asks for
 * @waited: it is in the line at the start, in the order of the callers
 * @late: its IDs have been due for longer than KUID_LINE_GRACE_NS
 * @polite: it may wait
 * @deed: what it does
 */
struct task_struct {
	u32 count;
	bool waited;
	bool late;
	bool polite;
	enum deed deed;
};

/**
 * struct scenario - what the callers do
 * @name: printed in the report
 * @free: how many IDs are free
 * @callers: one for each CPU, and one that does nothing
 */
struct scenario {
	const char *name;
	unsigned int free;
	struct task_struct callers[CPUS + 1];
};

static const struct scenario *scenario;
static struct kuid_generator generator;
static struct kuid_line_pair lines;
static struct kuid_watermarks files[CPUS + 1];
static struct kuid_turn turns[CPUS + 1];
static u32 taken_by[CPUS + 1];
static u64 first_of[CPUS + 1];
static unsigned int holder;
static bool line_is_held;
static bool woken[CPUS + 1];
static u64 until[CPUS + 1]; /* when the caller's timer ends its sleep */

static struct {
	struct kuid_epoch epoch;
	struct kuid_lane lanes[KUID_FIRST_CPU_LANE + CPUS];
} __aligned(64) memory;
static struct {
	struct kuid_sequences sequences;
	struct kuid_cpu_runs runs[CPUS];
} __aligned(64) slots;

static void wake(struct task_struct *task)
{
	woken[task - scenario->callers] = true;
}

static u64 end_of_window(void)
{
	return kuid_lex_slot(NOW) + generator.windows[KUID_LEX].one + 1;
}

static void start(void)
{
	struct kuid_change first = machine_change(KUID_EPOCH_FIRST);

	machine_start(MONO, NOW);
	machine_on_wake(wake);
	memset(&memory, 0, sizeof(memory));
	memset(&slots, 0, sizeof(slots));
	memset(files, 0, sizeof(files));
	memset(taken_by, 0, sizeof(taken_by));
	memset(woken, 0, sizeof(woken));
	kuid_generator_init(&generator, AHEAD, 1, false);
	memory.epoch.load_id = 1;
	memory.epoch.nr_cpu_lanes = CPUS;
	memory.epoch.sequences = &slots.sequences;
	slots.sequences.nr_cpus = CPUS;
	kuid_generator_publish(&generator, &memory.epoch, &first);
	atomic64_set(&slots.sequences.by_source[KUID_LEX].next,
		     end_of_window() - scenario->free);
	kuid_line_pair_init(&lines);
	for (unsigned int i = 0; i <= CPUS; i++) {
		const struct task_struct *caller = &scenario->callers[i];
		struct kuid_turn *turn = &turns[i];

		*turn = (struct kuid_turn) {
			.generator = &generator,
			.lines = &lines,
			.want = { .watermarks = &files[i],
				  .source = KUID_LEX,
				  .order = KUID_BY_HOST,
				  .ahead = generator.windows[KUID_LEX].one,
				  .count = caller->count },
			.single = true,
			.may_wait = caller->polite,
			.has_waited = caller->waited,
		};
		kuid_waiter_init(&turn->waiter, (struct task_struct *)caller);
		if (!caller->waited)
			continue;
		kuid_line_join(&lines.singles, &turn->waiter, caller->count,
			       MONO);
		turn->waiter.due = caller->late ? MONO - KUID_LINE_GRACE_NS
						: MONO + MS;
		until[i] = turn->waiter.due;
	}
}

static void run(unsigned int cpu)
{
	struct kuid_turn *turn = &turns[cpu];
	struct kuid_taken taken;
	bool done;
	u64 due;

	machine_set_cpu(cpu);
	switch (scenario->callers[cpu].deed) {
	case TRY:
		do {
			done = kuid_turn_try(turn, &taken, &due);
		} while (!done && turn->may_wait &&
			 (due <= MONO || turn->waiter.called));
		if (done) {
			taken_by[cpu] = taken.units.count;
			first_of[cpu] = taken.units.first;
			kuid_turn_end(turn);
		}
		turn->has_waited |= turn->may_wait;
		until[cpu] = due;
		break;
	case LEAVE:
		kuid_turn_end(turn);
		break;
	case NOTHING:
		break;
	}
}

/*
 * The scheduler calls this before each access. The first access after the lock
 * was taken is that of its holder.
 */
static void look(void)
{
	if (lines.singles.lock.locked && !line_is_held)
		holder = kuid_port_cpu();
	line_is_held = lines.singles.lock.locked;
}

static void resume(unsigned int cpu)
{
	machine_set_cpu(cpu);
	/*
	 * The lock may have been released since the last look, and this CPU may
	 * be about to take it.
	 */
	line_is_held = lines.singles.lock.locked;
}

/* A CPU that holds the lock of the line may take the generator's lock. */
static bool may_go_on(unsigned int cpu)
{
	return !generator.lock.locked &&
	       (!lines.singles.lock.locked || holder == cpu);
}

static const char *wrong(void)
{
	u64 left = end_of_window() -
		   atomic64_read(&slots.sequences.by_source[KUID_LEX].next);
	const struct kuid_waiter *waiter;
	unsigned int count = 0;
	u64 before = 0;

	for (unsigned int i = 0; i <= CPUS; i++)
		for (unsigned int j = 0; j < i; j++)
			if (taken_by[i] && taken_by[j] &&
			    first_of[i] < first_of[j] + taken_by[j] &&
			    first_of[j] < first_of[i] + taken_by[i])
				return "handed out twice";
	list_for_each_entry(waiter, &lines.singles.waiters, entry) {
		const struct kuid_turn *turn =
			container_of(waiter, const struct kuid_turn, waiter);
		unsigned int i = turn - turns;

		count++;
		before += turn->want.count;
		/* Nobody will wake it any more. */
		if (before <= left && !waiter->called && until[i] > MONO)
			return "a caller was left asleep";
		if (waiter->called && !woken[i])
			return "a caller was called and not woken";
	}
	if (count != lines.singles.count)
		return "wrong count of waiters";
	for (unsigned int i = 1; i <= CPUS; i++) {
		const struct task_struct *caller = &scenario->callers[i];

		/*
		 * If the waiter before it has kept its place, the IDs for that
		 * waiter must still be free.
		 */
		if (taken_by[i] && caller->waited &&
		    kuid_waiter_waits(&turns[i - 1].waiter) &&
		    turns[i - 1].waiter.mark < turns[i].waiter.mark &&
		    left < turns[i - 1].want.count)
			return "took IDs of the waiter before";
	}
	return NULL;
}

static void print(void)
{
	for (unsigned int i = 0; i <= CPUS; i++)
		printf("# caller %u: took %u at %llu, %s\n", i, taken_by[i],
		       (unsigned long long)first_of[i],
		       kuid_waiter_waits(&turns[i].waiter) ? "waits" : "done");
}

static void prepare(struct scheduler_model *model, const void *what,
		    unsigned int variant)
{
	scenario = what;
}

#define WAITER(n, deed_)                                                  \
	{                                                                 \
		.count = n, .waited = true, .polite = true, .deed = deed_ \
	}
#define LATE(n, deed_)                                                    \
	{                                                                 \
		.count = n, .waited = true, .late = true, .polite = true, \
		.deed = deed_                                             \
	}
#define COMES(n, polite_)                                  \
	{                                                  \
		.count = n, .polite = polite_, .deed = TRY \
	}

static const struct scenario scenarios[] = {
	{ "enough for all", .free = 21,
	  .callers = { WAITER(10, TRY), WAITER(10, TRY), COMES(1, true) } },
	{ "enough for the first", .free = 10,
	  .callers = { WAITER(10, TRY), WAITER(10, TRY), COMES(1, true) } },
	{ "three come at once", .free = 2,
	  .callers = { COMES(1, true), COMES(1, true), COMES(1, true) } },
	{ "the head gets a signal", .free = 10,
	  .callers = { WAITER(100, LEAVE), WAITER(10, TRY), COMES(1, true) } },
	{ "the head gets a signal, the next waiter sleeps", .free = 10,
	  .callers = { WAITER(100, LEAVE), WAITER(10, NOTHING),
		       COMES(1, false) } },
	{ "the second gets a signal", .free = 20,
	  .callers = { WAITER(10, TRY), WAITER(100, LEAVE), WAITER(10, TRY) } },
	{ "the second gets a signal, the others sleep", .free = 20,
	  .callers = { LATE(10, NOTHING), WAITER(100, LEAVE),
		       WAITER(10, NOTHING) } },
	{ "a late head that runs in the end", .free = 10,
	  .callers = { LATE(10, TRY), WAITER(10, TRY), COMES(1, true) } },
	{ "a late head, removed by a caller that may not wait", .free = 10,
	  .callers = { LATE(100, NOTHING), WAITER(10, TRY),
		       COMES(20, false) } },
	{ "a late head, and the next waiter sleeps", .free = 10,
	  .callers = { LATE(100, NOTHING), WAITER(10, NOTHING),
		       COMES(20, true) } },
};

int main(void)
{
	struct scheduler_model model = {
		.name = "turn_model",
		.nr_cpus = CPUS,
		.preemptions = 3,
		.most = 100000,
		.walks = 10000,
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
