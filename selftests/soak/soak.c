// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything at once, for as long as wanted. Readers and callers take IDs in
 * all formats and orders, blocking and nonblocking, binary and text, from
 * private and shared files, in threads, in children and in the kernel. Threads
 * and children make IDs in private lanes of libkuid. At the same time the wall
 * clock is set, CPUs go offline and online, the identity changes, and a process
 * tries to unload the module. Each ID must be well-formed and in order, and none
 * may be given twice. In the end the module must have counted exactly the IDs
 * that it gave.
 *
 * Finding repeats in bounded memory: an ID carries its time, and for each
 * source of times the test keeps a window of the latest IDs. A new ID is
 * compared with all IDs in its window; an ID with a time before the window is
 * an error by itself. So a repeat is found however long ago the ID was given
 * first. The window is as wide as calls may be out of order: its edge is the
 * time of an ID taken now, minus max_ahead, and is moved there when all calls
 * have ended that began before that. The number of IDs in a window is limited;
 * a caller that would exceed it waits. See book.c.
 *
 * With --clone run/soak.sh saves the machine when this program says so and
 * resumes it as a clone.
 */
#include <argp.h>
#include <glob.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "../lib/option_number.h"
#include "soak.h"

/* Time to run after the machine knows that it is a clone. */
#define CLONE_SECONDS	10

/* A small window, so that IDs run out even in a short run. */
#define PARAMS		"max_ahead_ms=20"

/* The test counts as hung after this time without any call. */
#define HANG_SECONDS	300

static struct {
	__u64 seconds;
	__u64 seed;
	bool clone;
} options = {
	.seconds = 60,
};

static const struct {
	void (*run)(__u32 seed, int nr);
	int nr;
	bool disturbs;		/* ends before the others */
} roles[] = {
	{ soak_take, 8, false },
	{ soak_take, 12, false },
	{ soak_fork, 16, false },
	{ soak_poll, 20, false },
	{ soak_call, 21, false },
	{ soak_unload, 22, false },
	{ soak_make, 26, false },
	{ soak_make_in_children, 1, false },
	{ soak_step, 23, true },
	{ soak_unplug, 24, true },
	{ soak_identify, 25, true },
};

struct soak_world *soak;

static pid_t pids[ARRAY_SIZE(roles)];

/* Keep the first error only. */
void soak_fail(const char *text, ...)
{
	va_list args;

	if (__atomic_exchange_n(&soak->failed, true, __ATOMIC_SEQ_CST))
		return;
	va_start(args, text);
	vsnprintf(soak->what, sizeof(soak->what), text, args);
	va_end(args);
	__atomic_store_n(&soak->stop, true, __ATOMIC_SEQ_CST);
}

bool soak_stopped(void)
{
	return __atomic_load_n(&soak->stop, __ATOMIC_RELAXED);
}

/* The last IDs are still checked after a regular stop, but not on failure. */
bool soak_failed(void)
{
	return __atomic_load_n(&soak->failed, __ATOMIC_RELAXED);
}

__u64 soak_epoch(const struct soak_actor *me)
{
	struct kuid_status status;

	if (get_status(me->fd, &status))
		soak_fail("%s: no status: %m", me->name);
	return status.epoch;
}

static __u64 seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* A process may only end when it was told to. */
static void look_at_children(void)
{
	int status;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
			continue;
		pids[i] = 0;
		if (status || !(soak->stop || (soak->calm && roles[i].disturbs)))
			soak_fail("process %zu ended with status %x", i,
				  status);
	}
}

static bool any_running(bool disturbing)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if (pids[i] > 0 && roles[i].disturbs >= disturbing)
			return true;
	}
	return false;
}

static void say(const char *text, ...)
{
	va_list args;

	printf("# ");
	va_start(args, text);
	vprintf(text, args);
	va_end(args);
	puts("");
	fflush(stdout);
}

/**
 * struct booked - the IDs of a format, or of all
 * @ids: IDs taken
 * @in_lanes: as in struct soak_actor
 * @unsure: as in struct soak_actor
 */
struct booked {
	__u64 ids;
	__u64 in_lanes;
	__u64 unsure;
};

static void add_booked(struct booked *to, __u32 format)
{
	int i;

	for (i = 0; i < SOAK_ACTORS; i++) {
		const struct soak_actor *actor = &soak->actors[i];

		to->ids += actor->ids[format];
		to->in_lanes += actor->in_lanes[format];
		to->unsure += actor->unsure[format];
	}
}

static struct booked booked_total(void)
{
	struct booked total = { 0 };
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		add_booked(&total, formats[i].number);
	return total;
}

