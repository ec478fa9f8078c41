// SPDX-License-Identifier: MIT
/* See vmclock.h. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kuid.h"
#include "vmclock.h"

#define MAGIC	     0x4b4c4356
#define VERSION	     1
#define FLAG_COUNTED BIT_ULL(8)

/*
 * struct vmclock - the beginning of the page, in little endian
 * @magic: MAGIC
 * @size: bytes of what the hypervisor fills in
 * @version: VERSION
 * @disruptions: changes with each migration, and so with each clone
 * @flags: FLAG_COUNTED if there is @generation
 * @generation: changes when the machine was cloned or restored
 */
struct vmclock {
	uint32_t magic;
	uint32_t size;
	uint16_t version;
	uint16_t other[3];
	u64 disruptions;
	u64 flags;
	u64 others[9];
	u64 generation;
};

static_assert(offsetof(struct vmclock, disruptions) == 0x10, "as in the ABI");
static_assert(offsetof(struct vmclock, generation) == 0x68, "as in the ABI");

static const u64 never;

static const u64 *number_of(const struct vmclock *clock)
{
	const size_t size = le32toh(clock->size);

	if (le32toh(clock->magic) != MAGIC ||
	    le16toh(clock->version) != VERSION)
		return &never;
	if (size >= sizeof(*clock) && le64toh(clock->flags) & FLAG_COUNTED)
		return &clock->generation;
	return size >= offsetof(struct vmclock, others) ? &clock->disruptions
							: &never;
}

/* Reading the memory of a file that is too short would end the process. */
static bool has_page(int fd)
{
	struct stat file;

	return !fstat(fd, &file) &&
	       (S_ISCHR(file.st_mode) ||
		file.st_size >= (off_t)sizeof(struct vmclock));
}

const u64 *kuid_vmclock_map(void)
{
	const struct vmclock *clock;
	const u64 *number = &never;
	int err = errno;
	int fd = open(KUID_VMCLOCK_DEVICE, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		clock = has_page(fd) ? mmap(NULL, sizeof(*clock), PROT_READ,
					    MAP_SHARED, fd, 0)
				     : MAP_FAILED;
		close(fd);
		if (clock != MAP_FAILED) {
			number = number_of(clock);
			if (number == &never)
				munmap((void *)clock, sizeof(*clock));
		}
	}
	errno = err;
	return number;
}

bool kuid_vmclock_is_device(const u64 *number)
{
	return number != &never;
}

/* Both numbers are in the first bytes of the page. */
void kuid_vmclock_unmap(const u64 *number)
{
	if (kuid_vmclock_is_device(number))
		munmap((void *)((uintptr_t)number & -(uintptr_t)4096),
		       sizeof(struct vmclock));
}
