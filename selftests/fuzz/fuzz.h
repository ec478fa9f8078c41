/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer of the device. fuzz.c runs rounds, each of its own seed and with
 * the module loaded anew; calls.c has the operations that are not about
 * IDs, take.c those that take some, ioctl.c the commands; what comes
 * back is held against what is known by book.c; memory.c gives
 * memory, good and bad, to have it put into.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <linux/io_uring.h>
#include <pthread.h>
#include <stdarg.h>
#include <time.h>

#include "../../kselftest.h"
#include "../lib/formats.h"

#define FUZZ_SLOTS	24
#define FUZZ_FILES	512
#define FUZZ_DEVICE_NODES (1 + 2 * NR_FORMATS)

/* The most that one call is given room for, in bytes, but for huge ones. */
#define FUZZ_ROOM	(256 * 1024)
#define FUZZ_HUGE	(1024UL << 20)

/**
 * struct fuzz_changes - how often others change something that a call is about
 * @begun: calls that may do so
 * @ended: the same
 */
struct fuzz_changes {
	__u32 begun;
	__u32 ended;
};

/* Whether IDs were asked for from a file; maybe, while a call may be about to. */
enum fuzz_taken { FUZZ_NOT_TAKEN, FUZZ_MAYBE_TAKEN, FUZZ_TAKEN };

/**
 * struct fuzz_last - the highest ID that a call gave which has returned
 * @epoch: of the ID; 0 if there is none
 */
struct fuzz_last {
	__u64 epoch;
	struct words id;
};

/**
 * struct fuzz_file - what is known of an open file
 * @refs: slots of all processes, and calls under way
 * @access: O_RDONLY, O_WRONLY or O_RDWR
 * @path: opened by O_PATH
 * @text: it gives lines
 * @taken: enum fuzz_taken
 * @format: that a read gives
 * @order: the same
 * @setting: calls under way that may change @format or @order
 * @sets: how many such calls began
 * @flags: of O_NONBLOCK
 * @reading: calls under way that take text
 * @torn: the lines came to more than one reader, or not to the end
 * @at: characters of a line that have come
 * @line: the line
 * @last: by format
 */
