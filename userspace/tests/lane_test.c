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
#include <kuid.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

#define ID_SIZE 16
#define SEC_NS	1000000000LL
#define MS_NS	1000000LL

#define MOST_IDS 1000000
#define BATCH	 300

static const unsigned int formats[] = { KUID_FORMAT_V1, KUID_FORMAT_V6,
					KUID_FORMAT_V7 };

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* All IDs of a test, shared by its processes. */
static struct book {
	size_t count;
	unsigned char ids[MOST_IDS][ID_SIZE];
} * book;

static void note(const void *ids, size_t count)
{
	size_t at = __atomic_fetch_add(&book->count, count, __ATOMIC_RELAXED);

	if (at + count > MOST_IDS)
		abort();
	memcpy(book->ids[at], ids, count * ID_SIZE);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, ID_SIZE);
}

static int open_book(void **state)
{
	book = mmap(NULL, sizeof(*book), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return book == MAP_FAILED ? -1 : 0;
}

static int close_book(void **state)
{
	qsort(book->ids, book->count, ID_SIZE, compare);
	for (size_t i = 1; i < book->count; i++)
		assert_memory_not_equal(book->ids[i - 1], book->ids[i],
					ID_SIZE);
	return munmap(book, sizeof(*book));
}

static struct kuid *open_lane(unsigned int format)
{
	struct kuid *handle = kuid_open_flags(format, KUID_PRIVATE);

	assert_non_null(handle);
	return handle;
}

static struct kuid_handle_status status_of(const struct kuid *handle)
{
	struct kuid_handle_status status;

	assert_int_equal(kuid_read_handle_status(handle, &status), 0);
	return status;
}

/*
 * One ID and a batch; false if they can't be made or are not in order. A batch
 * increases, and is above the ID unless another epoch has begun in between.
 */
static bool take(struct kuid *handle, unsigned int format)
{
	uint64_t epoch = status_of(handle).epoch;
	unsigned char ids[1 + BATCH][ID_SIZE];
	size_t first = 1;
	int order;

	if (kuid_one(handle, ids[0]) ||
	    kuid_many(handle, ids[1], BATCH) != BATCH) {
		print_message("# no IDs: %s\n", strerror(errno));
		return false;
	}
	note(ids, 1 + BATCH);
	if (status_of(handle).epoch != epoch)
		first = 2;
	for (size_t i = first; i <= BATCH; i++)
		if (kuid_compare(format, ids[i - 1], ids[i], &order) ||
		    order != KUID_BEFORE) {
			print_message("# ID %zu is out of order\n", i);
			return false;
		}
	return true;
}

/* Make an ID and note it, from any process. */
static bool take_one(struct kuid *handle)
{
	unsigned char id[ID_SIZE];

	if (kuid_one(handle, id))
		return false;
	note(id, 1);
	return true;
}

/* Nanoseconds since 1970. */
static int64_t time_of(const struct kuid_fields *fields)
{
	return fields->sec * SEC_NS + fields->nsec;
}

static struct kuid_fields fields_of_next(struct kuid *handle,
					 unsigned int format)
{
	struct kuid_fields fields;
	unsigned char id[ID_SIZE];

	assert_int_equal(kuid_one(handle, id), 0);
	note(id, 1);
	assert_int_equal(kuid_decode(format, id, 0, KUID_FROM_KUID, &fields),
			 0);
	return fields;
}

static uint64_t node_of_next(struct kuid *handle)
{
	return fields_of_next(handle, KUID_FORMAT_V6).node;
}

static void assert_ended_well(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Run check in a child, which may change its world. */
static void assert_child(bool (*check)(struct kuid *handle),
			 struct kuid *handle)
{
	pid_t pid = fork();

	if (!pid)
		_exit(!check(handle));
	assert_ended_well(pid);
}

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * SEC_NS + now.tv_nsec;
}

/* The kernel adds it to the clock at one moment. */
static bool shift_wall(int64_t by)
{
	struct timex shift = {
		.modes = ADJ_SETOFFSET | ADJ_NANO,
		.time.tv_sec = by / SEC_NS,
		.time.tv_usec = by % SEC_NS,
	};

	if (shift.time.tv_usec < 0) {
		shift.time.tv_sec--;
		shift.time.tv_usec += SEC_NS;
	}
	return adjtimex(&shift) >= 0;
}

static void step_wall(int64_t by)
{
	assert_true(shift_wall(by));
}

static void set_identity(struct kuid *handle, unsigned int node_from,
			 uint64_t node)
{
	struct kuid_set_identity request = {
		.node_from = node_from,
		.node = node,
	};

	assert_int_equal(kuid_change_identity(handle, &request), 0);
}

TEST(a_handle_has_a_lane)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		struct kuid *handle = open_lane(formats[i]);
		struct kuid *device = kuid_open(formats[i]);
		struct kuid_status host;
		int64_t before = wall_ns();
		struct kuid_fields fields = fields_of_next(handle, formats[i]);
		int64_t at = time_of(&fields);

		/* v1 counts 100 ns. */
		assert_true(at >= before - 100 && at <= wall_ns());
		assert_non_null(device);
		assert_int_equal(status_of(device).made_by,
				 KUID_MADE_BY_KERNEL);
		assert_int_equal(status_of(device).epoch, 0);
		assert_int_equal(status_of(handle).made_by, KUID_MADE_BY_LANE);
		assert_int_equal(status_of(handle).epoch, 1);
		assert_int_equal(status_of(handle).lag_ns, 0);
		assert_int_equal(kuid_read_status(handle, &host), 0);
		assert_true(host.epoch > 0);
		assert_int_equal(kuid_set_order(handle, KUID_ORDER_HOST), -1);
		assert_int_equal(errno, EOPNOTSUPP);
		for (int n = 0; n < 20; n++) {
			assert_true(take(handle, formats[i]));
			assert_true(take(device, formats[i]));
		}
		if (formats[i] != KUID_FORMAT_V7) {
			assert_true(fields.node & 1ULL << 40);
			assert_true(fields_of_next(device, formats[i]).node !=
				    fields.node);
		}
		kuid_close(device);
		kuid_close(handle);
	}
}

