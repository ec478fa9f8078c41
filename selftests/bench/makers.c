// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generators of UUIDs, tried where generators fail, and timed.
 *	makers promises [--demonstrate] ROW MAKER...
 * prints how many IDs are repeats or out of order if many processes make them
 * at once, after a fork, and when the clock is set back; or in the two cases
 * that a demonstration has time for. Fails if that is not 0 where kuid promises
 * it.
 *	makers twin NUMBER TIME MAKER... 3<>MEMORY
 * is a process that goes on in two clones of its machine, which are made before
 * TIME, in seconds of the wall clock.
 *	makers keys FILE
 * makes the keys of parts/locality.sh.
 *	makers count TABLE ROW COLUMN LIBRARY FUNCTION
 * prints the instructions of a function, in a machine that counts them.
 *	makers native uuidd | LIBRARIES
 * prints what an ID costs on this machine. LIBRARIES is the directory of
 * core.so and those of uuid-rs; "uuidd" measures only what gets a cache from it.
 *
 * MAKER is the name of one; or "library" LIBRARY FUNCTION, of a shared library;
 * or "program" COMMAND, which prints a UUID for each line that it reads.
 */
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <limits.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define IDS    20000 /* of each case, and of a twin; that of parts/promises.sh */
#define SEC_NS 1000000000LL
#define SAFE   "uuid_generate_time_safe"

#define BATCH	 256
#define ROUNDS	 401
#define ROUND_NS 100000

/**
 * struct maker - a generator, or something to compare one with
 * @name: on the command line, and of the row
 * @make: write @ids UUIDs
 * @format: of kuid's handle; 0 without one
 * @flags: of kuid_open_flags()
 * @order: what kuid promises; 0 of others
 * @ids: how many IDs a call makes; 0 is 1
 * @symbol: a function of a library
 * @library: the file that has @symbol; NULL for libuuid
 * @handle: of libkuid
 * @function: @symbol, or one of this program
 * @calls: how many calls are a round
 * @ns: of each ID, by the round
 * @ratio: to the reading of the clock in the same round
 */
struct maker {
	const char *name;
	void (*make)(struct maker *maker, unsigned char *id);
	unsigned int format;
	unsigned int flags;
	unsigned int order;
	unsigned int ids;
	const char *symbol;
	const char *library;
	struct kuid *handle;
	long (*function)(void *id, size_t size, unsigned int flags);
	unsigned int calls;
	double ns[ROUNDS];
	double ratio[ROUNDS];
};

static struct maker *maker;
static char **command;
static int program;
static FILE *printed;

static void make_by_kuid(struct maker *of, unsigned char *id)
{
	if (of->ids ? kuid_many(of->handle, id, of->ids) != of->ids
		    : kuid_one(of->handle, id))
		err(1, "%s", of->name);
}

static void make_by_library(struct maker *of, unsigned char *id)
{
	of->function(id, 16, 0);
}

static void make_by_program(struct maker *of, unsigned char *id)
{
	char line[64];

	if (write(program, "\n", 1) != 1 ||
	    !fgets(line, sizeof(line), printed) ||
	    kuid_parse(KUID_ANY_UUID, line, strcspn(line, "\n"), id, NULL))
		errx(1, "%s prints no UUID", command[0]);
}

static void start_program(void)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		err(1, "socketpair");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		dup2(ends[1], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	close(ends[1]);
	program = ends[0];
	printed = fdopen(program, "r");
	if (!printed)
		err(1, "%s", command[0]);
}

/* Milliseconds, and 4096ths of them below these. */
static __u64 wall_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec * 1000ULL + now.tv_nsec / 1000000) << 12 |
	       (now.tv_nsec % 1000000 << 12) / 1000000;
}

static void draw(void *bytes, size_t size)
{
	if (getrandom(bytes, size, 0) != (ssize_t)size)
		err(1, "getrandom");
}

static void set_version(unsigned char *id, unsigned int version)
{
	id[6] = (id[6] & 0x0f) | version << 4;
	id[8] = (id[8] & 0x3f) | 0x80;
}

static void set_v7(unsigned char *id, __u64 ms)
{
	for (int i = 0; i < 6; i++)
		id[i] = ms >> (40 - 8 * i);
	set_version(id, 7);
}

static void make_v4(struct maker *of, unsigned char *id)
{
	draw(id, 16);
	set_version(id, 4);
}

/* Milliseconds and random bits of the kernel, the usual function for a v7. */
static void make_random_v7(struct maker *of, unsigned char *id)
{
	__u64 ms = wall_time() >> 12;

	draw(id + 6, 10);
	set_v7(id, ms);
}

