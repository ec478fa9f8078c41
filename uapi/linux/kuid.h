/* SPDX-License-Identifier: ((GPL-2.0-only WITH Linux-syscall-note) OR MIT) */
/*
 * kuid: time-ordered unique IDs for the whole host, from a character device.
 *
 * Most programs only open a device file and read it:
 *
 *  - /dev/kuid always gives UUIDs version 1;
 *  - /dev/kuids/NAME gives the format with that name: KUID_FORMAT_NAME below,
 *    in lower case;
 *  - /dev/kuids/NAME.txt gives that format as text, one ID a line;
 *  - /dev/kuids/host/NAME and /dev/kuids/host/NAME.txt give the same in order
 *    KUID_ORDER_HOST: each ID is above all that were read before it in that
 *    order on this host.
 *
 * A read of a binary device file returns whole IDs, big-endian, as many as fit
 * into the buffer. It fails with EINVAL if the buffer is shorter than one ID.
 * A read of text returns whole lines. If the buffer is shorter than the longest
 * line of the format, it gets a piece of a line, and the next read of the same
 * open file gets the rest. If that rest is lost, because a piece could not be
 * written or because the machine may have a twin, the next read gets "?" and a
 * newline instead. readv, splice and io_uring work the same way.
 *
 * The ioctls below query the limits, choose a format and an order, put IDs into
 * memory together with their count and epoch, and let a process make IDs by
 * itself. They work on every device file of kuid, whatever its format.
 *
 * Rules of this interface, for every struct:
 *
 *  - The layout is the same for 32-bit and 64-bit programs: only fixed-width
 *    integers in native byte order, naturally aligned, no holes. A pointer is
 *    passed as a __u64, zero-extended.
 *  - The kernel reads the "in" fields. It writes the "out" fields and ignores
 *    what they held before, so a program can use one struct for many calls.
 *  - Reserved fields must be zero on input. The kernel writes them as zero
 *    until they get a meaning.
 *  - An unknown format, order or flag, or a reserved field that is not zero,
 *    is EINVAL. An unknown command is ENOTTY. A struct that can't be read or
 *    written is EFAULT.
 *  - A command or a read that needs an epoch begins the first one, and fails
 *    with ENOMEM if there is no memory for it.
 *  - A command that fails leaves all out fields as they were. The exception is
 *    EFAULT because the struct can't be written: the request has been carried
 *    out, and some out fields may have been written.
 *
 * After the first release, structs and numbers never change. A new feature gets
 * a new command, a new flag, or a reserved field whose zero means "as before".
 */
#ifndef _UAPI_LINUX_KUID_H
#define _UAPI_LINUX_KUID_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * Formats: the layout of an ID. 0 is the format that a read of the file gives.
 *
 * Stamp formats (v1, v6, v7) are made from nanoseconds; each CPU has its own.
 * Slot formats are made from slots of a time grid of the whole host: lex from
 * microseconds; the k-ordered formats (k64, k96, k128) from one grid that they
 * share, with 16,384 slots in each grid tick of 1,024 us; snowflake from
 * milliseconds, with 4,096 slots each.
 */
#define KUID_FORMAT_DEFAULT 0
#define KUID_FORMAT_V1	    1 /* RFC 9562 section 5.1, 16 bytes */
#define KUID_FORMAT_V6	    2 /* RFC 9562 section 5.6, 16 bytes */
#define KUID_FORMAT_V7	    3 /* RFC 9562 section 5.7, 16 bytes */
#define KUID_FORMAT_LEX	    4 /* microseconds:64 worker:64, 16 bytes */
#define KUID_FORMAT_K64	    5 /* A:20 B:20 C:10 seq:14, 8 bytes */
#define KUID_FORMAT_K96	    6 /* A:20 B:20-I node:32 B:I C:10 seq:14 */
#define KUID_FORMAT_K128    7 /* A:20 B:20-I node:64 B:I C:10 seq:14 */
#define KUID_FORMAT_SNOWFLAKE \
	8 /* 0:1 milliseconds:41 worker:10 seq:12, 8 bytes */

/*
 * Snowflake's milliseconds count from the module parameter snowflake_epoch_ms,
 * in milliseconds since 1970. This is its default, Twitter's epoch.
 */
#define KUID_SNOWFLAKE_EPOCH_DEFAULT 1288834974657ULL

/* The highest worker of snowflake. */
#define KUID_SNOWFLAKE_WORKER_MAX 1023

