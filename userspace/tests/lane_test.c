// SPDX-License-Identifier: MIT
/*
 * Handles with a private lane, against the device: no ID is made twice, however
 * the process forks, sets the clock or changes the identity, and the handle
 * does what kuid.h says in sandboxes. Each test notes its IDs in a book, which
 * is looked through at its end. Needs root; leaves clock and identity as they
 * were.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "fails.h"
#include "handles.h"

#define MOST_IDS 1000000
#define BATCH	 300

/* All IDs of a test, shared by its processes. */
static struct pile *book;

static int open_book(void **state)
{
	book = pile_open(MOST_IDS);
	return 0;
}

static int close_book(void **state)
{
	pile_check_and_close(book);
	return 0;
}

static struct kuid *open_lane(unsigned int format)
{
	struct kuid *handle = kuid_open_flags(format, KUID_PRIVATE);

	assert_non_null(handle);
	return handle;
}

/*
 * One ID and a batch; false if they can't be made or are not in order. A batch
 * increases, and is above the ID unless another epoch has begun in between.
 */
static bool take(struct kuid *handle, unsigned int format)
{
	uint64_t epoch = epoch_of(handle);
	unsigned char ids[1 + BATCH][ID_SIZE];
	bool began;

	if (kuid_one(handle, ids[0]) ||
	    kuid_many(handle, ids[1], BATCH) != BATCH) {
		print_message("# no IDs: %s\n", strerror(errno));
		return false;
	}
	pile_put(book, ids, 1 + BATCH);
	began = epoch_of(handle) != epoch;
	return are_in_order(format, ids[began], 1 + BATCH - began);
}

/* Make an ID and note it, from any process. */
static bool take_one(struct kuid *handle)
{
	unsigned char id[ID_SIZE];

	if (kuid_one(handle, id))
		return false;
	pile_put(book, id, 1);
	return true;
}

static uint64_t node_of_next(struct kuid *handle)
{
	unsigned char id[ID_SIZE];

	assert_ok(kuid_one(handle, id));
	pile_put(book, id, 1);
	return node_of(KUID_FORMAT_V6, id);
}

/* A child of this process gets IDs, unless @error is not 0. */
static bool child_takes(struct kuid *handle, int error)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(error ? take_one(handle) || errno != error
			    : !take(handle, KUID_FORMAT_V6));
	return waitpid(pid, &status, 0) == pid && !status;
}

/* Run check in a child, which may change its world. */
static void assert_child(bool (*check)(struct kuid *handle),
			 struct kuid *handle)
{
	pid_t pid = fork();

	if (!pid)
		_exit(!check(handle));
	assert_done(pid);
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * SEC + now.tv_nsec;
}

/* The kernel adds it to the clock at one moment. */
static bool shift_wall(int64_t by)
{
	struct timex shift = {
		.modes = ADJ_SETOFFSET | ADJ_NANO,
		.time.tv_sec = by / SEC,
		.time.tv_usec = by % SEC,
	};

	if (shift.time.tv_usec < 0) {
		shift.time.tv_sec--;
		shift.time.tv_usec += SEC;
	}
	return adjtimex(&shift) >= 0;
}

static void set_identity(struct kuid *handle, unsigned int node_from,
			 uint64_t node)
{
	struct kuid_set_identity request = {
		.node_from = node_from,
		.node = node,
	};

	assert_ok(kuid_change_identity(handle, &request));
}

TEST(a_handle_has_a_lane)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		struct kuid *handle = open_lane(formats[i]);
		struct kuid *device = kuid_open(formats[i]);
		struct kuid_status host;
		unsigned char id[ID_SIZE], other[ID_SIZE];
		int64_t before = wall_ns();

		assert_ok(kuid_one(handle, id));
		/* v1 counts 100 ns. */
		assert_in_range(time_of(formats[i], id), before - 100,
				wall_ns());
		assert_non_null(device);
		assert_ok(kuid_one(device, other));
		assert_int_equal(status_of(device).made_by,
				 KUID_MADE_BY_KERNEL);
		assert_int_equal(epoch_of(device), 0);
		assert_int_equal(status_of(handle).made_by, KUID_MADE_BY_LANE);
		assert_int_equal(epoch_of(handle), 1);
		assert_int_equal(status_of(handle).lag_ns, 0);
		assert_ok(kuid_read_status(handle, &host));
		assert_true(host.epoch > 0);
		assert_int_equal(kuid_set_order(handle, KUID_ORDER_HOST), -1);
		assert_int_equal(errno, EOPNOTSUPP);
		for (int n = 0; n < 20; n++) {
			assert_true(take(handle, formats[i]));
			assert_true(take(device, formats[i]));
		}
		if (formats[i] != KUID_FORMAT_V7) {
			assert_true(node_of(formats[i], id) & 1ULL << 40);
			assert_int_not_equal(node_of(formats[i], id),
					     node_of(formats[i], other));
		}
		kuid_close(device);
		kuid_close(handle);
	}
}

/* By the system call itself, which no library can notice. */
TEST(raw_clone)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);
	uint64_t node = node_of_next(handle);
