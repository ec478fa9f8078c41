// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine that resumes from hibernation may have a twin that resumed from the
 * same image. This test only freezes and thaws the tasks, which is the same to
 * the module. The module is left loaded or not, as it was found.
 */
#include "../lib/harness.h"

#include "../lib/own_module.h"

/* The formats that fail with ESTALE, as bits of their numbers. */
static __u32 stale_formats(struct __test_metadata *_metadata, int fd)
{
	__u8 ids[7 * ID_SIZE_MAX];
	__u32 stale = 0;
	size_t i;

	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		int binary = open_device_file(f, "", 0);
		int text = open_device_file(f, ".txt", 0);
		struct pollfd p = { .fd = binary, .events = POLLIN };
		int works;

		EXPECT_LE(0, binary);
		EXPECT_LE(0, text);
		works = (read_ids(f, binary, ids, 1) == 1) +
			(read_ids(f, binary, ids, 1) == 1) +
			(read_ids(f, binary, ids, 7) == 7) +
			(generate_ids(f, fd, ids, 3) == 3) +
			(read(text, ids, 1) == 1);
		EXPECT_TRUE(works == 0 || works == 5)
			TH_LOG("%s: %d", f->name, works);
		EXPECT_EQ(1, poll(&p, 1, 0));
		EXPECT_EQ(works ? POLLIN : POLLIN | POLLERR, p.revents)
			TH_LOG("%s", f->name);
		if (!works) {
			EXPECT_EQ(-ESTALE, read_ids(f, binary, ids, 1));
			EXPECT_EQ(-ESTALE, generate_ids(f, fd, ids, 3));
			stale |= 1U << f->number;
		}
		close(text);
		close(binary);
	}
	return stale;
}

static __u64 reasons(int fd)
{
	struct kuid_status status;

	return get_status(fd, &status) ? ~0ULL : status.reasons;
}

FIXTURE(hibernate) {
};

FIXTURE_SETUP(hibernate)
{
	take_module(_metadata);
}

FIXTURE_TEARDOWN(hibernate)
{
	write_text("/sys/power/pm_test", "none");
	give_back_module(_metadata);
}

TEST_F_TIMEOUT(hibernate, tells_twins_apart, 120)
{
	const __u32 given = 1U << KUID_FORMAT_V1 | 1U << KUID_FORMAT_V6 |
			    1U << KUID_FORMAT_SNOWFLAKE;
	struct kuid_set_identity nothing = { .flags = 0 };
	struct kuid_set_identity host = { .worker_from = KUID_FROM_HOST };
	struct kuid_set_identity confirm = { .flags = KUID_IDENTITY_CONFIRM };
	struct kuid_status before, after;
	struct kuid_state was, now;
	int fd;

	if (write_text("/sys/power/pm_test", "freezer"))
		SKIP(return, "this kernel can't test power management");
	ASSERT_EQ(0, load("node=0123456789ab"));
	fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stale_formats(_metadata, fd));
	ASSERT_EQ(0, get_status(fd, &before));
	ASSERT_EQ(0, before.vm_forks);
	ASSERT_EQ(0, before.reasons & (KUID_REASON_STALE_IDENTITY |
				       KUID_REASON_K64_MAY_REPEAT));
	ASSERT_EQ(0, get_state(fd, &was));

	if (write_text("/sys/power/state", "disk")) {
		close(fd);
		SKIP(return, "this kernel can't hibernate");
	}

	ASSERT_EQ(0, get_status(fd, &after));
	EXPECT_EQ(1, after.vm_forks);
	EXPECT_EQ(before.epoch + 1, after.epoch);
	EXPECT_NE(0, after.load_id);
	EXPECT_NE(before.load_id, after.load_id);
	EXPECT_NE(0, after.reasons & KUID_REASON_STALE_IDENTITY);
	ASSERT_EQ(0, get_state(fd, &now));
	/*
	 * A worker made from the host's name is salted after a possible twin.
	 */
	EXPECT_NE(was.worker, now.worker);
	EXPECT_EQ(was.node, now.node);
	EXPECT_EQ(given, stale_formats(_metadata, fd));

	/* Neither a new epoch nor the same host name confirms the node. */
	ASSERT_EQ(0, set_identity(fd, &nothing));
	EXPECT_EQ(given, stale_formats(_metadata, fd));
	ASSERT_EQ(0, begin_cover(fd, 0));
	EXPECT_EQ(given, stale_formats(_metadata, fd));
	/* Only a floor is above the k64 of before. */
	EXPECT_NE(0, reasons(fd) & KUID_REASON_K64_MAY_REPEAT);
	ASSERT_EQ(0, begin_cover(fd, now.slot_ns));
	EXPECT_EQ(0, reasons(fd) & KUID_REASON_K64_MAY_REPEAT);
	was = now;
	ASSERT_EQ(0, set_identity(fd, &host));
	ASSERT_EQ(0, get_state(fd, &now));
	EXPECT_EQ(was.worker, now.worker);
	EXPECT_EQ(given, stale_formats(_metadata, fd));
	EXPECT_NE(0, reasons(fd) & KUID_REASON_STALE_IDENTITY);

	ASSERT_EQ(0, set_identity(fd, &confirm));
	EXPECT_EQ(0, stale_formats(_metadata, fd));
	EXPECT_EQ(0, reasons(fd) & KUID_REASON_STALE_IDENTITY);
	ASSERT_EQ(0, get_state(fd, &now));
	/* Only a possible twin changes the load ID. */
	EXPECT_EQ(after.load_id, now.load_id);
	EXPECT_EQ(was.worker, now.worker);
	EXPECT_EQ(GIVEN_NODE, now.node);
	close(fd);
}

