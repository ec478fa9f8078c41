/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */
/*
 * kuid: time-ordered unique IDs for the whole host, from a character device.
 *
 * Opening a device node and reading it is all that most programs need:
 *
 *  - /dev/kuid gives UUIDs version 1, for ever;
 *  - /dev/kuids/NAME gives the format of that name: v1 v6 v7 lex k64 k96 k128;
 *  - /dev/kuids/NAME.txt gives it as text, one ID a line.
 *
 * A read of the first two returns whole IDs, big-endian, as many as the buffer
 * holds, and EINVAL if it holds none. Text may be read in pieces of any size:
 * a line that a read did not finish is gone on with by the next one of the
 * same open file. readv, splice and io_uring read in the same way.
 *
 * The ioctls below are for programs that want to know the limits, to choose a
 * format, or to have the IDs of one call put into memory of their choice
 * together with the count and the epoch they belong to. They work on every
 * kuid device node.
 *
 * Rules of this interface, for every struct:
 *
 *  - the layout is the same for 32-bit and 64-bit programs: only fixed-width
 *    integers in native byte order, naturally aligned, no holes; a pointer
 *    travels as a __u64, zero-extended;
 *  - "in" fields are read by the kernel, "out" fields are written by it and
 *    ignored on the way in, so that one struct can serve call after call;
 *  - reserved fields must be zero on the way in, and are zero on the way out
 *    until a meaning is given to them;
 *  - an unknown format, order or flag, or a reserved field that is not zero,
 *    is EINVAL; an unknown command is ENOTTY; a struct that can't be read or
 *    written is EFAULT;
 *  - what needs an epoch makes the first one, and is ENOMEM if there is no
 *    memory for that; so is a read;
 *  - after an error no out field has been written, except by EFAULT; if it is
 *    the struct that can't be written, what was done is done all the same.
 *
 * Structs and numbers never change once released: a new need is a new command,
 * a new flag, or a reserved field whose zero means "as before".
 */
#ifndef _UAPI_LINUX_KUID_H
#define _UAPI_LINUX_KUID_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * Formats: how an ID is laid out. 0 stands for the format that a read of the
 * same file gives.
 *
 * v1, v6 and v7 are made from nanoseconds, of which each CPU has its own; lex
 * from the host's microseconds; k64, k96 and k128 from the host's steps of
 * 1024 us, each of which has 16,384 IDs.
 */
#define KUID_FORMAT_DEFAULT 0
#define KUID_FORMAT_V1	    1 /* RFC 9562 section 5.1, 16 bytes */
#define KUID_FORMAT_V6	    2 /* RFC 9562 section 5.6, 16 bytes */
#define KUID_FORMAT_V7	    3 /* RFC 9562 section 5.7, 16 bytes */
#define KUID_FORMAT_LEX	    4 /* microseconds:64 worker:64, 16 bytes */
#define KUID_FORMAT_K64	    5 /* A:20 B:20 C:10 seq:14, 8 bytes */
#define KUID_FORMAT_K96	    6 /* A:20 B:20-I node:32 B:I C:10 seq:14 */
#define KUID_FORMAT_K128    7 /* A:20 B:20-I node:64 B:I C:10 seq:14 */

/*
 * Orders: which IDs an ID is promised to follow. 0 stands for the order that a
 * read of the same file gives: KUID_ORDER_FILE unless another one was set.
 *
 * Each speaks of two IDs of one format and one epoch, of which the call that
 * made the one returned before the call that made the other began; then the
 * one is smaller: as (60-bit time, clock_seq) for v1, as bytes for the others.
 *
 * KUID_ORDER_CPU: if both were asked for in this order and made on the same
 * CPU. IDs of different CPUs are ordered to within max_ahead_ns.
 *
 * KUID_ORDER_FILE: if they come from one open file, whichever CPU, thread or
 * process made the calls, and were asked for in this order or the next.
 *
 * KUID_ORDER_HOST: if both were asked for in this order, from whatever files
 * of the host; and as KUID_ORDER_FILE.
 */
#define KUID_ORDER_DEFAULT 0
#define KUID_ORDER_CPU	   1
#define KUID_ORDER_FILE	   2
#define KUID_ORDER_HOST	   3

