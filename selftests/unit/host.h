/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host of a test: a generator on the scripted machine, its epochs, and a
 * record of all units that were handed out.
 *
 * Each call checks what it can: the count, the node and the window.
 * host_check() checks all records together.
 */
#ifndef KUID_UNIT_HOST_H
#define KUID_UNIT_HOST_H

#include "core/change.h"
#include "core/reading.h"
#include "core/take.h"

#define HOST_SECOND 1000000000ULL
#define HOST_WALL   (1700000000 * HOST_SECOND) /* wall clock at the start */
#define HOST_MONO   (5 * HOST_SECOND)
#define HOST_AHEAD  (KUID_MAX_AHEAD_MS * KUID_MS_NS)
#define HOST_LIMIT  (KUID_STEP_LIMIT_MS * KUID_MS_NS)

/* The load_id of the first epoch. */
#define HOST_LOAD_ID 0xfedcba9876543210ULL

/* The given node of epochs, at first. Random nodes differ from it. */
#define HOST_GIVEN_NODE 0x0123456789ABULL

/**
 * struct host_given - consecutive stamps or slots that were handed out
 * @first: first unit
 * @count: number of units
 * @epoch: number of the epoch
 * @source: enum kuid_source
 * @lane: number of the lane; 0 for slots
 */
struct host_given {
	u64 first;
	u32 count;
	u32 epoch;
	u8 source;
	u8 lane;
};

/**
 * struct host_record - what one thread was given
 * @count: number of elements in @given
 * @room: number of elements that @given has room for
 * @wrong: how often a call broke a promise
 * @given: the units, in the order of the calls
 */
struct host_record {
	u32 count;
	u32 room;
	u32 wrong;
	struct host_given *given;
};

/**
 * struct host - a host
 * @generator: its generator
 * @nr_cpus: number of CPUs that have runs
 * @nr_lanes: number of lanes that CPUs share
 * @load_id: load_id of the next epoch; 0 if the next epoch keeps the former one
 * @given_node: the node of the next epochs with a given one
 * @generation: what processes with private lanes compare
 * @missing: KUID_PARTS_*: the parts that the next epochs lack
 * @stale: KUID_PARTS_*: the parts of the next epochs that are stale
 * @claimed: KUID_PARTS_*: the parts of the next epochs that are claimed
 * @change: the next cover, and the claim before the last epoch
 * @claiming: the next claim
 * @other_cover: the next requests name another cover than the present one
 * @refused: what kuid_generator_publish() has returned last
 * @snowflake_epoch: what snowflake of the next epochs counts from
 * @nr_epochs: how many epochs were published; also the highest number
 * @wait_for_readers: called after an epoch was published; returns when no
 *	caller uses the former epoch any more. NULL if there are no other
 *	threads.
 * @record: record for threads without a record of their own
 */
struct host {
	struct kuid_generator generator;
	unsigned int nr_cpus;
	unsigned int nr_lanes;
	u64 load_id;
	u64 given_node;
	u64 generation;
	u32 missing;
	u32 stale;
	u32 claimed;
	struct kuid_change change;
	struct kuid_claiming claiming;
	bool other_cover;
	int refused;
	u64 snowflake_epoch;
	u64 nr_epochs;
	void (*wait_for_readers)(void);
	struct host_record record;
};

extern struct host host;

/*
 * Start a host on CPU 0 with one epoch, at HOST_WALL and HOST_MONO. The clocks
 * stand still.
 */
void host_start(unsigned int nr_cpus, unsigned int nr_lanes, bool node_given);
void host_stop(void);

/* For a test's teardown: stop the host, and check its record. */
int host_teardown(void **state);

/*
 * Publish a new epoch. Returns false if the generator refuses it; host.refused
 * tells why.
 */
bool host_publish(enum kuid_why why, bool node_given);

/* Close the identity because of a twin. Returns the claim that dies of it. */
struct kuid_claimed host_close(void);

/* Set the ceiling of the cover. Returns the error. */
int host_raise(u64 ceiling);

/* For threads with a record of their own. */
void host_record_init(struct host_record *record, u32 room);
void host_record_free(struct host_record *record);

/*
 * Take units and record them. A single may use all of the window, a batch the
 * near half.
 */
struct kuid_taken host_take_recorded(struct host_record *record,
				     enum kuid_source source,
				     struct kuid_watermarks *watermarks,
				     enum kuid_order order, u32 count);

/*
 * Take units on a CPU, and record them in host.record. The test fails if a
 * promise is broken.
 */
struct kuid_taken host_take(enum kuid_source source, unsigned int cpu,
			    struct kuid_watermarks *watermarks,
			    enum kuid_order order, u32 count);

/*
 * Read the state. If the reading finds that the wall clock was set, refresh the
 * generator, as the module does.
 */
struct kuid_reading host_read(void);

/* Read the clock of a source. The clock is not refreshed first. */
u64 host_clock(enum kuid_source source);

/* The time at which a unit begins, in nanoseconds since 1970. */
u64 host_ns(enum kuid_source source, u64 value);

/*
 * Check all records together:
 *
 * - No unit was handed out twice, in all epochs that share a node or sequences.
 * - Two epochs with one node do not share a tick of 100 ns.
 * - All units of the epoch in use are within the window of their clock.
 *
 * No other thread may take units meanwhile. The function prints what is wrong.
 */
bool host_check(struct host_record *const *records, unsigned int count);

#endif /* KUID_UNIT_HOST_H */
