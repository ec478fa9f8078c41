/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host of a test: a generator on the scripted machine, the epochs it has
 * had, and a record of all that was given out.
 *
 * What is promised is checked at each ID that is taken as far as it can be
 * seen there, and for all of them together by host_check().
 */
#ifndef KUID_UNIT_HOST_H
#define KUID_UNIT_HOST_H

#include "core/generator.h"

#define HOST_SECOND 1000000000ULL
#define HOST_WALL   (1700000000 * HOST_SECOND) /* when a host starts */
#define HOST_MONO   (5 * HOST_SECOND)
#define HOST_AHEAD  (KUID_MAX_AHEAD_MS * KUID_MS_NS)
#define HOST_LIMIT  (KUID_STEP_LIMIT_MS * KUID_MS_NS)

/* The first epoch's. */
#define HOST_LOAD_ID 0xfedcba9876543210ULL

/* The node of all epochs that are given one; random ones are others. */
#define HOST_GIVEN_NODE 0x0123456789ABULL

/**
 * struct host_given - consecutive stamps or slots that were given out
 * @first: the first one
 * @count: how many
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
 * struct host_record - what was given to one thread
 * @count: how many there are in @given
 * @room: how many there can be
 * @wrong: how often a promise was seen broken when it was given
 * @given: in the order of time
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
 * @nr_cpus: how many CPUs have runs
 * @nr_lanes: how many lanes CPUs share
 * @load_id: for the next epoch; 0 if it is to have the former one's
 * @nr_epochs: how many epochs were published, and the highest number
 * @wait_for_readers: called when an epoch was published; returns when all that
 *	were reading have finished. NULL if there can't be any.
 * @record: what was given to threads without a record of their own
 */
struct host {
	struct kuid_generator generator;
	unsigned int nr_cpus;
	unsigned int nr_lanes;
	u64 load_id;
	u64 nr_epochs;
	void (*wait_for_readers)(void);
	struct host_record record;
};

extern struct host host;

/* With one epoch, at HOST_WALL and HOST_MONO; stopped clocks, if on CPU 0. */
void host_start(unsigned int nr_cpus, unsigned int nr_lanes, bool node_given);
void host_stop(void);

/* A new epoch in place of the one there is; false if it was refused. */
bool host_publish(enum kuid_why why, bool node_given);

/* For threads that have one of their own. */
void host_record_init(struct host_record *record, u32 room);
void host_record_free(struct host_record *record);

/*
 * Take what is to be had and record it. A single one may be as far ahead as
 * any, more than one as far as a batch.
 */
struct kuid_taken host_take_recorded(struct host_record *record,
				     enum kuid_source source,
				     struct kuid_watermarks *watermarks,
				     enum kuid_order order, u32 count);

/* The same on a CPU, into host.record; fails if it was more than is allowed. */
struct kuid_taken host_take(enum kuid_source source, unsigned int cpu,
			    struct kuid_watermarks *watermarks,
			    enum kuid_order order, u32 count);

/*
 * How things stand. If the reading finds that the wall clock was set, it is
 * told of, as the module has that done.
 */
struct kuid_reading host_read(void);

/* A source's clock, whether it fits the wall clock or not. */
u64 host_clock(enum kuid_source source);

/* When a stamp or slot begins, in nanoseconds since 1970. */
u64 host_ns(enum kuid_source source, u64 value);

/*
 * Whether all that is in the records was given out once, in all epochs with
 * one node or one supply of slots, and no tick has stamps of two of them; and
 * whether what the epoch in use has given out is within reach of the clocks.
 * No one may be taking anything. Says what is not so.
 */
bool host_check(struct host_record *const *records, unsigned int count);

#endif /* KUID_UNIT_HOST_H */
