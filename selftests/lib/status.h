/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the module's status by ioctl and from sysfs. */
#ifndef STATUS_H
#define STATUS_H

#include "dev_kuid.h"

#define ATTRIBUTES	"/sys/class/kuid/kuid"

/* Returns 0 or a negative errno. */
static inline int get_status(int fd, struct kuid_status *s)
{
	*s = (struct kuid_status) { 0 };
	return ioctl(fd, KUID_IOC_STATUS, s) ? -errno : 0;
}

/* Read the status for a caller that has no open file. */
static inline int host_status(struct kuid_status *s)
{
	int fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = get_status(fd, s);
	close(fd);
	return ret;
}

/*
 * Read a file of the device's directory in sysfs as text. Returns the text's
 * size or a negative errno.
 */
static inline int read_attribute(const char *name, char *text, size_t size)
{
	char path[128];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), ATTRIBUTES "/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	if (got < 0)
		got = -errno;
	else
		text[got] = '\0';
	close(fd);
	return got;
}

/* Read a file of one line with a number. Returns UINT64_MAX on failure. */
static inline __u64 read_number(const char *name, int base)
{
	char text[64];
	char *end;
	__u64 value;

	if (read_attribute(name, text, sizeof(text)) <= 0)
		return UINT64_MAX;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || end == text || strcmp(end, "\n"))
		return UINT64_MAX;
	return value;
}

#endif /* STATUS_H */
