// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device before the kernel's random generator is ready: it opens, and gives
 * no IDs yet. The machine has to be booted in a special way, see run/check.sh.
 * The generator is ready soon after the first caller waits for it, so all is in
 * one test, and what waits comes last. The module must not be loaded yet.
 */
#include "../lib/harness.h"

#include <signal.h>
#include <sys/random.h>
#include <sys/time.h>

#include "../lib/admin.h"
#include "../lib/children.h"
#include "../lib/private.h"

static bool random_is_ready(void)
{
	char byte;

	return getrandom(&byte, 1, GRND_NONBLOCK) == 1;
}

/* Read in a child under repeated signals. Returns the errno, 0 for an ID. */
static int read_until_signal(const struct format *f, bool text)
{
	const struct itimerval often = {
		.it_interval.tv_usec = 20000,
		.it_value.tv_usec = 20000,
	};
	int fd = open_device_file(f, text ? ".txt" : "", 0);
	__u8 id[ID_SIZE_MAX];

	end_calls_by(SIGALRM);
	setitimer(ITIMER_REAL, &often, NULL);
	return read(fd, id, text ? 1 : f->id_size) < 0 ? errno : 0;
}

TEST(waits_for_random_bits)
{
	struct kuid_set_identity set = { .flags = 0 };
	struct kuid_query query = { .format = KUID_FORMAT_V1 };
	struct kuid_cover raise = { .ceiling_ns = KUID_TIME_MAX_NS };
	struct kuid_cover begin = raise;
	const struct kuid_page *page;
	struct kuid_private_lane lane;
	struct kuid_status status;
	struct kuid_state state;
	__u8 ids[ID_SIZE_MAX];
	int fds[NR_FORMATS];
	pid_t pids[NR_FORMATS + 1];
	size_t i;
	int fd;

	if (!module_path())
		SKIP(return, NO_MODULE);
	if (random_is_ready())
		SKIP(return, "the random generator is ready already");
	ASSERT_EQ(0, load(""));
	ASSERT_FALSE(random_is_ready());

	fd = open(DEV_KUID, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, fd);
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		int text = open_device_file(f, ".txt", O_NONBLOCK);

		fds[i] = open_device_file(f, "", O_NONBLOCK);
		ASSERT_LE(0, fds[i]);
		ASSERT_LE(0, text);
		EXPECT_EQ(-EAGAIN, read_ids(f, fds[i], ids, 1));
		EXPECT_EQ(-EAGAIN, generate_ids(f, fds[i], ids, 1));
		EXPECT_EQ(-1, read(text, ids, 1));
		EXPECT_EQ(EAGAIN, errno);
		EXPECT_FALSE(poll_says_ready(fds[i]));
		EXPECT_FALSE(poll_says_ready(text));
		close(text);
	}

	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(0, status.epoch);
	EXPECT_EQ(0, status.load_id);
	EXPECT_NE(0, status.reasons & KUID_REASON_RANDOM_NOT_READY);
	EXPECT_NE(0, status.reasons & KUID_REASON_NO_STATE);
	EXPECT_EQ(STAMPS, status.reboot_safe);
	EXPECT_EQ(0, ioctl(fd, KUID_IOC_QUERY, &query));
	EXPECT_EQ(-EAGAIN, get_state(fd, &state));
	EXPECT_EQ(-1, ioctl(fd, KUID_IOC_COVER, &raise));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-EAGAIN, set_identity(fd, &set));
	begin.flags = KUID_COVER_BEGIN;
	EXPECT_EQ(-1, ioctl(fd, KUID_IOC_COVER, &begin));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-EAGAIN, get_lane(fd, &lane));
	page = map_page(fd);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_NE(0, generation_of(page));
	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(0, status.epoch);
	EXPECT_EQ(0, status.floor_ns);
	ASSERT_FALSE(random_is_ready());

	/* From here on each waiter adds entropy to the generator. */
	for (i = 0; i < 2; i++) {
		pids[0] = fork();
		ASSERT_LE(0, pids[0]);
		if (!pids[0])
			_exit(read_until_signal(format_of(KUID_FORMAT_V1), i));
		EXPECT_EQ(EINTR, exit_status(pids[0])) {
			TH_LOG("the random generator is%s ready now",
			       random_is_ready() ? "" : " not");
		}
	}

	/* Readers and a poller, each on its own. */
	for (i = 0; i <= NR_FORMATS; i++) {
		const struct format *f = &formats[i % NR_FORMATS];

		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i]) {
			struct pollfd p = { .fd = fds[0], .events = POLLIN };
			int own = open_device_file(f, "", 0);

			if (i == NR_FORMATS)
				_exit(poll(&p, 1, -1) != 1);
			_exit(read_ids(f, own, ids, 1) != 1);
		}
	}
	for (i = 0; i <= NR_FORMATS; i++) {
		EXPECT_EQ(0, exit_status(pids[i])) {
			TH_LOG("process %zu", i);
		}
	}
	EXPECT_TRUE(random_is_ready());
	ASSERT_EQ(0, get_status(fd, &status));
	EXPECT_EQ(1, status.epoch);
	EXPECT_NE(0, status.load_id);
	EXPECT_EQ(0, status.reasons & KUID_REASON_RANDOM_NOT_READY);
	for (i = 0; i < NR_FORMATS; i++) {
		EXPECT_TRUE(poll_says_ready(fds[i]));
		EXPECT_EQ(1, read_ids(&formats[i], fds[i], ids, 1));
		close(fds[i]);
	}
	EXPECT_EQ(0, get_state(fd, &state));
	EXPECT_EQ(0, get_lane(fd, &lane));
	EXPECT_TRUE(is_in_use(&lane, page));
	EXPECT_EQ(0, unmap_page(page));
	close(fd);
	EXPECT_EQ(0, unload());
}

TEST_HARNESS_MAIN
