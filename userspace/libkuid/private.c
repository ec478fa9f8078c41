// SPDX-License-Identifier: MIT
/* See private.h. */
#include "port.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/uuid.h"
#include "device.h"
#include "private.h"
#include "private_node.h"
#include "siphash.h"
#include "vmclock.h"

/* In v7 the hash has all bits below the fraction. */
#define HASH_MASK (BIT_ULL(KUID_V7_FRACTION_SHIFT) - 1)

/* Returned instead of a count: the device makes the IDs at present. */
#define BY_DEVICE (-2)

/* The generation of lanes whose node the process has drawn, which never ends. */
static const u64 no_end = 2;

/**
 * struct view - the lane that a call makes its IDs of
 * @node: &kuid_private.node
 * @generation: &kuid_private.generation
 * @max_ahead: &kuid_private.max_ahead
 */
struct view {
	u64 node;
	u64 generation;
	u64 max_ahead;
};

/* Read the lane; false if there is none. */
static __always_inline bool look(const struct kuid_private *private,
				 struct view *view)
{
	/*
	 * Pairs with the release in open_lane(): a caller that reads the node
	 * also sees the other members of this lane or of a later one.
	 */
	view->node = smp_load_acquire(&private->node);
	view->generation = READ_ONCE(private->generation);
	view->max_ahead = READ_ONCE(private->max_ahead);
	return likely(view->node);
}

/*
 * The last check of a call, which makes its IDs. It covers everything that the
 * call has done since look().
 *
 * - The generation pairs with the release in the kernel's
 *   kuid_generator_change_generation(). It must be read after the clock: the
 *   kernel relies on a lane making no later times once its generation is over.
 *   The new value of the exchange depends on the clock, and the exchange comes
 *   before later loads.
 * - The hypervisor changes the number of vmclock while no CPU runs, so a call
 *   that begins afterwards reads it, without a barrier.
 * - If the node is the same, the lane was not replaced, because no two lanes
 *   have the same node; and the process was not forked, because a child finds
 *   0. If a member of a later lane was read, this fence and the one in
 *   close_lane() make the node differ.
 */
static __always_inline bool holds(const struct kuid *handle,
				  const struct view *view)
{
	const struct kuid_private *private = handle->private;

	if (unlikely(READ_ONCE(*handle->vmclock) !=
		     READ_ONCE(private->vmclock)))
		return false;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return likely(READ_ONCE(*handle->generation) == view->generation) &&
	       likely(READ_ONCE(private->node) == view->node);
}

/*
 * Reserve stamps by the wall clock alone, which is the lane's clock unless the
 * wall clock was set back. count is 0 if the lane is too far ahead of it.
 */
static __always_inline void reserve(struct kuid_private *private, u64 ahead,
				    struct kuid_units *stamps)
{
	u64 now = kuid_process_wall_ns();

	stamps->first = kuid_lane_reserve(&private->lane, now, 0, now + ahead,
					  &stamps->count);
}

static __always_inline bool put(void *sink, __be64 high, __be64 low)
{
	u8 **at = sink;

	memcpy(*at, &high, sizeof(high));
	memcpy(*at + sizeof(high), &low, sizeof(low));
	*at += sizeof(high) + sizeof(low);
	return true;
}

/*
 * UUIDs of version 7. The hash takes the place of the lane and of the random
 * bits, so they cost no system call. The stamp and the key tell all IDs apart.
 */
static __always_inline void pack_v7(u8 *ids, const struct kuid_units *stamps,
				    const struct kuid_private *private)
{
	u64 key0 = READ_ONCE(private->key[0]);
	u64 key1 = READ_ONCE(private->key[1]);
	u64 ms = stamps->first / KUID_MS_NS;
	u32 ns = stamps->first % KUID_MS_NS;
	u32 i;

	for (i = 0; i < stamps->count; i++) {
		u64 hash = kuid_siphash(key0, key1, stamps->first + i);
		u32 fraction = kuid_v7_fraction(ns);

		put(&ids, cpu_to_be64(kuid_v7_high(ms, fraction)),
		    cpu_to_be64(kuid_v7_low(fraction, 0, 0) |
				(hash & HASH_MASK)));
		if (++ns == KUID_MS_NS) {
			ns = 0;
			ms++;
		}
	}
}

