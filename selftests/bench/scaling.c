// SPDX-License-Identifier: GPL-2.0-only
/*
 * How reads of the device scale with CPUs, beside /dev/zero on the same CPUs:
 *	scaling CPUS SECONDS MICROSECONDS
 *
 * A process on each CPU reads. The time that CPUS processes need for a number
 * of calls is compared with the time that one needs. This is done with the
 * device and with /dev/zero within a few milliseconds, which is a comparison.
 * Comparisons of all formats, files and sizes take turns for SECONDS. Each of
 * their rounds takes about MICROSECONDS on each CPU: a short one is seldom
 * disturbed by other work of the host, but if the host has fewer CPUs, it must
 * be long enough for all of the guest's to have their turns.
 *
 * The host of an emulated machine may have other work. So only those
 * comparisons count of which each round was about as fast as the fastest
 * twentieth of its kind. Their median is printed.
 *
 * Rows that don't read the device tell which part of a difference is not the
 * device's: emulated CPUs read their clock under a lock that all of them share.
 *
 * Slots must not run out, because then callers wait for the clock and not for
 * one another. So the module must be loaded with max_ahead_ms=1000, and a
 * comparison that might use up that window is left out.
 */
#include <ctype.h>
#include <err.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <x86intrin.h>

#include "../lib/formats.h"
#include "result.h"

#define CPUS_MAX       64
#define LEAST_RATIO    0.95 /* budget, on two CPUs and with own files */
#define SECONDS_MAX    3600
#define LAPS_MAX       5000
#define BIG	       65536
#define SECOND	       1000000 /* in microseconds */
#define ZERO	       "/dev/zero"
#define ZERO_UNIT      16 /* counts as an ID */
#define LEX_RATE       1000000
#define SNOWFLAKE_RATE 4096000
#define UNLIMITED      1000000000ULL

/*
 * Comparisons count if each of their rounds had NEAR of the throughput that
 * FAST of such rounds don't reach.
 */
#define FAST 0.95
#define NEAR 0.9

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

/*
 * Batches may be half a second ahead. A comparison begins in the first part of
 * that, and may use half of it.
 */
#define AHEAD_MAX      (150 * NSEC_PER_MSEC)
#define SLOTS_OF(rate) ((rate) / 4)

/**
 * enum kind - which files the processes read
 * @OWN: each has its own
 * @SHARED: all share one
 * @HOST: each has its own, in order host
 */
enum kind {
	OWN,
	SHARED,
	HOST,
	NR_KINDS
};

static const char *const kinds[] = { "own files", "one file", "order host" };

/**
 * struct target - something that is read
 * @name: its name in the table
 * @path: its device file
 * @unit: bytes of an ID
 * @rate: IDs a second that the host can have
 * @clock: each call also reads the clock
 * @random: bytes that each call also gets from getrandom(), for each @unit
 * @fds: its open files, by kind
 */
struct target {
	char name[32];
	char path[32];
	unsigned int unit;
	__u64 rate;
	bool clock;
	unsigned int random;
	int fds[NR_KINDS];
};

static struct target zero = {
	ZERO, ZERO, ZERO_UNIT, UNLIMITED, false, 0, { 0 }
};

static struct target targets[NR_FORMATS + 2] = {
	[NR_FORMATS] = { "/dev/zero, clock",
			 ZERO,
			 ZERO_UNIT,
			 UNLIMITED,
			 true,
			 0,
			 { 0 } },
	{ "/dev/zero, 6 random bytes",
	  ZERO,
	  ZERO_UNIT,
	  UNLIMITED,
	  false,
	  6,
	  { 0 } },
};

/**
 * enum part - the rounds of a comparison
 * @ONE: one process
 * @ZERO_ONE: one process that reads /dev/zero
 * @ZERO_ALL: all processes, reading /dev/zero
 * @ALL: all processes
 */
enum part {
	ONE,
	ZERO_ONE,
	ZERO_ALL,
	ALL,
	NR_ROUNDS
};

/**
 * struct subject - a target as it is read
 * @target: the target
 * @kind: the files
 * @size: bytes of a call, of whole IDs
 * @calls: calls of a round on one CPU
 * @zero_calls: the same, for /dev/zero
 * @rates: calls in a tick of the time stamp counter, by round and comparison; 0
 *	if that was left out
 */
struct subject {
	const struct target *target;
	enum kind kind;
	size_t size;
	unsigned int calls, zero_calls;
	double rates[NR_ROUNDS][LAPS_MAX];
};