/* Setting one part of the identity confirms that part only. */
TEST_F_TIMEOUT(hibernate, parts_are_confirmed_one_by_one, 120)
{
	const __u32 nodes = 1U << KUID_FORMAT_V1 | 1U << KUID_FORMAT_V6;
	const __u32 of_worker = 1U << KUID_FORMAT_LEX | 1U << KUID_FORMAT_K96 |
				1U << KUID_FORMAT_K128;
	struct kuid_set_identity nothing = { .flags = 0 };
	struct kuid_set_identity worker = {
		.worker_from = KUID_FROM_GIVEN,
		.worker = 6,
	};
	struct kuid_set_identity node = {
		.node_from = KUID_FROM_GIVEN,
		.node = GIVEN_NODE,
	};
	struct kuid_set_identity own = {
		.snowflake_from = KUID_FROM_GIVEN,
		.snowflake_worker = SNOWFLAKE_WORKER,
	};
	struct kuid_set_identity same = { .snowflake_from = KUID_FROM_WORKER };
	const __u32 snowflake = 1U << KUID_FORMAT_SNOWFLAKE;
	int fd;

	if (write_text("/sys/power/pm_test", "freezer"))
		SKIP(return, "this kernel can't test power management");
	ASSERT_EQ(0, load("node=0123456789ab worker=5"));
	fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stale_formats(_metadata, fd));
	if (write_text("/sys/power/state", "disk")) {
		close(fd);
		SKIP(return, "this kernel can't hibernate");
	}
	EXPECT_EQ(nodes | of_worker | snowflake, stale_formats(_metadata, fd));
	ASSERT_EQ(0, set_identity(fd, &nothing));
	EXPECT_EQ(nodes | of_worker | snowflake, stale_formats(_metadata, fd));
	ASSERT_EQ(0, set_identity(fd, &node));
	EXPECT_EQ(of_worker | snowflake, stale_formats(_metadata, fd));
	ASSERT_EQ(0, set_identity(fd, &own));
	EXPECT_EQ(of_worker, stale_formats(_metadata, fd));
	/* The worker is no better as that of snowflake. */
	ASSERT_EQ(0, set_identity(fd, &same));
	EXPECT_EQ(of_worker | snowflake, stale_formats(_metadata, fd));
	EXPECT_NE(0, reasons(fd) & KUID_REASON_STALE_IDENTITY);
	ASSERT_EQ(0, set_identity(fd, &worker));
	EXPECT_EQ(0, stale_formats(_metadata, fd));
	EXPECT_EQ(0, reasons(fd) & KUID_REASON_STALE_IDENTITY);
	close(fd);
}

/*
 * A twin may have the rest of a line that was begun before. So it is dropped,
 * and the piece that was given ends in a mark that no ID has. Another epoch
 * leaves the rest.
 */
