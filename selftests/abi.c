// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command numbers, and 32-bit programs. The layout of the structs is
 * checked at compile time, in layout.c.
 */
#include "../kselftest_harness.h"

#include "commands.h"

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

static bool is_known(unsigned long cmd)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (cmd == commands[i].cmd)
			return true;
	}
	return false;
}

/* A struct that any command could take: all zeroes, and larger than each. */
static void check_unknown(struct __test_metadata *_metadata, int fd,
			  unsigned long cmd)
{
	__u8 arg[1024] = { 0 };

	if (is_known(cmd))
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
					      65, 127, 128, 129, 256, 511,
					      512, 513, 1024 };
	static const unsigned int directions[] = {
		_IOC_NONE, _IOC_READ, _IOC_WRITE, _IOC_READ | _IOC_WRITE,
	};
	size_t c, d, s;
	int nr, type;

	for (c = 0; c < NR_COMMANDS; c++) {
		unsigned long cmd = commands[c].cmd;

		/* Every number. */
		for (nr = 0; nr < 256; nr++) {
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_DIR(cmd), KUID_IOC_MAGIC, nr,
					   _IOC_SIZE(cmd)));
		}
		/* The same number with another direction or size. */
		for (d = 0; d < ARRAY_SIZE(directions); d++) {
			for (s = 0; s < ARRAY_SIZE(sizes); s++) {
				check_unknown(_metadata, self->fd,
					      _IOC(directions[d],
						   KUID_IOC_MAGIC,
						   _IOC_NR(cmd), sizes[s]));
			}
		}
		/* Another device's command. */
		for (type = 0; type < 256; type++) {
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_DIR(cmd), type, _IOC_NR(cmd),
					   _IOC_SIZE(cmd)));
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
		struct kuid_status status;
		struct kuid_force_clock force;
		struct id ids[7];
	} *low;
	struct kuid_status status = { 0 };
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
	low->s.order = KUID_ORDER_HOST;
	ASSERT_EQ(-EBUSY, syscall_32(IOCTL_32, self->fd, KUID_IOC_SET_FORMAT,
				     (uintptr_t)&low->s));
	fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, syscall_32(IOCTL_32, fd, KUID_IOC_SET_FORMAT,
				(uintptr_t)&low->s));
	low->q = (struct kuid_query) { 0 };
	ASSERT_EQ(0, syscall_32(IOCTL_32, fd, KUID_IOC_QUERY,
				(uintptr_t)&low->q));
	ASSERT_EQ(KUID_FORMAT_V7, low->q.format);
	ASSERT_EQ(KUID_ORDER_HOST, low->q.order);
	ASSERT_EQ(16, syscall_32(READ_32, fd, (uintptr_t)low->ids, 16));
	ASSERT_EQ(7, id_version(low->ids));
	close(fd);

	/* The first and the last of what doesn't change meanwhile. */
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_STATUS, &status));
	ASSERT_EQ(0, syscall_32(IOCTL_32, self->fd, KUID_IOC_STATUS,
				(uintptr_t)&low->status));
	ASSERT_EQ(status.held, low->status.held);
	ASSERT_EQ(status.epoch, low->status.epoch);
	ASSERT_EQ(0, memcmp(status.ids, low->status.ids, sizeof(status.ids)));
	low->status.flags = 1;
	ASSERT_EQ(-EINVAL, syscall_32(IOCTL_32, self->fd, KUID_IOC_STATUS,
				      (uintptr_t)&low->status));
	/* It does nothing without its flag. */
	ASSERT_EQ(-EINVAL, syscall_32(IOCTL_32, self->fd, KUID_IOC_FORCE_CLOCK,
				      (uintptr_t)&low->force));

	ASSERT_EQ(sizeof(low->ids),
		  syscall_32(READ_32, self->fd, (uintptr_t)low->ids,
			     sizeof(low->ids) + 15));
	ASSERT_EQ(7, count_rising(low->ids, 7, &last));

	low->g.buffer = (uintptr_t)low->ids;
	low->g.count = 7;
	low->g.order = KUID_ORDER_HOST;
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
