// SPDX-License-Identifier: GPL-2.0-only
/*
 * How reads of the device scale to two CPUs, beside /dev/zero on the same CPUs.
 *
 * Processes read the device for some milliseconds, each on a CPU of its own,
 * and then as many bytes of /dev/zero. All formats, files and sizes take turns,
 * up to LAPS times. The median of a ratio of two such neighbours counts,
 * because an emulated machine shares its host with other work.
 *
 * Slots must not run out, or callers wait for the clock and not for one
 * another. So the module must be loaded with max_ahead_ms=1000, processes stop
 * early where a format has few slots, and reads of which one had to wait don't
 * count.
 */
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../lib/formats.h"
#include "measure.h"
#include "result.h"

#define LAPS	    100
#define CPUS	    2 /* more than the host has would take turns on them */
#define ROUND_US    4000
#define SLOTS_MS    20 /* of its slots, that a process uses in a round */
#define CALLS_MIN   20 /* fewer end before all processes have begun */
#define BIG	    65536
#define LEAST_RATIO 0.95 /* budget, on two CPUs and with own files */

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

/* Each format in turn, and then ZERO. */
#define ZERO NR_FORMATS
static int files[NR_FORMATS + 1][NR_KINDS];

/**
 * struct subject - something that is measured
 * @target: index in files
 * @kind: the files
 * @size: bytes of a call
 * @most: calls of a process; the first one to make them ends the round
 */
struct subject {
	int target;
	enum kind kind;
	size_t size;
	__u64 most;
};

#define NR_SUBJECTS (NR_FORMATS * NR_KINDS * 2)

/**
 * struct medians - results of a subject with a number of CPUs; 0 if not known
 * @zero: bytes a nanosecond of /dev/zero
 * @ratio: that of the device to it
 */
struct medians {
	double zero, ratio;
};

/**
 * struct world - memory that all processes share
 * @begin: all processes of a round and the one that measures
 * @end: the same
 * @subject: what they read; size 0 is the end
 * @cpus: how many processes there are
 * @arrived: how many of them are awake
 * @start: when the last one was, in nanoseconds
 * @stop: they complete the call that they are in
 * @rates: results, in bytes a nanosecond
 */
static struct world {
	pthread_barrier_t begin, end;
	struct subject subject;
	int cpus;
	atomic_int arrived;
	atomic_ullong start;
	atomic_bool stop;
	double rates[CPUS];
} * world;

static const char *path_of(int target)
{
	static char path[64];

	if (target == ZERO)
		return "/dev/zero";
	snprintf(path, sizeof(path), "/dev/kuids/%s", formats[target].name);
	return path;
}

static void open_all(enum kind kind)
{
	const struct kuid_set_format host = { .order = KUID_ORDER_HOST };

	for (int i = 0; i <= ZERO; i++) {
		files[i][kind] = open(path_of(i), O_RDONLY);
		if (files[i][kind] < 0)
			err(1, "%s", path_of(i));
		if (kind == HOST && i != ZERO &&
		    ioctl(files[i][kind], KUID_IOC_SET_FORMAT, &host))
			err(1, "%s: order host", path_of(i));
	}
}

static void work(int cpu)
{
	static char buf[BIG];
	struct subject subject;
	__u64 calls;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	open_all(OWN);
	open_all(HOST);
	for (;;) {
		pthread_barrier_wait(&world->begin);
		subject = world->subject;
		if (!subject.size)
			_exit(0);
		if (++world->arrived == world->cpus)
			world->start = read_clock(CLOCK_MONOTONIC);
		while (!world->start)
			;
		calls = 0;
		do {
			if (read(files[subject.target][subject.kind], buf,
				 subject.size) != (ssize_t)subject.size)
				errx(1, "%s", path_of(subject.target));
			calls++;
		} while (calls < subject.most && !world->stop);
		world->stop = true;
		world->rates[cpu] =
			(double)calls * subject.size /
			(read_clock(CLOCK_MONOTONIC) - world->start);
		pthread_barrier_wait(&world->end);
	}
}

static void child_ended(int nr)
{
	_exit(1);
}

