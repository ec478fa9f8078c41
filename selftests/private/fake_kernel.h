/* SPDX-License-Identifier: MIT */
/*
 * A kernel that hands out nodes for private lanes, for programs that are linked
 * with wrappers of open(), ioctl(), read() and mmap(). Its device is
 * /dev/null, so that fstat(), fcntl() and close() are the system's.
 */
#ifndef KUID_FAKE_KERNEL_H
#define KUID_FAKE_KERNEL_H

#include <kuid.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct fake_shared - what all processes of a test see
 * @page: the device's page
 * @nodes: how many nodes were handed out
 * @refused: how often the kernel refused to hand out one
 * @ids: how many IDs the device has made
 * @foreign: how many requests were made to files other than the device
 * @vmclock: the page of vmclock, in 64-bit words: see the tests
 */
struct fake_shared {
	_Alignas(KUID_PAGE_SIZE) struct kuid_page page;
	_Alignas(KUID_PAGE_SIZE) uint64_t nodes;
	uint64_t refused;
	uint64_t ids;
	uint64_t foreign;
	_Alignas(KUID_PAGE_SIZE) uint64_t vmclock[KUID_PAGE_SIZE / 8];
};

/* Words of vmclock's page, as the hypervisor fills it in. */
#define FAKE_VMCLOCK_MAGIC	 0 /* and the size in the high half */
#define FAKE_VMCLOCK_VERSION	 1
#define FAKE_VMCLOCK_DISRUPTIONS 2
#define FAKE_VMCLOCK_FLAGS	 3
#define FAKE_VMCLOCK_GENERATION	 13

/**
 * struct fake_kernel - answers to the library
 * @shared: what all processes of the test see
 * @open_errno: the device can't be opened
 * @has_vmclock: there is a vmclock
 * @mmap_errno: the page can't be mapped
 * @lane_errno: no node is handed out
 * @make_errno: the device makes no IDs
 * @max_ahead: window of a lane in nanoseconds
 * @step_limit: of a lane, in nanoseconds
 * @asked: called at the begin and at the end of each request for a node
 */
struct fake_kernel {
	struct fake_shared *shared;
	int open_errno;
	bool has_vmclock;
	int mmap_errno;
	int lane_errno;
	int make_errno;
	uint64_t max_ahead;
	uint64_t step_limit;
	void (*asked)(void);
};

extern struct fake_kernel fake_kernel;

/* Answer all requests, with the limits of a kernel as it is by default. */
void fake_kernel_reset(void);

/* End all lanes in two steps: close the epoch, and begin another one. */
void fake_kernel_step(void);
void fake_kernel_change(void);

/* Clone the machine: change vmclock, but do not notify the kernel. */
void fake_kernel_clone(void);

/* The generation that a node was handed out in. */
uint64_t fake_kernel_generation_of(uint64_t node);
uint64_t fake_kernel_generation(void);

#endif /* KUID_FAKE_KERNEL_H */