/* RFC 9562 6.2, method 2: within a millisecond the last one is incremented. */
static void make_counted_v7(struct maker *of, unsigned char *id)
{
	static __u64 last_ms, last_random, state;
	__u64 ms = wall_time() >> 12, random;

	if (!state)
		draw(&state, sizeof(state));
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

static void *share(const char *name, size_t size)
{
	int file = name ? shm_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600)
			: -1;
	void *memory = MAP_FAILED;

	if (!name || (file >= 0 && !ftruncate(file, size)))
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_SHARED | (name ? 0 : MAP_ANONYMOUS), file, 0);
	if (memory == MAP_FAILED)
		err(1, "shared memory");
	close(file);
	return memory;
}

/*
 * A v7 of the next time that a word in /dev/shm has not had, taken by
 * compare-and-swap, as processes can do without a module. Its other bits are
 * drawn once.
 */
static void make_shared_v7(struct maker *of, unsigned char *id)
{
	static _Atomic __u64 *shared;
	static unsigned char node[8];
	__u64 now = wall_time(), last, time;

	if (!shared) {
		draw(node, sizeof(node));
		shared = share("/kuid-bench", sizeof(*shared));
	}
	last = atomic_load(shared);
	do
		time = now > last ? now : last + 1;
	while (!atomic_compare_exchange_weak(shared, &last, time));
	id[6] = time >> 8;
	id[7] = time;
	memcpy(id + 8, node, sizeof(node));
	set_v7(id, time >> 12);
}

static struct maker makers[] = {
	{ "v1", make_by_kuid, KUID_FORMAT_V1, 0, KUID_ORDER_FILE },
	{ "v6", make_by_kuid, KUID_FORMAT_V6, 0, KUID_ORDER_FILE },
	{ "v7", make_by_kuid, KUID_FORMAT_V7, 0, KUID_ORDER_FILE },
	{ "v7-host", make_by_kuid, KUID_FORMAT_V7, 0, KUID_ORDER_HOST },
	{ "v6-lane", make_by_kuid, KUID_FORMAT_V6, KUID_PRIVATE,
	  KUID_ORDER_FILE },
	{ "v7-lane", make_by_kuid, KUID_FORMAT_V7, KUID_PRIVATE,
	  KUID_ORDER_FILE },
	{ "drop-in", make_by_library, .order = KUID_ORDER_HOST },
	{ "library", make_by_library },
	{ "program", make_by_program },
	{ "lex", make_by_kuid, KUID_FORMAT_LEX, 0, KUID_ORDER_FILE },
	{ "k64", make_by_kuid, KUID_FORMAT_K64, 0, KUID_ORDER_FILE },
	{ "snowflake", make_by_kuid, KUID_FORMAT_SNOWFLAKE, 0,
	  KUID_ORDER_FILE },
	{ "v4", make_v4 },
	{ "random-v7", make_random_v7 },
	{ "counted-v7", make_counted_v7 },
	{ "shared-v7", make_shared_v7 },
};

static bool load(struct maker *of, const char *library, const char *symbol)
{
	void *file = dlopen(library, RTLD_NOW);
	void *found = file ? dlsym(file, symbol) : NULL;

	/* ISO C has no cast from data to functions. */
	*(void **)&of->function = found;
	return found;
}

static bool is_program(const struct maker *of)
{
	return of->make == make_by_program;
}

/* The generator of words of a command line, with a NULL behind the last one. */
static struct maker *find_maker(int nr, char **words)
{
	struct maker *of = makers, *end = makers + ARRAY_SIZE(makers);

	while (of < end && nr && strcmp(of->name, words[0]))
		of++;
	if (!nr || of == end ||
	    (is_program(of) ? nr < 2
			    : nr != (of->make == make_by_library ? 3 : 1)))
		errx(2, "there is no such generator");
	command = words + 1;
	if (of->make == make_by_library && !load(of, words[1], words[2]))
		errx(1, "%s", dlerror());
	return of;
}

/*
 * Opens its handle, in the process that makes IDs or in one that this is forked
 * from; a program is begun in the process itself.
 */
static void prepare(struct maker *of)
{
	if (is_program(of))
		start_program();
	if (!of->format)
		return;
	of->handle = kuid_open_flags(of->format, of->flags);
	if (!of->handle || (of->order == KUID_ORDER_HOST &&
			    kuid_set_order(of->handle, KUID_ORDER_HOST)))
		err(1, "%s", of->name);
}

#define PROCESSES 512
#define CHILDREN  8
#define TURN	  10 /* IDs; divides IDS / CHILDREN / 2 */

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

