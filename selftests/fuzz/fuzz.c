// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random operations on the device, and reports results that are wrong. A
 * fuzzer also makes mistakes, and sends signals; see below for a soak.
 *
 * Each round loads the module again and runs in a process of its own; every
 * second round has several threads. All choices of a round depend on its seed,
 * the thread and the number of the operation, never on results of the device.
 * So a round of one thread can be repeated, except for its timing. Prints KTAP,
 * and the command that repeats a round that failed.
 *
 * Coverage does not guide the fuzzer: most of the lines that a round doesn't run
 * need another machine or other parameters, or refuse what other tests have in
 * tables: those of commands/, reading/ and private/page.c.
 *
 * A soak is one long round without mistakes. Some of its threads set the wall
 * clock, unplug CPUs, change the identity, take IDs in the kernel and try to
 * unload the module, while the others take IDs and use private lanes. All IDs are
 * compared with one another, up to FUZZ_SOAK_SPANS, of which there is one for
 * each 64 IDs of a batch. At the end the module must have counted the IDs that it
 * gave. With --clone run/soak.sh saves the machine when this program says so, and
 * resumes it as a clone.
 */
#include <argp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../lib/admin.h"
#include "../lib/option_number.h"
#include "../lib/set_wall.h"
#include "fuzz.h"

#define THREADS_MAX	16

/* A round that completes no operation in this time has hung. */
#define HANG_SECONDS	120

/* Threads of a soak that disturb the others, which are more than these. */
#define DISTURBERS	4

/* A small window, so that IDs run out in a soak. */
#define SOAK_PARAMS	"max_ahead_ms=20"

/* How long a soak goes on after it has become a clone. */
#define CLONE_SECONDS	10

static struct {
	__u64 seed;
	__u64 operations;
	__u64 threads;
	__u64 seconds;
	bool one_round;
	bool soak;
	bool clone;
} options = {
	.operations = 1000,
	.threads = 4,
	.seconds = 60,
};

struct fuzz_world *fuzz_world;

__thread __u32 fuzz_signals;
__thread __u32 fuzz_ends;

/**
 * struct operation - what actors do
 * @name: for messages
 * @weight: how often the fuzzer does it, compared with others
 * @soak: the same in a soak
 * @by: the thread of a soak that disturbs the others by it, counted from 1; 0 if
 *	the others do it
 * @run: does it without a file; or
 * @use: does it with an open file
 */
static const struct operation {
	const char *name;
	__u32 weight;
	__u32 soak;
	__u32 by;
	void (*run)(struct fuzz_actor *actor);
	void (*use)(struct fuzz_actor *actor, struct fuzz_call *call);
} operations[] = {
	{ "read", 200, 200, .use = fuzz_read },
	{ "readv", 100, 100, .use = fuzz_readv },
	{ "generate", 150, 200, .use = fuzz_generate },
	{ "splice", 50, 50, .use = fuzz_splice },
	{ "io_uring", 20, 20, .use = fuzz_uring },
	{ "lane", 0, 200, .run = fuzz_lane },
	{ "ask", 80, 10, .use = fuzz_ask },
	{ "set format", 40, 0, .use = fuzz_set_format },
	{ "administer", 60, 1, 4, .use = fuzz_administer },
	{ "open", 60, 20, .run = fuzz_open },
	{ "close", 50, 15, .run = fuzz_close },
	{ "dup", 15, 5, .use = fuzz_dup },
	{ "fcntl", 30, 10, .use = fuzz_fcntl },
	{ "poll", 40, 40, .use = fuzz_poll },
	{ "epoll", 40, 20, .use = fuzz_epoll },
	{ "fork", 5, 2, .run = fuzz_fork },
	{ "wall clock", 5, 1, 1, .run = fuzz_wall },
	{ "unplug", 0, 1, 2, .run = fuzz_unplug },
	{ "kernel code", 0, 1, 3, .run = fuzz_kernel },
	{ "unload", 0, 1, 4, .run = fuzz_unload },
};

