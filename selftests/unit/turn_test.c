// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers wait for slots on one CPU. The clock moves by the work of the
 * callers, and to the next moment at which a caller wakes. A caller that is
 * stuck does not run when it should: it is stopped, throttled, or sleeps with a
 * huge timer slack. The code can't tell these cases apart.
 *
 * The times are exact, so the test compares each wait with the formula in the
 * manual page.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/turn.h"
#include "cases.h"
#include "host.h"
#include "machine.h"

#define MS     1000000ULL
#define WINDOW HOST_AHEAD
#define CHUNK  1024
#define GRACE  KUID_LINE_GRACE_NS

/* Time that the CPU needs for one look at a line. */
#define LOOK_NS 800

#define MOST_TASKS 1024

enum state {
	ABSENT,
	RUNS,
	SLEEPS,
};

/**
 * struct task_struct - a process that asks for IDs repeatedly
 * @state: its present state
 * @wakes: moment at which its timer ends its sleep
 * @stuck_until: it does not run before this moment
 * @want: how many IDs it asks for in a call
 * @calls: how many calls it will make
 * @pause: time between two calls, in nanoseconds
 * @may_wait: its calls may wait
 * @began: moment at which its present call began; 0 if it is in no call
 * @served: number of calls that got IDs
 * @got: number of IDs that these calls got
 * @refused: number of calls that got none
 * @longest: duration of the longest call, in nanoseconds
 * @first: first ID of the last call that got IDs
 * @turn: the turn of its present call
 * @file: its open file
 *
 * Moments are nanoseconds of the monotonic clock.
 */
struct task_struct {
	enum state state;
	u64 wakes;
	u64 stuck_until;
	u32 want;
	unsigned int calls;
	u64 pause;
	bool may_wait;
	u64 began;
	unsigned int served;
	u64 got;
	unsigned int refused;
	u64 longest;
	u64 first;
	struct kuid_turn turn;
	struct kuid_watermarks file;
};

static struct task_struct tasks[MOST_TASKS];
static unsigned int nr_tasks; /* the highest one in use, and one */
static struct kuid_line_pair lines;
static enum kuid_source source;
static unsigned int wakeups;

/* Waking takes time, so nobody may wait for the line's lock meanwhile. */
static void wake(struct task_struct *task)
{
	assert_false(lines.batches.lock.locked || lines.singles.lock.locked);
	assert_true(task->turn.waiter.called);
	wakeups++;
	if (task->state == SLEEPS)
		task->wakes = min(task->wakes, machine_mono());
}

static int setup(void **state)
{
	host_start(4, 4, false);
	kuid_line_pair_init(&lines);
	memset(tasks, 0, sizeof(tasks));
	nr_tasks = 0;
	source = KUID_LEX;
	machine_on_wake(wake);
	return 0;
}

static struct task_struct *add(unsigned int nr, u32 want, unsigned int calls)
{
	struct task_struct *task = &tasks[nr];

	*task = (struct task_struct) {
		.state = RUNS,
		.want = want,
		.calls = calls,
		.may_wait = true,
	};
	nr_tasks = max(nr_tasks, nr + 1);
	return task;
}

static void begin_call(struct task_struct *task)
{
	const struct kuid_window *window = &host.generator.windows[source];

	task->began = machine_mono();
	task->turn = (struct kuid_turn) {
		.generator = &host.generator,
		.lines = &lines,
		.want = { .watermarks = &task->file,
			  .source = source,
			  .order = KUID_BY_FILE,
			  .ahead = task->want == 1 ? window->one
						   : window->batch,
			  .count = task->want },
		.single = task->want == 1,
		.may_wait = task->may_wait,
	};
	kuid_waiter_init(&task->turn.waiter, task);
}

static void end_call(struct task_struct *task)
{
	u64 now = machine_mono();
	unsigned long locks = count_locks;

	kuid_turn_end(&task->turn);
	if (!task->turn.has_waited || source == KUID_STAMPS)
		assert_int_equal(count_locks, locks);
	/* The call may go on without a place, and sleeps then. */
	assert_false(task->turn.waiter.called);
	task->longest = max(task->longest, now - task->began);
	task->began = 0;
	task->state = --task->calls ? RUNS : ABSENT;
	if (task->calls && task->pause) {
		task->state = SLEEPS;
		task->wakes = now + task->pause;
	}
}

