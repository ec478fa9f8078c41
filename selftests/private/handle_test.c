// SPDX-License-Identifier: MIT
/*
 * IDs of private lanes: opening, formats, forks, clock steps, waits, signals,
 * cancellation, and a kernel that ends lanes. The test's own clocks stand still
 * unless the test moves them, so a lane that can repeat an ID does repeat it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "fake_kernel.h"
#include "handles.h"
#include "private.h"
#include "siphash.h"

#define YEAR  (31556952 * SEC)
#define WALL  (1700000000 * SEC)
#define AHEAD (100 * MS)
#define LIMIT (10 * SEC)

/* A small window of the kernel's lanes, in nanoseconds. */
#define WINDOW 1000

/* Longer than any test takes, unless a handler waits for its own thread. */
#define HANG_SEC 60

/* The answers of the system to the library. */
static struct {
	int64_t mono;
	int64_t wall_offset;
	int64_t wall_sec;   /* the same, in seconds: any time that there is */
	int64_t resolution; /* of all clocks */
	int64_t tick;	    /* of the coarse clocks */
	int madvise_errno;
	int mmap_errno;
	int nap_errno;
	int random_errno;
	unsigned int draws;
	unsigned int draws_blocked;
	int64_t oversleep;
	bool sleeps_long;
	bool napping;
	unsigned int naps;
	int64_t longest_nap;
	unsigned int asked;
	unsigned int act_at;
	void (*act)(void);
	void (*nap_act)(void);
} world;

/* Called where a signal might arrive, or another thread might fork. */
static void asked(void)
{
	void (*act)(void) = world.act;

	if (!act || ++world.asked != world.act_at)
		return;
	world.act = NULL;
	act();
}

static void act_at(unsigned int at, void (*act)(void))
{
	world.asked = 0;
	world.act_at = at;
	world.act = act;
}

