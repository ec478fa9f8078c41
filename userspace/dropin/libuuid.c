// SPDX-License-Identifier: MIT
/*
 * libuuid's functions that make time-based UUIDs, for programs that preload
 * this library. kuid makes the UUIDs. If it can't, $LIBKUID_UUID_FALLBACK
 * decides.
 *
 * One device file stays open, for all versions. The program may close it, as
 * daemons do, and use its number for another file. An ID is asked for by
 * KUID_IOC_GENERATE, because that takes nothing from such a file: it fails, or
 * leaves the answer empty. Then the device is opened again, and the other file
 * is left alone.
 *
 * Two kinds of handles stay open, one for each version, because each has a lane
 * of its own. libkuid wipes the lane in a forked child.
 * - Local handles, which make IDs in this process, have no file.
 * - With LIBKUID_UUID_PRIVATE=1 there are handles with private lanes. The
 *   program may close their files: libkuid notices that, and the next call
 *   opens another handle.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kuid.h"
#include "private.h"

#define VARIABLE	 "LIBKUID_UUID_FALLBACK"
#define PRIVATE_VARIABLE "LIBKUID_UUID_PRIVATE"

/* As libuuid's header has them, where uuid_t is an array of 16 of these. */
#pragma GCC visibility push(default)
void uuid_generate_time(unsigned char *out);
int uuid_generate_time_safe(unsigned char *out);
void uuid_generate_time_v6(unsigned char *out);
void uuid_generate_time_v7(unsigned char *out);
#pragma GCC visibility pop

/**
 * enum fallback - $LIBKUID_UUID_FALLBACK: what to do if kuid can't make an ID
 * @UNREAD: the environment was not read yet
 * @UNKNOWN: the variable has another value, which was not reported yet
 * @WARN: print a warning, and go on as IN_PROCESS
 * @IN_PROCESS: make the ID in this process
 * @REQUIRE: abort
 * @BY_LIBUUID: call libuuid's own function
 */
enum fallback {
	UNREAD,
	UNKNOWN,
	WARN,
	IN_PROCESS,
	REQUIRE,
	BY_LIBUUID
};

/**
 * enum choice - $LIBKUID_UUID_PRIVATE: whether to make IDs in a private lane
 * @NO: don't
 * @YES: do so
 * @NEITHER: as NO; the variable has another value, which was not reported yet
 */
enum choice {
	NO,
	YES,
	NEITHER
};

static _Atomic enum fallback fallback;
static _Atomic enum choice in_lane;

/* The device's file gets this number or a higher one. */
#define FIRST_NUMBER 64

/*
 * The number of the device's file plus 1; 0 if none is kept. The high half
 * counts the files, so that a thread sees that another one has opened the
 * device again, also under the same number.
 */
static _Atomic uint64_t kept;

static int number_of(uint64_t word)
{
	return (int)(uint32_t)word - 1;
}

static uint64_t next(uint64_t word, int fd)
{
	return ((word >> 32) + 1) << 32 | (uint32_t)(fd + 1);
}

/* The major number of the device that is kept. */
static _Atomic unsigned int driver;

/* The sum of load_id and number of the last epoch known to repeat no ID. */
static _Atomic uint64_t unique_in;

/* The handles that stay open, by format. */
static struct kuid *_Atomic local_handles[KUID_FORMAT_V7 + 1];
static struct kuid *_Atomic private_handles[KUID_FORMAT_V7 + 1];

static enum choice choice_of(const char *text)
{
	if (!strcmp(text, "1"))
		return YES;
	return !*text || !strcmp(text, "0") ? NO : NEITHER;
}

static enum fallback value_of(const char *text)
{
	static const struct {
		char text[9];
		enum fallback value;
	} values[] = {
		{ "", WARN },
		{ "warn", WARN },
		{ "fallback", IN_PROCESS },
		{ "require", REQUIRE },
		{ "libuuid", BY_LIBUUID },
	};
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!strcmp(text, values[i].text))
			return values[i].value;
	return UNKNOWN;
}