/* Record a fault. Only the first one of a round is reported. */
void fuzz_fail(const struct fuzz_actor *actor, const char *format, ...)
{
	va_list args;
	int n;

	if (__atomic_exchange_n(&fuzz_world->failed, true, __ATOMIC_SEQ_CST))
		return;
	n = snprintf(fuzz_world->what, sizeof(fuzz_world->what),
		     "thread %u, operation %llu%s, %s: ", actor->thread,
		     (unsigned long long)actor->operation,
		     actor->child ? " of a child" : "", actor->name);
	va_start(args, format);
	vsnprintf(fuzz_world->what + n, sizeof(fuzz_world->what) - n, format,
		  args);
	va_end(args);
}

bool fuzz_stopped(void)
{
	return __atomic_load_n(&fuzz_world->failed, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&fuzz_world->over, __ATOMIC_RELAXED);
}

/* A mixing function (splitmix64): similar numbers give unrelated ones. */
static __u64 scramble(__u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

__u64 fuzz_random(struct fuzz_actor *actor)
{
	return scramble(actor->random++);
}

__u64 fuzz_below(struct fuzz_actor *actor, __u64 bound)
{
	return fuzz_random(actor) % bound;
}

bool fuzz_one_in(struct fuzz_actor *actor, __u32 n)
{
	return !fuzz_below(actor, n);
}

/* A number of any magnitude, often near a power of two or a limit. */
__u64 fuzz_number(struct fuzz_actor *actor)
{
	__u32 shift = fuzz_below(actor, 64);

	switch (fuzz_below(actor, 4)) {
	case 0:
		return fuzz_below(actor, 16);
	case 1:
		return (1ULL << shift) - fuzz_below(actor, 3) + 1;
	case 2:
		return -fuzz_below(actor, 4);
	default:
		return fuzz_random(actor) >> shift;
	}
}

/* How many IDs to ask for. */
__u32 fuzz_count_of_ids(struct fuzz_actor *actor)
{
	return fuzz_one_in(actor, 2) ? 1 :
	       fuzz_one_in(actor, 16) ? 1 + fuzz_below(actor, 4096) :
					1 + fuzz_below(actor, 64);
}

static void ends(int signal)
{
	fuzz_ends++;
	fuzz_signals++;
}

static void restarts(int signal)
{
	fuzz_signals++;
}

/*
 * If several signals are pending, the one with the lowest number decides
 * whether the call is restarted. So the signal that ends calls must have the
 * lower number; otherwise a thread with little CPU time could restart forever.
 */
#define ENDS		SIGUSR1
#define RESTARTS	SIGUSR2

static bool catch_signals(void)
{
	struct sigaction action = { .sa_handler = ends };

	if (sigaction(ENDS, &action, NULL))
		return false;
	action.sa_handler = restarts;
	action.sa_flags = SA_RESTART;
	/* Files with O_ASYNC send SIGIO. */
	return !sigaction(RESTARTS, &action, NULL) &&
	       !sigaction(SIGIO, &action, NULL);
}

static void set_timer(timer_t timer, __u64 first_us, __u64 interval_us)
{
	const struct itimerspec when = {
		.it_value = {
			.tv_sec = first_us / 1000000,
			.tv_nsec = first_us % 1000000 * 1000,
		},
		.it_interval.tv_nsec = interval_us * 1000,
	};

	timer_settime(timer, 0, &when, NULL);
}

/* Repeat the signal that ends a call, because one may come before the call. */
void fuzz_signals_on(struct fuzz_actor *actor)
{
	if (fuzz_world->soaks)
		return;
	set_timer(actor->ending, 1 + fuzz_below(actor, 60000), 40000);
	if (fuzz_one_in(actor, 4))
		set_timer(actor->restarting, 1 + fuzz_below(actor, 8000), 5000);
}

void fuzz_signals_off(struct fuzz_actor *actor)
{
	set_timer(actor->ending, 0, 0);
	set_timer(actor->restarting, 0, 0);
}

void fuzz_count(int error)
{
	if (error >= 0 && error < FUZZ_ERRORS)
		__atomic_add_fetch(&fuzz_world->errors[error], 1,
				   __ATOMIC_RELAXED);
}

static bool make_timer(int signal, timer_t *timer)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signal,
		._sigev_un._tid = syscall(SYS_gettid),
	};

	return !timer_create(CLOCK_MONOTONIC, &event, timer);
}

