// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads take units from one generator while another thread sets the wall
 * clock, clones the machine and publishes epochs. No unit may be handed out
 * twice, out of order, or beyond the window. A call that begins after a clone
 * may return none of an earlier epoch. A former epoch is freed as soon as no
 * thread can use it, so the address sanitizer reports a thread that still does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "cases.h"
#include "host.h"
#include "machine.h"

#define THREADS 4
#define FILES	2
#define NR_CPUS 2 /* that have lanes and runs */
#define CPUS	5
#define PHASES	4 /* more than epochs that can be in use at a time */
#define CALLS	15000
#define SECOND	HOST_SECOND
#define HOUR	(3600 * SECOND)

/**
 * struct plan - what happens in a test
 * @sources: number of sources that are used, from @source on
 * @source: the first of these sources
 * @orders: number of orders that are used, from @order on
 * @order: the first of these orders
 * @mono_step: how far the monotonic clock moves at each reading, in nanoseconds
 * @steps: how far the wall clock is set at most, in nanoseconds; 0: it is not
 *	set
 * @epochs: new epochs are published, requested or not
 * @node_given: epochs that were not requested have a given node
 * @clones: the generation ID changes, and each time an epoch begins
 */
struct plan {
	unsigned int sources;
	enum kuid_source source;
	unsigned int orders;
	enum kuid_order order;
	u64 mono_step;
	u64 steps;
	bool epochs;
	bool node_given;
	bool clones;
};

static const struct plan *plan;

#define MOST_CLONES 1500

static u64 vm_id[2];
static _Atomic unsigned int clones; /* how often it has changed */

/* How often it had changed when the epoch was drawn. */
static unsigned int drawn_at[MOST_CLONES + 2];

/* The highest unit that a call has returned, by epoch. */
struct returned {
	_Atomic u64 last[KUID_NR_SOURCES][PHASES];
};

static struct returned of_file[FILES];
static struct returned of_host;
static struct returned of_cpu[CPUS];
static struct kuid_watermarks files[FILES];
static atomic_int disorders;
static atomic_int running;

/* A thread uses an epoch while its count is odd. */
static struct thread {
	_Atomic unsigned int section;
	pthread_t id;
	struct host_record record;
} threads[THREADS];

/*
 * Like synchronize_rcu() of the kernel: callers that begin later are not waited
 * for.
 */
static void wait_for_readers(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	for (int i = 0; i < THREADS; i++) {
		unsigned int section = threads[i].section;

		while (section & 1 && threads[i].section == section)
			sched_yield();
	}
}

static void raise_to(_Atomic u64 *value, u64 to)
{
	u64 seen = *value;

	while (seen < to && !atomic_compare_exchange_weak(value, &seen, to))
		;
}

/* As the last check of a call that has begun after so many clones. */
static bool lets_pass(const struct kuid_taken *taken, unsigned int before)
{
	struct kuid_claimed died;

	if (!plan->clones)
		return true;
	if (!kuid_gate_lets_pass(&host.generator.gate, vm_id,
				 taken->origin.epoch)) {
		kuid_generator_close(&host.generator, true, &died);
		return false;
	}
	if (drawn_at[taken->origin.epoch] < before)
		disorders++;
	return true;
}

/* A call's units must be above all units returned before the call began. */
static void take_one(struct thread *thread, struct returned *same,
		     struct kuid_watermarks *watermarks, enum kuid_order order)
{
	enum kuid_source source = plan->source + random_below(plan->sources);
	u32 count = 1 + random_below(random_below(2) ? 3 : 300);
	u64 before[PHASES], before_host[PHASES];
	unsigned int clones_before = clones;
	struct kuid_taken taken;
	unsigned int phase;
	u64 last;

	for (int i = 0; i < PHASES; i++) {
		before[i] = same->last[source][i];
		before_host[i] = of_host.last[source][i];
	}
	taken = host_take_recorded(&thread->record, source, watermarks, order,
				   count);
	if (!taken.units.count || !lets_pass(&taken, clones_before))
		return;

	last = taken.units.first + taken.units.count - 1;
	phase = taken.origin.epoch % PHASES;
	if (taken.units.first <= before[phase])
		disorders++;
	raise_to(&same->last[source][phase], last);
	if (order == KUID_BY_HOST) {
		if (taken.units.first <= before_host[phase])
			disorders++;
		raise_to(&of_host.last[source][phase], last);
	}
}

/* A thread's private lanes are of later and later generations. */
static void get_private_node(u64 *generation)
{
	struct kuid_private_node node;

	if (kuid_generator_private_node(&host.generator, &node))
		return;
	if (node.generation < *generation || node.generation & 1 ||
	    !(node.node & KUID_NODE_MULTICAST))
		disorders++;
	*generation = node.generation;
}

static void *take(void *arg)
{
	struct thread *thread = arg;
	u64 generation = 0;

	random_thread(thread - threads + 1);
	for (int i = 0; i < CALLS; i++) {
		enum kuid_order order =
			plan->order + random_below(plan->orders);
		unsigned int cpu = random_below(CPUS);
		unsigned int file = random_below(FILES);

		machine_set_cpu(cpu);
		/*
		 * The section also covers the record of the returned units.
		 * Otherwise forget_phase() could clear the record of an epoch
		 * before all its units are in it.
		 */
		thread->section++;
		if (order == KUID_BY_CPU)
			take_one(thread, &of_cpu[cpu], NULL, order);
		else
			take_one(thread, &of_file[file], &files[file], order);
		if (!random_below(100)) {
			host_read();
			get_private_node(&generation);
			kuid_generator_when(
				&host.generator,
				&(struct kuid_want) {
					plan->source, &files[file], order, 0,
					host.generator.windows[plan->source].one,
					1 },
				0);
		}
		thread->section++;
	}
	running--;
	return NULL;
}

