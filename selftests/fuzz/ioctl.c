// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's commands: each with a struct that is good, or has been changed
 * in some field, or is junk, in good memory or bad. What the command must say
 * to it is found anew here, from linux/kuid.h alone.
 */
#include "fuzz.h"

enum kind { IN, OUT, RESERVED };

struct field {
	__u32 offset;
	__u32 size;
	enum kind kind;
};

#define FIELD(type, member, kind)                                         \
	{ offsetof(struct type, member),                                  \
	  sizeof(((struct type *)NULL)->member), kind }

static const struct field query_fields[] = {
	FIELD(kuid_query, format, IN),
	FIELD(kuid_query, flags, RESERVED),
	FIELD(kuid_query, formats, OUT),
	FIELD(kuid_query, orders, OUT),
	FIELD(kuid_query, id_size, OUT),
	FIELD(kuid_query, batch_max, OUT),
	FIELD(kuid_query, clock_resolution_ns, OUT),
	FIELD(kuid_query, text_size, OUT),
	FIELD(kuid_query, rate_max, OUT),
	FIELD(kuid_query, max_ahead_ns, OUT),
	FIELD(kuid_query, batch_ahead_ns, OUT),
	FIELD(kuid_query, step_limit_ns, OUT),
	FIELD(kuid_query, order, OUT),
	FIELD(kuid_query, reserved0, RESERVED),
	FIELD(kuid_query, reserved, RESERVED),
};

static const struct field generate_fields[] = {
	FIELD(kuid_generate, buffer, IN),
	FIELD(kuid_generate, format, IN),
	FIELD(kuid_generate, order, IN),
	FIELD(kuid_generate, count, IN),
	FIELD(kuid_generate, flags, RESERVED),
	FIELD(kuid_generate, done, OUT),
	FIELD(kuid_generate, reserved0, RESERVED),
	FIELD(kuid_generate, epoch, OUT),
	FIELD(kuid_generate, load_id, OUT),
	FIELD(kuid_generate, reserved, RESERVED),
};

static const struct field set_format_fields[] = {
	FIELD(kuid_set_format, format, IN),
	FIELD(kuid_set_format, order, IN),
	FIELD(kuid_set_format, reserved, RESERVED),
};

static const struct field status_fields[] = {
	FIELD(kuid_status, flags, RESERVED),
	FIELD(kuid_status, held, OUT),
	FIELD(kuid_status, reasons, OUT),
	FIELD(kuid_status, epoch, OUT),
	FIELD(kuid_status, load_id, OUT),
	FIELD(kuid_status, ids, OUT),
	FIELD(kuid_status, reserved, RESERVED),
};

static const struct field force_fields[] = {
	FIELD(kuid_force_clock, flags, IN),
	FIELD(kuid_force_clock, reserved0, RESERVED),
	FIELD(kuid_force_clock, epoch, OUT),
	FIELD(kuid_force_clock, load_id, OUT),
	FIELD(kuid_force_clock, reserved, RESERVED),
};

static const struct field state_fields[] = {
	FIELD(kuid_state, flags, RESERVED),
	FIELD(kuid_state, required, OUT),
	FIELD(kuid_state, wall_ns, OUT),
	FIELD(kuid_state, worker, OUT),
	FIELD(kuid_state, load_id, OUT),
	FIELD(kuid_state, reserved, RESERVED),
};

static const struct field restore_fields[] = {
	FIELD(kuid_restore, floor_ns, IN),
	FIELD(kuid_restore, flags, IN),
	FIELD(kuid_restore, reserved0, RESERVED),
	FIELD(kuid_restore, epoch, OUT),
	FIELD(kuid_restore, load_id, OUT),
	FIELD(kuid_restore, reserved, RESERVED),
};

static const struct field acknowledge_fields[] = {
	FIELD(kuid_acknowledge, ceiling_ns, IN),
	FIELD(kuid_acknowledge, flags, RESERVED),
	FIELD(kuid_acknowledge, reserved0, RESERVED),
	FIELD(kuid_acknowledge, reserved, RESERVED),
};

static const struct field identity_fields[] = {
	FIELD(kuid_set_identity, flags, IN),
	FIELD(kuid_set_identity, interval, IN),
	FIELD(kuid_set_identity, node_from, IN),
	FIELD(kuid_set_identity, worker_from, IN),
	FIELD(kuid_set_identity, node, IN),
	FIELD(kuid_set_identity, worker, IN),
	FIELD(kuid_set_identity, epoch, OUT),
	FIELD(kuid_set_identity, load_id, OUT),
	FIELD(kuid_set_identity, reserved, RESERVED),
};

