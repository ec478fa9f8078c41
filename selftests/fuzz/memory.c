// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the fuzzer's calls: a buffer full of poison with holes before and
 * behind it (the room), a read-only page, and addresses that the kernel must
 * refuse to read or write for a program.
 */
#include "fuzz.h"

#define NEAR	512

static __u64 bad[BAD_ADDRESSES_MAX];
static int nr_bad;

static __u8 *map_room(void)
{
	long page = sysconf(_SC_PAGESIZE);
	__u8 *at = mmap(NULL, FUZZ_ROOM + 2 * page, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Children have their own; copies would slow all threads down. */
	if (at == MAP_FAILED ||
	    madvise(at, FUZZ_ROOM + 2 * page, MADV_DONTFORK) ||
	    mprotect(at + page, FUZZ_ROOM, PROT_READ | PROT_WRITE))
		return NULL;
	memset(at + page, POISON, FUZZ_ROOM);
	return at + page;
}

bool fuzz_memory_init(struct fuzz_actor *actor)
{
	long page = sysconf(_SC_PAGESIZE);
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	actor->room = map_room();
	actor->other_room = map_room();
	if (!actor->room || !actor->other_room || fd < 0 || ftruncate(fd, page))
		return false;
	actor->read_only_alias = mmap(NULL, page, PROT_READ | PROT_WRITE,
				      MAP_SHARED, fd, 0);
	actor->read_only = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (actor->read_only_alias == MAP_FAILED ||
	    actor->read_only == MAP_FAILED)
		return false;
	return true;
}

/* Prepare once what all processes use. */
void fuzz_memory_prepare(void)
{
	nr_bad = bad_addresses(bad);
}

static struct fuzz_place all_of(__u8 *at, size_t size)
{
	return (struct fuzz_place) {
		.at = at, .alias = at, .readable = size, .writable = size,
	};
}

/* A place of any alignment in the room, or just before the hole. */
struct fuzz_place fuzz_memory_good(struct fuzz_actor *actor, size_t size)
{
	size_t behind = FUZZ_ROOM - size;

	if (fuzz_one_in(actor, 4))
		return all_of(actor->room + behind, size);
	if (fuzz_one_in(actor, 8))
		return all_of(actor->room, size);
	behind = behind > 8192 ? 8192 : behind;
	return all_of(actor->room + fuzz_below(actor, behind + 1), size);
}

struct fuzz_place fuzz_memory_any(struct fuzz_actor *actor, size_t size)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct fuzz_place place = { 0 };
	size_t part;

	if (fuzz_world->soaks)
		return fuzz_memory_good(actor, size);
	switch (fuzz_below(actor, 32)) {
	case 0:
		place.at = (__u8 *)bad[fuzz_below(actor, nr_bad)];
		return place;
	case 1:
		/* An unmapped address. */
		place.at = actor->room + FUZZ_ROOM;
		return place;
	case 2:
	case 3:
		/* The end of the buffer is unmapped. */
		part = fuzz_below(actor, size ? size : 1);
		return all_of(actor->room + FUZZ_ROOM - part, part);
	case 4:
		if (size > page)
			break;
		part = fuzz_below(actor, page - size + 1);
		place.at = actor->read_only + part;
		place.alias = actor->read_only_alias + part;
		place.readable = size;
		return place;
	}
	return fuzz_memory_good(actor, size);
}

/* Swap both rooms, so that the next buffer is in the other one. */
void fuzz_memory_swap(struct fuzz_actor *actor)
{
	__u8 *room = actor->room;

	actor->room = actor->other_room;
	actor->other_room = room;
}

/* Replace an address that a call could write to outside the other room. */
__u64 fuzz_memory_aside(struct fuzz_actor *actor, __u64 at)
{
	__u64 begin = (uintptr_t)actor->other_room;

	if (at >= 1ULL << 47 || (at >= begin && at < begin + FUZZ_ROOM))
		return at;
	return bad[fuzz_below(actor, nr_bad)];
}

/* Check some bytes on both sides; a mistake would not write farther away. */
bool fuzz_memory_untouched(const struct fuzz_actor *actor, const __u8 *at,
			   size_t size)
{
	const __u8 *begin = actor->room;
	const __u8 *end = actor->room + FUZZ_ROOM;
	size_t before, behind;

	if (at < begin || at + size > end)
		return true;
	before = at - begin < NEAR ? at - begin : NEAR;
	behind = end - at - size < NEAR ? end - at - size : NEAR;
	return all_bytes(at - before, POISON, before) &&
	       all_bytes(at + size, POISON, behind);
}

/* Fill the memory of a call with poison again. */
void fuzz_memory_done(struct fuzz_actor *actor, const struct fuzz_place *place)
{
	if (place->alias)
		memset(place->alias, POISON, place->readable);
}
