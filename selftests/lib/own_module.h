/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads the module with a test's own parameters, and afterwards leaves it
 * loaded or unloaded, as it was found. Include the test harness first.
 */
#ifndef OWN_MODULE_H
#define OWN_MODULE_H

#include "admin.h"
#include "skip.h"

/* Each test is a process of its own, so one variable is enough. */
static bool was_loaded;

/*
 * For a fixture's setup: begin without the module. If there is none, the test is
 * skipped.
 */
static inline void take_module(struct __test_metadata *_metadata)
{
	if (!module_path())
		SKIP_TEST(NO_MODULE);
	was_loaded = is_loaded();
	if (was_loaded)
		ASSERT_EQ(0, unload())
			TH_LOG("the module is used by someone else");
}

/* For a fixture's teardown, which has closed all files. */
static inline void give_back_module(struct __test_metadata *_metadata)
{
	if (is_loaded())
		EXPECT_EQ(0, unload());
	if (was_loaded)
		EXPECT_EQ(0, load(""));
}

/* Wait for files that are released some time after a ring of io_uring. */
static inline void wait_until_unused(void)
{
	char text[16] = "";
	int tries = 0;

	do {
		FILE *file = fopen("/sys/module/kuid/refcnt", "r");

		usleep(1000);
		if (!file || !fgets(text, sizeof(text), file))
			break;
		fclose(file);
	} while (strcmp(text, "0\n") && tries++ < 1000);
}

/* Load it, and open /dev/kuid, O_NONBLOCK. */
static inline void start(struct __test_metadata *_metadata, int *fd,
			 const char *params)
{
	ASSERT_EQ(0, load(params))
		TH_LOG("%s", params);
	*fd = open(DEV_KUID, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, *fd);
}

static inline void stop(struct __test_metadata *_metadata, int *fd)
{
	close(*fd);
	*fd = -1;
	ASSERT_EQ(0, unload());
}

/*
 * With these parameters no format has IDs at or above the ceiling: a caller
 * waits for a higher ceiling, whatever the speed of the machine.
 */
#define ALL_WAIT_PARAMS	"state=required node=0123456789ab"

/* After this returns, every caller waits. */
static inline void have_all_wait(struct __test_metadata *_metadata, int fd)
{
	struct kuid_state state;
	__u64 ceiling;

	ASSERT_EQ(0, get_state(fd, &state));
	ceiling = clock_ns();
	if (ceiling < state.slot_ns)
		ceiling = state.slot_ns;
	if (ceiling < state.stamp_ns)
		ceiling = state.stamp_ns;
	ASSERT_EQ(0, raise_cover(fd, ceiling + NSEC_PER_MSEC));
	wait_past(ceiling + 5 * NSEC_PER_MSEC);
}

static inline int let_all_go(int fd)
{
	return raise_cover(fd, clock_ns() + 3600 * NSEC_PER_SEC);
}

/* The device files of the formats, binary and text in turn, by a number. */
#define NR_FORMAT_FILES	(2 * NR_FORMATS)

static inline const struct format *format_of_file(int nr)
{
	return &formats[nr / 2];
}

static inline bool is_text_file(int nr)
{
	return nr % 2;
}

/* Bytes that one ID has in a read of a device file. */
static inline size_t size_of_one(int nr)
{
	const struct format *f = format_of_file(nr);

	return is_text_file(nr) ? f->text_size + 1 : f->id_size;
}

/**
 * struct all_wait - a fixture's module, loaded so that every caller waits
 * @fd: of /dev/kuid, for let_all_go()
 * @fds: of the device files
 */
struct all_wait {
	int fd;
	int fds[NR_FORMAT_FILES];
};

static inline void set_up_all_wait(struct __test_metadata *_metadata,
				   struct all_wait *all, int flags)
{
	int i;

	take_module(_metadata);
	start(_metadata, &all->fd, ALL_WAIT_PARAMS);
	ASSERT_EQ(0, begin_cover(all->fd, 0));
	for (i = 0; i < NR_FORMAT_FILES; i++) {
		all->fds[i] = open_device_file(format_of_file(i),
					       is_text_file(i) ? ".txt" : "",
					       flags);
		ASSERT_LE(0, all->fds[i]);
	}
	have_all_wait(_metadata, all->fd);
}

static inline void tear_down_all_wait(struct __test_metadata *_metadata,
				      struct all_wait *all)
{
	int i;

	for (i = 0; i < NR_FORMAT_FILES; i++)
		close(all->fds[i]);
	close(all->fd);
	wait_until_unused();
	give_back_module(_metadata);
}

#endif /* OWN_MODULE_H */