/*
 * Orders: which IDs an ID is greater than. 0 is the order that a read of the
 * file gives. Unless another one was set, that is KUID_ORDER_HOST for the files
 * in /dev/kuids/host, and KUID_ORDER_FILE for all others.
 *
 * Take two IDs of one format and one epoch. If the call that made the first ID
 * returned before the call that made the second one began, the first ID is
 * smaller: as (60-bit time, clock_seq) for v1, as bytes for the other formats.
 * This holds under a condition that depends on the order:
 *
 * KUID_ORDER_CPU: both were requested in this order and made on the same CPU.
 * IDs of different CPUs are in order to within max_ahead_ns.
 *
 * KUID_ORDER_FILE: both came from one open file, and were requested in this
 * order or in KUID_ORDER_HOST. The CPU, thread or process does not matter.
 *
 * KUID_ORDER_HOST: both were requested in this order, from any files of the
 * host; or the condition of KUID_ORDER_FILE holds.
 */
#define KUID_ORDER_DEFAULT 0
#define KUID_ORDER_CPU	   1
#define KUID_ORDER_FILE	   2
#define KUID_ORDER_HOST	   3

/**
 * struct kuid_query - which formats and orders there are, and their limits
 * @format: in: KUID_FORMAT_*; out: the format that the answer is about, never 0
 * @flags: in: must be zero
 * @formats: out: bit n is set if the kernel makes format n
 * @orders: out: bit n is set if the kernel knows order n
 * @id_size: out: size of an ID of @format, in bytes
 * @text_size: out: length of the longest canonical text of an ID of @format, in
 *	characters, without a newline; all texts of a format are this long,
 *	except that decimal numbers, the texts of snowflake, may be shorter
 * @batch_max: out: the highest &struct kuid_generate.count for @format
 * @clock_resolution_ns: out: resolution of the system's clock in nanoseconds,
 *	at least 1; with a coarse clock the time in IDs is coarse, but there
 *	are as many IDs
 * @rate_max: out: IDs of @format a second: for each CPU in a stamp format (more
 *	than 127 CPUs share 127 lanes), for the whole host in a slot format
 * @max_ahead_ns: out: the window: how far the time in an ID may be ahead of its
 *	clock, in nanoseconds; a call that would pass it waits, or fails with
 *	EAGAIN if the file is O_NONBLOCK
 * @batch_ahead_ns: out: the same for a call for more than one ID; if such a
 *	call may not wait and finds no ID within this limit, it tries to get one
 *	within @max_ahead_ns, because poll may have reported that one
 * @step_limit_ns: out: how far in total the wall clock may be set back before
 *	@format begins a new epoch at the new time; up to this limit its clock
 *	goes on at half speed until the wall clock has caught up. All bits are
 *	set if @format goes on at half speed after any step
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

/*
 * Flag of struct kuid_generate: this call doesn't wait, as if the file were
 * O_NONBLOCK.
 */
#define KUID_GENERATE_NOWAIT 0x1

/**
 * struct kuid_generate - make a batch of IDs in the caller's memory
 * @buffer: in: address of @count * id_size bytes, with any alignment
 * @format: in: KUID_FORMAT_*
 * @order: in: KUID_ORDER_*
 * @count: in: number of IDs, 1 to batch_max
 * @flags: in: 0 or KUID_GENERATE_NOWAIT
 * @done: out: number of IDs that were written, 1 to @count
 * @reserved0: must be zero
 * @epoch: out: number of the epoch that all IDs of this call belong to
 * @load_id: out: tells that epoch from epochs with the same number in other
 *	loads of the module, boots and clones; never 0, see
 *	&struct kuid_status.load_id
 * @reserved: must be zero
 *
 * IDs increase in the order in which they lie in memory. A call ends early,
 * with success and @done < @count, if a signal is pending, a byte of @buffer
 * can't be written, a new epoch begins, a call that may not wait would have to,
 * or a caller in KUID_ORDER_CPU was moved to a CPU that is behind. Bytes behind
 * the first @done IDs may have been written then and mean nothing. If one of
 * these happens before the first ID, the call fails with EINTR, EFAULT or
 * EAGAIN.
 *
 * IDs that could not be written are lost and are never handed out again. A call
 * loses one ID at most, unless writable memory goes away during the call.
 *
 * EINVAL also if @count is 0 or above batch_max. ENODATA: see "State" below.
 * ESTALE: see KUID_REASON_STALE_IDENTITY. EKEYEXPIRED: see
 * KUID_REASON_EXPIRED_CLAIM. Only for snowflake: ENOKEY if it has no worker,
 * see KUID_FROM_WORKER; EOVERFLOW if its 41 bits can't hold the time, or if the
 * time is that of its epoch: no ID is 0.
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
 * struct kuid_set_format - set format and order of an open file
 * @format: in: KUID_FORMAT_*; KUID_FORMAT_DEFAULT leaves the format as it is
 * @order: in: KUID_ORDER_*; KUID_ORDER_DEFAULT leaves the order as it is
 * @reserved: must be zero
 *
 * Fails with EBUSY once a read or KUID_IOC_GENERATE has requested an ID from
 * the open file, also if that call got no ID and whichever process made it. A
 * call that failed with EINVAL, or because there was no epoch yet, does not
 * count. A file that gives text still gives text.
 */