static void refuses(unsigned int format, unsigned int flags, int error)
{
	errno = 0;
	assert_null(kuid_open_flags(format, flags));
	assert_int_equal(errno, error);
}

#define PROCESSES 512

/* The end of a pipe's data starts all of them. */
TEST(many_processes_at_once)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V7);
	static pid_t pids[PROCESSES];
	int start[2];
	char byte;

	assert_true(take_one(handle));
	assert_int_equal(pipe(start), 0);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i])
			continue;
		close(start[1]);
		_exit(read(start[0], &byte, 1) ||
		      !take(handle, KUID_FORMAT_V7));
	}
	close(start[0]);
	close(start[1]);
	for (int i = 0; i < PROCESSES; i++)
		assert_ended_well(pids[i]);
	kuid_close(handle);
}

/* The child uses its parent's memory, and so its lane. */
TEST(vfork_shares_the_lane)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);
	uint64_t node = node_of_next(handle);
	pid_t pid = vfork();

	if (!pid)
		_exit(!take(handle, KUID_FORMAT_V6));
	assert_ended_well(pid);
	assert_int_equal(node_of_next(handle), node);
	assert_int_equal(status_of(handle).epoch, 1);
	kuid_close(handle);
}

static int take_in_clone(void *handle)
{
	return !take(handle, KUID_FORMAT_V6);
}

/* By the system call itself, which no library can notice. */
TEST(raw_clone)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct kuid *handle = open_lane(KUID_FORMAT_V6);
	uint64_t node = node_of_next(handle);
