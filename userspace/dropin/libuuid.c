// SPDX-License-Identifier: MIT
/*
 * libuuid's functions that make time-based UUIDs, for programs that preload
 * this library. kuid makes the UUIDs. If it can't, $LIBKUID_UUID_FALLBACK
 * decides.
 *
 * A call opens the device, takes an ID and closes it. So a fork copies nothing,
 * a program that closes all its files breaks nothing, and no open file keeps
 * the module from being unloaded.
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
#include <kuid.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Ask whether no ID is handed out twice, if the caller wants to know. */
static bool ask(struct kuid *handle, bool *unique)
{
	struct kuid_status status = { 0 };

	if (!unique)
		return true;
	if (kuid_read_status(handle, &status))
		return false;
	*unique = status.held & KUID_HELD_UNIQUE;
	return true;
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

/* Ask whether the kernel guards the IDs, if the caller wants to know. */
static bool is_in_lane(const struct kuid *handle, bool *unique)
{
	struct kuid_handle_status status;

	if (!unique)
		return true;
	kuid_read_handle_status(handle, &status);
	*unique = status.made_by == KUID_MADE_BY_LANE;
	return *unique;
}

/* False if there is no lane, so that the device has to make it. */
static bool make_in_lane(unsigned int format, unsigned char *out, bool *unique)
{
	struct kuid *_Atomic *at = &private_handles[format];
	struct kuid *handle;

	while ((handle = keep_open(at, format, KUID_PRIVATE))) {
		if (take(handle, out))
			return is_in_lane(handle, unique);
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

/* Each call opens a file of its own, so only the host order holds. */
static bool make_by_kuid(unsigned int format, unsigned char *out, bool *unique)
{
	struct kuid *handle = kuid_open(format);
	bool made;

	if (!handle)
		return false;
	made = dont_block(handle) && !kuid_set_order(handle, KUID_ORDER_HOST) &&
	       ask(handle, unique) && take(handle, out);
	kuid_close(handle);
	return made;
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

/*
 * False if libuuid has to make it. *safe is 0 if kuid says that no ID is handed
 * out twice, else -1. Keeps errno.
 */
static bool make(unsigned int format, unsigned char *out, int *safe)
{
	int err = errno, cancel;
	bool unique = false, made;

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
	made = (in_lane == YES &&
		make_in_lane(format, out, safe ? &unique : NULL)) ||
	       make_by_kuid(format, out, safe ? &unique : NULL);
	if (!made) {
		unique = false;
		made = fall_back(format, out);
	}
	if (safe)
		*safe = unique ? 0 : -1;
	pthread_setcancelstate(cancel, NULL);
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
