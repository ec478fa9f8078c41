// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's operations that take IDs without a command: read and its
 * relatives, splice and io_uring.
 */
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "fuzz.h"

#define SEGMENTS	8

/* The buffers of one read of any kind. */
struct reading {
	struct fuzz_call *call;
	size_t size;		/* asked for */
	size_t writable;	/* of these bytes, from the first on */
	bool faulty;		/* some address is bad */
	struct fuzz_place bad;	/* of a segment */
};

/*
 * A size: mostly of few IDs, sometimes no multiple of an ID. In a soak no line is
 * read in pieces, and some reads of lex use up its window.
 */
static size_t pick_size(struct fuzz_actor *actor, const struct fuzz_file *file)
{
	size_t id = file->format ? format_of(file->format)->id_size : 16;

	if (fuzz_world->soaks && file->format == KUID_FORMAT_LEX &&
	    fuzz_one_in(actor, 32))
		return FUZZ_ROOM;
	if (fuzz_world->soaks && file->text)
		return LINE_MAX_SIZE * fuzz_count_of_ids(actor);

	switch (fuzz_below(actor, 16)) {
	case 0:
		return fuzz_below(actor, id);
	case 1:
	case 2:
		return fuzz_below(actor, 4096);
	case 3:
		return fuzz_one_in(actor, 4) ? FUZZ_ROOM / 2 :
					       fuzz_below(actor, 16384);
	case 4:
	case 5:
	case 6:
		return id * fuzz_below(actor, 64);
	default:
		return id;
	}
}

/*
 * Check that an errno, or 0 for success, is documented for the call. If it is
 * not, record a fault.
 */
static void check_error(struct fuzz_actor *actor, const struct reading *r)
{
	const struct fuzz_call *call = r->call;
	const struct fuzz_file *file = call->file;
	bool ok = false;

	switch (call->error) {
	case EBADF:
		ok = fuzz_gone(call);
		break;
	case EINVAL:
		ok = !file->text && r->size < 16 &&
		     (!call->format ||
		      r->size < format_of(call->format)->id_size);
		break;
	case EFAULT:
		ok = r->faulty;
		break;
	case EAGAIN:
		ok = fuzz_call_blocked(call);
		break;
	case EINTR:
		ok = fuzz_call_ended(call);
		break;
	case ESTALE:
		ok = fuzz_call_refused(call);
		break;
	case EKEYEXPIRED:
		ok = fuzz_call_expired(call);
		break;
	case ENOKEY:
	case EOVERFLOW:
		ok = fuzz_call_lacks(call);
		break;
	}
	if (!ok)
		fuzz_fail(actor, "errno %d of a read of %zu bytes%s%s",
			  call->error, r->size, r->faulty ? ", faulty" : "",
			  call->nowait ? ", not waiting" : "");
}

/* Copy the bytes that were read from the segments to @bytes. */
static void check_read(struct fuzz_actor *actor, struct reading *r,
		       const __u8 *bytes, ssize_t got)
{
	struct fuzz_call *call = r->call;
	struct fuzz_file *file = call->file;
	size_t unit = 1, whole = r->size, unfilled = 0;

	if (got < 0) {
		check_error(actor, r);
		if (call->error == EFAULT && file->text)
			file->torn = true;
		return;
	}
	if (!got && !r->size)
		return;
	/* Behind the last line, or the rest of one, there may be room. */
	if (file->text)
		unfilled = LINE_MAX_SIZE - 1;
	else if (call->format)
		unit = format_of(call->format)->id_size;
	whole = r->size / unit * unit;
	if (!got || got > whole || got % unit || got > r->writable) {
		fuzz_fail(actor, "%zd of %zu bytes, %zu of them writable", got,
			  r->size, r->writable);
		return;
	}
	/* The rest of a line is given at once. */
	if (got + unfilled < whole && !r->faulty &&
	    !fuzz_call_cut(call, call->order) &&
	    !(file->text && got < LINE_MAX_SIZE && fuzz_call_shut(call)))
		fuzz_fail(actor, "only %zd of %zu bytes%s of format %u in order %u",
			  got, r->size, file->text ? " of text" : "",
			  call->format, call->order);
	if (!call->format)
		return;
	if (file->text)
		fuzz_book_text(actor, call, (const char *)bytes, got);
	else
		fuzz_book_ids(actor, call, call->format, call->order, 0, bytes,
			      got / unit, r->size / unit > 1);
}

