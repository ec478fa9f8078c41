/* SPDX-License-Identifier: MIT */
/*
 * Handles with private lanes, and a pile of the IDs that were made by them, for
 * programs that use cmocka.
 */
#ifndef KUID_PRIVATE_HANDLES_H
#define KUID_PRIVATE_HANDLES_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cmocka.h>
#include <kuid.h>

#define SEC	1000000000LL
#define MS	1000000LL
#define ID_SIZE 16

/* The formats that processes make. */
static const unsigned int formats[] = {
	KUID_FORMAT_V1,
	KUID_FORMAT_V6,
	KUID_FORMAT_V7,
};

/* Lanes of the process's own, and lanes of the kernel's. */
static const unsigned int kinds[] = { KUID_LOCAL, KUID_PRIVATE };

#define NR_FORMATS 3
#define NR_KINDS   2

static inline void refuses(unsigned int format, unsigned int flags, int error)
{
	errno = 0;
	assert_null(kuid_open_flags(format, flags));
	assert_int_equal(errno, error);
}

static inline struct kuid_handle_status status_of(const struct kuid *handle)
{
	struct kuid_handle_status status;

	assert_int_equal(kuid_read_handle_status(handle, &status), 0);
	return status;
}

static inline uint64_t epoch_of(const struct kuid *handle)
{
	return status_of(handle).epoch;
}

static inline struct kuid_fields fields_of(unsigned int format, const void *id)
{
	struct kuid_fields fields;

	assert_int_equal(kuid_decode(format, id, 0, KUID_FROM_KUID, &fields),
			 0);
	return fields;
}

static inline uint64_t node_of(unsigned int format, const void *id)
{
	return fields_of(format, id).node;
}

/* Nanoseconds since 1970. Rounded down to 100 ns in v1 and v6. */
static inline int64_t time_of(unsigned int format, const void *id)
{
	struct kuid_fields fields = fields_of(format, id);

	return fields.sec * SEC + fields.nsec;
}

static inline bool is_after(unsigned int format, const void *id,
			    const void *other)
{
	int order = KUID_EQUAL;

	kuid_compare(format, id, other, &order);
	return order == KUID_AFTER;
}

/* Whether each ID is above the one before it. */
static inline bool are_in_order(unsigned int format, const unsigned char *ids,
				size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!is_after(format, ids + i * ID_SIZE,
			      ids + (i - 1) * ID_SIZE))
			return false;
	return true;
}

/* The IDs of all processes of a test. */
struct pile {
	size_t count;
	size_t room;
	unsigned char ids[][ID_SIZE];
};

static inline void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static inline size_t pile_size(size_t room)
{
	return sizeof(struct pile) + room * ID_SIZE;
}

static inline struct pile *pile_open(size_t room)
{
	struct pile *pile = share(pile_size(room));

	pile->room = room;
	return pile;
}

/* Any process and thread may call this. */
static inline void pile_put(struct pile *pile, const void *ids, size_t count)
{
	size_t at = __atomic_fetch_add(&pile->count, count, __ATOMIC_RELAXED);

	if (at + count > pile->room)
		abort();
	memcpy(pile->ids[at], ids, count * ID_SIZE);
}

static inline int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, ID_SIZE);
}

/* Formats differ in the version, so all IDs are compared with one another. */
static inline void pile_check_and_close(struct pile *pile)
{
	assert_true(pile->count);
	qsort(pile->ids, pile->count, ID_SIZE, by_bytes);
	for (size_t i = 1; i < pile->count; i++)
		assert_memory_not_equal(pile->ids[i - 1], pile->ids[i],
					ID_SIZE);
	munmap(pile, pile_size(pile->room));
}

/* A child in which an assertion fails ends there. */
static inline pid_t fork_child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		setenv("CMOCKA_TEST_ABORT", "1", 1);
	return pid;
}

static inline void assert_done(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#endif /* KUID_PRIVATE_HANDLES_H */
