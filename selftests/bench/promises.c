// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tries a generator of UUIDs where generators fail: many processes at once,
 * a fork after the first UUID, a clock that is set back.
 *	promises [--demonstrate] ROW MAKER...
 * prints how many of its IDs are repeats or out of order in each case, or in
 * the two that a demonstration has time for. Fails if that is not 0 where kuid
 * promises it.
 *
 * An ID is out of order if a higher one was returned before the call that made
 * it began. Each call takes a number before and after, so this is known over
 * processes, too.
 */
#include <err.h>
#include <fcntl.h>
#include <kuid.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "makers.h"

#define IDS	  20000 /* of each case */
#define PROCESSES 512
#define CHILDREN  8
#define TURN	  10 /* IDs; divides IDS / CHILDREN / 2 */
#define SEC_NS	  1000000000LL

/**
 * struct made - an ID
 * @id: its bytes; those of a v1 in the order of v6, which sorts by time
 * @begin: number of the call's beginning
 * @end: number of its end
 */
struct made {
	unsigned char id[16];
	__u64 begin;
	__u64 end;
};

/**
 * struct world - memory of all processes
 * @next: the next number of a beginning or end
 * @turns: the processes wait here for their turns
 * @made: the IDs
 */
static struct world {
	_Atomic __u64 next;
	sem_t turns[CHILDREN];
	struct made made[IDS];
} * world;

static const struct maker *maker;

static void make_one(struct made *made)
{
	unsigned char id[16];

	made->begin = atomic_fetch_add(&world->next, 1);
	maker->make(id);
	made->end = atomic_fetch_add(&world->next, 1);
	memcpy(made->id, id, 16);
	if (id[6] >> 4 == 1) {
		memcpy(made->id, id + 6, 2);
		made->id[0] = id[6] << 4 | id[7] >> 4;
		made->id[1] = id[7] << 4 | id[4] >> 4;
		made->id[2] = id[4] << 4 | id[5] >> 4;
		made->id[3] = id[5] << 4 | id[0] >> 4;
		made->id[4] = id[0] << 4 | id[1] >> 4;
		made->id[5] = id[1] << 4 | id[2] >> 4;
		made->id[6] = id[2] & 0x0f;
		made->id[7] = id[3];
	}
}

static void set_clock_by(__s64 ns)
{
	struct timespec now;
	__s64 to;

	clock_gettime(CLOCK_REALTIME, &now);
	to = now.tv_sec * SEC_NS + now.tv_nsec + ns;
	now = (struct timespec) { to / SEC_NS, to % SEC_NS };
	if (clock_settime(CLOCK_REALTIME, &now))
		err(1, "setting the clock");
}

/**
 * struct event - a case
 * @processes: how many processes make the IDs; up to CHILDREN take turns for
 *	half of them
 * @forked: they are forked by a process that has made one
 * @step_ns: the first process sets the clock by this, halfway
 */
struct event {
	int processes;
	bool forked;
	__s64 step_ns;
};

static void make_some(const struct event *event, int process)
{
	int count = IDS / event->processes;
	struct made *made = world->made + process * count;
	int next = (process + 1) % event->processes;
	int in_turns = event->processes > CHILDREN ? 0 : count / 2;

	for (int i = 0; i < count; i++) {
		if (i < in_turns && i % TURN == 0)
			sem_wait(&world->turns[process]);
		if (event->step_ns && !process && i == count / 2)
			set_clock_by(event->step_ns);
		make_one(made + i);
		if (i < in_turns && i % TURN == TURN - 1)
			sem_post(&world->turns[next]);
	}
}

/* The scheduler might leave all on one CPU, where they run one by one. */
static void stay_on_cpu(int process)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(process % sysconf(_SC_NPROCESSORS_ONLN), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "sched_setaffinity");
}