static void start(int cpus)
{
	pthread_barrierattr_t shared;

	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&world->begin, &shared, cpus + 1);
	pthread_barrier_init(&world->end, &shared, cpus + 1);
	signal(SIGCHLD, child_ended);
	for (int cpu = 0; cpu < cpus; cpu++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid)
			work(cpu);
	}
}

static void stop(void)
{
	signal(SIGCHLD, SIG_DFL);
	world->subject.size = 0;
	pthread_barrier_wait(&world->begin);
	while (wait(NULL) > 0)
		;
}

/* Bytes a nanosecond, of all processes. */
static double play(struct subject subject, int cpus)
{
	double rate = 0;

	world->subject = subject;
	world->stop = false;
	world->cpus = cpus;
	world->arrived = 0;
	world->start = 0;
	pthread_barrier_wait(&world->begin);
	usleep(ROUND_US * (cpus + 1) / 2);
	world->stop = true;
	pthread_barrier_wait(&world->end);
	for (int cpu = 0; cpu < cpus; cpu++)
		rate += world->rates[cpu];
	return rate;
}

static __u64 waits(void)
{
	struct kuid_status status = { 0 };

	if (ioctl(files[0][SHARED], KUID_IOC_STATUS, &status))
		err(1, "KUID_IOC_STATUS");
	return status.waits;
}

static void measure(const struct subject *subjects, int cpus,
		    struct medians *medians)
{
	static double rate[NR_SUBJECTS][LAPS], zero[NR_SUBJECTS][LAPS];
	static double ratio[NR_SUBJECTS][LAPS];
	int count[NR_SUBJECTS] = { 0 };

	start(cpus);
	for (int lap = 0; lap < LAPS; lap++) {
		for (int i = 0; i < NR_SUBJECTS; i++) {
			struct subject beside = subjects[i];
			int n = count[i];
			__u64 before = waits();

			if (beside.most < CALLS_MIN)
				continue;
			beside.target = ZERO;
			rate[i][n] = play(subjects[i], cpus);
			zero[i][n] = play(beside, cpus);
			ratio[i][n] = rate[i][n] / zero[i][n];
			count[i] += waits() == before;
		}
	}
	stop();
	for (int i = 0; i < NR_SUBJECTS; i++) {
		medians[i] = (struct medians) { 0 };
		if (count[i] < LAPS / 2)
			continue;
		medians[i].zero = median(zero[i], count[i]);
		medians[i].ratio = median(ratio[i], count[i]);
	}
}

static void print(const struct subject *subject, const struct medians *one,
		  const struct medians *all)
{
	const char *name = formats[subject->target].name;
	bool single = subject->size < BIG / 2;
	char column[32];
	double ratio = all->ratio / one->ratio;

	snprintf(column, sizeof(column), "%s, %s", kinds[subject->kind],
		 single ? "one ID" : "64 KiB");
	if (!all->ratio || !one->ratio) {
		warnx("%s, %s: too few slots", name, column);
		return;
	}
	if (!subject->target)
		result("scaling", "/dev/zero", column, all->zero / one->zero,
		       false);
	result("scaling", name, column, ratio, false);
	if (subject->kind == OWN)
		result_budget("scaling", name, column, ratio, LEAST_RATIO,
			      true);
}

/* Formats take turns, so that the slots of one can become free again. */
static struct subject subject_of(int index)
{
	const struct format *format = &formats[index % NR_FORMATS];
	int rest = index / NR_FORMATS;
	size_t ids = rest % 2 ? BIG / format->id_size : 1;

	return (struct subject) { .target = index % NR_FORMATS,
				  .kind = rest / 2,
				  .size = ids * format->id_size,
				  .most = format->rate * SLOTS_MS / 1000 /
					  ids };
}

int main(void)
{
	static struct subject subjects[NR_SUBJECTS];
	static struct medians one[NR_SUBJECTS], all[NR_SUBJECTS];

	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (world == MAP_FAILED)
		err(1, "memory");
	open_all(SHARED);
	for (int i = 0; i < NR_SUBJECTS; i++)
		subjects[i] = subject_of(i);
	measure(subjects, 1, one);
	measure(subjects, CPUS, all);
	for (int i = 0; i < NR_SUBJECTS; i++)
		print(&subjects[i], &one[i], &all[i]);
	return 0;
}