static void make_one(struct made *made)
{
	unsigned char id[16];

	made->begin = atomic_fetch_add(&world->next, 1);
	maker->make(maker, id);
	made->end = atomic_fetch_add(&world->next, 1);
	if (id[6] >> 4 != 1 ||
	    kuid_convert(KUID_FORMAT_V1, id, KUID_FORMAT_V6, made->id, 0, NULL))
		memcpy(made->id, id, 16);
}

static void set_clock_by(__s64 ns)
{
	__s64 to = nanoseconds(CLOCK_REALTIME) + ns;
	const struct timespec now = { to / SEC_NS, to % SEC_NS };

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
		prepare(maker);
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
			prepare(maker);
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
static int run_case(const struct event *event)
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

/*
 * An ID is out of order if a higher one was returned before the call that made
 * it began. Go through the calls as they begin, with the highest ID of those
 * that ended.
 */
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

static const struct column {
	const char *name;
	struct event event;
	int (*count)(int count);
	unsigned int order; /* that kuid promises it for; 0: for all */
	bool shown;	    /* in a demonstration */
} columns[] = {
	{ "repeats, 512 processes", { PROCESSES }, repeats },
	{ "repeats, forked children",
	  { CHILDREN, .forked = true },
	  repeats,
	  .shown = true },
	{ "repeats, clock back 1 h", { 2, .step_ns = -3600 * SEC_NS }, repeats },
	{ "disorder, one process", { 1 }, out_of_order },
	{ "disorder, two processes",
	  { 2 },
	  out_of_order,
	  KUID_ORDER_HOST,
	  true },
	{ "disorder, clock back 5 s",
	  { 1, .step_ns = -5 * SEC_NS },
	  out_of_order },
};

static int try_promises(int nr, char **words)
{
	bool demonstration = !strcmp(words[0], "--demonstrate");
	bool kept = true;

	words += demonstration;
	maker = find_maker(nr - 1 - demonstration, words + 1);
	world = share(NULL, sizeof(*world));
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct column *column = columns + i;
		int found;

		if ((demonstration && !column->shown) ||
		    (column->event.forked && is_program(maker)))
			continue;
		found = column->count(run_case(&column->event));
		printf("promises\t%s\t%s\t%d\n", words[0], column->name, found);
		fflush(stdout);
		if (!found || !maker->order ||
		    (column->order && maker->order != column->order))
			continue;
		warnx("%s, %s: %d, but kuid promises that there are none",
		      words[0], column->name, found);
		kept = false;
	}
	return !kept;
}

#define AWAKE_NS 50000000 /* after TIME, when both clones are awake */
#define PART	 100
#define PART_NS	 4000000

static void wait_for(const struct timespec *begin, long ns)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_REALTIME, &now);
	while (now.tv_sec == begin->tv_sec && now.tv_nsec < ns);
}

/*
 * Make a UUID, close the output, make IDS more from TIME on, and write them to
 * the memory at NUMBER times their size. The clocks of clones agree, so both
 * make their UUIDs at the same time: PART of them in each PART_NS, because a
 * clone may lose its CPU meanwhile.
 */
static int be_a_twin(int nr, char **words)
{
	static unsigned char ids[IDS][16];
	struct timespec begin = { strtoul(words[1], NULL, 10) };
	size_t size = (strtoul(words[0], NULL, 10) + 1) * sizeof(ids);
	unsigned char *memory;

	maker = find_maker(nr - 2, words + 2);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
	if (memory == MAP_FAILED)
		err(1, "memory");
	prepare(maker);
	maker->make(maker, ids[0]);
	if (time(NULL) >= begin.tv_sec)
		errx(1, "%s: begins too late", maker->name);
	close(STDOUT_FILENO);
	errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &begin, NULL);
	if (errno)
		err(1, "%s", maker->name);
	for (int i = 0; i < IDS; i++) {
		if (i % PART == 0)
			wait_for(&begin, AWAKE_NS + i / PART * PART_NS);
		maker->make(maker, ids[i]);
	}
	memcpy(memory + size - sizeof(ids), ids, sizeof(ids));
	return 0;
}

#define KEYS	      1000000 /* of each kind; as parts/locality.sh */
#define KEY_PROCESSES 8
#define STEPS	      1000 /* of the clock, forward, in the rows of a day */

