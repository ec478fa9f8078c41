/* SPDX-License-Identifier: MIT */
/*
 * libkuid: time-ordered unique IDs from /dev/kuid.
 *
 * Errors: a function that fails returns -1 or NULL, or 0 where it returns a
 * size_t, and sets errno. Each function lists the errnos that are its own; it
 * passes on others from the system. A function that fails has not written to
 * the caller's memory, unless it says otherwise.
 *
 * Threads: all functions but kuid_close() may be called on one handle by any
 * number of threads at once. kuid_close() must be the last call on a handle in
 * its process. Only kuid_open(), kuid_open_flags() and kuid_close() allocate or
 * free memory. No function waits for another thread, except that a call on a
 * handle with a lane (KUID_PRIVATE or KUID_LOCAL) may wait for a moment while
 * another one changes the lane. Functions without a handle depend on their
 * arguments alone, and need no device, except for kuid_now().
 *
 * Fork: a child may use a handle as it is, however the child was made, and also
 * in a call that the fork has interrupted. All processes that share a handle of
 * the device share one order of IDs. A child with a handle that has a lane gets
 * another lane at its first call, and so begins an order of its own.
 *
 * Signals: all functions but kuid_open(), kuid_open_flags() and kuid_close()
 * may be called in signal handlers. A handler that interrupts a call must
 * return to it, and not jump elsewhere.
 *
 * Cancellation: only kuid_one(), kuid_many() and kuid_make() are cancellation
 * points, with a lane only while they wait or the device makes the IDs. A
 * thread that is cancelled there loses the IDs that it asked for, and nothing
 * else. Asynchronous cancellation is not allowed.
 *
 * IDs are bytes, as the device gives them, at addresses of any alignment. The
 * IDs in and out of one call may be the same memory, but may not overlap
 * otherwise.
 */
#ifndef KUID_H
#define KUID_H

#include <kuid/uapi.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with everything else hidden. */
#pragma GCC visibility push(default)

/* <time.h> of strict C99 does not define it. */
struct timespec;

/*
 * The version of this header, and of the library that the program runs with:
 * at least that of the header, if the loader found all functions.
 */
#define KUID_VERSION_MAJOR 0
#define KUID_VERSION_MINOR 1
#define KUID_VERSION_PATCH 0
#define KUID_VERSION_CODE(major, minor, patch) \
	((major) << 16 | (minor) << 8 | (patch))

/* KUID_VERSION_CODE() of the library. */
unsigned int kuid_version(void);

/*
 * What helps against an error of a function that opens a handle or makes IDs: a
 * sentence in English for the errno, or NULL if there is nothing to add to
 * strerror().
 */
const char *kuid_error_advice(int error);

/* Bytes of the longest ID, and of the longest text of one with its NUL. */
#define KUID_ID_MAX   16
#define KUID_TEXT_MAX 46

/*
 * A format is one of KUID_FORMAT_*; KUID_FORMAT_DEFAULT is KUID_FORMAT_V1. One
 * more is known to the functions that make no IDs, for UUIDs from elsewhere:
 */
#define KUID_ANY_UUID 0x10000 /* 16 bytes, whatever their version */

/*
 * The name of a format, or "uuid" for KUID_ANY_UUID. The formats are numbered
 * from 1 without a gap, so a program can list all that its library knows:
 *
 *	for (format = 1; (name = kuid_format_name(format)); format++)
 *		puts(name);
 *
 * EINVAL: unknown format.
 */
const char *kuid_format_name(unsigned int format);

/*
 * The number of the format of this name.
 *
 * EINVAL: there is none.
 */
int kuid_format_number(const char *name);

/*
 * How an ID can be written. Canonical text is 8-4-4-4-12 hexadecimal digits
 * for UUIDs, 8-4-4-16 for lex, sortable base 64 for k64, k96 and k128, and a
 * decimal number for snowflake. All hexadecimal digits are written in lower
 * case, but for ColdFusion's.
 *
 * Decimal text is the ID as one big-endian number, as a database shows it that
 * keeps IDs as integers. A ULID has the 128 bits of the ID in Crockford's base
 * 32, upper case; other ULIDs don't have the version and variant of v7.
 */
#define KUID_FORM_CANONICAL  0
#define KUID_FORM_COLDFUSION 1 /* of UUIDs: 8-4-4-16 digits, upper case */
#define KUID_FORM_HEX	     2 /* two digits a byte, nothing else */
#define KUID_FORM_DECIMAL    3 /* of 8-byte IDs: no leading zeros, no sign */
#define KUID_FORM_ULID	     4 /* of v7: 26 digits */
#define KUID_FORM_BRACES     5 /* of UUIDs: the canonical text in {} */
#define KUID_FORM_URN	     6 /* of UUIDs: urn:uuid: and the canonical text */

/*
 * Bytes of an ID of a format; and characters of the longest text of one in a
 * form, without the NUL. All texts of a format in one form are that long, but
 * for decimal ones; those of a later format may be shorter.
 *
 * EINVAL: unknown format or form, or the format has no such form.
 */