/* Run a task that has got the CPU. */
static void run(struct task_struct *task)
{
	struct kuid_taken taken;
	u64 when;

	task->state = RUNS;
	machine_set_cpu((task - tasks) % 4);
	machine_pass(LOOK_NS);
	if (!task->began)
		begin_call(task);
	if (kuid_turn_try(&task->turn, &taken, &when)) {
		task->served++;
		task->got += taken.units.count;
		task->first = taken.units.first;
		end_call(task);
		return;
	}
	if (!task->may_wait) {
		task->refused++;
		end_call(task);
		return;
	}
	assert_true(kuid_waiter_waits(&task->turn.waiter) ||
		    when <= machine_mono());
	task->turn.has_waited = true;
	task->state = SLEEPS;
	task->wakes = task->turn.waiter.called ? machine_mono() : when;
}

static u64 runs_at(const struct task_struct *task)
{
	u64 at = task->state == RUNS ? machine_mono() : task->wakes;

	return max(at, task->stuck_until);
}

/*
 * Give the CPU to the task that can run first. If several tasks can, each gets
 * a turn.
 */
static void run_until(u64 end)
{
	unsigned int last = 0;

	for (;;) {
		struct task_struct *next = NULL;

		for (unsigned int i = 1; i <= nr_tasks; i++) {
			struct task_struct *task =
				&tasks[(last + i) % nr_tasks];

			if (task->state != ABSENT &&
			    (!next || runs_at(task) < runs_at(next)))
				next = task;
		}
		if (!next || runs_at(next) > end)
			break;
		if (runs_at(next) > machine_mono())
			machine_set_mono(runs_at(next));
		if (machine_mono() > end)
			return;
		last = next - tasks;
		run(next);
	}
	machine_set_mono(max(end, machine_mono()));
}

static void run_for(u64 ns)
{
	run_until(machine_mono() + ns);
}

/* Take all of the window. */
static void use_up(void)
{
	struct kuid_sequences *sequences = host.generator.epoch->sequences;
	struct kuid_watermarks file = { 0 };
	struct kuid_taken taken;

	kuid_generator_take(
		&host.generator,
		&(struct kuid_want) { source, &file, KUID_BY_HOST, 0,
				      host.generator.windows[source].one, ~0U },
		&taken);
	assert_true(atomic64_read(&sequences->by_source[source].next));
}

/* Batches of CHUNK arrive, one after the other. */
static void line_up(unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++) {
		add(i, CHUNK, 1);
		run_for(0);
	}
}

static void stick(unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		tasks[i].stuck_until = machine_mono() + 10000 * MS;
}

/* The time in which so many IDs become available. */
static u64 time_of(u64 ids)
{
	u64 at_once = kuid_scales[source].tail + 1;
	u64 unit = source == KUID_LEX	      ? 1000
		   : source == KUID_SNOWFLAKE ? 1000000
					      : KUID_GRID_TICK_NS;

	/* Some of the slots that have one time may be taken. */
	return (ids / at_once + (at_once > 1)) * unit;
}

TEST(a_poller_takes_no_lock_if_nobody_waits)
{
	for (source = 0; source < KUID_NR_SOURCES; source++) {
		unsigned long locks;

		add(0, 1, 1);
		begin_call(&tasks[0]);
		/* The first use of a file in an epoch takes a lock. */
		kuid_turn_when(&tasks[0].turn);
		locks = count_locks;
		assert_true(kuid_turn_when(&tasks[0].turn) <= machine_mono());
		assert_int_equal(count_locks, locks);
	}
	tasks[0].state = ABSENT;
}

TEST(a_poller_counts_the_waiters_before_it)
{
	use_up();
	add(0, 1, 1);
	run_for(0);
	assert_int_equal(tasks[0].state, SLEEPS);
	add(1, 1, 1);
	begin_call(&tasks[1]);
	/* lex has one ID in a microsecond. */
	assert_int_equal(kuid_turn_when(&tasks[1].turn),
			 tasks[0].turn.waiter.due + 1000);
	tasks[1].state = ABSENT;
	run_for(2 * WINDOW);
	assert_int_equal(tasks[0].served, 1);
}

