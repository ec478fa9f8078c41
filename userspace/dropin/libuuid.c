// SPDX-License-Identifier: MIT
/*
 * libuuid's functions that make time-based UUIDs, for programs that preload this
 * library. kuid makes the UUIDs; if it can't, libuuid's own function is called.
 *
 * The library has no variables: a call opens the device, takes an ID and closes
 * it. So a fork copies nothing, a program that closes all its files breaks
 * nothing, and no open file keeps the module from being unloaded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* As libuuid's header has them, where uuid_t is an array of 16 of these. */
#pragma GCC visibility push(default)
void uuid_generate_time(unsigned char *out);
int uuid_generate_time_safe(unsigned char *out);
void uuid_generate_time_v6(unsigned char *out);
void uuid_generate_time_v7(unsigned char *out);
#pragma GCC visibility pop

/* Ask whether no ID is handed out twice, if anyone wants to know. */
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

/*
 * libuuid does not block, so this must not either. Otherwise kuid would wait
 * for the random generator, or for a state that is required.
 */
static bool take(struct kuid *handle, unsigned char *out)
{
	int ret;

	/* Each call opens a file of its own, so only the host order holds. */
	if (fcntl(kuid_fd(handle), F_SETFL, O_NONBLOCK) ||
	    kuid_set_order(handle, KUID_ORDER_HOST))
		return false;
	do
		ret = kuid_one(handle, out);
	while (ret && errno == EINTR);
	return !ret;
}

/* False if libuuid has to make it. Keeps errno. */
static bool make(unsigned int format, unsigned char *out, bool *unique)
{
	int err = errno, cancel;
	struct kuid *handle;
	bool made = false;

	/* A thread that is cancelled in between would leak the open file. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	handle = kuid_open(format);
	if (handle) {
		made = ask(handle, unique) && take(handle, out);
		kuid_close(handle);
	}
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
		fprintf(stderr, "libkuid-uuid: no ID from kuid, and %s\n",
			dlerror());
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
	bool unique;

	if (!make(KUID_FORMAT_V1, out, &unique))
		return ASK_LIBUUID(uuid_generate_time_safe, out);
	return unique ? 0 : -1;
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