struct kuid_set_format {
	__u32 format;
	__u32 order;
	__u64 reserved[3];
};

/*
 * kuid_status.reasons: why a promise does not hold for a format, or why the
 * time in IDs is worse than it could be. Later kernels may set further bits.
 * All bits belong to the kernel: a library reports its own status elsewhere.
 */

/*
 * The clock of the stamp formats, or that of the slot formats, is ahead of the
 * wall clock by stamp_lag_ns or slot_lag_ns and runs at half speed, because the
 * wall clock was set back or is behind a floor. If the module is loaded again,
 * slot formats repeat IDs unless the wall clock has caught up by then or the
 * saved state is restored.
 */
#define KUID_REASON_STAMPS_HALF_SPEED 0x001
#define KUID_REASON_SLOTS_HALF_SPEED  0x002
/* The resolution of the system's clock is coarser than 1 us. */
#define KUID_REASON_COARSE_CLOCK 0x004
/*
 * No cover has begun since the module was loaded. So slot formats have only
 * the wall clock to tell this load from the last one. With state=required they
 * wait for one.
 */
#define KUID_REASON_NO_STATE 0x008
/* The same applies to stamp formats, because their node was given. */
#define KUID_REASON_FIXED_NODE 0x010
/*
 * It is never noticed that this virtual machine was cloned or restored: it has
 * no VMGENID device, or the kernel can't use it. A machine that can't tell
 * whether it is virtual counts as such.
 */
#define KUID_REASON_NO_VM_FORK 0x020
/* There are no IDs yet: the kernel's random generator is not ready. */
#define KUID_REASON_RANDOM_NOT_READY 0x040
/*
 * The clock was taken back, now or in a former boot, and is at times that IDs
 * were made of before: slot formats, and v1 and v6 with a given node, may
 * repeat IDs until kuid_state.again_until_ns.
 */
#define KUID_REASON_MAY_REPEAT 0x080
/*
 * The clock plus max_ahead_ns has reached the ceiling of the cover. With
 * state=required, IDs wait for a higher ceiling; otherwise they go on and may
 * repeat after a reboot.
 */
#define KUID_REASON_PAST_CEILING 0x100
/*
 * This machine may be a clone: formats that show a given node or worker fail
 * with ESTALE until an administrator confirms or changes it.
 */
#define KUID_REASON_STALE_IDENTITY 0x200
/*
 * The clock plus max_ahead_ns has reached the ceiling of the claim, or the
 * claim was ended: formats that show a claimed number fail with EKEYEXPIRED
 * until the ceiling is raised, or numbers are claimed again.
 */
#define KUID_REASON_EXPIRED_CLAIM 0x400
/*
 * This machine may have been set back to an earlier state, or is a clone. Its
 * clock may show times that it has shown before, and k64 has nothing but the
 * time to tell its IDs apart. So k64 may repeat IDs, until the wall clock is
 * set forward, or a floor above the last k64 is restored.
 */
#define KUID_REASON_K64_MAY_REPEAT 0x800

/*
 * kuid_status.clones: how it is noticed that the virtual machine was cloned or
 * restored. The hypervisor changes the machine's generation ID, if there is a
 * VMGENID device, and notifies the kernel.
 *
 * KUID_CLONES_SEEN: each call compares the generation ID before it returns. So
 * no call that begins after the machine runs on returns an ID that a twin may
 * have, except of k64, which is unique on one host only.
 *
 * KUID_CLONES_TOLD: the module is notified, some time after the machine runs
 * on. Until then private lanes may make the same IDs as a twin, and so may
 * calls without KUID_CLONES_SEEN.
 */
#define KUID_CLONES_SEEN 0x1
#define KUID_CLONES_TOLD 0x2

