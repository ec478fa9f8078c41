// SPDX-License-Identifier: MIT
/*
 * IDs made in the process: opening, formats, forks, clock steps, waits, signals
 * and cancellation. The test's own clocks stand still unless the test moves
 * them, so a generator that can repeat an ID does repeat it.
 */
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* The lowest number that no format has. */
static unsigned int no_format(void)
{
	unsigned int format = 1;

	while (kuid_format_name(format))
		format++;
	return format;
}

#define SEC   1000000000LL
#define WALL  (1700000000 * SEC)
#define AHEAD (SEC / 10)

/* Longer than any test takes, unless a handler waits for its own thread. */
#define HANG_SEC 60

static const unsigned int formats[] = {
	KUID_FORMAT_V1,	 KUID_FORMAT_V6,  KUID_FORMAT_V7,
	KUID_FORMAT_LEX, KUID_FORMAT_K96, KUID_FORMAT_K128,
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

/* The answers of the system to the library. */
static struct {
	int64_t mono;
	int64_t wall_offset;
	int open_errno;
	int madvise_errno;
	int mmap_errno;
	int nap_errno;
	bool sleeps_long;
	int random_byte; /* negative for random ones */
	unsigned int asked;
	unsigned int act_at;
	void (*act)(void);
} world;

/* Begin long after the last test, so that the clocks have caught up. */
static int set_up(void **state)
{
	int64_t mono = world.mono + 100000 * SEC;
	int64_t offset = world.wall_offset;

	(void)state;
	memset(&world, 0, sizeof(world));
	world.mono = mono;
	world.wall_offset = offset ? offset : WALL;
	world.open_errno = ENOENT;
	world.random_byte = -1;
	return 0;
}

/* Called where a signal might arrive, or another thread might fork. */
static void asked(void)
{
	void (*act)(void) = world.act;

	if (!act || ++world.asked != world.act_at)
		return;
	world.act = NULL;
	act();
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *time, struct timespec *left);
int __real_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *time, struct timespec *left);
int __wrap_sched_getcpu(void);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned int flags);
ssize_t __real_getrandom(void *buffer, size_t size, unsigned int flags);
int __wrap_open(const char *path, int flags, ...);
int __wrap_madvise(void *address, size_t size, int advice);
int __real_madvise(void *address, size_t size, int advice);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t now = world.mono;

	asked();
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		now += world.wall_offset;
	time->tv_sec = now / SEC;
	time->tv_nsec = now % SEC;
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags,
			   const struct timespec *time, struct timespec *left)
{
	const struct timespec day = { .tv_sec = 86400 };

	assert_int_equal(clock, CLOCK_MONOTONIC);
	assert_int_equal(flags, TIMER_ABSTIME);
	asked();
	if (world.sleeps_long)
		return __real_clock_nanosleep(clock, 0, &day, left);
	if (world.nap_errno)
		return world.nap_errno;
	assert_true(time->tv_sec * SEC + time->tv_nsec > world.mono);
	world.mono = time->tv_sec * SEC + time->tv_nsec;
	return 0;
}

int __wrap_sched_getcpu(void)
{
	asked();
	return 0;
}

ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned int flags)
{
	asked();
	if (world.random_byte < 0)
		return __real_getrandom(buffer, size, flags);
	memset(buffer, world.random_byte, size);
	return size;
}

int __wrap_open(const char *path, int flags, ...)
{
	assert_ptr_equal(strstr(path, "/dev/kuid"), path);
	assert_int_equal(flags, O_RDONLY | O_CLOEXEC);
	/* The real function does the same. */
	pthread_testcancel();
	errno = world.open_errno;
	return -1;
}

int __wrap_madvise(void *address, size_t size, int advice)
{
	if (!world.madvise_errno)
		return __real_madvise(address, size, advice);
	/* If negative, madvise() accepts any advice and does nothing. */
	if (world.madvise_errno < 0)
		return 0;
	errno = world.madvise_errno;
	return -1;
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd,
		  off_t offset)
{
	if (!world.mmap_errno)
		return __real_mmap(address, size, protection, flags, fd,
				   offset);
	errno = world.mmap_errno;
	return MAP_FAILED;
}

static struct kuid *open_local(unsigned int format)
{
	struct kuid *handle = kuid_open_flags(format, KUID_LOCAL);

	assert_non_null(handle);
	return handle;
}

static void refuses(unsigned int format, unsigned int flags, int error)
{
	errno = 0;
	assert_null(kuid_open_flags(format, flags));
	assert_int_equal(errno, error);
}

/* Runs before all other tests: once mapped, this memory stays. */
static void needs_memory_that_children_lack(void **state)
{
	(void)state;
	world.madvise_errno = EINVAL;
	refuses(KUID_FORMAT_V1, KUID_LOCAL, EOPNOTSUPP);
	refuses(KUID_FORMAT_V1, KUID_OR_LOCAL, ENODEV);
	world.madvise_errno = -1;
	refuses(KUID_FORMAT_V1, KUID_LOCAL, EOPNOTSUPP);
	world.madvise_errno = 0;
	world.mmap_errno = ENOMEM;
	refuses(KUID_FORMAT_V1, KUID_LOCAL, ENOMEM);
	refuses(KUID_FORMAT_V1, KUID_OR_LOCAL, ENOMEM);
	world.mmap_errno = 0;
	kuid_close(open_local(KUID_FORMAT_V1));
}