static int set_up(void **state)
{
	memset(&world, 0, sizeof(world));
	world.mono = 100000 * SEC;
	world.wall_offset = WALL;
	world.resolution = 1;
	world.tick = 1;
	fake_kernel_reset();
	fake_kernel.asked = asked;
	return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_nanosleep(clockid_t clock, int how,
			   const struct timespec *time, struct timespec *left);
int __real_clock_nanosleep(clockid_t clock, int how,
			   const struct timespec *time, struct timespec *left);
long __wrap_syscall(long number, long a, long b, long c, long d);
long __real_syscall(long number, ...);
int __wrap_madvise(void *address, size_t size, int advice);
int __real_madvise(void *address, size_t size, int advice);

/* asked() runs after the reading and before its use. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t now = world.mono;

	if (clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE)
		now -= now % world.tick;
	now -= now % world.resolution;
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		now += world.wall_offset;
	time->tv_sec = now / SEC;
	time->tv_nsec = now % SEC;
	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		time->tv_sec += world.wall_sec;
	asked();
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int how,
			   const struct timespec *time, struct timespec *left)
{
	const struct timespec day = { .tv_sec = 86400 };
	int64_t until = time->tv_sec * SEC + time->tv_nsec;

	assert_int_equal(clock, CLOCK_MONOTONIC);
	assert_int_equal(how, TIMER_ABSTIME);
	world.naps++;
	if (world.longest_nap < until - world.mono)
		world.longest_nap = until - world.mono;
	asked();
	if (world.nap_act)
		world.nap_act();
	if (world.sleeps_long) {
		__atomic_store_n(&world.napping, true, __ATOMIC_RELEASE);
		return __real_clock_nanosleep(clock, 0, &day, left);
	}
	if (world.nap_errno)
		return world.nap_errno;
	assert_true(until > world.mono);
	world.mono = until + world.oversleep;
	return 0;
}

/* The library's calls have four arguments at most. */
long __wrap_syscall(long number, long a, long b, long c, long d)
{
	if (number == SYS_getrandom) {
		sigset_t blocked;

		pthread_sigmask(SIG_BLOCK, NULL, &blocked);
		*(sigismember(&blocked, SIGINT) ? &world.draws_blocked
						: &world.draws) += 1;
		asked();
		errno = world.random_errno;
		if (errno)
			return -1;
	}
	return __real_syscall(number, a, b, c, d);
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

static int64_t wall(void)
{
	return world.mono + world.wall_offset;
}

static struct kuid *open_lane(unsigned int format, unsigned int flag)
{
	struct kuid *handle;

	errno = ENOTUNIQ;
	handle = kuid_open_flags(format, flag);
	assert_non_null(handle);
	/* Callers in other languages take errno for an error. */
	assert_int_equal(errno, ENOTUNIQ);
	return handle;
}

#define EACH_FORMAT(handle, flag, i)                                    \
	for (size_t i = 0; i < NR_FORMATS; i++)                         \
		for (struct kuid *handle = open_lane(formats[i], flag); \
		     handle; kuid_close(handle), handle = NULL)

/* For each kind of lane, and each format. */
#define EACH(handle, flag, i)                                       \
	for (unsigned int n_##flag = 0, flag = 0;                   \
	     n_##flag < NR_KINDS && (flag = kinds[n_##flag], true); \
	     n_##flag++)                                            \
	EACH_FORMAT(handle, flag, i)

/* The lowest number that no format has. */
static unsigned int no_format(void)
{
	unsigned int format = 1;

	while (kuid_format_name(format))
		format++;
	return format;
}

static int64_t lag_of(const struct kuid *handle)
{
	return status_of(handle).lag_ns;
}

static void assert_error(ssize_t result, int error)
{
	assert_int_equal(result, -1);
	assert_int_equal(errno, error);
}

/* kuid_one() fails and writes nothing. */
static void assert_makes_none(struct kuid *handle, int error)
{
	unsigned char id[ID_SIZE], poison[ID_SIZE];

	memset(id, 0xcc, sizeof(id));
	memset(poison, 0xcc, sizeof(poison));
	errno = 0;
	assert_error(kuid_one(handle, id), error);
	assert_memory_equal(id, poison, sizeof(id));
	errno = 0;
	assert_error(kuid_many(handle, id, 1), error);
}

static void make(struct kuid *handle, unsigned char *id)
{
	assert_int_equal(kuid_one(handle, id), 0);
}

static void make_all(struct kuid *handle, unsigned char *ids, size_t count)
{
	assert_int_equal(kuid_many(handle, ids, count), count);
}

static int64_t rounding(unsigned int format)
{
	return format == KUID_FORMAT_V7 ? 0 : 99;
}

static void assert_time(unsigned int format, const void *id, int64_t from,
			int64_t to)
{
	assert_in_range(time_of(format, id), from - rounding(format), to);
}

static void make_at(struct kuid *handle, unsigned char *id, int64_t time)
{
	make(handle, id);
	assert_time(handle->layout->format, id, time, time);
}

static void assert_after(unsigned int format, const void *id, const void *other)
{
	assert_true(is_after(format, id, other));
}

/*
 * Some is refused for any program, some only by a system that lacks it. One
 * shot says what is wrong, too.
 */
TEST(is_opened_on_request_only)
{
	enum {
		V1 = KUID_FORMAT_V1,
		K64 = KUID_FORMAT_K64,
		ANY = KUID_ANY_UUID,
		OR_LOCAL = KUID_PRIVATE | KUID_OR_LOCAL,
	};
	const unsigned int none = no_format();
	const struct {
		unsigned int format, flags;
		int error;
		int open, mmap, lane, random, madvise;
		unsigned int later; /* than the version of the page */
	} rows[] = {
		{ none, 0, .error = EINVAL },
		{ none, KUID_LOCAL, .error = EINVAL },
		{ none, KUID_PRIVATE, .error = EINVAL },
		{ none, OR_LOCAL, .error = EINVAL },
		{ ANY, 0, .error = EINVAL },
		{ ANY, KUID_LOCAL, .error = EINVAL },
		{ ANY, KUID_PRIVATE, .error = EINVAL },
		{ ANY, OR_LOCAL, .error = EINVAL },
		{ V1, KUID_LOCAL | KUID_PRIVATE, .error = EINVAL },
		{ V1, KUID_LOCAL | KUID_OR_LOCAL, .error = EINVAL },
		{ V1, KUID_LOCAL | OR_LOCAL, .error = EINVAL },
		{ V1, 0x8, .error = EINVAL },
		{ V1, KUID_LOCAL | 0x80000000, .error = EINVAL },
		{ V1, 0, ENODEV, .open = ENOENT },
		{ V1, KUID_PRIVATE, ENODEV, .open = ENOENT },
		{ K64, KUID_OR_LOCAL, ENODEV, .open = ENOENT },
		{ K64, OR_LOCAL, ENODEV, .open = ENOENT },
		/* A device without permission is not a missing device. */
		{ V1, 0, EACCES, .open = EACCES },
		{ V1, KUID_OR_LOCAL, EACCES, .open = EACCES },
		{ V1, OR_LOCAL, EACCES, .open = EACCES },
		{ V1, KUID_OR_LOCAL, EMFILE, .open = EMFILE },
		/* Children must lack the memory. */
		{ V1, KUID_LOCAL, EOPNOTSUPP, .madvise = EINVAL },
		{ V1, KUID_PRIVATE, EOPNOTSUPP, .madvise = EINVAL },
		{ V1, KUID_LOCAL, EOPNOTSUPP, .madvise = -1 },
		{ V1, KUID_OR_LOCAL, ENODEV, .open = ENOENT, .madvise = -1 },
		{ V1, OR_LOCAL, ENODEV, .open = ENOENT, .madvise = -1 },
		/* Modules of other versions. */
		{ V1, KUID_PRIVATE, ENOTTY, .mmap = ENODEV },
		{ V1, KUID_PRIVATE, ENOMEM, .mmap = ENOMEM },
		{ V1, KUID_PRIVATE, ENOTTY, .lane = ENOTTY },
		{ V1, KUID_PRIVATE, EPROTONOSUPPORT, .later = 1 },
		/* The node was given. */
		{ V1, KUID_PRIVATE, EOPNOTSUPP, .lane = EOPNOTSUPP },
		{ V1, KUID_PRIVATE, EPERM, .lane = EPERM },
		{ V1, KUID_PRIVATE, EINTR, .random = EINTR },
		{ V1, KUID_LOCAL, EINTR, .random = EINTR },
	};
	static const struct kuid_handle_status local = {
		.made_by = KUID_MADE_BY_PROCESS,
		.epoch = 1,
	};
	unsigned char id[ID_SIZE], poison[ID_SIZE];
	struct kuid_handle_status status;
	struct kuid *handle;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int next = dup(0);

		close(next);
		fake_kernel.open_errno = rows[i].open;
		fake_kernel.mmap_errno = rows[i].mmap;
		fake_kernel.lane_errno = rows[i].lane;
		world.random_errno = rows[i].random;
		world.madvise_errno = rows[i].madvise;
		fake_kernel.shared->page.version =
			KUID_PAGE_VERSION + rows[i].later;
		refuses(rows[i].format, rows[i].flags, rows[i].error);
		if (!rows[i].flags) {
			memset(id, 0xcc, sizeof(id));
			memset(poison, 0xcc, sizeof(poison));
			assert_error(kuid_now(rows[i].format, id),
				     rows[i].error);
			assert_memory_equal(id, poison, sizeof(id));
		}
		/* No file is left open. */
		assert_int_equal(fcntl(next, F_GETFD), -1);
	}
	set_up(NULL);
	for (unsigned int format = 1; format < no_format(); format++) {
		if (kuid_format_made_from(format) == KUID_MADE_FROM_STAMPS)
			continue;
		refuses(format, KUID_LOCAL, EOPNOTSUPP);
		refuses(format, KUID_PRIVATE, EOPNOTSUPP);
		refuses(format, OR_LOCAL, EOPNOTSUPP);
		handle = open_lane(format, KUID_OR_LOCAL);
		assert_int_equal(status_of(handle).made_by,
				 KUID_MADE_BY_KERNEL);
		assert_int_equal(epoch_of(handle), 0);
		kuid_close(handle);
	}
	assert_int_equal(fake_kernel.shared->nodes, 0);
	/* A later kernel may append fields. */
	fake_kernel.shared->page.size = KUID_PAGE_SIZE;
	handle = open_lane(KUID_FORMAT_V6, OR_LOCAL);
	assert_int_equal(status_of(handle).made_by, KUID_MADE_BY_LANE);
	assert_true(kuid_fd(handle) >= 0);
	kuid_close(handle);
	/* A missing device leads to a local handle. */
	fake_kernel.open_errno = ENXIO;
	handle = open_lane(KUID_FORMAT_V6, OR_LOCAL);
	memset(&status, 0xcc, sizeof(status));
	assert_int_equal(kuid_read_handle_status(handle, &status), 0);
	assert_memory_equal(&status, &local, sizeof(local));
	errno = 0;
	assert_error(kuid_fd(handle), EOPNOTSUPP);
	kuid_close(handle);
}

/*
 * Make IDs by one handle in all ways, while the clock stands still. They need
 * no alignment.
 */
TEST(ids_are_of_the_format)
{
	unsigned char room[1 + 1001 * ID_SIZE], *ids = room + 1;

	/* The first half is of one millisecond, the other half of the next. */
	world.mono += MS - 500;
	EACH(handle, flag, i)
	{
		unsigned int format = formats[i];

		assert_int_equal(kuid_id_size(handle), 16);
		assert_int_equal(kuid_many(handle, ids, 0), 0);
		/* Nothing is written behind the IDs. */
		memset(room, 0xcc, sizeof(room));
		make(handle, ids);
		make_all(handle, ids + 16, 700);
		make_all(handle, ids + 701 * 16, 299);
		for (size_t n = 0; n < ID_SIZE; n++)
			assert_int_equal(ids[1000 * ID_SIZE + n], 0xcc);
		for (size_t n = 0; n < 1000; n++) {
			const unsigned char *id = ids + n * 16;

			/* One for each nanosecond. */
			assert_time(format, id, wall() + n, wall() + n);
			assert_int_equal(node_of(format, id),
					 node_of(format, ids));
			if (n)
				assert_after(format, id, id - 16);
		}
		if (format != KUID_FORMAT_V7)
			assert_true(node_of(format, ids) >> 40 & 1);
	}
}

/*
 * Keys, words and hashes as bytes. The first row is from the reference
 * implementation's list; OpenSSL made the other.
 */
static const struct {
	unsigned char key[16], word[8], hash[8];
} hashes[] = {
	{ { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
	    0x0b, 0x0c, 0x0d, 0x0e, 0x0f },
	  { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07 },
	  { 0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93 } },
	{ { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba,
	    0x98, 0x76, 0x54, 0x32, 0x10 },
	  { 0x00, 0x00, 0x93, 0xa7, 0x9b, 0xf7, 0x97, 0x17 },
	  { 0x5a, 0x56, 0x62, 0x64, 0xa6, 0x70, 0xf1, 0x8c } },
};

static uint64_t little_endian(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (int i = 7; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

static uint64_t big_endian(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word = word << 8 | bytes[i];
	return word;
}

TEST(hash_is_siphash)
{
	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++)
		assert_true(kuid_siphash(little_endian(hashes[i].key),
					 little_endian(hashes[i].key + 8),
					 little_endian(hashes[i].word)) ==
			    little_endian(hashes[i].hash));
}

/* The time, a fraction of 20 bits, and 54 bits of the hash. */
static void assert_v7(const unsigned char *id, uint64_t stamp, const u64 *key)
{
	uint64_t fraction = (stamp % MS << 20) / MS;
	uint64_t hash = kuid_siphash(key[0], key[1], stamp);

	assert_true(big_endian(id) ==
		    (stamp / MS << 16 | 0x7000 | fraction >> 8));
	assert_true(big_endian(id + 8) ==
		    (2ULL << 62 | (fraction & 0xff) << 54 |
		     (hash & ((1ULL << 54) - 1))));
}

TEST(v7_is_time_and_hash)
{
	unsigned char ids[50 * 16];

	for (unsigned int n = 0; n < NR_KINDS; n++) {
		struct kuid *handle = open_lane(KUID_FORMAT_V7, kinds[n]);

		for (int i = 0; i < 2000; i++) {
			world.mono += random_below(SEC) + 50;
			make(handle, ids);
			assert_v7(ids, wall(), handle->private->key);
			make_all(handle, ids, 50);
			for (int k = 0; k < 50; k++)
				assert_v7(ids + 16 * k, wall() + 1 + k,
					  handle->private->key);
		}
		kuid_close(handle);
	}
}

/* The bits of v1 and v6 are those of the kernel: each leads to the other. */
TEST(v1_and_v6_lead_to_one_another)
{
	unsigned char ids[300 * 16], there[16], back[16];

	EACH(handle, flag, i)
	{
		unsigned int other =
			KUID_FORMAT_V1 + KUID_FORMAT_V6 - formats[i];
		unsigned int seq;

		if (formats[i] == KUID_FORMAT_V7)
			continue;
		make_all(handle, ids, 300);
		seq = fields_of(formats[i], ids).clock_seq;
		for (size_t n = 0; n < 300; n++) {
			struct kuid_fields fields =
				fields_of(formats[i], ids + 16 * n);
			unsigned int ns = (wall() + n) % 100;

			assert_int_equal(kuid_convert(formats[i], ids + 16 * n,
						      other, there, 0, NULL),
					 0);
			assert_int_equal(kuid_convert(other, there, formats[i],
						      back, 0, NULL),
					 0);
			assert_memory_equal(back, ids + 16 * n, 16);
			/* The nanosecond, and bits that the lane keeps. */
			assert_int_equal(fields.clock_seq - (ns << 7),
					 seq - (unsigned int)(wall() % 100) *
							 128);
		}
	}
}

/*
 * Each handle has a lane of its own, and each lane its number. Local nodes and
 * all keys are drawn, and not made of the process or the time.
 */
TEST(handles_have_their_own_lanes)
{
	const uint64_t drawn = ((1ULL << 48) - 1) ^ 1ULL << 40;
	unsigned char id[16];

	for (unsigned int n = 0; n < NR_KINDS; n++) {
		/* Bits that all nodes and both halves of keys have. */
		uint64_t ones[3] = { ~0ULL, ~0ULL, ~0ULL };
		uint64_t zeroes[3] = { ~0ULL, ~0ULL, ~0ULL };
		struct kuid *handles[20];

		for (size_t i = 0; i < 20; i++) {
			const struct kuid_private *lane;

			handles[i] = open_lane(formats[i % 2], kinds[n]);
			lane = handles[i]->private;
			make(handles[i], id);
			assert_int_equal(node_of(formats[i % 2], id),
					 lane->node);
			assert_true(lane->node >> 40 & 1);
			assert_int_equal(epoch_of(handles[i]), 1);
			for (size_t k = 0; k < i; k++)
				assert_int_not_equal(lane->node,
						     handles[k]->private->node);
			for (size_t k = 0; k < 3; k++) {
				uint64_t bits = k == 2 ? lane->node
						       : lane->key[k];

				ones[k] &= bits;
				zeroes[k] &= ~bits;
			}
		}
		/* A bit has one value by chance, 2^-19: allow a few. */
		for (size_t k = 0; k < (kinds[n] == KUID_LOCAL ? 3 : 2); k++) {
			uint64_t which = k == 2 ? drawn : ~0ULL;

			assert_in_range(__builtin_popcountll(ones[k] & which),
					0, 3);
			assert_in_range(__builtin_popcountll(zeroes[k] & which),
					0, 3);
		}
		for (size_t i = 0; i < 20; i++)
			kuid_close(handles[i]);
	}
}

/* A child numbers its lanes on from those of its parent. */
TEST(children_begin_an_epoch)
{
	unsigned char id[16];

	EACH(handle, flag, i)
	{
		pid_t pid;

		make(handle, id);
		/* The parent's lane leads the wall clock. */
		world.wall_offset -= 5 * SEC;
		make(handle, id);
		assert_int_equal(epoch_of(handle), 1);
		pid = fork_child();
		if (!pid) {
			struct kuid_status status;

			if (epoch_of(handle) != 1 || lag_of(handle))
				_exit(1);
			if (kuid_one(handle, id) || epoch_of(handle) != 2 ||
			    kuid_one(handle, id) || epoch_of(handle) != 2)
				_exit(2);
			if (time_of(formats[i], id) > wall() + 1)
				_exit(3);
			if (flag == KUID_LOCAL &&
			    (kuid_read_status(handle, &status) ||
			     status.epoch != 2 || !status.load_id))
				_exit(4);
			_exit(0);
		}
		assert_done(pid);
		assert_int_equal(epoch_of(handle), 1);
	}
}

/*
 * Signals can end the wait for random numbers. They are blocked when a lane
 * gets its numbers, for a handler could fork then.
 */
TEST(random_numbers_are_waited_for)
{
	unsigned char id[16];

	world.random_errno = EINTR;
	refuses(KUID_FORMAT_V1, KUID_LOCAL, EINTR);
	assert_int_equal(world.draws, 1);
	assert_int_equal(world.draws_blocked, 0);
	world.random_errno = 0;
	EACH(handle, flag, i)
	{
		world.wall_offset -= 60 * SEC;
		world.draws = 0;
		world.draws_blocked = 0;
		make(handle, id);
		assert_int_equal(world.draws, 0);
		assert_int_equal(world.draws_blocked, 0);
		world.wall_offset -= 60 * SEC;
		make(handle, id);
		assert_int_equal(world.draws, 1);
		assert_in_range(world.draws_blocked, 1, 2);
	}
}

/* If no random numbers can be drawn, there is no lane, and no ID. */
TEST(children_need_random_numbers)
{
	EACH(handle, flag, i)
	{
		pid_t pid = fork_child();

		if (!pid) {
			unsigned char id[ID_SIZE];

			world.random_errno = ENOSYS;
			assert_makes_none(handle, ENOSYS);
			if (epoch_of(handle) != 1)
				_exit(1);
			world.random_errno = 0;
			_exit(kuid_one(handle, id) ? 2 : 0);
		}
		assert_done(pid);
	}
}

TEST(kernel_promises_are_not_a_process_own)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		struct kuid *handle = open_lane(formats[i], KUID_LOCAL);
		unsigned char ids[7 * ID_SIZE];
		struct kuid_status before, status, want;
		struct kuid_set_identity identity = { 0 };
		struct kuid_claim claim = { 0 };
		struct kuid_cover cover = { 0 };
		struct kuid_state kernels;
		struct kuid_query limits;
		const uint64_t stamps = 1 << KUID_FORMAT_V1 |
					1 << KUID_FORMAT_V6 |
					1 << KUID_FORMAT_V7;
		uint64_t epoch;

		assert_int_equal(kuid_read_status(handle, &before), 0);
		assert_true(before.load_id);
		make_all(handle, ids, 7);
		memset(&status, 0xcc, sizeof(status));
		assert_int_equal(kuid_read_status(handle, &status), 0);
		want = (struct kuid_status) {
			.unique = stamps,
			.ordered = stamps,
			.reboot_safe = stamps,
			.reasons = KUID_REASON_NO_VM_FORK |
				   (status.reasons & KUID_REASON_COARSE_CLOCK),
			.epoch = 1,
			.load_id = before.load_id,
			.stamp_ahead_ns = 6,
		};
		assert_memory_equal(&status, &want, sizeof(want));

#define REFUSED(call)                             \
	do {                                      \
		errno = 0;                        \
		assert_error((call), EOPNOTSUPP); \
	} while (0)
		REFUSED(kuid_read_state(handle, &kernels));
		REFUSED(kuid_read_limits(handle, 0, &limits));
		REFUSED(kuid_set_order(handle, KUID_ORDER_FILE));
		REFUSED(kuid_set_cover(handle, &cover));
		REFUSED(kuid_change_identity(handle, &identity));
		REFUSED(kuid_claim_numbers(handle, &claim));
		REFUSED(kuid_drop_claim(handle, 1, claim.token, &epoch));
		REFUSED(kuid_raise_claim(handle, 1, claim.token, 1));
		REFUSED(kuid_end_claim(handle, 1, claim.token, &epoch));
		kuid_close(handle);

		/* A lane has one order, but the device has all the rest. */
		handle = open_lane(formats[i], KUID_PRIVATE);
		REFUSED(kuid_set_order(handle, KUID_ORDER_FILE));
		errno = 0;
		assert_error(kuid_read_status(handle, &status), ENOTTY);
		assert_error(kuid_read_state(handle, &kernels), ENOTTY);
		kuid_close(handle);
	}
}

/* Seconds of the wall clock, of which IDs have none, or one that 64 bits wrap. */
TEST(times_that_no_clock_has_are_told)
{
	static const int64_t wrong[] = {
		-1,
		-YEAR / SEC,
		(int64_t)(KUID_TIME_MAX_NS / SEC) + 1,
		(int64_t)(UINT64_MAX / SEC) + 1,
		INT64_MAX,
		INT64_MIN / 2,
	};
	unsigned char id[16], last[16];

	EACH(handle, flag, i)
	{
		make(handle, last);
		for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
			world.wall_sec = wrong[k] - wall() / SEC;
			assert_makes_none(handle, EOVERFLOW);
		}
		world.wall_sec = 0;
		make_at(handle, id, wall() + 1);
	}
}

