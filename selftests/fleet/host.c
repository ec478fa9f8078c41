// SPDX-License-Identifier: GPL-2.0-only
/* See host.h. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>

#include "host.h"
#include "random.h"

/* The monotonic clock at the true time 0. */
#define HOST_MONO (1000 * KUID_SEC_NS)

/* The host that runs, and its monotonic clock. */
static struct host *running;
static u64 mono;
static unsigned int cpu;

u64 kuid_port_mono_ns(void)
{
	return mono;
}

u64 kuid_port_wall_offset(void)
{
	return running->offset;
}

unsigned int kuid_port_cpu(void)
{
	return cpu;
}

void kuid_port_stepped(const struct kuid_step *step)
{
	if (step->epoch_wanted)
		running->epoch_wanted = true;
}

/* Nobody waits: a host that has no IDs takes none. */
void kuid_port_wake(struct task_struct *task)
{
}

static void run(struct host *host, u64 true_ns)
{
	running = host;
	mono = HOST_MONO + true_ns +
	       (s64)true_ns / 1000 * host->drift_ppb / 1000000;
}

static void *make_zeroed(size_t alignment, size_t size)
{
	void *memory = aligned_alloc(alignment, size);

	if (!memory)
		err(1, "memory of a host");
	return memset(memory, 0, size);
}

static struct kuid_sequences *make_sequences(unsigned int nr_cpus)
{
	struct kuid_sequences *sequences = make_zeroed(
		__alignof__(*sequences),
		sizeof(*sequences) + nr_cpus * sizeof(sequences->runs[0]));

	sequences->nr_cpus = nr_cpus;
	return sequences;
}

/* Draw an identity as the module does. The worker outlives the epoch. */
static void begin_epoch(struct host *host, struct kuid_change change)
{
	struct kuid_epoch *former = host->generator.epoch;
	struct kuid_epoch *epoch = make_zeroed(
		__alignof__(*epoch),
		sizeof(*epoch) + (KUID_FIRST_CPU_LANE + host->nr_cpus) *
					 sizeof(epoch->lanes[0]));

	epoch->nr_cpu_lanes = host->nr_cpus;
	epoch->key =
		(struct kuid_node_key) { { random_bits(), random_bits() } };
	epoch->identity = (struct kuid_identity) {
		.node = kuid_node_of(&epoch->key, 0),
		.worker = former ? former->identity.worker : random_bits(),
		.interval = 8,
		.seq_offset = random_below(KUID_SEQ_OFFSET_MAX + 1),
		.lane_scramble = random_below(KUID_NR_LANES),
	};
	if (!former) {
		epoch->sequences = make_sequences(host->nr_cpus);
		epoch->load_id = random_bits();
	}
	host->epoch_wanted = false;
	if (kuid_generator_publish(&host->generator, epoch, &change))
		free(epoch);
	else
		free(former);
}

void host_start(struct host *host, unsigned int nr_cpus, s64 drift_ppb,
		s64 error_ns)
{
	*host = (struct host) {
		.nr_cpus = nr_cpus,
		.drift_ppb = drift_ppb,
		.lowest_error = INT64_MAX,
		.highest_error = INT64_MIN,
	};
	host_set_clock(host, 0, error_ns);
	kuid_generator_init(&host->generator, HOST_AHEAD, HOST_LIMIT, false);
	begin_epoch(host, (struct kuid_change) { .redrawn = true,
						 .fresh_slots = true });
}

void host_stop(struct host *host)
{
	free(host->generator.epoch->sequences);
	free(host->generator.epoch);
}

struct kuid_identity *host_identity(struct host *host)
{
	return &host->generator.epoch->identity;
}

void host_set_clock(struct host *host, u64 true_ns, s64 error_ns)
{
	run(host, true_ns);
	host->offset = HOST_WALL + true_ns + error_ns - mono;
}

static void note_error(struct host *host, enum kuid_source source, u64 true_ns)
{
	const struct kuid_clock *clock =
		kuid_generator_clock(&host->generator, source);
	s64 error = kuid_clock_at(clock->offset, clock->half, mono) -
		    (HOST_WALL + true_ns);

	host->lowest_error = min(host->lowest_error, error);
	host->highest_error = max(host->highest_error, error);
}

struct kuid_taken host_take(struct host *host, enum kuid_source source,
			    u64 true_ns, u32 count)
{
	const struct kuid_window *window = &host->generator.windows[source];
	struct kuid_want want = {
		.source = source,
		.order = KUID_BY_FILE,
		.ahead = count == 1 ? window->one : window->batch,
		.count = count,
	};
	struct kuid_taken taken;

	run(host, true_ns);
	cpu = host->nr_cpus == 1 ? 0 : random_below(host->nr_cpus);
	want.watermarks = &host->files[cpu];
	kuid_generator_take(&host->generator, &want, &taken);
	note_error(host, source, true_ns);
	if (host->epoch_wanted)
		begin_epoch(host, (struct kuid_change) { .if_behind = true });
	return taken;
}

static bool store(void *sink, __be64 high, __be64 low)
{
	*(struct packed *)sink =
		(struct packed) { be64_to_cpu(high), be64_to_cpu(low) };
	return true;
}

struct packed host_pack(u32 format, const struct kuid_units *unit,
			const struct kuid_identity *identity)
{
	u64 random = random_bits();
	struct packed id = { 0 };

	kuid_format_pack(format, &id, unit, identity, (const u8 *)&random,
			 store);
	return id;
}

bool host_id(struct host *host, u32 format, u64 true_ns, struct packed *id)
{
	struct kuid_taken taken =
		host_take(host, kuid_formats[format].source, true_ns, 1);

	if (taken.units.count)
		*id = host_pack(format, &taken.units, &taken.origin.identity);
	return taken.units.count;
}