/* Check the bytes that were written, in a place that may end too early. */
static void check_written(struct fuzz_actor *actor, const struct reading *r,
			  const struct fuzz_place *to, ssize_t got)
{
	/* A fault may leave a part of an ID after the IDs that count. */
	if (got >= 0 && !r->faulty &&
	    (!fuzz_memory_untouched(actor, to->at, got) ||
	     !all_bytes(to->at + got, POISON, r->size - got)))
		fuzz_fail(actor, "bytes behind the %zd of a read were written",
			  got);
	if (!fuzz_memory_untouched(actor, to->at, to->writable))
		fuzz_fail(actor, "bytes around a read were written");
}

/* Choose a buffer for a read into one. */
static struct fuzz_place pick_buffer(struct fuzz_actor *actor,
				     struct reading *r)
{
	struct fuzz_place to;

	r->size = pick_size(actor, r->call->file);
	to = fuzz_memory_any(actor, r->size);
	r->writable = to.writable;
	r->faulty = to.writable < r->size || (!r->size && !to.alias);
	return to;
}

void fuzz_read(struct fuzz_actor *actor, struct fuzz_call *call)
{
	struct reading r = { .call = call };
	struct fuzz_place to = pick_buffer(actor, &r);
	ssize_t got;

	fuzz_call_begin(actor, call);
	got = read(call->fd, to.at, r.size);
	fuzz_call_end(actor, call, got);
	check_read(actor, &r, to.at, got);
	check_written(actor, &r, &to, got);
	fuzz_memory_done(actor, &to);
}

/*
 * Lay out segments one after the other in the room, with gaps. Nothing can be
 * written from the first bad segment on.
 */
static size_t pick_segments(struct fuzz_actor *actor, struct reading *r,
			    struct iovec *segments, int nr)
{
	size_t at = fuzz_below(actor, 64);
	int i, wrong = fuzz_one_in(actor, 8) ? fuzz_below(actor, 2 * nr + 1) :
					       -1;

	for (i = 0; i < nr; i++) {
		size_t size = pick_size(actor, r->call->file);

		size = size < FUZZ_ROOM / 2 / SEGMENTS ?
		       size : FUZZ_ROOM / 2 / SEGMENTS;
		segments[i].iov_base = actor->room + at;
		segments[i].iov_len = size;
		at += size + fuzz_below(actor, 32);
		if (i == wrong) {
			struct fuzz_place place = fuzz_memory_any(actor, size);

			r->bad = place;
			if (place.writable < size) {
				segments[i].iov_base = place.at;
				r->faulty = true;
				r->writable = r->size + place.writable;
			} else if (!size && !place.alias) {
				segments[i].iov_base = place.at;
				r->faulty = true;
				r->writable = r->size;
			}
		}
		r->size += size;
	}
	if (!r->faulty)
		r->writable = r->size;
	return at;
}

static size_t gather(const struct fuzz_actor *actor,
		     const struct iovec *segments, int nr, size_t size,
		     __u8 *to)
{
	const __u8 *begin = actor->room;
	size_t n, done = 0;
	int i;

	for (i = 0; i < nr && done < size; i++) {
		const __u8 *at = segments[i].iov_base;

		n = segments[i].iov_len;
		n = n < size - done ? n : size - done;
		if (n && at >= begin && at <= begin + FUZZ_ROOM - n)
			memcpy(to + done, at, n);
		done += n;
	}
	return done;
}

/* Whether all bytes after the first @size bytes of the segments are poison. */
static bool rest_untouched(const struct fuzz_actor *actor,
			   const struct iovec *segments, int nr, size_t size,
			   size_t end)
{
	const __u8 *at = actor->room;
	int i;

	for (i = 0; i < nr; i++) {
		const __u8 *base = segments[i].iov_base;
		size_t n = segments[i].iov_len;
		size_t written = n < size ? n : size;

		if (!all_bytes(at, POISON, base - at))
			return false;
		at = base + written;
		size -= written;
	}
	return all_bytes(at, POISON, actor->room + end + 64 - at);
}

static const int read_flags[] = {
	0, 0, 0, RWF_NOWAIT, RWF_NOWAIT, RWF_HIPRI, RWF_DSYNC,
	RWF_NOWAIT | RWF_HIPRI,
};

