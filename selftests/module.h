/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading the module, whose file KUID_MODULE names. */
#ifndef MODULE_H
#define MODULE_H

#include <sys/syscall.h>

#include "dev_kuid.h"

#define NO_MODULE	"KUID_MODULE doesn't name the module"

static inline const char *module_path(void)
{
	return getenv("KUID_MODULE");
}

static inline int load(const char *params)
{
	int fd = open(module_path(), O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, params, 0) ? -errno : 0;
	close(fd);
	return ret;
}

/* Without waiting, and without force. */
static inline int unload(void)
{
	return syscall(SYS_delete_module, "kuid", O_NONBLOCK) ? -errno : 0;
}

static inline bool is_loaded(void)
{
	return !access("/sys/module/kuid", F_OK);
}

#endif /* MODULE_H */