#ifdef __s390x__ /* takes the stack first */
	pid_t pid = syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif

	if (!pid)
		_exit(!take(handle, KUID_FORMAT_V6) ||
		      status_of(handle).epoch != 2);
	assert_ended_well(pid);
	/* This one shares the memory, and so the lane. */
	pid = clone(take_in_clone, stack + sizeof(stack), CLONE_VM | SIGCHLD,
		    handle);
	assert_ended_well(pid);
	assert_int_equal(node_of_next(handle), node);
	assert_int_equal(status_of(handle).epoch, 1);
	kuid_close(handle);
}

/* Another program opens a handle of its own, and its files are not inherited. */
TEST(posix_spawn_inherits_nothing)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V1);
	char name[16], *args[] = { "test", "fd_is_closed", name, NULL };
	pid_t pid;

	snprintf(name, sizeof(name), "%d", kuid_fd(handle));
	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args,
				     environ),
			 0);
	assert_ended_well(pid);
	kuid_close(handle);
}

static struct kuid *interrupted;
static pid_t parent;

#define HANDLER_FORKS 200

/* Forks in the parent; the child returns into the call that it interrupted. */
static void fork_here(int nr)
{
	static int forks;
	int err = errno;

	if (getpid() == parent && forks < HANDLER_FORKS) {
		forks++;
		if (!fork())
			signal(SIGALRM, SIG_IGN);
	}
	errno = err;
}

TEST(forks_in_a_signal_handler)
{
	const struct itimerval soon = { .it_interval.tv_usec = 2000,
					.it_value.tv_usec = 2000 };
	const struct itimerval never = { 0 };
	unsigned char id[ID_SIZE];
	int status, children = 0;

	interrupted = open_lane(KUID_FORMAT_V6);
	parent = getpid();
	assert_int_equal(kuid_one(interrupted, id), 0);
	signal(SIGALRM, fork_here);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	while (children < HANDLER_FORKS) {
		/*
		 * The handler may fork after the call made its ID. That one ID
		 * is both processes', so only later ones are noted.
		 */
		if (kuid_one(interrupted, id))
			break;
		if (getpid() != parent) {
			for (int i = 0; i < 20; i++)
				if (!take_one(interrupted))
					_exit(1);
			_exit(0);
		}
		while (waitpid(-1, &status, WNOHANG) > 0) {
			assert_int_equal(status, 0);
			children++;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_int_equal(children, HANDLER_FORKS);
	assert_int_equal(book->count, HANDLER_FORKS * 20);
	kuid_close(interrupted);
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
	assert_int_equal(status_of(handle).epoch, 2);
	assert_true(take(handle, KUID_FORMAT_V6));
	refuses(KUID_FORMAT_V6, KUID_PRIVATE, EOPNOTSUPP);
	refuses(KUID_FORMAT_V7, KUID_PRIVATE, EOPNOTSUPP);
	set_identity(handle, KUID_FROM_RANDOM, 0);
	assert_true(node_of_next(handle) != node);
	assert_int_equal(status_of(handle).made_by, KUID_MADE_BY_LANE);
	assert_int_equal(status_of(handle).epoch, 3);
	assert_true(take(handle, KUID_FORMAT_V6));
	kuid_close(handle);
}

static bool makes_in_threads;

/* While identities change, unless the book is half full before. */
static void *make_all_the_time(void *handle)
{
	void *good = handle;

	while (__atomic_load_n(&makes_in_threads, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&book->count, __ATOMIC_RELAXED) < MOST_IDS / 2)
		if (!take(handle, KUID_FORMAT_V1))
			good = NULL;
	return good;
}

/* The order of a batch holds whatever happens meanwhile. */
TEST(identities_change_under_threads)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V1);
	struct kuid *device = kuid_open(KUID_FORMAT_V1);
	pthread_t threads[3];
	void *good;

	assert_non_null(device);
	makes_in_threads = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						make_all_the_time, handle),
				 0);
	for (int i = 0; i < 30; i++) {
		set_identity(device, i % 3 ? 0 : KUID_FROM_RANDOM, 0);
		assert_true(take_one(device));
	}
	__atomic_store_n(&makes_in_threads, false, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], &good);
		assert_non_null(good);
	}
	assert_in_range(status_of(handle).epoch, 2, 31);
	kuid_close(device);
	kuid_close(handle);
}

