// SPDX-License-Identifier: GPL-2.0-only
/* KUID_IOC_GENERATE: valid calls, and buffers that can't be written. */
#include "../lib/harness.h"

#include "../lib/commands.h"

#define IDS		7

FIXTURE(generate) {
	int fd;
	struct words last;	/* key of the last ID taken */
	__u64 epoch;
	__u64 load_id;
	__u32 batch_max;
	size_t page;
	__u8 *hole;	/* unmapped, behind a page of memory */
	struct id ids[IDS];
};

FIXTURE_SETUP(generate)
{
	struct kuid_query q = { 0 };
	struct kuid_generate g = {
		.buffer = (uintptr_t)self->ids,
		.count = 1,
	};

	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	self->batch_max = q.batch_max;
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	self->last = id_order(DEV_FORMAT, self->ids);
	self->epoch = g.epoch;
	self->load_id = g.load_id;
	self->page = sysconf(_SC_PAGESIZE);
	self->hole = map_before_hole();
	ASSERT_NE(NULL, self->hole);
	memset(self->hole - self->page, POISON, self->page);
}

FIXTURE_TEARDOWN(generate)
{
	close(self->fd);
}

/*
 * A valid call. The out fields are poisoned, because the kernel must not read
 * them.
 */
static struct kuid_generate valid_call(struct id *ids)
{
	struct kuid_generate g;

	memset(ids, POISON, IDS * sizeof(*ids));
	good_request(command_of(KUID_IOC_GENERATE), &g, ids, POISON);
	g.count = IDS;
	return g;
}

static void check_still_works(struct __test_metadata *_metadata, int fd,
			      struct words *last)
{
	struct id ids[IDS];
	struct kuid_generate g = valid_call(ids);

	ASSERT_EQ(0, ioctl(fd, KUID_IOC_GENERATE, &g));
	ASSERT_EQ(IDS, g.done);
	ASSERT_EQ(IDS, count_in_order(DEV_FORMAT, ids, IDS, last));
}

/*
 * One valid call, into @memory + @shift: it writes the IDs, and nothing else.
 */
static void check_taken(struct __test_metadata *_metadata,
			FIXTURE_DATA(generate) *self, struct kuid_generate g,
			__u8 *memory, int shift)
{
	struct id *ids = (struct id *)(memory + shift);
	size_t size = g.count * sizeof(*ids);
	struct kuid_generate expected;

	g.buffer = (uintptr_t)ids;
	expected = g;
	expected.done = g.count;
	expected.epoch = self->epoch;
	expected.load_id = self->load_id;
	memset(&g.done, POISON, sizeof(g.done));
	memset(&g.epoch, POISON, sizeof(g.epoch));
	memset(&g.load_id, POISON, sizeof(g.load_id));
	memset(memory, POISON, size + 2 * sizeof(*ids));

	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
	ASSERT_EQ(0, memcmp(&expected, &g, sizeof(g))) {
		TH_LOG("count %u: done %u epoch %llu", g.count, g.done,
		       g.epoch);
	}
	ASSERT_EQ(g.count, count_in_order(DEV_FORMAT, ids, g.count,
					  &self->last));
	ASSERT_TRUE(all_bytes(memory, POISON, shift));
	ASSERT_TRUE(all_bytes(memory + shift + size, POISON,
			      2 * sizeof(*ids) - shift));
}

TEST_F(generate, valid_calls)
{
	static const struct kuid_generate uses[] = {
		{ .format = KUID_FORMAT_DEFAULT, .order = KUID_ORDER_DEFAULT },
		{ .format = KUID_FORMAT_DEFAULT, .order = KUID_ORDER_FILE },
		{ .format = KUID_FORMAT_V1, .order = KUID_ORDER_DEFAULT },
		{ .format = KUID_FORMAT_V1, .order = KUID_ORDER_FILE },
		/* Host order implies file order. */
		{ .format = KUID_FORMAT_DEFAULT, .order = KUID_ORDER_HOST },
		{ .format = KUID_FORMAT_V1, .order = KUID_ORDER_HOST },
	};
	static const __u32 counts[] = { 1, 7, 4096, 100000 };
	__u8 *memory = malloc((100000 + 2) * sizeof(struct id));
	struct kuid_generate g;
	size_t c, u;

	ASSERT_NE(NULL, memory);
	ASSERT_LE(100000, self->batch_max);
	for (u = 0; u < ARRAY_SIZE(uses); u++) {
		for (c = 0; c < ARRAY_SIZE(counts); c++) {
			g = uses[u];
			g.count = counts[c];
			check_taken(_metadata, self, g, memory, 4 * u + c);
		}
	}
	free(memory);
}

