/* SPDX-License-Identifier: GPL-2.0-only */
/* The device, and the memory, files and CPUs that tests use it with. */
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

/* Fills memory that a call must not write. */
#define POISON		0xcc

/* An ID in memory: 16 bytes without alignment. */
struct id {
	__u8 bytes[16];
};

/* Network cards have addresses without this bit, random nodes have it. */
static inline bool node_is_random(__u64 node)
{
	return node >> 40 & 1;
}

/* A seed for random choices, never 0; set the variable SEED to repeat a run. */
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

/* Map a page with a hole behind it. Returns the hole's address, or NULL. */
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
 * Addresses that the kernel must refuse to write for a program: unmapped ones,
 * ones of the kernel's half, and ones with a range that wraps around. The last
 * one is memory that the kernel would write if it didn't check the address: its
 * log buffer, where a failing test does the least harm.
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

/* A 32-bit program gets the low 32 bits, which are bad addresses as well. */
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

/* Move a thread to a CPU; @tid 0 is the caller. Returns 0 or -1. */
static inline int move_to_cpu(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set);
}

/* Write a text to a file at once. Returns 0 or -errno. */
static inline int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t size = strlen(text);
	ssize_t ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, size);
	ret = ret == size ? 0 : ret < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

#define CPU_ONLINE	"/sys/devices/system/cpu/cpu%d/online"

/* Plug a CPU in or out. Returns 0 or -errno. */
static inline int set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), CPU_ONLINE, cpu);
	return write_text(path, online ? "1" : "0");
}

#endif /* DEV_KUID_H */