#ifdef __s390x__ /* takes the stack first */
	pid_t pid = syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif

	if (!pid)
		_exit(!take(handle, KUID_FORMAT_V6) || epoch_of(handle) != 2);
	assert_done(pid);
	assert_int_equal(node_of_next(handle), node);
	assert_int_equal(epoch_of(handle), 1);
	kuid_close(handle);
}

/* No lane can have this node. */
#define GIVEN 0x0223456789abULL

TEST(the_device_takes_over)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);
	uint64_t node = node_of_next(handle);

	set_identity(handle, KUID_FROM_GIVEN, GIVEN);
	assert_int_equal(node_of_next(handle), GIVEN);
	assert_int_equal(status_of(handle).made_by, KUID_MADE_BY_KERNEL);
	assert_int_equal(epoch_of(handle), 2);
	assert_true(take(handle, KUID_FORMAT_V6));
	refuses(KUID_FORMAT_V6, KUID_PRIVATE, EOPNOTSUPP);
	refuses(KUID_FORMAT_V7, KUID_PRIVATE, EOPNOTSUPP);
	set_identity(handle, KUID_FROM_RANDOM, 0);
	assert_true(node_of_next(handle) != node);
	assert_int_equal(status_of(handle).made_by, KUID_MADE_BY_LANE);
	assert_int_equal(epoch_of(handle), 3);
	assert_true(take(handle, KUID_FORMAT_V6));
	kuid_close(handle);
}

/* Whether the next IDs are at most so far ahead of the wall clock. */
static bool are_within(struct kuid *handle, int64_t ahead)
{
	unsigned char id[ID_SIZE];

	for (int i = 0; i < 200; i++) {
		int64_t before = wall_ns();

		if (kuid_one(handle, id))
			return false;
		pile_put(book, id, 1);
		/* v6 counts 100 ns. */
		if (time_of(KUID_FORMAT_V6, id) < before - 100 ||
		    time_of(KUID_FORMAT_V6, id) > wall_ns() + ahead)
			return false;
	}
	return take(handle, KUID_FORMAT_V6);
}

#define AHEAD (100 * MS)

/*
 * The kernel may have to begin an epoch for the same clock step, which gives
 * the handle one more lane.
 */
static void assert_other_lane(struct kuid *handle)
{
	assert_in_range(epoch_of(handle), 2, 3);
}

TEST(the_clock_is_set_back_by_seconds)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);
	uint64_t node = node_of_next(handle);

	assert_true(shift_wall(-9 * SEC));
	assert_true(are_within(handle, 9 * SEC + AHEAD));
	assert_true(status_of(handle).lag_ns > 8 * SEC);
	assert_int_equal(node_of_next(handle), node);
	assert_int_equal(epoch_of(handle), 1);
	/* The second step would make the lag more than 10 s. */
	assert_true(shift_wall(-9 * SEC));
	assert_true(are_within(handle, AHEAD));
	assert_int_equal(status_of(handle).lag_ns, 0);
	assert_true(node_of_next(handle) != node);
	assert_other_lane(handle);
	assert_true(shift_wall(18 * SEC));
	assert_true(are_within(handle, AHEAD));
	kuid_close(handle);
}

/* Fail all calls that get something from the kernel with EPERM. */
static bool forbid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = code,
	};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static bool goes_on_under_a_filter(struct kuid *handle)
{
	return take(handle, KUID_FORMAT_V6) && forbid() &&
	       take(handle, KUID_FORMAT_V6) && child_takes(handle, EPERM) &&
	       take(handle, KUID_FORMAT_V6);
}

TEST(a_filter_stops_only_new_lanes)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_child(goes_on_under_a_filter, handle);
	kuid_close(handle);
}

static bool goes_on_in_a_new_root(struct kuid *handle)
{
	return !chroot("/proc/self/fdinfo") && !chdir("/") &&
	       take(handle, KUID_FORMAT_V6) && child_takes(handle, 0);
}

TEST(a_new_root_needs_no_device)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_child(goes_on_in_a_new_root, handle);
	kuid_close(handle);
}

/* There the monotonic clock is another one; the wall clock is the same. */
static bool goes_on_in_a_time_namespace(struct kuid *handle)
{
	static const char offsets[] = "monotonic 100000 0\n";
	int status, fd;
	pid_t pid;

	if (unshare(CLONE_NEWTIME))
		return errno == EINVAL; /* not in this kernel */
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, offsets, sizeof(offsets) - 1) < 0)
		return false;
	close(fd);
	/* A child is in it. */
	pid = fork();
	if (!pid)
		_exit(!are_within(handle, AHEAD) || !shift_wall(-9 * SEC) ||
		      !are_within(handle, 9 * SEC + AHEAD) ||
		      !shift_wall(9 * SEC) || !are_within(handle, AHEAD) ||
		      epoch_of(handle) < 2);
	return waitpid(pid, &status, 0) == pid && !status;
}

TEST(a_time_namespace_changes_nothing)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_child(goes_on_in_a_time_namespace, handle);
	assert_true(are_within(handle, AHEAD));
	kuid_close(handle);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return run_cases("lane", open_book, close_book);
}