/* Clear the records of an old epoch, so that a new epoch can use them. */
static void forget_phase(unsigned int phase)
{
	for (int source = 0; source < KUID_NR_SOURCES; source++) {
		of_host.last[source][phase] = 0;
		for (int i = 0; i < FILES; i++)
			of_file[i].last[source][phase] = 0;
		for (int i = 0; i < CPUS; i++)
			of_cpu[i].last[source][phase] = 0;
	}
}

/* Threads may find the change before this function does. */
static void clone_machine(void)
{
	struct kuid_claimed died;

	WRITE_ONCE(vm_id[clones & 1], clones + 1);
	clones++;
	for (u64 n = random_below(10); n; n--)
		sched_yield();
	kuid_generator_close(&host.generator, true, &died);
	drawn_at[host.nr_epochs + 1] = clones;
	host_publish(KUID_EPOCH_FORK, false);
	forget_phase((host.nr_epochs + 2) % PHASES);
}

/* One random event. */
static void happen(void)
{
	if (plan->steps && random_below(2)) {
		u64 most = random_below(8) ? SECOND / 1000 : plan->steps;

		machine_step_wall(random_below(2 * most) - most);
	}
	if (plan->epochs && host.nr_epochs < 2000 && !random_below(4)) {
		if (host_publish(KUID_EPOCH_STEP, false) ||
		    (!random_below(4) &&
		     host_publish(plan->node_given ? KUID_EPOCH_SET
						   : KUID_EPOCH_BACK,
				  plan->node_given)))
			/*
			 * Clear the phase after the next one. Callers may have
			 * read the phase of the next epoch already.
			 */
			forget_phase((host.nr_epochs + 2) % PHASES);
	}
	if (plan->clones && clones < MOST_CLONES)
		clone_machine();
	for (u64 n = random_below(30); n; n--)
		sched_yield();
}

static void run(const struct plan *what)
{
	struct host_record *records[THREADS];
	u64 got = 0;
	bool good;

	plan = what;
	host_start(NR_CPUS, NR_CPUS, plan->node_given);
	host.wait_for_readers = wait_for_readers;
	clones = 0;
	if (plan->clones)
		kuid_generator_use_vm_id(&host.generator, vm_id);
	machine_set_mono_step(plan->mono_step);
	memset(files, 0, sizeof(files));
	for (int i = 0; i < PHASES; i++)
		forget_phase(i);
	disorders = 0;
	running = THREADS;
	for (int i = 0; i < THREADS; i++) {
		host_record_init(&threads[i].record, CALLS);
		records[i] = &threads[i].record;
	}
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i].id, NULL, take,
						&threads[i]),
				 0);
	while (running)
		happen();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);

	/* Find a clock step that no caller has found yet. */
	kuid_generator_refresh(&host.generator);
	good = host_check(records, THREADS);
	for (int i = 0; i < THREADS; i++) {
		got += threads[i].record.count;
		host_record_free(&threads[i].record);
	}
	host_stop();
	assert_true(good);
	assert_int_equal(disorders, 0);
	assert_true(got > THREADS * CALLS / 10);
}

#define RUN(name, ...)                               \
	TEST(name)                                   \
	{                                            \
		run(&(struct plan) { __VA_ARGS__ }); \
	}

RUN(share_a_file_of_stamps, .sources = 1, .source = KUID_STAMPS, .orders = 1,
    .order = KUID_BY_FILE, .mono_step = 20)
RUN(share_a_file_of_lex, .sources = 1, .source = KUID_LEX, .orders = 1,
    .order = KUID_BY_FILE, .mono_step = 100000)
RUN(share_a_file_of_the_grid, .sources = 1, .source = KUID_GRID, .orders = 1,
    .order = KUID_BY_FILE, .mono_step = 5000)
RUN(take_all_in_all_orders, .sources = 3, .orders = 3, .mono_step = 5000)
RUN(take_while_the_clock_is_set, .sources = 3, .orders = 3, .mono_step = 5000,
    .steps = 2 * SECOND)
/* The clock nearly stands still, so the stamps are as close as possible. */
RUN(take_stamps_over_epochs, .sources = 1, .source = KUID_STAMPS, .orders = 3,
    .mono_step = 1, .steps = HOUR, .epochs = true)
RUN(take_all_over_epochs, .sources = 3, .orders = 3, .mono_step = 20000,
    .steps = HOUR, .epochs = true)
RUN(take_over_epochs_with_one_node, .sources = 1, .source = KUID_STAMPS,
    .orders = 3, .mono_step = 20, .steps = SECOND, .epochs = true,
    .node_given = true)
RUN(take_in_clones, .sources = 3, .orders = 3, .mono_step = 20000,
    .clones = true)

int main(void)
{
	return run_cases("threads", NULL, NULL);
}
