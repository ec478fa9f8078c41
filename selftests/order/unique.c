// SPDX-License-Identifier: GPL-2.0-only
/* No ID is given twice, whatever the processes, forks, files and CPUs. */
#include "../../kselftest_harness.h"

#include "../lib/dev_kuid.h"

#define NSEC_PER_SEC	1000000000LL

/* 1582-10-15 to 1970-01-01, in ticks (RFC 9562 section 5.1). */
#define UNIX_TICKS	0x01b21dd213814000LL

/* IDs of one process, in the order it was given them. */
struct sequence {
	struct id *ids;
	size_t nr;
};

static void *share_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/*
 * All IDs are well-formed and of one node, and each sequence increases. Then
 * equal IDs have equal keys, and lie next to one another when the sequences
 * are merged.
 */
static void check_sequences(struct __test_metadata *_metadata,
			    const struct sequence *sequences, int nr)
{
	__u64 node = id_node(sequences[0].ids);
	size_t *at = calloc(nr, sizeof(*at));
	const struct id *last = NULL;
	size_t checked = 0;
	size_t i;
	int s;

	ASSERT_NE(NULL, at);
	ASSERT_TRUE(node_is_random(node));

	for (s = 0; s < nr; s++) {
		const struct id *ids = sequences[s].ids;
		__u64 key = id_key(ids) - 1;

		ASSERT_EQ(sequences[s].nr,
			  count_rising(ids, sequences[s].nr, &key)) {
			TH_LOG("sequence %d doesn't increase", s);
		}
		for (i = 0; i < sequences[s].nr; i++) {
			if (id_version(&ids[i]) == 1 &&
			    id_variant(&ids[i]) == 2 &&
			    id_node(&ids[i]) == node)
				continue;
			ASSERT_EQ(1, id_version(&ids[i]));
			ASSERT_EQ(2, id_variant(&ids[i]));
			ASSERT_EQ(node, id_node(&ids[i]));
		}
	}

	for (;;) {
		const struct id *next = NULL;
		__u64 next_key = 0;
		int from = 0;

		for (s = 0; s < nr; s++) {
			const struct id *id = &sequences[s].ids[at[s]];

			if (at[s] == sequences[s].nr)
				continue;
			if (!next || key_after(next_key, id_key(id))) {
				next = id;
				next_key = id_key(id);
				from = s;
			}
		}
		if (!next)
			break;
		ASSERT_FALSE(last && !memcmp(last, next, sizeof(*next))) {
			TH_LOG("ID %zu of sequence %d is a repeat", at[from],
			       from);
		}
		last = next;
		at[from]++;
		checked++;
	}
	TH_LOG("%zu IDs of %d processes, no repeat", checked, nr);
	free(at);
}

static void wait_for_children(struct __test_metadata *_metadata, int nr)
{
	int status;

	while (nr--) {
		ASSERT_LT(0, wait(&status));
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_EQ(0, WEXITSTATUS(status));
	}
}

static long long now_in_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec * NSEC_PER_SEC + now.tv_nsec) / 100 + UNIX_TICKS;
}

#define EACH		(1024U * 1024)

enum {
	TAKERS = 4,
	SECOND = NSEC_PER_SEC / 100,	/* in ticks */
};

/* Exit status of a child that found something wrong. */
enum {
	FILE_FAILED = 1,
	COUNT_WRONG,
	TIME_WRONG,
};

/* Fill a sequence: by number of calls mostly single IDs, by IDs batches. */
static int take_each(int fd, __u32 seed, struct sequence *to)
{
	long long before = now_in_ticks();

	while (to->nr < EACH) {
		struct id *ids = to->ids + to->nr;
		long long after;
		take_t take;
		__u32 n;

		seed = seed * 1664525 + 1013904223;
		take = seed >> 31 ? take_by_read : take_by_generate;
		n = seed >> 16 & 0xff;
		n = !n ? 4096 : n < 80 ? 7 : 1;
		if (n > EACH - to->nr)
			n = EACH - to->nr;

		if (take(fd, ids, n) != n)
			return COUNT_WRONG;
		/* They increase, so the others lie between these two. */
		after = now_in_ticks();
		if ((long long)id_time(ids) < before - SECOND ||
		    (long long)id_time(ids + n - 1) > after + SECOND)
			return TIME_WRONG;
		before = after;
		to->nr += n;
	}
	return 0;
}

/*
 * Two have a CPU each and share a file. Two have a file each and are moved from
 * CPU to CPU, also in the middle of a call, so that more than one of them is in
 * the same lane.
 */