static __always_inline void pack(const unsigned int format, u8 *ids,
				 const struct kuid_units *stamps,
				 const struct kuid_private *private,
				 const struct view *view)
{
	struct kuid_identity identity = { .node = view->node };

	identity.seq_offset = READ_ONCE(private->seq_offset);
	identity.lane_scramble = READ_ONCE(private->lane_scramble);
	switch (format) {
	case KUID_FORMAT_V1:
		kuid_v1_pack(&ids, stamps, &identity, NULL, put);
		break;
	case KUID_FORMAT_V6:
		kuid_v6_pack(&ids, stamps, &identity, NULL, put);
		break;
	case KUID_FORMAT_V7:
		pack_v7(ids, stamps, private);
		break;
	}
}

static int one_slowly(struct kuid *handle, void *id);

static __always_inline int make_one(struct kuid *handle, void *id,
				    const unsigned int format)
{
	struct kuid_private *private = handle->private;
	struct kuid_units stamp = { .count = 1 };
	u8 made[KUID_ID_MAX];
	struct view view;

	if (!look(private, &view))
		return one_slowly(handle, id);
	reserve(private, view.max_ahead, &stamp);
	if (unlikely(!stamp.count))
		return one_slowly(handle, id);
	/* Tell the compiler: it can't know that 1 was reserved. */
	stamp.count = 1;
	pack(format, made, &stamp, private, &view);
	if (!holds(handle, &view))
		return one_slowly(handle, id);
	memcpy(id, made, sizeof(made));
	return 0;
}

static int one_v1(struct kuid *handle, void *id)
{
	return make_one(handle, id, KUID_FORMAT_V1);
}

static int one_v6(struct kuid *handle, void *id)
{
	return make_one(handle, id, KUID_FORMAT_V6);
}

static int one_v7(struct kuid *handle, void *id)
{
	return make_one(handle, id, KUID_FORMAT_V7);
}

/* The formats that are made in a process, and their functions. */
static int (*const one_of[])(struct kuid *handle, void *id) = {
	[KUID_FORMAT_V1] = one_v1,
	[KUID_FORMAT_V6] = one_v6,
	[KUID_FORMAT_V7] = one_v7,
};

static bool is_made_here(unsigned int format)
{
	return format < ARRAY_SIZE(one_of) && one_of[format];
}

/*
 * Keep all calls from making IDs of the lane. Calls that have not done their
 * last check yet will fail it.
 */