#define COMMAND_SIZE_MAX 512

/**
 * struct command - what there is to know of a command
 * @writes: it gives an answer
 * @privileged: it is for administrators
 */
struct command {
	const char *name;
	__u32 number;
	__u32 size;
	const struct field *fields;
	__u32 nr_fields;
	bool writes;
	bool privileged;
};

#define COMMAND(name, type, fields, writes, privileged)                   \
	{ #name, KUID_IOC_##name, sizeof(struct type), fields,            \
	  ARRAY_SIZE(fields), writes, privileged }

enum {
	QUERY, GENERATE, SET_FORMAT, STATUS, FORCE_CLOCK, GET_STATE, RESTORE,
	ACKNOWLEDGE, SET_IDENTITY,
};

static const struct command commands[] = {
	COMMAND(QUERY, kuid_query, query_fields, true, false),
	COMMAND(GENERATE, kuid_generate, generate_fields, true, false),
	COMMAND(SET_FORMAT, kuid_set_format, set_format_fields, false, false),
	COMMAND(STATUS, kuid_status, status_fields, true, false),
	COMMAND(FORCE_CLOCK, kuid_force_clock, force_fields, true, true),
	COMMAND(GET_STATE, kuid_state, state_fields, true, false),
	COMMAND(RESTORE, kuid_restore, restore_fields, true, true),
	COMMAND(ACKNOWLEDGE, kuid_acknowledge, acknowledge_fields, false, true),
	COMMAND(SET_IDENTITY, kuid_set_identity, identity_fields, true, true),
};

static bool zero(const void *at, size_t size)
{
	return all_bytes(at, 0, size);
}

/* Out fields hold anything on the way in. */
static void fill_out(struct fuzz_actor *actor, const struct command *c,
		     __u8 *arg)
{
	__u32 i;

	for (i = 0; i < c->nr_fields; i++) {
		const struct field *f = &c->fields[i];

		if (f->kind == OUT)
			memset(arg + f->offset, fuzz_random(actor), f->size);
	}
}

/* Some fields that are not what they ought to be. */
static void mutate(struct fuzz_actor *actor, const struct command *c, __u8 *arg)
{
	__u32 n = 1 + fuzz_below(actor, 3);

	if (fuzz_one_in(actor, 16)) {
		for (n = 0; n < c->size; n++)
			arg[n] = fuzz_random(actor);
		return;
	}
	while (n--) {
		const struct field *f =
			&c->fields[fuzz_below(actor, c->nr_fields)];
		__u64 value = fuzz_number(actor);
		__u32 at = f->offset, half = value;

		if (fuzz_one_in(actor, 2) || f->size > sizeof(value))
			arg[at + fuzz_below(actor, f->size)] ^=
				1 << fuzz_below(actor, 8);
		else if (f->size == sizeof(half))
			memcpy(arg + at, &half, sizeof(half));
		else
			memcpy(arg + at, &value, f->size);
	}
}

static bool reserved_ok(const struct command *c, const __u8 *arg)
{
	__u32 i;

	for (i = 0; i < c->nr_fields; i++) {
		if (c->fields[i].kind == RESERVED &&
		    !zero(arg + c->fields[i].offset, c->fields[i].size))
			return false;
	}
	return true;
}

static void good_identity(struct fuzz_actor *actor,
			  struct kuid_set_identity *set)
{
	/* Few, so that some come again. */
	static const __u64 nodes[] = {
		0x0123456789abULL, 0xffffffffffffULL, 0x010000000000ULL,
	};

	set->flags = fuzz_below(actor, 2);
	if (fuzz_one_in(actor, 4))
		set->interval = 5 + fuzz_below(actor, 6);
	switch (fuzz_below(actor, 8)) {
	case 0:
		set->node_from = KUID_FROM_GIVEN;
		set->node = nodes[fuzz_below(actor, ARRAY_SIZE(nodes))];
		break;
	case 1:
		set->node_from = KUID_FROM_MAC;
		break;
	case 2:
	case 3:
	case 4:
		set->node_from = KUID_FROM_RANDOM;
		break;
	}
	switch (fuzz_below(actor, 4)) {
	case 0:
		set->worker_from = KUID_FROM_GIVEN;
		set->worker = fuzz_number(actor);
		break;
	case 1:
		set->worker_from = fuzz_one_in(actor, 2) ? KUID_FROM_RANDOM :
							   KUID_FROM_HOST;
		break;
	}
}