static void is_opened_on_request_only(void **state)
{
	struct kuid_handle_status status;
	struct kuid *handle;

	(void)state;
	refuses(KUID_FORMAT_V1, 0, ENODEV);
	assert_null(kuid_open(KUID_FORMAT_V1));
	assert_int_equal(errno, ENODEV);
	refuses(KUID_FORMAT_V1, KUID_LOCAL | KUID_OR_LOCAL, EINVAL);
	refuses(KUID_FORMAT_V1, 0x4, EINVAL);
	refuses(KUID_FORMAT_V1, KUID_LOCAL | 0x80000000, EINVAL);
	refuses(no_format(), KUID_LOCAL, EINVAL);
	refuses(no_format(), KUID_OR_LOCAL, EINVAL);
	refuses(KUID_ANY_UUID, KUID_LOCAL, EINVAL);
	refuses(KUID_FORMAT_K64, KUID_LOCAL, EOPNOTSUPP);
	refuses(KUID_FORMAT_K64, KUID_OR_LOCAL, ENODEV);

	/* A device without permission is not a missing device. */
	world.open_errno = EACCES;
	refuses(KUID_FORMAT_V1, KUID_OR_LOCAL, EACCES);
	world.open_errno = EMFILE;
	refuses(KUID_FORMAT_V1, KUID_OR_LOCAL, EMFILE);
	world.open_errno = ENXIO;
	handle = kuid_open_flags(KUID_FORMAT_V6, KUID_OR_LOCAL);
	assert_non_null(handle);
	memset(&status, 0xcc, sizeof(status));
	assert_int_equal(kuid_read_handle_status(handle, &status), 0);
	assert_int_equal(status.made_by, KUID_MADE_BY_PROCESS);
	assert_int_equal(status.reserved0, 0);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(status.reserved[i], 0);
	kuid_close(handle);
}

static void one_shot_says_what_is_wrong(void **state)
{
	unsigned char id[KUID_ID_MAX], poison[KUID_ID_MAX];

	(void)state;
	memset(id, 0xcc, sizeof(id));
	memset(poison, 0xcc, sizeof(poison));
	errno = 0;
	assert_int_equal(kuid_now(KUID_FORMAT_V1, id), -1);
	assert_int_equal(errno, ENODEV);
	world.open_errno = EACCES;
	assert_int_equal(kuid_now(KUID_FORMAT_V1, id), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(kuid_now(no_format(), id), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(kuid_now(KUID_ANY_UUID, id), -1);
	assert_int_equal(errno, EINVAL);
	assert_memory_equal(id, poison, sizeof(id));
}

static int64_t time_of(unsigned int format, const void *id)
{
	struct timespec time;

	assert_int_equal(kuid_time(format, id, KUID_INTERVAL_DEFAULT,
				   KUID_FROM_KUID, &time),
			 0);
	return time.tv_sec * SEC + time.tv_nsec;
}

static void assert_after(unsigned int format, const void *id, const void *other)
{
	int order;

	assert_int_equal(kuid_compare(format, id, other, &order), 0);
	assert_int_equal(order, KUID_AFTER);
}

/* Make IDs by one handle in all ways, while the clock stands still. */
static void ids_are_of_the_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned int format = formats[i];
		size_t size = kuid_format_id_size(format);
		unsigned char ids[1001 * KUID_ID_MAX];
		struct kuid *handle = open_local(format);
		struct kuid_fields fields;
		int64_t wall = world.mono + world.wall_offset;

		assert_int_equal(kuid_id_size(handle), size);
		assert_int_equal(kuid_many(handle, ids, 0), 0);
		/* Whole chunks and a part of one; nothing is written behind. */
		memset(ids, 0xcc, sizeof(ids));
		assert_int_equal(kuid_one(handle, ids), 0);
		assert_int_equal(kuid_many(handle, ids + size, 700), 700);
		assert_int_equal(kuid_many(handle, ids + 701 * size, 299), 299);
		for (size_t n = 1000 * size; n < sizeof(ids); n++)
			assert_int_equal(ids[n], 0xcc);
		for (size_t n = 0; n < 1000; n++) {
			const unsigned char *id = ids + n * size;

			assert_int_equal(kuid_decode(format, id,
						     KUID_INTERVAL_DEFAULT,
						     KUID_FROM_KUID, &fields),
					 0);
			assert_in_range(time_of(format, id) - wall + 1024000, 0,
					AHEAD + 1024000);
			if (n)
				assert_after(format, id, id - size);
		}
		if (format <= KUID_FORMAT_V6)
			assert_true(fields.node >> 40 & 1);
		kuid_close(handle);
	}
}

