// SPDX-License-Identifier: MIT
/* See process.h. */
#include "ground.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/node.h"
#include "process.h"

#define PAGE 4096

/**
 * struct mark - the pointer to the process's generator
 * @process: NULL if this process has made no generator yet
 *
 * The mark has a page of its own, which the kernel wipes in a child, whichever
 * system call forked it. Threads, and children that share the parent's memory,
 * share the page, and so the generator.
 */
struct mark {
	struct kuid_process *process;
};

static struct mark *the_mark;

/* The highest number of an epoch of this process and of its ancestors. */
static u64 last_epoch;

/* The generator that was made last, by this process or by an ancestor. */
static struct kuid_process *last_process;

#define SEQUENCES_SIZE                   \
	(sizeof(struct kuid_sequences) + \
	 KUID_PROCESS_CPUS * sizeof(struct kuid_cpu_runs))
#define EPOCH_SIZE                   \
	(sizeof(struct kuid_epoch) + \
	 (KUID_FIRST_CPU_LANE + KUID_PROCESS_CPUS) * sizeof(struct kuid_lane))

/* A generator's memory. */
struct memory {
	struct kuid_process process;
	char sequences[SEQUENCES_SIZE] ____cacheline_aligned_in_smp;
	char epochs[2][EPOCH_SIZE] ____cacheline_aligned_in_smp;
};

static struct mark *get_mark(void)
{
	struct mark *mark = smp_load_acquire(&the_mark);
	struct mark *none = NULL;

