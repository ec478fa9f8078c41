// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/fdinfo of a kuid file: format, order, and whether IDs were taken.
 */
#include "../lib/harness.h"

#include "../lib/formats.h"

static const char *const orders[] = {
	[KUID_ORDER_CPU] = "cpu",
	[KUID_ORDER_FILE] = "file",
	[KUID_ORDER_HOST] = "host",
};

/* Whether the kuid lines of fdinfo are exactly these. */
static bool says(int fd, const char *format, bool text, const char *order,
		 bool taken)
{
	char path[48], wanted[128], got[1024];
	const char *from;
	ssize_t size;
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY);
	if (info < 0)
		return false;
	size = read(info, got, sizeof(got) - 1);
	close(info);
	if (size < 0)
		return false;
	got[size] = '\0';

	snprintf(wanted, sizeof(wanted),
		 "kuid-format:\t%s\nkuid-text:\t%d\nkuid-order:\t%s\nkuid-taken:\t%d\n",
		 format, text, order, taken);
	from = strstr(got, "kuid-");
	return from && !strcmp(from, wanted);
}

TEST(device_files)
{
	__u8 id[ID_SIZE_MAX];
	int nr;

	for (nr = 0; nr < NR_DEVICES; nr++) {
		const struct device device = device_of(nr);
		const char *order = orders[device.order];
		int fd = open(device.path, O_RDONLY);

		ASSERT_LE(0, fd);
		EXPECT_TRUE(says(fd, device.f->name, device.text, order,
				 false));
		ASSERT_LT(0, read(fd, id, device.f->id_size));
		EXPECT_TRUE(says(fd, device.f->name, device.text, order, true));
		close(fd);
	}
}

TEST(after_set_format)
{
	struct kuid_set_format set;
	int fd = open(DEV_KUID, O_RDONLY);

	ASSERT_LE(0, fd);
	EXPECT_TRUE(says(fd, "v1", false, "file", false));
	for (set.order = KUID_ORDER_CPU; set.order <= KUID_ORDER_HOST;
	     set.order++) {
		memset(set.reserved, 0, sizeof(set.reserved));
		set.format = KUID_FORMAT_K96;
		ASSERT_EQ(0, ioctl(fd, KUID_IOC_SET_FORMAT, &set));
		EXPECT_TRUE(says(fd, "k96", false, orders[set.order], false));
	}
	close(fd);
}

/* Generate in another format takes an ID, but the file keeps its own format. */
TEST(generate)
{
	int fd = open(DEV_KUID, O_RDONLY);
	__u8 id[ID_SIZE_MAX];

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, generate_in_order(format_of(KUID_FORMAT_K64), fd,
				       KUID_ORDER_HOST, id, 1));
	EXPECT_TRUE(says(fd, "v1", false, "file", true));
	close(fd);
}

TEST_HARNESS_MAIN
