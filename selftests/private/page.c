// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page of private lanes: it is mapped shared and for reading only, by any
 * user, and nothing can change that later. A mapping keeps the module.
 */
#include "../lib/harness.h"

#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/uio.h>

#include "../lib/children.h"
#include "../lib/own_module.h"
#include "../lib/private.h"

FIXTURE(page) {
	long size;		/* of a page of memory */
	int fd;
	int writable;		/* the same device file, O_RDWR; or -1 */
	const struct kuid_page *page;
};

FIXTURE_SETUP(page)
{
	self->size = sysconf(_SC_PAGESIZE);
	self->fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	/* Only a privileged user may open it so. */
	self->writable = open(DEV_KUID, O_RDWR | O_CLOEXEC);
	ASSERT_TRUE(self->writable >= 0 || geteuid());
	self->page = map_page(self->fd);
	ASSERT_NE(MAP_FAILED, self->page);
}

FIXTURE_TEARDOWN(page)
{
	unmap_page(self->page);
	close(self->writable);
	close(self->fd);
}

/* The errno of an mmap; 0 if it succeeds. */
static int map_error(int fd, size_t size, int protection, int flags, off_t at)
{
	void *mapped = mmap(NULL, size, protection, flags, fd, at);

	if (mapped == MAP_FAILED)
		return errno;
	munmap(mapped, size);
	return 0;
}

#define RW	(PROT_READ | PROT_WRITE)
#define RX	(PROT_READ | PROT_EXEC)

/* The module's EACCES, or the kernel's EPERM if /dev is mounted with noexec. */
#define NO_EXEC	-1

TEST_F(page, is_mapped_in_one_way)
{
	const long page = self->size;
	const struct {
		const char *what;
		size_t size;
		int protection;
		int flags;
		off_t offset;
		int error;
	} rows[] = {
		{ "as it should be", KUID_PAGE_SIZE, PROT_READ, MAP_SHARED,
		  KUID_PAGE_OFFSET, 0 },
		{ "with checked flags", page, PROT_READ, MAP_SHARED_VALIDATE,
		  0, 0 },
		{ "populated", page, PROT_READ, MAP_SHARED | MAP_POPULATE,
		  0, 0 },
		{ "locked", page, PROT_READ, MAP_SHARED | MAP_LOCKED, 0,
		  0 },
		{ "a byte of it", 1, PROT_READ, MAP_SHARED, 0, 0 },
		{ "without access", page, PROT_NONE, MAP_SHARED, 0, EINVAL },
		{ "private", page, PROT_READ, MAP_PRIVATE, 0, EINVAL },
		{ "private and writable", page, RW, MAP_PRIVATE, 0, EINVAL },
		{ "private without access", page, PROT_NONE, MAP_PRIVATE, 0,
		  EINVAL },
		{ "private and locked", page, PROT_READ,
		  MAP_PRIVATE | MAP_LOCKED, 0, EINVAL },
		{ "writable", page, RW, MAP_SHARED, 0, EACCES },
		{ "write-only", page, PROT_WRITE, MAP_SHARED, 0, EACCES },
		{ "to be run only", page, PROT_EXEC, MAP_SHARED, 0, NO_EXEC },
		{ "to be run", page, RX, MAP_SHARED, 0, NO_EXEC },
		{ "with all access", page, RW | RX, MAP_SHARED, 0, NO_EXEC },
		{ "one byte more", page + 1, PROT_READ, MAP_SHARED, 0, EINVAL },
		{ "two pages", 2 * page, PROT_READ, MAP_SHARED, 0, EINVAL },
		{ "many pages", 1024 * page, PROT_READ, MAP_SHARED, 0, EINVAL },
		{ "the next page", page, PROT_READ, MAP_SHARED, page, EINVAL },
		{ "a far page", page, PROT_READ, MAP_SHARED, 1 << 30, EINVAL },
		{ "the last page", page, PROT_READ, MAP_SHARED,
		  (off_t)(1ULL << 43) - page, EINVAL },
		{ "no page", 0, PROT_READ, MAP_SHARED, 0, EINVAL },
	};
	const int fds[] = { self->fd, self->writable };
	struct statvfs mount;
	bool noexec;
	size_t i;

	ASSERT_EQ(0, fstatvfs(self->fd, &mount));
	noexec = mount.f_flag & ST_NOEXEC;
	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		int wanted = rows[i / 2].error;
		int got = map_error(fds[i % 2], rows[i / 2].size,
				    rows[i / 2].protection, rows[i / 2].flags,
				    rows[i / 2].offset);

		if (fds[i % 2] < 0)
			continue;
		if (wanted == NO_EXEC)
			wanted = noexec && got == EPERM ? EPERM : EACCES;
		EXPECT_EQ(wanted, got) {
			TH_LOG("%s, of file %zu", rows[i / 2].what, i % 2);
		}
	}
	/* Here the kernel makes each mapping executable that can be read. */
	ASSERT_LE(0, personality(READ_IMPLIES_EXEC));
	EXPECT_EQ(noexec ? 0 : EACCES,
		  map_error(self->fd, page, PROT_READ, MAP_SHARED, 0));
}

