// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module is loaded many times with one given identity, so only the time
 * tells the IDs of two loads apart. No ID may repeat, and the IDs of each load
 * must be above those of all earlier loads:
 *
 * - with saved state, although the wall clock is set back between two loads;
 * - without saved state, although the last IDs of a load are as far ahead of
 *   the clock as the window allows.
 *
 * The variable RELOADS sets the number of loads. At the end, the module is
 * loaded or not, as before, and the wall clock is restored.
 */
#include "../lib/harness.h"

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/record.h"
#include "../lib/set_wall.h"
#include "../lib/watermark.h"

#define RELOADS		20
#define READERS_MAX	4
#define BATCH		64
#define BIG_BATCH	4096

/* If this many big batches don't use up the window, the machine is too slow. */
#define CALLS_MAX	400

/* A window that outlasts the unloading and loading of the module. */
#define FAR_AHEAD	"max_ahead_ms=1000 "

/* Spans of IDs that a reader keeps of one load. */
#define PER_READER	2048

/**
 * struct shared - memory of all readers
 * @stop: the readers must end
 * @taken: IDs that they took
 * @highest: the highest ID of each format, of all loads
 * @kept: the IDs of each reader in this load
 */
struct shared {
	bool stop;
	__u64 taken;
	struct watermark highest[NR_FORMATS + 1];
	struct record kept[READERS_MAX];
};

FIXTURE(reload) {
	struct shared *shared;
	__u32 seed;
	__u64 ceiling;
	__u64 set_back;
};

FIXTURE_VARIANT(reload) {
	bool saves_state;
};

FIXTURE_VARIANT_ADD(reload, with_saved_state) { true };
FIXTURE_VARIANT_ADD(reload, without_saved_state) { false };

FIXTURE_SETUP(reload)
{
	take_module(_metadata);
	self->shared = share_memory(sizeof(*self->shared));
	ASSERT_NE(NULL, self->shared);
	self->seed = pick_seed();
	TH_LOG("seed %u", self->seed);
}

FIXTURE_TEARDOWN(reload)
{
	EXPECT_EQ(0, step_wall(self->set_back));
	give_back_module(_metadata);
}

/*
 * In a child: take IDs until the parent stops it. Each must be above @former, the
 * highest IDs of earlier loads.
 */
static int read_all(struct shared *shared, int reader, int cpu, __u32 seed,
		    const struct words *former)
{
	static __u8 ids[BATCH * ID_SIZE_MAX];
	int fd = open(DEV_KUID, O_RDONLY);
	struct fields fields;
	long i;

	if (fd < 0 || move_to_cpu(0, cpu))
		return 1;
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		const struct format *f = &formats[pick(&seed) % NR_FORMATS];
		__u32 count = pick(&seed) & 1 ? 1 : 1 + pick(&seed) % BATCH;
		struct words last = former[f->number];
		long got = take(fd, f, KUID_ORDER_CPU + pick(&seed) % 3, ids,
				count, NULL);

		if (got < 1)
			return 2;
		if (count_in_order(f, ids, got, &last) != got)
			return 3;
		raise_watermark(&shared->highest[f->number], last);
		for (i = 0; i < got; i++) {
			const __u8 *id = id_at(f, ids, i);

			if (!decode(f, id, &fields) ||
			    !record_add_span(&shared->kept[reader],
					     unique_part(f, id, &fields, 1)))
				return 4;
		}
		__atomic_add_fetch(&shared->taken, got, __ATOMIC_RELAXED);
	}
	return 0;
}

static void restore(struct __test_metadata *_metadata,
		    FIXTURE_DATA(reload) *self, int fd)
{
	struct kuid_state state;

	ASSERT_EQ(0, begin_cover(fd, self->ceiling));
	ASSERT_EQ(0, get_state(fd, &state));
	if (state.wall_ns > self->ceiling)
		self->ceiling = state.wall_ns;
	/* Near enough for IDs to reach the ceiling sometimes. */
	self->ceiling += AHEAD_NS +
			 (1 + pick(&self->seed) % 1000) * NSEC_PER_MSEC;
	ASSERT_EQ(0, raise_cover(fd, self->ceiling));
}

