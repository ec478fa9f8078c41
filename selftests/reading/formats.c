// SPDX-License-Identifier: GPL-2.0-only
/* Every format: its device files, what read() returns, and the IDs' fields. */
#include "../lib/harness.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include "../lib/formats.h"

#define BATCH		4096

FIXTURE(formats) {
	const struct format *f;
	int fd;
	struct words last;	/* order of the last ID taken */
	__u8 *ids;		/* room for BATCH IDs */
};

FORMAT_VARIANTS(formats)

FIXTURE_SETUP(formats)
{
	self->f = format_of(variant->format);
	self->fd = open_device_file(self->f, "", 0);
	ASSERT_LE(0, self->fd);
	self->last = (struct words) { 0 };
	self->ids = malloc(BATCH * ID_SIZE_MAX);
	ASSERT_NE(NULL, self->ids);
}

FIXTURE_TEARDOWN(formats)
{
	free(self->ids);
	close(self->fd);
}

/*
 * Single IDs and batches, by read and by generate: all IDs are well-formed,
 * have one node and the time of the call, and each is above all IDs before it.
 */
TEST_F(formats, fields)
{
	static const __u32 counts[] = { 1, 7, 1, 1, 33, BATCH, 1, 1025 };
	const struct format *f = self->f;
	struct fields fields;
	__u64 node = 0;
	int other = open(DEV_KUID, O_RDONLY);
	int round;
	__u32 i;

	ASSERT_LE(0, other);
	ASSERT_EQ(1, generate_ids(f, other, self->ids, 1));
	ASSERT_TRUE(decode(f, self->ids, &fields));
	node = fields.node;

	for (round = 0; round < 64; round++) {
		__u32 count = counts[round % ARRAY_SIZE(counts)];
		__u64 before = clock_ns();
		__u64 after;

		memset(self->ids, POISON, BATCH * ID_SIZE_MAX);
		ASSERT_EQ(count, round / ARRAY_SIZE(counts) % 2 ?
			  generate_ids(f, self->fd, self->ids, count) :
			  read_ids(f, self->fd, self->ids, count));
		after = clock_ns();
		ASSERT_EQ(count, count_in_order(f, self->ids, count,
						&self->last));
		for (i = 0; i < count; i++) {
			const __u8 *id = id_at(f, self->ids, i);

			ASSERT_TRUE(decode(f, id, &fields));
			ASSERT_EQ(node, fields.node);
			ASSERT_LE(before - NSEC_PER_SEC, fields.ns);
			ASSERT_GE(after + NSEC_PER_SEC, fields.ns);
		}
		ASSERT_TRUE(all_bytes(id_at(f, self->ids, count), POISON,
				      (BATCH - count) * f->id_size));
	}
	close(other);
}

/* Generate gives any format from any file; the file keeps its own format. */
TEST_F(formats, other_than_the_files_own)
{
	struct words last = { 0 };
	struct fields fields;
	int fd = open(DEV_KUID, O_RDONLY);
	int round;

	ASSERT_LE(0, fd);
	for (round = 0; round < 10; round++) {
		ASSERT_EQ(1, read_ids(format_of(KUID_FORMAT_V1), fd, self->ids,
				      1));
		ASSERT_TRUE(decode(format_of(KUID_FORMAT_V1), self->ids,
				   &fields));
		ASSERT_EQ(7, generate_ids(self->f, fd, self->ids, 7));
		ASSERT_EQ(7, count_in_order(self->f, self->ids, 7, &last));
		ASSERT_TRUE(decode(self->f, self->ids, &fields));
	}
	close(fd);
}

/* 64-bit FNV-1a on sign-extended bytes, as Cassie computes it. */
static __u64 hash_of_name(const char *name)
{
	__u64 hash = 0xcbf29ce484222325ULL;

	while (*name)
		hash = (hash ^ (__u64)(__s64)(signed char)*name++) *
		       0x100000001b3ULL;
	return hash;
}