/* Take a key and the next row, until there are all rows. */
static void make_rows(unsigned char *keys, unsigned int *rows, size_t size)
{
	unsigned char id[KUID_ID_MAX];
	unsigned int row;

	prepare(maker);
	for (;;) {
		maker->make(maker, id);
		row = __atomic_fetch_add(rows, 1, __ATOMIC_SEQ_CST);
		if (row >= KEYS)
			_exit(0);
		memcpy(keys + row * size, id, size);
		if (row % (KEYS / STEPS) == 0)
			set_clock_by(86400 * SEC_NS / STEPS);
	}
}

/*
 * The keys of locality.sh, in the order in which the rows would come to a
 * database. FILE is memory that the host shares with the guest. Each kind has
 * its keys, of 16 or 8 bytes, from its number * KEYS * 16 on.
 */
static int make_keys(const char *file)
{
	char kinds[][10] = { "v4", "v1", "v6", "v7", "lex", "k64", "snowflake" };
	unsigned int *rows = share(NULL, sizeof(*rows));
	int fd = open(file, O_RDWR), status;
	unsigned char *keys;
	char *name;

	keys = mmap(NULL, ARRAY_SIZE(kinds) * KEYS * 16, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (keys == MAP_FAILED)
		err(1, "%s", file);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t size = 16;

		name = kinds[i];
		maker = find_maker(1, &name);
		if (maker->format)
			size = kuid_format_id_size(maker->format);
		*rows = 0;
		for (int process = 0; process < KEY_PROCESSES; process++)
			if (!fork())
				make_rows(keys + i * KEYS * 16, rows, size);
		while (wait(&status) > 0)
			if (status)
				errx(1, "%s: a process has failed", kinds[i]);
		if (*rows < KEYS)
			errx(1, "%s: there are too few keys", kinds[i]);
	}
	return 0;
}

static struct maker counted;

static void run_function(unsigned int calls, unsigned int ids)
{
	unsigned char id[16];

	while (calls--)
		counted.function(id, 16, 0);
}

/* A call fails if it is not safe, as when it can't lock the state file. */
static void run_safe(unsigned int calls, unsigned int ids)
{
	unsigned char id[16];

	while (calls--)
		if ((int)counted.function(id, 16, 0))
			errx(1, "%s: the UUID is not safe", SAFE);
}

/* libuuid's v4 takes a number of steps that depends on the time. */
static int count_function(char **words)
{
	bool held = strcmp(words[0], "debian13");

	if (!load(&counted, words[3], words[4]))
		errx(1, "%s", dlerror());
	result(words[0], words[1], words[2],
	       count_ids(strcmp(words[4], SAFE) ? run_function : run_safe, 1),
	       held);
	return 0;
}

#define CORE   "core of the module: take a stamp, make a v6"
#define ZERO   "read of 16 bytes of /dev/zero"
#define RANDOM "8 bytes of getrandom, in 12 x 8"

static void read_clock(struct maker *of, unsigned char *id)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
}

static void read_zero(struct maker *of, unsigned char *id)
{
	static int zero = -1;

	if (zero < 0)
		zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (read(zero, id, 16) != 16)
		err(1, "/dev/zero");
}

/* As many as the kernel draws ahead, for get_random_u64(). */
static void draw_random(struct maker *of, unsigned char *id)
{
	draw(id, of->ids * 8);
}

/*
 * The IDs of libkuid are those of local handles, which are made by the same
 * code as those of private lanes, but need no device.
 */
static struct maker timed[] = {
	{ "clock_gettime(CLOCK_REALTIME)", read_clock },
	{ "libkuid v1", make_by_kuid, KUID_FORMAT_V1, KUID_LOCAL },
	{ "libkuid v6", make_by_kuid, KUID_FORMAT_V6, KUID_LOCAL },
	{ "libkuid v7", make_by_kuid, KUID_FORMAT_V7, KUID_LOCAL },
	{ "libkuid v1, batch of 256", make_by_kuid, KUID_FORMAT_V1, KUID_LOCAL,
	  .ids = BATCH },
	{ "libkuid v6, batch of 256", make_by_kuid, KUID_FORMAT_V6, KUID_LOCAL,
	  .ids = BATCH },
	{ "libkuid v7, batch of 256", make_by_kuid, KUID_FORMAT_V7, KUID_LOCAL,
	  .ids = BATCH },
	{ CORE, make_by_library, .symbol = "core_make_v6",
	  .library = "core.so" },
	{ ZERO, read_zero },
	{ RANDOM, draw_random, .ids = 12 },
	{ "v4 by getrandom", make_v4 },
	{ "v7 by clock and getrandom", make_random_v7 },
	{ "v7 by a word in /dev/shm", make_shared_v7 },
	{ "libuuid 2.38, v1", make_by_library, .symbol = "uuid_generate_time" },
	{ "libuuid 2.38, v4", make_by_library,
	  .symbol = "uuid_generate_random" },
	{ "Rust, uuid-rs 1.2, v4", make_by_library, .symbol = "uuid_rs_v4",
	  .library = "uuid_rs.so" },
	{ "Rust, uuid-rs 1.2, v7", make_by_library, .symbol = "uuid_rs_v7",
	  .library = "uuid_rs.so" },
	{ "Rust, uuid-rs 1.10, v7", make_by_library, .symbol = "uuid_rs_v7",
	  .library = "uuid_rs_new.so" },
};