size_t kuid_format_id_size(unsigned int format);
size_t kuid_format_text_size(unsigned int format, unsigned int form);

/*
 * The path of the device file that kuid_open() opens for a format.
 *
 * EINVAL: unknown format, or KUID_ANY_UUID.
 */
const char *kuid_format_device(unsigned int format);

/*
 * Sources of IDs. Formats with the same source have the same clock and limits,
 * and share fields of struct kuid_status.
 */
#define KUID_MADE_FROM_STAMPS	 1 /* stamp_lag_ns, stamp_ahead_ns */
#define KUID_MADE_FROM_LEX	 2 /* slot_lag_ns, lex_ahead_ns */
#define KUID_MADE_FROM_GRID	 3 /* slot_lag_ns, grid_ahead_ns */
#define KUID_MADE_FROM_SNOWFLAKE 4 /* slot_lag_ns, snowflake_ahead_ns */

/*
 * The source of the IDs of a format: KUID_MADE_FROM_*.
 *
 * EINVAL: unknown format, or KUID_ANY_UUID.
 */
int kuid_format_made_from(unsigned int format);

/* A part of the identity (struct kuid_state) that IDs show. */
#define KUID_SHOWS_NODE	     1
#define KUID_SHOWS_WORKER    2
#define KUID_SHOWS_SNOWFLAKE 3 /* the worker of snowflake */

/*
 * The part of the identity that the IDs of a format show: KUID_SHOWS_*, or 0 if
 * they show none. If that part was given, and the machine may be a clone, no
 * IDs of the format are made (ESTALE) until it is confirmed or changed. Without
 * a worker of snowflake there are no snowflakes (ENOKEY).
 *
 * EINVAL: unknown format, or KUID_ANY_UUID.
 */
int kuid_format_shows(unsigned int format);

/* A handle of IDs of one format. */
struct kuid;

/*
 * Open the handle of IDs of a format.
 *
 * EINVAL: unknown format, or KUID_ANY_UUID.
 * ENODEV: there is no device for it: the module is not loaded, or does not
 * make it, or the device file is another file.
 */
struct kuid *kuid_open(unsigned int format);

/*
 * A handle may have a private lane: the process makes IDs of v1, v6 and v7 in
 * its own memory, by the same code and clock rules as the kernel, without a
 * system call. A lane is a node that nobody else has, and times that increase.
 * All threads that use the handle share its lane; a handle for each thread
 * saves them from waiting for one another's cache line.
 *
 * KUID_PRIVATE: the device's kernel hands out the node and tells when the lane
 * is over: when the virtual machine was cloned or restored, resumes from
 * hibernation, or the identity is changed. Then, after a fork, and if the clock
 * was set back by more than kuid_private_lane.step_limit_ns, the next call gets
 * another lane. If an administrator gives a node meanwhile, or the kernel can
 * hand out no node at present, the device makes the IDs. Each of these begins a
 * new epoch of the handle: kuid_handle_status.epoch numbers them, and order is
 * promised within an epoch only. kuid_read_status() does not count the IDs.
 * While the handle is open, the module can't be unloaded.
 *
 * KUID_LOCAL: needs no device; the process draws the node, so only 47 random
 * bits of the node, or in v7 54 bits below the nanosecond, tell the IDs of one
 * process from those of others and of the kernel. If the virtual machine is
 * copied, the copies repeat each other's IDs.
 *
 * In both cases a v7 has a keyed hash of its time and of the lane's own random
 * key in place of random bits; copies of a process other than by a fork, as by
 * a snapshot of the process, repeat each other's IDs. Callers don't wait in
 * turn. Memory that can't be written is a SIGSEGV, not EFAULT. A wait ends with
 * EINTR after any signal handler, SA_RESTART or not. kuid_many() may write IDs
 * to the caller's memory and then replace them, or fail.
 *
 * kuid_read_handle_status() tells where the IDs of a handle are made.
 */
#define KUID_LOCAL    0x1 /* a lane of this process alone, device or not */
#define KUID_OR_LOCAL 0x2 /* that where kuid_open() fails with ENODEV */
#define KUID_PRIVATE  0x4 /* a lane that the kernel guards */

/*
 * Open the handle of IDs of a format: with no flags as kuid_open(), else with
 * one of the above, or KUID_PRIVATE | KUID_OR_LOCAL.
 *
 * EINVAL: as for kuid_open(); or unknown flags, or KUID_LOCAL and another one.
 * ENODEV: without KUID_LOCAL, as for kuid_open(); with KUID_OR_LOCAL only where
 * KUID_LOCAL would be EOPNOTSUPP.
 * EOPNOTSUPP: KUID_LOCAL or KUID_PRIVATE, and the format is not v1, v6 or v7,
 * or this is a program of 32 bits, or the kernel can't wipe memory in children
 * (Linux can since 4.14). Also KUID_PRIVATE, and the node was given.
 * ENOTTY, EPROTONOSUPPORT: KUID_PRIVATE, and the module is older than the
 * library, or newer in a way that the library can't use.
 * EINTR: a signal came while it waited for the kernel's random generator.
 */