/* Whether the next IDs are at most so far ahead of the wall clock. */
static bool are_within(struct kuid *handle, int64_t ahead)
{
	struct kuid_fields fields;
	unsigned char id[ID_SIZE];

	for (int i = 0; i < 200; i++) {
		int64_t before = wall_ns();

		if (kuid_one(handle, id) ||
		    kuid_decode(KUID_FORMAT_V6, id, 0, 0, &fields))
			return false;
		note(id, 1);
		/* v6 counts 100 ns. */
		if (time_of(&fields) < before - 100 ||
		    time_of(&fields) > wall_ns() + ahead)
			return false;
	}
	return take(handle, KUID_FORMAT_V6);
}

static void take_within(struct kuid *handle, int64_t ahead)
{
	assert_true(are_within(handle, ahead));
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Freeze and thaw all tasks, which is the same to the module as hibernation. */
static bool hibernate(void)
{
	bool good = write_text("/sys/power/pm_test", "freezer") &&
		    write_text("/sys/power/state", "disk");

	write_text("/sys/power/pm_test", "none");
	return good;
}

static uint64_t load_id_of(struct kuid *handle)
{
	struct kuid_status status;

	assert_int_equal(kuid_read_status(handle, &status), 0);
	return status.load_id;
}

/* The image may be resumed in two machines, so both need other lanes. */
TEST(hibernation_ends_the_lanes)
{
	struct kuid *busy = open_lane(KUID_FORMAT_V1);
	struct kuid *idle = open_lane(KUID_FORMAT_V6);
	struct kuid *hashed = open_lane(KUID_FORMAT_V7);
	uint64_t node = node_of_next(idle), load_id = load_id_of(idle);
	pthread_t threads[2];
	bool hibernated;
	void *good;

	assert_true(take(hashed, KUID_FORMAT_V7));
	makes_in_threads = true;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						make_all_the_time, busy),
				 0);
	hibernated = hibernate();
	__atomic_store_n(&makes_in_threads, false, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], &good);
		assert_non_null(good);
	}
	if (!hibernated) {
		print_message("# this kernel can't hibernate\n");
		skip();
	}
	assert_true(load_id_of(idle) != load_id);
	assert_true(node_of_next(idle) != node);
	assert_int_equal(status_of(idle).epoch, 2);
	assert_true(take(idle, KUID_FORMAT_V6));
	assert_true(take(hashed, KUID_FORMAT_V7));
	assert_int_equal(status_of(hashed).epoch, 2);
	assert_true(take(busy, KUID_FORMAT_V1));
	/* The device may have taken over meanwhile, more than once. */
	assert_true(status_of(busy).epoch >= 2);
	assert_int_equal(status_of(busy).made_by, KUID_MADE_BY_LANE);
	kuid_close(hashed);
	kuid_close(idle);
	kuid_close(busy);
}

#define AHEAD (100 * MS_NS)

/*
 * The kernel may have to begin an epoch for the same clock step, which gives
 * the handle one more lane.
 */
static void assert_other_lane(struct kuid *handle)
{
	assert_in_range(status_of(handle).epoch, 2, 3);
}

TEST(the_clock_is_set_back_by_seconds)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);
	uint64_t node = node_of_next(handle);

	step_wall(-9 * SEC_NS);
	take_within(handle, 9 * SEC_NS + AHEAD);
	assert_true(status_of(handle).lag_ns > 8 * SEC_NS);
	assert_int_equal(node_of_next(handle), node);
	assert_int_equal(status_of(handle).epoch, 1);
	/* The second step would make the lag more than 10 s. */
	step_wall(-9 * SEC_NS);
	take_within(handle, AHEAD);
	assert_int_equal(status_of(handle).lag_ns, 0);
	assert_true(node_of_next(handle) != node);
	assert_other_lane(handle);
	step_wall(18 * SEC_NS);
	take_within(handle, AHEAD);
	kuid_close(handle);
}

