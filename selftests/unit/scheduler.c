// SPDX-License-Identifier: GPL-2.0-only
/* See scheduler.h. */
#include <sanitizer/asan_interface.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <cmocka.h>

#include "random.h"
#include "scheduler.h"

#ifndef __SANITIZE_ADDRESS__
#define __sanitizer_finish_switch_fiber(...) ((void)0)
#define __sanitizer_start_switch_fiber(...)  ((void)0)
#endif

#define STACK_SIZE (32 * 1024)

/* A model that needs more steps than this is in a livelock. */
#define MOST_STEPS 20000

/*
 * A CPU that makes more accesses than this in one turn waits for another CPU.
 */
#define MOST_OF_A_TURN 200

enum cpu_state {
	CPU_RUNS,
	CPU_WAITS,
	CPU_IS_DONE,
};

/* A coroutine, or the main program. */
struct context {
	ucontext_t uc;
	void *fake_stack;
	const void *stack;
	size_t stack_size;
};

static struct context main_context;
static struct cpu {
	enum cpu_state state;
	struct context context;
} cpus[SCHEDULER_MOST_CPUS];

static struct scheduler_model *model;
static struct context *current_context = &main_context;
static unsigned int current;
static bool is_running;
static const char *failure;

/*
 * One interleaving: at each choice, which of the CPUs that could go on did so.
 */
static struct choice {
	unsigned char taken;
	unsigned char options;
} choices[MOST_STEPS];
static unsigned int nr_choices;
static unsigned int nr_given; /* choices to repeat from the run before */

static unsigned int preemptions_left;
static bool at_random;
static unsigned int one_in; /* one preemption in so many accesses */

static unsigned int nr_steps;
static struct turn {
	unsigned int cpu;
	unsigned int steps;
} turns[MOST_STEPS];
static unsigned int nr_turns;

static void arrive(void)
{
	const void *stack = NULL;
	size_t size = 0;

	__sanitizer_finish_switch_fiber(current_context->fake_stack, &stack,
					&size);
	/* The stack of the main program is known only after it is left. */
	if (!main_context.stack) {
		main_context.stack = stack;
		main_context.stack_size = size;
	}
}

static void switch_to(struct context *to)
{
	struct context *from = current_context;

	current_context = to;
	__sanitizer_start_switch_fiber(&from->fake_stack, to->stack,
				       to->stack_size);
	swapcontext(&from->uc, &to->uc);
	arrive();
}

static void give_turn(unsigned int cpu)
{
	struct turn *turn = &turns[nr_turns++];

	*turn = (struct turn) { .cpu = cpu };
	current = cpu;
	cpus[cpu].state = CPU_RUNS;
	model->resume(cpu);
	if (current_context != &cpus[cpu].context)
		switch_to(&cpus[cpu].context);
}

/* End the run, even if not all CPUs are done. */
static void leave(const char *why)
{
	failure = why;
	is_running = false;
	switch_to(&main_context);
}

static unsigned int choose(const unsigned int *options, unsigned int count,
			   bool is_preemption)
{
	struct choice *choice;

	if (count == 1)
		return options[0];
	if (at_random) {
		if (!is_preemption)
			return options[random_below(count)];
		if (random_below(one_in))
			return options[0];
		return options[1 + random_below(count - 1)];
	}
	choice = &choices[nr_choices++];
	if (nr_choices > nr_given)
		*choice = (struct choice) { .options = count };
	return options[choice->taken];
}

/* The CPUs that could go on instead of the current one. */
static unsigned int others(unsigned int *options)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < model->nr_cpus; i++) {
		if (i == current || cpus[i].state == CPU_IS_DONE)
			continue;
		if (cpus[i].state == CPU_WAITS && !model->may_go_on(i))
			continue;
		options[count++] = i;
	}
	return count;
}

void scheduler_step(void)
{
	unsigned int options[SCHEDULER_MOST_CPUS] = { current };
	unsigned int count = 1;
	unsigned int next;

	if (!is_running)
		return;
	/* The accesses of the model's own check don't count. */
	is_running = false;
	if (model->look)
		model->look();
	is_running = true;

	if (++nr_steps >= MOST_STEPS)
		leave("livelock");
	/*
	 * The CPU may read something repeatedly that another CPU has to change.
	 * Let another CPU go on.
	 */
	if (turns[nr_turns - 1].steps >= MOST_OF_A_TURN) {
		count = others(options);
		if (count)
			give_turn(choose(options, count, false));
	} else {
		if (preemptions_left)
			count += others(options + 1);
		next = choose(options, count, true);
		if (next != current) {
			preemptions_left--;
			give_turn(next);
		}
	}
	turns[nr_turns - 1].steps++;
}