/**
 * struct kuid_status - which promises hold, clocks, and counters
 * @flags: in: must be zero
 * @clones: out: KUID_CLONES_*: how it is noticed that the machine was cloned or
 *	restored; 0 if it is not, or if the machine is not virtual
 * @reasons: out: KUID_REASON_*
 * @epoch: out: number of the epoch, from 1; 0 if there is none yet
 * @load_id: out: a random number, drawn with the first epoch and again after
 *	the machine was cloned, restored or hibernated, so that load_id and
 *	epoch together name one epoch of all loads, boots and machines; 0 if
 *	there is no epoch yet
 * @stamp_lag_ns: out: how far the clock of the stamp formats is ahead of the
 *	wall clock, because the wall clock was set back or is behind a floor
 * @slot_lag_ns: out: the same for the slot formats
 * @stamp_ahead_ns: out: how far the highest ID of the stamp formats is ahead of
 *	their clock
 * @lex_ahead_ns: out: the same for lex
 * @grid_ahead_ns: out: the same for the k-ordered formats
 * @snowflake_ahead_ns: out: the same for snowflake
 * @waits: out: how often a call waited for its place in a line, for the clock
 *	or for an administrator; a long call counts once for each chunk
 * @would_blocks: out: how often a call failed with EAGAIN or ended early
 *	because it would have had to wait
 * @steps_back: out: how often the wall clock was found set back
 * @steps_forward: out: how often it was found set forward, which a suspend of
 *	the machine looks like, too
 * @ids: out: number of IDs that were made for callers, by KUID_FORMAT_*; some
 *	of them may not have arrived, for example at a bad address. IDs of
 *	private lanes are not counted
 * @vm_forks: out: how often the machine was cloned or restored, or resumed from
 *	hibernation or failed to hibernate
 * @floor_ns: out: &struct kuid_state.floor_ns
 * @ceiling_ns: out: &struct kuid_state.ceiling_ns
 * @claim_ceiling_ns: out: &struct kuid_state.claim_ceiling_ns
 * @unique: out: bit n is set if no ID of format n is handed out twice on this
 *	host
 * @ordered: out: bit n is set if the IDs of format n are in the order that
 *	their files ask for
 * @reboot_safe: out: bit n is set if no ID of format n repeats after a reboot
 *	or a reload of the module
 * @reserved: must be zero
 *
 * The promises are those that hold now. A bit of @unique ends with a new epoch,
 * or when the clock comes to times that may be used again. Counters start when
 * the module is loaded. IDs are made while the kernel reads the fields, so two
 * fields may be of different moments.
 */
struct kuid_status {
	__u32 flags;
	__u32 clones;
	__u64 reasons;
	__u64 epoch;
	__u64 load_id;
	__u64 stamp_lag_ns;
	__u64 slot_lag_ns;
	__u64 stamp_ahead_ns;
	__u64 lex_ahead_ns;
	__u64 grid_ahead_ns;
	__u64 snowflake_ahead_ns;
	__u64 waits;
	__u64 would_blocks;
	__u64 steps_back;
	__u64 steps_forward;
	__u64 ids[16];
	__u64 vm_forks;
	__u64 floor_ns;
	__u64 ceiling_ns;
	__u64 claim_ceiling_ns;
	__u64 unique;
	__u64 ordered;
	__u64 reboot_safe;
	__u64 reserved[27];
};

/**
 * struct kuid_private_lane - get a node for a private lane
 * @flags: in: must be zero
 * @reserved0: must be zero
 * @node: out: a node for v1 and v6, 48 bits with the multicast bit set. Nobody
 *	else has or gets it
 * @generation: out: see &struct kuid_page.generation
 * @epoch: out: number of the epoch that @node belongs to
 * @load_id: out: that epoch's, see &struct kuid_status.load_id
 * @max_ahead_ns: out: how far the time in an ID may be ahead of the lane's
 *	clock, as in &struct kuid_query
 * @step_limit_ns: out: how far in total the wall clock may be set back before
 *	the lane must not be used any more; until then its clock goes on at half
 *	speed. No ID is ahead of the wall clock by more than the sum of both
 * @random: out: random bits that a twin of the machine does not get. Until the
 *	kernel learns of a clone, twins draw the same bits from its random
 *	generator, so mix these into a key that is drawn for the lane
 * @reserved: must be zero
 *
 * A private lane is a node and strictly increasing times, from which a process
 * makes v1, v6 and v7 in its own memory. The kernel keeps no record of it, and
 * nothing is given back. The IDs are not counted. A v7 has no node, so the
 * process makes it unique by random bits, or by a hash of the time under a
 * random key.
 *
 * An ID of the lane may be used if &struct kuid_page.generation is the lane's
 * at some moment after the ID was made. Read it after the clock and the ID,
 * with acquire semantics. If it is another one, drop the ID and get another
 * lane. A child that was forked must not use the lane of its parent, also not
 * in a call that the fork has interrupted.
 *
 * EAGAIN, also without O_NONBLOCK: the kernel's random generator is not ready,
 * or the machine may be a clone and the next epoch has not begun yet.
 * EOPNOTSUPP: the node was given; or the caller is a 32-bit program on a 64-bit
 * kernel. ENOSPC: all 2^47 nodes of the epoch were handed out.
 */
struct kuid_private_lane {
	__u32 flags;
	__u32 reserved0;
	__u64 node;
	__u64 generation;
	__u64 epoch;
	__u64 load_id;
	__u64 max_ahead_ns;
	__u64 step_limit_ns;
	__u64 random;
	__u64 reserved[8];
};