static struct subject subjects[NR_KINDS * 2 * ARRAY_SIZE(targets)];
static unsigned int nr_subjects;

/**
 * struct counter - a counter of processes, which shares no cache line
 * @value: the counter
 * @unused: the rest of the cache line
 */
struct counter {
	unsigned int value;
	char unused[60];
};

/**
 * struct round - what the processes do next
 * @begin: number of the round, and in the lowest 8 bits how many processes take
 *	part; a futex. One word, so that no process takes part in a round that
 *	goes on without it
 * @subject: what they read
 * @zero: they read /dev/zero instead
 * @calls: calls of all processes together
 * @taken: calls that processes have begun, or more
 * @made: calls that are complete
 * @arrived: processes that are ready to begin
 * @left: processes that have ended
 * @start: the time stamp counter when the last process arrived
 * @end: and after the last call
 */
struct round {
	unsigned int begin;
	const struct subject *subject;
	bool zero;
	unsigned int calls;
	struct counter taken;
	struct counter made;
	struct counter arrived;
	struct counter left;
	__u64 start;
	__u64 end;
};

static struct round *round;

static unsigned char buf[BIG];

static void open_kind(struct target *target, enum kind kind)
{
	const struct kuid_set_format set = { .order = KUID_ORDER_HOST };
	int fd = open(target->path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", target->path);
	if (kind == HOST && strcmp(target->path, ZERO) &&
	    ioctl(fd, KUID_IOC_SET_FORMAT, &set))
		err(1, "%s: order host", target->path);
	target->fds[kind] = fd;
}

static void open_all(enum kind kind)
{
	open_kind(&zero, kind);
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		open_kind(&targets[i], kind);
}

static void run_on(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %u", cpu);
}

static void call(const struct target *target, int fd, size_t size)
{
	ssize_t got = read(fd, buf, size);

	if (got < 0)
		err(1, "%s", target->path);
	if ((size_t)got != size)
		errx(1, "%s: %zd instead of %zu bytes", target->path, got,
		     size);
	if (target->clock) {
		struct timespec ts;

		clock_gettime(CLOCK_REALTIME, &ts);
	}
	if (target->random) {
		size_t random = size / target->unit * target->random;

		if (getrandom(buf, random, 0) != (ssize_t)random)
			err(1, "getrandom");
	}
}

static unsigned int load(const unsigned int *count)
{
	return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

static unsigned int add(struct counter *counter, unsigned int more)
{
	return __atomic_add_fetch(&counter->value, more, __ATOMIC_SEQ_CST);
}

/* Calls that a process takes at a time. */
static unsigned int group_of(const struct subject *subject)
{
	return subject->size > ZERO_UNIT ? 1 : 8;
}

/* Make calls until the processes have made all of the round's calls. */
static void play(void)
{
	const struct subject *subject = round->subject;
	const struct target *target = round->zero ? &zero : subject->target;
	unsigned int calls = round->calls, cpus = load(&round->begin) & 0xff;
	unsigned int group = group_of(subject);
	int fd = target->fds[subject->kind];

	if (add(&round->arrived, 1) == cpus)
		__atomic_store_n(&round->start, __rdtsc(), __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&round->start, __ATOMIC_SEQ_CST))
		_mm_pause();
	while (add(&round->taken, group) <= calls) {
		for (unsigned int i = 0; i < group; i++)
			call(target, fd, subject->size);
		if (add(&round->made, group) == calls)
			round->end = __rdtsc();
	}
	add(&round->left, 1);
}

static void futex(int op, unsigned int value)
{
	syscall(SYS_futex, &round->begin, op, value, NULL, NULL, 0);
}

/* A process of another CPU, asleep until there is a round for it. */
static void follow(unsigned int cpu)
{
	unsigned int seen = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run_on(cpu);
	open_all(OWN);
	open_all(HOST);
	add(&round->left, 1);
	for (;;) {
		while (load(&round->begin) == seen)
			futex(FUTEX_WAIT, seen);
		seen = load(&round->begin);
		if (cpu < (seen & 0xff))
			play();
	}
}

static void wait_for(unsigned int processes)
{
	while (load(&round->left.value) < processes)
		sched_yield();
}

static void start_processes(unsigned int cpus)
{
	round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (round == MAP_FAILED)
		err(1, "mmap");
	open_all(SHARED);
	for (unsigned int cpu = 1; cpu < cpus; cpu++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid)
			follow(cpu);
	}
	run_on(0);
	open_all(OWN);
	open_all(HOST);
	wait_for(cpus - 1);
}