/* Give the turn to any other CPU. */
static void give_up(enum cpu_state state)
{
	unsigned int options[SCHEDULER_MOST_CPUS];
	bool is_done = true;
	unsigned int count;

	cpus[current].state = state;
	count = others(options);
	if (count) {
		give_turn(choose(options, count, false));
		return;
	}
	for (unsigned int i = 0; i < model->nr_cpus; i++)
		is_done &= cpus[i].state == CPU_IS_DONE;
	leave(is_done ? NULL : "deadlock");
}

void scheduler_relax(void)
{
	if (!is_running) {
		printf("# waits for another CPU outside a run\n");
		abort();
	}
	give_up(CPU_WAITS);
}

static void cpu_main(void)
{
	arrive();
	for (;;) {
		model->run(current);
		give_up(CPU_IS_DONE);
	}
}

static void make_context(struct context *context)
{
	if (!context->stack) {
		context->stack = malloc(STACK_SIZE);
		context->stack_size = STACK_SIZE;
	}
	/* A former run may have ended in the middle of the stack. */
	ASAN_UNPOISON_MEMORY_REGION(context->stack, STACK_SIZE);
	context->fake_stack = NULL;
	getcontext(&context->uc);
	context->uc.uc_stack.ss_sp = (void *)context->stack;
	context->uc.uc_stack.ss_size = STACK_SIZE;
	makecontext(&context->uc, cpu_main, 0);
}

static void make_cpus(void)
{
	for (unsigned int i = 0; i < SCHEDULER_MOST_CPUS; i++)
		make_context(&cpus[i].context);
}

void scheduler_print(void)
{
	printf("# turns (CPU:accesses):");
	for (unsigned int i = 0; i < nr_turns; i++)
		printf(" %u:%u", turns[i].cpu, turns[i].steps);
	printf("\n");
}

static bool run_once(void)
{
	unsigned int options[SCHEDULER_MOST_CPUS];

	nr_choices = 0;
	nr_steps = 0;
	nr_turns = 0;
	failure = NULL;
	for (unsigned int i = 0; i < model->nr_cpus; i++) {
		cpus[i].state = CPU_RUNS;
		options[i] = i;
	}
	model->start();
	is_running = true;
	give_turn(choose(options, model->nr_cpus, false));

	if (failure)
		make_cpus();
	else
		failure = model->wrong();
	if (!failure)
		return true;
	printf("# %s\n", failure);
	if (model->print)
		model->print();
	scheduler_print();
	return false;
}

/*
 * Select the next interleaving. It differs from the last one as late as
 * possible. Returns false if there is none.
 */
static bool next_way(void)
{
	while (nr_choices) {
		struct choice *last = &choices[nr_choices - 1];

		if (++last->taken < last->options) {
			nr_given = nr_choices;
			return true;
		}
		nr_choices--;
	}
	return false;
}

static unsigned long long number_from(const char *variable,
				      unsigned long long otherwise)
{
	const char *given = getenv(variable);

	return given ? strtoull(given, NULL, 0) : otherwise;
}

static bool is_good(const char *name)
{
	unsigned int preemptions =
		number_from("MODEL_PREEMPTIONS", model->preemptions);
	unsigned long long walks = number_from("MODEL_WALKS", model->walks);
	unsigned long long runs = 0, walk = 0;
	unsigned int longest = 0;
	bool good;

	at_random = false;
	nr_given = 0;
	do {
		preemptions_left = preemptions;
		good = run_once();
		runs++;
		if (nr_steps > longest)
			longest = nr_steps;
	} while (good && runs != model->most && next_way());
	at_random = true;
	while (good && walk < walks) {
		preemptions_left = MOST_STEPS;
		one_in = 1U << (1 + random_below(6));
		good = run_once();
		walk++;
	}
	printf("# %s: %llu interleavings, up to %u preemptions, %u accesses; %llu random ones\n",
	       name, runs, preemptions, longest, walk);
	return good;
}

static void explore(void **state)
{
	const char *const *name = *state;
	unsigned int variant = 0;

	do {
		model->prepare(model, name, variant);
		assert_true(is_good(*name));
	} while (++variant < model->variants);
}

int scheduler_main(struct scheduler_model *of, const void *scenarios,
		   size_t size, size_t nr)
{
	struct CMUnitTest tests[nr];

	for (size_t i = 0; i < nr; i++) {
		const void *scenario = (const char *)scenarios + i * size;

		tests[i] = (struct CMUnitTest) {
			.name = *(const char *const *)scenario,
			.test_func = explore,
			.initial_state = (void *)scenario,
		};
	}
	model = of;
	make_cpus();
	cmocka_set_test_filter(getenv("CASE"));
	random_start();
	return cmocka_run_group_tests_name(model->name, tests, NULL, NULL);
}