static void handles_share_a_generator(void **state)
{
	struct kuid *v1 = open_local(KUID_FORMAT_V1);
	struct kuid *def = open_local(KUID_FORMAT_DEFAULT);
	struct kuid *v6 = open_local(KUID_FORMAT_V6);
	unsigned char a[16], b[16], c[16], d[16];

	(void)state;
	/* While the clock stands still, only a shared generator can differ. */
	assert_int_equal(kuid_one(v1, a), 0);
	assert_int_equal(kuid_one(def, b), 0);
	assert_int_equal(kuid_one(v6, c), 0);
	assert_int_equal(
		kuid_convert(KUID_FORMAT_V6, c, KUID_FORMAT_V1, d, 0, NULL), 0);
	assert_after(KUID_FORMAT_V1, b, a);
	assert_after(KUID_FORMAT_V1, d, b);
	assert_memory_equal(a + 10, b + 10, 6);
	assert_memory_equal(a + 10, c + 10, 6);
	kuid_close(v1);
	kuid_close(def);
	kuid_close(v6);
}

#define PER_PROCESS 50
#define CHILDREN    16

/* An ID of some format, and the process that made it. */
struct made {
	unsigned char id[KUID_ID_MAX];
	unsigned int format;
	unsigned int process;
};

static struct kuid *handles[NR_FORMATS];

static void open_all(void)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		handles[i] = open_local(formats[i]);
}

static void close_all(void)
{
	for (size_t i = 0; i < NR_FORMATS; i++)
		kuid_close(handles[i]);
}

static void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* Make IDs of each format. Returns false if one is missing or out of order. */
static bool make_some(struct made *made, unsigned int process)
{
	for (size_t i = 0; i < NR_FORMATS * PER_PROCESS; i++) {
		made[i].format = formats[i / PER_PROCESS];
		made[i].process = process;
		if (kuid_one(handles[i / PER_PROCESS], made[i].id))
			return false;
		if (i % PER_PROCESS) {
			int order;

			kuid_compare(made[i].format, made[i].id, made[i - 1].id,
				     &order);
			if (order != KUID_AFTER)
				return false;
		}
	}
	return true;
}

static int by_id(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	if (x->format != y->format)
		return x->format < y->format ? -1 : 1;
	return memcmp(x->id, y->id, sizeof(x->id));
}

static void assert_all_differ(struct made *made, size_t count)
{
	qsort(made, count, sizeof(*made), by_id);
	for (size_t i = 1; i < count; i++)
		if (!by_id(&made[i], &made[i - 1]))
			fail_msg("%s of processes %u and %u is the same",
				 kuid_format_name(made[i].format),
				 made[i].process, made[i - 1].process);
}

static void assert_done(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Parent, children and grandchildren make IDs before and after each fork. */
static void forks_never_repeat(void **state)
{
	const size_t each = NR_FORMATS * PER_PROCESS;
	const size_t count = (1 + 3 * CHILDREN) * each;
	struct made *made = share(count * sizeof(*made));
	pid_t pids[CHILDREN];

	(void)state;
	open_all();
	assert_true(make_some(made, 0));
	for (size_t i = 0; i < CHILDREN; i++) {
		unsigned int first = 1 + 3 * i;

		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i]) {
			/* Half of the children fork before they make IDs. */
			bool good = i % 2 ||
				    make_some(made + first * each, first);
			pid_t child = fork();
			int status;

			if (!child)
				_exit(!make_some(made + (first + 1) * each,
						 first + 1));
			good &= waitpid(child, &status, 0) == child && !status;
			if (i % 2)
				good &= make_some(made + first * each, first);
			_exit(!good);
		}
		assert_true(make_some(made + (first + 2) * each, 0));
	}
	for (size_t i = 0; i < CHILDREN; i++)
		assert_done(pids[i]);
	assert_all_differ(made, count);
	munmap(made, count * sizeof(*made));
	close_all();
}

/* The node is drawn, not made of the pid or the time. */
static void nodes_are_random(void **state)
{
	struct kuid_fields *fields =
		share(NR_FORMATS * CHILDREN * sizeof(*fields));

	(void)state;
	open_all();
	for (size_t n = 0; n < CHILDREN; n++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid) {
			assert_done(pid);
			continue;
		}
		for (size_t i = 0; i < NR_FORMATS; i++) {
			unsigned char id[KUID_ID_MAX];

			if (kuid_one(handles[i], id) ||
			    kuid_decode(formats[i], id, KUID_INTERVAL_DEFAULT,
					KUID_FROM_KUID,
					&fields[i * CHILDREN + n]))
				_exit(1);
		}
		_exit(0);
	}
	for (size_t i = 0; i < NR_FORMATS; i++) {
		const struct kuid_fields *f = fields + i * CHILDREN;
		uint64_t zeroes = ~0ULL, ones = ~0ULL;

		for (size_t n = 0; n < CHILDREN; n++) {
			uint64_t v = f[n].node ^ f[n].worker ^ f[n].random;

			zeroes &= ~v;
			ones &= v;
			for (size_t m = 0; m < n; m++)
				assert_int_not_equal(v, f[m].node ^
								f[m].worker ^
								f[m].random);
		}
		/* Each bit but the multicast bit is both set and clear. */
		if (formats[i] <= KUID_FORMAT_V6) {
			assert_int_equal(ones >> 40 & 1, 1);
			ones &= ~(1ULL << 40);
			zeroes &= (1ULL << 48) - 1;
		} else if (formats[i] == KUID_FORMAT_V7) {
			zeroes &= (1ULL << 47) - 1;
		} else if (formats[i] == KUID_FORMAT_K96) {
			zeroes &= (1ULL << 32) - 1;
		}
		/* A bit has one value by chance, 2^-15: allow a few. */
		assert_in_range(__builtin_popcountll(ones), 0, 3);
		assert_in_range(__builtin_popcountll(zeroes), 0, 3);
	}
	munmap(fields, NR_FORMATS * CHILDREN * sizeof(*fields));
	close_all();
}

