// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's commands: each request is good, is changed in some fields, or is
 * junk, and lies in good memory or bad. Whether the kernel refuses a bad field is
 * left to the tests of commands/, state/ and identity/, which have each in a table.
 */
#include "fuzz.h"

#include "../lib/commands.h"

/* Not in the table, whose commands succeed without a claim. */
static const struct field raise_fields[] = {
	FIELD(kuid_claim_ceiling, ceiling_ns, IN),
	FIELD(kuid_claim_ceiling, flags, BITS, KUID_CLAIM_END),
	FIELD(kuid_claim_ceiling, reserved0, BITS, 0),
	FIELD(kuid_claim_ceiling, load_id, IN),
	FIELD(kuid_claim_ceiling, token, IN),
	FIELD(kuid_claim_ceiling, reserved, BITS, 0),
};

static const struct command raise_ceiling = {
	.name = "CLAIM_CEILING",
	.cmd = KUID_IOC_CLAIM_CEILING,
	.size = sizeof(struct kuid_claim_ceiling),
	.capability = CAP_SYS_TIME,
	.fields = raise_fields,
	.nr_fields = ARRAY_SIZE(raise_fields),
};

/* A random command that has no operation of its own. */
static const struct command *pick_command(struct fuzz_actor *actor,
					  bool privileged)
{
	const struct command *c;

	/* In a soak all slots and all epochs must go on. */
	if (privileged && fuzz_world->soaks)
		return command_of(KUID_IOC_SET_IDENTITY);
	if (privileged && fuzz_one_in(actor, 6))
		return &raise_ceiling;
	do {
		c = &commands[fuzz_below(actor, NR_COMMANDS)];
	} while (c->cmd == KUID_IOC_GENERATE || c->cmd == KUID_IOC_SET_FORMAT ||
		 (c->capability != NO_CAPABILITY) != privileged);
	return c;
}