/*
 * After a step back by seconds the lane goes on at half speed, without a wait,
 * until the wall clock has caught up. One more than the limit allows begins an
 * epoch at the wall clock.
 */
TEST(clock_steps_are_followed)
{
	/* How the clocks move, and where the next ID then is. */
	static const struct {
		int64_t mono, wall;
		int64_t ahead; /* of the wall clock */
		int64_t lag;
		uint64_t epoch;
	} rows[] = {
		{ 0, -9 * SEC, 9 * SEC + 1, 9 * SEC, 1 },
		{ 0, 0, 9 * SEC + 2, 9 * SEC, 1 },
		{ 4 * SEC, 0, 7 * SEC, 7 * SEC, 1 },
		{ 14 * SEC + MS, 0, 0, 0, 1 },
		{ 0, 0, 1, 0, 1 },
		{ 0, 9 * SEC, 0, 0, 1 },
		/* At once, or in two steps that add up. */
		{ 0, -11 * SEC, 0, 0, 2 },
		{ 0, -6 * SEC, 6 * SEC + 1, 6 * SEC, 2 },
		{ 0, -6 * SEC, 0, 0, 3 },
		{ 0, 0, 1, 0, 3 },
		/* By exactly the limit from the highest stamp, then by more. */
		{ SEC, 0, 0, 0, 3 },
		{ 0, -LIMIT, LIMIT + 1, LIMIT, 3 },
		{ 60 * SEC, 0, 0, 0, 3 },
		{ 0, -LIMIT - 1, 0, 0, 4 },
		/* The clock was wrong for a second. */
		{ 0, 10 * YEAR, 0, 0, 4 },
		{ SEC, 0, 0, 0, 4 },
		{ 0, -10 * YEAR, 0, 0, 5 },
	};
	unsigned char id[16], last[16];

	EACH(handle, flag, i)
	{
		make_at(handle, last, wall());
		for (size_t n = 0; n < sizeof(rows) / sizeof(*rows); n++) {
			bool same = rows[n].epoch == epoch_of(handle);
			struct kuid_status status;

			world.mono += rows[n].mono;
			world.wall_offset += rows[n].wall;
			if (same)
				assert_int_equal(lag_of(handle), rows[n].lag);
			make_at(handle, id, wall() + rows[n].ahead);
			assert_int_equal(lag_of(handle), rows[n].lag);
			assert_int_equal(epoch_of(handle), rows[n].epoch);
			if (same)
				assert_after(formats[i], id, last);
			if (formats[i] != KUID_FORMAT_V7)
				assert_int_equal(node_of(formats[i], id) ==
							 node_of(formats[i],
								 last),
						 same);
			memcpy(last, id, sizeof(last));
			if (flag != KUID_LOCAL)
				continue;
			assert_int_equal(kuid_read_status(handle, &status), 0);
			assert_int_equal(!(status.reasons &
					   KUID_REASON_STAMPS_HALF_SPEED),
					 !rows[n].lag);
			assert_int_equal(status.stamp_lag_ns, rows[n].lag);
			assert_int_equal(status.stamp_ahead_ns,
					 rows[n].ahead - rows[n].lag);
		}
		assert_int_equal(world.naps, 0);
	}
}

