// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of calls, in a machine that counts them:
 *	cost counts full|quick	of an ID of each format by each path, alone and
 *				in batches, and of other calls; "quick" leaves
 *				out sizes of batches that are not held
 *	cost counts vmgenid	of a read in a machine with that device
 *	cost growth		as open files and waiters become more, and the
 *				memory of a file, an epoch and a private lane
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <liburing.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure.h"

/* In place of a format: 16 bytes of /dev/zero, by calls that can read them. */
#define ZERO KUID_FORMAT_DEFAULT

/* A module that calls kuid_ids_generate(). */
#define CALLER "/sys/module/kuid_cost/parameters/"

#define RANDOM_UUID  "/proc/sys/kernel/random/uuid"
#define RANDOM_BATCH 4096

static unsigned char buf[BATCH_MAX * KUID_TEXT_MAX];
static size_t size;
static int fd = -1;
static struct io_uring ring;
static struct kuid *handle;

/*
 * End the program unless a call has returned what it should. In line, so that
 * it adds as little as possible.
 */
static inline void check_call(ssize_t got, ssize_t want, const char *call)
{
	if (__builtin_expect(got == want, 1))
		return;
	if (got < 0)
		err(1, "%s", call);
	errx(1, "%s: %zd instead of %zd", call, got, want);
}

static int open_file(const char *path, int flags)
{
	int file = open(path, flags);

	if (file < 0)
		err(1, "%s", path);
	return file;
}

/**
 * struct path - one way to get IDs
 * @name: the row of results
 * @batches: the table of batches; NULL if the path makes single IDs only
 * @open: get ready for a format, or ZERO
 * @run: make calls for so many IDs each
 * @flags: of libkuid's handle; with one, only stamps are made
 * @zero: it can read /dev/zero
 */
struct path {
	const char *name;
	const char *batches;
	void (*open)(const struct path *path, unsigned int format);
	void (*run)(unsigned int calls, unsigned int ids);
	unsigned int flags;
	bool zero;
};

static void open_device(const struct path *path, unsigned int format)
{
	fd = open_file(format == ZERO ? "/dev/zero"
				      : kuid_format_device(format),
		       O_RDONLY);
	size = format == ZERO ? 16 : kuid_format_id_size(format);
}

/* All lines of a format are as long as the first one. */
static void open_text(const struct path *path, unsigned int format)
{
	const unsigned char *end;
	char file[64];
	ssize_t got;

	snprintf(file, sizeof(file), "/dev/kuids/%s.txt",
		 kuid_format_name(format));
	fd = open_file(file, O_RDONLY);
	got = read(fd, buf, KUID_TEXT_MAX);
	end = got > 0 ? memchr(buf, '\n', got) : NULL;
	check_call(end ? 0 : -1, 0, file);
	size = end + 1 - buf;
	close(fd);
	fd = open_file(file, O_RDONLY);
}

static void open_ring(const struct path *path, unsigned int format)
{
	check_call(io_uring_queue_init(4, &ring, 0), 0, "io_uring");
	open_device(path, format);
}

static void open_library(const struct path *path, unsigned int format)
{
	handle = path->flags ? kuid_open_flags(format, path->flags)
			     : kuid_open(format);
	check_call(handle ? 0 : -1, 0, "kuid_open");
}

static void set_caller(const char *parameter, unsigned int value)
{
	char text[16];
	int file = open_file(parameter, O_WRONLY);
	int length = snprintf(text, sizeof(text), "%u", value);

	check_call(write(file, text, length), length, parameter);
	close(file);
}

static void open_caller(const struct path *path, unsigned int format)
{
	set_caller(CALLER "format", format);
}

static void close_path(void)
{
	if (ring.ring_fd)
		io_uring_queue_exit(&ring);
	if (fd >= 0)
		close(fd);
	kuid_close(handle);
	memset(&ring, 0, sizeof(ring));
	handle = NULL;
	fd = -1;
}

static void run_read(unsigned int calls, unsigned int ids)
{
	while (calls--)
		check_call(read(fd, buf, ids * size), ids * size, "read");
}

static void run_readv(unsigned int calls, unsigned int ids)
{
	const struct iovec iov = { buf, ids * size };

	while (calls--)
		check_call(readv(fd, &iov, 1), ids * size, "readv");
}

static void run_generate_in(unsigned int order, unsigned int calls,
			    unsigned int ids)
{
	while (calls--) {
		struct kuid_generate g = {
			.order = order,
			.buffer = (uintptr_t)buf,
			.count = ids,
		};

		check_call(ioctl(fd, KUID_IOC_GENERATE, &g), 0, "generate");
		check_call(g.done, ids, "generate");
	}
}