static __u64 run_calls(struct maker *of, unsigned int calls)
{
	static unsigned char ids[BATCH * KUID_ID_MAX];
	__u64 start = nanoseconds(CLOCK_MONOTONIC);

	for (unsigned int i = 0; i < calls; i++)
		of->make(of, ids);
	return nanoseconds(CLOCK_MONOTONIC) - start;
}

/*
 * Let a round take ROUND_NS, so that few are interrupted. A call that is
 * interrupted here must not pass for a slow one. Returns false if the generator
 * is not on this machine.
 */
static bool begin_timing(struct maker *of, const char *libraries)
{
	char path[PATH_MAX] = "libuuid.so.1";

	if (of->library)
		snprintf(path, sizeof(path), "%s/%s", libraries, of->library);
	if (of->symbol && !load(of, path, of->symbol))
		return false;
	prepare(of);
	of->calls = 1;
	while (run_calls(of, of->calls) < ROUND_NS ||
	       run_calls(of, of->calls) < ROUND_NS ||
	       run_calls(of, of->calls) < ROUND_NS)
		of->calls *= 2;
	return true;
}

static void print_value(const char *row, const char *column, double value)
{
	result("native", row, column, value, false);
}

static double ns_of(const char *what)
{
	size_t i = 0;

	while (strcmp(timed[i].name, what))
		i++;
	return median(timed[i].ns, ROUNDS);
}

/*
 * A read of the device can't be measured here without the module. It is the sum
 * of its parts: a read of /dev/zero, what the core does for an ID, and for v7
 * the random number that the kernel draws.
 */
static void print_reads(void)
{
	double clock = ns_of(timed[0].name), v6 = ns_of(CORE) + ns_of(ZERO);
	double v7 = v6 + ns_of(RANDOM);

	print_value("kuid v6 by read, computed", "ns an ID", v6);
	print_value("kuid v6 by read, computed", "clock reads", v6 / clock);
	print_value("kuid v7 by read, computed", "ns an ID", v7);
	print_value("kuid v7 by read, computed", "clock reads", v7 / clock);
}

/*
 * Other programs may run meanwhile. So each is measured in many short rounds,
 * all take turns, and the median of the rounds is printed.
 */
static int time_all(const char *from)
{
	bool uuidd = !strcmp(from, "uuidd"), there[ARRAY_SIZE(timed)];

	for (size_t i = 0; i < ARRAY_SIZE(timed); i++)
		there[i] = (!uuidd || !i ||
			    !strcmp(timed[i].name, "libuuid 2.38, v1")) &&
			   begin_timing(&timed[i], from);
	for (size_t round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < ARRAY_SIZE(timed); i++) {
			struct maker *of = &timed[i];

			if (!there[i])
				continue;
			of->ns[round] = (double)run_calls(of, of->calls) /
					of->calls / (of->ids ?: 1);
			of->ratio[round] = of->ns[round] / timed[0].ns[round];
		}
	for (size_t i = uuidd; i < ARRAY_SIZE(timed); i++) {
		struct maker *of = &timed[i];
		const char *row = uuidd ? "libuuid 2.38, v1, uuidd's cache"
					: of->name;

		if (!there[i])
			continue;
		print_value(row, "ns an ID", median(of->ns, ROUNDS));
		print_value(row, "clock reads", median(of->ratio, ROUNDS));
		if (!strcmp(row, RANDOM))
			print_reads();
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "promises") && argc > 3)
		return try_promises(argc - 2, argv + 2);
	if (!strcmp(what, "twin") && argc > 4)
		return be_a_twin(argc - 2, argv + 2);
	if (!strcmp(what, "keys") && argc == 3)
		return make_keys(argv[2]);
	if (!strcmp(what, "count") && argc == 7)
		return count_function(argv + 2);
	if (!strcmp(what, "native") && argc == 3)
		return time_all(argv[2]);
	errx(2, "usage: makers promises | twin | keys | count | native ...");
}
