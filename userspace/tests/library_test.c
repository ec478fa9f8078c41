// SPDX-License-Identifier: MIT
/* libkuid against the device, each promise and each error of kuid.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <poll.h>
#include <stdbool.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"
#include "fails.h"

#define ID_SIZE 16
#define PAGE	4096

/* The lowest 50 bits of the time, and clock_seq: enough to order a test by. */
static uint64_t key(const unsigned char *id)
{
	uint64_t time = (uint64_t)(id[6] & 0x0f) << 56 | (uint64_t)id[7] << 48 |
			(uint64_t)id[4] << 40 | (uint64_t)id[5] << 32 |
			(uint64_t)id[0] << 24 | id[1] << 16 | id[2] << 8 |
			id[3];

	return time << 14 | (id[8] & 0x3f) << 8 | id[9];
}

static void assert_increase(const unsigned char *ids, size_t count)
{
	for (size_t i = 1; i < count; i++)
		assert_true(key(ids + (i - 1) * ID_SIZE) <
			    key(ids + i * ID_SIZE));
}

/* Run check in a child that may change its world, and get its exit status. */
static int in_child(int (*check)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int open_handle(void **state)
{
	*state = kuid_open(KUID_FORMAT_V1);
	return *state ? 0 : -1;
}

static int close_handle(void **state)
{
	kuid_close(*state);
	return 0;
}

TEST(the_file_of_a_handle_can_be_used)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_K128);
	struct pollfd ready = { .events = POLLIN };
	struct kuid_query query = { 0 };

	assert_non_null(handle);
	ready.fd = kuid_fd(handle);
	assert_int_equal(poll(&ready, 1, 10000), 1);
	assert_int_equal(ioctl(ready.fd, KUID_IOC_QUERY, &query), 0);
	assert_int_equal(query.format, KUID_FORMAT_K128);
	kuid_close(handle);
}

TEST(programs_of_32_bits_make_no_ids)
{
	static const unsigned int flags[] = { KUID_LOCAL, KUID_PRIVATE };

	for (int i = 0; i < 2; i++) {
		struct kuid *handle = kuid_open_flags(KUID_FORMAT_V7, flags[i]);

		assert_int_equal(handle ? 8 : 4, sizeof(long));
		assert_true(handle || errno == EOPNOTSUPP);
		kuid_close(handle);
	}
}

TEST(close_leaves_errno_alone)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_V1);

	assert_non_null(handle);
	errno = 77;
	kuid_close(handle);
	kuid_close(NULL);
	assert_int_equal(errno, 77);
}

/* The errno of opening it. */
static int open_without_device(void)
{
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/dev", "tmpfs", 0, NULL))
		return 255;
	return kuid_open(KUID_FORMAT_V1) ? 0 : errno;
}

static bool gives_no_id(void)
{
	unsigned char id[KUID_ID_MAX];

	return kuid_now(KUID_FORMAT_V7, id) == -1 && errno == ENODEV &&
	       !kuid_open(KUID_FORMAT_V7) && errno == ENODEV;
}

/* In the place of the device, and in that of a handle's file. */
static int foreign_files(void)
{
	const char *path = kuid_format_device(KUID_FORMAT_V7);
	struct kuid *handle = kuid_open(KUID_FORMAT_V7);
	unsigned char ids[2 * KUID_ID_MAX] = { 0 };
	int fd;

	if (!handle || open_without_device() != ENODEV)
		return 1;
	fd = mkdir("/dev/kuids", 0755) ? -1 : creat(path, 0644);
	if (fd < 0 || write(fd, ids, sizeof(ids)) != sizeof(ids))
		return 2;
	if (!gives_no_id())
		return 3;
	/* One whole ID and a piece of the next one. */
	if (ftruncate(fd, KUID_ID_MAX + 1) ||
	    dup2(open(path, O_RDONLY), kuid_fd(handle)) < 0 ||
	    kuid_one(handle, ids) || kuid_one(handle, ids) != -1 ||
	    errno != EIO || kuid_many(handle, ids, 2) != -1 || errno != ENODEV)
		return 4;
	if (unlink(path) || mknod(path, S_IFCHR | 0666, makedev(1, 3)) ||
	    !gives_no_id())
		return 5;
	fd = kuid_fd(handle);
	if (dup2(open(path, O_RDONLY), fd) < 0 || kuid_one(handle, ids) != -1 ||
	    errno != EIO)
		return 6;
	kuid_close(handle);
	return close(fd);
}

TEST(foreign_files_give_no_ids)
{
	assert_ok(in_child(foreign_files));
}

/* One handle makes all formats in all orders, where no device can be opened. */
static int make_without_files(void)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_V1);
	unsigned char ids[3][KUID_ID_MAX];
	int order;

	if (!handle || open_without_device() != ENODEV)
		return 1;
	for (unsigned int format = 1; kuid_format_name(format); format++)
		for (unsigned int by = KUID_ORDER_FILE; by <= KUID_ORDER_HOST;
		     by++)
			if (kuid_make(handle, format, by, 0, ids, 3) != 3 ||
			    kuid_compare(format, ids[0],
					 ids[0] + kuid_format_id_size(format),
					 &order) ||
			    order != KUID_BEFORE)
				return 2;
	if (kuid_make(handle, KUID_ANY_UUID, 0, 0, ids, 1) != -1 ||
	    kuid_make(handle, KUID_FORMAT_V7, 4, 0, ids, 1) != -1 ||
	    kuid_make(handle, KUID_FORMAT_V7, 0, 2, ids, 1) != -1)
		return 3;
	kuid_close(handle);
	return 0;
}