/* Whether it is the time for floors that no clock comes to any more. */
static bool late(const struct fuzz_actor *actor)
{
	return actor->operation > fuzz_world->operations / 10 * 9;
}

static void good_request(struct fuzz_actor *actor, __u32 nr, void *arg)
{
	struct kuid_acknowledge *acknowledge = arg;
	struct kuid_set_format *set = arg;
	struct kuid_force_clock *force = arg;
	struct kuid_restore *restore = arg;
	struct kuid_query *query = arg;

	switch (nr) {
	case QUERY:
		query->format = fuzz_below(actor, NR_FORMATS + 1);
		break;
	case SET_FORMAT:
		set->format = fuzz_below(actor, NR_FORMATS + 1);
		set->order = fuzz_below(actor, KUID_ORDER_HOST + 1);
		break;
	case FORCE_CLOCK:
		force->flags = KUID_FORCE_CLOCK_MAY_REPEAT;
		break;
	case RESTORE:
		if (fuzz_one_in(actor, 4))
			restore->flags = KUID_RESTORE_FRESH;
		else if (late(actor) && fuzz_one_in(actor, 2))
			restore->floor_ns = KUID_TIME_MAX_NS + 2 -
				fuzz_below(actor, fuzz_one_in(actor, 2) ?
					   4 : KUID_TIME_MAX_NS);
		else
			restore->floor_ns = clock_ns() - NSEC_PER_SEC +
				fuzz_below(actor, 3 * NSEC_PER_SEC);
		break;
	case ACKNOWLEDGE:
		acknowledge->ceiling_ns = clock_ns() +
			fuzz_below(actor, 10 * NSEC_PER_SEC);
		if (fuzz_one_in(actor, 4))
			acknowledge->ceiling_ns = KUID_TIME_MAX_NS + 2 -
						  fuzz_below(actor, 4);
		break;
	case SET_IDENTITY:
		good_identity(actor, arg);
		break;
	}
}

static bool part_ok(__u32 from, __u64 value, __u32 other, __u32 another,
		    __u32 width)
{
	if (from == KUID_FROM_GIVEN)
		return width == 64 || !(value >> width);
	return !value && (!from || from == other || from == another);
}

/* Of what can be known from the request alone: whether it is well-formed. */
static bool request_ok(__u32 nr, const void *arg)
{
	const struct kuid_acknowledge *acknowledge = arg;
	const struct kuid_set_identity *identity = arg;
	const struct kuid_force_clock *force = arg;
	const struct kuid_set_format *set = arg;
	const struct kuid_generate *generate = arg;
	const struct kuid_restore *restore = arg;
	const struct kuid_query *query = arg;

	if (!reserved_ok(&commands[nr], arg))
		return false;
	switch (nr) {
	case QUERY:
		return query->format <= KUID_FORMAT_K128;
	case GENERATE:
		return generate->format <= KUID_FORMAT_K128 &&
		       generate->order <= KUID_ORDER_HOST && generate->count &&
		       generate->count <= 64 << 20;
	case SET_FORMAT:
		return set->format <= KUID_FORMAT_K128 &&
		       set->order <= KUID_ORDER_HOST;
	case FORCE_CLOCK:
		return force->flags == KUID_FORCE_CLOCK_MAY_REPEAT;
	case RESTORE:
		if (restore->flags == KUID_RESTORE_FRESH)
			return !restore->floor_ns;
		return !restore->flags && restore->floor_ns &&
		       restore->floor_ns <= KUID_TIME_MAX_NS;
	case ACKNOWLEDGE:
		return acknowledge->ceiling_ns <= KUID_TIME_MAX_NS;
	case SET_IDENTITY:
		return !(identity->flags & ~KUID_IDENTITY_CONFIRM) &&
		       (!identity->interval || (identity->interval >= 5 &&
						identity->interval <= 10)) &&
		       part_ok(identity->node_from, identity->node,
			       KUID_FROM_RANDOM, KUID_FROM_MAC, 48) &&
		       part_ok(identity->worker_from, identity->worker,
			       KUID_FROM_RANDOM, KUID_FROM_HOST, 64);
	}
	return true;
}