TEST(four_processes)
{
	struct sequence *sequences = share_memory(TAKERS * sizeof(*sequences));
	int *running = share_memory(sizeof(*running));
	int shared_fd = open(DEV_KUID, O_RDONLY);
	__u32 seed = pick_seed();
	pid_t children[TAKERS];
	unsigned int moves = 0;
	int cpus[2];
	int s, ret;

	ASSERT_NE(NULL, sequences);
	ASSERT_NE(NULL, running);
	ASSERT_LE(0, shared_fd);
	TH_LOG("seed %u", seed);
	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];

	*running = TAKERS;
	for (s = 0; s < TAKERS; s++) {
		sequences[s].ids = share_memory(EACH * sizeof(struct id));
		ASSERT_NE(NULL, sequences[s].ids);
	}
	for (s = 0; s < TAKERS; s++) {
		children[s] = fork();
		ASSERT_LE(0, children[s]);
		if (children[s])
			continue;

		ret = FILE_FAILED;
		if (s < 2)
			move_to_cpu(0, cpus[s]);
		else
			shared_fd = open(DEV_KUID, O_RDONLY);
		if (shared_fd >= 0)
			ret = take_each(shared_fd, seed + s, &sequences[s]);
		__atomic_sub_fetch(running, 1, __ATOMIC_RELAXED);
		_exit(ret);
	}

	/* None of them has been waited for: the numbers are still theirs. */
	while (__atomic_load_n(running, __ATOMIC_RELAXED)) {
		move_to_cpu(children[2], cpus[moves / 2 % 2]);
		move_to_cpu(children[3], cpus[moves % 2]);
		moves++;
	}
	wait_for_children(_metadata, TAKERS);

	for (s = 0; s < TAKERS; s++)
		ASSERT_EQ(EACH, sequences[s].nr);
	check_sequences(_metadata, sequences, TAKERS);
}

/* Each gets a file of its own and takes one ID, all released at once. */
TEST(many_processes_at_once)
{
	enum { PROCESSES = 512 };
	struct sequence sequences[PROCESSES];
	struct id *ids = share_memory(PROCESSES * sizeof(*ids));
	int gate[2];
	char c;
	int s;

	ASSERT_NE(NULL, ids);
	ASSERT_EQ(0, pipe(gate));

	for (s = 0; s < PROCESSES; s++) {
		pid_t child = fork();
		int fd;

		sequences[s].ids = &ids[s];
		sequences[s].nr = 1;
		ASSERT_LE(0, child);
		if (child)
			continue;

		close(gate[1]);
		if (read(gate[0], &c, 1))
			_exit(FILE_FAILED);
		fd = open(DEV_KUID, O_RDONLY);
		if (fd < 0)
			_exit(FILE_FAILED);
		_exit(take_by_read(fd, &ids[s], 1) == 1 ? 0 : COUNT_WRONG);
	}
	close(gate[1]);
	wait_for_children(_metadata, PROCESSES);
	check_sequences(_metadata, sequences, PROCESSES);
}

/*
 * A generator inside the process would be inherited with its state, here after
 * its first use.
 */
TEST(children_of_a_user)
{
	enum { CHILDREN = 8, IDS = 20000 };
	struct sequence sequences[CHILDREN + 1];
	struct id *ids = share_memory((CHILDREN + 1) * IDS * sizeof(*ids));
	int fd = open(DEV_KUID, O_RDONLY);
	struct id *mine;
	int s, i;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	mine = ids + CHILDREN * IDS;
	ASSERT_EQ(1, take_by_read(fd, mine, 1));

	for (s = 0; s < CHILDREN; s++) {
		pid_t child = fork();

		sequences[s].ids = ids + s * IDS;
		sequences[s].nr = IDS;
		ASSERT_LE(0, child);
		if (child)
			continue;
		for (i = 0; i < IDS; i++) {
			if (take_by_read(fd, ids + s * IDS + i, 1) != 1)
				_exit(COUNT_WRONG);
		}
		_exit(0);
	}
	for (i = 1; i < IDS; i++)
		ASSERT_EQ(1, take_by_read(fd, mine + i, 1));
	sequences[s].ids = mine;
	sequences[s].nr = IDS;
	wait_for_children(_metadata, CHILDREN);

	/* The forks came after its first ID, and its file is theirs. */
	for (s = 0; s < CHILDREN; s++)
		EXPECT_TRUE(key_after(id_key(sequences[s].ids), id_key(mine)));
	check_sequences(_metadata, sequences, CHILDREN + 1);
}

TEST_HARNESS_MAIN