static void run_generate(unsigned int calls, unsigned int ids)
{
	run_generate_in(KUID_ORDER_DEFAULT, calls, ids);
}

static void run_generate_host(unsigned int calls, unsigned int ids)
{
	run_generate_in(KUID_ORDER_HOST, calls, ids);
}

static void run_ring(unsigned int calls, unsigned int ids)
{
	while (calls--) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
		struct io_uring_cqe *cqe;

		io_uring_prep_read(sqe, fd, buf, ids * size, 0);
		check_call(io_uring_submit_and_wait(&ring, 1), 1, "io_uring");
		check_call(io_uring_peek_cqe(&ring, &cqe), 0, "io_uring");
		check_call(cqe->res, ids * size, "io_uring");
		io_uring_cqe_seen(&ring, cqe);
	}
}

static void run_library(unsigned int calls, unsigned int ids)
{
	if (ids == 1) {
		while (calls--)
			check_call(kuid_one(handle, buf), 0, "kuid_one");
		return;
	}
	while (calls--)
		check_call(kuid_many(handle, buf, ids), ids, "kuid_many");
}

/* The module makes all calls of a round while a parameter is written. */
static void run_caller(unsigned int calls, unsigned int ids)
{
	set_caller(CALLER "calls", calls);
}

static const struct path paths[] = {
	{ "read", "batch-read", open_device, run_read, .zero = true },
	{ "readv", NULL, open_device, run_readv, .zero = true },
	{ "io_uring", NULL, open_ring, run_ring, .zero = true },
	{ "ioctl", "batch-ioctl", open_device, run_generate },
	{ "ioctl, order host", NULL, open_device, run_generate_host },
	{ "text", "batch-text", open_text, run_read },
	{ "libkuid", NULL, open_library, run_library },
	{ "kernel code", NULL, open_caller, run_caller },
	{ "private lane", "batch-lane", open_library, run_library,
	  KUID_PRIVATE },
	{ "local handle", NULL, open_library, run_library, KUID_LOCAL },
};

/* The column of results. NULL behind the last format. */
static const char *name_of(unsigned int format)
{
	return format == ZERO ? "/dev/zero" : kuid_format_name(format);
}

/*
 * Every other size of a batch is held to the record, and that of 2 IDs. More
 * than 50,000 lex would have to wait: a batch may use half of the window.
 */
static void count_batches(const struct path *path, unsigned int format,
			  bool quick)
{
	char row[16];

	for (unsigned int power = 0; 1U << power <= BATCH_MAX; power++) {
		unsigned int ids = 1U << power;
		bool held = power % 2 == 0 || power == 1;

		if ((quick && !held) ||
		    (format == KUID_FORMAT_LEX && ids >= 50000))
			continue;
		snprintf(row, sizeof(row), "%u", ids);
		result(path->batches, row, name_of(format),
		       count_ids(path->run, ids), held);
	}
}

static bool open_path(const struct path *path, unsigned int format)
{
	if (format == ZERO ? !path->zero
			   : path->flags && kuid_format_made_from(format) !=
						    KUID_MADE_FROM_STAMPS)
		return false;
	path->open(path, format);
	return true;
}