static void close_lane(struct kuid_private *private)
{
	WRITE_ONCE(private->node, 0);
	/* Pairs with the fence in holds(). */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/**
 * struct secrets - the random numbers of a lane
 * @key: &kuid_private.key
 * @seq_offset: &kuid_private.seq_offset is made from it
 * @lane_scramble: &kuid_private.lane_scramble is made from it
 */
struct secrets {
	u64 key[2];
	u32 seq_offset;
	u32 lane_scramble;
};

/* The caller holds the lock. */
static void open_lane(struct kuid_private *private,
		      const struct kuid_private_lane *lane, u64 vmclock,
		      const struct secrets *secrets)
{
	u64 offset;

	kuid_clock_sample(&offset);
	private->clock = (struct kuid_clock) { .offset = offset };
	private->step_limit = lane->step_limit_ns;
	private->load_id = lane->load_id;
	WRITE_ONCE(private->generation, lane->generation);
	WRITE_ONCE(private->vmclock, vmclock);
	WRITE_ONCE(private->max_ahead, lane->max_ahead_ns);
	/* A twin may have drawn the same secrets. */
	WRITE_ONCE(private->key[0], secrets->key[0] ^ lane->random);
	WRITE_ONCE(private->key[1], secrets->key[1]);
	WRITE_ONCE(private->seq_offset,
		   secrets->seq_offset % (KUID_SEQ_OFFSET_MAX + 1));
	WRITE_ONCE(private->lane_scramble,
		   secrets->lane_scramble % KUID_NR_LANES);
	atomic64_set(&private->lane.last, 0);
	/* Pairs with the acquire in look(). */
	smp_store_release(&private->node, lane->node);
}

/* Give the handle another lane, and number it. The caller holds the lock. */
static bool replace_lane(struct kuid *handle, u64 generation)
{
	struct kuid_private *private = handle->private;
	/* A twin may have what is drawn before this changes. */
	u64 vmclock = READ_ONCE(*handle->vmclock);
	struct kuid_private_lane lane;
	struct secrets secrets;
	bool refused;

	close_lane(private);
	refused = kuid_private_get_node(handle, &lane);
	if (refused ? errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSPC
		    : !kuid_process_draw(&secrets, sizeof(secrets)))
		return false;
	/*
	 * While there is no lane: if the number is the same before and after a
	 * call, the IDs of this call are from the epoch of that number. The
	 * release pairs with the acquire in kuid_private_epoch(): a caller that
	 * reads the new number doesn't find the former lane.
	 */
	__atomic_add_fetch(&handle->epochs, 1, __ATOMIC_RELEASE);
	if (refused)
		smp_store_release(&private->refused, generation);
	else
		open_lane(private, &lane, vmclock, &secrets);
	return true;
}

u64 kuid_private_epoch(const struct kuid *handle)
{
	return smp_load_acquire(&handle->epochs);
}

/* Whether the kernel handed out no node in this generation. */
static bool is_refused(const struct kuid_private *private, u64 generation)
{
	/* Pairs with the release in replace_lane(), as that of the node. */
	return smp_load_acquire(&private->refused) == generation;
}

bool kuid_private_is_refused(const struct kuid *handle)
{
	return is_refused(handle->private, READ_ONCE(*handle->generation));
}

/* Replace a lane that another thread has not replaced yet. */
static bool replace_once(struct kuid *handle)
{
	struct kuid_private *private = handle->private;
	unsigned long flags;
	bool replaced = true;
	struct view view;
	u64 generation;
	u8 random;

	/*
	 * Wait for the kernel's random generator here, because under the lock
	 * no signal can end the wait. The numbers themselves are drawn under
	 * the lock, where no signal handler can fork.
	 */
	if (!kuid_process_draw(&random, sizeof(random)))
		return false;
	raw_spin_lock_irqsave(&private->lock, flags);
	generation = smp_load_acquire(handle->generation);
	if (!is_refused(private, generation) &&
	    (!look(private, &view) || !holds(handle, &view)))
		replaced = replace_lane(handle, generation);
	raw_spin_unlock_irqrestore(&private->lock, flags);
	return replaced;
}

/*
 * Give the handle a lane of the present generation, unless it has one. Returns
 * 0, -1 and errno, or BY_DEVICE.
 */
static int prepare(struct kuid *handle, struct view *view)
{
	do {
		u64 generation = smp_load_acquire(handle->generation);

		if (look(handle->private, view) && holds(handle, view))
			return 0;
		if (is_refused(handle->private, generation))
			return kuid_device_is_open(handle) ? BY_DEVICE : -1;
	} while (replace_once(handle));
	return -1;
}

/*
 * Let the clock of a lane follow the wall clock: if that was set, or if the
 * highest stamp is beyond the window, because that was set forward and back.
 * Returns how far the stamp is in front of the wall clock; 0 if neither is so.
 */
static u64 follow(struct kuid_clock *clock, u64 mono, u64 offset, u64 last,
		  u64 max_ahead)
{
	u64 now = kuid_clock_at(clock->offset, clock->half, mono);

	if (offset == clock->offset && last <= now + max_ahead)
		return 0;
	return kuid_clock_follow(clock, mono, offset, last, max_ahead);
}

/*
 * Reserve stamps by the lane's own clock, after the wall clock was set back or
 * the window was used up. If count is 0, *ready is when there will be some, in
 * nanoseconds of the monotonic clock. Returns false if the lane is over. Out of
 * line, so that it takes no registers from the loop that packs a batch.
 */
static noinline bool reserve_slowly(struct kuid *handle,
				    const struct view *view, u64 ahead,
				    struct kuid_units *stamps, u64 *ready)
{
	struct kuid_private *private = handle->private;
	struct kuid_clock *clock = &private->clock;
	u64 last, mono, offset, now;
	unsigned long flags;
	bool good;

	raw_spin_lock_irqsave(&private->lock, flags);
	/* In the other order the clock could be older than the stamp. */
	last = atomic64_read(&private->lane.last);
	mono = kuid_clock_sample(&offset);
	good = holds(handle, view);
	if (good && follow(clock, mono, offset, last, view->max_ahead) >
			    private->step_limit) {
		close_lane(private);
		good = false;
	}
	if (good) {
		now = kuid_clock_at(clock->offset, clock->half, mono);
		stamps->first = kuid_lane_reserve(&private->lane, now, 0,
						  now + ahead, &stamps->count);
		/*
		 * Meanwhile a call that had read the wall clock before it was
		 * set back may have raised the lane by years. No wait within
		 * the window is longer than the window.
		 */
		*ready = min(kuid_clock_reach(clock, stamps->first - ahead),
			     mono + view->max_ahead);
	}
	raw_spin_unlock_irqrestore(&private->lock, flags);
	return good;
}

static bool wait_until(const struct kuid *handle, unsigned int flags, u64 ready)
{
	const struct timespec time = {
		.tv_sec = ready / KUID_SEC_NS,
		.tv_nsec = ready % KUID_SEC_NS,
	};
	int err = EAGAIN;

	if (!(flags & KUID_NOWAIT) && !kuid_private_is_nonblocking(handle))
		err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time,
				      NULL);
	if (err)
		errno = err;
	return !err;
}

