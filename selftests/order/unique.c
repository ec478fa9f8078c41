// SPDX-License-Identifier: GPL-2.0-only
/*
 * No ID of any format is given twice to any processes, forks, files, calls and
 * CPUs. No slot of the grid, which three formats share, is used twice.
 */
#include "../../kselftest_harness.h"

#include "../lib/children.h"
#include "../lib/formats.h"

#define EACH		250000U

enum {
	TAKERS = 4,
};

/* Exit status of a child that found a fault. */
enum {
	FILE_FAILED = 1,
	COUNT_WRONG,
	TIME_WRONG,
};

/* The IDs of one process, in the order in which it took them. */
struct sequence {
	const struct format *f;
	__u8 *ids;
	size_t nr;
};

static void allocate(struct __test_metadata *_metadata,
		     struct sequence *sequences, int nr,
		     const struct format *f, size_t ids)
{
	int s;

	for (s = 0; s < nr; s++) {
		sequences[s].f = f;
		sequences[s].nr = ids;
		sequences[s].ids = share_memory(ids * ID_SIZE_MAX);
		ASSERT_NE(NULL, sequences[s].ids);
	}
}

static __u64 time_of(const struct format *f, const void *id)
{
	struct fields fields;

	return decode(f, id, &fields) ? fields.ns : 0;
}

/* Fill a sequence: most calls are for one ID, most IDs come in batches. */
static int take_each(const struct sequence *to, int fd, __u32 seed)
{
	const struct format *f = to->f;
	__u64 before = clock_ns();
	size_t nr = 0;

	while (nr < to->nr) {
		__u8 *ids = to->ids + nr * f->id_size;
		bool by_read = pick(&seed) & 1;
		__u32 n = pick(&seed) & 0xff;
		__u64 after;
		long got;

		n = n < 2 ? 4096 : n < 80 ? 7 : 1;
		if (n > to->nr - nr)
			n = to->nr - nr;
		got = by_read ? read_ids(f, fd, ids, n) :
				generate_ids(f, fd, ids, n);
		if (got != n)
			return COUNT_WRONG;
		/* IDs of a call increase, so check only the first and last. */
		after = clock_ns();
		if (time_of(f, ids) + NSEC_PER_SEC < before ||
		    time_of(f, id_at(f, ids, n - 1)) > after + NSEC_PER_SEC)
			return TIME_WRONG;
		before = after;
		nr += n;
	}
	return 0;
}