bool fuzz_actor_begin(struct fuzz_actor *actor, __u64 stream, __u32 thread,
		      bool child)
{
	*actor = (struct fuzz_actor) {
		.stream = scramble(stream),
		.thread = thread,
		.name = "begin",
		.child = child,
	};
	actor->epoll = epoll_create1(EPOLL_CLOEXEC);
	return actor->epoll >= 0 && fuzz_memory_init(actor) &&
	       make_timer(ENDS, &actor->ending) &&
	       make_timer(RESTARTS, &actor->restarting) &&
	       !pipe2(actor->pipe, O_CLOEXEC | O_NONBLOCK);
}

static void fuzz_actor_end(struct fuzz_actor *actor)
{
	fuzz_reap(actor);
	close(actor->epoll);
	close(actor->pipe[0]);
	close(actor->pipe[1]);
}

static void run_operation(struct fuzz_actor *actor,
			  const struct operation *operation)
{
	struct fuzz_call call;

	actor->name = operation->name;
	if (operation->run) {
		operation->run(actor);
	} else if (fuzz_use(actor, &call)) {
		operation->use(actor, &call);
		fuzz_unuse(&call);
	}
}

static bool disturbs(const struct fuzz_actor *actor)
{
	return fuzz_world->soaks && !actor->child &&
	       actor->thread < DISTURBERS;
}

static __u32 weight_of(const struct fuzz_actor *actor,
		       const struct operation *operation)
{
	__u32 by = disturbs(actor) ? actor->thread + 1 : 0;

	if (!fuzz_world->soaks)
		return operation->weight;
	return operation->by == by ? operation->soak : 0;
}

/* Half of the threads have a CPU, to which they return when it is online again. */
static void change_cpu(struct fuzz_actor *actor)
{
	__u32 cpu = actor->thread % 2 ? actor->thread / 2 : fuzz_random(actor);

	move_to_cpu(0, cpu % sysconf(_SC_NPROCESSORS_CONF));
}

/* Run @count operations, from the actor's next one on. */
void fuzz_actor_run(struct fuzz_actor *actor, __u64 count)
{
	__u32 weights = 0, at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		weights += weight_of(actor, &operations[i]);
	while (count-- && !fuzz_stopped() &&
	       !(disturbs(actor) &&
		 __atomic_load_n(&fuzz_world->calm, __ATOMIC_RELAXED))) {
		actor->random = scramble(actor->stream + actor->operation);
		at = fuzz_below(actor, weights);
		for (i = 0; at >= weight_of(actor, &operations[i]); i++)
			at -= weight_of(actor, &operations[i]);
		if (fuzz_world->soaks && !(actor->operation % 16))
			change_cpu(actor);
		run_operation(actor, &operations[i]);
		if (disturbs(actor))
			usleep(fuzz_below(actor, 1000000));
		actor->operation++;
		__atomic_add_fetch(&fuzz_world->progress, 1, __ATOMIC_RELAXED);
	}
}

static void *run_thread(void *arg)
{
	struct fuzz_actor actor;
	__u32 thread = (uintptr_t)arg;

	if (fuzz_actor_begin(&actor, fuzz_world->seed + thread, thread, false))
		fuzz_actor_run(&actor, fuzz_world->operations);
	else
		fuzz_fail(&actor, "can't begin: %s", strerror(errno));
	fuzz_actor_end(&actor);
	if (disturbs(&actor))
		__atomic_sub_fetch(&fuzz_world->disturbers, 1,
				   __ATOMIC_SEQ_CST);
	__atomic_sub_fetch(&fuzz_world->actors, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Run a round in the process forked for it, whose exit closes all files. */
static void run_threads(__u64 threads)
{
	pthread_t ids[THREADS_MAX];
	struct kuid_query query = { 0 };
	__u32 i;

	if (!catch_signals() ||
	    ioctl(fuzz_world->watch_fd, KUID_IOC_QUERY, &query))
		_exit(1);
	fuzz_world->max_ahead_ns = query.max_ahead_ns;
	for (i = 0; i < FUZZ_SLOTS; i++)
		fuzz_slots[i].fd = -1;
	fuzz_world->actors = threads;
	fuzz_world->disturbers = DISTURBERS;
	for (i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run_thread,
				   (void *)(uintptr_t)i))
			_exit(1);
	}
	for (i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	_exit(0);
}

/* Choose module parameters that change the module's behaviour. */
static void pick_params(__u64 seed, char *to, size_t size)
{
	struct fuzz_actor actor = { .random = scramble(seed) };
	static const char * const words[][4] = {
		{ "", "", "", "state=required" },
		{ "", "", "node=0123456789ab", "worker=fedcba9876543210" },
		{ "", "", "max_ahead_ms=1", "max_ahead_ms=1000" },
		{ "", "", "step_limit_ms=0", "step_limit_ms=2000" },
		{ "", "", "interval=5", "interval=10" },
	};
	size_t i, n = 0;

	to[0] = '\0';
	if (options.soak) {
		snprintf(to, size, SOAK_PARAMS);
		return;
	}
	fuzz_book_interval(GRID_INTERVAL);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		const char *word = words[i][fuzz_below(&actor, 4)];

		n += snprintf(to + n, size - n, "%s%s", *word && n ? " " : "",
			      word);
		if (strstr(word, "interval"))
			fuzz_book_interval(atoi(strchr(word, '=') + 1));
	}
}

