// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fuzzer's commands: each request is good, is changed in some fields, or is
 * junk, and lies in good memory or bad. The expected answer follows from the
 * table of commands and, where a field has rules of its own, from linux/kuid.h.
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

/* Make some fields of a request invalid. */
static void mutate(struct fuzz_actor *actor, const struct command *c, __u8 *arg)
{
	__u32 n = 1 + fuzz_below(actor, 3);

	if (fuzz_world->soaks)
		return;
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

/* Whether the fields have no unknown bits, and no number that is too high. */
static bool fields_ok(const struct command *c, const __u8 *arg)
{
	__u32 i, value;

	for (i = 0; i < c->nr_fields; i++) {
		const struct field *f = &c->fields[i];

		if (f->use != BITS && f->use != UP_TO)
			continue;
		memcpy(&value, arg + f->offset, sizeof(value));
		if (f->use == UP_TO ? value > f->known : value & ~f->known)
			return false;
		if (!all_bytes(arg + f->offset + sizeof(value), 0,
			       f->size - sizeof(value)))
			return false;
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

static bool is_none(const __u64 token[2])
{
	return !token[0] && !token[1];
}

static bool is_same(const __u64 token[2], const __u64 other[2])
{
	return token[0] == other[0] && token[1] == other[1];
}

static bool claim_lives(const struct kuid_state *state)
{
	return !is_none(state->claim_token) && !state->claim_dead;
}

static void random_claim(struct fuzz_actor *actor, struct kuid_claim *claim)
{
	struct kuid_state state;

	get_state(&state);
	claim->load_id = state.load_id;
	if (claim_lives(&state))
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

static bool part_ok(__u32 from, __u64 value, __u32 other, __u32 another,
		    __u32 width)
{
	if (from == KUID_FROM_GIVEN)
		return width == 64 || !(value >> width);
	return !value && (!from || from == other || from == another);
}

/* Whether a request is well-formed, as far as the request alone can tell. */
static bool request_ok(const struct command *c, const void *arg)
{
	const struct kuid_set_identity *identity = arg;
	const struct kuid_claim_ceiling *raise = arg;
	const struct kuid_generate *generate = arg;
	const struct kuid_cover *cover = arg;
	const struct kuid_claim *claim = arg;

	if (!fields_ok(c, arg))
		return false;
	switch (c->cmd) {
	case KUID_IOC_GENERATE:
		return generate->count && generate->count <= 64 << 20;
	case KUID_IOC_COVER:
		if (cover->ceiling_ns > KUID_TIME_MAX_NS)
			return false;
		if (!(cover->flags & KUID_COVER_BEGIN))
			return !cover->flags && !cover->floor_ns &&
			       !cover->again_from_ns && !cover->again_until_ns;
		return cover->floor_ns < cover->ceiling_ns &&
		       cover->again_from_ns <= cover->again_until_ns &&
		       cover->again_until_ns <= KUID_TIME_MAX_NS;
	case KUID_IOC_SET_IDENTITY:
		return part_ok(identity->node_from, identity->node,
			       KUID_FROM_RANDOM, KUID_FROM_MAC, 48) &&
		       part_ok(identity->worker_from, identity->worker,
			       KUID_FROM_RANDOM, KUID_FROM_HOST, 64) &&
		       part_ok(identity->snowflake_from,
			       identity->snowflake_worker, KUID_FROM_WORKER,
			       KUID_FROM_WORKER, 10);
	case KUID_IOC_CLAIM:
		if ((!(claim->parts & KUID_CLAIM_WORKER) && claim->worker) ||
		    (!(claim->parts & KUID_CLAIM_SNOWFLAKE) &&
		     claim->snowflake_worker) ||
		    claim->snowflake_worker > KUID_SNOWFLAKE_WORKER_MAX)
			return false;
		if (!claim->parts != is_none(claim->token))
			return false;
		if (!claim->parts)
			return !claim->floor_ns && !claim->ceiling_ns &&
			       !claim->snowflake_epoch_ms && !claim->interval;
		return claim->floor_ns < claim->ceiling_ns &&
		       claim->ceiling_ns <= KUID_TIME_MAX_NS;
	case KUID_IOC_CLAIM_CEILING:
		if (raise->flags)
			return !raise->ceiling_ns;
		return raise->ceiling_ns &&
		       raise->ceiling_ns <= KUID_TIME_MAX_NS;
	}
	return true;
}

/* Check an answer, as far as the right answer is known. */
static void check_answer(struct fuzz_actor *actor, const struct command *c,
			 const struct fuzz_call *call, const void *asked,
			 const void *answer)
{
	const struct kuid_private_lane *lane = answer;
	const struct kuid_query *query = answer;
	const struct kuid_status *status = answer;
	const struct kuid_state *state = answer;
	const struct format *f;
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
	switch (c->cmd) {
	case KUID_IOC_QUERY:
		i = *(const __u32 *)asked ? : call->format;
		if (!query->format || query->format > NR_FORMATS ||
		    (i && query->format != i)) {
			fuzz_fail(actor, "QUERY answers for format %u",
				  query->format);
			return;
		}
		f = format_of(query->format);
		if (query->formats != (2ULL << LAST_FORMAT) - 2 ||
		    query->orders != 0xe ||
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
	case KUID_IOC_STATUS:
		if (status->epoch < call->before.epoch ||
		    status->epoch > call->after.epoch ||
		    status->waits < call->before.waits ||
		    status->would_blocks > call->after.would_blocks)
			fuzz_fail(actor, "STATUS doesn't lie between two others");
		break;
	case KUID_IOC_GET_STATE:
		if (state->interval < 5 || state->interval > 10 ||
		    state->required > 1 || !state->cover_epoch != !state->cover_load_id ||
		    state->stamp_ns < state->floor_ns ||
		    state->again_until_ns < state->again_from_ns ||
		    !state->node_from || !state->worker_from ||
		    state->node >> 48 ||
		    (call->alone &&
		     (state->wall_ns < call->wall_before ||
		      state->wall_ns > call->wall_after)))
			fuzz_fail(actor, "GET_STATE doesn't answer right");
		break;
	case KUID_IOC_PRIVATE_LANE:
		if (!node_is_random(lane->node) || lane->node >> 48 ||
		    !lane->generation || !lane->load_id ||
		    lane->epoch < call->before.epoch ||
		    lane->epoch > call->after.epoch ||
		    lane->max_ahead_ns != fuzz_world->max_ahead_ns)
			fuzz_fail(actor, "PRIVATE_LANE doesn't answer right");
		break;
	case KUID_IOC_COVER:
		if (((const struct kuid_cover *)answer)->flags)
			epoch = ((const struct kuid_cover *)answer)->epoch;
		break;
	case KUID_IOC_SET_IDENTITY:
		epoch = ((const struct kuid_set_identity *)answer)->epoch;
		break;
	case KUID_IOC_CLAIM:
		epoch = ((const struct kuid_claim *)answer)->epoch;
		break;
	}
	if (epoch && (epoch <= call->before.epoch ||
		      epoch > call->after.epoch))
		fuzz_fail(actor, "%s says epoch %llu, between %llu and %llu",
			  c->name, (unsigned long long)epoch,
			  (unsigned long long)call->before.epoch,
			  (unsigned long long)call->after.epoch);
}

/* The result of a well-formed claim: 0, or a negative errno. */
static int error_of_claim(const struct kuid_claim *claim,
			  const struct kuid_state *before)
{
	bool lives = claim_lives(before);

	if (claim->parts &&
	    (claim->interval != before->interval ||
	     claim->snowflake_epoch_ms != before->snowflake_epoch_ms))
		return -EINVAL;
	if (claim->load_id != before->load_id)
		return -ESTALE;
	if (lives && is_none(claim->replaces))
		return -EBUSY;
	if (lives ? !is_same(claim->replaces, before->claim_token) :
		    !is_none(claim->replaces))
		return -ESTALE;
	return claim->parts && is_same(claim->token, before->claim_token) ?
	       -EINVAL : 0;
}

static bool reaches_claim(const struct kuid_claim_ceiling *raise,
			  const struct kuid_state *before)
{
	if (raise->load_id != before->load_id || is_none(raise->token) ||
	    !is_same(raise->token, before->claim_token))
		return false;
	return !before->claim_dead ||
	       (raise->flags && before->claim_dead == KUID_CLAIM_DEAD_ENDED);
}

static __u32 claimed_parts(const struct kuid_state *state)
{
	__u32 parts = 0;

	if (state->worker_from == KUID_FROM_CLAIM)
		parts |= KUID_CLAIM_WORKER;
	if (state->snowflake_from == KUID_FROM_CLAIM)
		parts |= KUID_CLAIM_SNOWFLAKE;
	return parts;
}

/*
 * Check the result of a command against the state before and after it. After a
 * command that takes IDs back the module no longer knows which IDs it gave.
 */
static void check_outcome(struct fuzz_actor *actor, const struct command *c,
			  const struct fuzz_call *call, const void *arg,
			  const struct kuid_state *before, __u32 forces)
{
	const struct kuid_set_identity *identity = arg;
	const struct kuid_claim_ceiling *raise = arg;
	const struct kuid_claim *claim = arg;
	const struct kuid_cover *cover = arg;
	struct kuid_state after;
	__u64 end;

	if (get_state(&after))
		return;
	if (c->cmd == KUID_IOC_COVER && !cover->flags &&
	    !fuzz_changed(&fuzz_world->forces, forces)) {
		/* slot_ns is the end of a grid tick. */
		if (!call->error &&
		    (cover->ceiling_ns < before->stamp_ns ||
		     cover->ceiling_ns + GRID_TICK_US * NSEC_PER_USEC <= before->slot_ns))
			fuzz_fail(actor, "a ceiling below what was given");
		end = after.slot_ns > after.stamp_ns ? after.slot_ns :
						       after.stamp_ns;
		if (call->error == EINVAL && cover->ceiling_ns >= end)
			fuzz_fail(actor, "a ceiling above all was refused");
	}
	if (c->cmd == KUID_IOC_COVER && !call->error && call->alone &&
	    after.ceiling_ns != cover->ceiling_ns)
		fuzz_fail(actor, "a ceiling was not kept");
	if (c->cmd == KUID_IOC_COVER && !call->error && !after.cover_epoch)
		fuzz_fail(actor, "a cover has not begun");
	if (c->cmd == KUID_IOC_CLAIM && !call->error && call->alone &&
	    (after.claim_ceiling_ns != claim->ceiling_ns || after.claim_dead ||
	     after.claim_floor_ns != claim->floor_ns ||
	     !is_same(after.claim_token, claim->token) ||
	     claimed_parts(&after) != claim->parts))
		fuzz_fail(actor, "a claim was not kept");
	if (c->cmd == KUID_IOC_CLAIM && call->alone && call->error != EFAULT &&
	    call->error != -error_of_claim(claim, before))
		fuzz_fail(actor, "a claim: errno %d, not %d", call->error,
			  -error_of_claim(claim, before));
	if (c->cmd == KUID_IOC_CLAIM_CEILING && call->alone) {
		bool stale = call->error == ESTALE;

		if (call->error != EFAULT &&
		    stale == reaches_claim(raise, before))
			fuzz_fail(actor, "a ceiling of another claim, or none of this one");
		if (!call->error && after.claim_ceiling_ns != raise->ceiling_ns)
			fuzz_fail(actor, "the ceiling of a claim was not kept");
	}
	if (!call->alone || c->cmd != KUID_IOC_SET_IDENTITY ||
	    call->error == EFAULT)
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
	if (after.interval != before->interval ||
	    (identity->node_from && after.node_from != identity->node_from) ||
	    (identity->node_from == KUID_FROM_GIVEN &&
	     after.node != identity->node) ||
	    (identity->worker_from &&
	     after.worker_from != identity->worker_from) ||
	    (identity->worker_from == KUID_FROM_GIVEN &&
	     after.worker != identity->worker) ||
	    (identity->snowflake_from &&
	     after.snowflake_from != identity->snowflake_from) ||
	    (identity->snowflake_from == KUID_FROM_GIVEN &&
	     after.snowflake_worker != identity->snowflake_worker))
		fuzz_fail(actor, "the identity is not what was asked for");
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
		return (c->cmd == KUID_IOC_SET_FORMAT && call->file->taken) ||
		       goes_back(c, arg) || c->cmd == KUID_IOC_CLAIM ||
		       (c->cmd == KUID_IOC_SET_IDENTITY &&
			(identity->worker_from || identity->snowflake_from ||
			 node_is_random(identity->node)));
	case ENODEV:
		return c->cmd == KUID_IOC_SET_IDENTITY &&
		       identity->node_from == KUID_FROM_MAC;
	case EINVAL:
		/* See check_outcome(). The clock may be at its end. */
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

/* The errno of the first fault that the kernel finds; 0 if there is none. */
static int first_fault(const struct fuzz_actor *actor,
		       const struct fuzz_call *call, const struct command *c,
		       const struct fuzz_place *place, const void *arg)
{
	if (call->file->path)
		return -EBADF;
	if (c->capability != NO_CAPABILITY && !actor->privileged)
		return -EPERM;
	if (place->readable < c->size)
		return -EFAULT;
	if (!request_ok(c, arg))
		return -EINVAL;
	return 0;
}

/*
 * Run a command and check its result. @arg is the request, and afterwards the
 * answer. Returns whether the command took effect, which it may do with EFAULT
 * if only its answer can't be written.
 */
static bool command(struct fuzz_actor *actor, struct fuzz_call *call,
		    const struct command *c, __u8 *arg, bool faulty_buffer)
{
	struct fuzz_place place = fuzz_memory_any(actor, c->size);
	const struct kuid_generate *generate = (void *)arg;
	__u8 asked[ARG_MAX_SIZE];
	int expected, ret;
	bool done;

	memcpy(asked, arg, c->size);
	if (place.alias)
		memcpy(place.alias, arg, place.readable);
	fuzz_call_begin(actor, call);
	if (c->cmd == KUID_IOC_GENERATE)
		call->nowait |= generate->flags & KUID_GENERATE_NOWAIT;
	expected = first_fault(actor, call, c, &place, arg);
	ret = ioctl(call->fd, c->cmd, place.at);
	fuzz_call_end(actor, call, ret);

	done = !call->error;
	if (ret > 0) {
		fuzz_fail(actor, "%s returns %d", c->name, ret);
	} else if (call->error == EBADF && fuzz_gone(call)) {
		/* Another actor has closed the file. */
	} else if (expected) {
		if (call->error != -expected)
			fuzz_fail(actor, "%s: errno %d, not %d", c->name,
				  call->error, -expected);
	} else if (call->error == EFAULT) {
		if (!faulty_buffer && !(answers(c) && place.writable < c->size))
			fuzz_fail(actor, "%s: EFAULT of good memory", c->name);
		done = answers(c) && place.writable < c->size;
	} else if (!call->error) {
		if (answers(c) && place.writable < c->size)
			fuzz_fail(actor, "%s: an answer where none can be written",
				  c->name);
	} else if (!own_error(actor, c, call, arg)) {
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
	return done;
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
	if (!fuzz_world->soaks && fuzz_one_in(actor, 4)) {
		mutate(actor, c, (__u8 *)&g);
		g.buffer = fuzz_memory_aside(actor, g.buffer);
		/* Nothing is known of what is there then. */
		faulty = true;
		all = true;
	}
	asked = g;
	fuzz_asks(call);
	command(actor, call, c, (__u8 *)&g, faulty);
	if (call->error == EBADF || !request_ok(c, &asked))
		fuzz_never_asked(call);
	else if (call->error != EFAULT)
		fuzz_asked(call);
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
	if (fuzz_one_in(actor, 2))
		mutate(actor, c, arg);
	command(actor, call, c, arg, false);
}

void fuzz_set_format(struct fuzz_actor *actor, struct fuzz_call *call)
{
	const struct command *c = command_of(KUID_IOC_SET_FORMAT);
	struct kuid_set_format set;
	__u32 taken;

	random_request(actor, c, &set);
	if (fuzz_one_in(actor, 3))
		mutate(actor, c, (__u8 *)&set);
	fuzz_lock();
	call->file->setting++;
	call->file->sets++;
	fuzz_unlock();
	taken = call->file->taken;
	command(actor, call, c, (__u8 *)&set, false);
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
	if (!call->error && taken == FUZZ_TAKEN)
		fuzz_fail(actor, "SET_FORMAT of a file that gave IDs");
}

void fuzz_administer(struct fuzz_actor *actor, struct fuzz_call *call)
{
	const struct command *c = pick_command(actor, true);
	__u8 arg[ARG_MAX_SIZE] = { 0 };
	struct kuid_set_identity *identity = (void *)arg;
	struct kuid_claim_ceiling *raise = (void *)arg;
	struct kuid_claim *claim = (void *)arg;
	struct kuid_state before;
	bool alone, known;
	__u32 forces;

	alone = __atomic_load_n(&fuzz_world->actors, __ATOMIC_SEQ_CST) == 1;
	random_request(actor, c, arg);
	if (fuzz_one_in(actor, 3))
		mutate(actor, c, arg);
	if (c->cmd == KUID_IOC_SET_IDENTITY) {
		/* decode() accepts only nodes with this bit. */
		if (identity->node_from == KUID_FROM_GIVEN &&
		    !fuzz_world->soaks)
			identity->node |= 1ULL << 40;
	}
	/* A floor at the end of all times is for later. */
	if (c->cmd == KUID_IOC_COVER && !late(actor)) {
		__u64 *floor = &((struct kuid_cover *)arg)->floor_ns;

		if (*floor > clock_ns() + 3600 * NSEC_PER_SEC &&
		    *floor <= KUID_TIME_MAX_NS)
			*floor = clock_ns();
	}
	/* Others could not tell what a ceiling that is near keeps from them. */
	if (c->cmd == KUID_IOC_CLAIM && request_ok(c, arg) && claim->parts)
		random_times(actor, claim);
	if (c->cmd == KUID_IOC_CLAIM_CEILING && request_ok(c, arg) &&
	    (raise->ceiling_ns || !alone)) {
		raise->ceiling_ns = random_ceiling(actor);
		raise->flags = 0;
	}
	forces = fuzz_changes_of(&fuzz_world->forces);
	known = actor->privileged && !get_state(&before);
	if (goes_back(c, arg))
		fuzz_change_begin(&fuzz_world->forces);
	command(actor, call, c, arg, false);
	if (goes_back(c, arg))
		fuzz_change_end(&fuzz_world->forces);
	if (known && request_ok(c, arg) && !call->file->path &&
	    call->error != EBADF)
		check_outcome(actor, c, call, arg, &before, forces);
}

/* An unknown command, except those that the kernel has for all files. */
void fuzz_unknown_command(struct fuzz_actor *actor, struct fuzz_call *call)
{
	__u32 number = fuzz_random(actor);
	int ret;
	__u32 i;

	switch (fuzz_below(actor, 4)) {
	case 0:
		number = commands[fuzz_below(actor, NR_COMMANDS)].cmd ^
			 1U << fuzz_below(actor, 32);
		break;
	case 1:
		number = commands[fuzz_below(actor, NR_COMMANDS)].cmd ^
			 fuzz_below(actor, 1 << 14) << 16;
		break;
	case 2:
		number = (number & 0xffff00ff) | KUID_IOC_MAGIC << 8;
		break;
	}
	/* The kernel's own have no such type. */
	number |= 0x8000;
	for (i = 0; i < NR_COMMANDS; i++) {
		if (number == commands[i].cmd ||
		    number == KUID_IOC_CLAIM_CEILING)
			number = _IO(KUID_IOC_MAGIC, 0xff);
	}
	fuzz_call_begin(actor, call);
	ret = ioctl(call->fd, number, fuzz_memory_any(actor, 64).at);
	fuzz_call_end(actor, call, ret);
	if (call->error != ENOTTY &&
	    !(call->error == EBADF && (call->file->path || fuzz_gone(call))))
		fuzz_fail(actor, "command %08x: %d, errno %d", number, ret,
			  call->error);
}