TEST_F(page, protection_can_not_be_raised)
{
	static const int protections[] = {
		RW, PROT_WRITE, RX, PROT_EXEC, PROT_NONE, PROT_WRITE, PROT_READ,
	};
	__u64 generation = generation_of(self->page);
	void *pages[2] = { (void *)self->page };
	size_t i, k;

	pages[1] = self->writable < 0 ? NULL :
		   mmap(NULL, self->size, PROT_READ, MAP_SHARED,
			self->writable, 0);
	ASSERT_NE(MAP_FAILED, pages[1]);
	for (i = 0; i < ARRAY_SIZE(pages) && pages[i]; i++) {
		for (k = 0; k < ARRAY_SIZE(protections); k++) {
			bool bad = protections[k] & (PROT_WRITE | PROT_EXEC);
			int ret = mprotect(pages[i], self->size,
					   protections[k]);

			EXPECT_EQ(bad ? EACCES : 0, ret ? errno : 0);
		}
	}
	EXPECT_EQ(generation, generation_of(self->page));
}

/* The mapping can be moved, but not grown or doubled. Advice can't take it away. */
TEST_F(page, stays_as_it_is)
{
	/* In pages. A size of 0 would map shared memory a second time. */
	static const struct {
		long from, to;
		int flags;
	} rows[] = {
		{ 1, 2, 0 },
		{ 1, 2, MREMAP_MAYMOVE },
		{ 1, 16, MREMAP_MAYMOVE },
		{ 0, 1, MREMAP_MAYMOVE },
		{ 0, 2, MREMAP_MAYMOVE },
	};
	static const int advice[] = {
		MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_WIPEONFORK,
		MADV_COLD, MADV_PAGEOUT,
	};
	long size = self->size;
	void *page = (void *)self->page;
	__u64 generation = generation_of(self->page);
	void *to;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(MAP_FAILED,
			  mremap(page, rows[i].from * size, rows[i].to * size,
				 rows[i].flags));
	}
	for (i = 0; i < ARRAY_SIZE(advice); i++) {
		EXPECT_EQ(-1, madvise(page, size, advice[i])) {
			TH_LOG("advice %d", advice[i]);
		}
	}
	to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, to);
	ASSERT_EQ(to, mremap(page, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
			     to));
	self->page = to;
	EXPECT_EQ(generation, generation_of(self->page));
	EXPECT_EQ(-1, mprotect(to, size, PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

/* Write to the page by other ways than a store. */
TEST_F(page, is_written_by_nobody)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	__u64 value = 0x5555555555555555ULL, generation;
	void *at = (void *)&self->page->generation;
	struct iovec from = { &value, sizeof(value) };
	struct iovec to = { at, sizeof(value) };

	ASSERT_LE(0, zero);
	ASSERT_LE(0, mem);
	generation = generation_of(self->page);
	/* The kernel writes for the program. */
	EXPECT_EQ(-1, read(zero, at, sizeof(value)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, read(self->fd, (void *)self->page, sizeof(struct id)));
	EXPECT_EQ(EFAULT, errno);
	/* /proc/PID/mem writes to memory that the process can't write. */
	EXPECT_EQ(-1, pwrite(mem, &value, sizeof(value), (uintptr_t)at));
	EXPECT_EQ(-1, process_vm_writev(getpid(), &from, 1, &to, 1, 0));
	EXPECT_EQ(generation, generation_of(self->page));
	close(mem);
	close(zero);
}

TEST_F(page, is_mapped_by_any_user)
{
	pid_t child = fork_child();

	ASSERT_LE(0, child);
	if (!child) {
		const struct kuid_page *page;
		int fd;

		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(2);
		fd = open(DEV_KUID, O_RDONLY);
		page = map_page(fd);
		_exit(page == MAP_FAILED ||
		      generation_of(page) != generation_of(self->page));
	}
	EXPECT_TRUE(ended_well(child));
}

TEST_F(page, is_the_same_of_all_device_files)
{
	int nr;

	for (nr = 0; nr < NR_FORMAT_FILES; nr++) {
		int fd = open_device_file(format_of_file(nr),
					  is_text_file(nr) ? ".txt" : "", 0);
		const struct kuid_page *page = map_page(fd);

		ASSERT_LE(0, fd);
		ASSERT_NE(MAP_FAILED, page);
		EXPECT_EQ(KUID_PAGE_VERSION, page->version);
		EXPECT_EQ(generation_of(self->page), generation_of(page));
		unmap_page(page);
		close(fd);
	}
}

FIXTURE(mapped) {
	int fd;
};

FIXTURE_SETUP(mapped)
{
	self->fd = -1;
	take_module(_metadata);
	start(_metadata, &self->fd, "");
}

FIXTURE_TEARDOWN(mapped)
{
	close(self->fd);
	give_back_module(_metadata);
}

/* A mapping shows changes, also in a child and after the file was closed. */
TEST_F(mapped, shows_changes)
{
	const struct kuid_page *page = map_page(self->fd);
	struct kuid_set_identity nothing = { .flags = 0 };
	__u64 generation;
	int ready[2], changed[2];
	char byte = 0;
	pid_t child;
	int fd;

	ASSERT_NE(MAP_FAILED, page);
	close(self->fd);
	self->fd = -1;
	generation = generation_of(page);
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(changed));
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		if (generation_of(page) != generation ||
		    write(ready[1], &byte, 1) != 1 ||
		    read(changed[0], &byte, 1) != 1)
			_exit(2);
		_exit(generation_of(page) == generation);
	}
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_identity(fd, &nothing));
	close(fd);
	EXPECT_NE(generation, generation_of(page));
	EXPECT_NE(0, generation_of(page));
	ASSERT_EQ(1, write(changed[1], &byte, 1));
	EXPECT_TRUE(ended_well(child));
	EXPECT_EQ(0, unmap_page(page));
}

TEST_F(mapped, keeps_the_module)
{
	const struct kuid_page *page = map_page(self->fd);
	int stop[2];
	pid_t child;
	char byte;

	ASSERT_NE(MAP_FAILED, page);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(-EAGAIN, unload());
	ASSERT_TRUE(is_loaded());
	EXPECT_NE(0, generation_of(page));

	/* The child's copy of the mapping is enough. */
	ASSERT_EQ(0, pipe(stop));
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child) {
		close(stop[1]);
		_exit(read(stop[0], &byte, 1) != 0 || !generation_of(page));
	}
	close(stop[0]);
	EXPECT_EQ(0, unmap_page(page));
	EXPECT_EQ(-EAGAIN, unload());
	close(stop[1]);
	EXPECT_TRUE(ended_well(child));
	EXPECT_EQ(0, unload());
}

TEST_HARNESS_MAIN