/*
 * The page: mmap() of any device file, with KUID_PAGE_SIZE, PROT_READ,
 * MAP_SHARED and KUID_PAGE_OFFSET, shows struct kuid_page. It can't be mapped
 * in any other way: EACCES if it is to be writable or executable, also later by
 * mprotect(), otherwise EINVAL. It stays mapped in children and after the file
 * is closed. While it is mapped, the module can't be unloaded.
 */
#define KUID_PAGE_OFFSET  0
#define KUID_PAGE_SIZE	  4096
#define KUID_PAGE_VERSION 1

/**
 * struct kuid_page - the page that processes with private lanes map
 * @version: KUID_PAGE_VERSION; a program must not use private lanes if it does
 *	not know the version
 * @size: size of this struct in the kernel, in bytes; a later kernel may append
 *	fields. The rest of the page is zero
 * @generation: a lane may be used only while this is the lane's generation. It
 *	changes when the epoch is closed, because the machine was cloned,
 *	restored or is about to hibernate, or because the identity changes. It
 *	changes again when the next epoch begins. Never 0. Read it as one 64-bit
 *	word
 * @reserved: zero
 */
struct kuid_page {
	__u32 version;
	__u32 size;
	__u64 generation;
	__u64 reserved[6];
};

/*
 * State: keeps slot formats, and v1 and v6 with a given node, from repeating
 * IDs after a reboot or reload. These formats have only their time to tell one
 * load from the next, and the clock may be behind after a reboot. So a program
 * saves a ceiling, a time ahead of all IDs, to stable storage and then tells
 * the kernel: that is the cover. After the next boot another cover begins with
 * that ceiling as its floor; no ID is made below the floor.
 *
 * With the module parameter state=required these formats, and also v7 with a
 * given node, wait until a cover has begun, and never pass its ceiling. A call
 * that has waited for 30 s fails with ENODATA. A call that may not wait fails
 * with EAGAIN, and after 30 s without a cover or at its ceiling with ENODATA.
 * With state=off, the default, these formats work at once, and the status says
 * that they are not reboot-safe.
 */

/*
 * Where a part of the identity comes from: the node, the worker, or snowflake's
 * worker; 0 leaves it as it is. A node of a network interface counts as given.
 * A worker from the host name is salted in a machine that may be a clone.
 *
 * Snowflake's worker has 10 bits, too few to be random or made from a name. If
 * it was not given, the worker serves, if that was given and is not above
 * KUID_SNOWFLAKE_WORKER_MAX. Otherwise there is none, and calls for snowflake
 * fail with ENOKEY.
 */
#define KUID_FROM_GIVEN	 1 /* the request or the module parameter */
#define KUID_FROM_RANDOM 2 /* the kernel's random generator */
#define KUID_FROM_MAC	 3 /* node: the first suitable network interface */
#define KUID_FROM_HOST	 4 /* worker: the host name */
#define KUID_FROM_WORKER 5 /* snowflake's worker: the worker */
#define KUID_FROM_CLAIM	 6 /* a claim, see struct kuid_claim; never requested */

/* kuid_state.claim_dead: why the claim has ended. */
#define KUID_CLAIM_DEAD_ENDED  1 /* KUID_CLAIM_END */
#define KUID_CLAIM_DEAD_FORKED 2 /* the machine may be a clone */

/* kuid_state.snowflake_worker: snowflake has no worker. */
#define KUID_SNOWFLAKE_NO_WORKER 0xffffffffU

/**
 * struct kuid_state - identity and times that a program saves
 * @flags: in: must be zero
 * @required: out: 1 if the module was loaded with state=required
 * @interval: out: I of k96 and k128
 * @claim_dead: out: KUID_CLAIM_DEAD_*: the claim has ended for good, and no IDs
 *	that show a claimed number are made until numbers are claimed again; 0
 *	if it lives or nothing is claimed
 * @wall_ns: out: the wall clock; all times here are nanoseconds since 1970
 * @slot_ns: out: all IDs of slot formats since they last went back
 *	(KUID_COVER_BACK) are below this time
 * @stamp_ns: out: all IDs of stamp formats with a given node are below this
 *	time, which is not below @floor_ns
 * @floor_ns: out: the floor of the cover; 0 if there is none
 * @ceiling_ns: out: the ceiling of the cover; 0 if there is none
 * @node_from: out: KUID_FROM_*
 * @worker_from: out: KUID_FROM_*
 * @node: out: the node of v1 and v6, 48 bits
 * @worker: out: the worker of lex; the node of k128 is the same, that of k96 is
 *	its high half xor its low half
 * @snowflake_from: out: KUID_FROM_GIVEN, _WORKER or _CLAIM
 * @snowflake_worker: out: the worker of snowflake, or KUID_SNOWFLAKE_NO_WORKER
 * @snowflake_epoch_ms: out: what snowflake's milliseconds count from, in
 *	milliseconds since 1970; never changes while the module is loaded
 * @claim_ceiling_ns: out: the ceiling of the claim; if the claim was ended, all
 *	IDs that show its numbers are below this time; 0 if nothing is claimed
 * @epoch: out: &struct kuid_status.epoch
 * @load_id: out: &struct kuid_status.load_id
 * @claim_floor_ns: out: the floor of the claim
 * @claim_token: out: the token of the claim; zero if nothing is claimed. It is
 *	no secret
 * @again_from_ns: out: the first time of which IDs may be made again, or 0 if
 *	that is not known
 * @again_until_ns: out: all such times are below this one; 0 if there are none
 * @cover_load_id: out: with @cover_epoch the name of the cover
 * @cover_epoch: out: 0 if no cover has begun since the module was loaded
 * @clock_ns: out: the clock of the slot formats, or with a given node that of
 *	the stamp formats if it is ahead. While it runs at half speed it is above
 *	@wall_ns, and it passes @slot_ns and @stamp_ns while no IDs are made
 * @reserved: must be zero
 *
 * The claimed numbers are @worker and @snowflake_worker if @worker_from and
 * @snowflake_from are KUID_FROM_CLAIM. All of one answer are of one moment.
 *
 * Needs no capability. EAGAIN: there is no epoch yet, because the kernel's
 * random generator is not ready.
 */