static struct kuid *other;
static unsigned char others[16];

static void do_set_back(void)
{
	world.mono += 5 * SEC;
	world.wall_offset -= 60 * SEC;
}

static void do_set_back_and_make(void)
{
	do_set_back();
	make(other, others);
}

static void do_be_stopped(void)
{
	world.mono += 5 * SEC;
	make(other, others);
}

/* A process is stopped between its reading of the clock and its exchange. */
TEST(readings_may_be_old)
{
	unsigned char id[16];

	EACH(handle, flag, i)
	{
		int64_t from = wall();

		other = handle;
		act_at(1, do_be_stopped);
		make(handle, id);
		assert_null(world.act);
		assert_time(formats[i], others, wall(), wall());
		assert_after(formats[i], id, others);
		assert_time(formats[i], id, wall() + 1, wall() + 1);
		assert_in_range(time_of(formats[i], id), from, wall() + 1);

		/* The wall clock had this time during the call. */
		from = wall();
		world.mono += SEC;
		act_at(1, do_set_back);
		make(handle, id);
		assert_null(world.act);
		assert_time(formats[i], id, from + SEC, from + SEC);
		assert_int_equal(epoch_of(handle), 1);
		make_at(handle, id, wall());
		assert_int_equal(epoch_of(handle), 2);

		/*
		 * Another call had to replace the lane meanwhile. The old
		 * reading raises the new lane, which is then replaced, too.
		 */
		act_at(1, do_set_back_and_make);
		make(handle, id);
		assert_null(world.act);
		assert_time(formats[i], others, wall(), wall());
		assert_time(formats[i], id, wall(), wall());
		assert_int_equal(epoch_of(handle), 4);
	}
}

