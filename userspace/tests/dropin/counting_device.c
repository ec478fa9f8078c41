// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the kuid devices, for users who take IDs: any number of
 * threads and processes at once. In the directory $FAKE there are
 *
 *  - "v1", "v6", "v7", which are opened in place of the devices. They hold the
 *    page that a process with a private lane maps;
 *  - "made", three 64-bit numbers: how many IDs were given so far, how many
 *    nodes of private lanes, and how often the status was read. An ID begins
 *    with the lower 48 bits of its number, so that none comes twice, and ends
 *    with "kuid!". A node begins with "ku" and ends with the lower 32 bits of
 *    its number.
 *
 * $FAKE_FAIL, if set, is words with blanks between:
 *
 *   open=N query=N status=N generate=N lane=N   that call fails with errno N
 *   interrupted=N   the first N requests for an ID fail with EINTR
 *   empty           there is no ID now; a non-blocking caller gets EAGAIN
 *   silent          a request for an ID succeeds, and nothing is written
 *   epochs=N        a new epoch begins after each N IDs
 *   repeats         the status says that IDs are not unique
 *   no-random       nor is there getrandom(), for what libuuid does
 *   no-wipe         memory can't be wiped on fork
 *
 * The state of the machine does not matter to libuuid in tests: there is no
 * uuidd, it keeps its state in the file $FAKE_STATE or, if that is not set,
 * can't keep one, and the time stands still with $FAKE_TIME seconds.
 */
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

#include "../unseen.h"

#define EXPORT __attribute__((visibility("default")))

#define REAL(name) ((typeof(&(name)))dlsym(RTLD_NEXT, #name))

static int fail(int error)
{
	errno = error;
	return -1;
}

/* Whether a word is in $FAKE_FAIL, and what number stands behind it. */
static bool told(const char *word, int *number)
{
	const char *at = getenv("FAKE_FAIL");
	size_t size = strlen(word);

	while (at && *at) {
		if (!strncmp(at, word, size) && strchr("= ", at[size])) {
			*number = at[size] == '=' ? atoi(at + size + 1) : 0;
			return true;
		}
		at = strchr(at, ' ');
		at += at ? 1 : 0;
	}
	return false;
}

/* A file of the directory: a string, or NULL if no one made one. */
static const char *fake_path(char *path, size_t size, const char *name)
{
	const char *fake = getenv("FAKE");

	if (!fake)
		return NULL;
	snprintf(path, size, "%s/%s", fake, name);
	return path;
}

static atomic_ullong *made;
#define NODES 1 /* the second number */
#define READS 2 /* the third number */
#define NR    3