/* Calls in a tick, of @cpus processes that make @calls each on average. */
static double play_round(const struct subject *subject, bool of_zero,
			 unsigned int calls, unsigned int cpus)
{
	static unsigned int number;

	round->subject = subject;
	round->zero = of_zero;
	round->calls = calls * cpus;
	round->taken.value = 0;
	round->made.value = 0;
	round->arrived.value = 0;
	round->left.value = 0;
	round->start = 0;
	__atomic_store_n(&round->begin, (++number << 8) | cpus,
			 __ATOMIC_SEQ_CST);
	if (cpus > 1)
		futex(FUTEX_WAKE, INT_MAX);
	play();
	wait_for(cpus);
	return (double)round->calls / (round->end - round->start);
}

static void get_status(struct kuid_status *status)
{
	memset(status, 0, sizeof(*status));
	if (ioctl(targets[0].fds[OWN], KUID_IOC_STATUS, status))
		err(1, "KUID_IOC_STATUS");
}

/* Whether a comparison can't use up the slots of a target. */
static bool has_slots(const struct target *target)
{
	struct kuid_status status;

	get_status(&status);
	switch (target->rate) {
	case UNLIMITED:
		return true;
	case LEX_RATE:
		return status.lex_ahead_ns < AHEAD_MAX;
	case SNOWFLAKE_RATE:
		return status.snowflake_ahead_ns < AHEAD_MAX;
	default:
		return status.grid_ahead_ns < AHEAD_MAX;
	}
}

/* Store the rates of a comparison, unless it must be left out. */
static void compare(struct subject *subject, unsigned int cpus,
		    unsigned int lap)
{
	const unsigned int calls = subject->calls;
	const unsigned int zero_calls = subject->zero_calls;

	if (!has_slots(subject->target))
		return;
	/* The first round fills caches that another subject has used. */
	play_round(subject, false, calls, 1);
	subject->rates[ONE][lap] = play_round(subject, false, calls, 1);
	subject->rates[ZERO_ONE][lap] =
		play_round(subject, true, zero_calls, 1);
	subject->rates[ZERO_ALL][lap] =
		play_round(subject, true, zero_calls, cpus);
	subject->rates[ALL][lap] = play_round(subject, false, calls, cpus);
}

/*
 * How many calls take about @ticks. Of many short rounds, the fastest one was
 * not disturbed by other work of the host.
 */
static __u64 count_calls(const struct subject *subject, bool of_zero,
			 __u64 ticks)
{
	unsigned int calls = group_of(subject) * 4;
	double fastest = 0;

	for (int i = 0; i < 20; i++) {
		double rate = play_round(subject, of_zero, calls, 1);

		fastest = rate > fastest ? rate : fastest;
	}
	return fastest * ticks;
}

static void set_calls(struct subject *subject, unsigned int cpus, __u64 ticks)
{
	const struct target *target = subject->target;
	unsigned int group = group_of(subject);
	__u64 most = SLOTS_OF(target->rate) /
		     (subject->size / target->unit * (2 + cpus));
	__u64 calls = count_calls(subject, false, ticks);

	if (calls > most)
		calls = most;
	subject->calls = (calls / group ?: 1) * group;
	calls = count_calls(subject, true, ticks);
	subject->zero_calls = (calls / group ?: 1) * group;
}

static void add_subject(const struct target *target, enum kind kind,
			size_t size)
{
	struct subject *subject = &subjects[nr_subjects++];

	subject->target = target;
	subject->kind = kind;
	subject->size = size;
}

static void add_subjects(enum kind kind, bool big)
{
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		unsigned int unit = targets[i].unit;

		/* Order is nothing to those that don't read the device. */
		if (i < NR_FORMATS || kind == OWN)
			add_subject(&targets[i], kind,
				    big ? BIG / unit * unit : unit);
	}
}

static void set_up(void)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		strcpy(targets[i].name, formats[i].name);
		snprintf(targets[i].path, sizeof(targets[i].path),
			 "/dev/kuids/%s", formats[i].name);
		targets[i].unit = formats[i].id_size;
		targets[i].rate = formats[i].rate;
	}
	for (enum kind kind = 0; kind < NR_KINDS; kind++) {
		add_subjects(kind, false);
		add_subjects(kind, true);
	}
}

