// SPDX-License-Identifier: GPL-2.0-only
/*
 * How IDs scale with CPUs:
 *	scaling device	reads of the device on two CPUs, beside /dev/zero
 *	scaling threads	IDs that a process makes itself, in local handles
 *
 * Threads, each on a CPU of its own, make calls for some milliseconds. All
 * subjects take turns, up to LAPS times, and the median of the rounds counts,
 * because the machine shares its host with other work. The threads of "device"
 * have files of their own, as processes do, and after each read of the device
 * they read as many bytes of /dev/zero: the ratio of two such neighbours counts.
 *
 * Slots must not run out, or callers wait for the clock and not for one
 * another. So the module must be loaded with max_ahead_ms=1000, threads stop
 * early where a format has few slots, and reads of which one had to wait don't
 * count.
 */
#include <err.h>
#include <errno.h>
#include <kuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/random.h>

#include "../lib/formats.h"
#include "measure.h"

#define LAPS	  101
#define CPUS	  2    /* more than the host has would take turns on them */
#define READS_US  4000 /* of a round */
#define CALLS_US  500  /* of a round in the process: few are interrupted */
#define SLOTS_MS  20   /* of its slots, that a thread uses in a round */
#define CALLS_MIN 20   /* fewer end before all threads have begun */
#define BIG	  65536
#define REPEATED  64 /* calls in a process, for one look whether to stop */

/**
 * enum kind - which files the threads read
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

/* Each format in turn, and then ZERO. */
#define ZERO NR_FORMATS
static __thread int own[NR_FORMATS + 1][NR_KINDS];
static int shared[NR_FORMATS + 1];

/**
 * struct subject - something that is measured
 * @name: of a column
 * @call: makes a call
 * @units: bytes or IDs of a call
 * @most: calls of a thread; the first one to make them ends the round
 * @target: a format or ZERO, of a file
 * @kind: of the files
 * @handles: of libkuid, of the threads
 */
struct subject {
	const char *name;
	void (*call)(const struct subject *subject, int cpu);
	size_t units;
	__u64 most;
	int target;
	enum kind kind;
	struct kuid *handles[CPUS];
};

/* A round: threads are there, what they do, and their units a nanosecond. */
static pthread_barrier_t begin, end;
static pthread_t threads[CPUS];
static const struct subject *subject;
static int cpus;
static atomic_int arrived;
static atomic_ullong start;
static atomic_bool stop;
static double rates[CPUS];

static const char *path_of(int target)
{
	static __thread char path[64];

	if (target == ZERO)
		return "/dev/zero";
	snprintf(path, sizeof(path), "/dev/kuids/%s", formats[target].name);
	return path;
}

static int open_target(int target, enum kind kind)
{
	const struct kuid_set_format host = { .order = KUID_ORDER_HOST };
	int fd = open(path_of(target), O_RDONLY);

	if (fd < 0 || (kind == HOST && target != ZERO &&
		       ioctl(fd, KUID_IOC_SET_FORMAT, &host)))
		err(1, "%s", path_of(target));
	return fd;
}

static void read_file(const struct subject *of, int cpu)
{
	static __thread char buf[BIG];
	int fd = of->kind == SHARED ? shared[of->target]
				    : own[of->target][of->kind];

	if (read(fd, buf, of->units) != (ssize_t)of->units)
		errx(1, "%s", path_of(of->target));
}

static void read_clocks(const struct subject *of, int cpu)
{
	struct timespec now;

	for (int i = 0; i < REPEATED; i++)
		clock_gettime(CLOCK_REALTIME, &now);
}

static void make_ids(const struct subject *of, int cpu)
{
	unsigned char id[KUID_ID_MAX];

	for (int i = 0; i < REPEATED; i++)
		if (kuid_one(of->handles[cpu], id))
			err(1, "%s", of->name);
}

static void make_v4(const struct subject *of, int cpu)
{
	unsigned char id[16];

	for (int i = 0; i < REPEATED; i++)
		if (getrandom(id, sizeof(id), 0) != sizeof(id))
			err(1, "%s", of->name);
}

/* The scheduler would leave threads together that run for so short a time. */
static void take_cpu(int cpu)
{
	cpu_set_t allowed, set;
	int skip, nr = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		err(1, "sched_getaffinity");
	skip = cpu % CPU_COUNT(&allowed);
	while (!CPU_ISSET(nr, &allowed) || skip--)
		nr++;
	CPU_ZERO(&set);
	CPU_SET(nr, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", nr);
}

static void *work(void *argument)
{
	int cpu = (long)argument;
	__u64 calls;

	take_cpu(cpu);
	/* Threads that share their open files count references to each. */
	if (unshare(CLONE_FILES))
		err(1, "unshare");
	for (int i = 0; shared[ZERO] && i <= ZERO; i++) {
		own[i][OWN] = open_target(i, OWN);
		own[i][HOST] = open_target(i, HOST);
	}
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!subject)
			return NULL;
		if (++arrived == cpus)
			start = read_clock(CLOCK_MONOTONIC);
		while (!start)
			;
		calls = 0;
		do {
			subject->call(subject, cpu);
			calls++;
		} while (calls < subject->most && !stop);
		stop = true;
		rates[cpu] = (double)calls * subject->units /
			     (read_clock(CLOCK_MONOTONIC) - start);
		pthread_barrier_wait(&end);
	}
}

static void start_threads(int nr)
{
	cpus = nr;
	pthread_barrier_init(&begin, NULL, cpus + 1);
	pthread_barrier_init(&end, NULL, cpus + 1);
	for (long cpu = 0; cpu < cpus; cpu++) {
		errno = pthread_create(&threads[cpu], NULL, work, (void *)cpu);
		if (errno)
			err(1, "thread");
	}
}

