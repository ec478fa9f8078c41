// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a call, in nanoseconds of CLOCK_MONOTONIC. Under QEMU's "-icount
 * shift=0" a nanosecond is one instruction of the guest, kernel and user
 * together, so the figures can be repeated.
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

#define BATCH	  4096
#define ROUNDS	  3
#define WINDOW_US 100000
#define LINE_SIZE 37

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))

static int zero_fd;
static int kuid_fd;
static size_t id_size;
static unsigned char buf[BATCH * LINE_SIZE];

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
	check(getrandom(buf, 16, 0), 16, "getrandom");
}

static void call_zero(void)
{
	check(read(zero_fd, buf, 16), 16, "read /dev/zero");
}

static void call_zero_batch(void)
{
	check(read(zero_fd, buf, BATCH * 16), BATCH * 16, "read /dev/zero");
}

static void call_urandom_batch(void)
{
	check(getrandom(buf, BATCH * 6, 0), BATCH * 6, "getrandom");
}

static void call_single(void)
{
	check(read(kuid_fd, buf, id_size), id_size, "read");
}

static void call_batch(void)
{
	check(read(kuid_fd, buf, BATCH * id_size), BATCH * id_size, "read");
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
 * @budget is the highest cost accepted, in tenths of an instruction per ID; 0
 * for rows that only serve as a comparison. With OVER_RANDOM, it comes on top
 * of the cost of random bits in bulk, which an earlier row measures.
 */
#define OVER_RANDOM 0x80000000U

static const struct row {
	const char *what;
	const char *device;
	unsigned int id_size;
	void (*call)(void);
	unsigned int calls;
	unsigned int ids;
	unsigned int budget;
} rows[] = {
	{ "getppid", NULL, 0, call_getppid, 20000, 1, 0 },
	{ "getrandom, 16 bytes", NULL, 0, call_getrandom, 20000, 1, 0 },
	{ "getrandom, 4096 x 6 bytes", NULL, 0, call_urandom_batch, 200, BATCH,
	  0 },
	{ "/dev/zero, 16 bytes", NULL, 0, call_zero, 20000, 1, 0 },
	{ "/dev/zero, 4096 x 16 bytes", NULL, 0, call_zero_batch, 200, BATCH,
	  0 },
	{ "v1, read", "/dev/kuid", 16, call_single, 20000, 1, 8450 },
	{ "v6, read", "/dev/kuids/v6", 16, call_single, 20000, 1, 8450 },
	{ "v7, read", "/dev/kuids/v7", 16, call_single, 20000, 1, 25500 },
	{ "lex, read", "/dev/kuids/lex", 16, call_single, 20000, 1, 8450 },
	{ "k64, read", "/dev/kuids/k64", 8, call_single, 20000, 1, 8450 },
	{ "k96, read", "/dev/kuids/k96", 12, call_single, 20000, 1, 8800 },
	{ "k128, read", "/dev/kuids/k128", 16, call_single, 20000, 1, 8800 },
	{ "snowflake, read", "/dev/kuids/snowflake", 8, call_single, 20000, 1,
	  8800 },
	{ "v1, generate", "/dev/kuid", 16, call_generate, 20000, 1, 11000 },
	{ "v6, generate", "/dev/kuids/v6", 16, call_generate, 20000, 1, 11000 },
	{ "v7, generate", "/dev/kuids/v7", 16, call_generate, 20000, 1, 28000 },
	{ "lex, generate", "/dev/kuids/lex", 16, call_generate, 20000, 1,
	  11500 },
	{ "k64, generate", "/dev/kuids/k64", 8, call_generate, 20000, 1,
	  11500 },
	{ "k96, generate", "/dev/kuids/k96", 12, call_generate, 20000, 1,
	  11500 },
	{ "k128, generate", "/dev/kuids/k128", 16, call_generate, 20000, 1,
	  11500 },
	{ "snowflake, generate", "/dev/kuids/snowflake", 8, call_generate,
	  20000, 1, 11500 },
	{ "v6 text, read", "/dev/kuids/v6.txt", 37, call_single, 20000, 1,
	  13000 },
	{ "v7 text, read", "/dev/kuids/v7.txt", 37, call_single, 20000, 1, 0 },
	{ "lex text, read", "/dev/kuids/lex.txt", 36, call_single, 20000, 1,
	  0 },
	{ "k64 text, read", "/dev/kuids/k64.txt", 12, call_single, 20000, 1,
	  0 },
	{ "k128 text, read", "/dev/kuids/k128.txt", 23, call_single, 20000, 1,
	  0 },
	{ "v1, batch", "/dev/kuid", 16, call_batch, 200, BATCH, 115 },
	{ "v1, generate batch", "/dev/kuid", 16, call_generate_batch, 200,
	  BATCH, 115 },
	{ "v6, batch", "/dev/kuids/v6", 16, call_batch, 200, BATCH, 115 },
	{ "v7, batch", "/dev/kuids/v7", 16, call_batch, 200, BATCH,
	  220 | OVER_RANDOM },
	{ "lex, batch", "/dev/kuids/lex", 16, call_batch, 5, BATCH, 90 },
	{ "k64, batch", "/dev/kuids/k64", 8, call_batch, 10, BATCH, 80 },
	{ "k96, batch", "/dev/kuids/k96", 12, call_batch, 10, BATCH, 120 },
	{ "k128, batch", "/dev/kuids/k128", 16, call_batch, 10, BATCH, 120 },
	{ "snowflake, batch", "/dev/kuids/snowflake", 8, call_batch, 10, BATCH,
	  90 },
	{ "v6 text, batch", "/dev/kuids/v6.txt", 37, call_batch, 200, BATCH,
	  520 },
	{ "v7 text, batch", "/dev/kuids/v7.txt", 37, call_batch, 200, BATCH,
	  0 },
	{ "k64 text, batch", "/dev/kuids/k64.txt", 12, call_batch, 10, BATCH,
	  0 },
	{ "snowflake text, batch", "/dev/kuids/snowflake.txt", 20, call_batch,
	  10, BATCH, 0 },
};

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static __u64 measure_round(const struct row *row)
{
	__u64 start;

	/* Slots that the rounds before used up come back with the clock. */
	usleep(WINDOW_US);
	start = now();
	for (unsigned int i = 0; i < row->calls; i++)
		row->call();
	return now() - start;
}

/*
 * The lowest of a few rounds: the kernel's own work in the background adds to
 * a round, and nothing takes away from it.
 */
static __u64 measure(const struct row *row)
{
	__u64 lowest;

	/* The first round warms caches and translation blocks. */
	measure_round(row);
	lowest = measure_round(row);
	for (unsigned int i = 1; i < ROUNDS; i++) {
		__u64 ns = measure_round(row);

		if (ns < lowest)
			lowest = ns;
	}
	return lowest;
}

static int open_to_read(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int main(void)
{
	double random_bits = 0;
	int over = 0;

	zero_fd = open_to_read("/dev/zero");
	memset(buf, 1, sizeof(buf));

	printf("%-28s %12s %12s %8s\n", "", "a call", "an ID", "budget");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		double a_call, an_id, budget;

		if (row->device)
			kuid_fd = open_to_read(row->device);
		id_size = row->id_size;
		a_call = (double)measure(row) / row->calls;
		an_id = a_call / row->ids;
		if (row->call == call_urandom_batch)
			random_bits = an_id;
		budget = (row->budget & ~OVER_RANDOM) / 10.0;
		if (row->budget & OVER_RANDOM)
			budget += random_bits;
		printf("%-28s %12.1f %12.2f", row->what, a_call, an_id);
		if (row->budget)
			printf(" %8.1f", budget);
		if (row->budget && an_id > budget) {
			printf(" exceeded");
			over++;
		}
		printf("\n");
		if (row->device)
			close(kuid_fd);
	}
	return over ? 1 : 0;
}
