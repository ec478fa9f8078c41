// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random operations on the device, and reports results that are wrong.
 *
 * Each round loads the module again and runs in a process of its own; every
 * second round has several threads. All choices of a round depend on its seed,
 * the thread and the number of the operation, never on results of the device.
 * So a round of one thread can be repeated, except for its timing. Prints KTAP,
 * and the command that repeats a round that failed.
 *
 * Coverage does not guide the fuzzer: one round of four threads already runs 87
 * to 89 % of the module's lines by gcov, and most of the other lines need
 * another machine or other parameters, not another operation.
 */
#include <argp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../lib/module.h"
#include "../lib/option_number.h"
#include "../lib/set_wall.h"
#include "fuzz.h"

#define THREADS_MAX	16

/* A round that completes no operation in this time has hung. */
#define HANG_SECONDS	120

static struct {
	__u64 seed;
	__u64 operations;
	__u64 threads;
	__u64 seconds;
	bool one_round;
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
 * @weight: how often it is done, compared with others
 * @run: does it without a file; or
 * @use: does it with an open file
 */
static const struct operation {
	const char *name;
	__u32 weight;
	void (*run)(struct fuzz_actor *actor);
	void (*use)(struct fuzz_actor *actor, struct fuzz_call *call);
} operations[] = {
	{ "read", 200, .use = fuzz_read },
	{ "readv", 100, .use = fuzz_readv },
	{ "generate", 150, .use = fuzz_generate },
	{ "splice", 50, .use = fuzz_splice },
	{ "io_uring", 20, .use = fuzz_uring },
	{ "huge", 2, .use = fuzz_huge },
	{ "ask", 80, .use = fuzz_ask },
	{ "set format", 40, .use = fuzz_set_format },
	{ "administer", 60, .use = fuzz_administer },
	{ "unknown command", 20, .use = fuzz_unknown_command },
	{ "open", 60, .run = fuzz_open },
	{ "close", 50, .run = fuzz_close },
	{ "dup", 15, .use = fuzz_dup },
	{ "pass", 15, .use = fuzz_pass },
	{ "fcntl", 30, .use = fuzz_fcntl },
	{ "seek", 10, .use = fuzz_seek },
	{ "write", 10, .use = fuzz_write },
	{ "mmap", 10, .use = fuzz_mmap },
	{ "poll", 40, .use = fuzz_poll },
	{ "epoll", 40, .use = fuzz_epoll },
	{ "fork", 5, .run = fuzz_fork },
	{ "info", 15, .use = fuzz_info },
	{ "wall clock", 5, .run = fuzz_wall },
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
		.privileged = !geteuid(),
	};
	actor->epoll = epoll_create1(EPOLL_CLOEXEC);
	return actor->epoll >= 0 && fuzz_memory_init(actor) &&
	       make_timer(ENDS, &actor->ending) &&
	       make_timer(RESTARTS, &actor->restarting) &&
	       !pipe2(actor->pipe, O_CLOEXEC | O_NONBLOCK) &&
	       !socketpair(AF_UNIX, SOCK_DGRAM, 0, actor->sockets);
}

