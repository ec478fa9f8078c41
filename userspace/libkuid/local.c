// SPDX-License-Identifier: MIT
/* IDs made in this process, by the same core as the kernel's. */
#include <errno.h>
#include <sys/random.h>
#include <time.h>

#include "local.h"
#include "process.h"

/* How many IDs are made of one reservation. */
#define CHUNK 256

/* A clock that ticks more slowly than this makes the time in IDs coarse. */
#define COARSE_NS 1000

_Static_assert(KUID_NR_FORMATS <= KUID_PROCESS_FORMATS, "room for all formats");

int kuid_local_open(struct kuid *handle, const struct kuid_layout *layout)
{
	/*
	 * Only the host tells the k64 of two processes apart. Signals can only
	 * be blocked if a word holds all of them. pack() stores IDs of 12 and
	 * 16 bytes.
	 */
	if (layout->format == KUID_LAYOUT_K64 || sizeof(long) < sizeof(u64) ||
	    (layout->id_size != 12 && layout->id_size != 16)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (!kuid_process_get())
		return -1;
	handle->fd = -1;
	handle->layout = layout;
	return 0;
}

static __always_inline bool put(uint8_t **at, __be64 high, __be64 low,
				const size_t size)
{
	memcpy(*at, &high, sizeof(high));
	memcpy(*at + sizeof(high), &low, size - sizeof(high));
	*at += size;
	return true;
}

static __always_inline bool put_12(void *sink, __be64 high, __be64 low)
{
	return put(sink, high, low, 12);
}

static __always_inline bool put_16(void *sink, __be64 high, __be64 low)
{
	return put(sink, high, low, 16);
}

static bool draw_random(uint8_t *random, size_t size)
{
	while (size) {
		ssize_t drawn = getrandom(random, size, 0);

		if (drawn < 0)
			return false;
		random += drawn;
		size -= drawn;
	}
	return true;
}

/* Make IDs of what was taken; false if there is nothing random for them. */
static bool pack(unsigned int format, uint8_t *ids,
		 const struct kuid_taken *taken)
{
	uint8_t random[CHUNK * KUID_RANDOM_SIZE_MAX + KUID_V7_RANDOM_PAD];
	size_t size = taken->units.count * kuid_formats[format].random_size;

	if (!draw_random(random, size))
		return false;
	memset(random + size, 0, KUID_V7_RANDOM_PAD);
	if (kuid_formats[format].id_size == 12)
		kuid_format_pack(format, &ids, &taken->units,
				 &taken->origin.identity, random, put_12);
	else
		kuid_format_pack(format, &ids, &taken->units,
				 &taken->origin.identity, random, put_16);
	return true;
}

/* Take as many as there are; if that is none, say when they will be there. */
static struct kuid_taken take(struct kuid_users *users,
			      struct kuid_generator *generator,
			      struct kuid *handle, u32 count, bool batch,
			      u64 *ready)
{
	const enum kuid_source from =
		kuid_formats[handle->layout->format].source;
	const struct kuid_window *window = &generator->windows[from];
	const struct kuid_want want = {
		.source = from,
		.watermarks = &handle->watermarks,
		.order = KUID_BY_FILE,
		.ahead = batch ? window->batch : window->one,
		.count = count,
	};
	struct kuid_taken taken = kuid_generator_take(generator, &want);

	if (taken.units.count) {
		__atomic_fetch_add(&users->ids[handle->layout->format],
				   taken.units.count, __ATOMIC_RELAXED);
	} else {
		*ready = kuid_generator_due(generator, from,
					    taken.units.first + count - 1,
					    want.ahead);
		__atomic_fetch_add(&users->waits, 1, __ATOMIC_RELAXED);
	}
	return taken;
}

static bool wait_until(u64 ready)
{
	const struct timespec time = {
		.tv_sec = ready / 1000000000,
		.tv_nsec = ready % 1000000000,
	};
	int err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);

	if (err)
		errno = err;
	return !err;
}

/*
 * Make up to a chunk. Returns how many; -1 and errno if none, which may also
 * be because the process was forked.
 */
