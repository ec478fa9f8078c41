// SPDX-License-Identifier: MIT
/*
 * Fork at every instruction of a call that makes IDs: the program single-steps
 * through the call, and the handler of each trap forks. The child finishes the
 * interrupted call, at once or after it has used the handle. The clock gives
 * parent and child the same times.
 *
 * No ID of any process may be that of another one, with one exception: after
 * the last check of the call its IDs exist, so a child has copies of them. That
 * is allowed only if the call neither reads the clock nor reserves stamps any
 * more, and if all IDs of the call are copies.
 *
 * Signals are blocked where a lane is replaced, and a trap there would kill the
 * process, so the handle has its lane before.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"
#include "fake_kernel.h"
#include "handles.h"
#include "private.h"

#ifdef __x86_64__

#define WALL 1700000000000000000ULL

/* Each reading of the clock gives a batch two stamps, so this one has chunks. */
#define READING_NS 2
#define WINDOW	   2
#define MOST	   3

/* How many children run at the same time. */
#define AT_ONCE 4

#define MAX_STEPS 20000

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

static uint64_t now = 1000000000;
static unsigned int readings;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	uint64_t reading = now;

	if (clock == CLOCK_REALTIME) {
		now += READING_NS;
		readings++;
	}
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		reading += WALL;
	time->tv_sec = reading / 1000000000;
	time->tv_nsec = reading % 1000000000;
	return 0;
}

struct id {
	unsigned char bytes[ID_SIZE];
};

/**
 * struct report - the IDs of one process
 * @call: of the call that was interrupted
 * @first: those that a child made before it finished the call
 * @later: those made after the call
 * @done: the process got as far as this
 */
struct report {
	struct id call[MOST];
	struct id first[2];
	struct id later[2];
	bool done;
};

/* How far a call was when it was interrupted. */
struct moment {
	unsigned int readings;
	uint64_t last;
};

static struct {
	struct kuid *handle;
	size_t count;
	bool use_first;
	unsigned int change_at;
	void (*change)(void);
	unsigned int steps;
	bool is_child;
	int failed;
	struct report mine;
	struct moment moments[MAX_STEPS];
	struct report *children;
} run;

static struct moment moment(void)
{
	return (struct moment) {
		.readings = readings,
		.last = run.handle->private->lane.last,
	};
}

static bool is_same_moment(const struct moment *a, const struct moment *b)
{
	return a->readings == b->readings && a->last == b->last;
}

static void make_each(struct id *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (kuid_one(run.handle, ids[i].bytes))
			abort();
}

static void stop_stepping(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;
}

static void wait_for_children(void)
{
	int status;

	while (wait(&status) > 0)
		run.failed |= status;
}

/*
 * Call the kernel directly: the program may be interrupted anywhere, even in
 * the C library.
 */
static void fork_here(ucontext_t *context)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		abort();
	if (pid) {
		if (run.steps % AT_ONCE == 0)
			wait_for_children();
		return;
	}
	run.is_child = true;
	stop_stepping(context);
	if (run.use_first)
		make_each(run.mine.first, 2);
}

static void trap(int signal, siginfo_t *info, void *context)
{
	unsigned int step = run.steps++;
	int err = errno;

	if (step == MAX_STEPS)
		abort();
	run.moments[step] = moment();
	if (!run.change_at) {
		fork_here(context);
	} else if (run.steps == run.change_at) {
		run.change();
		stop_stepping(context);
	}
	errno = err;
}

/* Below the stack pointer there may be data, which pushf must not change. */
#define TRAP_FLAG(change)                                   \
	__asm__ volatile("sub $128, %%rsp; pushfq; " change \
			 "; popfq; add $128, %%rsp"         \
			 :                                  \
			 :                                  \
			 : "memory", "cc")

static ssize_t step_through(void)
{
	unsigned char *ids = run.mine.call[0].bytes;
	ssize_t made;

	TRAP_FLAG("orq $0x100, (%%rsp)");
	if (run.count == 1)
		made = kuid_one(run.handle, ids) ? -1 : 1;
	else
		made = kuid_many(run.handle, ids, run.count);
	TRAP_FLAG("andq $~0x100, (%%rsp)");
	return made;
}

static void open_and_begin(unsigned int format)
{
	unsigned char id[ID_SIZE];

	fake_kernel_reset();
	fake_kernel.max_ahead = WINDOW;
	fake_kernel.has_vmclock = true;
	run.handle = kuid_open_flags(format, KUID_PRIVATE);
	assert_non_null(run.handle);
	assert_int_equal(kuid_one(run.handle, id), 0);
	now += 1000;
	memset(&run.mine, 0, sizeof(run.mine));
	run.steps = 0;
}