/* Raise the lane far ahead, as one that read the clock long ago. */
static void do_raise_far(void)
{
	world.wall_offset += 10 * YEAR;
	make(other, others);
	world.wall_offset -= 10 * YEAR;
}

/*
 * A lane may be raised far ahead at any point of a call that looks for a clock
 * step. The call must not wait for that time.
 */
TEST(no_wait_is_longer_than_the_window)
{
	unsigned char id[16];
	unsigned int at;

	for (unsigned int n = 0; n < NR_KINDS; n++) {
		for (at = 1; at < 100; at++) {
			struct kuid *handle =
				open_lane(KUID_FORMAT_V7, kinds[n]);

			make(handle, id);
			world.wall_offset -= 5 * SEC;
			other = handle;
			act_at(at, do_raise_far);
			make(handle, id);
			kuid_close(handle);
			if (world.act)
				break;
			assert_in_range(time_of(KUID_FORMAT_V7, id), wall(),
					wall() + LIMIT + AHEAD);
			assert_in_range(world.longest_nap, 0, AHEAD);
		}
		assert_in_range(at, 6, 99);
		world.act = NULL;
	}
}

/* All clocks may be coarse: IDs go on between two ticks. */
TEST(clocks_may_be_coarse)
{
	unsigned char id[16], last[16];

	world.resolution = 4 * MS;
	EACH(handle, flag, i)
	{
		make(handle, last);
		for (int n = 0; n < 200; n++) {
			world.mono += MS;
			/* One step back and one forth, too. */
			if (n == 100)
				world.wall_offset -= 2 * SEC;
			if (n == 150)
				world.wall_offset += 2 * SEC;
			make(handle, id);
			assert_after(formats[i], id, last);
			memcpy(last, id, sizeof(last));
			if (n < 100 || n >= 150)
				assert_time(formats[i], id, wall() - 4 * MS,
					    wall() + AHEAD);
		}
		assert_int_equal(epoch_of(handle), 1);
		assert_int_equal(world.naps, 0);
	}
	/* Only the clocks that tell the offset are coarse on most systems. */
	set_up(NULL);
	world.tick = 4 * MS;
	EACH(handle, flag, i)
	{
		make(handle, last);
		world.wall_offset -= 9 * SEC;
		for (int n = 0; n < 100; n++) {
			world.mono += 700000;
			make(handle, id);
			assert_after(formats[i], id, last);
			memcpy(last, id, sizeof(last));
		}
		/* The lag shrinks from the first call on, which finds the step.
		 */
		assert_int_equal(lag_of(handle),
				 9 * SEC - 700000 - 99 * 350000);
		assert_int_equal(epoch_of(handle), 1);
		world.wall_offset = WALL;
	}
}

/* A single may be a window ahead of the clock, a batch half of that. */
TEST(waits_at_the_end_of_the_window)
{
	unsigned char ids[3 * WINDOW * 16];

	fake_kernel.max_ahead = WINDOW;
	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		int64_t from = world.mono;
		size_t made;

		world.nap_errno = EINTR;
		made = kuid_many(handle, ids, 3 * WINDOW);
		/* The present nanosecond and the rest of the half window. */
		assert_int_equal(made, WINDOW / 2 + 1);
		errno = 0;
		assert_error(kuid_many(handle, ids, 2), EINTR);
		while (!kuid_one(handle, ids))
			made++;
		assert_int_equal(errno, EINTR);
		assert_int_equal(made, WINDOW + 1);
		assert_int_equal(world.mono, from);
		assert_time(formats[i], ids, wall() + WINDOW, wall() + WINDOW);
		assert_makes_none(handle, EINTR);

		/* A single gets its stamp when it is due. */
		world.nap_errno = 0;
		make(handle, ids);
		assert_int_equal(world.mono, from + 1);
		assert_time(formats[i], ids, wall() + WINDOW, wall() + WINDOW);
		/* A batch waits for its own part of the window. */
		make_all(handle, ids, 3 * WINDOW);
		assert_int_equal(world.mono,
				 from + 1 + 3 * WINDOW + WINDOW / 2);
		assert_true(are_in_order(formats[i], ids, 3 * WINDOW));

		/* A file that does not block. */
		world.nap_errno = EINTR;
		while (!kuid_one(handle, ids))
			;
		world.naps = 0;
		assert_int_equal(fcntl(kuid_fd(handle), F_SETFL, O_NONBLOCK),
				 0);
		assert_makes_none(handle, EAGAIN);
		assert_int_equal(world.mono,
				 from + 1 + 3 * WINDOW + WINDOW / 2);
		world.mono += WINDOW;
		assert_int_equal(kuid_many(handle, ids, 3 * WINDOW),
				 WINDOW / 2);
		errno = 0;
		assert_error(kuid_many(handle, ids, 2), EAGAIN);
		assert_int_equal(world.naps, 0);
		assert_int_equal(epoch_of(handle), 1);
	}
}

/* At half speed a stamp comes every 2 ns. */
TEST(waits_at_half_speed)
{
	unsigned char id[16];

	fake_kernel.max_ahead = WINDOW;
	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		int64_t issued = wall(), from = world.mono;
		unsigned int made = 0;

		make(handle, id);
		world.wall_offset -= 5 * SEC;
		world.nap_errno = EINTR;
		while (!kuid_one(handle, id))
			made++;
		assert_int_equal(made, WINDOW);
		assert_time(formats[i], id, issued + WINDOW, issued + WINDOW);
		world.nap_errno = 0;
		for (int n = 1; n < 50; n++) {
			make(handle, id);
			assert_int_equal(world.mono, from + 2 * n);
			assert_time(formats[i], id, issued + WINDOW + n,
				    issued + WINDOW + n);
		}
		world.wall_offset = WALL;
	}
}