/* readv(), or preadv2() with flags. */
void fuzz_readv(struct fuzz_actor *actor, struct fuzz_call *call)
{
	int flags = read_flags[fuzz_below(actor, ARRAY_SIZE(read_flags))];
	struct iovec segments[SEGMENTS];
	int nr = fuzz_below(actor, SEGMENTS + 1);
	struct reading r = { .call = call };
	size_t end;
	__u8 *bytes;
	ssize_t got;

	end = pick_segments(actor, &r, segments, nr);
	fuzz_call_begin(actor, call);
	if (flags)
		got = preadv2(call->fd, segments, nr, -1, flags);
	else
		got = readv(call->fd, segments, nr);
	fuzz_call_end(actor, call, got);
	call->nowait |= flags & RWF_NOWAIT;
	bytes = malloc(r.size + 1);
	if (bytes) {
		gather(actor, segments, nr, got > 0 ? got : 0, bytes);
		check_read(actor, &r, bytes, got);
	}
	free(bytes);
	if (!r.faulty && !rest_untouched(actor, segments, nr,
					 got > 0 ? got : 0, end))
		fuzz_fail(actor, "bytes behind the %zd of a readv were written",
			  got);
	memset(actor->room, POISON, end);
	fuzz_memory_done(actor, &r.bad);
}

/* Splice or send into a pipe, and read the pipe. */
void fuzz_splice(struct fuzz_actor *actor, struct fuzz_call *call)
{
	unsigned int flags = fuzz_below(actor, 16);
	struct reading r = { .call = call };
	ssize_t got, came;
	char more;

	r.size = pick_size(actor, call->file);
	r.size = r.size < 65536 ? r.size : 65536;
	r.writable = r.size;
	fuzz_call_begin(actor, call);
	if (fuzz_one_in(actor, 3))
		got = sendfile(actor->pipe[1], call->fd, NULL, r.size);
	else
		got = splice(call->fd, NULL, actor->pipe[1], NULL, r.size,
			     flags);
	fuzz_call_end(actor, call, got);
	if (got > 0) {
		came = read(actor->pipe[0], actor->room, got);
		if (came != got)
			fuzz_fail(actor, "%zd of %zd came out of the pipe",
				  came, got);
		if (read(actor->pipe[0], &more, 1) == 1)
			fuzz_fail(actor, "more than %zd were in the pipe", got);
		check_read(actor, &r, actor->room, got);
		memset(actor->room, POISON, got);
	} else {
		check_read(actor, &r, NULL, got);
	}
}

/*
 * Read by io_uring, and cancel the read if it doesn't complete. Wait for all
 * results of both, because they would interrupt a later call like a signal.
 */
void fuzz_uring(struct fuzz_actor *actor, struct fuzz_call *call)
{
	struct io_uring *ring = &actor->ring;
	struct io_uring_sqe *entry;
	struct io_uring_cqe *result;
	struct reading r = { .call = call };
	struct fuzz_place to;
	bool cancelled;
	int awaited = 1;
	__s32 got = 0;
	int tries;

	/* The kernel may lack io_uring. */
	if (!actor->has_ring && io_uring_queue_init(4, ring, 0))
		return;
	actor->has_ring = true;
	to = pick_buffer(actor, &r);
	entry = io_uring_get_sqe(ring);
	io_uring_prep_read(entry, call->fd, to.at, r.size, -1);
	io_uring_sqe_set_data64(entry, 1);
	io_uring_sqe_set_flags(entry, fuzz_one_in(actor, 4) ? IOSQE_ASYNC : 0);
	fuzz_call_begin(actor, call);
	io_uring_submit(ring);
	for (tries = 0; awaited; tries++) {
		if (tries >= 3 && !call->cancelled) {
			call->cancelled = true;
			awaited++;
			entry = io_uring_get_sqe(ring);
			io_uring_prep_cancel64(entry, 1, 0);
			io_uring_sqe_set_data64(entry, 2);
			io_uring_submit(ring);
		}
		if (io_uring_wait_cqe(ring, &result))
			continue;
		awaited--;
		if (result->user_data == 1)
			got = result->res;
		io_uring_cqe_seen(ring, result);
	}
	errno = got < 0 ? -got : 0;
	fuzz_call_end(actor, call, got);
	/*
	 * io_uring first reads without waiting, and completes with what it got.
	 * If it got nothing, it polls and reads again. So it never fails with
	 * EAGAIN, unless the file is non-blocking.
	 */
	if (call->error == EAGAIN && !call->nowait)
		fuzz_fail(actor, "EAGAIN of what may wait");
	call->nowait = true;
	/*
	 * A worker's read is cancelled by a signal to the worker, before or
	 * after the read has begun, or by a signal to this thread if that comes
	 * before a worker is found.
	 */
	if (call->error == ECANCELED)
		cancelled = call->cancelled || fuzz_signals != call->signals;
	else
		cancelled = call->cancelled && call->error == EINTR;
	if (!cancelled)
		check_read(actor, &r, to.at, got);
	check_written(actor, &r, &to, got);
	fuzz_memory_done(actor, &to);
}