static void check_children(unsigned int format)
{
	const size_t size = run.count * sizeof(struct id);
	const uint64_t node = node_of(format, run.mine.call);
	struct pile *pile = pile_open((run.steps + 1) * (MOST + 4));
	const struct moment end = moment();
	unsigned int copies = 0;

	make_each(run.mine.later, 2);
	pile_put(pile, run.mine.call, run.count);
	pile_put(pile, run.mine.later, 2);
	for (unsigned int i = 0; i < run.steps; i++) {
		const struct report *child = &run.children[i];

		assert_true(child->done);
		pile_put(pile, child->later, 2);
		if (run.use_first)
			pile_put(pile, child->first, 2);
		if (!memcmp(child->call, run.mine.call, size)) {
			copies++;
			if (!is_same_moment(&run.moments[i], &end))
				fail_msg("a copy of what was not made yet, at "
					 "instruction %u of %u",
					 i, run.steps);
			continue;
		}
		if (copies)
			fail_msg("not a copy, at instruction %u of %u", i,
				 run.steps);
		pile_put(pile, child->call, run.count);
		if (format != KUID_FORMAT_V7 &&
		    node_of(format, child->call) == node)
			fail_msg("the parent's node, at instruction %u of %u",
				 i, run.steps);
	}
	pile_check_and_close(pile);
	/* There is a last check, and something behind it. */
	assert_in_range(copies, 1, run.steps - 1);
	printf("# %s, %zu: %u instructions, %u of them after the last check\n",
	       kuid_format_name(format), run.count, run.steps, copies);
}

static void fork_at_each(unsigned int format, size_t count, bool use_first)
{
	ssize_t made;

	open_and_begin(format);
	run.count = count;
	run.use_first = use_first;
	run.change_at = 0;
	run.failed = 0;
	made = step_through();
	if (run.is_child) {
		/* A failed assertion of cmocka would run the next test here. */
		if (made != (ssize_t)count)
			abort();
		make_each(run.mine.later, 2);
		run.mine.done = true;
		/* The parent has counted the step before it forked. */
		run.children[run.steps - 1] = run.mine;
		_exit(0);
	}
	wait_for_children();
	assert_int_equal(run.failed, 0);
	assert_int_equal(made, count);
	check_children(format);
	kuid_close(run.handle);
}

/*
 * The lane ends at each instruction. If the call goes on in it nevertheless, it
 * has made its IDs before.
 */
static void change_at_each(unsigned int format, size_t count,
			   void (*change)(void))
{
	unsigned int kept = 0;

	run.change = change;
	run.count = count;
	for (run.change_at = 1;; run.change_at++) {
		struct moment at, end;
		bool is_kept;

		open_and_begin(format);
		assert_int_equal(step_through(), count);
		end = moment();
		if (run.steps < run.change_at)
			break;
		at = run.moments[run.change_at - 1];
		is_kept = epoch_of(run.handle) == 1;
		if (kept && !is_kept)
			fail_msg("not kept, at instruction %u", run.change_at);
		if (is_kept && !is_same_moment(&at, &end))
			fail_msg("an ID of a lane that was over, at "
				 "instruction %u",
				 run.change_at);
		kept += is_kept;
		kuid_close(run.handle);
	}
	kuid_close(run.handle);
	assert_in_range(kept, 1, run.change_at - 2);
}

static void fork_in_each_format(bool use_first)
{
	for (int i = 0; i < 3; i++) {
		fork_at_each(formats[i], 1, use_first);
		fork_at_each(formats[i], MOST, use_first);
	}
}

TEST(children_finish_the_call)
{
	fork_in_each_format(false);
}

TEST(children_use_the_handle_first)
{
	fork_in_each_format(true);
}

TEST(lanes_end_at_any_time)
{
	for (int i = 0; i < 3; i++) {
		change_at_each(formats[i], 1, fake_kernel_change);
		change_at_each(formats[i], MOST, fake_kernel_change);
		change_at_each(formats[i], 1, fake_kernel_clone);
		change_at_each(formats[i], MOST, fake_kernel_clone);
	}
}

static int set_up(void **state)
{
	struct sigaction action = {
		.sa_sigaction = trap,
		.sa_flags = SA_SIGINFO,
	};

	run.children = share(MAX_STEPS * sizeof(*run.children));
	return sigaction(SIGTRAP, &action, NULL);
}

int main(void)
{
	return run_cases("step", set_up, NULL);
}

#else

int main(void)
{
	puts("# Only the x86-64 test steps.");
	return 0;
}

#endif