/* Local lanes have the same window as those of the kernel by default. */
TEST(local_lanes_have_a_window)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V7, KUID_LOCAL);
	unsigned char ids[20 * 16];

	world.nap_errno = EINTR;
	world.wall_offset += AHEAD - 5;
	make(handle, ids);
	world.wall_offset -= AHEAD - 5;
	errno = 0;
	assert_error(kuid_many(handle, ids, 20), EINTR);
	for (int i = 0; i < 5; i++)
		make(handle, ids);
	assert_makes_none(handle, EINTR);
	assert_time(KUID_FORMAT_V7, ids, wall() + AHEAD, wall() + AHEAD);
	kuid_close(handle);
}

static void assert_of_present_lane(unsigned int format, const void *id)
{
	if (format != KUID_FORMAT_V7)
		assert_int_equal(fake_kernel_generation_of(node_of(format, id)),
				 fake_kernel_generation());
}

/* The hypervisor's number changes, and the kernel is not notified. */
static uint64_t nodes_before;

static void do_clone(void)
{
	nodes_before = fake_kernel.shared->nodes;
	fake_kernel_clone();
}

static void assert_not_of_twin(unsigned int format, const void *id)
{
	if (format != KUID_FORMAT_V7)
		assert_true((node_of(format, id) & 0xffffff) > nodes_before);
}

/*
 * Lanes end between two calls, and at each point of a call. The IDs of a call
 * are of the present lane, also of a batch that waits.
 */
static void end_lanes(void (*end)(void),
		      void (*check)(unsigned int format, const void *id))
{
	static const size_t counts[] = { 1, WINDOW / 3, 2 * WINDOW };
	unsigned char ids[2 * WINDOW * 16];

	fake_kernel.max_ahead = WINDOW;
	world.oversleep = WINDOW / 8;
	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		unsigned int at;

		make(handle, ids);
		check(formats[i], ids);
		for (uint64_t epoch = 2; epoch < 10; epoch++) {
			end();
			make_all(handle, ids, 3);
			for (int n = 0; n < 3; n++)
				check(formats[i], ids + 16 * n);
			assert_int_equal(epoch_of(handle), epoch);
			assert_int_equal(status_of(handle).made_by,
					 KUID_MADE_BY_LANE);
		}
		/* A lane that can go on, and one that is replaced. */
		for (int n = 0; n < 6; n++) {
			size_t count = counts[n / 2];

			for (at = 1; at < 1000; at++) {
				world.mono += SEC;
				if (n % 2)
					end();
				act_at(at, end);
				make_all(handle, ids, count);
				if (world.act)
					break;
				for (size_t k = 0; k < count; k++)
					check(formats[i], ids + 16 * k);
				assert_true(
					are_in_order(formats[i], ids, count));
			}
			world.act = NULL;
			assert_in_range(at, n == 4 ? 10 : n % 2 ? 6 : 2, 999);
		}
	}
	assert_int_equal(fake_kernel.shared->ids, 0);
}

TEST(generations_end_lanes)
{
	end_lanes(fake_kernel_change, assert_of_present_lane);
}

TEST(clones_end_lanes)
{
	fake_kernel.has_vmclock = true;
	nodes_before = 0;
	end_lanes(do_clone, assert_not_of_twin);
}

/* Whether a word of vmclock ends a lane. */
static bool ends_lanes(unsigned int flag, int word)
{
	struct kuid *handle = open_lane(KUID_FORMAT_V1, flag);
	unsigned char id[16];
	uint64_t epoch;

	fake_kernel.shared->vmclock[word]++;
	make(handle, id);
	epoch = epoch_of(handle);
	kuid_close(handle);
	return epoch == 2;
}

/* Devices of all kinds, and what lanes take from them. */
TEST(vmclock_has_one_number)
{
	static const struct {
		uint64_t magic, version, flags;
		bool generation, disruptions;
	} rows[] = {
		{ 0x10004b4c4356, 1, 0x100, true, false },
		{ 0x704b4c4356, 0xffffffffffff0001, ~0ULL, true, false },
		{ 0x6f4b4c4356, 1, 0x100, false, true },
		{ 0x204b4c4356, 1, 0x1ff, false, true },
		{ 0x10004b4c4356, 1, 0xff, false, true },
		{ 0x1f4b4c4356, 1, 0x100, false, false },
		{ 0x10004b4c4357, 1, 0x100, false, false },
		{ 0x10004b4c4356, 2, 0x100, false, false },
	};
	uint64_t *words = fake_kernel.shared->vmclock;
	const struct kuid_status status = { .clones = KUID_CLONES_SEEN };

	assert_int_equal(kuid_lane_clones(&status), 0);
	fake_kernel.has_vmclock = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		words[FAKE_VMCLOCK_MAGIC] = rows[i].magic;
		words[FAKE_VMCLOCK_VERSION] = rows[i].version;
		words[FAKE_VMCLOCK_FLAGS] = rows[i].flags;
		for (int n = 0; n < NR_KINDS; n++) {
			assert_int_equal(ends_lanes(kinds[n],
						    FAKE_VMCLOCK_GENERATION),
					 rows[i].generation);
			assert_int_equal(ends_lanes(kinds[n],
						    FAKE_VMCLOCK_DISRUPTIONS),
					 rows[i].disruptions);
		}
		assert_int_equal(kuid_lane_clones(&status),
				 rows[i].generation || rows[i].disruptions
					 ? KUID_CLONES_SEEN
					 : 0);
	}
}

/* Events before some calls of a handle, and the maker of their IDs. */
struct turn {
	bool change; /* the generation */
	int lane_errno, make_errno;
	int error;
	unsigned int made_by;
	uint64_t epoch;
};

static void take_turns(struct kuid *handle, const struct turn *turns,
		       size_t count)
{
	struct fake_shared *shared = fake_kernel.shared;
	unsigned char ids[250 * 16];

	for (const struct turn *turn = turns; turn < turns + count; turn++) {
		bool by_device = turn->made_by == KUID_MADE_BY_KERNEL;
		bool refused = by_device && turn->change;
		uint64_t made = shared->ids, asked = shared->refused;

		fake_kernel.lane_errno = turn->lane_errno;
		fake_kernel.make_errno = turn->make_errno;
		if (turn->change)
			fake_kernel_change();
		if (turn->error) {
			assert_makes_none(handle, turn->error);
		} else {
			make(handle, ids);
			make_all(handle, ids, 250);
			if (!by_device)
				assert_of_present_lane(handle->layout->format,
						       ids);
			assert_int_equal(shared->ids - made,
					 by_device ? 251 : 0);
			assert_int_equal(shared->refused - asked, refused);
			assert_int_equal(status_of(handle).made_by,
					 turn->made_by);
		}
		assert_int_equal(epoch_of(handle), turn->epoch);
		assert_int_equal(lag_of(handle), 0);
	}
}

/*
 * While the kernel hands out no node, the device makes the IDs. The kernel is
 * asked once in a generation. An error that is not a refusal is the call's, and
 * the next call asks again.
 */