static void say(const char *text)
{
	ksft_print_msg("%s\n", text);
	fflush(stdout);
}

/*
 * Whether a soak whose time is up goes on until @end: to become a clone, which
 * must have another node and worker. A clone fails to use a given node.
 */
static bool goes_on(struct fuzz_actor *me, __u64 *end)
{
	static enum { DISTURBED, TO_BE_SAVED, CLONED } phase;
	struct kuid_set_identity drawn = {
		.node_from = KUID_FROM_RANDOM,
		.worker_from = KUID_FROM_HOST,
	};
	static struct kuid_state before;
	struct kuid_state after;

	__atomic_store_n(&fuzz_world->calm, true, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&fuzz_world->disturbers, __ATOMIC_SEQ_CST))
		return true;
	switch (phase) {
	case DISTURBED:
		if (set_identity(fuzz_world->watch_fd, &drawn) ||
		    get_state(fuzz_world->watch_fd, &before))
			fuzz_fail(me, "identity: %s", strerror(errno));
		if (!options.clone)
			return false;
		say("to be saved");
		phase++;
		break;
	case TO_BE_SAVED:
		if (!fuzz_status(me).vm_forks)
			break;
		say("it is another machine");
		*end = read_clock(CLOCK_MONOTONIC) +
		       CLONE_SECONDS * NSEC_PER_SEC;
		phase++;
		break;
	case CLONED:
		get_state(fuzz_world->watch_fd, &after);
		if (before.node == after.node || before.worker == after.worker)
			fuzz_fail(me, "the clone has the node or worker of its twin");
		return false;
	}
	return true;
}

/*
 * Wait for a round's process; at the monotonic time @end tell it to stop. If it
 * hangs, kill it and return false.
 */
static bool wait_for_end(pid_t pid, __u64 end, int *status)
{
	__u64 progress = 0, since = read_clock(CLOCK_MONOTONIC);
	struct fuzz_actor me = { .name = "soak" };

	while (waitpid(pid, status, WNOHANG) != pid) {
		__u64 now = read_clock(CLOCK_MONOTONIC);
		__u64 done = __atomic_load_n(&fuzz_world->progress,
					     __ATOMIC_RELAXED);

		if (done != progress) {
			progress = done;
			since = now;
		}
		if (now >= end && !fuzz_stopped() &&
		    !(options.soak && goes_on(&me, &end)))
			__atomic_store_n(&fuzz_world->over, true,
					 __ATOMIC_RELAXED);
		if (now - since > HANG_SECONDS * NSEC_PER_SEC) {
			/* The kernel logs the stacks of all tasks. */
			write_text("/proc/sysrq-trigger", "t");
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			waitpid(pid, status, 0);
			return false;
		}
		usleep(2000);
	}
	return true;
}

/* Unload the module. The kernel may close files of exited processes late. */
static int unload_when_closed(void)
{
	__u64 since = read_clock(CLOCK_MONOTONIC);
	int ret;

	do {
		ret = unload();
		if (ret != -EWOULDBLOCK)
			return ret;
		usleep(10000);
	} while (read_clock(CLOCK_MONOTONIC) - since < 20 * NSEC_PER_SEC);
	return ret;
}

static __u64 ids_of_all(void)
{
	__u64 ids = 0;
	size_t i;

	for (i = 1; i <= NR_FORMATS; i++)
		ids += fuzz_world->ids[i];
	return ids;
}

/*
 * After a soak, the module must have counted the IDs that it gave. Some that were
 * made when an epoch began may be of lanes.
 */