struct kuid *kuid_open_flags(unsigned int format, unsigned int flags);

/*
 * Close a handle; NULL is allowed. errno is left alone. If the program closed
 * the handle's file itself, and its number is now that of another file, that
 * file stays open: device and inode are compared with those at open.
 */
void kuid_close(struct kuid *handle);

/* Bytes of one ID of this handle. */
size_t kuid_id_size(const struct kuid *handle);

/*
 * The open file of a handle: for poll(), to make it non-blocking by fcntl(), so
 * that kuid_one() and kuid_many() fail with EAGAIN rather than wait, and for
 * the requests of kuid/uapi.h. It stays the handle's, and must not be closed.
 *
 * With a private lane it is non-blocking, too, if the file is. poll() tells of
 * the device, not of the lane.
 *
 * -1 and EOPNOTSUPP: the handle is local, and has none.
 */
int kuid_fd(const struct kuid *handle);

/*
 * Make one ID into the memory at id, kuid_id_size() bytes. In the default order
 * the ID is greater than all IDs of this handle and epoch from calls that
 * returned before; kuid_set_order() can choose another order.
 *
 * Returns 0.
 * EFAULT: the memory at id can't be written.
 * EINTR: a signal came while it waited: for the kernel's random generator,
 * because IDs had run as far ahead of the clock as they may, or for an
 * administrator where state is required.
 * ENODATA: state is required, and in 30 seconds no cover has begun, or its
 * ceiling was not above the time of IDs. With a file that is non-blocking that
 * is EAGAIN until it has been so for 30 seconds.
 * ENOKEY: snowflake has no worker: an administrator must give it one, with
 * "kuid node --snowflake NUMBER" or kuid-claim(8).
 * EKEYEXPIRED: IDs of the format show a claimed number, and the time has come
 * to the ceiling of the claim.
 * EOVERFLOW: 41 bits can't hold snowflake's time; or the handle has a lane, and
 * the process is shown a time before 1970 or after 2232, as by libfaketime.
 */
int kuid_one(struct kuid *handle, void *id);

/*
 * Make count IDs into the memory at ids, count * kuid_id_size() bytes. In the
 * default order they increase, and are greater than all IDs of their epoch made
 * before, as with kuid_one().
 *
 * Returns how many were made: count, or fewer if an error came after the first
 * of them, such as a signal during a wait. Other signals do not cut it short.
 * Other errors: as for kuid_one(), before the first ID.
 */
ssize_t kuid_many(struct kuid *handle, void *ids, size_t count);

/* Flag of kuid_make(): fail with EAGAIN, or return fewer, rather than wait. */
#define KUID_NOWAIT 0x1

/*
 * As kuid_many(), in a format, an order and a way of waiting of the call's own,
 * so that one handle of the device serves all of them, also after its program
 * has lost the directory with the device files, as by chroot().
 * KUID_FORMAT_DEFAULT and KUID_ORDER_DEFAULT are the handle's. flags is 0 or
 * KUID_NOWAIT. The size of an ID is kuid_format_id_size(). A handle with a lane
 * makes v1, v6 and v7, in the default order, which is KUID_ORDER_FILE.
 *
 * Returns as kuid_many().
 * EINVAL: unknown format, order or flags, or the module does not make it.
 * EOPNOTSUPP: the handle has a lane, which does not make this format or order.
 * EAGAIN: KUID_NOWAIT, and there is no ID now.
 * Other errors: as for kuid_one().
 */
ssize_t kuid_make(struct kuid *handle, unsigned int format, unsigned int order,
		  unsigned int flags, void *ids, size_t count);

/*
 * Choose the order that the IDs of a handle come in, one of KUID_ORDER_*;
 * KUID_ORDER_DEFAULT leaves it as it is. Possible until an ID has been asked
 * for from the handle, by any thread or process that shares it.
 *
 * Returns 0.
 * EINVAL: unknown order.
 * EBUSY: an ID was asked for already.
 * EOPNOTSUPP: the handle has a lane.
 */
int kuid_set_order(struct kuid *handle, unsigned int order);

/*
 * Read the limits within which the kernel makes IDs of a format, which need not
 * be that of the handle. KUID_FORMAT_DEFAULT is the handle's. The struct is
 * that of kuid/uapi.h, which says what its fields mean. Any user may.
 *
 * Returns 0.
 * EINVAL: the kernel does not make this format.
 * EOPNOTSUPP: the handle is local.
 */
int kuid_read_limits(struct kuid *handle, unsigned int format,
		     struct kuid_query *limits);

/*
 * Make one ID of a format from the device into the memory at id, without a
 * handle: for programs that need one now and then. Nothing is kept from one
 * call to the next, neither memory nor an open file; to open the device each
 * time costs several times as much as kuid_one(). IDs of two calls are in no
 * order but that of the time in them.
 *
 * Returns 0.
 * EINVAL, ENODEV: as for kuid_open().
 * Other errors: as for kuid_one().
 */
int kuid_now(unsigned int format, void *id);