static void sweep_once(struct soak_actor *me)
{
	static __u64 said;
	__u64 now = seconds_now();

	soak_sweep(me);
	look_at_children();
	if (now >= said + 60) {
		said = now;
		say("%llu IDs, %u windows",
		    (unsigned long long)booked_total().ids, soak->nr_windows);
	}
	usleep(20000);
}

static void sweep_until(struct soak_actor *me, __u64 seconds)
{
	while (seconds_now() < seconds && !soak_stopped())
		sweep_once(me);
}

static __u64 forks(const struct soak_actor *me)
{
	struct kuid_status status;

	return get_status(me->fd, &status) ? 0 : status.vm_forks;
}

/* The worker of snowflake is given, so in a clone there is none. */
bool soak_may_be_stale(const struct soak_actor *me, const struct format *f)
{
	return f->number == KUID_FORMAT_SNOWFLAKE && forks(me);
}

/* Be cloned: from then on the machine must have another node and worker. */
static void be_cloned(struct soak_actor *me)
{
	struct kuid_state before, after;

	if (get_state(me->fd, &before))
		soak_fail("GET_STATE: %m");
	say("to be saved");
	while (!forks(me) && !soak_stopped())
		sweep_once(me);
	say("it is another machine");
	sweep_until(me, seconds_now() + CLONE_SECONDS);
	if (get_state(me->fd, &after))
		soak_fail("GET_STATE: %m");
	if (before.node == after.node || before.worker == after.worker)
		soak_fail("the clone has the node or worker of the machine it was made of");
}

/* Run in a process that is the parent of all actors. */
static void run(struct soak_actor *me)
{
	__u64 end = seconds_now() + options.seconds;
	size_t i;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < ARRAY_SIZE(roles); i++)
		pids[i] = soak_start(roles[i].run, options.seed, roles[i].nr);
	sweep_until(me, end);
	__atomic_store_n(&soak->calm, true, __ATOMIC_SEQ_CST);
	while (any_running(true) && !soak_stopped())
		sweep_once(me);
	if (options.clone && !soak_stopped())
		be_cloned(me);
	__atomic_store_n(&soak->stop, true, __ATOMIC_SEQ_CST);
	while (any_running(false))
		sweep_once(me);
	_exit(0);
}

/* Show the kernel stacks of all threads. */
static void show_tasks(pid_t group)
{
	char line[256];
	glob_t found;
	size_t i;

	if (glob("/proc/[0-9]*/task/*/stack", 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		FILE *file;

		if (getpgid(atoi(found.gl_pathv[i] + strlen("/proc/"))) !=
		    group)
			continue;
		say("%s:", found.gl_pathv[i]);
		file = fopen(found.gl_pathv[i], "r");
		while (file && fgets(line, sizeof(line), file))
			printf("#   %s", line);
		if (file)
			fclose(file);
	}
	globfree(&found);
}

static __u64 calls_made(void)
{
	__u64 calls = 0;
	int i;

	for (i = 0; i < SOAK_ACTORS; i++)
		calls += __atomic_load_n(&soak->actors[i].calls,
					 __ATOMIC_RELAXED);
	return calls;
}

/* Wait until the process ends or hangs. */
static void watch(pid_t pid)
{
	__u64 since = seconds_now(), calls = 0;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		__u64 made = calls_made(), now = seconds_now();

		if (made != calls)
			since = now;
		calls = made;
		if (now - since > HANG_SECONDS) {
			show_tasks(pid);
			soak_fail("hangs after %llu calls",
				  (unsigned long long)calls);
			kill(-pid, SIGKILL);
		}
		usleep(100000);
	}
	if (status)
		soak_fail("the test process ended with status %x", status);
}

static void restore_wall_offset(__u64 offset)
{
	shift_wall(offset - (clock_ns() - boottime_ns()));
}

