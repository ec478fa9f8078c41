// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks IDs against what the fuzzer knows: what a read of each open file must
 * give next, and that no ID is a repeat. If other actors may have changed
 * something during a call, the checks that depend on it are left out.
 */
#include "fuzz.h"

/* Prepare for so many spans. Returns false if there is no memory for them. */
bool fuzz_book_begin(size_t spans)
{
	pthread_mutexattr_t shared;
	bool ok = record_begin(&fuzz_world->nodes, FUZZ_SPANS);
	int i;

	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&fuzz_world->lock, &shared);
	for (i = 0; ok && i < FUZZ_PARTS; i++) {
		pthread_mutex_init(&fuzz_world->given[i].lock, &shared);
		ok = record_begin(&fuzz_world->given[i].record,
				  spans / FUZZ_PARTS);
	}
	return ok;
}

void fuzz_book_end(void)
{
	int i;

	record_end(&fuzz_world->nodes);
	for (i = 0; i < FUZZ_PARTS; i++)
		record_end(&fuzz_world->given[i].record);
}

/* Set I of k96 and k128. No other actor may decode IDs at the same time. */
void fuzz_book_interval(__u32 interval)
{
	grid_interval = interval;
}

void fuzz_lock(void)
{
	pthread_mutex_lock(&fuzz_world->lock);
}

void fuzz_unlock(void)
{
	pthread_mutex_unlock(&fuzz_world->lock);
}

/* Allocate a file. The caller holds the lock. NULL if there are too many. */
struct fuzz_file *fuzz_file_new(void)
{
	int i;

	for (i = 0; i < FUZZ_FILES; i++) {
		struct fuzz_file *file = &fuzz_world->files[i];

		if (!file->refs) {
			*file = (struct fuzz_file) { .refs = 1 };
			return file;
		}
	}
	return NULL;
}

/* Drop a reference. The caller holds the lock. */
void fuzz_file_put(struct fuzz_file *file)
{
	file->refs--;
}

/*
 * Choose a slot for a call. If the slot is empty, open a file in it instead,
 * and return false.
 */
bool fuzz_use(struct fuzz_actor *actor, struct fuzz_call *call)
{
	struct fuzz_slot *slot = &fuzz_slots[fuzz_below(actor, FUZZ_SLOTS)];

	fuzz_lock();
	call->slot = slot;
	call->fd = slot->fd;
	call->file = slot->file;
	if (call->fd >= 0)
		call->file->refs++;
	fuzz_unlock();
	if (call->fd >= 0)
		return true;
	fuzz_open_slot(actor, slot);
	return false;
}

void fuzz_unuse(struct fuzz_call *call)
{
	fuzz_lock();
	fuzz_file_put(call->file);
	fuzz_unlock();
}

/* Whether another actor has closed the file meanwhile. */
bool fuzz_gone(const struct fuzz_call *call)
{
	return __atomic_load_n(&call->slot->fd, __ATOMIC_SEQ_CST) != call->fd;
}