struct fuzz_file {
	int refs;
	int access;
	bool path;
	bool text;
	__u32 taken;
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
 * struct fuzz_slot - an open file of this process
 * @fd: -1 if there is none
 */
struct fuzz_slot {
	int fd;
	struct fuzz_file *file;
};

extern struct fuzz_slot fuzz_slots[FUZZ_SLOTS];

#define FUZZ_ERRORS	134

#define FUZZ_SEEN	262144

/**
 * struct fuzz_world - what all processes of a round share
 * @lock: protects all that is not changed by atomic operations
 * @seed: of the round
 * @operations: each thread's
 * @progress: operations begun, by all
 * @actors: threads and processes that run operations
 * @wall: of the wall clock
 * @wall_off: by how many seconds it is off
 * @forces: of the clock, by force
 * @watch_fd: for asking what holds
 * @max_ahead_ns: of the module
 * @over: there is no more time
 * @failed: something was found
 * @what: what it is
 * @ids: how many were taken
 * @errors: how often calls ended with an errno, or 0
 * @files: what is known of them
 * @last_host: of order host, by format
 * @mask: IDs whose hash has one of these bits are left out of @seen
 * @nr_seen: how many are in it
 * @seen: an open hash table of what may not come twice, see book.c
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
	__u64 ids;
	__u64 errors[FUZZ_ERRORS];
	struct fuzz_file files[FUZZ_FILES];
	struct fuzz_last last_host[NR_FORMATS + 1];
	__u64 mask;
	__u64 nr_seen;
	struct words seen[2 * FUZZ_SEEN];
};

extern struct fuzz_world *fuzz_world;

/**
 * struct fuzz_ring - a ring of io_uring, of a thread's own
 * @queues: both of them; NULL before it is first used
 */
struct fuzz_ring {
	int fd;
	struct io_uring_params params;
	void *queues;
	struct io_uring_sqe *entries;
};

/**
 * struct fuzz_actor - a thread, or a child that was forked
 * @stream: what its choices are made from
 * @random: the same for the operation
 * @thread: which one
 * @operation: its number
 * @name: what it does
 * @child: it was forked by an operation
 * @privileged: it runs as root
 */
struct fuzz_actor {
	__u64 stream;
	__u64 random;
	__u32 thread;
	__u64 operation;
	const char *name;
	bool child;
	bool privileged;
	__u8 *room;
	__u8 *other_room;
	__u8 *read_only;
	__u8 *read_only_alias;
	timer_t ending;
	timer_t restarting;
	int pipe[2];
	int sockets[2];
	int epoll;
	int children;
	struct fuzz_ring ring;
};

/* Signals that came to this thread, and those that end a call. */
extern __thread __u32 fuzz_signals;
extern __thread __u32 fuzz_ends;

/* fuzz.c */
void fuzz_fail(const struct fuzz_actor *actor, const char *format, ...);
bool fuzz_stopped(void);
__u64 fuzz_random(struct fuzz_actor *actor);
__u64 fuzz_below(struct fuzz_actor *actor, __u64 bound);
bool fuzz_one_in(struct fuzz_actor *actor, __u32 n);
__u64 fuzz_number(struct fuzz_actor *actor);
void fuzz_signals_on(struct fuzz_actor *actor);
void fuzz_signals_off(struct fuzz_actor *actor);
bool fuzz_actor_begin(struct fuzz_actor *actor, __u64 stream, __u32 thread,
		      bool child);
void fuzz_actor_run(struct fuzz_actor *actor, __u64 operations);
void fuzz_count(int error);

/* memory.c */

/**
 * struct fuzz_place - memory for a call
 * @at: its address, as the call gets it
 * @alias: where this program may write what is seen at @at; NULL if nowhere
 * @readable: how much the kernel can read, from @at on
 * @writable: the same
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
void *fuzz_memory_huge(void);
void fuzz_memory_huge_done(void *huge);

/* book.c */

/* A count of changes that have ended, or this if some have not. */
#define FUZZ_CHANGING	(~0U)

/**
 * struct fuzz_call - a call that may take IDs
 * @fd: what it is done on
 * @file: the same
 * @slot: where they come from
 * @alone: no one else runs operations
 * @nowait: it may not wait, or perhaps not
 * @cancelled: it was told to end by other means than a signal
 * @format: that a read gives; 0 if that may change meanwhile
 * @order: the same
 * @error: errno, 0 if there is none
 * @signals: how many had come before
 * @ends: the same, of those that end a call
 * @wall: changes before, as the next
 * @forces: the same
 * @sets: the same
 * @flags: the same
 * @wall_before: the wall clock
 * @wall_after: the same
 * @taken: of the file, if it is about to be asked
 * @before: what held
 * @after: the same
 * @last: what calls gave that had returned before
 * @last_host: the same
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
	__u32 taken;
	struct kuid_status before;
	struct kuid_status after;
	struct fuzz_last last[NR_FORMATS + 1];
	struct fuzz_last last_host[NR_FORMATS + 1];
};

/* What fuzz_changed() is asked about: whether there were any since. */
__u32 fuzz_changes_of(const struct fuzz_changes *changes);
bool fuzz_changed(const struct fuzz_changes *changes, __u32 since);
void fuzz_change_begin(struct fuzz_changes *changes);
void fuzz_change_end(struct fuzz_changes *changes);
void fuzz_book_interval(__u32 interval);
void fuzz_lock(void);
void fuzz_unlock(void);
struct fuzz_file *fuzz_file_new(void);
void fuzz_file_put(struct fuzz_file *file);
bool fuzz_use(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_unuse(struct fuzz_call *call);
bool fuzz_gone(const struct fuzz_call *call);
void fuzz_asks(struct fuzz_call *call);
void fuzz_asked(struct fuzz_call *call);
void fuzz_never_asked(struct fuzz_call *call);
void fuzz_call_begin(struct fuzz_actor *actor, struct fuzz_call *call);
void fuzz_call_end(struct fuzz_actor *actor, struct fuzz_call *call, long ret);
bool fuzz_call_refused(const struct fuzz_call *call);
bool fuzz_call_ended(const struct fuzz_call *call);
bool fuzz_call_blocked(const struct fuzz_call *call);
bool fuzz_call_cut(const struct fuzz_call *call, __u32 order);
void fuzz_book_ids(struct fuzz_actor *actor, struct fuzz_call *call,
		   __u32 format, __u32 order, __u64 epoch, const __u8 *ids,
		   size_t count, bool batch);
void fuzz_book_text(struct fuzz_actor *actor, struct fuzz_call *call,
		    const char *text, size_t size);

/* calls.c, take.c, ioctl.c: operations */
typedef void (*fuzz_operation_t)(struct fuzz_actor *actor);

void fuzz_open(struct fuzz_actor *actor);
void fuzz_open_slot(struct fuzz_actor *actor, struct fuzz_slot *slot);
void fuzz_close(struct fuzz_actor *actor);
void fuzz_dup(struct fuzz_actor *actor);
void fuzz_pass(struct fuzz_actor *actor);
void fuzz_fcntl(struct fuzz_actor *actor);
void fuzz_seek(struct fuzz_actor *actor);
void fuzz_write(struct fuzz_actor *actor);
void fuzz_mmap(struct fuzz_actor *actor);
void fuzz_poll(struct fuzz_actor *actor);
void fuzz_epoll(struct fuzz_actor *actor);
void fuzz_fork(struct fuzz_actor *actor);
void fuzz_info(struct fuzz_actor *actor);
void fuzz_wall(struct fuzz_actor *actor);
void fuzz_reap(struct fuzz_actor *actor);

void fuzz_read(struct fuzz_actor *actor);
void fuzz_readv(struct fuzz_actor *actor);
void fuzz_splice(struct fuzz_actor *actor);
void fuzz_huge(struct fuzz_actor *actor);
void fuzz_uring(struct fuzz_actor *actor);

void fuzz_generate(struct fuzz_actor *actor);
void fuzz_ask(struct fuzz_actor *actor);
void fuzz_set_format(struct fuzz_actor *actor);
void fuzz_administer(struct fuzz_actor *actor);
void fuzz_unknown_command(struct fuzz_actor *actor);

#endif /* FUZZ_H */