/* True for one caller only. */
static bool change(enum fallback from, enum fallback to)
{
	return atomic_compare_exchange_strong(&fallback, &from, to);
}

static bool change_choice(enum choice from, enum choice to)
{
	return atomic_compare_exchange_strong(&in_lane, &from, to);
}

/*
 * Read the environment before main(), because another thread may change it
 * later. Other libraries' constructors may have called before that.
 */
__attribute__((constructor)) static void read_environment(void)
{
	const char *text = secure_getenv(VARIABLE);
	const char *lane = secure_getenv(PRIVATE_VARIABLE);

	/* First, because callers see from the other one that both were read. */
	if (fallback == UNREAD)
		in_lane = choice_of(lane ? lane : "");
	change(UNREAD, value_of(text ? text : ""));
}

/*
 * Write a message if standard error takes it at once. A pipe that nobody reads
 * would block the program, and a pipe without a reader would end it by SIGPIPE.
 * Not by stderr, which another thread may have locked.
 */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	struct pollfd file = { .fd = STDERR_FILENO, .events = POLLOUT };
	va_list args;

	if (poll(&file, 1, 0) != 1 || file.revents != POLLOUT)
		return;
	va_start(args, format);
	vdprintf(STDERR_FILENO, format, args);
	va_end(args);
}

static bool take(struct kuid *handle, unsigned char *out)
{
	int ret;

	do
		ret = kuid_one(handle, out);
	while (ret && errno == EINTR);
	return !ret;
}

/*
 * libuuid does not block, so this must not either. Otherwise kuid would wait
 * for the random generator, or for a state that is required.
 */
static bool dont_block(struct kuid *handle)
{
	return !fcntl(kuid_fd(handle), F_SETFL, O_NONBLOCK);
}

/* The handle that is kept here, or a new one; NULL and errno if there is none. */
static struct kuid *keep_open(struct kuid *_Atomic *at, unsigned int format,
			      unsigned int flags)
{
	struct kuid *handle = *at, *other = NULL;

	if (handle)
		return handle;
	handle = kuid_open_flags(format, flags);
	if (!handle)
		return NULL;
	if ((flags == KUID_LOCAL || dont_block(handle)) &&
	    atomic_compare_exchange_strong(at, &other, handle))
		return handle;
	kuid_close(handle);
	return other;
}

/*
 * False if there is no lane, so that the device has to make it: in the order of
 * the host, which it has not if it makes IDs for a handle.
 */
static bool make_in_lane(unsigned int format, unsigned char *out)
{
	struct kuid *_Atomic *at = &private_handles[format];
	struct kuid *handle;

	while ((handle = keep_open(at, format, KUID_PRIVATE))) {
		if (kuid_private_is_refused(handle))
			return false;
		if (take(handle, out))
			return !kuid_private_is_refused(handle);
		if (errno != EBADF)
			return false;
		/*
		 * The program has closed the file, and its number may be that
		 * of another one by now. So the handle can't be closed.
		 */
		atomic_compare_exchange_strong(at, &handle, NULL);
	}
	return false;
}

/* Carry out a command. The answer is a field that kuid never leaves empty. */
static bool ask_file(int fd, unsigned long command, void *request,
		     __u64 *answer)
{
	int ret;

	do {
		*answer = 0;
		ret = ioctl(fd, command, request);
	} while (ret && errno == EINTR);
	if (!ret && *answer)
		return true;
	/* Another driver may succeed at commands that it doesn't know. */
	if (!ret)
		errno = ENODEV;
	return false;
}

/* Whether a number is still that of a file of the driver. Keeps errno. */
static bool is_open(int fd, unsigned int of)
{
	struct stat file;
	int err = errno;
	bool is;

	/* Without an answer it is, or the device would be opened for ever. */
	if (fstat(fd, &file))
		is = errno != EBADF;
	else
		is = S_ISCHR(file.st_mode) && major(file.st_rdev) == of;
	errno = err;
	return is;
}

/* Close a file that is not kept. Keeps errno. */
static void drop(int fd, unsigned int of)
{
	int err = errno;

	if (is_open(fd, of))
		close(fd);
	errno = err;
}