static void device_takes_over(int refusal)
{
	const struct turn turns[] = {
		{ false, 0, 0, 0, KUID_MADE_BY_LANE, 1 },
		/* The lane ends with its generation, not before. */
		{ false, refusal, 0, 0, KUID_MADE_BY_LANE, 1 },
		{ true, refusal, 0, 0, KUID_MADE_BY_KERNEL, 2 },
		{ false, refusal, 0, 0, KUID_MADE_BY_KERNEL, 2 },
		{ false, refusal, ESTALE, ESTALE, KUID_MADE_BY_KERNEL, 2 },
		{ true, refusal, 0, 0, KUID_MADE_BY_KERNEL, 3 },
		{ false, 0, 0, 0, KUID_MADE_BY_KERNEL, 3 },
		{ true, 0, 0, 0, KUID_MADE_BY_LANE, 4 },
		{ true, EPERM, 0, EPERM, KUID_MADE_BY_LANE, 4 },
		{ false, 0, 0, 0, KUID_MADE_BY_LANE, 5 },
	};

	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		take_turns(handle, turns, sizeof(turns) / sizeof(*turns));
	}
}

/* At first, the kernel's random generator may not be ready. */
TEST(device_takes_over_from_lanes)
{
	static const struct turn turns[] = {
		{ false, EAGAIN, 0, 0, KUID_MADE_BY_KERNEL, 1 },
		{ true, 0, 0, 0, KUID_MADE_BY_LANE, 2 },
	};

	device_takes_over(EAGAIN);
	device_takes_over(EOPNOTSUPP);
	for (size_t i = 0; i < NR_FORMATS; i++) {
		struct kuid *handle;

		fake_kernel.lane_errno = EAGAIN;
		handle = open_lane(formats[i], KUID_PRIVATE);
		take_turns(handle, turns, 2);
		kuid_close(handle);
	}
}

static struct kuid *closed;

static void do_change_and_close(void)
{
	fake_kernel_change();
	close(kuid_fd(closed));
}

/* The first reading was too old for the window, the next one is not. */
static void do_go_on(void)
{
	world.mono += SEC;
	act_at(1, do_change_and_close);
}

static void assert_untouched(struct kuid *handle, int file)
{
	int ours = kuid_fd(handle);
	uint64_t foreign = fake_kernel.shared->foreign;

	assert_int_equal(dup2(file, ours), ours);
	assert_makes_none(handle, EBADF);
	assert_int_equal(fake_kernel.shared->foreign, foreign);
}

/*
 * A program closes the handle's file, and another file gets its number. The
 * lane goes on, but no request is made to the other file, and nothing is read
 * from it.
 */
TEST(foreign_files_are_left_alone)
{
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", 0);
	int ends[2];
	char byte;

	assert_true(zero >= 0 && null >= 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "0123456789abcdefX", 17), 17);
	fake_kernel.max_ahead = WINDOW;
	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		unsigned char ids[3 * WINDOW * 16];

		closed = handle;
		close(kuid_fd(handle));
		make(handle, ids);
		/* The call waits, and does not fail without the file. */
		make_all(handle, ids, 3 * WINDOW);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		assert_int_equal(dup2(ends[0], kuid_fd(handle)),
				 kuid_fd(handle));
		make_all(handle, ids, 3 * WINDOW);

		close(kuid_fd(handle));
		fake_kernel_change();
		assert_makes_none(handle, EBADF);
		assert_untouched(handle, ends[0]);
		assert_untouched(handle, zero);
		assert_int_equal(dup2(null, kuid_fd(handle)), kuid_fd(handle));
		make(handle, ids);

		/* At the last moment: the ID was stored, but is not made. */
		world.wall_offset -= 2 * WINDOW;
		act_at(1, do_go_on);
		assert_makes_none(handle, EBADF);
		assert_null(world.act);

		/* While the device makes the IDs. */
		assert_int_equal(dup2(null, kuid_fd(handle)), kuid_fd(handle));
		fake_kernel.lane_errno = EAGAIN;
		fake_kernel_change();
		make_all(handle, ids, 2);
		close(kuid_fd(handle));
		assert_makes_none(handle, EBADF);
		assert_untouched(handle, ends[0]);
		assert_untouched(handle, zero);
		fake_kernel.lane_errno = 0;
	}
	for (int i = 0; i < 17; i++) {
		assert_int_equal(read(ends[0], &byte, 1), 1);
		assert_int_equal(byte, "0123456789abcdefX"[i]);
	}
	close(ends[0]);
	close(ends[1]);
	close(zero);
	close(null);
}

/* A handle that is closed does not close the file that took its number. */
TEST(foreign_files_are_left_open)
{
	const unsigned int flags[] = { 0, KUID_PRIVATE };

	for (size_t i = 0; i < 2; i++) {
		struct kuid *handle = open_lane(KUID_FORMAT_V7, flags[i]);
		int ours = kuid_fd(handle), zero = open("/dev/zero", O_RDONLY);

		assert_int_equal(dup2(zero, ours), ours);
		kuid_close(handle);
		assert_int_equal(close(ours), 0);
		close(zero);

		handle = open_lane(KUID_FORMAT_V7, flags[i]);
		ours = kuid_fd(handle);
		/* Another program doesn't inherit it. */
		assert_int_equal(fcntl(ours, F_GETFD), FD_CLOEXEC);
		kuid_close(handle);
		errno = 0;
		assert_error(close(ours), EBADF);
	}
}

static void assert_made(struct kuid *handle, unsigned int format,
			unsigned int order)
{
	unsigned char ids[2][ID_SIZE];

	assert_int_equal(kuid_make(handle, format, order, 0, ids, 2), 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(ids[i][6] >> 4, format == KUID_FORMAT_V1 ? 1
						 : format == KUID_FORMAT_V6
							 ? 6
							 : 7);
}

/* One handle makes all that its lane can make, or the device. */
TEST(requests_have_formats_of_their_own)
{
	unsigned char id[ID_SIZE];

	EACH(handle, flag, i)
	{
		for (size_t n = 0; n < NR_FORMATS; n++) {
			assert_made(handle, formats[n], KUID_ORDER_DEFAULT);
			assert_made(handle, formats[n], KUID_ORDER_FILE);
		}
		assert_made(handle, KUID_FORMAT_V7, KUID_ORDER_DEFAULT);
		assert_error(kuid_make(handle, KUID_FORMAT_K64, 0, 0, id, 1),
			     EOPNOTSUPP);
		assert_error(kuid_make(handle, KUID_FORMAT_V7, KUID_ORDER_HOST,
				       0, id, 1),
			     EOPNOTSUPP);
		assert_error(kuid_make(handle, no_format(), 0, 0, id, 1),
			     EINVAL);
		assert_error(kuid_make(handle, KUID_ANY_UUID, 0, 0, id, 1),
			     EINVAL);
		assert_error(kuid_make(handle, KUID_FORMAT_V7, 0, 2, id, 1),
			     EINVAL);
	}
}

/* A call that may not wait gets what there is, and then an error. */
TEST(requests_can_refuse_to_wait)
{
	unsigned char ids[4 * WINDOW * ID_SIZE];
	ssize_t made;

	fake_kernel.max_ahead = WINDOW;
	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		made = kuid_make(handle, 0, 0, KUID_NOWAIT, ids, 4 * WINDOW);
		assert_in_range(made, 1, 4 * WINDOW - 1);
		assert_error(kuid_make(handle, 0, 0, KUID_NOWAIT, ids,
				       4 * WINDOW),
			     EAGAIN);
		assert_int_equal(world.naps, 0);
		assert_int_equal(kuid_make(handle, 0, 0, 0, ids, 4 * WINDOW),
				 4 * WINDOW);
		assert_in_range(world.naps, 1, UINT32_MAX);
		world.naps = 0;
	}
}