/* Save the state in half of the loads. In the others, the machine crashes. */
static void save(struct __test_metadata *_metadata, FIXTURE_DATA(reload) *self,
		 int fd)
{
	struct kuid_state state;

	if (pick(&self->seed) & 1)
		return;
	ASSERT_EQ(0, get_state(fd, &state));
	self->ceiling = state.slot_ns > state.stamp_ns ? state.slot_ns :
							 state.stamp_ns;
	ASSERT_EQ(0, raise_cover(fd, self->ceiling));
}

/*
 * Take lex until the window is used up. The last ID becomes the highest one.
 * Returns false if the machine is too slow to use the window up.
 */
static bool run_ahead(struct shared *shared)
{
	const struct format *f = format_of(KUID_FORMAT_LEX);
	static __u8 ids[BIG_BATCH * ID_SIZE_MAX];
	int fd = open(DEV_KUID, O_RDONLY | O_NONBLOCK);
	long got = BIG_BATCH;
	int call;

	for (call = 0; call < CALLS_MAX && got == BIG_BATCH; call++) {
		got = take(fd, f, KUID_ORDER_HOST, ids, BIG_BATCH, NULL);
		if (got > 0)
			raise_watermark(&shared->highest[f->number],
					id_order(f, id_at(f, ids, got - 1)));
	}
	close(fd);
	return got == -EAGAIN || (got > 0 && got < BIG_BATCH);
}

/*
 * Let children take IDs on all CPUs for a random time. No ID may repeat.
 */
static void let_read(struct __test_metadata *_metadata,
		     FIXTURE_DATA(reload) *self, const int *cpus, int nr_cpus,
		     int fd, bool saves_state)
{
	struct shared *shared = self->shared;
	struct words former[NR_FORMATS + 1];
	pid_t pids[READERS_MAX];
	struct record all;
	int k;

	for (k = 0; k <= NR_FORMATS; k++)
		former[k] = read_watermark(&shared->highest[k]);
	shared->stop = false;
	for (k = 0; k < nr_cpus; k++) {
		__u32 own = pick(&self->seed);

		ASSERT_TRUE(record_begin(&shared->kept[k], PER_READER));
		pids[k] = fork_child();
		ASSERT_LE(0, pids[k]);
		if (!pids[k])
			_exit(read_all(shared, k, cpus[k], own, former));
	}
	usleep(pick(&self->seed) % 50000);
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
	if (saves_state) {
		/* A reader at the ceiling waits 30 s for a higher one. */
		self->ceiling += 60 * NSEC_PER_SEC;
		ASSERT_EQ(0, raise_cover(fd, self->ceiling));
	}
	ASSERT_TRUE(record_begin(&all, nr_cpus * PER_READER));
	for (k = 0; k < nr_cpus; k++) {
		ASSERT_EQ(0, exit_status(pids[k]));
		ASSERT_EQ(0, record_join(&all, &shared->kept[k]));
		record_end(&shared->kept[k]);
	}
	record_end(&all);
}

TEST_F_TIMEOUT(reload, repeats_nothing, 900)
{
	int cpus[READERS_MAX], nr_cpus = allowed_cpus(cpus, READERS_MAX);
	const char *text = getenv("RELOADS");
	int loads = text ? atoi(text) : RELOADS;
	int nr, ahead = 0;

	for (nr = 0; nr < loads; nr++) {
		__u64 began = clock_ns();
		__u64 back;
		int fd;

		ASSERT_EQ(0, load(variant->saves_state ?
				  "state=required " ALL_PARAMS :
				  FAR_AHEAD ALL_PARAMS));
		fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		if (variant->saves_state)
			restore(_metadata, self, fd);
		let_read(_metadata, self, cpus, nr_cpus, fd,
			 variant->saves_state);
		if (variant->saves_state)
			save(_metadata, self, fd);
		else
			ahead += run_ahead(self->shared);
		close(fd);
		ASSERT_EQ(0, unload());
		if (!variant->saves_state)
			continue;
		/* Otherwise the clock alone would tell the loads apart. */
		back = clock_ns() - began;
		ASSERT_EQ(0, step_wall(-(__s64)back));
		self->set_back += back;
	}

	TH_LOG("%llu IDs in %d loads",
	       (unsigned long long)self->shared->taken, loads);
	ASSERT_LT(loads, self->shared->taken);
	if (!variant->saves_state && !ahead && PASSED_SO_FAR)
		SKIP(return, TOO_SLOW);
}

TEST_HARNESS_MAIN