/*
 * For administrators. These functions take any handle, whatever its format:
 * they are about the one generator that all handles of the host share. The
 * structs are those of kuid/uapi.h, which says what their fields mean, but for
 * struct kuid_handle_status.
 *
 * kuid_read_handle_status() never fails. kuid_read_status() may fail with
 * ENOTTY: the module that is loaded is older than the function.
 *
 * Besides the errors that are listed with each of them, all other functions
 * that take a handle here may fail with
 * ENOTTY: as for kuid_read_status();
 * EOPNOTSUPP: the handle is local: its identity is random and can't be changed;
 * EAGAIN: the kernel's random generator is not ready: try again a few seconds
 * after boot.
 */

/*
 * Read which promises hold now, and counters since the module was loaded. Any
 * user may. For a local handle, the epoch is that of kuid_handle_status,
 * load_id is random for each lane, and all counters are 0.
 *
 * Returns 0.
 */
int kuid_read_status(struct kuid *handle, struct kuid_status *status);

/*
 * The device by which lanes see at once that the virtual machine was cloned.
 * The process must be able to read it when it opens the handle.
 */
#define KUID_VMCLOCK_DEVICE "/dev/vmclock0"

/*
 * Tell how lanes that this process opens notice that the virtual machine was
 * cloned or restored: KUID_CLONES_*, as kuid_status.clones says it of calls.
 * KUID_CLONES_SEEN is set if calls see it, and the process can read
 * KUID_VMCLOCK_DEVICE.
 */
uint32_t kuid_lane_clones(const struct kuid_status *status);

/* Where the IDs of a handle are made: kuid_handle_status.made_by. */
#define KUID_MADE_BY_KERNEL  1
#define KUID_MADE_BY_PROCESS 2 /* the handle is local */
#define KUID_MADE_BY_LANE    3 /* in this process, guarded by the kernel */

/*
 * The part of a handle's status that the kernel does not know.
 *
 * made_by: KUID_MADE_BY_*; a later library may have more of them
 * reserved0, reserved: 0
 * epoch: number of the handle's epoch: it begins at 1 and rises with each lane
 *	that the handle gets and each time that the device takes over. A child
 *	goes on with its parent's number. If it is the same before and after a
 *	call, the IDs of this call are from that epoch. 0 if the handle was
 *	opened without KUID_PRIVATE and is not local
 * lag_ns: how far the clock of the handle's lane leads the wall clock, because
 *	that was set back; 0 without a lane
 */
struct kuid_handle_status {
	uint32_t made_by;
	uint32_t reserved0;
	uint64_t epoch;
	uint64_t lag_ns;
	uint64_t reserved[5];
};

/*
 * Read where a handle's IDs are made.
 *
 * Returns 0; it has no errors.
 */
int kuid_read_handle_status(const struct kuid *handle,
			    struct kuid_handle_status *status);

/*
 * One reason in words, for one bit of kuid_status.reasons: a sentence in
 * English that says what is the matter, and some that say what to do. A bit
 * that is newer than the library has both, too. To have all of them, lowest bit
 * first:
 *
 *	for (reasons = status.reasons; reasons; reasons &= reasons - 1) {
 *		puts(kuid_reason_text(reasons & -reasons));
 *		puts(kuid_reason_advice(reasons & -reasons));
 *	}
 *
 * EINVAL: reason is not one bit.
 */
const char *kuid_reason_text(uint64_t reason);
const char *kuid_reason_advice(uint64_t reason);

/*
 * The name of a reason, as in /sys/class/kuid/kuid/status/reasons: lower-case
 * letters and underscores.
 *
 * EINVAL: reason is not one bit, or newer than the library.
 */
const char *kuid_reason_name(uint64_t reason);

/*
 * Read the identity that IDs carry, and the times that a ceiling is made from.
 * Any user may.
 *
 * Returns 0.
 */
int kuid_read_state(struct kuid *handle, struct kuid_state *state);

/*
 * Begin a cover, or set its ceiling: request, of which only the name, epoch and
 * load_id, is written. Store the ceiling before you raise it, and lower it
 * before you store a lower one. Needs CAP_SYS_TIME, in the initial user
 * namespace as all capabilities below.
 *
 * Returns 0.
 * EBUSY: KUID_COVER_BACK while a number is claimed.
 * EINVAL: request is not valid, or times at or above the ceiling were handed
 * out. ENODATA: the ceiling of a cover is to be set, and none has begun.
 * ENOMEM: nothing was changed. EPERM: no such capability. ESTALE: another cover
 * has begun than request names.
 */
int kuid_set_cover(struct kuid *handle, struct kuid_cover *request);

/*
 * Begin a new epoch with the changes that request asks for; a request of zeroes
 * changes nothing but the epoch. Only request->epoch is written: its number.
 * Needs CAP_SYS_ADMIN.
 *
 * Returns 0.
 * EBUSY: a part that the request sets is claimed, or a private lane may have
 * had the given node.
 * EINVAL: the request is invalid, as kuid/uapi.h says.
 * ENODEV: no network interface is suitable to take a node from.
 * ENOMEM: nothing was changed.
 * EPERM: no such capability.
 */