static ssize_t make_chunk(struct kuid_process *process, struct kuid *handle,
			  uint8_t *ids, u32 count, bool batch)
{
	struct kuid_users *users;
	struct kuid_taken taken;
	u64 ready;

	for (;;) {
		users = kuid_process_enter(process);
		if (!users)
			return -1;
		taken = take(users, &process->generator, handle, count, batch,
			     &ready);
		kuid_process_leave(users);
		if (taken.units.count)
			return pack(handle->layout->format, ids, &taken)
				       ? (ssize_t)taken.units.count
				       : -1;
		if (!wait_until(ready))
			return -1;
	}
}

ssize_t kuid_local_make(struct kuid *handle, void *ids, size_t count)
{
	struct kuid_process *process;
	size_t done;

	do {
		process = kuid_process_get();
		if (!process)
			return -1;
		for (done = 0; done < count;) {
			size_t left = min(count - done, (size_t)CHUNK);
			ssize_t made = make_chunk(
				process, handle,
				(uint8_t *)ids + done * handle->layout->id_size,
				left, count > 1);

			if (made < 0)
				break;
			done += made;
		}
		/* If a signal handler has forked, they are the parent's. */
	} while (!kuid_process_is(process));
	return done || !count ? (ssize_t)done : -1;
}

static unsigned long clock_resolution_ns(void)
{
	struct timespec time = { 0 };

	clock_getres(CLOCK_MONOTONIC, &time);
	return time.tv_sec ? 1000000000 : time.tv_nsec;
}

static uint64_t reasons_of(const struct kuid_reading *reading)
{
	uint64_t reasons = KUID_REASON_NO_VM_FORK;

	if (reading->stamp_lag)
		reasons |= KUID_REASON_STAMPS_HALF_SPEED;
	if (reading->slot_lag)
		reasons |= KUID_REASON_SLOTS_HALF_SPEED;
	if (clock_resolution_ns() > COARSE_NS)
		reasons |= KUID_REASON_COARSE_CLOCK;
	return reasons;
}

static void sum_users(const struct kuid_process *process,
		      struct kuid_status *status)
{
	unsigned int cpu, format;

	for (cpu = 0; cpu < KUID_PROCESS_CPUS; cpu++) {
		status->waits += READ_ONCE(process->users[cpu].waits);
		for (format = 0; format < KUID_PROCESS_FORMATS; format++)
			status->ids[format] +=
				READ_ONCE(process->users[cpu].ids[format]);
	}
}

/* 32 bits are too few to promise what k96 of two processes are told by. */
static uint32_t held_by(const struct kuid *handle)
{
	return handle->layout->format == KUID_LAYOUT_K96
		       ? KUID_HELD_ORDER
		       : KUID_HELD_ORDER | KUID_HELD_UNIQUE |
				 KUID_HELD_REBOOT_SAFE;
}

int kuid_local_status(struct kuid *handle, struct kuid_status *status)
{
	struct kuid_process *process;
	struct kuid_reading reading;
	struct kuid_users *users;

	do {
		process = kuid_process_get();
		if (!process)
			return -1;
		users = kuid_process_enter(process);
	} while (!users);
	if (kuid_generator_read(&process->generator, &reading))
		kuid_generator_refresh(&process->generator,
				       &process->generator.stamp_clock);
	*status = (struct kuid_status) {
		.held = held_by(handle),
		.reasons = reasons_of(&reading),
		.epoch = reading.origin.epoch,
		.load_id = reading.origin.load_id,
		.stamp_lag_ns = reading.stamp_lag,
		.slot_lag_ns = reading.slot_lag,
		.stamp_ahead_ns = reading.ahead[KUID_STAMPS],
		.lex_ahead_ns = reading.ahead[KUID_LEX],
		.grid_ahead_ns = reading.ahead[KUID_GRID],
		.steps_back = reading.steps_back,
		.steps_forward = reading.steps_forward,
	};
	sum_users(process, status);
	kuid_process_leave(users);
	return 0;
}