static void run_in_processes(const struct event *event)
{
	struct made first;
	int gate[2], status;
	char byte;

	if (event->forked) {
		maker_prepare(maker);
		make_one(&first);
	}
	if (pipe2(gate, O_CLOEXEC))
		err(1, "pipe");
	for (int i = 0; i < event->processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid)
			continue;
		if (!event->forked)
			maker_prepare(maker);
		stay_on_cpu(i);
		close(gate[1]);
		/* Wait until all are ready and the parent closes its end. */
		if (read(gate[0], &byte, 1))
			err(1, "pipe");
		make_some(event, i);
		_exit(0);
	}
	close(gate[1]);
	while (wait(&status) > 0)
		if (status)
			errx(1, "a process failed");
	_exit(0);
}

/* In a child, so that no case begins with the state of another one. */
static int run(const struct event *event)
{
	int status;
	pid_t pid;

	memset(world, 0, sizeof(*world));
	for (int i = 0; i < CHILDREN; i++)
		sem_init(&world->turns[i], 1, !i);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid)
		run_in_processes(event);
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s failed", maker->name);
	if (event->step_ns)
		set_clock_by(-event->step_ns);
	return IDS / event->processes * event->processes;
}

static int by_id(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	return memcmp(x->id, y->id, 16);
}

static int by_begin(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_end(const void *a, const void *b)
{
	const struct made *x = *(struct made *const *)a;
	const struct made *y = *(struct made *const *)b;

	return (x->end > y->end) - (x->end < y->end);
}

static int repeats(int count)
{
	int found = 0;

	qsort(world->made, count, sizeof(*world->made), by_id);
	for (int i = 1; i < count; i++)
		found += !by_id(world->made + i - 1, world->made + i);
	return found;
}

/* Go through the calls as they begin, with the highest ID of those that ended. */
static int out_of_order(int count)
{
	static struct made *ended[IDS];
	const struct made *highest = NULL;
	int found = 0, next = 0;

	qsort(world->made, count, sizeof(*world->made), by_begin);
	for (int i = 0; i < count; i++)
		ended[i] = world->made + i;
	qsort(ended, count, sizeof(*ended), by_end);
	for (int i = 0; i < count; i++) {
		const struct made *made = world->made + i;

		for (; ended[next]->end < made->begin; next++)
			if (!highest || by_id(ended[next], highest) > 0)
				highest = ended[next];
		found += highest && by_id(made, highest) < 0;
	}
	return found;
}

static bool print(const char *row, const char *column, int found, bool promised)
{
	printf("promises\t%s\t%s\t%d\n", row, column, found);
	if (!found || !promised)
		return true;
	warnx("%s, %s: %d, but kuid promises that there are none", row, column,
	      found);
	return false;
}

static const struct column {
	const char *name;
	struct event event;
	int (*count)(int count);
	unsigned int order; /* that kuid promises it for; 0: for all */
	bool shown;	    /* in a demonstration */
} columns[] = {
	{ "repeats, 512 processes",
	  { .processes = PROCESSES },
	  .count = repeats },
	{ "repeats, forked children",
	  { .processes = CHILDREN, .forked = true },
	  .count = repeats,
	  .shown = true },
	{ "repeats, clock back 1 h",
	  { .processes = 2, .step_ns = -3600 * SEC_NS },
	  .count = repeats },
	{ "disorder, one process", { .processes = 1 }, .count = out_of_order },
	{ "disorder, two processes",
	  { .processes = 2 },
	  .count = out_of_order,
	  .order = KUID_ORDER_HOST,
	  .shown = true },
	{ "disorder, clock back 5 s",
	  { .processes = 1, .step_ns = -5 * SEC_NS },
	  .count = out_of_order },
};

int main(int argc, char **argv)
{
	bool demonstration = argc > 1 && !strcmp(argv[1], "--demonstrate");
	bool kept = true;

	argc -= demonstration;
	argv += demonstration;
	maker = argc < 3 ? NULL : maker_find(argc - 2, argv + 2);
	if (!maker)
		errx(2, "usage: promises [--demonstrate] ROW MAKER...");
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (world == MAP_FAILED)
		err(1, "memory");

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		const struct column *column = columns + i;

		if ((demonstration && !column->shown) ||
		    (column->event.forked && maker_is_program(maker)))
			continue;
		kept &= print(argv[1], column->name,
			      column->count(run(&column->event)),
			      column->order ? maker->order == column->order
					    : maker->order);
	}
	return !kept;
}