/**
 * struct kuid_query - what this kernel makes, and within which limits
 * @format: in: KUID_FORMAT_*; out: the format answered for, never 0
 * @flags: in: must be zero
 * @formats: out: bit n is set if format n can be generated
 * @orders: out: bit n is set if order n can be asked for
 * @id_size: out: bytes of one ID of @format
 * @text_size: out: characters of the longest canonical text of an ID of
 *	@format, without an end of line; all texts of the formats above are as
 *	long, those of a later format may be shorter
 * @batch_max: out: the highest &struct kuid_generate.count for @format
 * @clock_resolution_ns: out: how far apart two readings of the system's clock
 *	can be told, in nanoseconds, at least 1; a coarse clock makes the time
 *	in an ID coarse, not the IDs fewer
 * @rate_max: out: how many IDs of @format there are in a second: to each CPU
 *	for v1, v6 and v7 (beyond 127 CPUs they share), to the whole host for
 *	the others
 * @max_ahead_ns: out: how far the time in an ID may be ahead of the clock, in
 *	nanoseconds; a call that would pass it waits until it need not, or fails
 *	with EAGAIN if the file is O_NONBLOCK
 * @batch_ahead_ns: out: the same for a call that asks for more than one ID; but
 *	if it may not wait and there is none, it gets one as if it had asked for
 *	one, so that after poll something comes whatever is asked for
 * @step_limit_ns: out: how far the wall clock may be set back in all before
 *	@format begins a new epoch at the time it was set to; up to that, its
 *	clock goes on at half speed until the wall clock has caught up. All bits
 *	set: it never begins one, and goes on at half speed however long
 * @order: out: KUID_ORDER_* that a read of this file gives
 * @reserved0: must be zero
 * @reserved: must be zero
 */
struct kuid_query {
	__u32 format;
	__u32 flags;
	__u64 formats;
	__u64 orders;
	__u32 id_size;
	__u32 batch_max;
	__u32 clock_resolution_ns;
	__u32 text_size;
	__u64 rate_max;
	__u64 max_ahead_ns;
	__u64 batch_ahead_ns;
	__u64 step_limit_ns;
	__u32 order;
	__u32 reserved0;
	__u64 reserved[6];
};

/**
 * struct kuid_generate - one batch of IDs into memory of the caller's
 * @buffer: in: address of @count * id_size bytes, of any alignment
 * @format: in: KUID_FORMAT_*
 * @order: in: KUID_ORDER_*
 * @count: in: how many IDs, 1 to batch_max
 * @flags: in: must be zero
 * @done: out: how many IDs were written, 1 to @count
 * @reserved0: must be zero
 * @epoch: out: number of the epoch that all IDs of this call belong to
 * @load_id: out: tells that epoch from those of the same number in other loads
 *	of the module, boots and clones; never 0, see &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * The IDs of one call increase in the order they lie in memory. The call is
 * cut short, with success and @done < @count, where a signal is pending, a
 * byte of @buffer can't be written, a new epoch begins, a file that is
 * O_NONBLOCK would have to wait, or a caller in KUID_ORDER_CPU was moved to a
 * CPU that is behind; bytes behind the first @done IDs may then have been
 * written too and mean nothing. If that comes before the first ID the call
 * fails with EINTR, EFAULT or EAGAIN. IDs lost to a fault are lost: they are
 * never handed out again; but no more than one is, unless memory that could be
 * written goes away meanwhile. ENODATA: see state below. EINVAL also: @count is
 * 0 or above batch_max. ESTALE: see KUID_REASON_STALE_IDENTITY. ENOMEM: there
 * is none for the first epoch.
 */
struct kuid_generate {
	__u64 buffer;
	__u32 format;
	__u32 order;
	__u32 count;
	__u32 flags;
	__u32 done;
	__u32 reserved0;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[2];
};

/**
 * struct kuid_set_format - choose what a file gives
 * @format: in: KUID_FORMAT_*; KUID_FORMAT_DEFAULT leaves it as it is
 * @order: in: KUID_ORDER_*; KUID_ORDER_DEFAULT leaves it as it is
 * @reserved: must be zero
 *
 * Possible until an ID has been asked for from the open file, in whatever way,
 * even if none came; EBUSY from then on, for all who share the file. Only what
 * was asked for before the first epoch, and failed, does not count. A file that
 * gives text goes on to give text.
 */
struct kuid_set_format {
	__u32 format;
	__u32 order;
	__u64 reserved[3];
};

/*
 * What is held, and why not: kuid_status.held and kuid_status.reasons. Bits
 * that a program does not know mean further promises and further reasons. All
 * bits of both are the kernel's: a library has to say what it knows elsewhere.
 */