struct kuid_state {
	__u32 flags;
	__u32 required;
	__u32 interval;
	__u32 claim_dead;
	__u64 wall_ns;
	__u64 slot_ns;
	__u64 stamp_ns;
	__u64 floor_ns;
	__u64 ceiling_ns;
	__u32 node_from;
	__u32 worker_from;
	__u64 node;
	__u64 worker;
	__u32 snowflake_from;
	__u32 snowflake_worker;
	__u64 snowflake_epoch_ms;
	__u64 claim_ceiling_ns;
	__u64 epoch;
	__u64 load_id;
	__u64 claim_floor_ns;
	__u64 claim_token[2];
	__u64 again_from_ns;
	__u64 again_until_ns;
	__u64 cover_load_id;
	__u64 cover_epoch;
	__u64 clock_ns;
	__u64 reserved[9];
};

/*
 * The highest floor and ceiling, in the year 2232: Linux does not let anyone
 * set its clock to this time or beyond.
 */
#define KUID_TIME_MAX_NS 8277292036000000000ULL

/* kuid_cover.flags */
#define KUID_COVER_BEGIN 0x1 /* begin a cover at the floor */
#define KUID_COVER_BACK	 0x2 /* with BEGIN: go back to the floor or the clock */

/**
 * struct kuid_cover - begin a cover of stable storage, or raise its ceiling
 * @floor_ns: in: with KUID_COVER_BEGIN the ceiling that was saved before the
 *	reboot, or 0 if no ID was ever made here; otherwise zero
 * @ceiling_ns: in: stable storage covers all times below this one. Above
 *	@floor_ns, and not above KUID_TIME_MAX_NS. It may be lower than the last
 *	ceiling. EINVAL if a time at or above it was used for a slot, or for a
 *	stamp with a given node; so &struct kuid_state.slot_ns and stamp_ns are
 *	high enough. The next IDs have the time clock_ns, or more
 * @again_from_ns: in: with KUID_COVER_BEGIN the first time of which IDs were
 *	made and may be made again; 0 if that is not known
 * @again_until_ns: in: with KUID_COVER_BEGIN all such times are below this one;
 *	0 if there are none
 * @flags: in: KUID_COVER_*, or zero to set only the ceiling
 * @reserved0: must be zero
 * @epoch: in: with @load_id the name of the cover that is raised or replaced; 0
 *	if none has begun. Out: with KUID_COVER_BEGIN the number of the epoch
 *	that begins, which names the new cover
 * @load_id: in and out: that epoch's, see &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * With KUID_COVER_BEGIN, formats that could repeat IDs hand out none below the
 * floor from now on, and an epoch begins. A floor below the last one, or below
 * what was handed out, has no effect. If the wall clock is behind the floor,
 * clocks go on from the floor at half speed until the wall clock has caught up.
 *
 * With KUID_COVER_BACK, they go back to the wall clock, or to the floor if that
 * is higher. The times above it that they have used may come again, and the
 * status says so while they do. Save &struct kuid_state.again_from_ns and
 * again_until_ns, and begin with them after a reboot: the status says so then,
 * too.
 *
 * A program that saves a ceiling keeps the name with it. So it knows whether
 * what it has saved is of this load, and two programs with two files can't take
 * turns.
 *
 * Needs CAP_SYS_TIME, or fails with EPERM. All capabilities here are looked for
 * in the initial user namespace. ENODATA: the ceiling is to be set, and no
 * cover has begun. ESTALE: the cover has another name. EBUSY: KUID_COVER_BACK
 * while a number is claimed. EAGAIN as for &struct kuid_state. ENOMEM: nothing
 * was changed.
 */