/* v1 and v6 share one node; the others show the worker of the host name. */
TEST(nodes_and_workers)
{
	__u64 nodes[NR_FORMATS + 1];
	struct utsname host;
	struct fields fields;
	__u8 id[ID_SIZE_MAX];
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		int fd = open_device_file(&formats[i], "", 0);

		ASSERT_LE(0, fd);
		ASSERT_EQ(1, read_ids(&formats[i], fd, id, 1));
		ASSERT_TRUE(decode(&formats[i], id, &fields));
		nodes[formats[i].number] = fields.node;
		close(fd);
	}
	EXPECT_EQ(nodes[KUID_FORMAT_V1], nodes[KUID_FORMAT_V6]);
	EXPECT_EQ(nodes[KUID_FORMAT_LEX], nodes[KUID_FORMAT_K128]);
	EXPECT_EQ((nodes[KUID_FORMAT_LEX] >> 32 ^ nodes[KUID_FORMAT_LEX]) &
		  0xffffffff, nodes[KUID_FORMAT_K96]);

	ASSERT_EQ(0, uname(&host));
	if (!host.nodename[0] || !strcmp(host.nodename, "(none)") ||
	    !strcmp(host.nodename, "localhost") ||
	    !strcmp(host.nodename, "localhost.localdomain")) {
		EXPECT_NE(0, nodes[KUID_FORMAT_LEX]);
	} else {
		EXPECT_EQ(hash_of_name(host.nodename), nodes[KUID_FORMAT_LEX]);
	}
}

/* k64, k96 and k128 alternate: each slot is above all slots before it. */
TEST(one_grid)
{
	static const __u32 counts[] = { 1, 7, 1, 1, 33, 1, BATCH };
	__u8 *ids = malloc(BATCH * ID_SIZE_MAX);
	int fd = open(DEV_KUID, O_RDONLY);
	__u32 seed = pick_seed();
	struct fields fields;
	__u64 last = 0;
	int round;
	__u32 i;

	ASSERT_NE(NULL, ids);
	ASSERT_LE(0, fd);
	TH_LOG("seed %u", seed);
	for (round = 0; round < 500; round++) {
		const struct format *f =
			format_of(KUID_FORMAT_K64 + pick(&seed) % 3);
		__u32 count = counts[pick(&seed) % ARRAY_SIZE(counts)];

		ASSERT_EQ(count, generate_ids(f, fd, ids, count));
		for (i = 0; i < count; i++) {
			ASSERT_TRUE(decode(f, id_at(f, ids, i), &fields));
			ASSERT_LT(last, fields.slot) {
				TH_LOG("round %d, %s, ID %u of %u", round,
				       f->name, i, count);
			}
			last = fields.slot;
		}
	}
	close(fd);
	free(ids);
}

/* v1, v6 and v7 alternate: no time is before that of an earlier ID. */
TEST(one_clock)
{
	static const __u32 numbers[] = {
		KUID_FORMAT_V1, KUID_FORMAT_V6, KUID_FORMAT_V7,
	};
	int fd = open(DEV_KUID, O_RDONLY);
	__u32 seed = pick_seed();
	struct fields fields;
	__u8 id[ID_SIZE_MAX];
	__u64 last = 0;
	int round;

	ASSERT_LE(0, fd);
	TH_LOG("seed %u", seed);
	for (round = 0; round < 3000; round++) {
		const struct format *f = format_of(numbers[pick(&seed) % 3]);

		ASSERT_EQ(1, generate_ids(f, fd, id, 1));
		ASSERT_TRUE(decode(f, id, &fields));
		/* decode() reads v1 and v6 to 100 ns. */
		ASSERT_LE(last / 100, fields.ns / 100);
		last = fields.ns;
	}
	close(fd);
}

TEST(device_files)
{
	struct stat st;
	int nr;

	for (nr = 0; nr < NR_DEVICES; nr++) {
		int fd = open(device_of(nr).path, O_RDONLY);

		ASSERT_LE(0, fd) {
			TH_LOG("%s", device_of(nr).path);
		}
		ASSERT_EQ(0, fstat(fd, &st));
		EXPECT_TRUE(S_ISCHR(st.st_mode));
		EXPECT_EQ(0444, st.st_mode & 07777);
		EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
		EXPECT_EQ(ESPIPE, errno);
		close(fd);
	}
}

TEST_HARNESS_MAIN
