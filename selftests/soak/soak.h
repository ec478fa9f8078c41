/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The soak test. soak.c starts and ends it and reports the result, actors.c
 * takes IDs and disturbs the machine, lanes.c makes IDs in private lanes, book.c
 * finds repeated IDs.
 */
#ifndef SOAK_H
#define SOAK_H

#include <stdarg.h>
#include <sys/wait.h>

#include "../../kselftest.h"
#include "../lib/admin.h"
#include "../lib/set_wall.h"

#define SOAK_CPUS	4

/* The most IDs a call takes, and how many calls may be booked as one. */
#define SOAK_CALL_MAX	4096
#define SOAK_GREED	24

/* The most actors that take IDs at one time. */
#define SOAK_ACTORS	32

/* The nodes that are given: no private lane can have them. */
#define SOAK_GIVEN_NODE	0x0223456789abULL
#define SOAK_GIVEN_NODES 3

/* book.c */
#define SOAK_GENERATIONS 8
#define SOAK_ENTRIES	524288	/* in each generation */
#define SOAK_HEADS	131072
#define SOAK_WINDOWS	262144
#define SOAK_OPEN_WINDOWS 256
#define SOAK_WINDOW_HEADS 4096

/* The number of a handle and its epoch make the name of a private lane. */
#define SOAK_LANE_SHIFT	20

enum soak_kind {
	SOAK_LEX,
	SOAK_GRID,
	SOAK_SNOWFLAKE,
	SOAK_UUIDS,
	SOAK_V7,
	SOAK_LANES
};

/* If it isn't known who made an ID, it is SOAK_ANYONE. */
enum soak_maker { SOAK_ANYONE, SOAK_KERNEL, SOAK_LANE };

/**
 * struct soak_origin - where the IDs of a call may be made
 * @maker: who made them
 * @from: the first epoch of the kernel they may be of
 * @to: the last one
 * @first_lane: name of the first lane they may be of
 * @last_lane: name of the last one
 */
struct soak_origin {
	enum soak_maker maker;
	__u64 from;
	__u64 to;
	__u64 first_lane;
	__u64 last_lane;
};

/**
 * struct soak_window - the latest times of one source of IDs
 * @kind: the kind of source
 * @maker: of %SOAK_UUIDS, as far as it is known: enum soak_maker
 * @name: the node of %SOAK_UUIDS, the epoch of %SOAK_V7, the lane of %SOAK_LANES
 * @owner: the lane that has the node of %SOAK_UUIDS; 0 if it is not known
 * @edge: no ID with an earlier time may be given any more
 * @newest: the highest time seen
 * @over: the lane is over: only calls that have begun may give an ID of it
 * @closed: no ID of this source may be given any more
 * @next: the next window of the same hash chain; 0 if none
 */
struct soak_window {
	enum soak_kind kind;
	__u32 maker;
	__u64 name;
	__u64 owner;
	__u64 edge;
	__u64 newest;
	bool over;
	bool closed;
	__u32 next;
};

/**
 * struct soak_seen - an entry: a v7, or up to 64 IDs of another format
 * @stamp: what distinguishes a v7 from others of its window; of another format,
 *	a 64th of that
 * @mask: the IDs, by the low 6 bits of what distinguishes them; 0 for a v7
 * @rest: the random part of a v7, shifted left; the lowest bit is set if its
 *	epoch or lane isn't known for sure
 * @window: the number of its window
 * @next: the next one of the same hash chain, counted from 1; 0 if none
 */
struct soak_seen {
	__u64 stamp;
	__u64 mask;
	__u64 rest;
	__u32 window;
	__u32 next;
};

enum soak_use { SOAK_FREE, SOAK_IN_USE, SOAK_DROPPED };

/**
 * struct soak_generation - IDs of calls made at about the same time
 * @use: enum soak_use
 * @nr: number of entries in @seen
 * @ended: no IDs are added any more
 * @nr_until: number of entries in @until
 * @until: when the edge of each of these windows has passed @newest, the
 *	generation is not needed any more
 * @heads: hash chains, as numbers of entries counted from 1; 0 if empty
 * @seen: the IDs
 */
struct soak_generation {
	__u32 use;
	__u32 nr;
	bool ended;
	__u32 nr_until;
	struct {
		__u32 window;
		__u64 newest;
	} until[SOAK_OPEN_WINDOWS];
	__u32 heads[SOAK_HEADS];
	struct soak_seen seen[SOAK_ENTRIES];
};

