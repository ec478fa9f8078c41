/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads and unloads modules, kuid from the file that KUID_MODULE names; reads
 * what modules log.
 */
#ifndef MODULE_H
#define MODULE_H

#include <sys/syscall.h>

#include "dev_kuid.h"

#define NO_MODULE	"KUID_MODULE doesn't name the module"

static inline const char *module_path(void)
{
	return getenv("KUID_MODULE");
}

static inline int load_file(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/*
 * Snowflake needs a worker, which is that of formats.h unless the parameters
 * name another one. The last of two is valid.
 */
#define SNOWFLAKE_PARAMS "snowflake_worker=17 "

static inline int load(const char *params)
{
	char all[1024];

	snprintf(all, sizeof(all), SNOWFLAKE_PARAMS "%s", params);
	return load_file(module_path(), all);
}

/* Unload a module, or fail at once if it is in use. */
static inline int unload_name(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static inline int unload(void)
{
	return unload_name("kuid");
}

static inline bool is_loaded(void)
{
	return !access("/sys/module/kuid", F_OK);
}

/* Open the end of the kernel log, for log_has(). Returns the file or -1. */
static inline int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/*
 * Whether a line was logged since open_log() that has both texts. Closes the
 * log.
 */
static inline bool log_has(int log, const char *one, const char *other)
{
	char line[1024];
	bool found = false;
	ssize_t size;

	while (!found && (size = read(log, line, sizeof(line) - 1)) > 0) {
		line[size] = '\0';
		found = strstr(line, one) && strstr(line, other);
	}
	close(log);
	return found;
}

#endif /* MODULE_H */