/* Change some fields, at random. Returns whether the request may be bad now. */
static bool mutate(struct fuzz_actor *actor, const struct command *c,
		   void *request)
{
	__u8 *arg = request;
	__u32 n = 1 + fuzz_below(actor, 3);

	if (fuzz_world->soaks || !fuzz_one_in(actor, 3))
		return false;
	if (fuzz_one_in(actor, 16)) {
		for (n = 0; n < c->size; n++)
			arg[n] = fuzz_random(actor);
		return true;
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
	return true;
}

static void random_identity(struct fuzz_actor *actor,
			    struct kuid_set_identity *set)
{
	/* Few different nodes, so that some are given again. */
	static const __u64 nodes[] = {
		FUZZ_GIVEN_NODE, 0xffffffffffffULL, 0x010000000000ULL,
	};

	set->flags = fuzz_below(actor, 2);
	switch (fuzz_below(actor, 8)) {
	case 0:
		set->node_from = KUID_FROM_GIVEN;
		set->node = fuzz_world->soaks ?
			FUZZ_GIVEN_NODE + fuzz_below(actor, FUZZ_GIVEN_NODES) :
			nodes[fuzz_below(actor, ARRAY_SIZE(nodes))];
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
	if (fuzz_one_in(actor, 4)) {
		set->snowflake_from = KUID_FROM_GIVEN;
		set->snowflake_worker = fuzz_below(actor, 1024);
	}
}

/* No clock of the round comes to the ceiling, unless it is set to the end. */
static __u64 random_ceiling(struct fuzz_actor *actor)
{
	return KUID_TIME_MAX_NS - fuzz_below(actor, NSEC_PER_SEC);
}

static void random_times(struct fuzz_actor *actor, struct kuid_claim *claim)
{
	claim->floor_ns = clock_ns() - fuzz_below(actor, NSEC_PER_SEC);
	claim->ceiling_ns = random_ceiling(actor);
}

static int get_state(struct kuid_state *state)
{
	memset(state, 0, sizeof(*state));
	return ioctl(fuzz_world->watch_fd, KUID_IOC_GET_STATE, state);
}

static void random_claim(struct fuzz_actor *actor, struct kuid_claim *claim)
{
	struct kuid_state state;

	get_state(&state);
	claim->load_id = state.load_id;
	if ((state.claim_token[0] || state.claim_token[1]) && !state.claim_dead)
		memcpy(claim->replaces, state.claim_token,
		       sizeof(claim->replaces));
	if (fuzz_one_in(actor, 4))
		return;
	claim->token[fuzz_below(actor, 2)] = 1 + fuzz_random(actor);
	claim->snowflake_epoch_ms = state.snowflake_epoch_ms;
	claim->interval = state.interval;
	claim->parts = 1 + fuzz_below(actor, 3);
	if (claim->parts & KUID_CLAIM_WORKER)
		claim->worker = fuzz_number(actor);
	if (claim->parts & KUID_CLAIM_SNOWFLAKE)
		claim->snowflake_worker = fuzz_below(actor, 1024);
	random_times(actor, claim);
}

static void name_claim(struct kuid_claim_ceiling *raise)
{
	struct kuid_state state;

	get_state(&state);
	raise->load_id = state.load_id;
	memcpy(raise->token, state.claim_token, sizeof(raise->token));
}

/* Whether the round is late enough for floors that no clock reaches again. */
static bool late(const struct fuzz_actor *actor)
{
	return actor->operation > fuzz_world->operations / 10 * 9;
}

/* Begin a cover, go back or set the ceiling. good_request() has named it. */
static void random_cover(struct fuzz_actor *actor, struct kuid_cover *cover)
{
	cover->ceiling_ns = clock_ns() + fuzz_below(actor, 10 * NSEC_PER_SEC);
	if (fuzz_one_in(actor, 4))
		cover->ceiling_ns = KUID_TIME_MAX_NS + 2 - fuzz_below(actor, 4);
	if (fuzz_one_in(actor, 2)) {
		cover->flags = 0;
		return;
	}
	if (fuzz_one_in(actor, 3))
		cover->flags |= KUID_COVER_BACK;
	if (fuzz_one_in(actor, 4))
		return;
	if (late(actor) && fuzz_one_in(actor, 2))
		cover->floor_ns = KUID_TIME_MAX_NS + 2 -
			fuzz_below(actor, fuzz_one_in(actor, 2) ?
				   4 : KUID_TIME_MAX_NS);
	else
		cover->floor_ns = clock_ns() - NSEC_PER_SEC +
			fuzz_below(actor, 3 * NSEC_PER_SEC);
}

/* Fill in a valid request; fields that the command ignores hold anything. */
static void random_request(struct fuzz_actor *actor, const struct command *c,
			   void *arg)
{
	struct kuid_claim_ceiling *raise = arg;
	struct kuid_set_format *set = arg;
	struct kuid_cover *cover = arg;
	struct kuid_query *query = arg;

	good_request(c, arg, NULL, fuzz_random(actor));
	switch (c->cmd) {
	case KUID_IOC_QUERY:
		query->format = fuzz_below(actor, NR_FORMATS + 1);
		break;
	case KUID_IOC_SET_FORMAT:
		set->format = fuzz_below(actor, NR_FORMATS + 1);
		set->order = fuzz_below(actor, KUID_ORDER_HOST + 1);
		break;
	case KUID_IOC_COVER:
		random_cover(actor, cover);
		break;
	case KUID_IOC_SET_IDENTITY:
		random_identity(actor, arg);
		break;
	case KUID_IOC_CLAIM:
		random_claim(actor, arg);
		break;
	case KUID_IOC_CLAIM_CEILING:
		name_claim(raise);
		if (fuzz_one_in(actor, 4))
			raise->flags = KUID_CLAIM_END;
		else
			raise->ceiling_ns = random_ceiling(actor);
		break;
	}
}

/*
 * The request is still there, and a new epoch is one that began during the
 * call. query.c, status.c, saved_state.c and answer.c check the other answers.
 */
static void check_answer(struct fuzz_actor *actor, const struct command *c,
			 const struct fuzz_call *call, const void *asked,
			 const void *answer)
{
	const struct kuid_set_identity *identity = answer;
	const struct kuid_cover *cover = answer;
	const struct kuid_claim *claim = answer;
	__u64 epoch = 0;
	__u32 i;

	for (i = 0; i < c->nr_fields; i++) {
		const struct field *field = &c->fields[i];

		/* The format of a query and a ceiling are answered, too. */
		if (!i && (c->cmd == KUID_IOC_QUERY ||
			   c->cmd == KUID_IOC_CLAIM_CEILING))
			continue;
		if (memcmp(asked + field->offset, answer + field->offset,
			   field->size))
			fuzz_fail(actor, "%s changed what is at %u of its request",
				  c->name, field->offset);
	}
	if (c->cmd == KUID_IOC_COVER && cover->flags)
		epoch = cover->epoch;
	else if (c->cmd == KUID_IOC_SET_IDENTITY)
		epoch = identity->epoch;
	else if (c->cmd == KUID_IOC_CLAIM)
		epoch = claim->epoch;
	if (epoch && (epoch <= call->before.epoch ||
		      epoch > call->after.epoch))
		fuzz_fail(actor, "%s says epoch %llu, between %llu and %llu",
			  c->name, (unsigned long long)epoch,
			  (unsigned long long)call->before.epoch,
			  (unsigned long long)call->after.epoch);
}

static bool goes_back(const struct command *c, const void *arg)
{
	return c->cmd == KUID_IOC_COVER &&
	       ((const struct kuid_cover *)arg)->flags & KUID_COVER_BACK;
}

/* Whether a well-formed request may fail with this error. */
static bool own_error(struct fuzz_actor *actor, const struct command *c,
		      const struct fuzz_call *call, const void *arg)
{
	const struct kuid_set_identity *identity = arg;

	switch (call->error) {
	case EOPNOTSUPP:
		/* Another actor may have given the node. */
		return c->cmd == KUID_IOC_PRIVATE_LANE;
	case EBUSY:
		/*
		 * Another actor may have claimed numbers, or have got a node
		 * for a private lane.
		 */
		return c->cmd == KUID_IOC_SET_FORMAT ||
		       goes_back(c, arg) || c->cmd == KUID_IOC_CLAIM ||
		       (c->cmd == KUID_IOC_SET_IDENTITY &&
			(identity->worker_from || identity->snowflake_from ||
			 node_is_random(identity->node)));
	case ENODEV:
		return c->cmd == KUID_IOC_SET_IDENTITY &&
		       identity->node_from == KUID_FROM_MAC;
	case EINVAL:
		/* The clock may be at its end. */
		return c->cmd == KUID_IOC_COVER ||
		       c->cmd == KUID_IOC_CLAIM ||
		       c->cmd == KUID_IOC_CLAIM_CEILING;
	case EINTR:
		return c->cmd == KUID_IOC_GENERATE && fuzz_call_ended(call);
	case EAGAIN:
		return c->cmd == KUID_IOC_GENERATE && fuzz_call_blocked(call);
	case ENODATA:
		if (c->cmd == KUID_IOC_COVER)
			return !((const struct kuid_cover *)arg)->flags;
		return false;
	case ESTALE:
		/* Another actor may have begun a cover. */
		return c->cmd == KUID_IOC_COVER || c->cmd == KUID_IOC_CLAIM ||
		       c->cmd == KUID_IOC_CLAIM_CEILING ||
		       (c->cmd == KUID_IOC_GENERATE && fuzz_call_refused(call));
	case EKEYEXPIRED:
		return c->cmd == KUID_IOC_GENERATE && fuzz_call_expired(call);
	case ENOKEY:
		/* See below. */
		return c->cmd == KUID_IOC_GENERATE;
	case EOVERFLOW:
		/* As in fuzz_call_lacks(), but of the format asked for. */
		return c->cmd == KUID_IOC_GENERATE;
	}
	return false;
}

/*
 * Run a command and check its result. @arg is the request, and afterwards the
 * answer. @bad says that the kernel may refuse it.
 */
static void command(struct fuzz_actor *actor, struct fuzz_call *call,
		    const struct command *c, void *arg, bool bad,
		    bool faulty_buffer)
{
	struct fuzz_place place = fuzz_memory_any(actor, c->size);
	const struct kuid_generate *generate = arg;
	__u8 asked[ARG_MAX_SIZE];
	bool unanswered;
	int ret;

	memcpy(asked, arg, c->size);
	if (place.alias)
		memcpy(place.alias, arg, place.readable);
	fuzz_call_begin(actor, call);
	if (c->cmd == KUID_IOC_GENERATE)
		call->nowait |= generate->flags & KUID_GENERATE_NOWAIT;
	ret = ioctl(call->fd, c->cmd, place.at);
	fuzz_call_end(actor, call, ret);

	unanswered = answers(c) && place.writable < c->size;
	if (ret > 0) {
		fuzz_fail(actor, "%s returns %d", c->name, ret);
	} else if (call->error == EBADF && fuzz_gone(call)) {
		/* Another actor has closed the file. */
	} else if (place.readable < c->size) {
		if (call->error != EFAULT)
			fuzz_fail(actor, "%s: errno %d of an unreadable request",
				  c->name, call->error);
	} else if (call->error == EFAULT) {
		if (!faulty_buffer && !unanswered)
			fuzz_fail(actor, "%s: EFAULT of good memory", c->name);
	} else if (!call->error) {
		if (unanswered)
			fuzz_fail(actor, "%s: an answer where none can be written",
				  c->name);
	} else if (!(bad && call->error == EINVAL) &&
		   !own_error(actor, c, call, arg)) {
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
		check_answer(actor, c, call, asked, arg);
	}
	fuzz_memory_done(actor, &place);
}

void fuzz_generate(struct fuzz_actor *actor, struct fuzz_call *call)
{
	const struct command *c = command_of(KUID_IOC_GENERATE);
	struct kuid_generate g, asked;
	struct fuzz_place to;
	__u32 format, order;
	bool all = false, faulty;
	size_t size;
	__u8 *ids;

	good_request(c, &g, NULL, fuzz_random(actor));
	g.format = fuzz_one_in(actor, 2) ? 0 :
					   fuzz_below(actor, NR_FORMATS + 1);
	g.order = fuzz_one_in(actor, 2) ?
		  0 : fuzz_below(actor, KUID_ORDER_HOST + 1);
	g.count = fuzz_count_of_ids(actor);
	g.flags = fuzz_one_in(actor, 4) ? KUID_GENERATE_NOWAIT : 0;
	/* The request lies elsewhere. */
	fuzz_memory_swap(actor);
	to = fuzz_memory_any(actor, g.count * 16);
	fuzz_memory_swap(actor);
	faulty = to.writable < g.count * 16;
	g.buffer = (uintptr_t)to.at;
	if (mutate(actor, c, &g)) {
		g.buffer = fuzz_memory_aside(actor, g.buffer);
		/* Nothing is known of what is there then. */
		faulty = true;
		all = true;
	}
	asked = g;
	command(actor, call, c, &g, all, faulty);
	if (!call->error) {
		format = asked.format ? : call->format;
		order = asked.order ? : call->order;
		if (!g.done || g.done > asked.count)
			fuzz_fail(actor, "GENERATE did %u of %u", g.done,
				  asked.count);
		else if (g.done < asked.count && !faulty &&
			 !fuzz_call_cut(call, order))
			fuzz_fail(actor, "GENERATE did only %u of %u", g.done,
				  asked.count);
		size = format ? (size_t)g.done * format_of(format)->id_size : 0;
		ids = (__u8 *)(uintptr_t)asked.buffer;
		if (size && ids >= actor->other_room &&
		    ids + size <= actor->other_room + FUZZ_ROOM)
			fuzz_book_ids(actor, call, format, order, g.epoch, ids,
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
}

/* Commands for all users, with good requests and with mutated ones. */
void fuzz_ask(struct fuzz_actor *actor, struct fuzz_call *call)
{
	const struct command *c = pick_command(actor, false);
	__u8 arg[ARG_MAX_SIZE] = { 0 };

	random_request(actor, c, arg);
	command(actor, call, c, arg, mutate(actor, c, arg), false);
}

void fuzz_set_format(struct fuzz_actor *actor, struct fuzz_call *call)
{
	const struct command *c = command_of(KUID_IOC_SET_FORMAT);
	struct kuid_set_format set;
	bool bad;

	random_request(actor, c, &set);
	bad = mutate(actor, c, &set);
	fuzz_lock();
	call->file->setting++;
	call->file->sets++;
	fuzz_unlock();
	command(actor, call, c, &set, bad, false);
	fuzz_lock();
	if (!call->error) {
		/* Of several changes at once, the last is not known. */
		if (call->file->setting > 1)
			call->file->sets++;
		call->file->format = set.format ? : call->file->format;
		call->file->order = set.order ? : call->file->order;
	}
	call->file->setting--;
	fuzz_unlock();
}

void fuzz_administer(struct fuzz_actor *actor, struct fuzz_call *call)
{
	const struct command *c = pick_command(actor, true);
	__u8 arg[ARG_MAX_SIZE] = { 0 };
	struct kuid_set_identity *identity = (void *)arg;
	struct kuid_claim_ceiling *raise = (void *)arg;
	bool bad = false;

	random_request(actor, c, arg);
	if (c->cmd == KUID_IOC_SET_IDENTITY) {
		bad = mutate(actor, c, arg);
		/* decode() accepts only nodes with this bit. */
		if (identity->node_from == KUID_FROM_GIVEN &&
		    !fuzz_world->soaks)
			identity->node |= 1ULL << 40;
	}
	/* Others could not tell what the end of a claim keeps from them. */
	if (c->cmd == KUID_IOC_CLAIM_CEILING &&
	    __atomic_load_n(&fuzz_world->actors, __ATOMIC_SEQ_CST) > 1) {
		raise->ceiling_ns = random_ceiling(actor);
		raise->flags = 0;
	}
	if (goes_back(c, arg))
		fuzz_change_begin(&fuzz_world->forces);
	command(actor, call, c, arg, bad, false);
	if (goes_back(c, arg))
		fuzz_change_end(&fuzz_world->forces);
}
