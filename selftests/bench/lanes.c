// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of IDs of private lanes, which the process makes itself, and of a
 * node for one: in instructions, as icount.c counts them.
 */
#include <err.h>
#include <fcntl.h>
#include <kuid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#define BATCH  256
#define CALLS  2000
#define ROUNDS 4

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

static struct kuid *handle;
static unsigned char ids[BATCH * KUID_ID_MAX];

static int read_clock(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_REALTIME, &now);
}

static int get_node(void)
{
	struct kuid_private_lane lane;

	memset(&lane, 0, sizeof(lane));
	return ioctl(kuid_fd(handle), KUID_IOC_PRIVATE_LANE, &lane);
}

static int make_one(void)
{
	return kuid_one(handle, ids);
}

static int make_batch(void)
{
	return kuid_many(handle, ids, BATCH) == BATCH ? 0 : -1;
}

/*
 * @budget is the highest cost accepted, in tenths of an instruction per ID; 0
 * for rows that only serve as a comparison.
 */
static const struct row {
	const char *what;
	unsigned int format;
	int (*call)(void);
	unsigned int ids;
	unsigned int budget;
} rows[] = {
	{ "clock_gettime", KUID_FORMAT_V1, read_clock, 1, 0 },
	{ "node of a private lane", KUID_FORMAT_V1, get_node, 1, 14500 },
	{ "v1, private lane", KUID_FORMAT_V1, make_one, 1, 1630 },
	{ "v6, private lane", KUID_FORMAT_V6, make_one, 1, 1600 },
	{ "v7, private lane", KUID_FORMAT_V7, make_one, 1, 2890 },
	{ "v1, private lane, 256", KUID_FORMAT_V1, make_batch, BATCH, 110 },
	{ "v6, private lane, 256", KUID_FORMAT_V6, make_batch, BATCH, 110 },
	{ "v7, private lane, 256", KUID_FORMAT_V7, make_batch, BATCH, 1540 },
};

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static __u64 measure_round(const struct row *row)
{
	__u64 start = now();

	for (unsigned int i = 0; i < CALLS; i++)
		if (row->call())
			err(1, "%s", row->what);
	return now() - start;
}

/* The lowest of a few rounds, as in icount.c. */
static __u64 measure(const struct row *row)
{
	__u64 lowest = UINT64_MAX;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		__u64 ns = measure_round(row);

		if (ns < lowest)
			lowest = ns;
	}
	return lowest;
}

int main(void)
{
	int over = 0;

	printf("%-28s %12s %12s %8s\n", "", "a call", "an ID", "budget");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		double a_call, an_id;

		handle = kuid_open_flags(row->format, KUID_PRIVATE);
		if (!handle)
			err(1, "a private lane");
		a_call = (double)measure(row) / CALLS;
		an_id = a_call / row->ids;
		printf("%-28s %12.1f %12.2f", row->what, a_call, an_id);
		if (row->budget)
			printf(" %8.1f", row->budget / 10.0);
		if (row->budget && an_id * 10 > row->budget) {
			printf(" exceeded");
			over++;
		}
		printf("\n");
		kuid_close(handle);
	}
	return over ? 1 : 0;
}