static int higher(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value that @part of the values are below. */
static double quantile(double *values, unsigned int nr, double part)
{
	qsort(values, nr, sizeof(*values), higher);
	return values[(unsigned int)(nr * part)];
}

/**
 * struct medians - of the comparisons of a subject that count
 * @nr: how many there are
 * @scale: throughput on all CPUs, to that on one
 * @zero: the same, of /dev/zero
 * @ratio: of these two
 */
struct medians {
	unsigned int nr;
	double scale, zero, ratio;
};

/* Whether no round of a comparison was disturbed. */
static bool counts(const struct subject *subject, const double *fast,
		   unsigned int lap)
{
	for (enum part part = 0; part < NR_ROUNDS; part++)
		if (subject->rates[part][lap] <= fast[part] * NEAR)
			return false;
	return true;
}

static struct medians evaluate(const struct subject *subject, unsigned int laps)
{
	static double scale[LAPS_MAX], zeroes[LAPS_MAX], ratio[LAPS_MAX];
	struct medians medians = { 0 };
	double fast[NR_ROUNDS];

	for (enum part part = 0; part < NR_ROUNDS; part++) {
		memcpy(scale, subject->rates[part], laps * sizeof(*scale));
		fast[part] = quantile(scale, laps, FAST);
	}
	for (unsigned int lap = 0; lap < laps; lap++) {
		unsigned int nr = medians.nr;

		if (!counts(subject, fast, lap))
			continue;
		scale[nr] = subject->rates[ALL][lap] / subject->rates[ONE][lap];
		zeroes[nr] = subject->rates[ZERO_ALL][lap] /
			     subject->rates[ZERO_ONE][lap];
		ratio[nr] = scale[nr] / zeroes[nr];
		medians.nr++;
	}
	if (medians.nr) {
		medians.scale = quantile(scale, medians.nr, 0.5);
		medians.zero = quantile(zeroes, medians.nr, 0.5);
		medians.ratio = quantile(ratio, medians.nr, 0.5);
	}
	return medians;
}

static void print(unsigned int cpus, unsigned int laps)
{
	char row[16], table[16], column[32];

	snprintf(row, sizeof(row), "%u", cpus);
	snprintf(table, sizeof(table), "scaling-%u", cpus);
	for (unsigned int i = 0; i < nr_subjects; i++) {
		const struct subject *subject = &subjects[i];
		const char *name = subject->target->name;
		struct medians medians = evaluate(subject, laps);
		bool big = subject->size > ZERO_UNIT;

		snprintf(column, sizeof(column), "%s, %s", kinds[subject->kind],
			 big ? "64 KiB" : "one ID");
		fprintf(stderr, "%u CPUs, %s, %s: %u of %u comparisons count\n",
			cpus, name, column, medians.nr, laps);
		if (!medians.nr)
			continue;
		if (subject->target == targets)
			result(table, ZERO, column, medians.zero, false);
		result(table, name, column, medians.ratio, false);
		if (cpus == 2 && subject->kind == OWN &&
		    subject->target < targets + NR_FORMATS)
			result_budget(table, name, column, medians.ratio,
				      LEAST_RATIO, true);
		if (subject->kind == OWN && !big)
			result("scaling", row, name, medians.scale, false);
	}
}

static unsigned int parse(const char *text, const char *what, unsigned int min,
			  unsigned int max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit(*text) || *end || value < min || value > max)
		errx(2, "%s '%s' is not a number from %u to %u", what, text,
		     min, max);
	return value;
}

int main(int argc, char **argv)
{
	unsigned int cpus, seconds, us, laps = 0;
	struct kuid_status before, after;
	time_t end;
	__u64 ticks;

	if (argc != 4) {
		fprintf(stderr, "usage: scaling CPUS SECONDS MICROSECONDS\n");
		return 2;
	}
	cpus = parse(argv[1], "CPUS", 2, CPUS_MAX);
	seconds = parse(argv[2], "SECONDS", 1, SECONDS_MAX);
	us = parse(argv[3], "MICROSECONDS", 1, SECOND);
	set_up();
	start_processes(cpus);

	end = time(NULL) + seconds;
	ticks = __rdtsc();
	usleep(SECOND / 10);
	ticks = (__rdtsc() - ticks) * us / (SECOND / 10);
	for (unsigned int i = 0; i < nr_subjects; i++)
		set_calls(&subjects[i], cpus, ticks);
	get_status(&before);
	do {
		for (unsigned int i = 0; i < nr_subjects; i++)
			compare(&subjects[i], cpus, laps);
		laps++;
	} while (laps < LAPS_MAX && time(NULL) < end);
	print(cpus, laps);
	get_status(&after);
	fprintf(stderr, "%u CPUs: %llu calls have waited for slots\n", cpus,
		after.waits - before.waits);
	return 0;
}
