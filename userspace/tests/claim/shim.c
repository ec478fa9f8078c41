// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into kuid-claim by its tests: the wall clock is ahead by as many
 * seconds as the file $SHIM/clock says, and the product UUID is that of the
 * file $SHIM/product. Without the files they are the machine's.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PRODUCT "/sys/class/dmi/id/product_uuid"

static int (*real_clock_gettime)(clockid_t clock, struct timespec *time);
static int (*real_open)(const char *path, int flags, ...);

__attribute__((constructor)) static void find(void)
{
	*(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	*(void **)&real_open = dlsym(RTLD_NEXT, "open");
}

static int open_shim(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("SHIM"), name);
	return real_open(path, O_RDONLY | O_CLOEXEC);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
							 struct timespec *time)
{
	char text[32] = "";
	int fd;

	if (clock == CLOCK_REALTIME && (fd = open_shim("clock")) >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			abort();
		close(fd);
	}
	if (real_clock_gettime(clock, time))
		return -1;
	time->tv_sec += atoi(text);
	return 0;
}

__attribute__((visibility("default"))) int open(const char *path, int flags,
						...)
{
	va_list args;
	mode_t mode;

	if (!strcmp(path, PRODUCT))
		return open_shim("product");
	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return real_open(path, flags, mode);
}
