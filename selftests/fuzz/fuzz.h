/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer of the device, and the soak test. fuzz.c runs rounds; each has its
 * own seed and loads the module again. The operations are in calls.c if they take
 * no IDs, in take.c if they do, in ioctl.c if they are commands, in lanes.c if
 * they use private lanes, and in machine.c if they disturb the machine. book.c
 * checks the results against what it knows, and memory.c provides valid and
 * invalid buffers.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <liburing.h>
#include <pthread.h>
#include <stdarg.h>
#include <time.h>

#include "../../kselftest.h"
#include "../lib/record.h"

#define FUZZ_SLOTS	24
#define FUZZ_FILES	512

/* Bytes of the largest buffer of a call. */
#define FUZZ_ROOM	(256 * 1024)

/**
 * struct fuzz_changes - counts changes of a thing that others may make
 * @begun: number of changes that have begun
 * @ended: number of changes that have ended
 */
struct fuzz_changes {
	__u32 begun;
	__u32 ended;
};

/**
 * struct fuzz_last - the highest ID of all calls that have returned
 * @epoch: the ID's epoch; 0 if there is no ID
 */
struct fuzz_last {
	__u64 epoch;
	struct words id;
};

/**
 * struct fuzz_file - what is known of an open file
 * @refs: number of slots of all processes and of running calls that use it
 * @text: reads give lines
 * @format: the format that a read gives
 * @order: the order that a read gives
 * @setting: number of running calls that may change @format or @order
 * @sets: number of such calls that have begun
 * @flags: changes of O_NONBLOCK
 * @reading: number of running calls that read text
 * @torn: several readers shared the lines, or a line's rest was lost
 * @at: number of characters of @line that were read
 * @line: the line that is being read
 * @last: the highest ID of each format
 */
struct fuzz_file {
	int refs;
	bool text;
	__u32 format;
	__u32 order;
	__u32 setting;
	__u32 sets;
	struct fuzz_changes flags;
	__u32 reading;
	bool torn;
	__u32 at;
	char line[LINE_MAX_SIZE];
	struct fuzz_last last[NR_FORMATS + 1];
};

/**
 * struct fuzz_slot - a place for an open file of this process
 * @fd: -1 if the slot is empty
 */
struct fuzz_slot {
	int fd;
	struct fuzz_file *file;
};

extern struct fuzz_slot fuzz_slots[FUZZ_SLOTS];

#define FUZZ_ERRORS	134

/* Disturbances of the machine, which are counted. */
enum fuzz_disturbance {
	FUZZ_BACK,
	FUZZ_FORWARD,
	FUZZ_UNPLUGGED,
	FUZZ_REFUSED,
	FUZZ_KERNEL_IDS,
	FUZZ_DISTURBANCES
};

/* Spans of IDs that a round keeps, and a soak. */
#define FUZZ_SPANS	262144
#define FUZZ_SOAK_SPANS	(8UL << 20)

/* The wall clock is wrong by at most so many milliseconds. */
#define FUZZ_WALL_OFF_MS	(2 * 3600000LL)

/* Parts of the record, so that threads seldom wait for each other. */
#define FUZZ_PARTS	64

/* The nodes that are given in a soak: no private lane can have them. */
#define FUZZ_GIVEN_NODE	0x0223456789abULL
#define FUZZ_GIVEN_NODES 3

/**
 * struct fuzz_nodes - the nodes of the last epochs of the kernel or of a handle
 * @epoch: numbers of epochs; 0 if no node is known
 * @node: their nodes
 */
struct fuzz_nodes {
	__u64 epoch[8];
	__u64 node[8];
};

/**
 * struct fuzz_made - counts IDs of one format
 * @by_lanes: those that were made in private lanes
 * @by_any: those that may have been made in private lanes or by the kernel
 */
struct fuzz_made {
	__u64 by_lanes;
	__u64 by_any;
};

/**
 * struct fuzz_world - the memory that all processes of a round share
 * @lock: protects all fields that are not changed by atomic operations
 * @seed: seed of the round
 * @operations: number of operations of each thread
 * @progress: number of operations that all threads have completed
 * @actors: number of threads and processes that run operations
 * @wall: changes of the wall clock
 * @wall_off: milliseconds by which the wall clock is wrong
 * @forces: clocks that went back (KUID_COVER_BACK)
 * @watch_fd: an open file for reading the status
 * @max_ahead_ns: the module's parameter
 * @over: the time is up
 * @failed: a fault was found
 * @what: description of the first fault
 * @required: the module was loaded with state=required
 * @soaks: the round is a soak: nobody makes mistakes or sends signals, and some
 *	threads disturb the others
 * @calm: the disturbances must end
 * @disturbers: threads that disturb the others
 * @done: how often each disturbance was done, by its number
 * @ids: number of IDs taken, by KUID_FORMAT_*
 * @made: which of them the kernel has not made
 * @errors: number of calls that ended with each errno; 0 is success
 * @files: all open files
 * @last_host: the highest ID of host order, for each format
 * @given: all IDs, in parts by the hash of their span
 * @nodes: in a soak, all random nodes
 * @kernel: the nodes of the last epochs
 */