TEST(each_is_served_in_turn_when_its_ids_are_due)
{
	for (source = 0; source < KUID_NR_SEQUENCES; source++) {
		u64 last = 0, before = 0;

		use_up();
		wakeups = 0;
		for (unsigned int i = 0; i < 30; i++) {
			add(i, KUID_RUN_SLOTS + random_below(CHUNK), 1);
			run_for(0);
			before += tasks[i].want;
			tasks[i].pause = time_of(before) + WINDOW / 2;
		}
		run_for(200 * MS);
		for (unsigned int i = 0; i < 30; i++) {
			assert_int_equal(tasks[i].got, tasks[i].want);
			/*
			 * The slots of a grid tick or a millisecond are due at
			 * the same time, so the waiters may be served in any
			 * order.
			 */
			assert_true(kuid_scales[source].tail ||
				    tasks[i].first > last);
			last = tasks[i].first;
			/*
			 * The near half of the window is free after half a
			 * window.
			 */
			assert_true(tasks[i].longest <=
				    tasks[i].pause + 30 * LOOK_NS);
		}
		/* Each of them wakes only the next one. */
		assert_true(wakeups < 30);
		assert_int_equal(lines.batches.count, 0);
		assert_int_equal(lines.singles.count, 0);
	}
}

/* The gate may close after the caller has looked, and it doesn't sleep. */
TEST(a_call_that_ends_before_it_sleeps_leaves_its_line)
{
	struct kuid_taken taken;
	u64 due;

	for (u32 want = 1; want <= CHUNK; want += CHUNK - 1) {
		struct kuid_turn *turn = &add(0, want, 1)->turn;

		use_up();
		begin_call(&tasks[0]);
		assert_false(kuid_turn_try(turn, &taken, &due));
		assert_true(kuid_waiter_waits(&turn->waiter));
		kuid_turn_end(turn);
		assert_false(kuid_waiter_waits(&turn->waiter));
		tasks[0].state = ABSENT;
	}
}

TEST(a_stuck_waiter_delays_nobody_if_there_is_enough)
{
	for (u32 want = 1; want <= CHUNK; want += CHUNK - 1) {
		use_up();
		add(0, want, 1)->stuck_until = 0;
		run_for(0);
		assert_int_equal(tasks[0].state, SLEEPS);
		tasks[0].stuck_until = machine_mono() + 1000 * MS;
		run_for(WINDOW + 2 * time_of(CHUNK));
		/*
		 * The IDs of the stuck caller are free, and there are more for
		 * others.
		 */
		add(1, want, 1);
		run_for(0);
		assert_int_equal(tasks[1].served, 1);
		assert_false(tasks[1].turn.has_waited);
		run_for(1000 * MS);
		assert_int_equal(tasks[0].served, 1);
	}
}

/* Its slots are not free for others, so nobody has to look for them. */
TEST(a_waiter_that_is_served_early_wakes_nobody)
{
	use_up();
	line_up(0, 4);
	stick(0, 1);
	wakeups = 0;
	run_for(WINDOW / 2 + 7 * time_of(CHUNK));
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(tasks[i].served, i > 0);
	assert_int_equal(wakeups, 0);
	run_for(10000 * MS);
	assert_int_equal(tasks[0].served, 1);
}

/*
 * Stuck waiters delay others by the time of their IDs and the grace, even if
 * they ask for more than the window holds.
 */
TEST(stuck_waiters_lose_their_places)
{
	static const unsigned int numbers[] = { 1, 17, 40, 100, 200 };

	for (unsigned int n = 0; n < 5; n++) {
		unsigned int stuck = numbers[n];
		struct task_struct *honest = &tasks[stuck];

		use_up();
		for (unsigned int i = 0; i < stuck; i++) {
			line_up(i, i + 1);
			stick(i, i + 1);
		}
		add(stuck, CHUNK, 1);
		wakeups = 0;
		run_for(WINDOW / 2 + time_of((stuck + 1) * CHUNK) + GRACE +
			stuck * LOOK_NS);
		assert_int_equal(honest->served, 1);
		assert_int_equal(honest->got, CHUNK);
		/* One look wakes the new head, and none of those removed. */
		assert_true(wakeups <= stuck / KUID_LINE_FRONT + 1);
		run_for(10000 * MS);
		for (unsigned int i = 0; i < stuck; i++)
			assert_int_equal(tasks[i].served, 1);
	}
}

