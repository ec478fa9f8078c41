/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A few CPUs that run one at a time, in all interleavings.
 *
 * Each CPU is a coroutine that runs the real code of the core. The core is
 * compiled with this header first, so another CPU can go on before each access
 * to shared memory, and nowhere else. A model is run again and again, each time
 * in another interleaving: in all interleavings with a bounded number of
 * preemptions, or in random ones. If a CPU has finished, or waits for another
 * one, giving up its turn is no preemption.
 *
 * All CPUs see all accesses in the order in which they are made. So this does
 * not find a reordering by a CPU or a compiler.
 */
#ifndef KUID_UNIT_SCHEDULER_H
#define KUID_UNIT_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#define kuid_port_step()  scheduler_step()
#define kuid_port_relax() scheduler_relax()

#define SCHEDULER_MOST_CPUS 4

/**
 * struct scheduler_model - what the CPUs do
 * @name: of the test program
 * @nr_cpus: number of CPUs
 * @preemptions: all interleavings with up to so many preemptions are run
 * @most: but no more than so many interleavings; 0 for all
 * @walks: and then so many random interleavings
 * @variants: how often each scenario is explored; 0 is 1
 * @prepare: called before a scenario is explored; may change @nr_cpus and
 *	@preemptions
 * @start: called before each run
 * @run: runs a CPU
 * @resume: called when a CPU gets its turn
 * @look: called before each access, if there is one; no other CPU can get a
 *	turn meanwhile
 * @may_go_on: whether a CPU that waits can go on
 * @wrong: called after each run; returns what is wrong, or NULL
 * @print: prints the result of a run that was wrong
 */
struct scheduler_model {
	const char *name;
	unsigned int nr_cpus;
	unsigned int preemptions;
	unsigned long long most;
	unsigned long long walks;
	unsigned int variants;
	void (*prepare)(struct scheduler_model *model, const void *scenario,
			unsigned int variant);
	void (*start)(void);
	void (*run)(unsigned int cpu);
	void (*resume)(unsigned int cpu);
	void (*look)(void);
	bool (*may_go_on)(unsigned int cpu);
	const char *(*wrong)(void);
	void (*print)(void);
};

/*
 * For main(): explore @nr scenarios of @size bytes, each as a test. The first
 * member of a scenario is its name. random_below() chooses the random
 * interleavings. The environment variables MODEL_PREEMPTIONS and MODEL_WALKS
 * replace numbers of the model. If a run is wrong, its turns are printed.
 */
int scheduler_main(struct scheduler_model *model, const void *scenarios,
		   size_t size, size_t nr);

/* Print the turns of the present run until now. */
void scheduler_print(void);

void scheduler_step(void);
void scheduler_relax(void);

#endif /* KUID_UNIT_SCHEDULER_H */