/* Give a file a number that no program waits for, if the limit allows it. */
static int move(int fd, unsigned int of)
{
	int moved = -1;

	if (fd < FIRST_NUMBER)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_NUMBER);
	if (moved < 0)
		return fd;
	drop(fd, of);
	return moved;
}

/*
 * Open the device and keep the file, unless another thread has changed what is
 * kept. False and errno if there is no device. A thread of the program may
 * close the file at any moment, and use its number: then it may be that nothing
 * is kept, and the caller tries again. @lost counts how often a number seemed
 * to be another driver's, which it is not if a third thread has opened the
 * device under that number since.
 */
static bool open_device(unsigned int format, uint64_t before,
			unsigned int *lost)
{
	const char *path = kuid_format_device(format);
	struct kuid_query query = { .format = format };
	struct stat device;
	unsigned int of;
	int fd;

	if (stat(path, &device))
		goto missing;
	if (!S_ISCHR(device.st_mode)) {
		errno = ENODEV;
		return false;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		goto missing;
	of = major(device.st_rdev);
	fd = move(fd, of);
	if (ask_file(fd, KUID_IOC_QUERY, &query, &query.formats)) {
		driver = of;
		if (!atomic_compare_exchange_strong(&kept, &before,
						    next(before, fd)))
			drop(fd, of);
		return true;
	}
	if (!is_open(fd, of))
		return true;
	drop(fd, of);
	if ((errno == ENOTTY || errno == EBADF) && (*lost)++ < 3)
		return true;
missing:
	if (errno == ENOENT || errno == ENXIO || errno == ENOTTY)
		errno = ENODEV;
	return false;
}

/* As ask_file(), with the device that is kept. */
static bool ask(unsigned int format, unsigned long command, void *request,
		__u64 *answer)
{
	unsigned int lost = 0;

	for (;;) {
		uint64_t word = kept;
		int fd = number_of(word);
		bool open;

		if (fd < 0) {
			if (!open_device(format, word, &lost))
				return false;
			continue;
		}
		if (ask_file(fd, command, request, answer))
			return true;
		open = is_open(fd, driver);
		if (!open)
			atomic_compare_exchange_strong(&kept, &word,
						       next(word, -1));
		/*
		 * The error is the device's, unless another thread has opened
		 * the device meanwhile. One that opens it at the same time as
		 * others may have had the number for a moment without keeping
		 * it, but these two errors are never the device's.
		 */
		else if (kept == word && errno != EBADF && errno != ENOTTY)
			return false;
	}
}

static bool is_made(const struct kuid_generate *one)
{
	return one->done == 1 && one->load_id;
}

/* Whether it is known already that no ID of the epoch is handed out twice. */
static bool is_known_unique(const struct kuid_generate *one)
{
	return unique_in == one->load_id + one->epoch;
}

/* As is_known_unique(), by the status. */
static bool is_unique(const struct kuid_generate *one)
{
	struct kuid_status status = { 0 };

	if (!ask(one->format, KUID_IOC_STATUS, &status, &status.load_id) ||
	    !(status.unique >> one->format & 1))
		return false;
	unique_in = status.load_id + status.epoch;
	return true;
}

/* Ask for an ID that was not made yet; and whether IDs are unique, if @unique. */
static bool make_by_device(struct kuid_generate *one, bool *unique)
{
	if (!is_made(one) &&
	    !ask(one->format, KUID_IOC_GENERATE, one, &one->load_id))
		return false;
	if (!is_made(one)) {
		errno = ENODEV;
		return false;
	}
	if (unique)
		*unique = is_known_unique(one) || is_unique(one);
	return true;
}

static bool make_in_process(unsigned int format, unsigned char *out)
{
	struct kuid *handle =
		keep_open(&local_handles[format], format, KUID_LOCAL);

	return handle && take(handle, out);
}

/* False if libuuid has to make it. Most callers can't report an error. */
static bool fall_back(unsigned int format, unsigned char *out)
{
	const char *path = kuid_format_device(format);
	char why[64];

	if (fallback == BY_LIBUUID)
		return false;
	snprintf(why, sizeof(why), "%m");
	if (fallback == REQUIRE) {
		say("libkuid-uuid: %s: %s; " VARIABLE "=require\n", path, why);
		abort();
	}
	if (change(WARN, IN_PROCESS))
		say("libkuid-uuid: %s: %s; this process makes the UUIDs itself, without the order of the host\n",
		    path, why);
	if (make_in_process(format, out))
		return true;
	say("libkuid-uuid: %s: %s; no UUID made in this process: %m\n", path,
	    why);
	abort();
}

/* As make(). The ID may be made already. */
static bool make_slowly(struct kuid_generate *one, int *safe)
{
	unsigned char *out = (unsigned char *)(uintptr_t)one->buffer;
	bool unique = false, made;
	int cancel;

	/* A thread that is cancelled in between would leak the open file. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (fallback == UNREAD)
		read_environment();
	if (change(UNKNOWN, WARN))
		say("libkuid-uuid: " VARIABLE
		    " must be fallback, warn, require or libuuid; taken as warn\n");
	if (change_choice(NEITHER, NO))
		say("libkuid-uuid: " PRIVATE_VARIABLE
		    " must be 0 or 1; taken as 0\n");
	made = unique = in_lane == YES && make_in_lane(one->format, out);
	if (!made)
		made = make_by_device(one, safe ? &unique : NULL);
	if (!made)
		made = fall_back(one->format, out);
	if (safe)
		*safe = unique ? 0 : -1;
	pthread_setcancelstate(cancel, NULL);
	return made;
}

/*
 * False if libuuid has to make it. *safe is 0 if kuid says that no ID is handed
 * out twice, else -1. Keeps errno.
 */
static bool make(unsigned int format, unsigned char *out, int *safe)
{
	struct kuid_generate one = {
		.buffer = (uintptr_t)out,
		.format = format,
		.order = KUID_ORDER_HOST,
		.count = 1,
	};
	int err = errno;
	int fd = in_lane == NO ? number_of(kept) : -1;
	bool made;

	/* valgrind doesn't see that the kernel writes here by a pointer. */
	memset(out, 0, KUID_ID_MAX);
	/* As most are: by one system call, which is no cancellation point. */
	made = fd >= 0 && ask_file(fd, KUID_IOC_GENERATE, &one, &one.load_id) &&
	       is_made(&one) && (!safe || is_known_unique(&one));
	if (!made)
		made = make_slowly(&one, safe);
	else if (safe)
		*safe = 0;
	errno = err;
	return made;
}

/*
 * libuuid's own function. RTLD_NEXT would not find it where libuuid came with a
 * module that was opened for itself, as Python's does; by its name it is found
 * wherever it is, and loaded if the program has none.
 */
static void *libuuid(const char *name)
{
	void *lib = dlopen("libuuid.so.1", RTLD_LAZY | RTLD_NODELETE);
	void *function = lib ? dlsym(lib, name) : NULL;

	/* Most can't report an error, and none may return without an ID. */
	if (!function) {
		say("libkuid-uuid: no UUID from kuid, and %s\n", dlerror());
		abort();
	}
	dlclose(lib);
	return function;
}

#define ASK_LIBUUID(name, out) (((typeof(&(name)))libuuid(#name))(out))

void uuid_generate_time(unsigned char *out)
{
	if (!make(KUID_FORMAT_V1, out, NULL))
		ASK_LIBUUID(uuid_generate_time, out);
}

int uuid_generate_time_safe(unsigned char *out)
{
	int safe;

	if (!make(KUID_FORMAT_V1, out, &safe))
		return ASK_LIBUUID(uuid_generate_time_safe, out);
	return safe;
}

void uuid_generate_time_v6(unsigned char *out)
{
	if (!make(KUID_FORMAT_V6, out, NULL))
		ASK_LIBUUID(uuid_generate_time_v6, out);
}

void uuid_generate_time_v7(unsigned char *out)
{
	if (!make(KUID_FORMAT_V7, out, NULL))
		ASK_LIBUUID(uuid_generate_time_v7, out);
}
