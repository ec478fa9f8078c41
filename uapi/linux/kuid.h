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
 * same open file.
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
 * read of the same file gives: KUID_ORDER_FILE.
 *
 * KUID_ORDER_FILE: of two IDs from one open file, if the call that made the
 * one returned before the call that made the other began, the one is smaller;
 * whichever CPU, thread or process made the calls. For v1 "smaller" means
 * compared as (60-bit time, clock_seq), for the others as bytes.
 */
#define KUID_ORDER_DEFAULT 0
#define KUID_ORDER_FILE	   2

/**
 * struct kuid_query - what this kernel makes, and within which limits
 * @format: in: KUID_FORMAT_*; out: the format answered for, never 0
 * @flags: in: must be zero
 * @formats: out: bit n is set if format n can be generated
 * @orders: out: bit n is set if order n can be asked for
 * @id_size: out: bytes of one ID of @format
 * @text_size: out: characters of its canonical text, without an end of line
 * @batch_max: out: the highest &struct kuid_generate.count for @format
 * @clock_resolution_ns: out: how far apart two readings of the system's clock
 *	can be told, in nanoseconds, at least 1; a coarse clock makes the time
 *	in an ID coarse, not the IDs fewer
 * @rate_max: out: how many IDs of @format there are in a second: to each CPU
 *	for v1, v6 and v7 (beyond 126 CPUs they share), to the whole host for
 *	the others
 * @max_ahead_ns: out: how far the time in an ID may be ahead of the clock, in
 *	nanoseconds; a batch may use half of it; a call that would pass it waits
 *	until it need not, or fails with EAGAIN if the file is O_NONBLOCK
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
	__u64 reserved[9];
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
 * @reserved: must be zero
 *
 * The IDs of one call increase in the order they lie in memory. The call is
 * cut short, with success and @done < @count, where a signal is pending, a
 * byte of @buffer can't be written, or a file that is O_NONBLOCK would have to
 * wait; bytes behind the first @done IDs may then have been written too and
 * mean nothing. If that comes before the first ID the call fails with EINTR,
 * EFAULT or EAGAIN. IDs lost to a fault are lost: they are never handed out
 * again.
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
	__u64 reserved[3];
};

/**
 * struct kuid_set_format - choose what a file gives
 * @format: in: KUID_FORMAT_*; KUID_FORMAT_DEFAULT leaves it as it is
 * @order: in: KUID_ORDER_*; KUID_ORDER_DEFAULT leaves it as it is
 * @reserved: must be zero
 *
 * Possible until an ID has been asked for from the open file, in whatever way,
 * even if none came; EBUSY from then on, for all who share the file. A file
 * that gives text goes on to give text.
 */
struct kuid_set_format {
	__u32 format;
	__u32 order;
	__u64 reserved[3];
};

#define KUID_IOC_MAGIC	    0xE9
#define KUID_IOC_QUERY	    _IOWR(KUID_IOC_MAGIC, 0x00, struct kuid_query)
#define KUID_IOC_GENERATE   _IOWR(KUID_IOC_MAGIC, 0x01, struct kuid_generate)
#define KUID_IOC_SET_FORMAT _IOW(KUID_IOC_MAGIC, 0x02, struct kuid_set_format)

#endif /* _UAPI_LINUX_KUID_H */
