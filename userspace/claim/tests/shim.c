// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into kuid-claim and PostgreSQL by the tests: the wall clock is
 * ahead by as many seconds as the file $SHIM/clock says, and files of /proc and
 * /sys that tell of virtual machines are $SHIM/cpuinfo and $SHIM/modalias.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int (*real_clock_gettime)(clockid_t clock, struct timespec *time);
static int (*real_glob)(const char *pattern, int flags,
			int (*failed)(const char *path, int error),
			glob_t *found);

__attribute__((constructor)) static void find(void)
{
	*(void **)&real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	*(void **)&real_glob = dlsym(RTLD_NEXT, "glob");
}

static void shim_path(const char *name, char path[4096])
{
	snprintf(path, 4096, "%s/%s", getenv("SHIM"), name);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock,
							 struct timespec *time)
{
	char text[32] = "", path[4096];
	int fd;

	shim_path("clock", path);
	if (clock == CLOCK_REALTIME &&
	    (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			abort();
		close(fd);
	}
	if (real_clock_gettime(clock, time))
		return -1;
	time->tv_sec += atoi(text);
	return 0;
}

/* The clock of PostgreSQL. */
__attribute__((visibility("default"))) int gettimeofday(struct timeval *time,
							void *zone)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return -1;
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

__attribute__((visibility("default"))) int
glob(const char *pattern, int flags, int (*failed)(const char *path, int error),
     glob_t *found)
{
	char path[4096];

	shim_path(strrchr(pattern, '/') + 1, path);
	return real_glob(path, flags, failed, found);
}