static void count_path(const struct path *path, bool quick)
{
	for (unsigned int format = ZERO; name_of(format); format++) {
		if (!open_path(path, format))
			continue;
		result("single", path->name, name_of(format),
		       count_ids(path->run, 1), true);
		close_path();
	}
	for (unsigned int format = ZERO; name_of(format); format++) {
		if (!path->batches || !open_path(path, format))
			continue;
		count_batches(path, format, quick);
		close_path();
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
	const size_t bytes = ids == 1 ? 16 : ids * 6;

	while (calls--)
		check_call(getrandom(buf, bytes, 0), bytes, "getrandom");
}

static void run_random_uuid(unsigned int calls, unsigned int ids)
{
	while (calls--)
		check_call(pread(fd, buf, 37, 0), 37, RANDOM_UUID);
}

static void run_open(const char *path, size_t bytes, unsigned int calls)
{
	while (calls--) {
		int file = open_file(path, O_RDONLY);

		check_call(read(file, buf, bytes), bytes, path);
		close(file);
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
		struct kuid *opened = kuid_open(KUID_FORMAT_V1);

		check_call(opened ? kuid_one(opened, buf) : -1, 0, "kuid_open");
		kuid_close(opened);
	}
}

static void run_lane_node(unsigned int calls, unsigned int ids)
{
	while (calls--) {
		struct kuid_private_lane lane = { 0 };

		check_call(ioctl(fd, KUID_IOC_PRIVATE_LANE, &lane), 0,
			   "node of a private lane");
	}
}

static const struct other {
	const char *what;
	const char *path;
	void (*run)(unsigned int calls, unsigned int ids);
} others[] = {
	{ "clock_gettime", NULL, run_clock },
	{ "getppid", NULL, run_getppid },
	{ "getrandom, 16 bytes", NULL, run_getrandom },
	{ RANDOM_UUID ", kept open", RANDOM_UUID, run_random_uuid },
	{ RANDOM_UUID ", opened again", NULL, run_open_random_uuid },
	{ "/dev/kuid, opened again", NULL, run_open_kuid },
	{ "libkuid: open, one ID, close", NULL, run_open_library },
	{ "node of a private lane", "/dev/kuid", run_lane_node },
};

static int count_all(const char *form)
{
	/* In a machine with that device a single compares the generation ID. */
	const struct path checked = { "read, VMGENID", NULL, open_device,
				      run_read, .zero = true };

	memset(buf, 1, sizeof(buf));
	if (!strcmp(form, "vmgenid")) {
		count_path(&checked, true);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct other *o = &others[i];

		if (o->path)
			fd = open_file(o->path, O_RDONLY);
		result("others", o->what, "instructions", count_ids(o->run, 1),
		       true);
		close_path();
	}
	result("others", "6 bytes of getrandom, in 4,096 x 6", "instructions",
	       count_ids(run_getrandom, RANDOM_BATCH), true);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		count_path(&paths[i], !strcmp(form, "quick"));
	return 0;
}

#define FILES_MAX   10000
#define WAITERS_MAX 1000
#define BATCH	    64
#define RATE	    4096000 /* of snowflake, which has 4,096 in a millisecond */
#define QUEUE_MS    250
#define STACK	    65536
#define HANDLES	    50
#define TRACE	    "/sys/kernel/tracing/"

static int files[FILES_MAX];

/* Instructions of this process; there are none while it is asleep. */
static __u64 executed(void)
{
	return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void read_one(int file)
{
	check_call(read(file, buf, 16), 16, "read");
}

static void read_status(int file, struct kuid_status *status)
{
	*status = (struct kuid_status) { 0 };
	check_call(ioctl(file, KUID_IOC_STATUS, status), 0, "status");
}

static void get_status(int file)
{
	struct kuid_status status;

	read_status(file, &status);
}

static void begin_epoch(int file)
{
	struct kuid_set_identity set = { .node_from = KUID_FROM_RANDOM };

	check_call(ioctl(file, KUID_IOC_SET_IDENTITY, &set), 0, "identity");
}

/* Instructions of a call, of as many that take turns on open files. */
static double in_turn(void (*call)(int file), unsigned int calls,
		      unsigned int nr)
{
	__u64 start = executed();

	for (unsigned int i = 0; i < calls; i++)
		call(files[i % nr]);
	return (double)(executed() - start) / calls;
}

static void measure_files(unsigned int nr)
{
	static unsigned int nr_open;
	char row[16];

	while (nr_open < nr)
		files[nr_open++] = open_file("/dev/kuid", O_RDONLY);
	snprintf(row, sizeof(row), "%u", nr);
	in_turn(read_one, nr, nr);
	result("files", row, "read", in_turn(read_one, 2000, nr), false);
	result("files", row, "status", in_turn(get_status, 200, 1), false);
	result("files", row, "new epoch", in_turn(begin_epoch, 5, 1), false);
	result("files", row, "first read in it", in_turn(read_one, nr, nr),
	       false);
}

/**
 * struct queue - threads that wait, in one measurement
 * @fd: file that they read BATCH IDs from; -1 if they sleep for @sleep_ns
 * @sleep_ns: how long a thread would wait for its IDs
 * @stop: the threads end
 * @calls: calls that have returned
 */
static struct queue {
	int fd;
	__u64 sleep_ns;
	atomic_bool stop;
	atomic_uint calls;
} queue;

static void sleep_for(__u64 ns)
{
	const struct timespec time = { ns / 1000000000, ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void *wait_in_queue(void *unused)
{
	unsigned char ids[BATCH * 8];

	while (!queue.stop) {
		if (queue.fd < 0)
			sleep_for(queue.sleep_ns);
		else
			check_call(read(queue.fd, ids, sizeof(ids)),
				   sizeof(ids), "read of snowflake");
		queue.calls++;
	}
	return NULL;
}

/* The cost of a call, and if the threads read, how often it waits. */
static void run_queue(const char *row, unsigned int nr)
{
	static pthread_t threads[WAITERS_MAX];
	struct kuid_status before, after;
	__u64 cost, start;
	pthread_attr_t attr;
	unsigned int calls;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	queue.stop = false;
	for (unsigned int i = 0; i < nr; i++) {
		errno = pthread_create(&threads[i], &attr, wait_in_queue, NULL);
		if (errno)
			err(1, "thread %u", i);
	}
	/* Until the window is used up, calls don't wait. */
	sleep_for(300000000);
	read_status(files[0], &before);
	cost = executed();
	start = nanoseconds(CLOCK_MONOTONIC);
	calls = queue.calls;
	sleep_for(QUEUE_MS * 1000000);
	calls = queue.calls - calls;
	start = nanoseconds(CLOCK_MONOTONIC) - start;
	cost = executed() - cost;
	read_status(files[0], &after);
	queue.stop = true;
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	result("waiters", row,
	       queue.fd < 0 ? "clock_nanosleep" : "a call for 64 IDs",
	       (double)cost / calls, false);
	if (queue.fd < 0)
		return;
	result("waiters", row, "waits of a call",
	       (double)(after.waits - before.waits) / calls, false);
	result("waiters", row, "% of the IDs",
	       calls * 1e9 / start * BATCH / RATE * 100, false);
}

static void measure_waiters(unsigned int nr)
{
	char row[16];

	snprintf(row, sizeof(row), "%u", nr);
	queue.fd = open_file("/dev/kuids/snowflake", O_RDONLY);
	run_queue(row, nr);
	close(queue.fd);
	queue.fd = -1;
	queue.sleep_ns = (__u64)nr * BATCH * 1000000000 / RATE;
	run_queue(row, nr);
}

static void write_trace(const char *name, const char *value)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), TRACE "%s", name);
	file = open_file(path, O_WRONLY | O_TRUNC);
	check_call(write(file, value, strlen(value)), strlen(value), path);
	close(file);
}

static void open_binary(int unused)
{
	close(open_file("/dev/kuid", O_RDONLY));
}

static void open_lines(int unused)
{
	close(open_file("/dev/kuids/v1.txt", O_RDONLY));
}

/* Bytes that the module allocates in @action. */
static void measure_allocated(const char *row, void (*action)(int file))
{
	double bytes = 0;
	char line[512];
	FILE *trace;

	write_trace("trace", "\n");
	write_trace("tracing_on", "1");
	action(files[0]);
	write_trace("tracing_on", "0");
	trace = fopen(TRACE "trace", "r");
	if (!trace)
		err(1, TRACE "trace");
	while (fgets(line, sizeof(line), trace)) {
		const char *at = strstr(line, "bytes_alloc=");

		if (at && strstr(line, "[kuid]"))
			bytes += atoi(at + strlen("bytes_alloc="));
	}
	fclose(trace);
	result("memory", row, "bytes", bytes, false);
}

/* KiB of this process: of its address space, and what is resident of it. */
static void own_memory(long *all, long *resident)
{
	char line[256];
	FILE *maps = fopen("/proc/self/smaps", "r");
	long kb;

	if (!maps)
		err(1, "/proc/self/smaps");
	*all = *resident = 0;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "Size: %ld", &kb) == 1)
			*all += kb;
		if (sscanf(line, "Rss: %ld", &kb) == 1)
			*resident += kb;
	}
	fclose(maps);
}

