// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core as a library: what the module does for a read of one ID, without the
 * system call. The clock is CLOCK_MONOTONIC, which is computed from the same
 * counter as the kernel's ktime_get().
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/change.h"
#include "core/take.h"
#include "core/uuid.h"

static struct kuid_generator generator;
static struct kuid_watermarks file;
static u64 generation = 2;
static u64 wall_offset;

static u64 nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * KUID_SEC_NS + now.tv_nsec;
}

u64 kuid_port_mono_ns(void)
{
	return nanoseconds(CLOCK_MONOTONIC);
}

u64 kuid_port_wall_offset(void)
{
	return wall_offset;
}

/* One thread makes all IDs. */
unsigned int kuid_port_cpu(void)
{
	return 0;
}

void kuid_port_wake(struct task_struct *task)
{
}

void kuid_port_stepped(const struct kuid_step *step)
{
}

static void *allocate(size_t alignment, size_t size)
{
	void *memory = aligned_alloc(alignment, (size + alignment - 1) /
							alignment * alignment);

	if (!memory)
		abort();
	return memset(memory, 0, size);
}

/* Start a generator with one epoch. */
__attribute__((constructor)) static void core_start(void)
{
	struct kuid_change change = { .redrawn = true, .fresh_slots = true };
	struct kuid_epoch *epoch =
		allocate(__alignof__(*epoch),
			 sizeof(*epoch) + (KUID_FIRST_CPU_LANE + 1) *
						  sizeof(epoch->lanes[0]));
	struct kuid_sequences *sequences =
		allocate(__alignof__(*sequences),
			 sizeof(*sequences) + sizeof(sequences->runs[0]));

	sequences->nr_cpus = 1;
	epoch->sequences = sequences;
	epoch->nr_cpu_lanes = 1;
	epoch->load_id = 1;
	epoch->key = (struct kuid_node_key) { { 1, 2 } };
	epoch->identity.node = kuid_node_of(&epoch->key, 0);
	wall_offset =
		nanoseconds(CLOCK_REALTIME) - nanoseconds(CLOCK_MONOTONIC);
	kuid_generator_init(&generator, KUID_MAX_AHEAD_MS * KUID_MS_NS,
			    KUID_STEP_LIMIT_MS * KUID_MS_NS, false);
	generator.generation = &generation;
	if (kuid_generator_publish(&generator, epoch, &change))
		abort();
}

static __always_inline bool store(void *id, __be64 high, __be64 low)
{
	memcpy(id, &high, sizeof(high));
	memcpy((u8 *)id + sizeof(high), &low, sizeof(low));
	return true;
}

/* Take a stamp in the order of a file, and make a v6 from it. */
__attribute__((visibility("default"))) void core_make_v6(unsigned char *id)
{
	const struct kuid_want want = {
		.source = KUID_STAMPS,
		.watermarks = &file,
		.order = KUID_BY_FILE,
		.part = KUID_PART_NODE,
		.ahead = generator.windows[KUID_STAMPS].one,
		.count = 1,
	};
	struct kuid_taken taken;

	kuid_generator_take(&generator, &want, &taken);
	if (!taken.units.count)
		abort();
	kuid_v6_pack(id, &taken.units, &taken.origin.identity, NULL, store);
}