static pid_t forked;

static void do_fork(void)
{
	forked = fork();
}

#define MOST 300

/* Keep the IDs of a call during which a child was forked. */
static void keep(struct made *to, unsigned int process, unsigned int format,
		 const unsigned char *ids, size_t count)
{
	const size_t size = kuid_format_id_size(format);

	for (size_t i = 0; i < count; i++) {
		memset(&to[i], 0, sizeof(to[i]));
		memcpy(to[i].id, ids + i * size, size);
		to[i].format = format;
		to[i].process = process;
	}
}

/* Fork at a point of a call. Returns false if the call ended before it. */
static bool fork_at(unsigned int at, struct kuid *handle, unsigned int format,
		    size_t count, struct made *made)
{
	unsigned char ids[2 * MOST * KUID_ID_MAX];
	pid_t self = getpid();

	/* Bring the parent ahead of the time at which a child begins. */
	world.random_byte = -1;
	world.mono += SEC;
	assert_int_equal(kuid_many(handle, ids, 2 * MOST), 2 * MOST);
	world.random_byte = 0x5a;
	world.asked = 0;
	world.act_at = at;
	world.act = do_fork;
	forked = -1;
	assert_int_equal(kuid_many(handle, ids, count), count);
	world.act = NULL;
	if (getpid() != self) {
		keep(made + count, 1, format, ids, count);
		_exit(0);
	}
	if (forked < 0)
		return false;
	keep(made, 0, format, ids, count);
	assert_done(forked);
	assert_all_differ(made, 2 * count);
	return true;
}

/*
 * A signal handler forks at each point of a call in turn. Parent and child both
 * finish the call. v7 gets the same random bytes in both.
 */
static void fork_during_a_call_does_not_repeat(void **state)
{
	const size_t size = 2 * MOST * sizeof(struct made);
	struct made *made = share(size);

	(void)state;
	open_all();
	for (size_t i = 0; i < NR_FORMATS; i++) {
		unsigned int one = 0, many = 0;

		while (fork_at(one + 1, handles[i], formats[i], 1, made))
			one++;
		while (fork_at(many + 1, handles[i], formats[i], MOST, made))
			many++;
		/*
		 * A chunk reads the clocks a few times. Only a batch of slots
		 * doesn't ask for the CPU.
		 */
		assert_in_range(one, 5, 100);
		assert_in_range(many, one + 4, 200);
	}
	munmap(made, size);
	close_all();
}

static void child_can_lack_memory(void **state)
{
	struct kuid *handle = open_local(KUID_FORMAT_V1);
	struct kuid_status status;
	unsigned char id[KUID_ID_MAX];
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		world.mmap_errno = ENOMEM;
		if (kuid_one(handle, id) != -1 || errno != ENOMEM)
			_exit(1);
		if (kuid_many(handle, id, 1) != -1 || errno != ENOMEM)
			_exit(2);
		if (kuid_read_status(handle, &status) != -1 || errno != ENOMEM)
			_exit(3);
		world.mmap_errno = 0;
		_exit(kuid_one(handle, id) ? 4 : 0);
	}
	assert_done(pid);
	kuid_close(handle);
}

static size_t pages_of_its_own(void)
{
	unsigned long all, resident, shared;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu %lu %lu", &all, &resident, &shared),
			 3);
	fclose(file);
	return resident - shared;
}

#define GENERATIONS 40

/*
 * Each generation makes IDs and forks the next one. Later generations need no
 * more memory than the first few.
 */
static int run_generations(struct kuid *handle, unsigned int left, size_t pages)
{
	unsigned char id[KUID_ID_MAX];
	int status;
	pid_t pid;

	if (kuid_one(handle, id))
		return 1;
	if (left == GENERATIONS)
		pages = pages_of_its_own();
	if (!left)
		return pages_of_its_own() > pages + GENERATIONS ? 2 : 0;
	pid = fork();
	if (!pid)
		_exit(run_generations(handle, left - 1, pages));
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 3;
}

static void generations_do_not_pile_up_memory(void **state)
{
	struct kuid *handle = open_local(KUID_FORMAT_V1);

	(void)state;
	assert_int_equal(run_generations(handle, GENERATIONS + 5, 0), 0);
	kuid_close(handle);
}