#define KUID_HELD_UNIQUE      0x1 /* no ID is handed out twice on this host */
#define KUID_HELD_ORDER	      0x2 /* IDs are in the order asked for */
#define KUID_HELD_REBOOT_SAFE 0x4 /* nor will one be after a reboot or reload */

/*
 * v1, v6 and v7, or lex and the k-ordered formats (k64, k96, k128), go on at
 * half speed because the wall clock was set back, or is behind the floor that
 * was restored: their time is ahead of it by stamp_lag_ns or slot_lag_ns. When
 * the module is loaded again, the latter repeat unless the wall clock has
 * caught up by then or the saved state is restored.
 */
#define KUID_REASON_STAMPS_HALF_SPEED 0x001
#define KUID_REASON_SLOTS_HALF_SPEED  0x002
/* The system's clock ticks more slowly than every microsecond. */
#define KUID_REASON_COARSE_CLOCK 0x004
/*
 * No saved state was restored since the module was loaded, so that lex and the
 * k-ordered formats have only the wall clock to tell loads apart. If state is
 * required they wait for it.
 */
#define KUID_REASON_NO_STATE 0x008
/* The same is so for v1, v6 and v7, because their node was given. */
#define KUID_REASON_FIXED_NODE 0x010
/*
 * This kernel can't tell when its virtual machine is cloned or restored. One
 * that can still is not told of it if the machine has no such device (VMGENID),
 * or its driver is not loaded.
 */
#define KUID_REASON_NO_VM_FORK 0x020
/* There is no ID yet: the kernel's random generator is not ready. */
#define KUID_REASON_RANDOM_NOT_READY 0x040
/*
 * The clock was forced, and has not got to the time yet at which it was: lex
 * and k-ordered IDs may be those that were handed out before. Forgotten when
 * the module is unloaded, which then waits, or warns in the log.
 */
#define KUID_REASON_FORCED_CLOCK 0x080
/*
 * State was restored, and the time, or that of IDs which may be ahead of it,
 * has come to the ceiling that was acknowledged last, or there is none yet. If
 * state is required, IDs wait for a higher one; else they go on and may be
 * repeated after a reboot.
 */
#define KUID_REASON_PAST_CEILING 0x100
/*
 * This machine may be a clone: formats that use a node or worker that was given
 * fail with ESTALE until it is confirmed or changed.
 */
#define KUID_REASON_STALE_IDENTITY 0x200
/*
 * Reserved: formats that use a node or worker which was claimed up to a time
 * will fail with EKEYEXPIRED when their clock gets there. No kernel sets it yet.
 */
#define KUID_REASON_EXPIRED_CLAIM 0x400

/**
 * struct kuid_status - what holds now, and what has been done so far
 * @flags: in: must be zero
 * @held: out: KUID_HELD_*
 * @reasons: out: KUID_REASON_*
 * @epoch: out: number of the epoch; the first is 1, 0 if there is none yet
 * @load_id: out: a random number, drawn with the first epoch and again after
 *	the machine was cloned, restored or hibernated, so that load_id and
 *	epoch together name one epoch of all; 0 if there is none yet
 * @stamp_lag_ns: out: how far the clock of v1, v6 and v7 is ahead of the wall
 *	clock, which was set back or is behind a floor
 * @slot_lag_ns: out: the same for lex and the k-ordered formats
 * @stamp_ahead_ns: out: how far the highest v1, v6 or v7 is ahead of their
 *	clock
 * @lex_ahead_ns: out: the same for lex
 * @grid_ahead_ns: out: the same for the k-ordered formats
 * @waits: out: how often a call had to wait for its turn, for the clock or for
 *	an administrator; a long one does for each part of it
 * @would_blocks: out: how often one failed with EAGAIN, or was cut short,
 *	because it would have had to
 * @steps_back: out: how often the wall clock was found set back
 * @steps_forward: out: how often it was found set forward, as it also is when
 *	the machine has slept
 * @ids: out: how many IDs have been made for callers, by KUID_FORMAT_*; of
 *	those some may have been lost on the way, as to a bad address
 * @vm_forks: out: how often the machine was cloned, restored or resumed from
 *	hibernation, or tried to hibernate
 * @floor_ns: out: &struct kuid_state.floor_ns
 * @ceiling_ns: out: &struct kuid_state.ceiling_ns
 * @reserved: must be zero
 *
 * Counts are from when the module was loaded. It is read while IDs are being
 * made, each field at a moment of its own.
 */