static void measure_memory(void)
{
	long all, resident, all_after, resident_after;

	write_trace("events/kmem/kmalloc/enable", "1");
	measure_allocated("an open file", open_binary);
	measure_allocated("an open file of text", open_lines);
	measure_allocated("an epoch of a machine with one CPU", begin_epoch);
	own_memory(&all, &resident);
	own_memory(&all, &resident);
	for (unsigned int i = 0; i < HANDLES; i++) {
		handle = kuid_open_flags(KUID_FORMAT_V7, KUID_PRIVATE);
		check_call(handle ? kuid_one(handle, buf) : -1, 0, "a lane");
	}
	own_memory(&all_after, &resident_after);
	result("memory", "a private lane, in its process", "bytes",
	       (resident_after - resident) * 1024.0 / HANDLES, false);
	result("memory", "address space of a private lane", "bytes",
	       (all_after - all) * 1024.0 / HANDLES, false);
}

static int measure_growth(void)
{
	const struct rlimit limit = { FILES_MAX + 100, FILES_MAX + 100 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "limit of open files");
	for (unsigned int nr = 1; nr <= FILES_MAX; nr *= 10)
		measure_files(nr);
	for (unsigned int nr = 1; nr <= WAITERS_MAX; nr *= 10)
		measure_waiters(nr);
	measure_memory();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "counts"))
		return count_all(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "growth"))
		return measure_growth();
	errx(2, "usage: cost counts full|quick|vmgenid | growth");
}