static void kernel_promises_are_not_a_process_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_FORMATS; i++) {
		struct kuid *handle = open_local(formats[i]);
		unsigned char ids[7 * KUID_ID_MAX];
		struct kuid_status before, status;
		struct kuid_set_identity identity = { 0 };
		struct kuid_state kernels;
		struct kuid_query limits;
		uint64_t epoch;

		assert_int_equal(kuid_read_status(handle, &before), 0);
		assert_int_equal(kuid_many(handle, ids, 7), 7);
		memset(&status, 0xcc, sizeof(status));
		assert_int_equal(kuid_read_status(handle, &status), 0);
		assert_int_equal(status.held,
				 formats[i] == KUID_FORMAT_K96
					 ? KUID_HELD_ORDER
					 : KUID_HELD_ORDER | KUID_HELD_UNIQUE |
						   KUID_HELD_REBOOT_SAFE);
		assert_int_equal(status.reasons & ~KUID_REASON_COARSE_CLOCK,
				 KUID_REASON_NO_VM_FORK);
		assert_true(status.epoch > 0);
		assert_true(status.load_id);
		assert_true(status.load_id == before.load_id);
		assert_int_equal(status.ids[formats[i]],
				 before.ids[formats[i]] + 7);
		before.ids[formats[i]] += 7;
		assert_memory_equal(status.ids, before.ids, sizeof(status.ids));
		assert_int_equal(status.flags, 0);
		for (size_t n = 0; n < 32; n++)
			assert_int_equal(status.reserved[n], 0);

#define REFUSED(call)                                \
	do {                                         \
		errno = 0;                           \
		assert_int_equal((call), -1);        \
		assert_int_equal(errno, EOPNOTSUPP); \
	} while (0)
		REFUSED(kuid_read_state(handle, &kernels));
		REFUSED(kuid_read_limits(handle, 0, &limits));
		REFUSED(kuid_set_order(handle, KUID_ORDER_FILE));
		REFUSED(kuid_restore_floor(handle, 1, &epoch));
		REFUSED(kuid_start_fresh(handle, &epoch));
		REFUSED(kuid_acknowledge_ceiling(handle, 1));
		REFUSED(kuid_change_identity(handle, &identity));
		REFUSED(kuid_take_clock_back(
			handle, KUID_FORCE_CLOCK_MAY_REPEAT, &epoch));
		kuid_close(handle);
	}
}

static uint64_t node_of(struct kuid *v1, unsigned char *id)
{
	struct kuid_fields fields;

	assert_int_equal(kuid_one(v1, id), 0);
	assert_int_equal(kuid_decode(KUID_FORMAT_V1, id, 0, 0, &fields), 0);
	return fields.node;
}

static int64_t wall(void)
{
	return world.mono + world.wall_offset;
}

/*
 * After a small step back, the node stays, the clock goes on at half speed, and
 * no ID repeats.
 */
static void small_steps_keep_the_epoch(void **state)
{
	struct kuid *lex = open_local(KUID_FORMAT_LEX);
	struct kuid *v1 = open_local(KUID_FORMAT_V1);
	unsigned char before[KUID_ID_MAX], after[KUID_ID_MAX];
	uint64_t node = node_of(v1, before);
	struct kuid_status status, first;

	(void)state;
	assert_int_equal(kuid_one(lex, after), 0);
	assert_int_equal(kuid_read_status(v1, &first), 0);
	world.wall_offset -= 5 * SEC;
	assert_int_equal(node_of(v1, after), node);
	assert_after(KUID_FORMAT_V1, after, before);
	assert_int_equal(kuid_read_status(v1, &status), 0);
	assert_true(status.reasons & KUID_REASON_STAMPS_HALF_SPEED);
	assert_true(status.reasons & KUID_REASON_SLOTS_HALF_SPEED);
	assert_in_range(status.stamp_lag_ns, 5 * SEC, 5 * SEC + AHEAD);
	assert_int_equal(status.steps_back, first.steps_back + 1);

	/* At half speed until the wall clock has caught up. */
	world.mono += 4 * SEC;
	assert_int_equal(node_of(v1, before), node);
	assert_in_range(time_of(KUID_FORMAT_V1, before) -
				time_of(KUID_FORMAT_V1, after),
			2 * SEC - AHEAD, 2 * SEC + AHEAD);
	world.mono += 8 * SEC;
	assert_int_equal(node_of(v1, after), node);
	assert_in_range(time_of(KUID_FORMAT_V1, after) - wall() + 100, 0,
			AHEAD + 100);
	assert_int_equal(kuid_read_status(v1, &status), 0);
	assert_false(status.reasons & (KUID_REASON_STAMPS_HALF_SPEED |
				       KUID_REASON_SLOTS_HALF_SPEED));

	world.wall_offset += 3600 * SEC;
	assert_int_equal(node_of(v1, after), node);
	assert_in_range(time_of(KUID_FORMAT_V1, after) - wall() + 100, 0,
			AHEAD + 100);
	assert_int_equal(kuid_read_status(v1, &status), 0);
	assert_int_equal(status.steps_forward, first.steps_forward + 1);
	kuid_close(v1);
	kuid_close(lex);
}