struct kuid_cover {
	__u64 floor_ns;
	__u64 ceiling_ns;
	__u64 again_from_ns;
	__u64 again_until_ns;
	__u32 flags;
	__u32 reserved0;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[1];
};

/*
 * I, the interval of k96 and k128: the module parameter interval. It never
 * changes while the module is loaded: IDs with different I may be equal
 * although their times and nodes differ.
 */
#define KUID_INTERVAL_MIN     5
#define KUID_INTERVAL_MAX     10
#define KUID_INTERVAL_DEFAULT 8

/* kuid_set_identity.flags: no other machine has the given node or worker. */
#define KUID_IDENTITY_CONFIRM 0x1

/**
 * struct kuid_set_identity - change the identity, or begin a new epoch
 * @flags: in: KUID_IDENTITY_CONFIRM or zero; a part that this request changes
 *	needs no confirmation
 * @reserved0: must be zero
 * @node_from: in: 0, KUID_FROM_GIVEN, _RANDOM or _MAC
 * @worker_from: in: 0, KUID_FROM_GIVEN, _RANDOM or _HOST
 * @node: in: 48 bits; zero unless @node_from is KUID_FROM_GIVEN
 * @worker: in: zero unless @worker_from is KUID_FROM_GIVEN
 * @snowflake_from: in: 0, KUID_FROM_GIVEN or _WORKER
 * @snowflake_worker: in: up to KUID_SNOWFLAKE_WORKER_MAX; zero unless
 *	@snowflake_from is KUID_FROM_GIVEN
 * @epoch: out: number of the new epoch
 * @load_id: out: that epoch's, see &struct kuid_status.load_id
 * @reserved: must be zero
 *
 * Needs CAP_SYS_ADMIN, or fails with EPERM. EBUSY: a part that this request
 * sets is claimed; or the given node has the multicast bit, and a private lane
 * got a node since the module was loaded, so it may be the same. ENODEV: no
 * network interface has a permanent address. EAGAIN as for &struct kuid_state.
 * ENOMEM: nothing was changed.
 */
struct kuid_set_identity {
	__u32 flags;
	__u32 reserved0;
	__u32 node_from;
	__u32 worker_from;
	__u64 node;
	__u64 worker;
	__u32 snowflake_from;
	__u32 snowflake_worker;
	__u64 epoch;
	__u64 load_id;
	__u64 reserved[9];
};

/*
 * Claims: numbers that a program has taken from a store that all hosts share,
 * so that no two hosts have one at the same time. The store holds a ceiling for
 * each number: its owner makes no ID with the number at or above that time, and
 * the next owner makes none below it. So the numbers are told apart by the
 * ceiling alone, and no pause or clock of an owner matters.
 *
 * A claim has a token, which its owner draws, and belongs to a load_id. All
 * that changes or replaces a claim names both. So a request that comes late, or
 * from a clone of the machine, does not reach the claim of somebody else.
 *
 * A claim that was ended, or that a clone of the machine may have, is dead for
 * good: no IDs that show its numbers are made any more. It is still there until
 * it is replaced or dropped.
 */

/* kuid_claim.parts: what the numbers are for. */
#define KUID_CLAIM_WORKER    0x1 /* the worker of lex, k96 and k128 */
#define KUID_CLAIM_SNOWFLAKE 0x2 /* the worker of snowflake */

/**
 * struct kuid_claim - use numbers that were claimed from a store
 * @parts: in: KUID_CLAIM_*; 0 drops the claim, and all in fields but @replaces
 *	and @load_id must be zero then
 * @snowflake_worker: in: up to KUID_SNOWFLAKE_WORKER_MAX; zero without
 *	KUID_CLAIM_SNOWFLAKE
 * @worker: in: zero without KUID_CLAIM_WORKER
 * @floor_ns: in: slot formats make no ID below this time from now on; 0 if
 *	nobody had the numbers before
 * @ceiling_ns: in: formats that show a claimed number make no ID at or above
 *	this time; above @floor_ns, and not above KUID_TIME_MAX_NS
 * @token: in: 128 bits that the caller has drawn for this claim, not all zero;
 *	EINVAL if they are those of the claim that it replaces
 * @replaces: in: the token of the living claim, which is replaced or dropped;
 *	zero if none lives
 * @load_id: in: &struct kuid_state.load_id, read before the store was asked
 * @snowflake_epoch_ms: in: &struct kuid_state.snowflake_epoch_ms, as the store
 *	has recorded it for the numbers
 * @interval: in: &struct kuid_state.interval, as the store has recorded it
 * @reserved0: must be zero
 * @epoch: out: number of the epoch that begins with it; its load_id is @load_id
 * @reserved: must be zero
 *
 * There is one claim at a time: this one replaces the last one. A part that
 * only the last one has named comes from where it comes by default: the worker
 * from the host name, snowflake's worker from the worker. If snowflake's worker
 * is a worker that is claimed, it is claimed, too.
 *
 * The ceiling is another one than that of struct kuid_cover. Both hold,
 * this one whatever the module parameter state= says: formats that show a
 * claimed number fail with EKEYEXPIRED from max_ahead_ns before it on, also if
 * the call may wait. All other formats go on.
 *
 * While there is a claim, KUID_COVER_BACK fails with EBUSY, and so does
 * KUID_IOC_SET_IDENTITY for a claimed part. If the machine may be a clone,
 * formats that show a claimed number fail with ESTALE until numbers are claimed
 * again, the same or others. KUID_IDENTITY_CONFIRM does not change that.
 *
 * Needs CAP_SYS_ADMIN, or fails with EPERM. EBUSY: a claim lives, and @replaces
 * is zero. ESTALE: the claim that @replaces names does not live, or @load_id is
 * another one; every load_id is, from the moment that the machine may be a
 * clone until the next epoch has begun. EINVAL also if @interval or
 * @snowflake_epoch_ms are others than those of this load. EAGAIN as for &struct
 * kuid_state. ENOMEM: nothing was changed.
 */