/* The call of a task that is killed ends without IDs. */
static void kill_task(struct task_struct *task)
{
	task->calls = 1;
	end_call(task);
}

/*
 * Waiters that are killed leave their places. They delay nobody, whatever the
 * order in which they go, not even a waiter behind others that are stuck.
 */
TEST(killed_waiters_delay_nobody)
{
	static const struct {
		unsigned int before; /* stuck waiters before those killed */
		unsigned int killed;
		unsigned int behind; /* stuck waiters behind those killed */
	} plans[] = {
		{ 1, 100, 0 }, { 1, 900, 0 },  { 1, 900, 1 },  { 2, 900, 13 },
		{ 0, 900, 1 }, { 17, 900, 0 }, { 40, 900, 0 },
	};

	for (unsigned int n = 0; n < 3 * ARRAY_SIZE(plans); n++) {
		unsigned int before = plans[n / 3].before;
		unsigned int killed = plans[n / 3].killed;
		unsigned int stuck = before + plans[n / 3].behind;
		unsigned int all = stuck + killed;
		/* The last one comes before or after the others are killed. */
		unsigned int first = n % 2 ? all : all + 1;
		u64 end;

		use_up();
		line_up(0, first);
		stick(0, before);
		stick(before + killed, all);
		for (unsigned int i = 0; i < killed; i++) {
			/* Begin at the first, at the last, or in the middle. */
			unsigned int nth[] = { i, killed - 1 - i,
					       (i + killed / 2) % killed };

			kill_task(&tasks[before + nth[n % 3]]);
			run_for(0);
		}
		/* Callers that arrive now are not delayed, either. */
		line_up(first, all + 2);
		end = machine_mono() + WINDOW / 2 +
		      time_of((stuck + 2) * CHUNK) +
		      GRACE * (1 + stuck / KUID_LINE_FRONT) + 1000 * LOOK_NS;
		run_until(end);
		assert_int_equal(tasks[all].served, 1);
		assert_int_equal(tasks[all + 1].served, 1);
		run_for(10000 * MS);
		assert_int_equal(lines.batches.count, 0);
	}
}

/*
 * If singles take each ID at once, there are never enough for a batch. Stuck
 * batches must not keep a batch behind them from going over.
 */
TEST(the_front_looks_after_a_stuck_head)
{
	static const unsigned int numbers[] = { 1, 15, 24 };

	for (unsigned int n = 0; n < 3; n++) {
		unsigned int stuck = numbers[n];

		use_up();
		for (unsigned int i = 0; i < stuck; i++) {
			line_up(i, i + 1);
			stick(i, i + 1);
		}
		line_up(stuck, stuck + 1);
		add(stuck + 1, 1, ~0U)->may_wait = false;
		run_for(WINDOW / 2 + time_of((stuck + 1) * CHUNK) + GRACE +
			WINDOW + time_of(2 * CHUNK));
		assert_int_equal(tasks[stuck].served, 1);
		tasks[stuck + 1].calls = 1;
		run_for(20000 * MS);
	}
}

/*
 * One look removes as many late waiters as the front has. The caller looks
 * again at once if there are more, and its own waiter may be far behind.
 */
TEST(a_look_removes_a_front_of_late_waiters)
{
	enum {
		LATE = 3 * KUID_LINE_FRONT
	};
	struct kuid_line *line = &lines.batches;
	struct kuid_waiter *last = &tasks[LATE].turn.waiter;
	struct kuid_wakeups none = { 0 };
	u64 now = machine_mono();

	for (unsigned int i = 0; i <= LATE; i++) {
		struct kuid_waiter *waiter = &tasks[i].turn.waiter;

		kuid_waiter_init(waiter, &tasks[i]);
		kuid_line_join(line, waiter, 1, now);
		assert_int_equal(waiter->front, i < KUID_LINE_FRONT);
		waiter->due = i < LATE ? now : now + 1000 * MS;
	}
	now += GRACE;
	assert_int_equal(kuid_line_look(line, last, now - 1, &none), LATE);
	assert_int_equal(kuid_line_next_look(line, last, now - 1), last->due);
	for (unsigned int left = LATE; left; left -= KUID_LINE_FRONT) {
		struct kuid_wakeups wakeups = { 0 };

		assert_true(kuid_line_next_look(line, last, now) <= now);
		assert_int_equal(kuid_line_look(line, last, now, &wakeups),
				 left - KUID_LINE_FRONT);
		/* The new head is told, unless it is the caller. */
		assert_int_equal(wakeups.count, left > KUID_LINE_FRONT);
	}
	assert_int_equal(kuid_line_next_look(line, last, now), last->due);
	assert_int_equal(line->count, 1);
}