__attribute__((constructor)) static void open_count(void)
{
	char path[4096];
	int fd;

	if (!fake_path(path, sizeof(path), "made"))
		return;
	fd = REAL(open)(path, O_RDWR | O_CLOEXEC);
	made = mmap(NULL, NR * sizeof(*made), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (fd < 0 || made == MAP_FAILED)
		abort();
	close(fd);
}

/* The files of the directory that were opened, by version. */
static _Atomic ino_t opened[10];

/* The version of the UUIDs that an open file gives, or 0. */
static unsigned int version_of(int fd)
{
	unsigned int version = 9;
	struct stat file;

	if (REAL(fstat)(fd, &file) || !S_ISREG(file.st_mode))
		return 0;
	while (version && opened[version] != file.st_ino)
		version--;
	return version;
}

/* The device's file in the directory, or NULL. */
static const char *name_of(const char *path)
{
	if (!strcmp(path, "/dev/kuid"))
		return "v1";
	return strncmp(path, "/dev/kuids/", 11) ? NULL : path + 11;
}

EXPORT int open(const char *path, int flags, ...)
{
	const char *name = name_of(path);
	char other[4096];
	struct stat file;
	mode_t mode = 0;
	va_list args;
	int error, fd;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	if (!strcmp(path, "/var/lib/libuuid/clock.txt")) {
		path = getenv("FAKE_STATE");
		return path ? REAL(open)(path, flags, mode) : fail(ENOENT);
	}
	if (told("no-random", &error) && strstr(path, "random"))
		return fail(ENOENT);
	if (name && told("open", &error))
		return fail(error);
	if (!name || !fake_path(other, sizeof(other), name))
		return REAL(open)(path, flags, mode);
	fd = REAL(open)(other, flags, mode);
	if (fd >= 0 && !REAL(fstat)(fd, &file) && S_ISREG(file.st_mode))
		opened[name[1] - '0'] = file.st_ino;
	return fd;
}

static void set_epoch(__u64 *epoch, __u64 *load_id)
{
	int ids = 0;

	*epoch = told("epochs", &ids) ? 1 + (*made - 1) / ids : 1;
	*load_id = 0x6b756964;
}

/* The real one gets EFAULT from memory that is not there. */
static int give(int fd, struct kuid_generate *request)
{
	static const unsigned char versions[] = {
		[KUID_FORMAT_V1] = 1,
		[KUID_FORMAT_V6] = 6,
		[KUID_FORMAT_V7] = 7,
	};
	unsigned char id[16];
	static atomic_int requests;
	uint64_t nr;
	int number;

	if (request->order != KUID_ORDER_HOST || request->count != 1)
		return fail(EINVAL);
	if (told("generate", &number))
		return fail(number);
	if (told("silent", &number))
		return 0;
	if (told("interrupted", &number) && requests++ < number)
		return fail(EINTR);
	if (told("empty", &number)) {
		if (fcntl(fd, F_GETFL) & O_NONBLOCK)
			return fail(EAGAIN);
		/* This call would wait for ever. */
		_exit(98);
	}
	nr = htobe64(++*made);
	memcpy(id, &nr, 8);
	memcpy(id + 8, "\x80\0\1kuid!", 8);
	/* The lowest 16 bits of the number give way to the version. */
	memmove(id, id + 2, 6);
	id[6] = versions[request->format] << 4;
	id[7] = 0;
	copy_unseen((void *)(uintptr_t)request->buffer, id, sizeof(id));
	request->done = 1;
	set_epoch(&request->epoch, &request->load_id);
	return 0;
}

static void show_device(unsigned int version, struct stat *stat)
{
	stat->st_mode = S_IFCHR | 0444;
	stat->st_rdev = makedev(107, version);
}

EXPORT int fstat(int fd, struct stat *stat)
{
	unsigned int version = version_of(fd);
	int result = REAL(fstat)(fd, stat);

	if (version && !result)
		show_device(version, stat);
	return result;
}

/* A link in place of the device is another driver's. */
EXPORT int stat(const char *path, struct stat *file)
{
	const char *name = name_of(path);
	char other[4096];
	int result;

	if (!name || !fake_path(other, sizeof(other), name))
		return REAL(stat)(path, file);
	result = REAL(stat)(other, file);
	if (!result && S_ISREG(file->st_mode))
		show_device(0, file);
	return result;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	struct kuid_private_lane *lane;
	struct kuid_status *status;
	struct kuid_query *query;
	va_list args;
	void *data;
	int number;

	va_start(args, request);
	data = va_arg(args, void *);
	va_end(args);
	if (!version_of(fd))
		return REAL(ioctl)(fd, request, data);
	switch (request) {
	case KUID_IOC_QUERY:
		if (told("query", &number))
			return fail(number);
		query = data;
		query->id_size = 16;
		query->batch_max = 1;
		query->formats = 0xe;
		return 0;
	case KUID_IOC_GENERATE:
		return give(fd, data);
	case KUID_IOC_STATUS:
		if (told("status", &number))
			return fail(number);
		status = data;
		made[READS]++;
		set_epoch(&status->epoch, &status->load_id);
		status->unique = told("repeats", &number) ? 1 << KUID_FORMAT_V6
							  : 1 << KUID_FORMAT_V1;
		return 0;
	case KUID_IOC_PRIVATE_LANE:
		if (told("lane", &number))
			return fail(number);
		lane = data;
		lane->node = 0x6b7500000000 | (uint32_t)++made[NODES];
		lane->generation = 2;
		lane->max_ahead_ns = 100000000;
		lane->step_limit_ns = 10000000000;
		return 0;
	default:
		return fail(ENOTTY);
	}
}

EXPORT ssize_t getrandom(void *data, size_t size, unsigned int flags)
{
	int number;

	if (told("no-random", &number))
		return fail(ENOSYS);
	return REAL(getrandom)(data, size, flags);
}

EXPORT int madvise(void *start, size_t size, int advice)
{
	int number;

	if (advice == MADV_WIPEONFORK && told("no-wipe", &number))
		return fail(EINVAL);
	return REAL(madvise)(start, size, advice);
}

EXPORT int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	if (to->sa_family == AF_UNIX)
		return fail(ECONNREFUSED);
	return REAL(connect)(fd, to, size);
}

EXPORT int gettimeofday(struct timeval *now, void *zone)
{
	const char *given = getenv("FAKE_TIME");

	if (!given)
		return REAL(gettimeofday)(now, zone);
	*now = (struct timeval) { atol(given), 0 };
	return 0;
}
