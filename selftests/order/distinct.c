// SPDX-License-Identifier: GPL-2.0-only
/*
 * No ID of any format is given twice, whatever the processes, files, calls and
 * CPUs, as unique.c has it for v1; and no slot of the grid that three formats
 * have in common.
 */
#include "../../kselftest_harness.h"

#include "../lib/formats.h"

#define EACH		100000U

enum {
	TAKERS = 4,
};

/* Exit status of a child that found something wrong. */
enum {
	FILE_FAILED = 1,
	COUNT_WRONG,
};

/* IDs of one process, in the order it was given them. */
struct sequence {
	const struct format *f;
	__u8 *ids;
};

static void *share_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static int take_each(const struct sequence *to, int fd, __u32 seed)
{
	const struct format *f = to->f;
	__u32 nr = 0;

	while (nr < EACH) {
		__u8 *ids = to->ids + nr * f->id_size;
		bool by_read = pick(&seed) & 1;
		__u32 n = pick(&seed) & 0xff;
		long got;

		n = n < 2 ? 4096 : n < 80 ? 7 : 1;
		if (n > EACH - nr)
			n = EACH - nr;
		got = by_read ? read_ids(f, fd, ids, n) :
				generate_ids(f, fd, ids, n);
		if (got != n)
			return COUNT_WRONG;
		nr += n;
	}
	return 0;
}

/*
 * Two have a CPU each and share a file if they take the same format. Two have a
 * file each and are moved from CPU to CPU, also in the middle of a call.
 */
static void take_all(struct __test_metadata *_metadata,
		     const struct sequence *sequences)
{
	const struct format *f = sequences[0].f;
	int *running = share_memory(sizeof(*running));
	int shared_fd = open_node(f, "", 0);
	__u32 seed = pick_seed();
	pid_t children[TAKERS];
	unsigned int moves = 0;
	int cpus[2];
	int status;
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

		children[s] = fork();
		ASSERT_LE(0, children[s]);
		if (children[s])
			continue;

		if (s < 2)
			move_to_cpu(0, cpus[s]);
		if (s >= 2 || sequences[s].f != f)
			fd = open_node(sequences[s].f, "", 0);
		if (fd >= 0)
			ret = take_each(&sequences[s], fd, seed + s);
		__atomic_sub_fetch(running, 1, __ATOMIC_RELAXED);
		_exit(ret);
	}

	/* None of them has been waited for: the numbers are still theirs. */
	while (__atomic_load_n(running, __ATOMIC_RELAXED)) {
		move_to_cpu(children[2], cpus[moves / 2 % 2]);
		move_to_cpu(children[3], cpus[moves % 2]);
		moves++;
	}
	for (s = 0; s < TAKERS; s++) {
		ASSERT_EQ(children[s], waitpid(children[s], &status, 0));
		ASSERT_TRUE(WIFEXITED(status));
		ASSERT_EQ(0, WEXITSTATUS(status));
	}
	close(shared_fd);
}

typedef struct words (*key_of_t)(const struct format *f, const void *id);

static struct words key_of_slot(const struct format *f, const void *id)
{
	struct fields fields = { 0 };

	decode(f, id, &fields);
	return (struct words) { 0, fields.slot };
}

/*
 * All IDs are well-formed, and each sequence increases. Then equal keys lie
 * next to one another when the sequences are merged.
 */
static void check_sequences(struct __test_metadata *_metadata,
			    const struct sequence *sequences, key_of_t key_of)
{
	struct words heads[TAKERS];
	size_t at[TAKERS] = { 0 };
	struct words last = { 0 };
	struct fields fields;
	size_t i;
	int s;

	for (s = 0; s < TAKERS; s++) {
		const struct format *f = sequences[s].f;
		struct words rising = { 0 };

		ASSERT_EQ(EACH, count_in_order(f, sequences[s].ids, EACH,
					       &rising)) {
			TH_LOG("sequence %d doesn't increase", s);
		}
		for (i = 0; i < EACH; i++) {
			if (!decode(f, id_at(f, sequences[s].ids, i), &fields))
				break;
		}
		ASSERT_EQ(EACH, i);
		heads[s] = key_of(f, sequences[s].ids);
	}

	for (;;) {
		int from = -1;

		for (s = 0; s < TAKERS; s++) {
			if (at[s] < EACH &&
			    (from < 0 || words_after(heads[from], heads[s])))
				from = s;
		}
		if (from < 0)
			break;
		/* The first of all is no zero. */
		ASSERT_TRUE(words_after(heads[from], last)) {
			TH_LOG("ID %zu of sequence %d is a repeat", at[from],
			       from);
		}
		last = heads[from];
		if (++at[from] < EACH)
			heads[from] = key_of(sequences[from].f,
					     id_at(sequences[from].f,
						   sequences[from].ids,
						   at[from]));
	}
}

FIXTURE(distinct) {
	struct sequence sequences[TAKERS];
};

FIXTURE_VARIANT(distinct) {
	__u32 format;
};

FIXTURE_VARIANT_ADD(distinct, v1) { KUID_FORMAT_V1 };
FIXTURE_VARIANT_ADD(distinct, v6) { KUID_FORMAT_V6 };
FIXTURE_VARIANT_ADD(distinct, v7) { KUID_FORMAT_V7 };
FIXTURE_VARIANT_ADD(distinct, lex) { KUID_FORMAT_LEX };
FIXTURE_VARIANT_ADD(distinct, k64) { KUID_FORMAT_K64 };
FIXTURE_VARIANT_ADD(distinct, k96) { KUID_FORMAT_K96 };
FIXTURE_VARIANT_ADD(distinct, k128) { KUID_FORMAT_K128 };

FIXTURE_SETUP(distinct)
{
	int s;

	for (s = 0; s < TAKERS; s++) {
		self->sequences[s].f = format_of(variant->format);
		self->sequences[s].ids = share_memory(EACH * ID_SIZE_MAX);
		ASSERT_NE(NULL, self->sequences[s].ids);
	}
}

FIXTURE_TEARDOWN(distinct)
{
}

TEST_F(distinct, four_processes)
{
	take_all(_metadata, self->sequences);
	check_sequences(_metadata, self->sequences, id_order);
}

TEST(formats_of_one_grid)
{
	static const __u32 numbers[TAKERS] = {
		KUID_FORMAT_K64, KUID_FORMAT_K96, KUID_FORMAT_K128,
		KUID_FORMAT_K64,
	};
	struct sequence sequences[TAKERS];
	int s;

	for (s = 0; s < TAKERS; s++) {
		sequences[s].f = format_of(numbers[s]);
		sequences[s].ids = share_memory(EACH * ID_SIZE_MAX);
		ASSERT_NE(NULL, sequences[s].ids);
	}
	take_all(_metadata, sequences);
	check_sequences(_metadata, sequences, key_of_slot);
}

TEST_HARNESS_MAIN