/* What an answer must be, as far as that is known. */
static void check_answer(struct fuzz_actor *actor, __u32 nr,
			 const struct fuzz_call *call, const void *asked,
			 const void *answer)
{
	const struct command *c = &commands[nr];
	const struct kuid_query *query = answer;
	const struct kuid_status *status = answer;
	const struct kuid_state *state = answer;
	const struct format *f;
	__u64 epoch = 0;
	__u32 i;

	for (i = 0; i < c->nr_fields; i++) {
		const struct field *field = &c->fields[i];

		/* The format of a query is answered, too. */
		if (field->kind == OUT || (nr == QUERY && !i))
			continue;
		if (memcmp(asked + field->offset, answer + field->offset,
			   field->size))
			fuzz_fail(actor, "%s changed what is at %u of its request",
				  c->name, field->offset);
	}
	switch (nr) {
	case QUERY:
		i = *(const __u32 *)asked ? : call->format;
		if (!query->format || query->format > NR_FORMATS ||
		    (i && query->format != i)) {
			fuzz_fail(actor, "QUERY answers for format %u",
				  query->format);
			return;
		}
		f = format_of(query->format);
		if (query->formats != 0xfe || query->orders != 0xe ||
		    query->id_size != f->id_size ||
		    query->text_size != f->text_size ||
		    query->rate_max != f->rate ||
		    query->batch_max != 64 << 20 ||
		    !query->clock_resolution_ns ||
		    query->max_ahead_ns != fuzz_world->max_ahead_ns ||
		    query->batch_ahead_ns != query->max_ahead_ns / 2 ||
		    !query->order || query->order > KUID_ORDER_HOST)
			fuzz_fail(actor, "QUERY doesn't answer right");
		break;
	case STATUS:
		if (status->epoch < call->before.epoch ||
		    status->epoch > call->after.epoch ||
		    status->waits < call->before.waits ||
		    status->would_blocks > call->after.would_blocks)
			fuzz_fail(actor, "STATUS doesn't lie between two others");
		break;
	case GET_STATE:
		if (state->interval < 5 || state->interval > 10 ||
		    state->required > 1 || state->restored > 1 ||
		    state->stamp_ns < state->floor_ns ||
		    !state->node_from || !state->worker_from ||
		    state->node >> 48 ||
		    (call->alone &&
		     (state->wall_ns < call->wall_before ||
		      state->wall_ns > call->wall_after)))
			fuzz_fail(actor, "GET_STATE doesn't answer right");
		break;
	case FORCE_CLOCK:
		epoch = ((const struct kuid_force_clock *)answer)->epoch;
		break;
	case RESTORE:
		epoch = ((const struct kuid_restore *)answer)->epoch;
		break;
	case SET_IDENTITY:
		epoch = ((const struct kuid_set_identity *)answer)->epoch;
		break;
	}
	if (epoch && (epoch <= call->before.epoch ||
		      epoch > call->after.epoch))
		fuzz_fail(actor, "%s says epoch %llu, between %llu and %llu",
			  c->name, (unsigned long long)epoch,
			  (unsigned long long)call->before.epoch,
			  (unsigned long long)call->after.epoch);
}

static int get_state(struct kuid_state *state)
{
	memset(state, 0, sizeof(*state));
	return ioctl(fuzz_world->watch_fd, KUID_IOC_GET_STATE, state);
}

/*
 * What became of it must be as the state before and after has it. Forced to go
 * back, clocks have forgotten what was given.
 */