TEST_F_TIMEOUT(hibernate, tears_a_line, 120)
{
	int fds[NR_FORMATS], given[NR_FORMATS];
	char lines[NR_FORMATS][LINE_MAX_SIZE];
	__u8 id[ID_SIZE_MAX];
	size_t i;
	int fd;

	if (write_text("/sys/power/pm_test", "freezer"))
		SKIP(return, "this kernel can't test power management");
	ASSERT_EQ(0, load("node=0123456789ab"));
	fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (i = 0; i < NR_FORMATS; i++) {
		fds[i] = open_device_file(&formats[i], ".txt", O_NONBLOCK);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(5, read(fds[i], lines[i], 5));
	}
	ASSERT_EQ(0, begin_cover(fd, 0));
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];

		ASSERT_EQ(f->text_size - 4,
			  read(fds[i], lines[i] + 5, f->text_size - 4));
		ASSERT_TRUE(parse_line(f, lines[i], id));
		/* A line of which the newline is left, in some formats. */
		given[i] = i % 2 ? f->text_size : 5;
		ASSERT_EQ(given[i], read(fds[i], lines[i], given[i]));
	}

	if (write_text("/sys/power/state", "disk")) {
		for (i = 0; i < NR_FORMATS; i++)
			close(fds[i]);
		close(fd);
		SKIP(return, "this kernel can't hibernate");
	}
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];

		EXPECT_EQ(i % 2 ? given[i] + 1 : 0,
			  end_lost_line(f, fds[i], lines[i], given[i]))
			TH_LOG("%s: '%.*s'", f->name, given[i] + 2, lines[i]);
		close(fds[i]);
	}
	close(fd);
}

/*
 * Formats of @numbers give an ID and poll says so; the others do neither. The
 * worker of snowflake is always given.
 */
static void expect_ids_of(struct __test_metadata *_metadata, __u32 numbers)
{
	const struct format *f;
	__u8 id[ID_SIZE_MAX];
	int fd;

	for (f = formats; f < formats + NR_FORMATS; f++) {
		fd = open_device_file(f, "", O_NONBLOCK | O_CLOEXEC);
		ASSERT_LE(0, fd);
		EXPECT_EQ(among(f, numbers), poll_says_ready(fd))
			TH_LOG("%s", f->name);
		EXPECT_EQ(among(f, numbers) ? 1 :
			  f->number == KUID_FORMAT_SNOWFLAKE ? -ESTALE :
							       -EAGAIN,
			  read_ids(f, fd, id, 1))
			TH_LOG("%s", f->name);
		EXPECT_EQ(among(f, numbers), poll_says_ready(fd))
			TH_LOG("%s", f->name);
		close(fd);
	}
}

/*
 * While a program writes the hibernation image, other programs run. An epoch
 * begun in that time would be open in every machine that resumes the image.
 */
TEST_F(hibernate, closed_while_an_image_is_made)
{
	const __u32 k64 = 1U << KUID_FORMAT_K64;
	struct kuid_set_identity nothing = { .flags = 0 };
	struct kuid_set_identity confirm = { .flags = KUID_IDENTITY_CONFIRM };
	struct kuid_status status, image;
	int snapshot, fd;

	ASSERT_EQ(0, load(""));
	/*
	 * Opening /dev/snapshot announces hibernation, closing it the resume.
	 */
	snapshot = open("/dev/snapshot", O_RDONLY | O_CLOEXEC);
	if (snapshot < 0)
		SKIP(return, "this kernel has no user space hibernation");

	/* Check the first epoch, and one begun meanwhile. */
	expect_ids_of(_metadata, k64);
	fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_identity(fd, &nothing));
	expect_ids_of(_metadata, k64);
	ASSERT_EQ(0, get_status(fd, &image));
	EXPECT_NE(0, image.load_id);

	close(snapshot);
	/* The given worker of snowflake is all that is stale. */
	ASSERT_EQ(0, set_identity(fd, &confirm));
	expect_ids_of(_metadata, STAMPS | SLOTS);
	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(1, status.vm_forks);
	EXPECT_EQ(4, status.epoch);
	EXPECT_NE(0, status.load_id);
	EXPECT_NE(image.load_id, status.load_id);
	close(fd);
}

TEST_HARNESS_MAIN