int kuid_change_identity(struct kuid *handle,
			 struct kuid_set_identity *request);

/*
 * Use numbers that were claimed from a store, up to the ceiling that the store
 * holds for them: request, of which only epoch is written. A new epoch begins.
 * Needs CAP_SYS_ADMIN.
 *
 * Returns 0.
 * EBUSY: a claim lives, and the request does not name it.
 * EINVAL: the request is invalid, as kuid/uapi.h says.
 * ENOMEM: nothing was changed.
 * EPERM: no such capability.
 * ESTALE: the load_id is another one, or the claim that is to be replaced does
 * not live. Read the state and ask the store again.
 */
int kuid_claim_numbers(struct kuid *handle, struct kuid_claim *request);

/*
 * Drop the claim: what it named comes from the host name again, or for
 * snowflake from the worker. load_id and token are those of the claim; the
 * token is zero if no claim lives. A new epoch begins, whose number is put into
 * epoch unless that is NULL. Needs CAP_SYS_ADMIN.
 *
 * Returns 0, also if nothing is claimed.
 * EBUSY, ENOMEM, EPERM, ESTALE: as for kuid_claim_numbers().
 */
int kuid_drop_claim(struct kuid *handle, uint64_t load_id, const __u64 token[2],
		    uint64_t *epoch);

/*
 * Set the ceiling of the claim that has this load_id and token, after the store
 * holds it. No epoch begins. Needs CAP_SYS_TIME.
 *
 * Returns 0.
 * EINVAL: IDs at or above it were made with the numbers, or it is 0 or above
 * KUID_TIME_MAX_NS, which no clock can have.
 * EPERM: no such capability.
 * ESTALE: no such claim lives: claim numbers again.
 */
int kuid_raise_claim(struct kuid *handle, uint64_t load_id,
		     const __u64 token[2], uint64_t ceiling_ns);

/*
 * Make no more IDs with the claimed numbers, to give them back: all IDs with
 * them are below the time that is put into end_ns, unless that is NULL. This
 * ends the claim for good. Needs CAP_SYS_TIME.
 *
 * Returns 0, also if it was ended before: the same end again.
 * EPERM, ESTALE: as for kuid_raise_claim().
 */
int kuid_end_claim(struct kuid *handle, uint64_t load_id, const __u64 token[2],
		   uint64_t *end_ns);

/*
 * Write the canonical text of an ID, or another form of it, and a NUL to the
 * size bytes at text; KUID_TEXT_MAX is enough for any. The bits are written as
 * they are: a version that is not the format's is not an error.
 *
 * Returns 0.
 * EINVAL: unknown format or form, or the format has no such form. A snowflake
 * whose first bit is set has no decimal text.
 * ERANGE: size is too small.
 */
int kuid_text(unsigned int format, const void *id, char *text, size_t size);
int kuid_text_form(unsigned int format, unsigned int form, const void *id,
		   char *text, size_t size);

/*
 * Write count IDs, which lie one behind the other, as lines of text: each in
 * one of KUID_FORM_*, with a newline and no NUL behind it. The size bytes at
 * text must be enough for count lines of kuid_format_text_size() + 1 bytes. The
 * lines are the same as those of kuid_text_form(), and cost less.
 *
 * Returns how many bytes were written.
 * EINVAL: unknown format or form, or the format has no such form. If a
 * snowflake has no decimal text, lines of the IDs before it may be in the text.
 * ERANGE: size is too small.
 */
ssize_t kuid_text_lines(unsigned int format, unsigned int form, const void *ids,
			size_t count, char *text, size_t size);

/*
 * Read an ID of a format from its canonical text, or another form of it: size
 * characters, of which none is a NUL or white space.
 *
 * Nothing but the form itself is taken. The case of digits is free in
 * canonical text of UUIDs (RFC 9562 section 4), also in braces, URNs (all of
 * them: RFC 8141 section 3.1), plain hexadecimal and ULIDs; it is lower in lex
 * and upper in ColdFusion's form, since nothing else tells these two apart. I,
 * L, O and U are no digits of ULIDs.
 *
 * Returns 0.
 * EINVAL: there is no such format or form, or the text is not such an ID. If
 * the text is wrong and where is not NULL, *where is set to an offset in it:
 * - of the first character that can't be in such an ID;
 * - size, if characters are missing;
 * - of the first character too many;
 * - of a digit in which bits are set that belong to no ID: the last one of
 *   base 64, the first one of a ULID or of a hexadecimal snowflake, or the one
 *   that makes a decimal number too great;
 * - of the digit with the version, if that is not the format's;
 * - of the digit with the variant, if the version is the format's and the
 *   variant is not.
 */
int kuid_parse(unsigned int format, const char *text, size_t size, void *id,
	       size_t *where);
int kuid_parse_form(unsigned int format, unsigned int form, const char *text,
		    size_t size, void *id, size_t *where);

