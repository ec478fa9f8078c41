// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a call costs, in nanoseconds of CLOCK_MONOTONIC. Under QEMU's
 * "-icount shift=0" a nanosecond is an instruction of the guest, kernel and
 * user together, and the figures repeat.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/kuid.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define ID_SIZE 16
#define BATCH	4096

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

static int zero_fd;
static int kuid_fd;
static unsigned char buf[BATCH * ID_SIZE];

static void check(ssize_t got, ssize_t want, const char *what)
{
	if (got < 0)
		err(1, "%s", what);
	if (got != want)
		errx(1, "%s: %zd instead of %zd", what, got, want);
}

static void call_getppid(void)
{
	getppid();
}

static void call_getrandom(void)
{
	check(getrandom(buf, ID_SIZE, 0), ID_SIZE, "getrandom");
}

static void call_zero(void)
{
	check(read(zero_fd, buf, ID_SIZE), ID_SIZE, "read /dev/zero");
}

static void call_zero_batch(void)
{
	check(read(zero_fd, buf, sizeof(buf)), sizeof(buf), "read /dev/zero");
}

static void call_single(void)
{
	check(read(kuid_fd, buf, ID_SIZE), ID_SIZE, "read /dev/kuid");
}

static void call_batch(void)
{
	check(read(kuid_fd, buf, sizeof(buf)), sizeof(buf), "read /dev/kuid");
}

static void generate(unsigned int count)
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)buf,
		.count = count,
	};

	check(ioctl(kuid_fd, KUID_IOC_GENERATE, &g), 0, "KUID_IOC_GENERATE");
	check(g.done, count, "KUID_IOC_GENERATE");
}

static void call_generate(void)
{
	generate(1);
}

static void call_generate_batch(void)
{
	generate(BATCH);
}

/*
 * budget is the most that is accepted, in tenths of an instruction an ID; 0
 * for what is only here to compare with.
 */
static const struct row {
	const char *what;
	void (*call)(void);
	unsigned int calls;
	unsigned int ids;
	unsigned int budget;
} rows[] = {
	{ "getppid", call_getppid, 20000, 1, 0 },
	{ "getrandom, 16 bytes", call_getrandom, 20000, 1, 0 },
	{ "read /dev/zero, 16 bytes", call_zero, 20000, 1, 0 },
	{ "read /dev/zero, 65536 bytes", call_zero_batch, 200, BATCH, 0 },
	{ "read v1, single", call_single, 20000, 1, 8450 },
	{ "read v1, batch of 4096", call_batch, 200, BATCH, 145 },
	{ "generate v1, single", call_generate, 20000, 1, 0 },
	{ "generate v1, batch of 4096", call_generate_batch, 200, BATCH, 145 },
};

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static __u64 measure(const struct row *row)
{
	__u64 start = now();

	for (unsigned int i = 0; i < row->calls; i++)
		row->call();
	return now() - start;
}

int main(void)
{
	int over = 0;

	zero_fd = open("/dev/zero", O_RDONLY);
	if (zero_fd < 0)
		err(1, "/dev/zero");
	kuid_fd = open("/dev/kuid", O_RDONLY);
	if (kuid_fd < 0)
		err(1, "/dev/kuid");
	memset(buf, 1, sizeof(buf));

	printf("%-28s %12s %12s %8s\n", "", "a call", "an ID", "budget");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		double a_call, an_id;

		/* The first round warms caches and translation blocks. */
		measure(row);
		a_call = (double)measure(row) / row->calls;
		an_id = a_call / row->ids;
		printf("%-28s %12.1f %12.2f", row->what, a_call, an_id);
		if (row->budget)
			printf(" %8.1f", row->budget / 10.0);
		if (row->budget && an_id * 10 > row->budget) {
			printf(" exceeded");
			over++;
		}
		printf("\n");
	}
	return over ? 1 : 0;
}