static void join(struct kuid_waiter *waiter)
{
	kuid_line_join(&lines.batches, waiter, 10, machine_mono());
	waiter->due = machine_mono() + 1000 * MS;
}

static void leave(struct kuid_waiter *waiter, bool served)
{
	struct kuid_wakeups none = { 0 };

	kuid_line_leave(&lines.batches, waiter, machine_mono(), served, &none);
}

/* Only the next waiter counts without those that left before it. */
TEST(a_gap_is_that_of_one_place)
{
	struct kuid_waiter w[3];
	struct kuid_wakeups none = { 0 };
	struct kuid_line *line = &lines.batches;
	u64 now = machine_mono();

	for (unsigned int i = 0; i < 3; i++) {
		kuid_waiter_init(&w[i], &tasks[i]);
		join(&w[i]);
	}
	leave(&w[1], false);
	assert_int_equal(kuid_line_look(line, &w[2], now, &none), 10);
	/* In the next place there is no gap. */
	leave(&w[2], false);
	join(&w[2]);
	join(&w[1]);
	assert_int_equal(kuid_line_look(line, &w[2], now, &none), 10);
	/* The slots that a waiter got are not free. */
	leave(&w[2], true);
	assert_int_equal(kuid_line_look(line, &w[1], now, &none), 20);
	join(&w[2]);
	leave(&w[1], false);
	/* There is no gap before the head, either. */
	leave(&w[0], false);
	assert_int_equal(kuid_line_look(line, &w[2], now, &none), 0);
}

/* A late waiter is removed, so the call goes on as if nobody had waited. */
TEST(a_caller_behind_a_late_waiter_takes_a_part)
{
	use_up();
	add(0, CHUNK, 1);
	run_for(0);
	tasks[0].stuck_until = machine_mono() + 1000 * MS;
	run_for(WINDOW / 2 + time_of(CHUNK) + GRACE + MS);
	/* About 10 ms of slots are free. */
	add(1, 20 * CHUNK, 1);
	run_for(0);
	assert_int_equal(tasks[1].served, 1);
	assert_in_range(tasks[1].got, 1, 20 * CHUNK - 1);
	run_for(1000 * MS);
}

/* A waiter that can run must not be removed as late. */
TEST(a_waiter_that_looks_keeps_its_place)
{
	use_up();
	for (unsigned int i = 0; i < 60; i++) {
		add(i, CHUNK, 1);
		run_for(0);
		/* Every third waiter is late, but by less than the grace. */
		if (i % 3 == 0)
			tasks[i].stuck_until = machine_mono() + WINDOW / 2 +
					       time_of((i + 1) * CHUNK) +
					       GRACE / 2;
	}
	for (unsigned int i = 1; i < 60; i++) {
		assert_true(tasks[i].turn.waiter.mark >
			    tasks[i - 1].turn.waiter.mark);
	}
	for (unsigned int i = 0; i < 60; i++) {
		u64 mark = tasks[i].turn.waiter.mark;

		while (tasks[i].state != ABSENT)
			run_for(MS / 10);
		/* The waiter has kept its first position in the line. */
		assert_int_equal(tasks[i].turn.waiter.mark, mark);
	}
}

/*
 * A batch that goes over asks for no more than the far half, but for at least
 * one ID.
 */
TEST(a_batch_asks_for_less_when_it_goes_over)
{
	static const u64 far[] = { 0, 1, 500, 50000 };

	for (unsigned int i = 0; i < 4; i++) {
		struct kuid_window *window = &host.generator.windows[source];
		struct kuid_turn *turn = &tasks[0].turn;
		u64 expected = min(max(far[i], 1ULL), (u64)CHUNK);

		use_up();
		window->batch = window->one - far[i];
		add(0, CHUNK, 1);
		run_for(0);
		assert_true(kuid_waiter_waits(&turn->waiter));
		/*
		 * When it looks, it has been the head for just one window, and
		 * others have taken all IDs.
		 */
		turn->waiter.first = machine_mono() + LOOK_NS - WINDOW;
		tasks[0].wakes = machine_mono();
		run_for(0);
		assert_true(turn->single);
		assert_int_equal(turn->want.count, expected);
		run_for(2 * WINDOW);
		assert_int_equal(tasks[0].got, expected);
	}
}

