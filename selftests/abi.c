// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command numbers, and 32-bit programs. The layout of the structs is
 * checked at compile time, in layout.c.
 */
#include "../kselftest_harness.h"

#include "dev_kuid.h"

FIXTURE(abi) {
	int fd;
};

FIXTURE_SETUP(abi)
{
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(abi)
{
	close(self->fd);
}

/* A struct that any command could take: all zeroes, and larger than each. */
static void check_unknown(struct __test_metadata *_metadata, int fd,
			  unsigned long cmd)
{
	__u8 arg[1024] = { 0 };

	if (cmd == KUID_IOC_QUERY || cmd == KUID_IOC_GENERATE ||
	    cmd == KUID_IOC_SET_FORMAT)
		return;
	ASSERT_EQ(-1, ioctl(fd, cmd, arg)) {
		TH_LOG("command %#lx was taken", cmd);
	}
	ASSERT_EQ(ENOTTY, errno) {
		TH_LOG("command %#lx", cmd);
	}
	ASSERT_TRUE(all_bytes(arg, 0, sizeof(arg)));
}

TEST_F(abi, unknown_commands)
{
	static const unsigned int sizes[] = { 0, 1, 8, 31, 32, 33, 63, 64,
					      65, 127, 128, 129, 256, 1024 };
	static const unsigned int directions[] = {
		_IOC_NONE, _IOC_READ, _IOC_WRITE, _IOC_READ | _IOC_WRITE,
	};
	size_t d, s;
	int nr, type;

	/* Every number, with the sizes of the commands there are. */
	for (nr = 0; nr < 256; nr++) {
		if (nr > 2) {
			check_unknown(_metadata, self->fd,
				      _IOWR(KUID_IOC_MAGIC, nr,
					    struct kuid_query));
			check_unknown(_metadata, self->fd,
				      _IOWR(KUID_IOC_MAGIC, nr,
					    struct kuid_generate));
			check_unknown(_metadata, self->fd,
				      _IOW(KUID_IOC_MAGIC, nr,
					   struct kuid_set_format));
		}
	}

	for (nr = 0; nr < 3; nr++) {
		/* The same number with another direction or size. */
		for (d = 0; d < ARRAY_SIZE(directions); d++) {
			for (s = 0; s < ARRAY_SIZE(sizes); s++) {
				check_unknown(_metadata, self->fd,
					      _IOC(directions[d],
						   KUID_IOC_MAGIC, nr,
						   sizes[s]));
			}
		}
		/* Another device's command. */
		for (type = 0; type < 256; type++) {
			if (type == KUID_IOC_MAGIC)
				continue;
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_READ | _IOC_WRITE, type, nr,
					   sizeof(struct kuid_query)));
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_READ | _IOC_WRITE, type, nr,
					   sizeof(struct kuid_generate)));
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_WRITE, type, nr,
					   sizeof(struct kuid_set_format)));
		}
	}
}

#ifdef __x86_64__
/*
 * A system call as a 32-bit program makes it, which a 64-bit one can too.
 * Numbers of unistd_32.h; pointers must lie below 4 GiB.
 */
#define READ_32		3
#define GETPID_32	20
#define IOCTL_32	54

static long syscall_32(unsigned int nr, unsigned int a, unsigned long b,
		       unsigned long c)
{
	int ret;

	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

/* A kernel without them sends a signal instead. */
static bool has_32_bit_calls(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(syscall_32(GETPID_32, 0, 0, 0) != getpid());
	return waitpid(child, &status, 0) == child && !status;
}

TEST_F(abi, program_of_32_bits)
{
	struct {
		struct kuid_query q;
		struct kuid_generate g;
		struct kuid_set_format s;
		struct id ids[7];
	} *low;
	struct kuid_query q = { 0 };
	struct id id;
	__u64 last;
	int fd;

	if (!has_32_bit_calls())
		SKIP(return, "the kernel runs no 32-bit programs");

	low = mmap(NULL, sizeof(*low), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT_NE(MAP_FAILED, low);
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
	ASSERT_EQ(1, take_by_read(self->fd, &id, 1));
	last = id_key(&id);

	ASSERT_EQ(0, syscall_32(IOCTL_32, self->fd, KUID_IOC_QUERY,
				(uintptr_t)&low->q));
	ASSERT_EQ(0, memcmp(&q, &low->q, sizeof(q)));

	/* An ID has been taken above. */
	low->s.format = KUID_FORMAT_V7;
	ASSERT_EQ(-EBUSY, syscall_32(IOCTL_32, self->fd, KUID_IOC_SET_FORMAT,
				     (uintptr_t)&low->s));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, syscall_32(IOCTL_32, fd, KUID_IOC_SET_FORMAT,
				(uintptr_t)&low->s));
	ASSERT_EQ(16, syscall_32(READ_32, fd, (uintptr_t)low->ids, 16));
	ASSERT_EQ(7, id_version(low->ids));
	close(fd);

	ASSERT_EQ(sizeof(low->ids),
		  syscall_32(READ_32, self->fd, (uintptr_t)low->ids,
			     sizeof(low->ids) + 15));
	ASSERT_EQ(7, count_rising(low->ids, 7, &last));

	low->g.buffer = (uintptr_t)low->ids;
	low->g.count = 7;
	ASSERT_EQ(0, syscall_32(IOCTL_32, self->fd, KUID_IOC_GENERATE,
				(uintptr_t)&low->g));
	ASSERT_EQ(7, low->g.done);
	ASSERT_EQ(7, count_rising(low->ids, 7, &last));

	low->g.flags = 1;
	ASSERT_EQ(-EINVAL, syscall_32(IOCTL_32, self->fd, KUID_IOC_GENERATE,
				      (uintptr_t)&low->g));
	ASSERT_EQ(-EFAULT, syscall_32(IOCTL_32, self->fd, KUID_IOC_GENERATE,
				      0));
	ASSERT_EQ(-ENOTTY, syscall_32(IOCTL_32, self->fd,
				      KUID_IOC_GENERATE + 1,
				      (uintptr_t)&low->g));
}
#endif

TEST_HARNESS_MAIN
