// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of an ID of each format by each path, alone and in batches; and
 * of other calls. "quick" as argument leaves out every other size of a batch.
 */
#include <err.h>
#include <fcntl.h>
#include <kuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "count.h"
#include "paths.h"

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

#define FORMATS_MAX  16
#define RANDOM_BATCH 4096

static unsigned char buf[RANDOM_BATCH * 16];
static int file;

/* Instructions of the six random bytes of a v7, if many are taken at once. */
static double random_bytes;

/*
 * The highest cost of an ID, by path, IDs of a call, and format in the order of
 * their numbers; 0 for those that only serve as a comparison. With @random the
 * cost of random bytes comes on top for v7.
 */
static const struct budget {
	const char *path;
	unsigned int ids;
	bool random;
	double most[FORMATS_MAX];
} budgets[] = {
	{ "read", 1, 0, { 865, 865, 1175, 865, 865, 910, 910, 910 } },
	{ "read, VMGENID", 1, 0, { 865, 865, 1175, 865, 865, 910, 910, 910 } },
	/* 1,250 and 10 for each ID. */
	{ "read", 2, 0, { 635, 635, 0, 0, 635 } },
	{ "read", 4, 0, { 322.5, 322.5, 0, 0, 322.5 } },
	{ "read", 16, 0, { 88.1, 88.1, 320, 0, 88.1 } },
	{ "read", 64, 0, { 29.5, 29.5, 235, 0, 29.5 } },
	{ "ioctl", 1, 0, { 1100, 1100, 1385, 1150, 1150, 1150, 1150, 1150 } },
	{ "ioctl, order host",
	  1,
	  0,
	  { 1100, 1100, 1385, 1150, 1150, 1150, 1150, 1150 } },
	{ "text", 1, 0, { 0, 1450, 1800 } },
	{ "private lane", 1, 0, { 172, 169, 293 } },
	{ "private lane", 256, 0, { 11, 11, 154 } },
	{ "read", 4096, 1, { 11.5, 11.5, 22, 9, 8, 12, 12, 9 } },
	{ "ioctl", 4096, 0, { 11.5 } },
	{ "text", 4096, 0, { 0, 52 } },
};

/* The column of results. NULL behind the last format. */
static const char *name_of(unsigned int format)
{
	return format == ZERO ? "/dev/zero" : kuid_format_name(format);
}

static double budget_of(const struct path *path, unsigned int format,
			unsigned int ids)
{
	for (size_t i = 0; i < ARRAY_SIZE(budgets); i++) {
		const struct budget *b = &budgets[i];

		if (format != ZERO && b->ids == ids &&
		    !strcmp(b->path, path->name))
			return b->most[format - 1] +
			       (b->random && format == KUID_FORMAT_V7
					? random_bytes
					: 0);
	}
	return 0;
}

/* More would have to wait: a batch may use half of the window, 50 ms. */
static bool is_within_window(unsigned int format, unsigned int ids)
{
	return format != KUID_FORMAT_LEX || ids < 50000;
}

static void count_single(const struct path *path, unsigned int format)
{
	print_count("single", path->name, name_of(format),
		    count_ids(path->run, 1), budget_of(path, format, 1), true);
}

static void count_batches(const struct path *path, unsigned int format,
			  bool quick)
{
	char row[16];

	for (unsigned int power = 0; 1U << power <= BATCH_MAX; power++) {
		unsigned int ids = 1U << power;
		bool held = power % 2 == 0;

		if ((quick && !held) || !is_within_window(format, ids))
			continue;
		snprintf(row, sizeof(row), "%u", ids);
		print_count(path->batches, row, name_of(format),
			    count_ids(path->run, ids),
			    ids > 1 ? budget_of(path, format, ids) : 0, held);
	}
}

static void count_path(const struct path *path, bool quick)
{
	for (unsigned int format = ZERO; name_of(format); format++) {
		if (!path->open(format))
			continue;
		count_single(path, format);
		path->close();
	}
	for (unsigned int format = ZERO; name_of(format); format++) {
		if (!path->batches || !path->open(format))
			continue;
		count_batches(path, format, quick);
		path->close();
	}
}