	if (likely(mark))
		return mark;
	mark = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mark == MAP_FAILED)
		return NULL;
	/*
	 * If madvise() accepts an invalid advice value, its MADV_WIPEONFORK
	 * can't be trusted either.
	 */
	if (madvise(mark, PAGE, MADV_WIPEONFORK) || !madvise(mark, PAGE, -1)) {
		munmap(mark, PAGE);
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (__atomic_compare_exchange_n(&the_mark, &none, mark, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mark;
	munmap(mark, PAGE);
	return none;
}

/* Draw the parts of the identity that make an epoch's stamps unique. */
static bool draw_stamps(struct kuid_identity *identity)
{
	struct {
		struct kuid_node_key key;
		u32 seq_offset;
		u32 lane_scramble;
	} random;

	/* Not getrandom(), which is a cancellation point. */
	if (syscall(SYS_getrandom, &random, sizeof(random), 0) !=
	    sizeof(random))
		return false;
	identity->node = kuid_node_of(&random.key, 0);
	identity->seq_offset = random.seq_offset % (KUID_SEQ_OFFSET_MAX + 1);
	identity->lane_scramble = random.lane_scramble % KUID_NR_LANES;
	return true;
}

/* Draw an identity. The worker makes slots unique, and stays in all epochs. */
static bool draw(struct kuid_identity *identity)
{
	u64 worker;

	if (syscall(SYS_getrandom, &worker, sizeof(worker), 0) !=
	    sizeof(worker))
		return false;
	*identity = (struct kuid_identity) {
		.worker = worker,
		.interval = KUID_INTERVAL_DEFAULT,
	};
	return draw_stamps(identity);
}

/* Draw the number that tells this process's epochs from other processes'. */
static bool draw_load_id(u64 *load_id)
{
	do {
		if (syscall(SYS_getrandom, load_id, sizeof(*load_id), 0) !=
		    sizeof(*load_id))
			return false;
	} while (!*load_id);
	return true;
}

static struct kuid_process *make_process(void)
{
	struct kuid_sequences *sequences;
	struct kuid_identity identity;
	struct kuid_process *process;
	struct kuid_epoch *epoch;
	struct memory *memory;
	u64 number, load_id;

	if (!draw(&identity) || !draw_load_id(&load_id))
		return NULL;
	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	process = &memory->process;
	process->epochs[0] = (void *)memory->epochs[0];
	process->epochs[1] = (void *)memory->epochs[1];
	process->idle_seen = ~0ULL;
	sequences = (void *)memory->sequences;
	sequences->nr_cpus = KUID_PROCESS_CPUS;

	/* Handles that were used in the parent know an epoch by its number. */
	number = __atomic_add_fetch(&last_epoch, 1, __ATOMIC_RELAXED);
	epoch = process->epochs[number & 1];
	epoch->load_id = load_id;
	epoch->identity = identity;
	epoch->nr_cpu_lanes = KUID_PROCESS_CPUS;
	epoch->sequences = sequences;
	kuid_generator_init(&process->generator, KUID_MAX_AHEAD_MS * KUID_MS_NS,
			    KUID_STEP_LIMIT_MS * KUID_MS_NS, false);
	kuid_generator_publish(&process->generator, epoch, KUID_EPOCH_FIRST, 0);
	epoch->number = number;
	return process;
}

static void free_process(struct kuid_process *process)
{
	munmap(process, sizeof(struct memory));
}

/* Whether no thread that entered on a CPU uses the generator at this moment. */
static bool is_unused(const struct kuid_process *process, unsigned int cpu)
{
	return !smp_load_acquire(&process->users[cpu].count);
}

/*
 * Free the memory of a parent's generator, but keep its addresses mapped. A
 * signal handler may have forked just before a call entered the generator; when
 * the handler returns in the child, that call reads the generator's memory. If
 * the handler interrupted a call that had entered, keep the memory too.
 */
static void empty_process(struct kuid_process *process)
{
	unsigned int cpu;

	for (cpu = 0; cpu < KUID_PROCESS_CPUS; cpu++)
		if (!is_unused(process, cpu))
			return;
	madvise(process, sizeof(struct memory), MADV_DONTNEED);
}

struct kuid_process *kuid_process_get(void)
{
	struct mark *mark = get_mark();
	struct kuid_process *process, *made, *former;

	if (unlikely(!mark))
		return NULL;
	process = smp_load_acquire(&mark->process);
	if (likely(process))
		return process;
	made = make_process();
	if (!made)
		return NULL;
	if (!__atomic_compare_exchange_n(&mark->process, &process, made, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) {
		free_process(made);
		return process;
	}
	former = __atomic_exchange_n(&last_process, made, __ATOMIC_SEQ_CST);
	if (former)
		empty_process(former);
	return made;
}

bool kuid_process_is(const struct kuid_process *process)
{
	return likely(smp_load_acquire(&the_mark->process) == process);
}

/*
 * Begin an epoch with a new node, which makes its stamps differ from those of
 * the former epoch. Slots continue as they are. If threads still use the memory
 * that the new epoch needs, the former epoch continues at half speed, and the
 * next call tries again.
 */
static void begin_epoch(struct kuid_process *process)
{
	struct kuid_epoch *former = process->generator.epoch;
	struct kuid_epoch *epoch = process->epochs[(former->number + 1) & 1];
	struct kuid_identity identity = former->identity;
	unsigned int cpu;

	/*
	 * A thread that is not counted yet will read the epoch in use, not the
	 * one before. Pairs with kuid_process_enter().
	 */
	smp_mb();
	for (cpu = 0; cpu < KUID_PROCESS_CPUS; cpu++)
		if (is_unused(process, cpu))
			process->idle_seen |= BIT_ULL(cpu);
	if (process->idle_seen != ~0ULL || !draw_stamps(&identity))
		return;

	memset(epoch, 0, EPOCH_SIZE);
	epoch->identity = identity;
	epoch->nr_cpu_lanes = KUID_PROCESS_CPUS;
	__atomic_store_n(&last_epoch, former->number + 1, __ATOMIC_RELAXED);
	/* A clock step after this store requests another epoch. */
	__atomic_store_n(&process->epoch_wanted, false, __ATOMIC_SEQ_CST);
	if (kuid_generator_publish(&process->generator, epoch, KUID_EPOCH_STEP,
				   0))
		process->idle_seen = 0;
}

struct kuid_users *kuid_process_enter(struct kuid_process *process)
{
	struct kuid_users *users =
		&process->users[kuid_port_cpu() % KUID_PROCESS_CPUS];

	if (unlikely(READ_ONCE(process->epoch_wanted))) {
		unsigned long blocked = kuid_port_irq_save();

		/* A second thread does not wait: the old epoch still works. */
		if (!__atomic_test_and_set(&process->beginning,
					   __ATOMIC_ACQUIRE)) {
			begin_epoch(process);
			__atomic_clear(&process->beginning, __ATOMIC_RELEASE);
		}
		kuid_port_irq_restore(blocked);
	}
	__atomic_fetch_add(&users->count, 1, __ATOMIC_SEQ_CST);
	/* Pairs with begin_epoch(), and with the exchange before
	 * empty_process(). */
	smp_mb();
	if (kuid_process_is(process))
		return users;
	kuid_process_leave(users);
	return NULL;
}

void kuid_process_leave(struct kuid_users *users)
{
	__atomic_fetch_sub(&users->count, 1, __ATOMIC_RELEASE);
}

/*
 * The caller has entered the generator, so it can't begin an epoch itself.
 * The next thread that enters does.
 */
void kuid_port_stepped(const struct kuid_step *step)
{
	struct kuid_process *process = smp_load_acquire(&the_mark->process);

	if (step->epoch_wanted && process)
		__atomic_store_n(&process->epoch_wanted, true,
				 __ATOMIC_SEQ_CST);
}
