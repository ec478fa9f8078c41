/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /dev/kuid as the tests use it: taking IDs, and what is in one. The layout is
 * decoded from RFC 9562 section 5.1 alone, so that a mistake of the module's is
 * not made here a second time.
 */
#ifndef DEV_KUID_H
#define DEV_KUID_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/kuid.h>

#define DEV_KUID	"/dev/kuid"

/* What memory is filled with that a call must leave alone. */
#define POISON		0xcc

/* An ID as it lies in memory: sixteen bytes of no alignment. */
struct id {
	__u8 bytes[16];
};

/* Ticks of 100 ns since 1582-10-15. */
static inline __u64 id_time(const struct id *id)
{
	const __u8 *b = id->bytes;

	return (__u64)(b[6] & 0x0f) << 56 | (__u64)b[7] << 48 |
	       (__u64)b[4] << 40 | (__u64)b[5] << 32 |
	       (__u64)b[0] << 24 | (__u64)b[1] << 16 |
	       (__u64)b[2] << 8 | (__u64)b[3];
}

static inline unsigned int id_version(const struct id *id)
{
	return id->bytes[6] >> 4;
}

/* The RFC's variant is the two bits 1 and 0. */
static inline unsigned int id_variant(const struct id *id)
{
	return id->bytes[8] >> 6;
}

static inline unsigned int id_clock_seq(const struct id *id)
{
	return (id->bytes[8] & 0x3f) << 8 | id->bytes[9];
}

static inline __u64 id_node(const struct id *id)
{
	__u64 node = 0;
	int i;

	for (i = 10; i < 16; i++)
		node = node << 8 | id->bytes[i];
	return node;
}

/* No network card's address has this bit: the node is a random one. */
static inline bool node_is_random(__u64 node)
{
	return node >> 40 & 1;
}

/*
 * (time, clock_seq) in one word, for comparing by key_after(). It has room for
 * 50 of the 60 bits of time, so it wraps every 3.5 years; the IDs of one test
 * lie closer together than half of that.
 */
static inline __u64 id_key(const struct id *id)
{
	return id_time(id) << 14 | id_clock_seq(id);
}

static inline bool key_after(__u64 key, __u64 other)
{
	return (__s64)(key - other) > 0;
}

/*
 * How many of the IDs come each after the one before it, and the first after
 * *@last. Leaves the last one's key in *@last.
 */
static inline size_t count_rising(const struct id *ids, size_t count,
				  __u64 *last)
{
	size_t i;

	for (i = 0; i < count; i++) {
		__u64 key = id_key(&ids[i]);

		if (!key_after(key, *last))
			break;
		*last = key;
	}
	return i;
}

/* Take @count IDs. Returns how many came, or a negative errno. */
typedef long (*take_t)(int fd, void *to, __u32 count);

static inline long take_by_read(int fd, void *to, __u32 count)
{
	ssize_t size = read(fd, to, (size_t)count * sizeof(struct id));

	if (size < 0)
		return -errno;
	/* Part of an ID is never given; make it a wrong count if it is. */
	return size % sizeof(struct id) ? -EIO : size / (long)sizeof(struct id);
}

static inline long take_by_generate(int fd, void *to, __u32 count)
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)to,
		.count = count,
	};

	return ioctl(fd, KUID_IOC_GENERATE, &g) ? -errno : (long)g.done;
}

/* Where random choices start: never 0; the variable SEED repeats a run. */
static inline __u32 pick_seed(void)
{
	const char *given = getenv("SEED");
	struct timespec now;

	if (given)
		return strtoul(given, NULL, 0) | 1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u32)(now.tv_nsec ^ now.tv_sec << 20) | 1;
}

static inline bool all_bytes(const void *memory, int byte, size_t size)
{
	const __u8 *at = memory;

	while (size--) {
		if (*at++ != (__u8)byte)
			return false;
	}
	return true;
}

/*
 * A page with nothing mapped behind it. Returns the address of the hole, or
 * NULL.
 */
static inline __u8 *map_before_hole(void)
{
	long page = sysconf(_SC_PAGESIZE);
	__u8 *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || munmap(at + page, page))
		return NULL;
	return at + page;
}

/*
 * Addresses that no program may have written for it: unmapped ones, of the
 * kernel's half, and where an end of the range wraps. The last one found is
 * memory that the kernel could write if it didn't look: its log buffer, where
 * a failing test does the least harm.
 */
#define BAD_ADDRESSES_MAX 8

static inline int bad_addresses(__u64 *to)
{
	char line[256];
	FILE *symbols;
	int nr = 0;

	to[nr++] = 0;
	to[nr++] = 16;
	to[nr++] = 1ULL << 63;
	to[nr++] = 0xffff800000000000ULL;
	to[nr++] = -4096ULL;
	to[nr++] = -16ULL;
	to[nr++] = -1ULL;

	symbols = fopen("/proc/kallsyms", "r");
	while (symbols && fgets(line, sizeof(line), symbols)) {
		if (strstr(line, " __log_buf\n")) {
			to[nr++] = strtoull(line, NULL, 16);
			break;
		}
	}
	if (symbols)
		fclose(symbols);
	return nr;
}

/* What a 32-bit program can have of it is bad as well. */
static inline void *as_pointer(__u64 address)
{
	return (void *)(uintptr_t)address;
}

/* The CPUs this process may run on, lowest first. Returns how many. */
static inline int allowed_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int nr = 0;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE && nr < max; cpu++) {
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	}
	return nr;
}

/* Move a thread, 0 for the calling one, to a CPU. Returns 0 or -1. */
static inline int move_to_cpu(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set);
}

#define CPU_ONLINE	"/sys/devices/system/cpu/cpu%d/online"

/* Plug a CPU in or out. Returns 0 or -errno. */
static inline int set_online(int cpu, bool online)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), CPU_ONLINE, cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, online ? "1" : "0", 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}

#endif /* DEV_KUID_H */
