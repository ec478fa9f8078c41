/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading modules; the one, whose file KUID_MODULE names. */
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

static inline int load(const char *params)
{
	return load_file(module_path(), params);
}

/* Without waiting, and without force. */
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

#endif /* MODULE_H */