static long references(void)
{
	FILE *file = fopen("/sys/module/kuid/refcnt", "re");
	long count = -1;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &count), 1);
	fclose(file);
	return count;
}

TEST(a_handle_keeps_the_module)
{
	long before = references();
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_true(references() > before);
	assert_int_equal(syscall(SYS_delete_module, "kuid", O_NONBLOCK), -1);
	assert_true(errno == EBUSY || errno == EAGAIN);
	assert_true(take(handle, KUID_FORMAT_V6));
	kuid_close(handle);
	assert_int_equal(references(), before);
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
	int status;
	pid_t pid;

	if (!take(handle, KUID_FORMAT_V6) || !forbid() ||
	    !take(handle, KUID_FORMAT_V6))
		return false;
	pid = fork();
	if (!pid)
		_exit(take_one(handle) || errno != EPERM);
	return waitpid(pid, &status, 0) == pid && !status &&
	       take(handle, KUID_FORMAT_V6);
}

TEST(a_filter_stops_only_new_lanes)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_child(goes_on_under_a_filter, handle);
	kuid_close(handle);
}

/* The number of the handle's file becomes another file's, which is left alone. */
static bool survives_closefrom(struct kuid *handle)
{
	int fd = kuid_fd(handle), ends[2], status;
	char byte = 'x';
	pid_t pid;

	if (!take(handle, KUID_FORMAT_V6) ||
	    syscall(SYS_close_range, 3, ~0U, 0) ||
	    !take(handle, KUID_FORMAT_V6))
		return false;
	pid = fork();
	if (!pid)
		_exit(take_one(handle) || errno != EBADF);
	if (waitpid(pid, &status, 0) != pid || status)
		return false;
	if (pipe(ends) || write(ends[1], &byte, 1) != 1 ||
	    dup2(ends[0], fd) != fd || !take(handle, KUID_FORMAT_V6))
		return false;
	pid = fork();
	if (!pid)
		_exit(take_one(handle) || errno != EBADF);
	return waitpid(pid, &status, 0) == pid && !status &&
	       read(fd, &byte, 1) == 1 && byte == 'x';
}

TEST(the_file_is_closed_under_the_library)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_child(survives_closefrom, handle);
	kuid_close(handle);
}

static bool goes_on_in_a_new_root(struct kuid *handle)
{
	int status;
	pid_t pid;

	if (chroot("/proc/self/fdinfo") || chdir("/") ||
	    !take(handle, KUID_FORMAT_V6))
		return false;
	pid = fork();
	if (!pid)
		_exit(!take(handle, KUID_FORMAT_V6));
	return waitpid(pid, &status, 0) == pid && !status;
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
		_exit(!are_within(handle, AHEAD) || !shift_wall(-9 * SEC_NS) ||
		      !are_within(handle, 9 * SEC_NS + AHEAD) ||
		      !shift_wall(9 * SEC_NS) || !are_within(handle, AHEAD) ||
		      status_of(handle).epoch < 2);
	return waitpid(pid, &status, 0) == pid && !status;
}

TEST(a_time_namespace_changes_nothing)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V6);

	assert_child(goes_on_in_a_time_namespace, handle);
	take_within(handle, AHEAD);
	kuid_close(handle);
}

/* Run by posix_spawn_inherits_nothing(). */
static int fd_is_closed(int fd)
{
	struct kuid *handle;
	unsigned char id[ID_SIZE];

	if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
		return 1;
	handle = kuid_open_flags(KUID_FORMAT_V1, KUID_PRIVATE);
	return !handle || kuid_one(handle, id);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "fd_is_closed"))
		return fd_is_closed(atoi(argv[2]));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return run_cases("lane", open_book, close_book);
}
