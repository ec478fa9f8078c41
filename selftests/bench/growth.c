// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of calls as open files and waiters become more, and the memory of an
 * open file, an epoch and a private lane. Must run in a machine with one CPU
 * that counts instructions, where a nanosecond is an instruction.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure.h"
#include "result.h"

#define FILES_MAX   10000
#define READS	    2000
#define STATUSES    200
#define EPOCHS	    5
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

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void read_one(int fd)
{
	unsigned char id[16];

	if (read(fd, id, sizeof(id)) != sizeof(id))
		err(1, "read");
}

static void get_status(int fd)
{
	struct kuid_status status = { 0 };

	if (ioctl(fd, KUID_IOC_STATUS, &status))
		err(1, "KUID_IOC_STATUS");
}

static void begin_epoch(int fd)
{
	struct kuid_set_identity set = { .node_from = KUID_FROM_RANDOM };

	if (ioctl(fd, KUID_IOC_SET_IDENTITY, &set))
		err(1, "KUID_IOC_SET_IDENTITY");
}

static double read_all(unsigned int nr)
{
	__u64 start = executed();

	for (unsigned int i = 0; i < nr; i++)
		read_one(files[i]);
	return (double)(executed() - start) / nr;
}

static double read_in_turn(unsigned int nr)
{
	__u64 start = executed();

	for (unsigned int i = 0; i < READS; i++)
		read_one(files[i % nr]);
	return (double)(executed() - start) / READS;
}

static double call(void (*function)(int fd), unsigned int calls)
{
	__u64 start = executed();

	for (unsigned int i = 0; i < calls; i++)
		function(files[0]);
	return (double)(executed() - start) / calls;
}

static void measure_files(unsigned int nr)
{
	static unsigned int nr_open;
	char row[16];

	while (nr_open < nr)
		files[nr_open++] = open_file("/dev/kuid");
	snprintf(row, sizeof(row), "%u", nr);
	read_all(nr);
	result("files", row, "read", read_in_turn(nr), false);
	result("files", row, "status", call(get_status, STATUSES), false);
	result("files", row, "new epoch", call(begin_epoch, EPOCHS), false);
	result("files", row, "first read in it", read_all(nr), false);
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

static void *wait_in_queue(void *unused)
{
	const struct timespec sleep = { queue.sleep_ns / 1000000000,
					queue.sleep_ns % 1000000000 };
	unsigned char ids[BATCH * 8];

	while (!queue.stop) {
		if (queue.fd < 0)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, NULL);
		else if (read(queue.fd, ids, sizeof(ids)) != sizeof(ids))
			err(1, "read of snowflake");
		queue.calls++;
	}
	return NULL;
}

static void sleep_ms(unsigned int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static __u64 get_waits(void)
{
	struct kuid_status status = { 0 };

	if (ioctl(files[0], KUID_IOC_STATUS, &status))
		err(1, "KUID_IOC_STATUS");
	return status.waits;
}

/**
 * struct cost - of the calls of a queue
 * @call: instructions of a call
 * @waits: how often a call has waited
 * @rate: calls a second
 */
struct cost {
	double call, waits, rate;
};

static struct cost run_queue(unsigned int nr)
{
	static pthread_t threads[WAITERS_MAX];
	__u64 cost, start, waits;
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
	sleep_ms(300);
	waits = get_waits();
	cost = executed();
	start = nanoseconds(CLOCK_MONOTONIC);
	calls = queue.calls;
	sleep_ms(QUEUE_MS);
	calls = queue.calls - calls;
	start = nanoseconds(CLOCK_MONOTONIC) - start;
	cost = executed() - cost;
	waits = get_waits() - waits;
	queue.stop = true;
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return (struct cost) { (double)cost / calls, (double)waits / calls,
			       calls * 1e9 / start };
}

static void measure_waiters(unsigned int nr)
{
	struct cost cost;
	char row[16];

	snprintf(row, sizeof(row), "%u", nr);
	queue.fd = open_file("/dev/kuids/snowflake");
	cost = run_queue(nr);
	close(queue.fd);
	result("waiters", row, "a call for 64 IDs", cost.call, false);
	result("waiters", row, "waits of a call", cost.waits, false);
	result("waiters", row, "% of the IDs", cost.rate * BATCH / RATE * 100,
	       false);
	queue.fd = -1;
	queue.sleep_ns = (__u64)nr * BATCH * 1000000000 / RATE;
	result("waiters", row, "clock_nanosleep", run_queue(nr).call, false);
}

static void write_trace(const char *name, const char *value)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), TRACE "%s", name);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		err(1, "%s", path);
	close(fd);
}

/* Bytes that the module allocates in @action. */
static double allocated(void (*action)(void))
{
	double bytes = 0;
	char line[512];
	FILE *trace;

	write_trace("trace", "\n");
	write_trace("tracing_on", "1");
	action();
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
	return bytes;
}

static void open_binary(void)
{
	close(open_file("/dev/kuid"));
}

static void open_text(void)
{
	close(open_file("/dev/kuids/v1.txt"));
}

static void replace_epoch(void)
{
	begin_epoch(files[0]);
}

/**
 * struct memory - of this process, in KiB
 * @size: address space
 * @rss: what is resident of it
 */
struct memory {
	long size, rss;
};

static struct memory own_memory(void)
{
	struct memory memory = { 0 };
	char line[256];
	FILE *maps = fopen("/proc/self/smaps", "r");
	long kb;

	if (!maps)
		err(1, "/proc/self/smaps");
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "Size: %ld", &kb) == 1)
			memory.size += kb;
		if (sscanf(line, "Rss: %ld", &kb) == 1)
			memory.rss += kb;
	}
	fclose(maps);
	return memory;
}

static void measure_lanes(void)
{
	unsigned char id[KUID_ID_MAX];
	struct memory before, after;

	own_memory();
	before = own_memory();
	for (unsigned int i = 0; i < HANDLES; i++) {
		struct kuid *handle =
			kuid_open_flags(KUID_FORMAT_V7, KUID_PRIVATE);

		if (!handle || kuid_one(handle, id))
			err(1, "a private lane");
	}
	after = own_memory();
	result("memory", "a private lane, in its process", "bytes",
	       (after.rss - before.rss) * 1024.0 / HANDLES, false);
	result("memory", "address space of a private lane", "bytes",
	       (after.size - before.size) * 1024.0 / HANDLES, false);
}

static void measure_memory(void)
{
	write_trace("events/kmem/kmalloc/enable", "1");
	result("memory", "an open file", "bytes", allocated(open_binary),
	       false);
	result("memory", "an open file of text", "bytes", allocated(open_text),
	       false);
	result("memory", "an epoch of a machine with one CPU", "bytes",
	       allocated(replace_epoch), false);
	measure_lanes();
}

int main(void)
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
