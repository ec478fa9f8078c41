// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module loaded again and again, with one identity and its state saved
 * between, while the clock is set back to times that there were before: no ID
 * is made in two of the loads. The variable RELOADS says how often. Leaves the
 * module loaded or not, as it was found, and the clock.
 */
#include "../../kselftest_harness.h"

#include "../lib/admin.h"
#include "../lib/skip.h"

#define RELOADS		20
#define READERS_MAX	4
#define BATCH		64

/* Of one load each. */
#define PER_READER	1500

struct record {
	__u8 id[ID_SIZE_MAX];
	__u16 format;
	__u16 load;
};

struct shared {
	bool stop;
	size_t nr[READERS_MAX];
	struct record at[READERS_MAX][PER_READER];
};

FIXTURE(reload) {
	bool was_loaded;
	__u64 set_back;
};

static bool set_clock_by(__s64 ns)
{
	__u64 now = clock_ns() + ns;
	const struct timespec to = {
		.tv_sec = now / NSEC_PER_SEC,
		.tv_nsec = now % NSEC_PER_SEC,
	};

	return !clock_settime(CLOCK_REALTIME, &to);
}

FIXTURE_SETUP(reload)
{
	self->was_loaded = is_loaded();
	if (!module_path())
		SKIP_TEST(NO_MODULE);
	if (self->was_loaded)
		ASSERT_EQ(0, unload());
}

FIXTURE_TEARDOWN(reload)
{
	if (is_loaded())
		EXPECT_EQ(0, unload());
	EXPECT_TRUE(set_clock_by(self->set_back));
	if (self->was_loaded)
		EXPECT_EQ(0, load(""));
}

/* In a child: whatever there is, until there is no more room or told to. */
static int read_all(struct shared *shared, int reader, int cpu, int nr_load,
		    __u32 seed)
{
	static __u8 ids[BATCH * ID_SIZE_MAX];
	int fd = open(DEV_KUID, O_RDONLY);
	long i;

	if (fd < 0 || move_to_cpu(0, cpu))
		return 1;
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		const struct format *f = &formats[pick(&seed) % NR_FORMATS];
		__u32 count = pick(&seed) & 1 ? 1 : 1 + pick(&seed) % BATCH;
		long got = take(fd, f, KUID_ORDER_CPU + pick(&seed) % 3, ids,
				count, NULL);

		if (got < 1)
			return 2;
		for (i = 0; i < got; i++) {
			struct record *r;

			if (shared->nr[reader] == PER_READER)
				return 0;
			r = &shared->at[reader][shared->nr[reader]++];
			memset(r, 0, sizeof(*r));
			memcpy(r->id, id_at(f, ids, i), f->id_size);
			r->format = f->number;
			r->load = nr_load;
		}
	}
	return 0;
}

static int compare_records(const void *a, const void *b)
{
	const struct record *one = a, *other = b;

	if (one->format != other->format)
		return one->format < other->format ? -1 : 1;
	return memcmp(one->id, other->id, sizeof(one->id));
}

TEST_F_TIMEOUT(reload, repeats_nothing, 900)
{
	int cpus[READERS_MAX], nr_cpus = allowed_cpus(cpus, READERS_MAX);
	const char *text = getenv("RELOADS");
	int loads = text ? atoi(text) : RELOADS;
	struct record *all;
	struct shared *shared;
	__u32 seed = pick_seed();
	__u64 ceiling = 0;
	size_t total = 0;
	size_t i;
	int nr, k;

	TH_LOG("seed %u, %d loads", seed, loads);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	all = malloc((size_t)loads * nr_cpus * PER_READER * sizeof(*all));
	ASSERT_NE(NULL, all);

	for (nr = 0; nr < loads; nr++) {
		pid_t pids[READERS_MAX];
		struct kuid_state state;
		__u64 began = clock_ns();
		__u64 back;
		int fd;

		memset(shared->nr, 0, sizeof(shared->nr));
		shared->stop = false;
		ASSERT_EQ(0, load("state=required " ALL_PARAMS));
		fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, restore_floor(fd, ceiling));
		ASSERT_EQ(0, get_state(fd, &state));
		ceiling = state.wall_ns > ceiling ? state.wall_ns : ceiling;
		/* Soon come to, at times. */
		ceiling += AHEAD_NS + (1 + pick(&seed) % 1000) * NSEC_PER_MSEC;
		ASSERT_EQ(0, acknowledge(fd, ceiling));
		for (k = 0; k < nr_cpus; k++) {
			__u32 own = pick(&seed);

			pids[k] = fork();
			ASSERT_LE(0, pids[k]);
			if (!pids[k])
				_exit(read_all(shared, k, cpus[k], nr, own));
		}
		usleep(pick(&seed) % 50000);
		__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
		/* Who has come to the ceiling waits for a higher one. */
		ceiling += NSEC_PER_SEC;
		ASSERT_EQ(0, acknowledge(fd, ceiling));
		for (k = 0; k < nr_cpus; k++) {
			EXPECT_EQ(0, exit_status(pids[k]));
			memcpy(all + total, shared->at[k],
			       shared->nr[k] * sizeof(*all));
			total += shared->nr[k];
		}
		/* An orderly end, by turns with what a crash would leave. */
		if (pick(&seed) & 1) {
			ASSERT_EQ(0, get_state(fd, &state));
			ceiling = state.slot_ns > state.stamp_ns ?
				  state.slot_ns : state.stamp_ns;
			ASSERT_EQ(0, acknowledge(fd, ceiling));
		}
		close(fd);
		ASSERT_EQ(0, unload());
		/* Or the clock alone would tell loads apart. */
		back = clock_ns() - began;
		ASSERT_TRUE(set_clock_by(-(__s64)back));
		self->set_back += back;
	}

	TH_LOG("%zu IDs", total);
	ASSERT_LT(loads, total);
	qsort(all, total, sizeof(*all), compare_records);
	for (i = 1; i < total; i++) {
		ASSERT_NE(0, compare_records(&all[i - 1], &all[i])) {
			TH_LOG("a %s of load %u again in load %u",
			       format_of(all[i].format)->name, all[i - 1].load,
			       all[i].load);
		}
	}
	free(all);
	munmap(shared, sizeof(*shared));
}

TEST_HARNESS_MAIN