static unsigned int handled;

static void make_in_handler(int signal)
{
	handled += !kuid_one(other, others);
}

static void do_raise(void)
{
	raise(SIGUSR1);
}

/*
 * A signal arrives at each point of a call in turn, also where the call holds a
 * lock. The handler makes an ID by the same handle. The call goes on, waits for
 * the clock to catch up, or gets another lane.
 */
TEST(handlers_can_make_ids)
{
	struct sigaction action = { .sa_handler = make_in_handler };
	const int64_t steps[] = { 0, 1000, -SEC, -60 * SEC };
	unsigned char last[16], id[16];

	sigaction(SIGUSR1, &action, NULL);
	alarm(HANG_SEC);
	EACH(handle, flag, i)
	{
		other = handle;
		for (size_t n = 0; n < 4; n++) {
			unsigned int at;

			for (at = 1; at < 1000; at++) {
				make(handle, last);
				handled = 0;
				world.wall_offset += steps[n];
				act_at(at, do_raise);
				make(handle, id);
				if (!handled)
					break;
				assert_int_equal(handled, 1);
				assert_memory_not_equal(id, others, 16);
				if (n < 3) {
					assert_after(formats[i], id, last);
					assert_after(formats[i], others, last);
				}
				/* Let the clock catch up. */
				world.mono += 3600 * SEC;
			}
			world.act = NULL;
			assert_in_range(at, n < 2 ? 2 : 6, 999);
		}
	}
	alarm(0);
	signal(SIGUSR1, SIG_DFL);
}

/* A signal ends a wait, though the lane is over then. */
TEST(signals_end_waits)
{
	struct kuid *handle;
	unsigned char id[16];

	fake_kernel.max_ahead = WINDOW;
	handle = open_lane(KUID_FORMAT_V1, KUID_PRIVATE);
	world.nap_errno = EINTR;
	while (!kuid_one(handle, id))
		;
	assert_int_equal(errno, EINTR);
	world.nap_act = fake_kernel_change;
	errno = 0;
	assert_error(kuid_one(handle, id), EINTR);
	world.nap_act = NULL;
	make(handle, id);
	assert_of_present_lane(KUID_FORMAT_V1, id);
	kuid_close(handle);
}

static void *wait_for_one(void *handle)
{
	static unsigned char ids[3 * WINDOW * 16];

	kuid_many(handle, ids, 3 * WINDOW);
	return NULL;
}

TEST(cancelled_waits_leave_nothing)
{
	struct kuid *handle;
	unsigned char id[16], last[16];

	fake_kernel.max_ahead = WINDOW;
	handle = open_lane(KUID_FORMAT_V1, KUID_PRIVATE);
	alarm(HANG_SEC);
	for (int i = 0; i < 5; i++) {
		pthread_t thread;
		void *result;

		world.sleeps_long = true;
		world.napping = false;
		assert_int_equal(
			pthread_create(&thread, NULL, wait_for_one, handle), 0);
		while (!__atomic_load_n(&world.napping, __ATOMIC_ACQUIRE))
			sched_yield();
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		/* No lock is held. */
		world.sleeps_long = false;
		make(handle, last);
		fake_kernel_change();
		make(handle, id);
		assert_int_equal(epoch_of(handle), i + 2);
	}
	alarm(0);
	kuid_close(handle);
}

static void *open_and_close(void *unused)
{
	int state;

	/* Pending from here on, until the first cancellation point. */
	pthread_cancel(pthread_self());
	for (unsigned int format = 0; format < no_format(); format++) {
		for (unsigned int flag = 0; flag < 7; flag++) {
			struct kuid *handle = kuid_open_flags(format, flag);
			struct kuid_handle_status status;
			unsigned char ids[32];

			if (!handle)
				continue;
			kuid_read_handle_status(handle, &status);
			if (!status.epoch) {
				kuid_close(handle);
				continue;
			}
			/* At once, slowly, and in another lane. */
			kuid_one(handle, ids);
			kuid_many(handle, ids, 2);
			world.wall_offset -= SEC;
			kuid_one(handle, ids);
			world.wall_offset += SEC;
			fake_kernel_change();
			kuid_one(handle, ids);
			kuid_close(handle);
		}
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return &world;
}

TEST(lanes_are_no_cancellation_points)
{
	pthread_t thread;
	void *result;

	for (int n = 0; n < 2; n++) {
		assert_int_equal(
			pthread_create(&thread, NULL, open_and_close, NULL), 0);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_ptr_equal(result, &world);
		fake_kernel.open_errno = ENOENT;
	}
}

/* A duration of any magnitude. */
static int64_t random_step(void)
{
	static const int64_t most[] = {
		1, 10, WINDOW, MS, SEC, 3 * SEC, 9 * SEC, 20 * SEC,
	};

	return random_below(most[random_below(8)] + 1);
}

/*
 * Calls of all kinds, clocks that are set in all ways, and lanes that end at
 * any time. Each epoch has its own node and its order, and all times keep the
 * bound.
 */
TEST(anything_happens)
{
	unsigned char ids[2 * WINDOW * 16];

	fake_kernel.max_ahead = WINDOW;
	world.oversleep = WINDOW / 8;
	EACH_FORMAT(handle, KUID_PRIVATE, i)
	{
		unsigned char highest[16] = { 0 };
		uint64_t epoch = 1, lanes = 1;

		for (int n = 0; n < 20000; n++) {
			size_t count = random_below(3)
					       ? 1
					       : random_below(2 * WINDOW) + 1;
			int64_t from, lag;

			if (!random_below(4))
				world.mono += random_step();
			if (!random_below(10))
				world.wall_offset -= random_step();
			if (!random_below(10))
				world.wall_offset += random_step();
			if (!random_below(100))
				fake_kernel_change();
			if (!random_below(100))
				act_at(1 + random_below(10),
				       fake_kernel_change);
			if (!random_below(100))
				act_at(1 + random_below(10), do_set_back);
			from = wall();
			lag = lag_of(handle);
			make_all(handle, ids, count);
			if (epoch_of(handle) == epoch)
				assert_after(formats[i], ids, highest);
			lanes += epoch_of(handle) != epoch;
			epoch = epoch_of(handle);
			assert_true(are_in_order(formats[i], ids, count));
			memcpy(highest, ids + 16 * count - 16, 16);
			if (lag < lag_of(handle))
				lag = lag_of(handle);
			/* The wall clock may have been set back meanwhile. */
			if (from <= wall()) {
				assert_time(formats[i], ids, from,
					    wall() + LIMIT + WINDOW);
				from = wall();
			}
			assert_true(time_of(formats[i], highest) <=
				    from + lag + WINDOW);
		}
		world.act = NULL;
		assert_true(lanes > 100);
	}
}

/*
 * A cancelled thread does not return from its functions, so the sanitizer takes
 * their variables for live. When such a thread ends, it must not use the stack
 * to give back the sanitizer's own stack for signals.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "use_sigaltstack=0";
}

int main(void)
{
	return run_cases("private", set_up, NULL);
}
