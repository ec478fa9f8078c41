/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A few CPUs that run one at a time, and all the ways in which they can take
 * turns.
 *
 * Each CPU is a coroutine that runs the real code of the core, built with this
 * header before all others: another CPU may go on before each access to what
 * CPUs share, and nowhere else. What a model of some CPUs does is run again
 * and again, each time with turns taken in another way: all ways there are
 * with up to a number of preemptions, or ways chosen at random. A CPU that has
 * finished, or waits for another one, gives up its turn for nothing.
 *
 * All CPUs see all accesses in the order in which they were made. What a CPU
 * or a compiler may do beyond that is not found here.
 */
#ifndef KUID_UNIT_SCHEDULER_H
#define KUID_UNIT_SCHEDULER_H

#include <stdbool.h>

#define kuid_port_step()  scheduler_step()
#define kuid_port_relax() scheduler_relax()

#define SCHEDULER_MOST_CPUS 4

/**
 * struct scheduler_model - what some CPUs do
 * @nr_cpus: how many
 * @start: called before each run of it
 * @run: what a CPU does
 * @resume: called when a CPU gets its turn
 * @look: called before each access, while no one else can get a turn
 * @may_go_on: whether what a CPU waits for is there
 * @good: called after each run: whether all was as it must be
 */
struct scheduler_model {
	unsigned int nr_cpus;
	void (*start)(void);
	void (*run)(unsigned int cpu);
	void (*resume)(unsigned int cpu);
	void (*look)(void);
	bool (*may_go_on)(unsigned int cpu);
	bool (*good)(void);
};

/**
 * struct scheduler_report - what came of it
 * @runs: how often the model was run
 * @longest: how many accesses there were at most
 * @good: nothing was wrong; else the turns of the run that was were printed
 */
struct scheduler_report {
	unsigned long long runs;
	unsigned int longest;
	bool good;
};

/* All ways with up to so many preemptions, or the first @most of them. */
struct scheduler_report scheduler_explore(const struct scheduler_model *model,
					  unsigned int preemptions,
					  unsigned long long most);

/* Ways chosen by random_below(). */
struct scheduler_report scheduler_walk(const struct scheduler_model *model,
				       unsigned long long runs);

/* How the turns of the present run were taken up to now. */
void scheduler_print(void);

void scheduler_step(void);
void scheduler_relax(void);

#endif /* KUID_UNIT_SCHEDULER_H */