/*
 * Read an ID whose format is not known from its canonical text or ColdFusion's
 * form into the KUID_ID_MAX bytes at id. Snowflakes are not taken: decimal
 * numbers could be anything.
 *
 * UUIDs that are not of versions 1, 6 or 7 are KUID_ANY_UUID. 8-4-4-16 digits
 * are ColdFusion's form if the first letter among them is of upper case, and
 * else lex.
 *
 * Returns the format.
 * EINVAL: the text is no ID; where as for kuid_parse(). If its length is that
 * of no format, the offset of the first character that could not be in any, or
 * size if there is none, or that of the first one too many. A text with "-" as
 * its 24th character is taken for canonical text of a UUID, whatever its size.
 */
int kuid_recognise(const char *text, size_t size, void *id, size_t *where);

/*
 * Read an ID of a format, or of one that is not known if format is
 * KUID_FORMAT_DEFAULT, from text as people and programs paste it, into the
 * KUID_ID_MAX bytes at id. White space around the ID is skipped, ends of lines
 * among it, and the case of hexadecimal digits is free.
 *
 * If the format is given, all of its forms are taken, and for lex and k128 also
 * 8-4-4-4-12 digits, as a column for UUIDs in a database shows them. 11 or 16
 * digits of a k64 are canonical text or hexadecimal and no decimal number,
 * since nothing tells them apart; k64 of the years from 1989 on have 17 digits
 * or more. Digits below 10 of a snowflake are a decimal number unless the first
 * of them is 0; 16 such digits are hexadecimal once in about 10,000 IDs, and
 * decimal in the first month after the epoch.
 *
 * If the format is not given, all texts of kuid_recognise() are taken for the
 * same ID and besides them UUIDs in braces, as URNs, and as 32 hexadecimal
 * digits, and v7 as ULIDs. Other hexadecimal digits and decimal numbers could
 * be of several formats and are not taken.
 *
 * Returns the format: that given, or as for kuid_recognise().
 * EINVAL: there is no such format, or the text is no such ID; where as for
 * kuid_recognise(), and size also if only white space follows.
 */
int kuid_parse_lenient(unsigned int format, const char *text, size_t size,
		       void *id, size_t *where);

/*
 * Turn a UUID into the bytes of a GUID, whose first three fields are
 * little-endian, or a GUID into those of a UUID, which is the same.
 */
void kuid_guid(const void *id, void *guid);

/*
 * The name of a UUID's version: "time-based", "random" and so on for versions 1
 * to 8, "nil", "max", and "unknown" for everything else.
 */
const char *kuid_uuid_name(const void *id);

/* Variants, as libuuid numbers them. */
#define KUID_VARIANT_NCS       0
#define KUID_VARIANT_RFC       1 /* the only one that has versions */
#define KUID_VARIANT_MICROSOFT 2
#define KUID_VARIANT_FUTURE    3

/* Which fields of struct kuid_fields an ID has. */
#define KUID_HAS_VERSION   (1U << 0)  /* version */
#define KUID_HAS_VARIANT   (1U << 1)  /* variant */
#define KUID_HAS_TIME	   (1U << 2)  /* sec, nsec, resolution_ns */
#define KUID_HAS_TICKS	   (1U << 3)  /* ticks */
#define KUID_HAS_FRACTION  (1U << 4)  /* fraction */
#define KUID_HAS_GRID	   (1U << 5)  /* a, b, c */
#define KUID_HAS_CLOCK_SEQ (1U << 6)  /* clock_seq */
#define KUID_HAS_LANE	   (1U << 7)  /* lane */
#define KUID_HAS_SEQ	   (1U << 8)  /* seq */
#define KUID_HAS_NODE	   (1U << 9)  /* node */
#define KUID_HAS_WORKER	   (1U << 10) /* worker */
#define KUID_HAS_RANDOM	   (1U << 11) /* random */
#define KUID_HAS_INTERVAL  (1U << 12) /* interval */
#define KUID_HAS_EPOCH	   (1U << 13) /* epoch_ms */

/*
 * The setting of functions that read an ID is what its format does not put into
 * IDs, though nobody can read them without it:
 *
 * - for k96 and k128 their I, KUID_INTERVAL_MIN to _MAX;
 * - for snowflake its epoch, the milliseconds since 1970 that it counts from;
 *   KUID_SNOWFLAKE_EPOCH_DEFAULT is Twitter's, which the module counts from
 *   unless it is told otherwise. Not above KUID_TIME_MAX_NS / 1000000.
 *
 * It is not looked at for other formats. The kernel's own are
 * kuid_state.interval and kuid_state.snowflake_epoch_ms.
 */

/*
 * Flag of functions that read an ID: the caller says that kuid made the ID. A
 * v7 does not tell which generator made it, and generators agree on its
 * milliseconds only; the bits behind them may be random. With this flag they
 * are read as kuid's fraction of the millisecond, lane and random bits. A v7
 * that a process made in a lane of its own has such a fraction, too, but a hash
 * in place of lane and random bits, and nothing tells one kind from the other.
 * kuid writes 10^6 of the 2^20 fractions; a v7 with one of the others is read
 * as without the flag. So are other formats.
 */