struct fuzz_world {
	pthread_mutex_t lock;
	__u64 seed;
	__u64 operations;
	__u64 progress;
	__u32 actors;
	struct fuzz_changes wall;
	long wall_off;
	struct fuzz_changes forces;
	int watch_fd;
	__u64 max_ahead_ns;
	bool over;
	bool failed;
	char what[512];
	bool required;
	bool soaks;
	bool calm;
	__u32 disturbers;
	__u64 done[FUZZ_DISTURBANCES];
	__u64 ids[NR_FORMATS + 1];
	struct fuzz_made made[NR_FORMATS + 1];
	__u64 errors[FUZZ_ERRORS];
	struct fuzz_file files[FUZZ_FILES];
	struct fuzz_last last_host[NR_FORMATS + 1];
	struct {
		pthread_mutex_t lock;
		struct record record;
	} given[FUZZ_PARTS];
	struct record nodes;
	struct fuzz_nodes kernel;
};

extern struct fuzz_world *fuzz_world;

/**
 * struct fuzz_actor - a thread or forked child that runs operations
 * @stream: seed of the actor's random choices
 * @random: state of the random choices in this operation
 * @thread: number of the thread
 * @operation: number of the operation
 * @name: name of the operation
 * @child: the actor is a child that an operation forked
 */
struct fuzz_actor {
	__u64 stream;
	__u64 random;
	__u32 thread;
	__u64 operation;
	const char *name;
	bool child;
	__u8 *room;
	__u8 *other_room;
	__u8 *read_only;
	__u8 *read_only_alias;
	timer_t ending;
	timer_t restarting;
	int pipe[2];
	int epoll;
	int children;
	bool has_ring;
	struct io_uring ring;
};

/* Number of signals to this thread: of all, and of those that end a call. */
extern __thread __u32 fuzz_signals;
extern __thread __u32 fuzz_ends;

/* fuzz.c */
void fuzz_fail(const struct fuzz_actor *actor, const char *format, ...);
bool fuzz_stopped(void);
__u64 fuzz_random(struct fuzz_actor *actor);
__u64 fuzz_below(struct fuzz_actor *actor, __u64 bound);
bool fuzz_one_in(struct fuzz_actor *actor, __u32 n);
__u64 fuzz_number(struct fuzz_actor *actor);
__u32 fuzz_count_of_ids(struct fuzz_actor *actor);
void fuzz_signals_on(struct fuzz_actor *actor);
void fuzz_signals_off(struct fuzz_actor *actor);
bool fuzz_actor_begin(struct fuzz_actor *actor, __u64 stream, __u32 thread,
		      bool child);
void fuzz_actor_run(struct fuzz_actor *actor, __u64 operations);
void fuzz_count(int error);

/* memory.c */

/**
 * struct fuzz_place - memory for a call
 * @at: the address for the call
 * @alias: address at which this program can write the same memory, or NULL
 * @readable: bytes from @at on that the kernel can read
 * @writable: bytes from @at on that the kernel can write
 */
struct fuzz_place {
	__u8 *at;
	__u8 *alias;
	size_t readable;
	size_t writable;
};

void fuzz_memory_prepare(void);
bool fuzz_memory_init(struct fuzz_actor *actor);
struct fuzz_place fuzz_memory_good(struct fuzz_actor *actor, size_t size);
struct fuzz_place fuzz_memory_any(struct fuzz_actor *actor, size_t size);
bool fuzz_memory_untouched(const struct fuzz_actor *actor, const __u8 *at,
			   size_t size);
void fuzz_memory_done(struct fuzz_actor *actor, const struct fuzz_place *place);
void fuzz_memory_swap(struct fuzz_actor *actor);
__u64 fuzz_memory_aside(struct fuzz_actor *actor, __u64 at);

/* book.c */

/* In place of a number of changes: some have begun and not ended. */
#define FUZZ_CHANGING	(~0U)

