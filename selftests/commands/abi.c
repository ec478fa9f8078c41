// SPDX-License-Identifier: GPL-2.0-only
/* The ioctl numbers. The layouts of the structs are in uapi/kuid.record. */
#include "../lib/harness.h"

#include "../lib/commands.h"

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
	/* Commands that the table lacks, here or for 32 bits. */
	return cmd == KUID_IOC_CLAIM_CEILING || cmd == KUID_IOC_PRIVATE_LANE;
}

/*
 * The argument is all zeroes and larger than any struct, so that any command
 * could accept it.
 */
static void check_unknown(struct __test_metadata *_metadata, int fd,
			  unsigned long cmd)
{
	__u8 arg[1024] = { 0 };

	if (is_known(cmd))
		return;
	ASSERT_EQ(-1, ioctl(fd, cmd, arg))
		TH_LOG("command %#lx was taken", cmd);
	ASSERT_EQ(ENOTTY, errno)
		TH_LOG("command %#lx", cmd);
	ASSERT_TRUE(all_bytes(arg, 0, sizeof(arg)));
}

TEST_F(abi, unknown_commands)
{
	size_t c;
	int nr, type;

	for (c = 0; c < NR_COMMANDS; c++) {
		unsigned long cmd = commands[c].cmd;

		for (nr = 0; nr < 256; nr++) {
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_DIR(cmd), KUID_IOC_MAGIC, nr,
					   _IOC_SIZE(cmd)));
		}
		/* The same number with the magic of other devices. */
		for (type = 0; type < 256; type++) {
			check_unknown(_metadata, self->fd,
				      _IOC(_IOC_DIR(cmd), type, _IOC_NR(cmd),
					   _IOC_SIZE(cmd)));
		}
	}
}

TEST_HARNESS_MAIN
