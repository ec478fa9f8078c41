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
 * @nr_cpus: number of CPUs
 * @start: called before each run
 * @run: runs a CPU
 * @resume: called when a CPU gets its turn
 * @look: called before each access, if there is one; no other CPU can get a
 *	turn meanwhile
 * @may_go_on: whether a CPU that waits can go on
 * @good: called after each run; returns whether the run was correct
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

/*
 * Run all interleavings with up to @preemptions preemptions, or the first @most
 * of them, and then @walks random ones, chosen by random_below(). The
 * environment variables MODEL_PREEMPTIONS and MODEL_WALKS replace these
 * numbers. Returns whether all runs were correct; if not, the turns of the
 * failed run were printed.
 */
bool scheduler_check(const struct scheduler_model *model, const char *name,
		     unsigned int preemptions, unsigned long long most,
		     unsigned long long walks);

/*
 * For main(): run @nr scenarios of @size bytes as tests. The first member of a
 * scenario is its name. @explore gets a scenario as its state.
 */
int scheduler_main(const char *name, const void *scenarios, size_t size,
		   size_t nr, void (*explore)(void **state));

/* Print the turns of the present run until now. */
void scheduler_print(void);

void scheduler_step(void);
void scheduler_relax(void);

#endif /* KUID_UNIT_SCHEDULER_H */