#define KUID_FROM_KUID 0x1

/*
 * The fields of an ID. Each holds any value that its bits can have, also in IDs
 * from elsewhere, such as a b of 1048575 seconds. A field that an ID does not
 * have is 0, except that fraction, lane and random always hold the bits of a
 * v7, so that kuid_encode() makes the same ID again: without KUID_FROM_KUID
 * nothing is known about these bits, and has does not name them.
 *
 * format: the ID's; KUID_ANY_UUID only if it is not of version 1, 6 or 7
 * has: KUID_HAS_* of the fields that the ID has
 * version, variant: of UUIDs; the version only if the variant is the RFC's
 * sec, nsec: the time since 1970-01-01T00:00:00Z, rounded down to what the ID
 *	knows; before 1970 sec is negative and nsec is not. Follows from the
 *	time fields below and is not looked at by kuid_encode().
 * resolution_ns: the precision of the time. v1 and v6: 100, since only the
 *	generator knows what clock_seq's high bits are counted from. v7:
 *	1000000, or 1 with KUID_FROM_KUID if kuid writes its fraction
 * ticks: v1 and v6: 60 bits, 100 ns since 1582-10-15; v7: 48 bits,
 *	milliseconds since 1970; lex: 64 bits, microseconds since 1970;
 *	snowflake: 41 bits, milliseconds since epoch_ms
 * fraction: v7: 20 bits, of the millisecond, in 1/2^20
 * a, b, c: k64, k96, k128: 20, 20 and 10 bits: megaseconds, seconds and grid
 *	ticks of 1024 us
 * clock_seq: v1 and v6: 14 bits
 * lane: 7 bits, scrambled as it is; of v1 and v6 the low bits of clock_seq,
 *	and not looked at by kuid_encode(). In a v7 that a process made, bits
 *	of a hash
 * seq: k64, k96, k128: 14 bits; snowflake: 12 bits
 * interval: k96 and k128: the I that was given; it is not in the ID
 * node: v1 and v6: 48 bits; k96: 32; k128: 64
 * worker: lex: 64 bits; snowflake: 10 bits
 * random: v7: 47 bits; if a process made it, the low bits of a hash
 * epoch_ms: snowflake: the epoch that was given; it is not in the ID, and
 *	not looked at by kuid_encode()
 * reserved: 0
 */
struct kuid_fields {
	uint32_t format;
	uint32_t has;
	uint32_t version;
	uint32_t variant;
	int64_t sec;
	uint32_t nsec;
	uint32_t resolution_ns;
	uint64_t ticks;
	uint32_t fraction;
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t clock_seq;
	uint32_t lane;
	uint32_t seq;
	uint32_t interval;
	uint64_t node;
	uint64_t worker;
	uint64_t random;
	uint64_t epoch_ms;
	uint64_t reserved[2];
};

/*
 * Take an ID apart. flags is 0 or KUID_FROM_KUID.
 *
 * Returns 0.
 * EINVAL: unknown format, setting or flags, or the ID is a UUID of another
 * version or variant than the format's, or a negative number and no snowflake.
 */
int kuid_decode(unsigned int format, const void *id, uint64_t setting,
		unsigned int flags, struct kuid_fields *fields);

/*
 * The time that an ID was made at, rounded down to what it knows, as
 * kuid_decode() tells it. A program of 32 bits must have the time_t that the
 * library was built with (_TIME_BITS).
 *
 * Returns 0.
 * EINVAL: as for kuid_decode(), or the ID has no time: a UUID of another version
 * than 1, 6 and 7.
 * EOVERFLOW: the program's time_t does not reach that time.
 */
int kuid_time(unsigned int format, const void *id, uint64_t setting,
	      unsigned int flags, struct timespec *time);

/*
 * Put an ID together from the fields that fields->format has, version and
 * variant being the format's. fields->has is not looked at: fields that were
 * not set must be 0.
 *
 * Returns 0.
 * EINVAL: unknown format, KUID_ANY_UUID or unknown interval, or a field is
 * wider than the format's.
 */
int kuid_encode(const struct kuid_fields *fields, void *id);

/*
 * Set all that fields->format has of sec, nsec, resolution_ns, ticks, fraction,
 * a, b and c to a time, rounded down to what the format can tell apart. Other
 * fields stay as they are. Snowflake's time counts from fields->epoch_ms.
 *
 * Returns 0.
 * EINVAL: unknown format or KUID_ANY_UUID, or nsec is above 999999999.
 * ERANGE: the format does not reach that time: v1 and v6 from 1582-10-15 to
 * 5236-03-31, v7 from 1970 to 10889, lex to the year 586524 and k64, k96 and
 * k128 to 35197; snowflake 2^41 ms, which are 69 years, from its epoch.
 */
int kuid_set_time(struct kuid_fields *fields, int64_t sec, uint32_t nsec);

/*
 * The lowest and the highest ID of a format, in its order: no ID of it lies
 * outside of them. Those of KUID_ANY_UUID are nil and max.
 *
 * Returns 0.
 * EINVAL: unknown format.
 */