/* Callers that may not wait never join a line, and retry at once. */
TEST(impatient_singles_leave_a_batch_its_turn)
{
	use_up();
	add(0, 1, ~0U)->may_wait = false;
	add(1, 2, ~0U);
	add(2, CHUNK, ~0U);
	run_for(2000 * MS);
	assert_true(tasks[0].refused > 1000);
	/* The batches take turns, one in each window. */
	assert_in_range(tasks[1].served, 9, 11);
	assert_in_range(tasks[2].served, 9, 11);
	assert_true(tasks[1].longest <=
		    2 * (WINDOW + time_of(CHUNK + 2)) + 20 * LOOK_NS);
}

TEST(batch_readers_get_equal_shares)
{
	enum {
		READERS = 5
	};
	unsigned int most = 0, least = ~0U;

	for (unsigned int i = 0; i < READERS; i++)
		add(i, CHUNK, ~0U);
	run_for(2000 * MS);
	for (unsigned int i = 0; i < READERS; i++) {
		most = max(most, tasks[i].served);
		least = min(least, tasks[i].served);
	}
	assert_true(most - least <= 1);
	/* All available IDs were handed out. */
	assert_true(READERS * least * CHUNK >
		    (2000 + 50) * 1000 - READERS * 2 * CHUNK);
}

/*
 * Stamps have no line: if the lane of a CPU is used up, callers on other CPUs
 * don't wait.
 */
TEST(a_busy_lane_delays_no_other)
{
	struct kuid_taken taken;
	u64 due, due_0;

	source = KUID_STAMPS;
	for (unsigned int i = 0; i < 4; i++) {
		add(i, CHUNK, 1);
		begin_call(&tasks[i]);
		tasks[i].turn.has_waited = true;
	}
	machine_set_cpu(0);
	atomic64_set(&host.generator.epoch->lanes[KUID_FIRST_CPU_LANE].last,
		     HOST_WALL + WINDOW);
	assert_false(kuid_turn_try(&tasks[0].turn, &taken, &due));
	assert_int_equal(due, HOST_MONO + WINDOW / 2 + CHUNK);
	due_0 = due;
	for (unsigned int i = 1; i < 4; i++) {
		machine_set_cpu(i);
		assert_true(kuid_turn_try(&tasks[i].turn, &taken, &due));
	}
	/* At the very moment that it was told, the caller has all of them. */
	machine_set_cpu(0);
	machine_set_mono(due_0);
	assert_true(kuid_turn_try(&tasks[0].turn, &taken, &due));
	assert_int_equal(taken.units.count, CHUNK);
	for (unsigned int i = 0; i < 4; i++)
		end_call(&tasks[i]);
}

/*
 * The clock changes the moments at which slots are due. Waiters that are woken
 * then look again.
 */
TEST(a_wait_ends_when_the_clock_is_set_forward)
{
	use_up();
	add(0, CHUNK, 1);
	add(1, 1, 1);
	run_for(0);
	machine_step_wall(1000 * MS);
	for (unsigned int i = 0; i < 2; i++)
		tasks[i].wakes = machine_mono();
	run_for(2 * LOOK_NS);
	assert_int_equal(tasks[0].served, 1);
	assert_int_equal(tasks[1].served, 1);
}

/*
 * The accesses to shared memory of a single and a batch whose clock is shut.
 * Both may not wait, and find others in their line or not.
 */