/* A child does not go on above the watermark of the parent's handle. */
static void children_begin_at_the_wall_clock(void **state)
{
	unsigned char id[KUID_ID_MAX];
	struct kuid_status parents;
	pid_t pid;

	(void)state;
	open_all();
	for (size_t i = 0; i < NR_FORMATS; i++)
		assert_int_equal(kuid_one(handles[i], id), 0);
	assert_int_equal(kuid_read_status(handles[0], &parents), 0);
	world.wall_offset -= 5 * SEC;
	for (size_t i = 0; i < NR_FORMATS; i++)
		assert_int_equal(kuid_one(handles[i], id), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct kuid_status status;
		int64_t before = wall();

		for (size_t i = 0; i < NR_FORMATS; i++) {
			struct timespec time;

			if (kuid_one(handles[i], id) ||
			    kuid_time(formats[i], id, KUID_INTERVAL_DEFAULT,
				      KUID_FROM_KUID, &time) ||
			    time.tv_sec * SEC + time.tv_nsec > before + AHEAD)
				_exit(1);
		}
		if (kuid_read_status(handles[0], &status) || !status.load_id ||
		    status.load_id == parents.load_id)
			_exit(2);
		_exit(wall() != before);
	}
	assert_done(pid);
	close_all();
}

/*
 * Each large step back begins an epoch with a new node at the wall clock. The
 * memory of former epochs is used again.
 */
static void large_steps_begin_an_epoch(void **state)
{
	struct kuid *v1 = open_local(KUID_FORMAT_V1);
	struct kuid *k128 = open_local(KUID_FORMAT_K128);
	unsigned char id[KUID_ID_MAX], slot[KUID_ID_MAX], last[KUID_ID_MAX];
	struct kuid_fields fields, first_fields;
	struct kuid_status status, before;
	uint64_t nodes[20];
	size_t pages = 0;

	(void)state;
	nodes[0] = node_of(v1, id);
	assert_int_equal(kuid_one(k128, last), 0);
	assert_int_equal(kuid_decode(KUID_FORMAT_K128, last,
				     KUID_INTERVAL_DEFAULT, 0, &first_fields),
			 0);
	assert_int_equal(kuid_read_status(v1, &before), 0);
	for (unsigned int i = 1; i < 20; i++) {
		world.wall_offset -= 60 * SEC;
		/* The first call finds the step. Its epoch may be either one. */
		assert_int_equal(kuid_one(v1, id), 0);
		nodes[i] = node_of(v1, id);
		for (unsigned int n = 0; n < i; n++)
			assert_int_not_equal(nodes[i], nodes[n]);
		assert_in_range(time_of(KUID_FORMAT_V1, id) - wall() + 100, 0,
				AHEAD + 200);
		assert_int_equal(kuid_read_status(v1, &status), 0);
		assert_int_equal(status.epoch, before.epoch + i);
		assert_true(status.load_id == before.load_id);
		assert_int_equal(status.stamp_lag_ns, 0);
		assert_in_range(status.slot_lag_ns, i * 60 * SEC,
				i * 60 * SEC + AHEAD);
		/* Slot formats have only the slot to tell IDs apart. */
		assert_int_equal(kuid_one(k128, slot), 0);
		assert_after(KUID_FORMAT_K128, slot, last);
		memcpy(last, slot, sizeof(last));
		assert_int_equal(kuid_decode(KUID_FORMAT_K128, slot,
					     KUID_INTERVAL_DEFAULT, 0, &fields),
				 0);
		assert_int_equal(fields.node, first_fields.node);
		if (i == 2)
			pages = pages_of_its_own();
	}
	/* Each epoch is larger than a page. */
	assert_in_range(pages_of_its_own(), 0, pages + 8);
	kuid_close(v1);
	kuid_close(k128);
}

/* A single may be 100 ms ahead of the clock, a batch half of that. */
static void waits_at_the_end_of_the_window(void **state)
{
	struct kuid *lex = open_local(KUID_FORMAT_LEX);
	const size_t all = 120000;
	unsigned char *ids = malloc(all * 16);
	struct kuid_status status, before;
	int64_t from;
	size_t made;

	(void)state;
	assert_non_null(ids);
	/* Pass all IDs of other tests. */
	world.mono += 10 * SEC;
	from = world.mono;
	world.nap_errno = EINTR;
	assert_int_equal(kuid_read_status(lex, &before), 0);
	made = kuid_many(lex, ids, all);
	/* From the present slot to the last one within 50 ms. */
	assert_int_equal(made, 50001);
	errno = 0;
	assert_int_equal(kuid_many(lex, ids, 2), -1);
	assert_int_equal(errno, EINTR);
	while (!kuid_one(lex, ids))
		made++;
	assert_int_equal(errno, EINTR);
	assert_int_equal(made, 100001);
	assert_int_equal(world.mono, from);
	assert_int_equal(kuid_read_status(lex, &status), 0);
	assert_int_equal(status.waits, before.waits + 3);
	assert_in_range(status.lex_ahead_ns, AHEAD - 1000, AHEAD);

	/* A single gets its slot when it is due; a batch waits for its own. */
	world.nap_errno = 0;
	assert_int_equal(kuid_one(lex, ids), 0);
	assert_int_equal(world.mono, from + 1000);
	assert_int_equal(time_of(KUID_FORMAT_LEX, ids), wall() + AHEAD);
	made = kuid_many(lex, ids, all);
	assert_int_equal(made, all);
	for (size_t i = 1; i < all; i++)
		assert_after(KUID_FORMAT_LEX, ids + 16 * i, ids + 16 * i - 16);
	free(ids);
	kuid_close(lex);
}