/**
 * struct fuzz_call - a call that may take IDs
 * @fd: the file descriptor of the call
 * @file: the open file of @fd
 * @slot: the slot of @fd
 * @alone: no other actor runs operations
 * @nowait: the file is non-blocking, or may have become so
 * @cancelled: the call was ended by other means than a signal
 * @format: the format that a read gives; 0 if it may have changed
 * @order: the order that a read gives
 * @error: errno of the call; 0 on success
 * @signals: number of signals before the call
 * @ends: number of signals that end a call before the call
 * @wall: number of changes of the wall clock before the call
 * @forces: how often IDs went back before the call
 * @sets: number of changes of format or order before the call
 * @flags: number of changes of O_NONBLOCK before the call
 * @wall_before: wall clock before the call
 * @wall_after: wall clock after the call
 * @before: status before the call
 * @after: status after the call
 * @last: the file's highest IDs before the call, by format
 * @last_host: the highest IDs of host order before the call, by format
 */
struct fuzz_call {
	int fd;
	struct fuzz_file *file;
	struct fuzz_slot *slot;
	bool alone;
	bool nowait;
	bool cancelled;
	__u32 format;
	__u32 order;
	int error;
	__u32 signals;
	__u32 ends;
	__u32 wall;
	__u32 forces;
	__u32 sets;
	__u32 flags;
	__u64 wall_before;
	__u64 wall_after;
	struct kuid_status before;
	struct kuid_status after;
	struct fuzz_last last[NR_FORMATS + 1];
	struct fuzz_last last_host[NR_FORMATS + 1];
};

/* The number of changes, from which fuzz_changed() tells if there were more. */
__u32 fuzz_changes_of(const struct fuzz_changes *changes);
bool fuzz_changed(const struct fuzz_changes *changes, __u32 since);
void fuzz_change_begin(struct fuzz_changes *changes);
void fuzz_change_end(struct fuzz_changes *changes);
bool fuzz_book_begin(size_t spans);
void fuzz_book_end(void);
void fuzz_book_interval(__u32 interval);
bool fuzz_given_node(__u64 node);
void fuzz_lock(void);
void fuzz_unlock(void);
struct fuzz_file *fuzz_file_new(void);
void fuzz_file_put(struct fuzz_file *file);
bool fuzz_use(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_unuse(struct fuzz_call *call);
bool fuzz_gone(const struct fuzz_call *call);
void fuzz_call_begin(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_call_end(struct fuzz_actor *actor, struct fuzz_call *call, long ret);
bool fuzz_call_refused(const struct fuzz_call *call);
bool fuzz_call_lacks(const struct fuzz_call *call);
bool fuzz_call_expired(const struct fuzz_call *call);
bool fuzz_call_shut(const struct fuzz_call *call);
bool fuzz_call_ended(const struct fuzz_call *call);
bool fuzz_call_blocked(const struct fuzz_call *call);
bool fuzz_call_cut(const struct fuzz_call *call, __u32 order);
void fuzz_book(struct fuzz_actor *actor, const struct format *f,
	       const __u8 *ids, size_t count, struct fuzz_nodes *nodes,
	       __u64 epoch, __u32 forces, struct fields *first,
	       struct fields *last);
void fuzz_in_order(struct fuzz_actor *actor, const struct format *f,
		   const char *what, const struct fuzz_last *last, __u64 epoch,
		   const void *first);
void fuzz_raise_last(struct fuzz_last *last, __u64 epoch, struct words id);
void fuzz_book_ids(struct fuzz_actor *actor, struct fuzz_call *call,
		   __u32 format, __u32 order, __u64 epoch, const __u8 *ids,
		   size_t count, bool batch);
void fuzz_book_text(struct fuzz_actor *actor, struct fuzz_call *call,
		    const char *text, size_t size);

/* calls.c, take.c, ioctl.c: operations, most of them with an open file */
void fuzz_open(struct fuzz_actor *actor);
void fuzz_open_slot(struct fuzz_actor *actor, struct fuzz_slot *slot);
void fuzz_close(struct fuzz_actor *actor);
void fuzz_dup(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_fcntl(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_poll(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_epoll(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_fork(struct fuzz_actor *actor);
void fuzz_reap(struct fuzz_actor *actor);

void fuzz_read(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_readv(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_splice(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_uring(struct fuzz_actor *actor, struct fuzz_call *call);

void fuzz_generate(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_ask(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_set_format(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_administer(struct fuzz_actor *actor, struct fuzz_call *call);

/* lanes.c: IDs of private lanes */
void fuzz_lane(struct fuzz_actor *actor);
void fuzz_lanes_forked(void);

/* machine.c: disturbances */
void fuzz_wall(struct fuzz_actor *actor);
void fuzz_unplug(struct fuzz_actor *actor);
void fuzz_unload(struct fuzz_actor *actor);
void fuzz_kernel(struct fuzz_actor *actor);
struct kuid_status fuzz_status(struct fuzz_actor *actor);

#endif /* FUZZ_H */