static unsigned long cost_of_errors(enum kuid_part part)
{
	unsigned long accesses = count_accesses;

	for (unsigned int waiting = 0; waiting < 2; waiting++) {
		for (u32 count = 1; count <= CHUNK; count += CHUNK - 1) {
			unsigned long locks = count_locks;
			struct kuid_taken taken;
			u64 when, since;

			add(0, count, 1)->may_wait = false;
			begin_call(&tasks[0]);
			tasks[0].turn.want.part = part;
			assert_false(
				kuid_turn_try(&tasks[0].turn, &taken, &when));
			assert_int_equal(when, KUID_NEVER);
			assert_int_not_equal(
				kuid_generator_shut(&host.generator, source,
						    part, &since),
				0);
			assert_int_equal(count_locks - locks, waiting);
			tasks[0].state = ABSENT;
		}
		kuid_line_pair_init(&lines);
		for (unsigned int i = 1; i < 3; i++) {
			struct kuid_waiter *waiter = &tasks[i].turn.waiter;

			kuid_waiter_init(waiter, &tasks[i]);
			waiter->due = KUID_NEVER / 2;
			kuid_line_join(i == 1 ? &lines.singles : &lines.batches,
				       waiter, 1, machine_mono());
		}
	}
	kuid_line_pair_init(&lines);
	return count_accesses - accesses;
}

/*
 * A call whose clock is shut gets its error without delaying others: it takes
 * no lock but that of a line in which others wait, and its work does not depend
 * on the number of lanes.
 */
TEST(a_shut_clock_costs_others_nothing)
{
	enum {
		NO_STATE,
		CLAIM,
		RANGE,
		CASES
	};

	for (int n = 0; n < CASES; n++) {
		bool snowflake = n != NO_STATE;
		enum kuid_part part = snowflake ? KUID_PART_SNOWFLAKE
						: KUID_PART_WORKER;
		unsigned long accesses[2];

		for (int many = 0; many < 2; many++) {
			host_stop();
			host_start(4, many ? KUID_MAX_CPU_LANES : 1, false);
			source = snowflake ? KUID_SNOWFLAKE : KUID_LEX;
			host.generator.gate.required = n == NO_STATE;
			host.claimed = n == CLAIM ? KUID_PARTS_OF(part) : 0;
			host.claiming = (struct kuid_claiming) {
				.claim.token.words = { 1, 2 },
				.claim.ceiling = 1,
				.load_id = HOST_LOAD_ID,
			};
			host.snowflake_epoch =
				n == RANGE ? HOST_WALL / MS + 1000 : 0;
			assert_true(host_publish(n == CLAIM ? KUID_EPOCH_CLAIM
							    : KUID_EPOCH_SET,
						 false));
			accesses[many] = cost_of_errors(part);
		}
		assert_int_equal(accesses[0], accesses[1]);
	}
}

/*
 * Random callers come, go and get stuck. A caller that is never stuck waits no
 * longer than the formula says for the worst callers before it.
 */
TEST(no_mix_of_callers_breaks_the_bound)
{
	enum {
		TASKS = 48,
		ROUNDS = 40
	};

	for (int round = 0; round < ROUNDS; round++) {
		u64 rest = GRACE + 1000 * LOOK_NS;
		u64 end;

		source = round % KUID_NR_SEQUENCES;
		end = machine_mono() + 3000 * MS;
		for (unsigned int i = 0; i < TASKS; i++) {
			add(i, random_below(2) ? 1 : 1 + random_below(CHUNK),
			    1 + random_below(3000));
			tasks[i].pause = random_below(2) * random_below(MS);
			tasks[i].may_wait = random_below(4);
		}
		use_up();
		while (machine_mono() < end) {
			run_for(random_below(20 * MS));
			/* Callers in the first half are never stuck. */
			tasks[TASKS / 2 + random_below(TASKS / 2)].stuck_until =
				machine_mono() + random_below(200 * MS);
		}
		for (unsigned int i = 0; i < TASKS / 2; i++) {
			u64 single = time_of(TASKS + 2 * CHUNK) + rest;

			if (!tasks[i].may_wait)
				continue;
			if (tasks[i].want == 1)
				assert_true(tasks[i].longest <= single);
			else
				assert_true(tasks[i].longest <=
					    TASKS * (WINDOW + single));
		}
		/* Let all remaining calls end. */
		for (unsigned int i = 0; i < TASKS; i++)
			tasks[i].calls = min(tasks[i].calls, 1U);
		run_for(TASKS * 2 * WINDOW + 1000 * MS);
		for (unsigned int i = 0; i < TASKS; i++)
			assert_int_equal(tasks[i].state, ABSENT);
		assert_int_equal(lines.batches.count, 0);
		assert_int_equal(lines.singles.count, 0);
	}
}

int main(void)
{
	return run_cases("turn", setup, host_teardown);
}