static void check_outcome(struct fuzz_actor *actor, __u32 nr,
			  const struct fuzz_call *call, const void *arg,
			  const struct kuid_state *before, __u32 forces)
{
	const struct kuid_set_identity *identity = arg;
	const struct kuid_acknowledge *acknowledge = arg;
	struct kuid_state after;
	__u64 end;

	if (get_state(&after))
		return;
	if (nr == ACKNOWLEDGE && !fuzz_changed(&fuzz_world->forces, forces)) {
		end = before->slot_ns > before->stamp_ns ? before->slot_ns :
							   before->stamp_ns;
		if (!call->error && acknowledge->ceiling_ns < end)
			fuzz_fail(actor, "a ceiling below what was given");
		end = after.slot_ns > after.stamp_ns ? after.slot_ns :
						       after.stamp_ns;
		if (call->error == EINVAL && acknowledge->ceiling_ns >= end)
			fuzz_fail(actor, "a ceiling above all was refused");
	}
	if (nr == ACKNOWLEDGE && !call->error && call->alone &&
	    after.ceiling_ns != acknowledge->ceiling_ns)
		fuzz_fail(actor, "a ceiling was not kept");
	if (nr == RESTORE && !call->error && !after.restored)
		fuzz_fail(actor, "a restore was not kept");
	if (!call->alone || nr != SET_IDENTITY || call->error == EFAULT)
		return;
	if (call->error) {
		after.wall_ns = before->wall_ns;
		after.slot_ns = before->slot_ns;
		after.stamp_ns = before->stamp_ns;
		if (call->before.epoch == call->after.epoch &&
		    memcmp(before, &after, sizeof(after)))
			fuzz_fail(actor, "refused, but the state has changed");
		return;
	}
	if ((identity->interval && after.interval != identity->interval) ||
	    (identity->node_from && after.node_from != identity->node_from) ||
	    (identity->node_from == KUID_FROM_GIVEN &&
	     after.node != identity->node) ||
	    (identity->worker_from &&
	     after.worker_from != identity->worker_from) ||
	    (identity->worker_from == KUID_FROM_GIVEN &&
	     after.worker != identity->worker))
		fuzz_fail(actor, "the identity is not what was asked for");
}

/* Whether an error of a command that is well-formed is among its own. */
static bool own_error(struct fuzz_actor *actor, __u32 nr,
		      const struct fuzz_call *call, const void *arg)
{
	const struct kuid_set_identity *identity = arg;

	switch (call->error) {
	case EBUSY:
		return nr == SET_FORMAT && call->file->taken;
	case ENODEV:
		return nr == SET_IDENTITY &&
		       identity->node_from == KUID_FROM_MAC;
	case EINVAL:
		/* See check_outcome(). */
		return nr == ACKNOWLEDGE;
	case EINTR:
		return nr == GENERATE && fuzz_call_ended(call);
	case EAGAIN:
		return nr == GENERATE && fuzz_call_blocked(call);
	case ESTALE:
		return nr == GENERATE && fuzz_call_refused(call);
	}
	return false;
}

/* The order in which faults are found; 0 if none of these must be. */
static int first_fault(const struct fuzz_actor *actor,
		       const struct fuzz_call *call, __u32 nr,
		       const struct fuzz_place *place, const void *arg)
{
	const struct command *c = &commands[nr];

	if (call->file->path)
		return -EBADF;
	if (c->privileged && !actor->privileged)
		return -EPERM;
	if (place->readable < c->size)
		return -EFAULT;
	if (!request_ok(nr, arg))
		return -EINVAL;
	return 0;
}

/*
 * Do it, and see that what it says is right. @arg is what is asked, and what is
 * answered then. Returns whether it was done, and if so all can be looked at.
 */
static bool command(struct fuzz_actor *actor, struct fuzz_call *call, __u32 nr,
		    __u8 *arg, bool faulty_buffer)
{
	const struct command *c = &commands[nr];
	struct fuzz_place place = fuzz_memory_any(actor, c->size);
	__u8 asked[COMMAND_SIZE_MAX];
	int expected, ret;
	bool done;

	memcpy(asked, arg, c->size);
	if (place.alias)
		memcpy(place.alias, arg, place.readable);
	fuzz_call_begin(actor, call);
	expected = first_fault(actor, call, nr, &place, arg);
	ret = ioctl(call->fd, c->number, place.at);
	fuzz_call_end(actor, call, ret);

	done = !call->error;
	if (ret > 0) {
		fuzz_fail(actor, "%s returns %d", c->name, ret);
	} else if (call->error == EBADF && fuzz_gone(call)) {
		/* Closed by someone else. */
	} else if (expected) {
		if (call->error != -expected)
			fuzz_fail(actor, "%s: errno %d, not %d", c->name,
				  call->error, -expected);
	} else if (call->error == EFAULT) {
		if (!faulty_buffer && !(c->writes && place.writable < c->size))
			fuzz_fail(actor, "%s: EFAULT of good memory", c->name);
		done = c->writes && place.writable < c->size;
	} else if (!call->error) {
		if (c->writes && place.writable < c->size)
			fuzz_fail(actor, "%s: an answer where none can be written",
				  c->name);
	} else if (!own_error(actor, nr, call, arg)) {
		fuzz_fail(actor, "%s: errno %d", c->name, call->error);
	}

	if (place.readable == c->size && call->error && call->error != EFAULT &&
	    memcmp(place.alias, asked, c->size))
		fuzz_fail(actor, "%s: an answer, and errno %d", c->name,
			  call->error);
	if (!fuzz_memory_untouched(actor, place.at, place.writable))
		fuzz_fail(actor, "%s: bytes around its request were written",
			  c->name);
	if (!call->error && place.readable == c->size) {
		memcpy(arg, place.alias, c->size);
		check_answer(actor, nr, call, asked, arg);
	}
	fuzz_memory_done(actor, &place);
	return done;
}

