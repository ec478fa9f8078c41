/* SPDX-License-Identifier: GPL-2.0-only */
/* What an administrator may do with the device: state and identity. */
#ifndef ADMIN_H
#define ADMIN_H

#include <poll.h>
#include <sys/wait.h>

#include "formats.h"
#include "module.h"
#include "status.h"

/* A node that no network card has, so that decode() takes it for a good one. */
#define GIVEN_NODE	0x0123456789abULL

#define ALL_PARAMS	"node=0123456789ab worker=fedcba9876543210"

static inline int get_state(int fd, struct kuid_state *state)
{
	*state = (struct kuid_state) { 0 };
	return ioctl(fd, KUID_IOC_GET_STATE, state) ? -errno : 0;
}

/* A floor of 0 is a fresh start. */
static inline int restore_floor(int fd, __u64 floor)
{
	struct kuid_restore restore = {
		.floor_ns = floor,
		.flags = floor ? 0 : KUID_RESTORE_FRESH,
	};

	return ioctl(fd, KUID_IOC_RESTORE, &restore) ? -errno : 0;
}

static inline int acknowledge(int fd, __u64 ceiling)
{
	struct kuid_acknowledge ack = { .ceiling_ns = ceiling };

	return ioctl(fd, KUID_IOC_ACKNOWLEDGE, &ack) ? -errno : 0;
}

static inline int force_clock(int fd, __u64 *epoch)
{
	struct kuid_force_clock force = {
		.flags = KUID_FORCE_CLOCK_MAY_REPEAT,
	};

	if (ioctl(fd, KUID_IOC_FORCE_CLOCK, &force))
		return -errno;
	*epoch = force.epoch;
	return 0;
}

static inline int set_identity(int fd, struct kuid_set_identity *set)
{
	return ioctl(fd, KUID_IOC_SET_IDENTITY, set) ? -errno : 0;
}

static inline long take(int fd, const struct format *f, __u32 order, void *ids,
			__u32 count, __u64 *epoch)
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)ids,
		.format = f->number,
		.order = order,
		.count = count,
	};

	if (ioctl(fd, KUID_IOC_GENERATE, &g))
		return -errno;
	if (epoch)
		*epoch = g.epoch;
	return g.done;
}

/* What is in one ID of a format. Returns 0, or a negative errno. */
static inline int take_fields(int fd, const struct format *f,
			      struct fields *fields)
{
	__u8 id[ID_SIZE_MAX];
	long got = take(fd, f, KUID_ORDER_DEFAULT, id, 1, NULL);

	if (got < 0)
		return got;
	return got == 1 && decode(f, id, fields) ? 0 : -EBADMSG;
}

static inline bool poll_says_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

/* Return when the clock is past a time. */
static inline void wait_past(__u64 time)
{
	while (clock_ns() <= time)
		usleep(5000);
}

/*
 * Return when a child sleeps in a system call, so that what comes next finds
 * it there; false if it ends instead.
 */
static inline bool wait_asleep_in(pid_t pid, long call)
{
	char path[64], text[64];
	long number;
	char *end;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	for (;;) {
		FILE *file = fopen(path, "r");

		if (!file)
			return false;
		/* While it runs there is a word instead. */
		memset(text, 0, sizeof(text));
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
		number = strtol(text, &end, 10);
		if (end != text && number == call)
			return true;
		if (waitpid(pid, NULL, WNOHANG | WNOWAIT) == pid)
			return false;
		usleep(2000);
	}
}

/* The exit status of a child; -1 if it didn't exit. */
static inline int exit_status(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* The kernel log from here on, for log_has(). */
static inline int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

/* Whether a line that has come since has both texts. Closes the log. */
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

/*
 * Try an ioctl on a struct that is good but for one thing, for each of the bits
 * of a field that must be zero. Returns the first errno that is not EINVAL as a
 * negative number, 1 if the struct was written, 0 if neither.
 */
static inline int refuses_each_bit(int fd, unsigned long cmd, const void *good,
				   size_t size, size_t offset, size_t field)
{
	__u8 arg[1024], before[1024];
	size_t bit;

	for (bit = 0; bit < 8 * field; bit++) {
		memcpy(arg, good, size);
		arg[offset + bit / 8] ^= 1 << bit % 8;
		memcpy(before, arg, size);
		if (!ioctl(fd, cmd, arg))
			return -1000;
		if (errno != EINVAL)
			return -errno;
		if (memcmp(before, arg, size))
			return 1;
	}
	return 0;
}

#define REFUSES_EACH_BIT(fd, cmd, good, member)                           \
	refuses_each_bit(fd, cmd, good, sizeof(*(good)),                  \
			 offsetof(__typeof__(*(good)), member),           \
			 sizeof((good)->member))

#endif /* ADMIN_H */