static void report(const struct soak_actor *me, __u64 seconds)
{
	const struct soak_done *done = &soak->done;
	const struct booked total = booked_total();
	struct kuid_status status;
	struct rusage usage;
	size_t i;
	int a;

	if (get_status(me->fd, &status))
		soak_fail("no status: %m");
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		struct booked booked = { 0 };
		__u64 again = 0, by_kernel;

		add_booked(&booked, f->number);
		for (a = 0; a < SOAK_ACTORS; a++)
			again += soak->actors[a].again[f->number];
		say("%s: %llu IDs checked, %llu times EAGAIN",
		    f->name, (unsigned long long)booked.ids,
		    (unsigned long long)again);
		/* The lanes made some of those that may be of either. */
		by_kernel = booked.ids - booked.in_lanes;
		if (status.ids[f->number] > by_kernel ||
		    status.ids[f->number] < by_kernel - booked.unsure)
			soak_fail("%s: %llu IDs, up to %llu of them in lanes; counted %llu",
				  f->name, (unsigned long long)by_kernel,
				  (unsigned long long)booked.unsure,
				  (unsigned long long)status.ids[f->number]);
	}
	say("%llu IDs in %llu s; %llu waits, %llu would_blocks, %llu epochs",
	    (unsigned long long)total.ids, (unsigned long long)seconds,
	    (unsigned long long)status.waits,
	    (unsigned long long)status.would_blocks,
	    (unsigned long long)status.epoch);
	say("clock set back %llu times, %llu by more than 10 s, forward %llu; found %llu and %llu",
	    (unsigned long long)done->back,
	    (unsigned long long)done->back_past,
	    (unsigned long long)done->forward,
	    (unsigned long long)status.steps_back,
	    (unsigned long long)status.steps_forward);
	say("%llu IDs in private lanes of %llu handles, %llu there or in the kernel",
	    (unsigned long long)total.in_lanes,
	    (unsigned long long)soak->handles,
	    (unsigned long long)total.unsure);
	say("CPUs gone and back %llu, unloading refused %llu, identities %llu",
	    (unsigned long long)done->unplugged,
	    (unsigned long long)done->refusals,
	    (unsigned long long)done->identities);
	say("children %llu, polls %llu, clones %llu",
	    (unsigned long long)done->children,
	    (unsigned long long)done->polls,
	    (unsigned long long)status.vm_forks);
	say("%llu IDs of kernel code in %llu loads",
	    (unsigned long long)done->kernel_ids,
	    (unsigned long long)done->loads);
	getrusage(RUSAGE_CHILDREN, &usage);
	say("%llu entries kept at most, in no more than %zu MB; a process had %ld MB at most",
	    (unsigned long long)soak->most, sizeof(*soak) >> 20,
	    usage.ru_maxrss / 1024);
	if (status.unique != EVERY_FORMAT || status.ordered != EVERY_FORMAT)
		soak_fail("status says that promises are not held");
	if (!done->back_past || !done->forward || !done->unplugged ||
	    !done->refusals || !done->identities || !done->children ||
	    !done->polls || !done->kernel_ids || !total.in_lanes ||
	    !status.steps_back ||
	    !status.steps_forward || status.epoch < 3)
		soak_fail("too short to have done all disturbances");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 't':
		options.seconds = option_number(arg, state, 86400);
		break;
	case 's':
		options.seed = option_number(arg, state, UINT32_MAX);
		break;
	case 'c':
		options.clone = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option argp_options[] = {
	{ "seconds", 't', "N", 0, "duration; default 60", 0 },
	{ "seed", 's', "N", 0, "seed of the random choices", 0 },
	{ "clone", 'c', NULL, 0, "go on as a clone, see soak.sh", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = "Take IDs of the module KUID_MODULE on a disturbed machine.",
};

int main(int argc, char **argv)
{
	struct soak_actor *me;
	__u64 begin, offset;
	int cpus[SOAK_CPUS];
	pid_t pid;
	int ret;

	options.seed = pick_seed();
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	ksft_print_header();
	ksft_set_plan(1);
	if (!module_path() || !getenv("KUID_CALLERS") || geteuid() ||
	    allowed_cpus(cpus, SOAK_CPUS) < SOAK_CPUS) {
		ksft_test_result_skip("soak: needs root, 4 CPUs, KUID_MODULE and KUID_CALLERS\n");
		ksft_finished();
	}
	say("seed %llu, %llu seconds", (unsigned long long)options.seed,
	    (unsigned long long)options.seconds);
	soak = mmap(NULL, sizeof(*soak), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (soak == MAP_FAILED)
		ksft_exit_fail_msg("out of memory\n");
	/* The module's counters must start at zero. */
	ret = is_loaded() ? unload() : 0;
	ret = ret ? ret : load(PARAMS);
	if (ret)
		ksft_exit_fail_msg("the module can't be loaded: %s\n",
				   strerror(-ret));

	soak_book_init();
	me = soak_actor("sweeper", 0, options.seed);
	offset = clock_ns() - boottime_ns();
	begin = seconds_now();
	fflush(stdout);
	pid = fork();
	if (!pid)
		run(me);
	if (pid < 0)
		ksft_exit_fail_msg("fork: %s\n", strerror(errno));
	watch(pid);
	restore_wall_offset(offset);
	if (!soak->failed)
		report(me, seconds_now() - begin);
	if (soak->failed)
		ksft_print_msg("%s\n", soak->what);
	ksft_test_result(!soak->failed, "soak\n");
	ksft_finished();
}
