// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tries a generator of UUIDs where generators fail: many processes at once,
 * a fork after the first UUID, a clock that is set back.
 *	promises ROW MAKER [LIBRARY FUNCTION]
 * prints how many of its IDs are repeats or out of order in each case. Fails if
 * that is not 0 where kuid promises it.
 *
 * An ID is out of order if a higher one was returned before the call that made
 * it began. Each call takes a number before and after, so this is known over
 * processes, too.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <kuid.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static struct kuid *handle;
static int (*generate)(unsigned char *uuid);

static void make_by_kuid(unsigned char *id)
{
	if (kuid_one(handle, id))
		err(1, "kuid");
}

static void make_by_library(unsigned char *id)
{
	generate(id);
}

static __u64 wall_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static void set_v7(unsigned char *id, __u64 ms)
{
	for (int i = 0; i < 6; i++)
		id[i] = ms >> (40 - 8 * i);
	id[6] = (id[6] & 0x0f) | 0x70;
	id[8] = (id[8] & 0x3f) | 0x80;
}

static void make_random_v7(unsigned char *id)
{
	if (getrandom(id, 16, 0) != 16)
		err(1, "getrandom");
	set_v7(id, wall_ms());
}

/* RFC 9562 6.2, method 2: within a millisecond the last one is incremented. */
static void make_counted_v7(unsigned char *id)
{
	static __u64 last_ms, last_random, state;
	__u64 ms = wall_ms(), random;

	if (!state && getrandom(&state, sizeof(state), 0) != sizeof(state))
		err(1, "getrandom");
	if (ms > last_ms) {
		/* A generator of random numbers that was seeded once. */
		state += 0x9e3779b97f4a7c15ULL;
		random = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ULL;
		last_random = random ^ random >> 27;
		last_ms = ms;
	} else {
		last_random += 1 + last_random % 251;
	}
	random = last_random & 0x3fffffffffffffffULL;
	memset(id, 0, 16);
	id[6] = random >> 58;
	id[7] = random >> 50;
	for (int i = 0; i < 8; i++)
		id[8 + i] = (random & 0x3ffffffffffffULL) >> (56 - 8 * i);
	set_v7(id, last_ms);
}

/* Set up in the process that makes IDs, and again in those that open a file. */
static const struct maker {
	const char *name;
	void (*make)(unsigned char *id);
	unsigned int format;
	unsigned int flags;
	unsigned int order;
} makers[] = { { "v1", make_by_kuid, KUID_FORMAT_V1, 0, KUID_ORDER_FILE },
	       { "v6", make_by_kuid, KUID_FORMAT_V6, 0, KUID_ORDER_FILE },
	       { "v7", make_by_kuid, KUID_FORMAT_V7, 0, KUID_ORDER_FILE },
	       { "v7-host", make_by_kuid, KUID_FORMAT_V7, 0, KUID_ORDER_HOST },
	       { "v6-lane", make_by_kuid, KUID_FORMAT_V6, KUID_PRIVATE,
		 KUID_ORDER_FILE },
	       { "v7-lane", make_by_kuid, KUID_FORMAT_V7, KUID_PRIVATE,
		 KUID_ORDER_FILE },
	       { "drop-in", make_by_library, 0, 0, KUID_ORDER_HOST },
	       { "library", make_by_library, 0, 0, 0 },
	       { "random-v7", make_random_v7, 0, 0, 0 },
	       { "counted-v7", make_counted_v7, 0, 0, 0 },
	       { 0 } };

static const struct maker *maker;

static void prepare(void)
{
	if (!maker->format)
		return;
	handle = kuid_open_flags(maker->format, maker->flags);
	if (!handle)
		err(1, "%s", maker->name);
	if (maker->order == KUID_ORDER_HOST &&
	    kuid_set_order(handle, KUID_ORDER_HOST))
		err(1, "%s", maker->name);
}

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
		prepare();
		make_one(&first);
	}
	if (pipe(gate))
		err(1, "pipe");
	for (int i = 0; i < event->processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid)
			continue;
		if (!event->forked)
			prepare();
		stay_on_cpu(i);
		close(gate[1]);
		/* Until all are there, and the parent closes its end. */
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

int main(int argc, char **argv)
{
	static const struct event many = { .processes = PROCESSES };
	static const struct event children = { CHILDREN, .forked = true };
	static const struct event one = { .processes = 1 };
	static const struct event two = { .processes = 2 };
	static const struct event back = { 1, .step_ns = -5 * SEC_NS };
	static const struct event far_back = { 2, .step_ns = -3600 * SEC_NS };
	const char *row = argv[1];
	bool kept = true, ours;

	for (maker = makers; maker->name && argc > 2; maker++)
		if (!strcmp(maker->name, argv[2]))
			break;
	if (argc < 3 || !maker->name ||
	    argc != (maker->make == make_by_library ? 5 : 3))
		errx(2, "usage: promises ROW MAKER [LIBRARY FUNCTION]");
	if (maker->make == make_by_library) {
		void *library = dlopen(argv[3], RTLD_NOW);
		void *function = library ? dlsym(library, argv[4]) : NULL;

		if (!function)
			errx(1, "%s", dlerror());
		/* ISO C has no cast from data to functions. */
		*(void **)&generate = function;
	}
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (world == MAP_FAILED)
		err(1, "memory");
	ours = maker->order;

	kept &= print(row, "repeats, 512 processes", repeats(run(&many)), ours);
	kept &= print(row, "repeats, forked children", repeats(run(&children)),
		      ours);
	kept &= print(row, "repeats, clock back 1 h", repeats(run(&far_back)),
		      ours);
	kept &= print(row, "disorder, one process", out_of_order(run(&one)),
		      ours);
	kept &= print(row, "disorder, two processes", out_of_order(run(&two)),
		      maker->order == KUID_ORDER_HOST);
	kept &= print(row, "disorder, clock back 5 s", out_of_order(run(&back)),
		      ours);
	return !kept;
}