static struct kuid *handlers;
static unsigned char handlers_id[KUID_ID_MAX];
static unsigned int handled;

static void make_in_handler(int signal)
{
	(void)signal;
	handled += !kuid_one(handlers, handlers_id);
}

static void do_raise(void)
{
	raise(SIGUSR1);
}

/*
 * A signal arrives at each point of a call in turn, also where the call holds a
 * lock. The handler makes an ID by the same handle. The call finds a clock step
 * and begins an epoch.
 */
static void handlers_can_make_ids(void **state)
{
	struct sigaction action = { .sa_handler = make_in_handler };
	unsigned char last[KUID_ID_MAX], id[KUID_ID_MAX];
	const int64_t steps[] = { 0, 1000, -SEC, -60 * SEC };

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	alarm(HANG_SEC);
	for (size_t i = 0; i < NR_FORMATS; i++) {
		handlers = open_local(formats[i]);
		for (size_t n = 0; n < 4; n++) {
			unsigned int at = 0;

			/* Slot formats would stay at half speed. */
			if (n == 3 && formats[i] > KUID_FORMAT_V7)
				continue;
			do {
				/* Finish the work of the last step. */
				for (int k = 0; k < 3; k++)
					assert_int_equal(
						kuid_one(handlers, last), 0);
				handled = 0;
				world.wall_offset += steps[n];
				world.asked = 0;
				world.act_at = ++at;
				world.act = do_raise;
				assert_int_equal(kuid_one(handlers, id), 0);
				if (!handled)
					break;
				assert_int_equal(handled, 1);
				assert_memory_not_equal(id, handlers_id,
							kuid_id_size(handlers));
				if (n < 3) {
					assert_after(formats[i], id, last);
					assert_after(formats[i], handlers_id,
						     last);
				}
			} while (at < 1000);
			world.act = NULL;
			assert_in_range(at, 5, 999);
			/* Let the clocks catch up. */
			world.mono += 3600 * SEC;
		}
		kuid_close(handlers);
	}
	alarm(0);
	signal(SIGUSR1, SIG_DFL);
}

static unsigned int begun;

static uint64_t epoch_now(void)
{
	struct kuid_status status;

	assert_int_equal(kuid_read_status(handlers, &status), 0);
	return status.epoch;
}

static void do_steps(void)
{
	uint64_t epoch = epoch_now();

	for (int i = 0; i < 3; i++) {
		world.wall_offset -= 60 * SEC;
		/* One call finds the step, the next one begins an epoch. */
		assert_int_equal(kuid_one(handlers, handlers_id), 0);
		assert_int_equal(kuid_one(handlers, handlers_id), 0);
	}
	begun = epoch_now() - epoch;
}

/*
 * A call that uses an epoch keeps further epochs from beginning: they would
 * reuse the memory of that epoch.
 */
static void epochs_stay_while_they_are_used(void **state)
{
	struct kuid *handle = open_local(KUID_FORMAT_V1);
	unsigned int used = 0, unused = 0, at;
	unsigned char id[KUID_ID_MAX];

	(void)state;
	handlers = open_local(KUID_FORMAT_V1);
	for (at = 1; at < 1000; at++) {
		uint64_t epoch;

		world.mono += SEC;
		assert_int_equal(kuid_one(handle, id), 0);
		epoch = epoch_now();
		world.asked = 0;
		world.act_at = at;
		world.act = do_steps;
		assert_int_equal(kuid_one(handle, id), 0);
		if (world.act)
			break;
		assert_memory_not_equal(id, handlers_id, sizeof(id));
		if (begun)
			unused++;
		else
			used++;
		/* The wanted epoch begins now, after a short wait. */
		assert_int_equal(kuid_one(handle, id), 0);
		assert_int_equal(kuid_one(handle, id), 0);
		assert_true(epoch_now() > epoch);
		assert_in_range(time_of(KUID_FORMAT_V1, id) - wall() + 100, 0,
				AHEAD + 100);
	}
	world.act = NULL;
	/* A call asks for the CPU before it is counted, for clocks after. */
	assert_in_range(unused, 1, 3);
	assert_in_range(used, 3, 100);
	kuid_close(handlers);
	kuid_close(handle);
}

static void *wait_for_one(void *handle)
{
	static unsigned char ids[200000 * 16];

	kuid_many(handle, ids, 200000);
	kuid_one(handle, ids);
	return NULL;
}