static void fuzz_actor_end(struct fuzz_actor *actor)
{
	fuzz_reap(actor);
	close(actor->epoll);
	close(actor->pipe[0]);
	close(actor->pipe[1]);
	close(actor->sockets[0]);
	close(actor->sockets[1]);
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

/* Run @count operations, from the actor's next one on. */
void fuzz_actor_run(struct fuzz_actor *actor, __u64 count)
{
	__u32 weights = 0, at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		weights += operations[i].weight;
	while (count-- && !fuzz_stopped()) {
		actor->random = scramble(actor->stream + actor->operation);
		at = fuzz_below(actor, weights);
		for (i = 0; at >= operations[i].weight; i++)
			at -= operations[i].weight;
		run_operation(actor, &operations[i]);
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
	__atomic_sub_fetch(&fuzz_world->actors, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Run a round in the process forked for it, whose exit closes all files. */
static void run_threads(__u64 threads)
{
	pthread_t ids[THREADS_MAX];
	struct kuid_query query = { 0 };
	__u32 i;

	fuzz_world->watch_fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	if (fuzz_world->watch_fd < 0 || !catch_signals() ||
	    ioctl(fuzz_world->watch_fd, KUID_IOC_QUERY, &query))
		_exit(1);
	fuzz_world->max_ahead_ns = query.max_ahead_ns;
	for (i = 0; i < FUZZ_SLOTS; i++)
		fuzz_slots[i].fd = -1;
	fuzz_world->actors = threads;
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
	fuzz_book_interval(GRID_INTERVAL);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		const char *word = words[i][fuzz_below(&actor, 4)];

		n += snprintf(to + n, size - n, "%s%s", *word && n ? " " : "",
			      word);
		if (strstr(word, "interval"))
			fuzz_book_interval(atoi(strchr(word, '=') + 1));
	}
}

/*
 * Wait for a round's process; at the monotonic time @end tell it to stop. If it
 * hangs, kill it and return false.
 */
static bool wait_for_end(pid_t pid, __u64 end, int *status)
{
	__u64 progress = 0, since = read_clock(CLOCK_MONOTONIC);

	while (waitpid(pid, status, WNOHANG) != pid) {
		__u64 now = read_clock(CLOCK_MONOTONIC);
		__u64 done = __atomic_load_n(&fuzz_world->progress,
					     __ATOMIC_RELAXED);

		if (done != progress) {
			progress = done;
			since = now;
		}
		if (now >= end)
			__atomic_store_n(&fuzz_world->over, true,
					 __ATOMIC_RELAXED);
		if (now - since > HANG_SECONDS * NSEC_PER_SEC) {
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

/* Run a round. Returns whether it found no fault. */
static bool run_round(__u64 seed, __u64 threads, __u64 end)
{
	__u64 offset = clock_ns() - read_clock(CLOCK_BOOTTIME);
	pthread_mutexattr_t shared;
	char params[256];
	int ret, status;
	bool ended;
	pid_t pid;

	pick_params(seed, params, sizeof(params));
	if (options.one_round)
		ksft_print_msg("loaded with \"%s\"\n", params);
	fuzz_world = share_memory(sizeof(*fuzz_world));
	if (!fuzz_world || !record_begin(&fuzz_world->given, FUZZ_KEYS))
		ksft_exit_fail_msg("out of memory\n");
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&fuzz_world->lock, &shared);
	fuzz_world->seed = scramble(seed);
	fuzz_world->operations = options.operations;
	fuzz_world->required = strstr(params, "required");
	ret = is_loaded() ? unload_when_closed() : 0;
	ret = ret ? ret : load(params);
	if (ret) {
		ksft_print_msg("load with \"%s\": %s\n", params,
			       strerror(-ret));
		return false;
	}

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
	ret = unload_when_closed();
	if (ret && !fuzz_world->what[0])
		snprintf(fuzz_world->what, sizeof(fuzz_world->what),
			 "all is closed, but the module can't be unloaded: %s",
			 strerror(-ret));
	if (!fuzz_world->what[0])
		return true;
	ksft_print_msg("%s\n", fuzz_world->what);
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
	if (!module_path() || geteuid()) {
		ksft_test_result_skip("random operations: needs root and KUID_MODULE\n");
		ksft_finished();
	}
	setrlimit(RLIMIT_NOFILE, &files);
	fuzz_memory_prepare();
	if (!options.one_round) {
		options.seed = scramble(read_clock(CLOCK_REALTIME));
		ksft_print_msg("seed %llu\n", (unsigned long long)options.seed);
	}
	begin = read_clock(CLOCK_MONOTONIC);
	end = options.one_round ? -1ULL :
				  begin + options.seconds * NSEC_PER_SEC;
	do {
		__u64 threads = options.one_round || rounds % 2 ?
				options.threads : 1;

		good = run_round(options.seed + rounds, threads, end);
		rounds++;
		done += fuzz_world->progress;
		ids += fuzz_world->ids;
		for (i = 0; i < FUZZ_ERRORS; i++)
			errors[i] += fuzz_world->errors[i];
		record_end(&fuzz_world->given);
		munmap(fuzz_world, sizeof(*fuzz_world));
	} while (good && !options.one_round &&
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