void fuzz_generate(struct fuzz_actor *actor)
{
	struct kuid_generate g = { 0 }, asked;
	struct fuzz_place to;
	struct fuzz_call call;
	__u32 format, order;
	bool all = false, faulty;
	size_t size;
	__u8 *ids;

	if (!fuzz_use(actor, &call))
		return;
	g.format = fuzz_one_in(actor, 2) ? 0 :
					   fuzz_below(actor, NR_FORMATS + 1);
	g.order = fuzz_one_in(actor, 2) ?
		  0 : fuzz_below(actor, KUID_ORDER_HOST + 1);
	g.count = fuzz_one_in(actor, 2) ? 1 :
		  fuzz_one_in(actor, 16) ? 1 + fuzz_below(actor, 4096) :
					   1 + fuzz_below(actor, 64);
	/* The request lies elsewhere. */
	fuzz_memory_swap(actor);
	to = fuzz_memory_any(actor, g.count * 16);
	fuzz_memory_swap(actor);
	faulty = to.writable < g.count * 16;
	g.buffer = (uintptr_t)to.at;
	fill_out(actor, &commands[GENERATE], (__u8 *)&g);
	if (fuzz_one_in(actor, 4)) {
		mutate(actor, &commands[GENERATE], (__u8 *)&g);
		g.buffer = fuzz_memory_aside(actor, g.buffer);
		/* Nothing is known of what is there then. */
		faulty = true;
		all = true;
	}
	asked = g;
	fuzz_asks(&call);
	command(actor, &call, GENERATE, (__u8 *)&g, faulty);
	if (call.error == EBADF || !request_ok(GENERATE, &asked))
		fuzz_never_asked(&call);
	else if (call.error != EFAULT)
		fuzz_asked(&call);
	if (!call.error) {
		format = asked.format ? : call.format;
		order = asked.order ? : call.order;
		if (!g.done || g.done > asked.count)
			fuzz_fail(actor, "GENERATE did %u of %u", g.done,
				  asked.count);
		else if (g.done < asked.count && !faulty &&
			 !fuzz_call_cut(&call, order))
			fuzz_fail(actor, "GENERATE did only %u of %u", g.done,
				  asked.count);
		size = format ? (size_t)g.done * format_of(format)->id_size : 0;
		ids = (__u8 *)(uintptr_t)asked.buffer;
		if (size && ids >= actor->other_room &&
		    ids + size <= actor->other_room + FUZZ_ROOM)
			fuzz_book_ids(actor, &call, format, order, g.epoch, ids,
				      g.done, asked.count > 1);
	}
	fuzz_memory_swap(actor);
	if (!all && !fuzz_memory_untouched(actor, to.at, to.writable))
		fuzz_fail(actor, "GENERATE wrote around its buffer");
	fuzz_memory_done(actor, &to);
	/* Wherever it went. */
	if (all)
		memset(actor->room, POISON, FUZZ_ROOM);
	fuzz_memory_swap(actor);
	fuzz_unuse(&call);
}

/* QUERY and STATUS, as they are or mutated. */
void fuzz_ask(struct fuzz_actor *actor)
{
	__u32 nr = fuzz_one_in(actor, 2) ? QUERY : STATUS;
	__u8 arg[COMMAND_SIZE_MAX] = { 0 };
	struct fuzz_call call;

	if (!fuzz_use(actor, &call))
		return;
	good_request(actor, nr, arg);
	fill_out(actor, &commands[nr], arg);
	if (fuzz_one_in(actor, 2))
		mutate(actor, &commands[nr], arg);
	command(actor, &call, nr, arg, false);
	fuzz_unuse(&call);
}