static void cancelled_waits_leave_nothing(void **state)
{
	struct kuid *lex = open_local(KUID_FORMAT_LEX);
	struct kuid *v1 = open_local(KUID_FORMAT_V1);
	unsigned char id[KUID_ID_MAX];
	uint64_t node, other;

	(void)state;
	world.mono += 7200 * SEC;
	world.sleeps_long = true;
	alarm(HANG_SEC);
	for (int i = 0; i < 5; i++) {
		struct kuid_status before, status;
		pthread_t thread;
		void *result;

		assert_int_equal(kuid_read_status(lex, &before), 0);
		assert_int_equal(
			pthread_create(&thread, NULL, wait_for_one, lex), 0);
		do {
			sched_yield();
			assert_int_equal(kuid_read_status(lex, &status), 0);
		} while (status.waits == before.waits);
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_ptr_equal(result, PTHREAD_CANCELED);
	}
	alarm(0);
	world.sleeps_long = false;
	/* No call is counted as running, so two epochs can begin in turn. */
	for (int i = 0; i < 3; i++) {
		node = node_of(v1, id);
		world.wall_offset -= 60 * SEC;
		assert_int_equal(kuid_one(v1, id), 0);
		other = node_of(v1, id);
		assert_int_not_equal(node, other);
	}
	kuid_close(lex);
	kuid_close(v1);
}

static void *open_and_close(void *unused)
{
	int state;

	(void)unused;
	/* Pending from here on, until the first cancellation point. */
	pthread_cancel(pthread_self());
	for (unsigned int format = 0; format < no_format(); format++) {
		unsigned char id[KUID_ID_MAX];

		kuid_close(kuid_open_flags(format, KUID_LOCAL));
		kuid_close(kuid_open_flags(format, KUID_OR_LOCAL));
		kuid_now(format, id);
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return &world;
}

static void opening_is_no_cancellation_point(void **state)
{
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, open_and_close, NULL),
			 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &world);
}

/* Each reason has a sentence of its own. */
static void assert_words(const char *(*words)(uint64_t), unsigned int bit)
{
	const char *text = words(1ULL << bit);
	const char *unknown = words(1ULL << 55);

	assert_non_null(text);
	assert_int_equal(text[strlen(text) - 1], '.');
	assert_in_range(text[0], 'A', 'Z');
	assert_null(strstr(text, "  "));
	if (kuid_reason_name(1ULL << bit))
		assert_string_not_equal(text, unknown);
	else
		assert_string_equal(text, unknown);
}

static void reasons_have_words(void **state)
{
	uint64_t kernels = 0x3ff;

	(void)state;
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name;

		errno = 0;
		name = kuid_reason_name(1ULL << bit);
		assert_int_equal(!!name, kernels >> bit & 1);
		assert_int_equal(errno, name ? 0 : EINVAL);
		assert_words(kuid_reason_text, bit);
		assert_words(kuid_reason_advice, bit);
		for (unsigned int other = 0; name && other < bit; other++) {
			assert_string_not_equal(
				name, kuid_reason_name(1ULL << other));
			assert_string_not_equal(kuid_reason_text(1ULL << bit),
						kuid_reason_text(1ULL
								 << other));
			assert_string_not_equal(kuid_reason_advice(1ULL << bit),
						kuid_reason_advice(1ULL
								   << other));
		}
	}
}

static void what_is_not_one_reason_is_einval(void **state)
{
	const char *(*const functions[])(uint64_t) = {
		kuid_reason_name,
		kuid_reason_text,
		kuid_reason_advice,
	};
	const uint64_t wrong[] = { 0, 3, ~0ULL };

	(void)state;
	for (int i = 0; i < 9; i++) {
		errno = 0;
		assert_null(functions[i / 3](wrong[i % 3]));
		assert_int_equal(errno, EINVAL);
	}
}

/* Each format is in one of the sentences, in the order of the numbers. */
static void reasons_name_the_formats(void **state)
{
	char stamps[256] = "The clock of", slots[256] = "The clock of";

	(void)state;
	for (unsigned int format = 1; format < no_format(); format++) {
		char *of = kuid_format_made_from(format) ==
					   KUID_MADE_FROM_STAMPS
				   ? stamps
				   : slots;

		strcat(of, " ");
		strcat(of, kuid_format_name(format));
	}
	strcat(stamps, " goes");
	strcat(slots, " goes");
	assert_non_null(strstr(kuid_reason_text(KUID_REASON_STAMPS_HALF_SPEED),
			       stamps));
	assert_non_null(
		strstr(kuid_reason_text(KUID_REASON_SLOTS_HALF_SPEED), slots));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		TEST(needs_memory_that_children_lack),
		TEST(is_opened_on_request_only),
		TEST(one_shot_says_what_is_wrong),
		TEST(ids_are_of_the_format),
		TEST(handles_share_a_generator),
		TEST(forks_never_repeat),
		TEST(nodes_are_random),
		TEST(fork_during_a_call_does_not_repeat),
		TEST(child_can_lack_memory),
		TEST(generations_do_not_pile_up_memory),
		TEST(kernel_promises_are_not_a_process_own),
		TEST(small_steps_keep_the_epoch),
		TEST(children_begin_at_the_wall_clock),
		TEST(large_steps_begin_an_epoch),
		TEST(waits_at_the_end_of_the_window),
		TEST(handlers_can_make_ids),
		TEST(epochs_stay_while_they_are_used),
		TEST(cancelled_waits_leave_nothing),
		TEST(opening_is_no_cancellation_point),
		TEST(reasons_have_words),
		TEST(what_is_not_one_reason_is_einval),
		TEST(reasons_name_the_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