static void stop_threads(void)
{
	subject = NULL;
	pthread_barrier_wait(&begin);
	for (int cpu = 0; cpu < cpus; cpu++)
		pthread_join(threads[cpu], NULL);
}

/* Units a nanosecond, of all threads. */
static double play(const struct subject *played)
{
	double rate = 0;

	subject = played;
	stop = false;
	arrived = 0;
	start = 0;
	pthread_barrier_wait(&begin);
	usleep(shared[ZERO] ? READS_US * (cpus + 1) / 2 : CALLS_US);
	stop = true;
	pthread_barrier_wait(&end);
	for (int cpu = 0; cpu < cpus; cpu++)
		rate += rates[cpu];
	return rate;
}

#define NR_SUBJECTS (NR_FORMATS * NR_KINDS * 2)

/**
 * struct medians - results of a subject with a number of CPUs; 0 if not known
 * @zero: bytes a nanosecond of /dev/zero
 * @ratio: that of the device to it
 */
struct medians {
	double zero, ratio;
};

static __u64 waits(void)
{
	struct kuid_status status = { 0 };

	if (ioctl(shared[0], KUID_IOC_STATUS, &status))
		err(1, "KUID_IOC_STATUS");
	return status.waits;
}

static void measure(const struct subject *subjects, int nr,
		    struct medians *medians)
{
	static double zero[NR_SUBJECTS][LAPS], ratio[NR_SUBJECTS][LAPS];
	int count[NR_SUBJECTS] = { 0 };

	start_threads(nr);
	for (int lap = 0; lap < LAPS; lap++) {
		for (int i = 0; i < NR_SUBJECTS; i++) {
			struct subject beside = subjects[i];
			int n = count[i];
			__u64 before = waits();
			double rate;

			if (beside.most < CALLS_MIN)
				continue;
			beside.target = ZERO;
			rate = play(&subjects[i]);
			zero[i][n] = play(&beside);
			ratio[i][n] = rate / zero[i][n];
			count[i] += waits() == before;
		}
	}
	stop_threads();
	for (int i = 0; i < NR_SUBJECTS; i++)
		if (count[i] >= LAPS / 2)
			medians[i] = (struct medians) {
				median(zero[i], count[i]),
				median(ratio[i], count[i]),
			};
}

static void print(const struct subject *of, const struct medians *one,
		  const struct medians *all)
{
	const char *name = formats[of->target].name;
	double ratio = all->ratio / one->ratio;
	char column[32];

	snprintf(column, sizeof(column), "%s, %s", kinds[of->kind],
		 of->units < BIG / 2 ? "one ID" : "64 KiB");
	if (!all->ratio || !one->ratio) {
		warnx("%s, %s: too few slots", name, column);
		return;
	}
	if (!of->target)
		result("scaling", "/dev/zero", column, all->zero / one->zero,
		       false);
	result("scaling", name, column, ratio, false);
}

/* Formats take turns, so that the slots of one can become free again. */
static struct subject subject_of(int index)
{
	const struct format *format = &formats[index % NR_FORMATS];
	int rest = index / NR_FORMATS;
	size_t ids = rest % 2 ? BIG / format->id_size : 1;

	return (struct subject) {
		.call = read_file,
		.units = ids * format->id_size,
		.most = format->rate * SLOTS_MS / 1000 / ids,
		.target = index % NR_FORMATS,
		.kind = rest / 2,
	};
}

static int measure_device(void)
{
	static struct subject subjects[NR_SUBJECTS];
	static struct medians one[NR_SUBJECTS], all[NR_SUBJECTS];

	for (int i = 0; i <= ZERO; i++)
		shared[i] = open_target(i, SHARED);
	for (int i = 0; i < NR_SUBJECTS; i++)
		subjects[i] = subject_of(i);
	measure(subjects, 1, one);
	measure(subjects, CPUS, all);
	for (int i = 0; i < NR_SUBJECTS; i++)
		print(&subjects[i], &one[i], &all[i]);
	return 0;
}

/* Millions of calls a second. */
static int measure_threads(void)
{
	static struct subject subjects[] = {
		{ "clock_gettime", read_clocks },
		{ "v1, own handles", make_ids, KUID_FORMAT_V1 },
		{ "v1, one handle", make_ids, KUID_FORMAT_V1, .kind = SHARED },
		{ "v7, own handles", make_ids, KUID_FORMAT_V7 },
		{ "v7, one handle", make_ids, KUID_FORMAT_V7, .kind = SHARED },
		{ "v4 by getrandom", make_v4 },
	};
	static double found[ARRAY_SIZE(subjects)][LAPS];
	char row[16];

	for (size_t i = 0; i < ARRAY_SIZE(subjects); i++) {
		struct subject *of = &subjects[i];
		unsigned int format = of->units;

		of->units = REPEATED;
		of->most = UINT64_MAX;
		for (int cpu = 0; cpu < CPUS && format; cpu++)
			of->handles[cpu] =
				cpu && of->kind == SHARED
					? of->handles[0]
					: kuid_open_flags(format, KUID_LOCAL);
	}
	for (int nr = 1; nr <= CPUS; nr++) {
		start_threads(nr);
		for (int lap = 0; lap < LAPS; lap++)
			for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
				found[i][lap] = play(&subjects[i]) * 1000;
		stop_threads();
		snprintf(row, sizeof(row), "%d", nr);
		for (size_t i = 0; i < ARRAY_SIZE(subjects); i++)
			result("threads", row, subjects[i].name,
			       median(found[i], LAPS), false);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "device"))
		return measure_device();
	if (argc == 2 && !strcmp(argv[1], "threads"))
		return measure_threads();
	errx(2, "usage: scaling device | threads");
}
