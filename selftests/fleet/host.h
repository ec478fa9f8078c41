/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host of the simulated fleet: the generator of the module, compiled from
 * kmod/core, on clocks that the simulation sets. Hosts don't interact, so the
 * simulation runs one after the other through the same span of true time.
 */
#ifndef KUID_FLEET_HOST_H
#define KUID_FLEET_HOST_H

#include "core/change.h"
#include "core/formats.h"
#include "core/take.h"

#define HOST_AHEAD (KUID_MAX_AHEAD_MS * KUID_MS_NS)
#define HOST_LIMIT (KUID_STEP_LIMIT_MS * KUID_MS_NS)

/* The wall clock at the true time 0. */
#define HOST_WALL (1800000000 * KUID_SEC_NS)

#define HOST_MOST_CPUS 4

/**
 * struct host - a host
 * @generator: its generator
 * @files: the watermarks of one open file for each CPU
 * @nr_cpus: number of CPUs, up to HOST_MOST_CPUS
 * @drift_ppb: how much faster than the true time the clocks run, in 10^-9
 * @offset: the wall clock is the monotonic clock plus this
 * @lowest_error: the lowest difference between the clock that IDs were made by
 *	and the true time, in nanoseconds
 * @highest_error: the highest such difference
 * @epoch_wanted: the generator has asked for a new epoch
 */
struct host {
	struct kuid_generator generator;
	struct kuid_watermarks files[HOST_MOST_CPUS];
	unsigned int nr_cpus;
	s64 drift_ppb;
	u64 offset;
	s64 lowest_error;
	s64 highest_error;
	bool epoch_wanted;
};

/* An ID as two words, the most significant first. */
struct packed {
	u64 high;
	u64 low;
};

/*
 * Start a host at the true time 0, with a random identity and a wall clock that
 * is wrong by @error_ns.
 */
void host_start(struct host *host, unsigned int nr_cpus, s64 drift_ppb,
		s64 error_ns);
void host_stop(struct host *host);

/* The identity of the epoch in use. Change it only before IDs are taken. */
struct kuid_identity *host_identity(struct host *host);

/* Set the wall clock at a true time, so that it is wrong by @error_ns. */
void host_set_clock(struct host *host, u64 true_ns, s64 error_ns);

/*
 * Take stamps or slots at a true time on a random CPU, for the CPU's open file.
 * A single may use all of the window, a batch the near half. The count is 0 if
 * there are none in the window.
 */
struct kuid_taken host_take(struct host *host, enum kuid_source source,
			    u64 true_ns, u32 count);

/* The ID of a unit, KUID_FORMAT_*, in an identity. */
struct packed host_pack(u32 format, const struct kuid_units *unit,
			const struct kuid_identity *identity);

/* Take one ID. Returns false if there is none in the window. */
bool host_id(struct host *host, u32 format, u64 true_ns, struct packed *id);

#endif /* KUID_FLEET_HOST_H */