struct kuid_status {
	__u32 flags;
	__u32 held;
	__u64 reasons;
	__u64 epoch;
	__u64 load_id;
	__u64 stamp_lag_ns;
	__u64 slot_lag_ns;
	__u64 stamp_ahead_ns;
	__u64 lex_ahead_ns;
	__u64 grid_ahead_ns;
	__u64 waits;
	__u64 would_blocks;
	__u64 steps_back;
	__u64 steps_forward;
	__u64 ids[16];
	__u64 vm_forks;
	__u64 floor_ns;
	__u64 ceiling_ns;
	__u64 reserved[32];
};

/*
 * kuid_force_clock.flags: must be set, and says: I know that lex and k-ordered
 * IDs may be handed out twice.
 */
#define KUID_FORCE_CLOCK_MAY_REPEAT 0x1

/**
 * struct kuid_force_clock - set the clock of all formats to the wall clock
 * @flags: in: KUID_FORCE_CLOCK_MAY_REPEAT
 * @reserved0: must be zero
 * @epoch: out: number of the epoch that begins with it
 * @load_id: out: of that epoch, see &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * For a wall clock that was far in the future, and that IDs were made by,
 * until someone noticed: after it was set right, lex and k-ordered IDs would
 * stay in the future. This takes them back. When the wall clock gets to that
 * time again, IDs made then can be the same as those made in error; v1, v6 and
 * v7 can't, unless their node was given, and then they are not taken back.
 *
 * Needs CAP_SYS_TIME, as all capabilities here in the initial user namespace,
 * or fails with EPERM. May sleep. EAGAIN: there is no epoch yet, because the
 * kernel's random generator is not ready. ENOMEM: nothing was changed.
 */
struct kuid_force_clock {
	__u32 flags;
	__u32 reserved0;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[1];
};

/*
 * State: what keeps lex and the k-ordered formats, and v1 and v6 if their node
 * was given, from repeating IDs after a reboot or reload. These have only their
 * time to tell one life of the machine from the next, and a clock may come back
 * set back. So a program saves a ceiling, a time some way ahead, to stable
 * storage, and only then acknowledges it; in the next life it restores it as
 * the floor, below which no ID is made.
 *
 * With the module parameter state=required such formats wait, or fail with
 * EAGAIN, until there is a floor and a ceiling, and never pass the ceiling; v7
 * is one of them while the node is given. A call fails with ENODATA when it has
 * waited for that for 30 s, or may not wait and would have waited for so long.
 * With state=off, the default, they work at once and status says that they are
 * not reboot-safe.
 */

/*
 * Where the node or the worker comes from. 0: it stays as it is. The node of an
 * interface counts as given wherever that makes a difference; a worker of the
 * host name is another one in a machine that may be a clone.
 */
#define KUID_FROM_GIVEN	 1 /* the request or the module parameter */
#define KUID_FROM_RANDOM 2 /* drawn */
#define KUID_FROM_MAC	 3 /* node: the first suitable network interface */
#define KUID_FROM_HOST	 4 /* worker: the host name */

/**
 * struct kuid_state - identity and times, as they would have to be saved
 * @flags: in: must be zero
 * @required: out: 1 if the module was loaded with state=required
 * @restored: out: 1 if there was a restore or fresh start
 * @interval: out: I of k96 and k128
 * @wall_ns: out: the wall clock's time, in nanoseconds since 1970, as are all
 *	times here
 * @slot_ns: out: all lex and k-ordered IDs handed out since the clock was
 *	forced last are below this time
 * @stamp_ns: out: all v1, v6 and v7 with a given node are; at least @floor_ns
 * @floor_ns: out: the floor that was restored; 0 if none was
 * @ceiling_ns: out: the ceiling that was acknowledged; 0 if none was
 * @node_from: out: KUID_FROM_*, as the rest
 * @worker_from: out
 * @node: out: of v1 and v6; 48 bits
 * @worker: out: of lex; it is the node of k128, and its high half xor its low
 *	half that of k96
 * @epoch: out: &struct kuid_status.epoch
 * @load_id: out: &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * Any user may read it. EAGAIN: there is no epoch yet, because the kernel's
 * random generator is not ready.
 */
struct kuid_state {
	__u32 flags;
	__u32 required;
	__u32 restored;
	__u32 interval;
	__u64 wall_ns;
	__u64 slot_ns;
	__u64 stamp_ns;
	__u64 floor_ns;
	__u64 ceiling_ns;
	__u32 node_from;
	__u32 worker_from;
	__u64 node;
	__u64 worker;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[20];
};

/*
 * The highest floor and ceiling, in 2232: Linux lets no one set its clock to
 * this time or beyond.
 */