/* Make IDs; if the lane doesn't hold meanwhile, the result is of no use. */
static ssize_t make_many(struct kuid *handle, const struct view *view,
			 unsigned int format, unsigned int flags, void *ids,
			 size_t count)
{
	/* As in the kernel: batches must not keep stamps from singles. */
	u64 ahead = count > 1 ? view->max_ahead / 2 : view->max_ahead;
	u8 *to = ids;
	size_t done = 0;
	u64 ready;

	while (done < count) {
		u32 left = min_t(size_t, count - done, UINT32_MAX);
		struct kuid_units stamps = { .count = left };

		reserve(handle->private, ahead, &stamps);
		if (!stamps.count) {
			if (kuid_process_wall_ns() == KUID_NO_TIME) {
				errno = EOVERFLOW;
				return done ? (ssize_t)done : -1;
			}
			stamps.count = left;
			if (!reserve_slowly(handle, view, ahead, &stamps,
					    &ready))
				return done;
		}
		if (!stamps.count) {
			if (!wait_until(handle, flags, ready))
				return done ? (ssize_t)done : -1;
			continue;
		}
		pack(format, to, &stamps, handle->private, view);
		to += stamps.count * KUID_ID_MAX;
		done += stamps.count;
	}
	return done;
}

/* Returns as kuid_private_make(), or BY_DEVICE. */
static ssize_t many_in_lane(struct kuid *handle, unsigned int format,
			    unsigned int flags, void *ids, size_t count)
{
	struct view view;
	ssize_t made;

	do {
		made = prepare(handle, &view);
		if (made)
			return made;
		made = make_many(handle, &view, format, flags, ids, count);
		/* An error leaves no IDs, and must not be lost. */
	} while (made >= 0 && !holds(handle, &view));
	return made;
}

