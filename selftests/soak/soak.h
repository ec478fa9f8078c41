/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The soak test. soak.c starts and ends it and says what came of it,
 * actors.c has those that take IDs and those that disturb them,
 * book.c finds IDs that come twice.
 */
#ifndef SOAK_H
#define SOAK_H

#include <stdarg.h>
#include <sys/wait.h>

#include "../../kselftest.h"
#include "../lib/admin.h"
#include "../lib/set_wall.h"

#define SOAK_CPUS	4

/* The most IDs of a call; and how many calls one may make that goes for all. */
#define SOAK_CALL_MAX	4096
#define SOAK_GREED	24

/* Who takes IDs, at one time. */
#define SOAK_ACTORS	32

/* Nodes that are given: this one, and the next ones. */
#define SOAK_GIVEN_NODES 3

/* book.c */
#define SOAK_GENERATIONS 8
#define SOAK_IDS	524288	/* of each */
#define SOAK_HEADS	131072
#define SOAK_WINDOWS	65536
#define SOAK_OPEN_WINDOWS 64

enum soak_kind { SOAK_LEX, SOAK_GRID, SOAK_UUIDS, SOAK_V7 };

/**
 * struct soak_window - times from which on IDs are known, of one kind
 * @name: of %SOAK_UUIDS the node, of %SOAK_V7 the epoch
 * @edge: no ID of an earlier time may come any more
 * @newest: the highest time that came
 * @closed: none may come at all
 */
struct soak_window {
	enum soak_kind kind;
	__u64 name;
	__u64 edge;
	__u64 newest;
	bool closed;
};

/**
 * struct soak_seen - an ID that came
 * @stamp: all that tells it from others of its window
 * @rest: of v7, what is random in it, and in the lowest bit whether it is not
 *	known which epoch it belongs to; else 0
 * @window: its number
 * @next: of the same head, a number from 1 on; 0 for none
 */
struct soak_seen {
	__u64 stamp;
	__u64 rest;
	__u32 window;
	__u32 next;
};

enum soak_use { SOAK_FREE, SOAK_IN_USE, SOAK_DROPPED };

/**
 * struct soak_generation - IDs of calls that were made at about the same time
 * @use: enum soak_use
 * @nr: how many
 * @ended: no more are added
 * @nr_until: how many of @until there are
 * @until: when each window's edge is behind this, the generation is not needed
 * @heads: by hash, a number from 1 on; 0 for none
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
	struct soak_seen seen[SOAK_IDS];
};

/**
 * struct soak_actor - who takes IDs
 * @name: what it is
 * @phase: in which its call began; 0 if it makes none
 * @calls: made so far
 * @ids: by KUID_FORMAT_*
 * @again: how often there were none, by KUID_FORMAT_*
 * @generation: that IDs of its call go to
 * @windows: those it used last, by kind
 * @seed: of its choices
 * @fd: for asking how things stand
 */
struct soak_actor {
	const char *name;
	__u64 phase;
	__u64 calls;
	__u64 ids[NR_FORMATS + 1];
	__u64 again[NR_FORMATS + 1];
	__u32 generation;
	__u32 windows[SOAK_V7 + 1];
	__u32 seed;
	int fd;
};

/**
 * struct soak_done - what was done to the machine
 * @back: steps of the wall clock
 * @back_past: those of them to before the limit
 * @forward: the same, forward
 * @unplugged: CPUs taken away, and given back
 * @refusals: of unloading the module
 * @identities: changes of the identity
 * @children: forked
 * @loads: of the module that takes IDs in the kernel
 * @kernel_ids: that it took
 * @polls: that were waited for
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
 * struct soak_world - what all processes share
 * @stop: come to an end
 * @calm: nothing is to be done to the machine any more
 * @failed: something was found
 * @what: what it is
 * @phase: of calls that begin now; from 1 on
 * @current: the generation for their IDs
 * @epoch_edge: no ID of an epoch before may come any more
 * @lock: held to add a window
 * @nr_windows: how many there are
 * @windows: the first two are those of SOAK_LEX and SOAK_GRID
 * @nodes: of each epoch, as far as it is known; else 0
 * @most: IDs that were kept at one time
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
	__u64 nodes[SOAK_WINDOWS];
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
void soak_sweep(struct soak_actor *me);

/* actors.c */
struct soak_actor *soak_actor(const char *name, int nr, __u32 seed);
pid_t soak_start(void (*run)(__u32 seed, int nr), __u32 seed, int nr);
void soak_take(__u32 seed, int nr);
void soak_fork(__u32 seed, int nr);
void soak_poll(__u32 seed, int nr);
void soak_call(__u32 seed, int nr);
void soak_step(__u32 seed, int nr);
void soak_unplug(__u32 seed, int nr);
void soak_identify(__u32 seed, int nr);
void soak_unload(__u32 seed, int nr);

#endif /* SOAK_H */