static void check_soak(void)
{
	static const char * const names[] = {
		"clock steps back", "forward", "CPUs unplugged",
		"refusals to unload", "IDs of kernel code",
	};
	struct fuzz_actor me = { .name = "soak" };
	__u64 lanes = 0, spans = 0, kept = 1;
	struct kuid_status status;
	size_t i;

	/* A clone may repeat k64 until its clock is ahead of the fork. */
	shift_wall(2 * FUZZ_WALL_OFF_MS * NSEC_PER_MSEC);
	status = fuzz_status(&me);
	shift_wall(-2 * FUZZ_WALL_OFF_MS * NSEC_PER_MSEC);

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		const struct fuzz_made *made = &fuzz_world->made[f->number];
		__u64 by_kernel = fuzz_world->ids[f->number] - made->by_lanes;
		__u64 counted = status.ids[f->number];

		lanes += made->by_lanes;
		if (counted > by_kernel || counted + made->by_any < by_kernel)
			fuzz_fail(&me, "%llu %s, up to %llu of them in lanes; counted %llu",
				  (unsigned long long)by_kernel, f->name,
				  (unsigned long long)made->by_any,
				  (unsigned long long)counted);
	}
	for (i = 0; i < FUZZ_DISTURBANCES; i++) {
		ksft_print_msg("%s: %llu\n", names[i],
			       (unsigned long long)fuzz_world->done[i]);
		if (!fuzz_world->done[i])
			fuzz_fail(&me, "too short: no %s", names[i]);
	}
	for (i = 0; i < FUZZ_PARTS; i++) {
		spans += fuzz_world->given[i].record.nr;
		kept |= fuzz_world->given[i].record.mask + 1;
	}
	ksft_print_msg("%llu epochs, %llu waits, %llu IDs in lanes, %llu spans, 1 of %llu of all\n",
		       (unsigned long long)status.epoch,
		       (unsigned long long)status.waits,
		       (unsigned long long)lanes, (unsigned long long)spans,
		       (unsigned long long)kept);
	if (status.unique != EVERY_FORMAT || status.ordered != EVERY_FORMAT)
		fuzz_fail(&me, "not all promises hold: unique %llx, ordered %llx, reasons %llx",
			  (unsigned long long)status.unique,
			  (unsigned long long)status.ordered,
			  (unsigned long long)status.reasons);
	if (!lanes || !status.steps_back || !status.steps_forward ||
	    status.epoch < 3)
		fuzz_fail(&me, "too short: no lanes, steps or epochs");
}