void fuzz_set_format(struct fuzz_actor *actor)
{
	struct kuid_set_format set = { 0 };
	struct fuzz_call call;
	__u32 taken;

	if (!fuzz_use(actor, &call))
		return;
	good_request(actor, SET_FORMAT, &set);
	if (fuzz_one_in(actor, 3))
		mutate(actor, &commands[SET_FORMAT], (__u8 *)&set);
	fuzz_lock();
	call.file->setting++;
	call.file->sets++;
	fuzz_unlock();
	taken = call.file->taken;
	command(actor, &call, SET_FORMAT, (__u8 *)&set, false);
	fuzz_lock();
	if (!call.error) {
		/* The last of those at the same time is not known. */
		if (call.file->setting > 1)
			call.file->sets++;
		call.file->format = set.format ? : call.file->format;
		call.file->order = set.order ? : call.file->order;
	}
	call.file->setting--;
	fuzz_unlock();
	if (!call.error && taken == FUZZ_TAKEN)
		fuzz_fail(actor, "SET_FORMAT of a file that gave IDs");
	fuzz_unuse(&call);
}

void fuzz_administer(struct fuzz_actor *actor)
{
	__u32 nr = FORCE_CLOCK + fuzz_below(actor, SET_IDENTITY -
					    FORCE_CLOCK + 1);
	__u8 arg[COMMAND_SIZE_MAX] = { 0 };
	struct kuid_set_identity *identity = (void *)arg;
	struct kuid_state before;
	struct fuzz_call call;
	__u32 forces;
	bool known;

	if (!fuzz_use(actor, &call))
		return;
	good_request(actor, nr, arg);
	fill_out(actor, &commands[nr], arg);
	if (fuzz_one_in(actor, 3))
		mutate(actor, &commands[nr], arg);
	if (nr == SET_IDENTITY) {
		/* As decode() expects it of a node. */
		if (identity->node_from == KUID_FROM_GIVEN)
			identity->node |= 1ULL << 40;
		/* Others may be looking at IDs of the former one. */
		if (__atomic_load_n(&fuzz_world->actors, __ATOMIC_SEQ_CST) > 1)
			identity->interval = 0;
	}
	/* A floor at the end of all times is for later. */
	if (nr == RESTORE && !late(actor)) {
		__u64 *floor = &((struct kuid_restore *)arg)->floor_ns;

		if (*floor > clock_ns() + 3600 * NSEC_PER_SEC &&
		    *floor <= KUID_TIME_MAX_NS)
			*floor = clock_ns();
	}
	forces = fuzz_changes_of(&fuzz_world->forces);
	known = actor->privileged && !get_state(&before);
	if (nr == FORCE_CLOCK)
		fuzz_change_begin(&fuzz_world->forces);
	command(actor, &call, nr, arg, false);
	if (nr == FORCE_CLOCK)
		fuzz_change_end(&fuzz_world->forces);
	if (known && request_ok(nr, arg) && !call.file->path &&
	    call.error != EBADF)
		check_outcome(actor, nr, &call, arg, &before, forces);
	if (nr == SET_IDENTITY && known && call.alone && !get_state(&before))
		fuzz_book_interval(before.interval);
	fuzz_unuse(&call);
}

/* All but what the kernel itself has for any file. */
void fuzz_unknown_command(struct fuzz_actor *actor)
{
	__u32 number = fuzz_random(actor);
	struct fuzz_call call;
	int ret;
	__u32 i;

	if (!fuzz_use(actor, &call))
		return;
	switch (fuzz_below(actor, 4)) {
	case 0:
		number = commands[fuzz_below(actor, ARRAY_SIZE(commands))]
			 .number ^ 1U << fuzz_below(actor, 32);
		break;
	case 1:
		number = commands[fuzz_below(actor, ARRAY_SIZE(commands))]
			 .number ^ fuzz_below(actor, 1 << 14) << 16;
		break;
	case 2:
		number = (number & 0xffff00ff) | KUID_IOC_MAGIC << 8;
		break;
	}
	/* The kernel's own have no such type. */
	number |= 0x8000;
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (number == commands[i].number)
			number = _IO(KUID_IOC_MAGIC, 0xff);
	}
	fuzz_call_begin(actor, &call);
	ret = ioctl(call.fd, number, fuzz_memory_any(actor, 64).at);
	fuzz_call_end(actor, &call, ret);
	if (call.error != ENOTTY &&
	    !(call.error == EBADF && (call.file->path || fuzz_gone(&call))))
		fuzz_fail(actor, "command %08x: %d, errno %d", number, ret,
			  call.error);
	fuzz_unuse(&call);
}