int kuid_lowest(unsigned int format, void *id);
int kuid_highest(unsigned int format, void *id);

/*
 * The lowest and the highest ID of a format, in its order, that can have been
 * made at a time. The format tells times apart down to its resolution: both IDs
 * are those of the whole 100 ns, microsecond, millisecond or grid tick that the
 * time lies in. A v7 is told apart by the millisecond, or by the nanosecond
 * with KUID_FROM_KUID, if all IDs are kuid's.
 *
 * All IDs made from one time to another lie between the lowest ID of the first
 * time and the highest ID of the other. Others lie outside, except for k96 and
 * k128: those of the same 2^interval seconds are in the order of their nodes,
 * so that IDs of these seconds, but of other times, can lie between. For one
 * node, take the IDs of k64 and turn them into the format by kuid_convert().
 *
 * Returns 0.
 * EINVAL: unknown format, KUID_ANY_UUID, unknown setting or flags, or nsec is
 * above 999999999.
 * ERANGE: the format does not reach that time, as for kuid_set_time().
 */
int kuid_lowest_at(unsigned int format, int64_t sec, uint32_t nsec,
		   uint64_t setting, unsigned int flags, void *id);
int kuid_highest_at(unsigned int format, int64_t sec, uint32_t nsec,
		    uint64_t setting, unsigned int flags, void *id);

/*
 * Turn an ID of one format into that of another which has the same bits: v1
 * and v6 into one another, and k64, k96 and k128, for which setting is I also
 * if only the other one is k96 or k128. A format into itself is a copy.
 *
 * node, which may be NULL unless it is read: for k64 into k96 or k128 the node
 * to put in is read from it; for k96 and k128 into any the node that was in
 * the ID is put there. Between k96 and k128 the node stays the same number.
 *
 * Returns 0.
 * EINVAL: unknown format or setting, or the ID is a UUID of another version
 * or variant than from's, or it can't be turned into the other, or the node is
 * needed and NULL.
 * ERANGE: the node is wider than the 32 bits of k96.
 */
int kuid_convert(unsigned int from, const void *id, unsigned int to, void *out,
		 uint64_t setting, uint64_t *node);

/*
 * How far two k-ordered IDs are apart, field by field: a's minus b's, with no
 * carry from one field to another (fogfish's d). They are of one format.
 *
 * Returns 0.
 * EINVAL: the format is not k64, k96 or k128, or unknown interval.
 * EXDEV: the IDs are of different nodes.
 */
struct kuid_distance {
	int32_t a;
	int32_t b;
	int32_t c;
	int32_t seq;
};
int kuid_distance(unsigned int format, const void *a, const void *b,
		  unsigned int interval, struct kuid_distance *distance);

/* How an ID stands to another: a before b and so on. */
#define KUID_BEFORE    (-1)
#define KUID_EQUAL     0
#define KUID_AFTER     1
#define KUID_UNDECIDED 2

/*
 * Compare two IDs of a format in its order: v1 by time, then clock_seq, then
 * node; all others as bytes. Bits that say version and variant are not looked
 * at in v1.
 *
 * Returns 0, with KUID_BEFORE, KUID_EQUAL or KUID_AFTER in order, by which all
 * IDs of a format can be sorted.
 * EINVAL: unknown format.
 */
int kuid_compare(unsigned int format, const void *a, const void *b, int *order);

/*
 * Compare two lex as Cassie does: time and worker are signed numbers. Those
 * that differ in the highest bit of one are in another order than as bytes.
 *
 * Returns 0, with the order as kuid_compare() gives it.
 * EINVAL: the format is not lex.
 */
int kuid_compare_signed(unsigned int format, const void *a, const void *b,
			int *order);

/*
 * Compare two IDs of a format by the time they were made, where clocks may
 * differ by up to bound_ns.
 *
 * IDs of one node or worker are in the format's order, whatever the bound. If
 * they may be from different ones, the times in them decide, if they are at
 * least the bound apart; else the order is KUID_UNDECIDED. With a bound of 0
 * nothing is undecided, and the same times are in the format's order. k64 is
 * all from one host; v7 does not say where it was made, so that any two may be
 * from different nodes. The times are those of kuid_decode() with these flags:
 * two v7 of one millisecond have the same time without KUID_FROM_KUID.
 *
 * To find violations of causality, compare the ID of each effect, as a, with
 * that of its cause, as b: KUID_BEFORE means that the effect is said to have
 * come first, by more than the clocks account for. The bound is how far the
 * clocks of the two hosts may be apart, plus how far IDs may be ahead of them,
 * which is kuid_query.max_ahead_ns and the lag of kuid_status, plus the
 * format's resolution.
 *
 * Returns 0, with one of the four in order.
 * EINVAL: unknown format, setting or flags, KUID_ANY_UUID, or an ID is a UUID
 * of another version or variant than the format's.
 */
int kuid_compare_bound(unsigned int format, const void *a, const void *b,
		       uint64_t setting, unsigned int flags, uint64_t bound_ns,
		       int *order);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KUID_H */