static void run_getppid(unsigned int calls, unsigned int ids)
{
	while (calls--)
		getppid();
}

static void run_clock(unsigned int calls, unsigned int ids)
{
	struct timespec ts;

	while (calls--)
		check_call(clock_gettime(CLOCK_REALTIME, &ts), 0,
			   "clock_gettime");
}

static void run_getrandom(unsigned int calls, unsigned int ids)
{
	while (calls--)
		check_call(getrandom(buf, 16, 0), 16, "getrandom");
}

static void run_getrandom_batch(unsigned int calls, unsigned int ids)
{
	while (calls--)
		check_call(getrandom(buf, ids * 6, 0), ids * 6, "getrandom");
}

#define RANDOM_UUID "/proc/sys/kernel/random/uuid"

static void run_random_uuid(unsigned int calls, unsigned int ids)
{
	while (calls--)
		check_call(pread(file, buf, 37, 0), 37, RANDOM_UUID);
}

static void run_open(const char *path, size_t size, unsigned int calls)
{
	while (calls--) {
		int fd = open_file(path, O_RDONLY);

		check_call(read(fd, buf, size), size, path);
		close(fd);
	}
}

static void run_open_random_uuid(unsigned int calls, unsigned int ids)
{
	run_open(RANDOM_UUID, 37, calls);
}

static void run_open_kuid(unsigned int calls, unsigned int ids)
{
	run_open("/dev/kuid", 16, calls);
}

static void run_open_library(unsigned int calls, unsigned int ids)
{
	while (calls--) {
		struct kuid *handle = kuid_open(KUID_FORMAT_V1);

		check_call(handle ? kuid_one(handle, buf) : -1, 0, "kuid_open");
		kuid_close(handle);
	}
}

static void run_lane_node(unsigned int calls, unsigned int ids)
{
	while (calls--) {
		struct kuid_private_lane lane = { 0 };

		check_call(ioctl(file, KUID_IOC_PRIVATE_LANE, &lane), 0,
			   "node of a private lane");
	}
}

static const struct other {
	const char *what;
	const char *path;
	void (*run)(unsigned int calls, unsigned int ids);
	double budget;
} others[] = {
	{ "clock_gettime", NULL, run_clock, 0 },
	{ "getppid", NULL, run_getppid, 0 },
	{ "getrandom, 16 bytes", NULL, run_getrandom, 0 },
	{ RANDOM_UUID ", kept open", RANDOM_UUID, run_random_uuid, 0 },
	{ RANDOM_UUID ", opened again", NULL, run_open_random_uuid, 0 },
	{ "/dev/kuid, opened again", NULL, run_open_kuid, 0 },
	{ "libkuid: open, one ID, close", NULL, run_open_library, 0 },
	{ "node of a private lane", "/dev/kuid", run_lane_node, 1620 },
};

static void count_others(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct other *o = &others[i];

		if (o->path)
			file = open_file(o->path, O_RDONLY);
		print_count("others", o->what, "instructions",
			    count_ids(o->run, 1), o->budget, true);
		if (o->path)
			close(file);
	}
	random_bytes = count_ids(run_getrandom_batch, RANDOM_BATCH);
	print_count("others", "6 bytes of getrandom, in 4,096 x 6",
		    "instructions", random_bytes, 0, true);
}

/* In a machine with that device: singles, which compare the generation ID. */
static void count_checked(void)
{
	struct path path = paths[0];

	path.name = "read, VMGENID";
	path.batches = NULL;
	count_path(&path, true);
}

int main(int argc, char **argv)
{
	bool quick = argc > 1 && !strcmp(argv[1], "quick");

	memset(buf, 1, sizeof(buf));
	if (argc > 1 && !strcmp(argv[1], "vmgenid")) {
		count_checked();
		return count_status();
	}
	count_others();
	for (const struct path *path = paths; path->name; path++)
		count_path(path, quick);
	return count_status();
}