#define KUID_TIME_MAX_NS 8277292036000000000ULL

/* kuid_restore.flags: nothing was ever handed out; floor_ns must be zero. */
#define KUID_RESTORE_FRESH 0x1

/**
 * struct kuid_restore - nothing below this time is to be handed out
 * @floor_ns: in: the ceiling that a former life of the machine has saved; not
 *	above KUID_TIME_MAX_NS, and not zero but with KUID_RESTORE_FRESH
 * @flags: in: KUID_RESTORE_FRESH or zero
 * @reserved0: must be zero
 * @epoch: out: number of the epoch that begins with it
 * @load_id: out: of that epoch, see &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * A floor below what was handed out or restored before changes nothing. If the
 * wall clock is behind it, clocks go on from the floor at half speed until it
 * has caught up.
 *
 * Needs CAP_SYS_TIME, or fails with EPERM. EAGAIN as for &struct kuid_state;
 * ENOMEM: nothing was changed.
 */
struct kuid_restore {
	__u64 floor_ns;
	__u32 flags;
	__u32 reserved0;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[4];
};

/**
 * struct kuid_acknowledge - stable storage covers all below this time
 * @ceiling_ns: in: the time, not above KUID_TIME_MAX_NS; it may be lower than
 *	one acknowledged before, but not than what was handed out
 * @flags: in: must be zero
 * @reserved0: must be zero
 * @reserved: must be zero
 *
 * EINVAL also: @ceiling_ns is below &struct kuid_state.slot_ns or stamp_ns.
 *
 * Needs CAP_SYS_TIME, or fails with EPERM. EAGAIN as for &struct kuid_state.
 */
struct kuid_acknowledge {
	__u64 ceiling_ns;
	__u32 flags;
	__u32 reserved0;
	__u64 reserved[2];
};

/* kuid_set_identity.flags: what was given belongs to this machine alone. */
#define KUID_IDENTITY_CONFIRM 0x1

/**
 * struct kuid_set_identity - begin a new epoch, with what is asked for changed
 * @flags: in: KUID_IDENTITY_CONFIRM or zero; what is changed here is confirmed
 *	by that
 * @interval: in: I of k96 and k128, 5 to 10; 0 leaves it as it is
 * @node_from: in: 0, KUID_FROM_GIVEN, _RANDOM or _MAC
 * @worker_from: in: 0, KUID_FROM_GIVEN, _RANDOM or _HOST
 * @node: in: 48 bits; zero unless @node_from is KUID_FROM_GIVEN
 * @worker: in: zero unless @worker_from is KUID_FROM_GIVEN
 * @epoch: out: number of the new epoch
 * @load_id: out: of that epoch, see &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * Needs CAP_SYS_ADMIN, or fails with EPERM. ENODEV: no network interface is
 * suitable. EAGAIN as for &struct kuid_state; ENOMEM: nothing was changed.
 */
struct kuid_set_identity {
	__u32 flags;
	__u32 interval;
	__u32 node_from;
	__u32 worker_from;
	__u64 node;
	__u64 worker;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[10];
};

/*
 * Of this magic 0x00 to 0x2F are for kuid. Those from 0x20 on are for
 * administrators, but any user may read the state.
 */
#define KUID_IOC_MAGIC	    0xE9
#define KUID_IOC_QUERY	    _IOWR(KUID_IOC_MAGIC, 0x00, struct kuid_query)
#define KUID_IOC_GENERATE   _IOWR(KUID_IOC_MAGIC, 0x01, struct kuid_generate)
#define KUID_IOC_SET_FORMAT _IOW(KUID_IOC_MAGIC, 0x02, struct kuid_set_format)
#define KUID_IOC_STATUS	    _IOWR(KUID_IOC_MAGIC, 0x03, struct kuid_status)

#define KUID_IOC_FORCE_CLOCK \
	_IOWR(KUID_IOC_MAGIC, 0x20, struct kuid_force_clock)
#define KUID_IOC_GET_STATE   _IOWR(KUID_IOC_MAGIC, 0x21, struct kuid_state)
#define KUID_IOC_RESTORE     _IOWR(KUID_IOC_MAGIC, 0x22, struct kuid_restore)
#define KUID_IOC_ACKNOWLEDGE _IOW(KUID_IOC_MAGIC, 0x23, struct kuid_acknowledge)
#define KUID_IOC_SET_IDENTITY \
	_IOWR(KUID_IOC_MAGIC, 0x24, struct kuid_set_identity)

#endif /* _UAPI_LINUX_KUID_H */