struct kuid_claim {
	__u32 parts;
	__u32 snowflake_worker;
	__u64 worker;
	__u64 floor_ns;
	__u64 ceiling_ns;
	__u64 token[2];
	__u64 replaces[2];
	__u64 load_id;
	__u64 snowflake_epoch_ms;
	__u32 interval;
	__u32 reserved0;
	__u64 epoch;
	__u64 reserved[4];
};

/* kuid_claim_ceiling.flags: make no more IDs that show a claimed number. */
#define KUID_CLAIM_END 0x1

/**
 * struct kuid_claim_ceiling - change the ceiling of the claim, or end it
 * @ceiling_ns: in: the new ceiling; not above KUID_TIME_MAX_NS; zero with
 *	KUID_CLAIM_END. out: the ceiling. With KUID_CLAIM_END, all IDs that show
 *	a claimed number are below it
 * @flags: in: KUID_CLAIM_END or zero
 * @reserved0: must be zero
 * @load_id: in: &struct kuid_claim.load_id of the claim
 * @token: in: &struct kuid_claim.token of the claim
 * @reserved: must be zero
 *
 * No epoch begins. The ceiling may become lower, but not lower than an ID that
 * was made. KUID_CLAIM_END ends the claim for good: formats that show a claimed
 * number fail with EKEYEXPIRED until numbers are claimed again. If the claim
 * was ended before, KUID_CLAIM_END returns the same time again.
 *
 * Needs CAP_SYS_TIME, or fails with EPERM. EINVAL also if the ceiling is too
 * low. ESTALE: there is no living claim with this load_id and token. EAGAIN as
 * for &struct kuid_state.
 */
struct kuid_claim_ceiling {
	__u64 ceiling_ns;
	__u32 flags;
	__u32 reserved0;
	__u64 load_id;
	__u64 token[2];
	__u64 reserved[3];
};

/*
 * kuid uses the numbers 0x00 to 0x2F of this magic. Commands from 0x20 on are
 * for administrators, except that KUID_IOC_GET_STATE needs no capability.
 */
#define KUID_IOC_MAGIC	    0xE9
#define KUID_IOC_QUERY	    _IOWR(KUID_IOC_MAGIC, 0x00, struct kuid_query)
#define KUID_IOC_GENERATE   _IOWR(KUID_IOC_MAGIC, 0x01, struct kuid_generate)
#define KUID_IOC_SET_FORMAT _IOW(KUID_IOC_MAGIC, 0x02, struct kuid_set_format)
#define KUID_IOC_STATUS	    _IOWR(KUID_IOC_MAGIC, 0x03, struct kuid_status)

#define KUID_IOC_PRIVATE_LANE \
	_IOWR(KUID_IOC_MAGIC, 0x04, struct kuid_private_lane)

#define KUID_IOC_GET_STATE _IOWR(KUID_IOC_MAGIC, 0x20, struct kuid_state)
#define KUID_IOC_COVER	   _IOWR(KUID_IOC_MAGIC, 0x21, struct kuid_cover)
#define KUID_IOC_SET_IDENTITY \
	_IOWR(KUID_IOC_MAGIC, 0x22, struct kuid_set_identity)
#define KUID_IOC_CLAIM _IOWR(KUID_IOC_MAGIC, 0x23, struct kuid_claim)
#define KUID_IOC_CLAIM_CEILING \
	_IOWR(KUID_IOC_MAGIC, 0x24, struct kuid_claim_ceiling)

#endif /* _UAPI_LINUX_KUID_H */
