/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel code that takes IDs in three contexts on each CPU: loads the module of
 * these callers, which KUID_CALLERS names, and reads what debugfs has of them.
 */
#ifndef CALLERS_H
#define CALLERS_H

#include <sys/mount.h>

#include "formats.h"
#include "module.h"

#define DEBUGFS		"/sys/kernel/debug"

/* The contexts of callers. */
enum caller_kind { HARD, SOFT, THREAD, NR_CONTEXTS };

static const char *const contexts[] = { "hard", "soft", "thread" };

/*
 * Have each caller take so many IDs. If @clone_id is not 0, they keep those since
 * the generation ID at this address has changed. Returns 0 or a negative errno.
 */
static inline int load_callers(__u32 format, __u32 order, __u32 ids,
			       __u64 clone_id)
{
	char params[96];

	if (mount("debugfs", DEBUGFS, "debugfs", 0, NULL) && errno != EBUSY)
		return -errno;
	snprintf(params, sizeof(params), "format=%u order=%u ids=%u clone_id=%llu",
		 format, order, ids, (unsigned long long)clone_id);
	return load_file(getenv("KUID_CALLERS"), params);
}

static inline int unload_callers(void)
{
	return unload_name("kuid_callers");
}

/* Read a file of a caller. Returns the size, or a negative errno. */
static inline long read_of_caller(enum caller_kind kind, int cpu,
				  const char *name, void *to, size_t size)
{
	char path[96];
	long done = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), DEBUGFS "/kuid_callers/%s%d/%s",
		 contexts[kind], cpu, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((got = read(fd, (char *)to + done, size - done)) > 0)
		done += got;
	close(fd);
	return done;
}

/* A number of a caller; -1 if there is none, as when the CPU was offline. */
static inline long number_of_caller(enum caller_kind kind, int cpu,
				    const char *name)
{
	char text[32] = "";

	return read_of_caller(kind, cpu, name, text, sizeof(text) - 1) > 0
		       ? strtol(text, NULL, 0) : -1;
}

static inline bool caller_is_done(enum caller_kind kind, int cpu)
{
	char text[2] = "";

	return read_of_caller(kind, cpu, "done", text, 1) > 0 &&
	       text[0] == 'Y';
}

#endif /* CALLERS_H */