TEST(one_handle_serves_all_formats)
{
	assert_ok(in_child(make_without_files));
}

/* Of all formats, with no file left open; and after all files were closed. */
TEST(one_shot_keeps_nothing)
{
	int before = count_fds();

	for (unsigned int format = KUID_FORMAT_DEFAULT;
	     kuid_format_name(format); format++) {
		size_t size = kuid_format_id_size(format);
		unsigned char id[KUID_ID_MAX + 1];
		struct kuid_fields fields;

		memset(id, 0xcc, sizeof(id));
		assert_ok(kuid_now(format, id));
		assert_int_equal(id[size], 0xcc);
		assert_ok(kuid_decode(format, id, KUID_INTERVAL_DEFAULT,
				      KUID_FROM_KUID, &fields));
		assert_int_equal(count_fds(), before);
		assert_int_equal(kuid_now(format, (void *)8), -1);
		assert_int_equal(errno, EFAULT);
		assert_int_equal(count_fds(), before);
	}
	assert_int_equal(kuid_now(0x7fffffff, NULL), -1);
	assert_int_equal(errno, EINVAL);
}

static void *take_for_ever(void *handle)
{
	static unsigned char ids[1 << 20];

	for (;;)
		kuid_many(handle, ids, sizeof(ids) / ID_SIZE);
	return NULL;
}

TEST(many_is_a_cancellation_point)
{
	struct kuid *handle = kuid_open(KUID_FORMAT_LEX);
	unsigned char id[KUID_ID_MAX];
	pthread_t thread;
	void *result;

	assert_non_null(handle);
	assert_ok(pthread_create(&thread, NULL, take_for_ever, handle));
	assert_ok(kuid_one(handle, id));
	assert_ok(pthread_cancel(thread));
	assert_ok(pthread_join(thread, &result));
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_ok(kuid_one(handle, id));
	kuid_close(handle);
}

/* kuid_one() and kuid_many() must give IDs of the same format. */
TEST(every_format_comes_in_order)
{
	unsigned char ids[40][KUID_ID_MAX], zero[KUID_ID_MAX] = { 0 };

	for (unsigned int format = 1; kuid_format_name(format); format++) {
		struct kuid *handle = kuid_open(format);
		size_t size = kuid_format_id_size(format);

		assert_non_null(handle);
		assert_int_equal(kuid_id_size(handle), size);
		for (int i = 0; i < 40; i += 4) {
			unsigned char many[3 * KUID_ID_MAX];

			memset(ids[i], 0, sizeof(ids[i]));
			assert_ok(kuid_one(handle, ids[i]));
			assert_memory_equal(ids[i] + size, zero,
					    KUID_ID_MAX - size);
			assert_int_equal(kuid_many(handle, many, 3), 3);
			for (int k = 0; k < 3; k++)
				memcpy(ids[i + 1 + k], many + k * size, size);
		}
		for (int i = 1; i < 40; i++) {
			int order;

			assert_ok(kuid_compare(format, ids[i - 1], ids[i],
					       &order));
			assert_int_equal(order, KUID_BEFORE);
		}
		kuid_close(handle);
	}
}

/* One kernel makes k64, k96 and k128 from one sequence, with one identity. */
TEST(ids_of_the_kernel_are_decoded_and_convert)
{
	unsigned char global[KUID_ID_MAX], local[KUID_ID_MAX],
		again[KUID_ID_MAX];
	struct kuid *handle = kuid_open(KUID_FORMAT_K128);
	struct kuid_fields fields;
	time_t now = time(NULL);
	uint64_t node;

	assert_non_null(handle);
	assert_ok(kuid_one(handle, global));
	assert_ok(kuid_decode(KUID_FORMAT_K128, global, 8, 0, &fields));
	assert_in_range(fields.sec, now - 1, now + 2);
	assert_ok(kuid_convert(KUID_FORMAT_K128, global, KUID_FORMAT_K64, local,
			       8, &node));
	assert_ok(kuid_convert(KUID_FORMAT_K64, local, KUID_FORMAT_K128, again,
			       8, &node));
	assert_memory_equal(global, again, KUID_ID_MAX);
	kuid_close(handle);
}

TEST_AFTER(memory_that_cannot_be_written_is_efault, open_handle)
{
	assert_ok(kuid_many(*state, NULL, 0));
	assert_fails(kuid_one(*state, NULL), EFAULT);
	assert_fails(kuid_many(*state, NULL, 5), EFAULT);
}

TEST_AFTER(many_stops_where_memory_ends, open_handle)
{
	unsigned char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	assert_ok(munmap(memory + PAGE, PAGE));
	assert_int_equal(kuid_many(*state, memory, 1000), PAGE / ID_SIZE);
	assert_increase(memory, PAGE / ID_SIZE);
	munmap(memory, PAGE);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	alarms++;
}

TEST_AFTER(signals_do_not_cut_many_short, open_handle)
{
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
	const struct itimerval never = { 0 };
	const struct sigaction action = { .sa_handler = on_alarm };
	size_t count = 4000000;
	unsigned char *ids = malloc(count * ID_SIZE);

	assert_non_null(ids);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(kuid_many(*state, ids, count), count);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(alarms > 0);
	assert_increase(ids, count);
	free(ids);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return run_cases("library", NULL, close_handle);
}