static __u32 count_of(const __u32 *count)
{
	return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

void fuzz_change_begin(struct fuzz_changes *changes)
{
	__atomic_add_fetch(&changes->begun, 1, __ATOMIC_SEQ_CST);
}

void fuzz_change_end(struct fuzz_changes *changes)
{
	__atomic_add_fetch(&changes->ended, 1, __ATOMIC_SEQ_CST);
}

__u32 fuzz_changes_of(const struct fuzz_changes *changes)
{
	__u32 ended = count_of(&changes->ended);

	return count_of(&changes->begun) == ended ? ended : FUZZ_CHANGING;
}

bool fuzz_changed(const struct fuzz_changes *changes, __u32 since)
{
	return since == FUZZ_CHANGING || count_of(&changes->begun) != since;
}

void fuzz_call_begin(struct fuzz_actor *actor, struct fuzz_call *call)
{
	struct fuzz_file *file = call->file;

	call->cancelled = false;
	call->alone = count_of(&fuzz_world->actors) == 1;
	call->wall = fuzz_changes_of(&fuzz_world->wall);
	call->forces = fuzz_changes_of(&fuzz_world->forces);
	call->flags = fuzz_changes_of(&file->flags);
	call->nowait = fcntl(call->fd, F_GETFL) & O_NONBLOCK;
	fuzz_lock();
	call->sets = file->sets;
	call->format = file->setting ? 0 : file->format;
	call->order = file->order;
	if (file->text && file->reading++)
		file->torn = true;
	memcpy(call->last, file->last, sizeof(call->last));
	memcpy(call->last_host, fuzz_world->last_host, sizeof(call->last_host));
	fuzz_unlock();

	call->before = fuzz_status(actor);
	call->wall_before = clock_ns();
	call->signals = fuzz_signals;
	call->ends = fuzz_ends;
	fuzz_signals_on(actor);
}

void fuzz_call_end(struct fuzz_actor *actor, struct fuzz_call *call, long ret)
{
	struct fuzz_file *file = call->file;

	call->error = ret < 0 ? errno : 0;
	fuzz_signals_off(actor);
	call->after = fuzz_status(actor);
	call->wall_after = clock_ns();
	fuzz_lock();
	if (file->sets != call->sets)
		call->format = 0;
	if (file->text)
		file->reading--;
	fuzz_unlock();
	if (fuzz_changed(&file->flags, call->flags))
		call->nowait = true;
	fuzz_count(call->error);
}

/* Whether the identity may have been stale, so that IDs are refused. */
bool fuzz_call_refused(const struct fuzz_call *call)
{
	return (call->before.reasons | call->after.reasons) &
	       KUID_REASON_STALE_IDENTITY;
}

/* Snowflake may lack a worker, or have no number for the time. */
bool fuzz_call_lacks(const struct fuzz_call *call)
{
	return !call->format || call->format == KUID_FORMAT_SNOWFLAKE;
}

/* Whether IDs that show a claimed number may have come to their ceiling. */
bool fuzz_call_expired(const struct fuzz_call *call)
{
	return (call->before.reasons | call->after.reasons) &
	       KUID_REASON_EXPIRED_CLAIM;
}

/* Whether there may have been no ceiling above the clock, so that none is made. */
bool fuzz_call_shut(const struct fuzz_call *call)
{
	return fuzz_world->required &&
	       (call->before.reasons | call->after.reasons) &
		       (KUID_REASON_NO_STATE | KUID_REASON_PAST_CEILING);
}

/* Whether a signal came during the call that ends it. */
bool fuzz_call_ended(const struct fuzz_call *call)
{
	return fuzz_ends != call->ends;
}

/* Whether a non-blocking call may have failed because it would block. */
bool fuzz_call_blocked(const struct fuzz_call *call)
{
	return call->nowait &&
	       call->after.would_blocks > call->before.would_blocks;
}

/*
 * Whether the call may have given fewer IDs than it asked for, other than by
 * bad memory. A call of order CPU is cut short if its caller moves to a CPU
 * that is behind.
 */
bool fuzz_call_cut(const struct fuzz_call *call, __u32 order)
{
	return fuzz_call_blocked(call) || call->cancelled ||
	       fuzz_signals != call->signals || order == KUID_ORDER_CPU ||
	       call->before.epoch != call->after.epoch ||
	       fuzz_call_refused(call) || fuzz_call_expired(call) ||
	       fuzz_call_lacks(call);
}

void fuzz_in_order(struct fuzz_actor *actor, const struct format *f,
		   const char *what, const struct fuzz_last *last, __u64 epoch,
		   const void *first)
{
	if (last->epoch > epoch)
		fuzz_fail(actor, "%s: of epoch %llu after one of %llu", f->name,
			  (unsigned long long)epoch,
			  (unsigned long long)last->epoch);
	if (last->epoch == epoch && !words_after(id_order(f, first), last->id))
		fuzz_fail(actor, "%s: is not above the last one of its %s",
			  f->name, what);
}

void fuzz_raise_last(struct fuzz_last *last, __u64 epoch, struct words id)
{
	if (last->epoch > epoch ||
	    (last->epoch == epoch && !words_after(id, last->id)))
		return;
	last->epoch = epoch;
	last->id = id;
}

/*
 * The module's clock is the wall clock plus the lag, and never goes back in an
 * epoch. Check that the IDs are not behind the clock before the call, nor
 * farther ahead of the clock after the call than allowed.
 */
static void in_time(struct fuzz_actor *actor, const struct fuzz_call *call,
		    const struct format *f, const struct fields *first,
		    const struct fields *last, bool batch)
{
	bool stamps = f->number <= KUID_FORMAT_V7;
	__u64 lag = stamps ? call->after.stamp_lag_ns :
			     call->after.slot_lag_ns;
	__u64 ahead = fuzz_world->max_ahead_ns / (batch ? 2 : 1);

	if (fuzz_changed(&fuzz_world->wall, call->wall) ||
	    call->before.epoch != call->after.epoch ||
	    call->before.steps_back != call->after.steps_back ||
	    call->before.steps_forward != call->after.steps_forward)
		return;
	if (last->ns > call->wall_after + lag + ahead + NSEC_PER_USEC)
		fuzz_fail(actor, "%s: %llu ns ahead of its clock, lag %llu",
			  f->name, (unsigned long long)(last->ns -
			  call->wall_after - lag), (unsigned long long)lag);
	if (call->wall_before + lag > first->ns + unit_of(f) + NSEC_PER_USEC)
		fuzz_fail(actor, "%s: %llu ns behind its clock, lag %llu",
			  f->name, (unsigned long long)(call->wall_before +
			  lag - first->ns), (unsigned long long)lag);
}

bool fuzz_given_node(__u64 node)
{
	return node - FUZZ_GIVEN_NODE < FUZZ_GIVEN_NODES;
}

/*
 * All v1 and v6 of an epoch of the kernel, or of a handle, have one node. Nobody
 * has had it before, unless it was given.
 */
static void book_node(struct fuzz_actor *actor, struct fuzz_nodes *nodes,
		      __u64 epoch, __u64 node)
{
	__u32 at = epoch % ARRAY_SIZE(nodes->node);
	const struct words key = { node, 1 };

	fuzz_lock();
	if (nodes->epoch[at] == epoch && nodes->node[at] != node)
		fuzz_fail(actor, "not the node of epoch %llu",
			  (unsigned long long)epoch);
	if (nodes->epoch[at] < epoch) {
		nodes->epoch[at] = epoch;
		nodes->node[at] = node;
		if (fuzz_world->soaks && !fuzz_given_node(node) &&
		    !record_add(&fuzz_world->nodes, key))
			fuzz_fail(actor, "a node that another epoch or lane has had");
	}
	fuzz_unlock();
}

static void add_span(struct fuzz_actor *actor, const struct format *f,
		     struct span span)
{
	/* The lowest bits are those that the record itself uses. */
	__u32 part = (record_hash(span.key) >> 40) % FUZZ_PARTS;
	bool new;

	pthread_mutex_lock(&fuzz_world->given[part].lock);
	new = record_add_span(&fuzz_world->given[part].record, span);
	pthread_mutex_unlock(&fuzz_world->given[part].lock);
	if (!new)
		fuzz_fail(actor, "%s: an ID was given before, %016llx %016llx %016llx",
			  f->name, (unsigned long long)span.key.high,
			  (unsigned long long)span.key.low,
			  (unsigned long long)span.mask);
}

/*
 * Check that IDs are well-formed and no repeats. @nodes are those of their maker,
 * and @epoch the maker's, if they are known. Stores the fields of the first ID
 * and of the last one.
 */
void fuzz_book(struct fuzz_actor *actor, const struct format *f,
	       const __u8 *ids, size_t count, struct fuzz_nodes *nodes,
	       __u64 epoch, __u32 forces, struct fields *first,
	       struct fields *last)
{
	/* The epochs of a lane are not those of the kernel. */
	__u64 kernel_epoch = nodes == &fuzz_world->kernel ? epoch : 0;
	struct span span = { 0 }, one;
	size_t i;

	for (i = 0; i < count; i++) {
		const __u8 *id = id_at(f, ids, i);

		if (!decode(f, id, last) && !fuzz_given_node(last->node)) {
			fuzz_fail(actor, "%s: ID %zu of %zu is malformed",
				  f->name, i, count);
			break;
		}
		if (!i)
			*first = *last;
		if (source_of(f) == KUID_FORMAT_V1 && nodes && epoch &&
		    (!i || last->node != first->node))
			book_node(actor, nodes, epoch, last->node);
		one = unique_part(f, id, last, kernel_epoch);
		/* Slots may be repeated after they went back. */
		if (among(f, SLOTS)) {
			if (forces == FUZZ_CHANGING)
				continue;
			one.key.low += forces;
		}
		if (span_joins(&span, one))
			continue;
		if (span.mask)
			add_span(actor, f, span);
		span = one;
	}
	if (span.mask)
		add_span(actor, f, span);
	__atomic_add_fetch(&fuzz_world->ids[f->number], count,
			   __ATOMIC_RELAXED);
}

/* Check the IDs of a call. @epoch is 0 if the call didn't return it. */
void fuzz_book_ids(struct fuzz_actor *actor, struct fuzz_call *call,
		   __u32 format, __u32 order, __u64 epoch, const __u8 *ids,
		   size_t count, bool batch)
{
	const struct format *f = format_of(format);
	struct fields first = { 0 }, last = { 0 };
	struct words before = { 0 };
	__u32 forces;

	if (!count)
		return;
	if (epoch && (epoch < call->before.epoch || epoch > call->after.epoch))
		fuzz_fail(actor, "of epoch %llu, between %llu and %llu",
			  (unsigned long long)epoch,
			  (unsigned long long)call->before.epoch,
			  (unsigned long long)call->after.epoch);
	if (!epoch && call->before.epoch == call->after.epoch)
		epoch = call->before.epoch;
	forces = fuzz_changed(&fuzz_world->forces, call->forces) ? FUZZ_CHANGING :
							      call->forces;

	/* A large read takes several batches, and epochs may begin between. */
	if ((epoch || !batch) && count_in_order(f, ids, count, &before) != count)
		fuzz_fail(actor, "%s: an ID is not above the one before it",
			  f->name);
	fuzz_book(actor, f, ids, count, &fuzz_world->kernel, epoch, forces,
		  &first, &last);
	/* A single non-blocking ID may use the whole window, as poll told. */
	in_time(actor, call, f, &first, &last,
		batch && !(call->nowait && count == 1));

	if (!epoch || order == KUID_ORDER_CPU)
		return;
	fuzz_in_order(actor, f, "file", &call->last[format], epoch, ids);
	if (order == KUID_ORDER_HOST)
		fuzz_in_order(actor, f, "host", &call->last_host[format], epoch,
			      ids);
	before = id_order(f, id_at(f, ids, count - 1));
	fuzz_lock();
	fuzz_raise_last(&call->file->last[format], epoch, before);
	if (order == KUID_ORDER_HOST)
		fuzz_raise_last(&fuzz_world->last_host[format], epoch, before);
	fuzz_unlock();
}

/*
 * Check the text of a read. A line may continue in the next read, if only one
 * caller reads at a time. All lines that begin in this text are of this call. In a
 * soak nobody reads pieces of lines, so all reads give whole ones.
 */
void fuzz_book_text(struct fuzz_actor *actor, struct fuzz_call *call,
		    const char *text, size_t size)
{
	struct fuzz_file whole = { 0 }, *file = call->file;
	const struct format *f;
	size_t line, nr = 0, begun;
	__u8 *ids;
	bool known;

	fuzz_lock();
	/* With another read at the same time, the order of both is unknown. */
	known = call->alone && call->format && !file->torn && !file->reading;
	if (!known)
		file->torn = true;
	fuzz_unlock();
	if (fuzz_world->soaks)
		file = &whole;
	else if (!known)
		return;

	f = format_of(call->format);
	line = f->text_size + 1;
	ids = malloc((size / line + 2) * f->id_size);
	if (!ids) {
		fuzz_fail(actor, "out of memory");
		return;
	}
	begun = file->at ? 1 : 0;
	while (size) {
		size_t n = line - file->at < size ? line - file->at : size;

		memcpy(file->line + file->at, text, n);
		text += n;
		size -= n;
		file->at += n;
		if (file->at < line)
			break;
		file->at = 0;
		if (!parse_line(f, file->line, ids + nr * f->id_size)) {
			fuzz_fail(actor, "%s: not a line: %.*s", f->name,
				  (int)line - 1, file->line);
			break;
		}
		nr++;
	}
	/*
	 * An earlier call made the ID of a line that it began. Skip it, because
	 * its epoch and order are no longer known.
	 */
	if (nr > begun)
		fuzz_book_ids(actor, call, call->format, call->order, 0,
			      ids + begun * f->id_size, nr - begun,
			      nr - begun > 1);
	free(ids);
	if (whole.at)
		fuzz_fail(actor, "%s: a piece of a line: %.*s", f->name,
			  (int)whole.at, whole.line);
}