/* Read and generate alternate on one file. */
TEST_F(generate, alternates_with_read)
{
	int i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(IDS, read_ids(DEV_FORMAT, self->fd, self->ids, IDS));
		ASSERT_EQ(IDS, count_in_order(DEV_FORMAT, self->ids, IDS,
					      &self->last));
		check_still_works(_metadata, self->fd, &self->last);
	}
}

static void check_buffer_faults(struct __test_metadata *_metadata,
				FIXTURE_DATA(generate) *self, __u64 buffer)
{
	static const __u32 counts[] = { 1, 7, 4096 };
	struct kuid_generate g, before;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		g = valid_call(self->ids);
		g.buffer = buffer;
		g.count = counts[i];
		before = g;
		ASSERT_EQ(-1, ioctl(self->fd, KUID_IOC_GENERATE, &g)) {
			TH_LOG("buffer %#llx was taken", g.buffer);
		}
		ASSERT_EQ(EFAULT, errno) {
			TH_LOG("buffer %#llx", g.buffer);
		}
		ASSERT_EQ(0, memcmp(&before, &g, sizeof(g)));
		check_still_works(_metadata, self->fd, &self->last);
	}
}

TEST_F(generate, bad_buffers)
{
	__u8 *start = self->hole - self->page;
	__u64 addresses[BAD_ADDRESSES_MAX];
	int nr = bad_addresses(addresses);
	int i;

	for (i = 0; i < nr; i++)
		check_buffer_faults(_metadata, self, addresses[i]);
	check_buffer_faults(_metadata, self, (uintptr_t)self->hole);
	check_buffer_faults(_metadata, self, (uintptr_t)self->hole - 15);
	ASSERT_EQ(0, mprotect(start, self->page, PROT_READ));
	check_buffer_faults(_metadata, self, (uintptr_t)start);
	ASSERT_TRUE(all_bytes(start, POISON, self->page - 15));
}

/* The call succeeds, with as many whole IDs as fit before the hole. */
TEST_F(generate, buffer_up_to_a_hole)
{
	static const __u32 counts[] = { 7, 1024, 1025, 100000 };
	size_t room, i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		for (room = 16; room < 100; room++) {
			__u8 *to = self->hole - room;
			struct kuid_generate g = valid_call(self->ids);
			struct kuid_generate expected;

			g.buffer = (uintptr_t)to;
			g.count = counts[i];
			expected = g;
			expected.done = room / 16;
			expected.epoch = self->epoch;
			expected.load_id = self->load_id;
			memset(self->hole - self->page, POISON, self->page);

			ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_GENERATE, &g));
			ASSERT_EQ(0, memcmp(&expected, &g, sizeof(g))) {
				TH_LOG("room %zu: done %u", room, g.done);
			}
			ASSERT_EQ(g.done, count_in_order(DEV_FORMAT, to, g.done,
							 &self->last));
			ASSERT_TRUE(all_bytes(self->hole - self->page, POISON,
					      self->page - room));
			check_still_works(_metadata, self->fd, &self->last);
		}
	}
}

/*
 * A call that finds only some of its IDs waits for the others, and stores them
 * behind the first ones. The IDs of the near half of the window are used up when
 * a call for many returns, so a call for a few that comes at once finds some.
 */
TEST(goes_on_behind_what_it_found)
{
	const struct format *lex = format_of(KUID_FORMAT_LEX);
	const __u32 few = 60, many = 2000;
	struct id *ids = malloc((many + few + 1) * sizeof(*ids));
	struct kuid_generate first = {
		.buffer = (uintptr_t)ids,
		.format = KUID_FORMAT_LEX,
		.count = many,
	};
	struct kuid_generate g = first;
	struct words last = { 0 };
	int fd = open(DEV_KUID, O_RDONLY);
	int i;

	ASSERT_LE(0, fd);
	ASSERT_NE(NULL, ids);
	g.buffer += many * lex->id_size;
	g.count = few;
	for (i = 0; i < 300; i++) {
		memset(ids, POISON, (many + few + 1) * sizeof(*ids));
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_GENERATE, &first));
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_GENERATE, &g));
		ASSERT_EQ(few, g.done);
		ASSERT_EQ(many + few,
			  count_in_order(lex, ids, many + few, &last));
		ASSERT_TRUE(all_bytes(&ids[many + few], POISON, sizeof(*ids)));
	}
	free(ids);
	close(fd);
}

TEST_HARNESS_MAIN