/* Run a round. Returns whether it found no fault. */
static bool run_round(__u64 seed, __u64 threads, __u64 end)
{
	__u64 offset = clock_ns() - read_clock(CLOCK_BOOTTIME);
	char params[256];
	int ret, status;
	bool ended;
	pid_t pid;

	pick_params(seed, params, sizeof(params));
	if (options.one_round)
		ksft_print_msg("loaded with \"%s\"\n", params);
	fuzz_world = share_memory(sizeof(*fuzz_world));
	if (!fuzz_world || !fuzz_book_begin(options.soak ? FUZZ_SOAK_SPANS :
							   FUZZ_SPANS))
		ksft_exit_fail_msg("out of memory\n");
	fuzz_world->soaks = options.soak;
	fuzz_world->required = strstr(params, "required");
	fuzz_world->seed = scramble(seed);
	fuzz_world->operations = options.operations;
	ret = is_loaded() ? unload_when_closed() : 0;
	ret = ret ? ret : load(params);
	if (ret) {
		ksft_print_msg("load with \"%s\": %s\n", params,
			       strerror(-ret));
		return false;
	}

	fuzz_world->watch_fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_threads(threads);
	}
	if (pid < 0)
		ksft_exit_fail_msg("fork: %s\n", strerror(errno));
	ended = wait_for_end(pid, end, &status);
	set_wall(read_clock(CLOCK_BOOTTIME) + offset);
	if (!ended)
		snprintf(fuzz_world->what, sizeof(fuzz_world->what),
			 "it hangs after %llu operations",
			 (unsigned long long)fuzz_world->progress);
	else if (status && !fuzz_world->failed)
		snprintf(fuzz_world->what, sizeof(fuzz_world->what),
			 "it ended with status %x", status);
	if (options.soak && !fuzz_world->failed)
		check_soak();
	close(fuzz_world->watch_fd);
	ret = unload_when_closed();
	if (ret && !fuzz_world->what[0])
		snprintf(fuzz_world->what, sizeof(fuzz_world->what),
			 "all is closed, but the module can't be unloaded: %s",
			 strerror(-ret));
	if (!fuzz_world->what[0])
		return true;
	ksft_print_msg("%s\n", fuzz_world->what);
	if (options.soak)
		return false;
	ksft_print_msg("again: fuzz --seed %llu --operations %llu --threads %llu\n",
		       (unsigned long long)seed,
		       (unsigned long long)options.operations,
		       (unsigned long long)threads);
	return false;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 's':
		options.seed = option_number(arg, state, -1ULL);
		options.one_round = true;
		break;
	case 'o':
		options.operations = option_number(arg, state, 1ULL << 32);
		break;
	case 't':
		options.threads = option_number(arg, state, THREADS_MAX);
		if (!options.threads)
			argp_error(state, "no threads, no operations");
		break;
	case 'S':
		options.soak = true;
		options.operations = -1ULL;
		options.threads = THREADS_MAX;
		break;
	case 'c':
		options.clone = true;
		break;
	case 'f':
		options.seconds = option_number(arg, state, 1 << 24);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option argp_options[] = {
	{ "seed", 's', "N", 0, "run the one round of this seed", 0 },
	{ "operations", 'o', "N", 0, "of each thread in a round; 1000", 0 },
	{ "threads", 't', "N", 0, "in each round, or every second one; 4", 0 },
	{ "seconds", 'f', "N", 0, "how long, without a seed; 60", 0 },
	{ "soak", 'S', NULL, 0, "disturb the machine, and make no mistakes", 0 },
	{ "clone", 'c', NULL, 0, "go on as a clone, see soak.sh", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.doc = "Run random operations on the device of the module KUID_MODULE.",
};

static void print_errors(const __u64 *errors)
{
	int i;

	for (i = 0; i < FUZZ_ERRORS; i++) {
		if (errors[i])
			ksft_print_msg("%llu calls: %s\n",
				       (unsigned long long)errors[i],
				       i ? strerrorname_np(i) : "done");
	}
}

int main(int argc, char **argv)
{
	__u64 errors[FUZZ_ERRORS] = { 0 };
	__u64 begin, end, rounds = 0, done = 0, ids = 0;
	struct rlimit files = { 4096, 4096 };
	bool good = true;
	int i;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	ksft_print_header();
	ksft_set_plan(1);
	if (!module_path() || geteuid() ||
	    (options.soak && !getenv("KUID_CALLERS"))) {
		ksft_test_result_skip("random operations: needs root and modules\n");
		ksft_finished();
	}
	setrlimit(RLIMIT_NOFILE, &files);
	fuzz_memory_prepare();
	if (!options.one_round) {
		options.seed = scramble(read_clock(CLOCK_REALTIME));
		ksft_print_msg("seed %llu\n", (unsigned long long)options.seed);
	}
	begin = read_clock(CLOCK_MONOTONIC);
	end = options.one_round && !options.soak ?
		      -1ULL : begin + options.seconds * NSEC_PER_SEC;
	do {
		__u64 threads = options.one_round || options.soak ||
				rounds % 2 ? options.threads : 1;

		good = run_round(options.seed + rounds, threads, end);
		rounds++;
		done += fuzz_world->progress;
		ids += ids_of_all();
		for (i = 0; i < FUZZ_ERRORS; i++)
			errors[i] += fuzz_world->errors[i];
		fuzz_book_end();
		munmap(fuzz_world, sizeof(*fuzz_world));
	} while (good && !options.one_round && !options.soak &&
		 read_clock(CLOCK_MONOTONIC) < end);

	ksft_print_msg("%llu rounds, %llu operations, %llu IDs in %llu s\n",
		       (unsigned long long)rounds, (unsigned long long)done,
		       (unsigned long long)ids,
		       (unsigned long long)((read_clock(CLOCK_MONOTONIC) -
					     begin) / NSEC_PER_SEC));
	print_errors(errors);
	if (good && !options.one_round && !ids) {
		ksft_print_msg("none of them took an ID\n");
		good = false;
	}
	ksft_test_result(good, "random operations\n");
	ksft_finished();
}