static void wait_for_children(struct __test_metadata *_metadata,
			      const pid_t *children, int nr)
{
	int status;

	while (nr--) {
		ASSERT_EQ(children[nr], waitpid(children[nr], &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_EQ(0, WEXITSTATUS(status));
	}
}

/*
 * Two processes have a CPU each, and share a file if they take the same format.
 * Two have a file each and are moved from CPU to CPU, in the middle of a call
 * as well, so that more than one of them is in the same lane.
 */
static void take_all(struct __test_metadata *_metadata,
		     const struct sequence *sequences)
{
	const struct format *f = sequences[0].f;
	int *running = share_memory(sizeof(*running));
	int shared_fd = open_device_file(f, "", 0);
	__u32 seed = pick_seed();
	pid_t children[TAKERS];
	unsigned int moves = 0;
	int cpus[2];
	int s;

	ASSERT_NE(NULL, running);
	ASSERT_LE(0, shared_fd);
	TH_LOG("seed %u", seed);
	if (allowed_cpus(cpus, 2) < 2)
		cpus[1] = cpus[0];

	*running = TAKERS;
	for (s = 0; s < TAKERS; s++) {
		int fd = shared_fd;
		int ret = FILE_FAILED;

		children[s] = fork_child();
		ASSERT_LE(0, children[s]);
		if (children[s])
			continue;

		if (s < 2)
			move_to_cpu(0, cpus[s]);
		if (s >= 2 || sequences[s].f != f)
			fd = open_device_file(sequences[s].f, "", 0);
		if (fd >= 0)
			ret = take_each(&sequences[s], fd, seed + s);
		__atomic_sub_fetch(running, 1, __ATOMIC_RELAXED);
		_exit(ret);
	}

	/* No child was reaped yet, so no PID can have been reused. */
	while (__atomic_load_n(running, __ATOMIC_RELAXED)) {
		move_to_cpu(children[2], cpus[moves / 2 % 2]);
		move_to_cpu(children[3], cpus[moves % 2]);
		moves++;
	}
	wait_for_children(_metadata, children, TAKERS);
	close(shared_fd);
}

typedef struct words (*key_of_t)(const struct format *f, const void *id);

/*
 * The key that must be unique among IDs of one identity. It sorts as the IDs.
 * The random bits of a v7 are left out, because they would hide a repeated
 * stamp.
 */
static struct words key_of_id(const struct format *f, const void *id)
{
	struct words key = id_order(f, id);

	if (f->number == KUID_FORMAT_V7)
		key.low = key.low >> 47 << 47;
	return key;
}

static struct words key_of_slot(const struct format *f, const void *id)
{
	struct fields fields;

	decode(f, id, &fields);
	return (struct words) { 0, fields.slot };
}

/*
 * Check that all IDs are valid and have the first one's node, and that each
 * sequence increases. Then merge the sequences: equal keys would be neighbours.
 */
static void check_sequences(struct __test_metadata *_metadata,
			    const struct sequence *sequences, int nr,
			    key_of_t key_of)
{
	struct words *heads = calloc(nr, sizeof(*heads));
	size_t *at = calloc(nr, sizeof(*at));
	struct words last = { 0 };
	struct fields fields, first;
	size_t i;
	int s;

	ASSERT_NE(NULL, heads);
	ASSERT_NE(NULL, at);
	for (s = 0; s < nr; s++) {
		const struct format *f = sequences[s].f;
		struct words rising = { 0 };

		ASSERT_EQ(sequences[s].nr,
			  count_in_order(f, sequences[s].ids, sequences[s].nr,
					 &rising)) {
			TH_LOG("sequence %d doesn't increase", s);
		}
		/* Another format may show another part of the identity. */
		ASSERT_TRUE(decode(f, f == sequences[0].f ? sequences[0].ids :
							    sequences[s].ids,
				   &first));
		for (i = 0; i < sequences[s].nr; i++) {
			if (!decode(f, id_at(f, sequences[s].ids, i),
				    &fields) || fields.node != first.node)
				break;
		}
		ASSERT_EQ(sequences[s].nr, i) {
			TH_LOG("sequence %d: malformed, or of another node", s);
		}
		heads[s] = key_of(f, sequences[s].ids);
	}

	for (;;) {
		int from = -1;

		for (s = 0; s < nr; s++) {
			if (at[s] < sequences[s].nr &&
			    (from < 0 || words_after(heads[from], heads[s])))
				from = s;
		}
		if (from < 0)
			break;
		/* No key is 0. */
		ASSERT_TRUE(words_after(heads[from], last)) {
			TH_LOG("ID %zu of sequence %d is a repeat", at[from],
			       from);
		}
		last = heads[from];
		if (++at[from] < sequences[from].nr)
			heads[from] = key_of(sequences[from].f,
					     id_at(sequences[from].f,
						   sequences[from].ids,
						   at[from]));
	}
	free(heads);
	free(at);
}

FIXTURE(unique) {
	const struct format *f;
};

FORMAT_VARIANTS(unique)

FIXTURE_SETUP(unique)
{
	self->f = format_of(variant->format);
}

FIXTURE_TEARDOWN(unique)
{
}

TEST_F(unique, four_processes)
{
	struct sequence sequences[TAKERS];

	allocate(_metadata, sequences, TAKERS, self->f, EACH);
	take_all(_metadata, sequences);
	check_sequences(_metadata, sequences, TAKERS, key_of_id);
}

/* All processes begin at once; each opens a file and takes one ID. */
TEST_F(unique, many_processes_at_once)
{
	enum { PROCESSES = 512 };
	struct sequence sequences[PROCESSES];
	pid_t children[PROCESSES];
	int gate[2];
	char c;
	int s;

	allocate(_metadata, sequences, PROCESSES, self->f, 1);
	ASSERT_EQ(0, pipe(gate));
	for (s = 0; s < PROCESSES; s++) {
		int fd;

		children[s] = fork_child();
		ASSERT_LE(0, children[s]);
		if (children[s])
			continue;

		close(gate[1]);
		if (read(gate[0], &c, 1))
			_exit(FILE_FAILED);
		fd = open_device_file(self->f, "", 0);
		if (fd < 0)
			_exit(FILE_FAILED);
		_exit(read_ids(self->f, fd, sequences[s].ids, 1) == 1
			      ? 0 : COUNT_WRONG);
	}
	close(gate[1]);
	wait_for_children(_metadata, children, PROCESSES);
	check_sequences(_metadata, sequences, PROCESSES, key_of_id);
}

/* A generator inside the process would be copied to its children. */
TEST_F(unique, children_of_a_user)
{
	enum { CHILDREN = 8, IDS = 5000 };
	struct sequence sequences[CHILDREN + 1];
	const struct sequence *mine = &sequences[CHILDREN];
	const struct format *f = self->f;
	int fd = open_device_file(f, "", 0);
	pid_t children[CHILDREN];
	int s, i;

	ASSERT_LE(0, fd);
	allocate(_metadata, sequences, CHILDREN + 1, f, IDS);
	ASSERT_EQ(1, read_ids(f, fd, mine->ids, 1));
	for (s = 0; s < CHILDREN; s++) {
		children[s] = fork_child();
		ASSERT_LE(0, children[s]);
		if (children[s])
			continue;
		for (i = 0; i < IDS; i++) {
			if (read_ids(f, fd, sequences[s].ids + i * f->id_size,
				     1) != 1)
				_exit(COUNT_WRONG);
		}
		_exit(0);
	}
	for (i = 1; i < IDS; i++)
		ASSERT_EQ(1, read_ids(f, fd, mine->ids + i * f->id_size, 1));
	wait_for_children(_metadata, children, CHILDREN);

	/* The children inherited the file after its first ID was taken. */
	for (s = 0; s < CHILDREN; s++)
		EXPECT_TRUE(words_after(id_order(f, sequences[s].ids),
					id_order(f, mine->ids)));
	check_sequences(_metadata, sequences, CHILDREN + 1, key_of_id);
	close(fd);
}

TEST(formats_of_one_grid)
{
	static const __u32 numbers[TAKERS] = {
		KUID_FORMAT_K64, KUID_FORMAT_K96, KUID_FORMAT_K128,
		KUID_FORMAT_K64,
	};
	struct sequence sequences[TAKERS];
	int s;

	for (s = 0; s < TAKERS; s++)
		allocate(_metadata, &sequences[s], 1, format_of(numbers[s]),
			 EACH);
	take_all(_metadata, sequences);
	check_sequences(_metadata, sequences, TAKERS, key_of_slot);
}

TEST_HARNESS_MAIN