/**
 * struct soak_actor - a thread or process that takes IDs
 * @name: for messages
 * @phase: the phase in which its current call began; 0 outside of a call
 * @calls: calls made so far
 * @ids: IDs taken, by KUID_FORMAT_*
 * @in_lanes: those that were made in private lanes
 * @unsure: those that may have been made in private lanes or by the kernel
 * @again: calls that got EAGAIN, by KUID_FORMAT_*
 * @generation: where the IDs of its current call are added
 * @windows: the window used last, by kind
 * @seed: seed of its random choices
 * @fd: file for status queries
 */
struct soak_actor {
	const char *name;
	__u64 phase;
	__u64 calls;
	__u64 ids[NR_FORMATS + 1];
	__u64 in_lanes[NR_FORMATS + 1];
	__u64 unsure[NR_FORMATS + 1];
	__u64 again[NR_FORMATS + 1];
	__u32 generation;
	__u32 windows[SOAK_LANES + 1];
	__u32 seed;
	int fd;
};

/**
 * struct soak_done - what was done to the machine
 * @back: clock steps back
 * @back_past: those past step_limit
 * @forward: clock steps forward
 * @unplugged: times that a CPU was taken offline and online again
 * @refusals: refused attempts to unload the module
 * @identities: changes of the identity
 * @children: forked children
 * @loads: loads of the module that takes IDs in the kernel
 * @kernel_ids: IDs taken in the kernel
 * @polls: polls that became ready
 */
struct soak_done {
	__u64 back;
	__u64 back_past;
	__u64 forward;
	__u64 unplugged;
	__u64 refusals;
	__u64 identities;
	__u64 children;
	__u64 loads;
	__u64 kernel_ids;
	__u64 polls;
};

/**
 * struct soak_world - memory shared by all processes
 * @stop: all processes must end
 * @calm: the disturbing processes must end
 * @failed: an error was found
 * @what: the first error
 * @phase: the phase of calls that begin now, counted from 1
 * @current: the generation of calls that begin now
 * @epoch_edge: no ID of an earlier epoch may be given any more
 * @lock: held to add a window
 * @nr_windows: number of windows
 * @windows: all windows; the first three are SOAK_LEX, SOAK_GRID
 *	and SOAK_SNOWFLAKE
 * @window_heads: hash chains of the other windows; 0 if empty
 * @nodes: the node of each epoch if known, otherwise 0
 * @handles: number of handles with private lanes, counted in each process
 * @most: the most entries kept at one time
 */
struct soak_world {
	bool stop;
	bool calm;
	bool failed;
	char what[512];
	__u64 phase;
	__u32 current;
	__u64 epoch_edge;
	__u32 lock;
	__u32 nr_windows;
	struct soak_window windows[SOAK_WINDOWS];
	__u32 window_heads[SOAK_WINDOW_HEADS];
	__u64 nodes[SOAK_WINDOWS];
	__u64 handles;
	__u64 most;
	struct soak_done done;
	struct soak_actor actors[SOAK_ACTORS];
	struct soak_generation generations[SOAK_GENERATIONS];
};

extern struct soak_world *soak;

/* soak.c */
void soak_fail(const char *text, ...);
bool soak_stopped(void);
bool soak_failed(void);
__u64 soak_epoch(const struct soak_actor *me);
bool soak_may_be_stale(const struct soak_actor *me, const struct format *f);

static inline void soak_count(__u64 *count)
{
	__atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

/* book.c */
void soak_book_init(void);
void soak_begin(struct soak_actor *me);
void soak_end(struct soak_actor *me);
void soak_book(struct soak_actor *me, const struct format *f, const __u8 *ids,
	       size_t nr, __u64 from, __u64 to);
__u32 soak_book_from(struct soak_actor *me, const struct format *f,
		     const __u8 *ids, size_t nr,
		     const struct soak_origin *origin);
void soak_end_window(__u32 window);
void soak_end_lanes(__u64 from, __u64 before);
void soak_sweep(struct soak_actor *me);

/* actors.c */
struct soak_actor *soak_actor(const char *name, int nr, __u32 seed);
pid_t soak_start(void (*run)(__u32 seed, int nr), __u32 seed, int nr);
__u32 soak_pick_count(__u32 *seed);
void soak_take(__u32 seed, int nr);
void soak_fork(__u32 seed, int nr);
void soak_poll(__u32 seed, int nr);
void soak_call(__u32 seed, int nr);
void soak_step(__u32 seed, int nr);
void soak_unplug(__u32 seed, int nr);
void soak_identify(__u32 seed, int nr);
void soak_unload(__u32 seed, int nr);

/* lanes.c */
void soak_make(__u32 seed, int nr);
void soak_make_in_children(__u32 seed, int nr);

#endif /* SOAK_H */