ssize_t kuid_private_make(struct kuid *handle, const struct kuid_layout *layout,
			  unsigned int order, unsigned int flags, void *ids,
			  size_t count)
{
	ssize_t made;

	/* A lane has one order. */
	if (!is_made_here(layout->format) ||
	    (order != KUID_ORDER_DEFAULT && order != KUID_ORDER_FILE)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	made = many_in_lane(handle, layout->format, flags, ids, count);
	return made == BY_DEVICE ? kuid_device_make(handle, layout, order,
						    flags, ids, count)
				 : made;
}

/* Out of line, so that a call that needs nothing of it saves few registers. */
static noinline int one_slowly(struct kuid *handle, void *id)
{
	u8 made[KUID_ID_MAX];
	ssize_t count =
		many_in_lane(handle, handle->layout->format, 0, made, 1);

	if (count == BY_DEVICE)
		return kuid_device_one(handle, id);
	if (count < 0)
		return -1;
	memcpy(id, made, sizeof(made));
	return 0;
}

void kuid_private_read(const struct kuid *handle,
		       struct kuid_private_reading *reading)
{
	struct kuid_private *private = handle->private;
	u64 last, mono, offset, now;
	struct kuid_clock clock;
	unsigned long flags;

	*reading = (struct kuid_private_reading) { 0 };
	raw_spin_lock_irqsave(&private->lock, flags);
	if (private->node) {
		last = atomic64_read(&private->lane.last);
		clock = private->clock;
		mono = kuid_clock_sample(&offset);
		follow(&clock, mono, offset, last, private->max_ahead);
		now = kuid_clock_at(clock.offset, clock.half, mono);
		reading->lag = now - (mono + offset);
		reading->ahead = last > now ? last - now : 0;
		reading->load_id = private->load_id;
	}
	raw_spin_unlock_irqrestore(&private->lock, flags);
}

/* Map memory that the kernel wipes in a child; NULL and errno. */
static void *map_wiped(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	/*
	 * If madvise() accepts an invalid advice value, its MADV_WIPEONFORK
	 * can't be trusted either.
	 */
	if (!madvise(memory, size, MADV_WIPEONFORK) &&
	    madvise(memory, size, -1))
		return memory;
	munmap(memory, size);
	errno = EOPNOTSUPP;
	return NULL;
}

/*
 * NULL and errno: ENOTTY if the module has no page yet, as for its ioctl;
 * EPROTONOSUPPORT if the page is of another layout.
 */
static const struct kuid_page *map_page(int fd)
{
	const struct kuid_page *page = mmap(NULL, KUID_PAGE_SIZE, PROT_READ,
					    MAP_SHARED, fd, KUID_PAGE_OFFSET);

	if (page == MAP_FAILED) {
		if (errno == ENODEV)
			errno = ENOTTY;
		return NULL;
	}
	if (page->version == KUID_PAGE_VERSION)
		return page;
	munmap((void *)page, KUID_PAGE_SIZE);
	errno = EPROTONOSUPPORT;
	return NULL;
}

static bool map_generation(struct kuid *handle)
{
	const struct kuid_page *page;

	if (kuid_handle_is_local(handle)) {
		handle->generation = &no_end;
		return true;
	}
	page = map_page(handle->fd);
	if (!page)
		return false;
	handle->generation = &page->generation;
	return true;
}

static void unmap_guards(struct kuid *handle)
{
	kuid_vmclock_unmap(handle->vmclock);
	if (!kuid_handle_is_local(handle))
		munmap((char *)handle->generation -
			       offsetof(struct kuid_page, generation),
		       KUID_PAGE_SIZE);
}

int kuid_private_open(struct kuid *handle)
{
	const unsigned int format = handle->layout->format;
	struct view view;
	int err;

	/* Signals can only be blocked if a word holds all of them. */
	if (!is_made_here(format) || sizeof(long) < sizeof(u64)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	handle->one = one_of[format];
	if (!map_generation(handle))
		return -1;
	handle->vmclock = kuid_vmclock_map();
	handle->private = map_wiped(sizeof(*handle->private));
	if (!handle->private)
		goto unmap;
	/* Until the first epoch begins the device makes the IDs. */
	if (!prepare(handle, &view) || errno == EAGAIN)
		return 0;
	err = errno;
	munmap(handle->private, sizeof(*handle->private));
	errno = err;
unmap:
	err = errno;
	unmap_guards(handle);
	handle->private = NULL;
	errno = err;
	return -1;
}

void kuid_private_close(struct kuid *handle)
{
	munmap(handle->private, sizeof(*handle->private));
	unmap_guards(handle);
}
