// SPDX-License-Identifier: GPL-2.0-only
/* read() of memory that can't be written, and what else the file does or refuses. */
#include "../lib/harness.h"

#include <sys/stat.h>

#include "../lib/formats.h"

FIXTURE(read) {
	int fd;
	struct words last;	/* key of the last ID taken */
	__u8 *hole;	/* unmapped, behind a page of memory */
	size_t page;
};

FIXTURE_SETUP(read)
{
	struct id id;

	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(1, read_ids(DEV_FORMAT, self->fd, &id, 1));
	self->last = id_order(DEV_FORMAT, &id);
	self->page = sysconf(_SC_PAGESIZE);
	self->hole = map_before_hole();
	ASSERT_NE(NULL, self->hole);
	memset(self->hole - self->page, POISON, self->page);
}

FIXTURE_TEARDOWN(read)
{
	close(self->fd);
}

/* The file still works, and its next IDs are above the earlier ones. */
static void check_still_works(struct __test_metadata *_metadata, int fd,
			      struct words *last)
{
	struct id ids[7];

	ASSERT_EQ(7, read_ids(DEV_FORMAT, fd, ids, 7));
	ASSERT_EQ(7, count_in_order(DEV_FORMAT, ids, 7, last));
}

TEST_F(read, device_file)
{
	struct stat st;

	ASSERT_EQ(0, stat(DEV_KUID, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0444, st.st_mode & 07777);
}

TEST_F(read, nonblocking)
{
	struct id id;
	int fd = open(DEV_KUID, O_RDONLY | O_NONBLOCK);

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, &id, 1));
	close(fd);
}

TEST_F(read, bad_addresses)
{
	static const size_t sizes[] = { 16, 112, 65536 };
	__u64 addresses[BAD_ADDRESSES_MAX];
	int nr = bad_addresses(addresses);
	size_t s;
	int i;

	for (i = 0; i < nr; i++) {
		for (s = 0; s < ARRAY_SIZE(sizes); s++) {
			ASSERT_EQ(-1, read(self->fd, as_pointer(addresses[i]),
					   sizes[s])) {
				TH_LOG("address %llx size %zu",
				       (unsigned long long)addresses[i],
				       sizes[s]);
			}
			ASSERT_EQ(EFAULT, errno);
			check_still_works(_metadata, self->fd, &self->last);
		}
	}
}

TEST_F(read, unmapped_and_read_only)
{
	__u8 *start = self->hole - self->page;
	int n;

	for (n = 1; n <= 256; n += 51) {
		ASSERT_EQ(-EFAULT,
			  read_ids(DEV_FORMAT, self->fd, self->hole, n));
		check_still_works(_metadata, self->fd, &self->last);
	}

	ASSERT_EQ(0, mprotect(start, self->page, PROT_READ));
	for (n = 1; n <= 256; n += 51) {
		ASSERT_EQ(-EFAULT, read_ids(DEV_FORMAT, self->fd, start, n));
		check_still_works(_metadata, self->fd, &self->last);
	}
	ASSERT_TRUE(all_bytes(start, POISON, self->page));
}

/* The hole begins in the second or third chunk of a read. */
TEST_F(read, up_to_a_hole_far_off)
{
	const size_t pages = 10;
	__u8 *start = mmap(NULL, (pages + 1) * self->page,
			      PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t shift, whole;

	ASSERT_NE(MAP_FAILED, start);
	ASSERT_EQ(0, mprotect(start + pages * self->page, self->page,
			      PROT_NONE));
	for (shift = 0; shift < 17; shift++) {
		whole = (pages * self->page - shift) / 16;
		ASSERT_EQ((ssize_t)whole * 16,
			  read(self->fd, start + shift,
			       (pages + 1) * self->page - shift));
		ASSERT_EQ(whole, count_in_order(DEV_FORMAT, start + shift,
						whole, &self->last));
		check_still_works(_metadata, self->fd, &self->last);
	}
}

TEST_F(read, has_no_position)
{
	struct id id;

	memset(&id, POISON, sizeof(id));
	EXPECT_EQ(-1, pread(self->fd, &id, sizeof(id), 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_TRUE(all_bytes(&id, POISON, sizeof(id)));
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_CUR));
	EXPECT_EQ(ESPIPE, errno);
	check_still_works(_metadata, self->fd, &self->last);
}

/* Root can open the device file for writing in spite of mode 0444. */
TEST_F(read, is_not_written)
{
	static const int flags[] = { O_WRONLY, O_RDWR };
	struct id id = { 0 };
	size_t i;
	int fd;

	EXPECT_EQ(-1, write(self->fd, &id, sizeof(id)));
	EXPECT_EQ(EBADF, errno);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		fd = open(DEV_KUID, flags[i]);
		if (fd < 0) {
			EXPECT_EQ(EACCES, errno);
			EXPECT_NE(0, geteuid());
			continue;
		}
		EXPECT_EQ(-1, write(fd, &id, sizeof(id)));
		EXPECT_EQ(EINVAL, errno);
		close(fd);
	}

	fd = open(DEV_KUID, O_WRONLY);
	if (fd >= 0) {
		EXPECT_EQ(-1, read(fd, &id, sizeof(id)));
		EXPECT_EQ(EBADF, errno);
		close(fd);
	}
	check_still_works(_metadata, self->fd, &self->last);
}

TEST_HARNESS_MAIN
