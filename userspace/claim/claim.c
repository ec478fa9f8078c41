// SPDX-License-Identifier: GPL-2.0-only
/*
 * See claim.h. claim_step() runs the function of the present state. Its outcome
 * leads to the next state by the table of transitions. Numbers of rules are
 * those of Documentation/design/claims.md.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "clocks.h"
#include "draw.h"
#include "entry.h"
#include "nanoseconds.h"
#include "problem.h"
#include "quoted.h"
#include "service.h"
#include "time_text.h"

/*
 * How many times in a row the claim begins anew without a pause, because
 * another machine has written first.
 */
#define QUICKER_MOST 20

/* How many times to try to give a number back. */
#define RELEASE_TRIES 3

/* The longest time between two tries, and between two looks at the consumer. */
#define BACK_OFF_MOST_NS (30 * SEC_NS)
#define LOOK_NS		 (5 * SEC_NS)

/* The outcome of a state. */
enum outcome {
	DONE,
	CLAIMED, /* the consumer has a claim */
	DUE,	 /* the ceiling is to be raised */
	IDLE,	 /* nothing is due */
	TRUSTED, /* the file has a claim that the machine may go on with */
	LOST,	 /* the record is of another claim */
	QUICKER, /* another machine has written meanwhile */
	UNKNOWN, /* it was sent, and nobody knows whether it was written */
	STALE,	 /* the consumer has another claim, or may be a clone */
	FAILED,	 /* nothing was changed */
};

/* All transitions. A state has no outcome that is not listed here. */
static const struct transition {
	enum claim_state from;
	enum outcome outcome;
	enum claim_state to;
	bool waits; /* for a retry, or until something is due */
} transitions[] = {
	{ CLAIM_LOOK, CLAIMED, CLAIM_CHECK, false },
	{ CLAIM_LOOK, TRUSTED, CLAIM_OFFLINE, false },
	{ CLAIM_LOOK, DONE, CLAIM_PICK, false },
	{ CLAIM_OFFLINE, DONE, CLAIM_CHECK, false },
	{ CLAIM_OFFLINE, STALE, CLAIM_LOOK, true },
	{ CLAIM_OFFLINE, FAILED, CLAIM_LOOK, true },
	{ CLAIM_CHECK, DONE, CLAIM_OWN, false },
	{ CLAIM_CHECK, DUE, CLAIM_RAISE, false },
	{ CLAIM_CHECK, LOST, CLAIM_DROP, false },
	{ CLAIM_CHECK, STALE, CLAIM_LOOK, true },
	{ CLAIM_CHECK, FAILED, CLAIM_LOOK, true },
	{ CLAIM_PICK, DONE, CLAIM_TAKE, false },
	{ CLAIM_PICK, FAILED, CLAIM_LOOK, true },
	{ CLAIM_TAKE, DONE, CLAIM_SET, false },
	{ CLAIM_TAKE, QUICKER, CLAIM_LOOK, false },
	{ CLAIM_TAKE, UNKNOWN, CLAIM_TAKE, true },
	{ CLAIM_TAKE, FAILED, CLAIM_LOOK, true },
	{ CLAIM_SET, DONE, CLAIM_OWN, false },
	{ CLAIM_SET, STALE, CLAIM_LOOK, true },
	{ CLAIM_SET, FAILED, CLAIM_SET, true },
	{ CLAIM_OWN, IDLE, CLAIM_OWN, true },
	{ CLAIM_OWN, DUE, CLAIM_CHECK, false },
	{ CLAIM_RAISE, DONE, CLAIM_LIFT, false },
	{ CLAIM_RAISE, QUICKER, CLAIM_CHECK, false },
	{ CLAIM_RAISE, UNKNOWN, CLAIM_RAISE, true },
	{ CLAIM_RAISE, FAILED, CLAIM_LOOK, true },
	{ CLAIM_LIFT, DONE, CLAIM_OWN, false },
	{ CLAIM_LIFT, LOST, CLAIM_DROP, false },
	{ CLAIM_LIFT, STALE, CLAIM_LOOK, true },
	{ CLAIM_LIFT, FAILED, CLAIM_LOOK, true },
	{ CLAIM_DROP, DONE, CLAIM_LOOK, false },
	{ CLAIM_DROP, STALE, CLAIM_LOOK, true },
	{ CLAIM_DROP, FAILED, CLAIM_DROP, true },
	{ CLAIM_END, DONE, CLAIM_GIVE, false },
	{ CLAIM_END, IDLE, CLAIM_LOOK, true },
	{ CLAIM_END, STALE, CLAIM_LOOK, true },
	{ CLAIM_END, FAILED, CLAIM_END, true },
	{ CLAIM_GIVE, DONE, CLAIM_LOOK, true },
	{ CLAIM_GIVE, LOST, CLAIM_LOOK, true },
	{ CLAIM_GIVE, QUICKER, CLAIM_GIVE, false },
	{ CLAIM_GIVE, UNKNOWN, CLAIM_GIVE, true },
	{ CLAIM_GIVE, FAILED, CLAIM_GIVE, true },
};

#define STATE_NAME(name) [CLAIM_##name] = #name,
static const char *const state_names[] = { CLAIM_STATES(STATE_NAME) };
#undef STATE_NAME

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * A host name may have bytes that are no UTF-8, which JSON can't hold, or
 * control characters, which must not get to a terminal.
 */
static void read_machine(char machine[MACHINE_SIZE])
{
	gethostname(machine, MACHINE_SIZE - 1);
	machine[MACHINE_SIZE - 1] = '\0';
	for (; *machine; machine++)
		if (!isgraph((unsigned char)*machine))
			*machine = '?';
}

static bool in_range(const struct claim *claim, uint64_t number)
{
	return number >= claim->settings->first &&
	       number <= claim->settings->last;
}

void claim_open(struct claim *claim, const struct claim_settings *settings,
		struct store *store, const struct consumer *consumer,
		struct claim_file *file)
{
	struct problem *wrong;

	*claim = (struct claim) {
		.settings = settings,
		.entries = { .store = store, .space = settings->space },
		.consumer = consumer,
		.file = file,
	};
	if (!file)
		return;
	wrong = claim_file_read(file, &claim->saved);
	/* A number that is claimed afresh is never unsafe. */
	if (wrong)
		service_log(SERVICE_ERR, "%s: another number will be claimed",
			    wrong->text);
	free(wrong);
	claim->file_trusted = claim->saved.trusted;
	if (strcmp(claim->saved.space, settings->space))
		claim->saved = (struct saved_claim) { 0 };
}

/* ---------------------------------------------------------------- the file */

/*
 * A failed write is an error only if this run or the last one trusts the file:
 * a later run must not go on from an old one.
 */
static struct problem *save(struct claim *claim)
{
	bool trust = claim->settings->trust_disk;
	struct problem *wrong;

	claim->saved.trusted = trust;
	wrong = claim_file_write(claim->file, &claim->saved);
	if (!wrong)
		claim->file_trusted = trust;
	if (!wrong || trust || claim->file_trusted)
		return wrong;
	service_log(SERVICE_ERR, "%s", wrong->text);
	free(wrong);
	return NULL;
}

/*
 * Rule 6: the file is written before a take, so that it never has the ceiling
 * of the former one.
 */
static struct problem *save_take(struct claim *claim)
{
	struct saved_claim *saved = &claim->saved;

	*saved = (struct saved_claim) {
		.number = claim->number,
		.floor_s = claim->floor_s,
	};
	strcpy(saved->space, claim->settings->space);
	strcpy(saved->token, claim->next.token);
	return save(claim);
}

static bool may_go_on(const struct claim *claim)
{
	const struct saved_claim *saved = &claim->saved;
	uint64_t sure_ns = claim->now.sure_ns;

	return claim->settings->trust_disk && saved->trusted &&
	       !saved->released && in_range(claim, saved->number) && sure_ns &&
	       max(sure_ns, wall_ns()) < saved->ceiling_s * SEC_NS;
}

/* --------------------------------------------------------- writing records */

static void forget(struct claim *claim)
{
	claim->sent = false;
	claim->record = (struct record) { 0 };
	store_value_free(&claim->former);
}

void claim_close(struct claim *claim)
{
	forget(claim);
	free(claim->wrong);
}

/* Rule 2: keep the version from which the next write is computed. */
static void take_base(struct claim *claim, struct entry *entry)
{
	forget(claim);
	claim->number = entry->number;
	claim->record = entry->record;
	claim->former = entry->value;
	entry->value = (struct store_value) { 0 };
}

/* Rule 8: checked_s is from when the version was read. */
static void make_next(struct claim *claim, const char *token,
		      uint64_t ceiling_s)
{
	struct record *next = &claim->next;

	*next = (struct record) {
		.load_id = claim->load_id,
		.ceiling_s = ceiling_s,
		.renewed_s = claim->entries.checked_s,
	};
	strcpy(next->token, token);
	draw_token(claim->load_id, next->nonce);
	read_machine(next->machine);
}

static uint64_t higher_ceiling(const struct claim *claim)
{
	return max(claim->entries.checked_s + claim->settings->horizon_s,
		   claim->record.ceiling_s);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Rule 3: whether the store has what was sent, or still the version before. */
static enum outcome read_back(struct claim *claim, struct problem **wrong)
{
	struct entry entry;
	enum outcome outcome = QUICKER;
	char *text;

	*wrong = entry_read(&claim->entries, claim->number, &entry);
	if (*wrong) {
		claim->sent = true;
		return UNKNOWN;
	}
	text = record_text(&claim->next);
	if (same_text(entry.value.text, text)) {
		take_base(claim, &entry);
		outcome = DONE;
	} else if (same_text(entry.value.text, claim->former.text) &&
		   same_text(entry.value.version, claim->former.version)) {
		outcome = UNKNOWN;
	}
	store_value_free(&entry.value);
	free(text);
	claim->sent = outcome == UNKNOWN;
	return outcome;
}

static enum outcome put_next(struct claim *claim, struct problem **wrong)
{
	static const enum outcome outcomes[] = {
		[STORE_DONE] = DONE,
		[STORE_CONFLICT] = QUICKER,
		[STORE_UNKNOWN] = UNKNOWN,
		[STORE_REFUSED] = FAILED,
	};
	char *text = record_text(&claim->next);
	struct store_change change = {
		.key = claim->number,
		.text = text,
		.former = claim->former.text,
		.version = claim->former.version,
	};
	struct store_answer *answer = store_put(claim->entries.store, &change);
	enum outcome outcome = outcomes[answer->result];

	*wrong = answer->wrong;
	answer->wrong = NULL;
	store_answer_free(answer);
	free(text);
	return outcome;
}

/*
 * Write @next. As long as the outcome is unknown, the same request is sent
 * again, and only while the store has the version from which it was computed.
 * After a conflict the record is read back, because store_put() may have sent
 * the request to several members: it may be in conflict with itself.
 */
static enum outcome write_next(struct claim *claim, struct problem **wrong)
{
	enum outcome outcome = claim->sent ? read_back(claim, wrong) : UNKNOWN;

	if (outcome == UNKNOWN && !*wrong) {
		outcome = put_next(claim, wrong);
		if (outcome == FAILED && claim->sent)
			outcome = UNKNOWN;
		claim->sent = outcome == UNKNOWN;
		if (outcome == DONE)
			claim->record = claim->next;
		else if (outcome == QUICKER)
			outcome = read_back(claim, wrong);
		if (outcome == UNKNOWN && !*wrong)
			*wrong = problem_for_now("the store has answered with "
						 "an old record");
	}
	service_log(SERVICE_DEBUG,
		    "cas: number %" PRIu64 " token %s load_id %016" PRIx64
		    " nonce %s floor %" PRIu64 " ceiling %" PRIu64 " %s",
		    claim->number, claim->next.token, claim->next.load_id,
		    claim->next.nonce, claim->floor_s, claim->next.ceiling_s,
		    outcome == DONE	 ? "done"
		    : outcome == QUICKER ? "conflict"
		    : outcome == UNKNOWN ? "unknown"
					 : "refused");
	return outcome;
}

/* ----------------------------------------------------------- the whole space */

static const char *kind_of(unsigned int parts)
{
	return parts == PART_SNOWFLAKE ? "snowflake"
	       : parts == PART_WORKER  ? "worker"
				       : "both";
}

static struct problem *differs(const struct claim *claim, const char *what,
			       uint64_t theirs, uint64_t mine)
{
	return problem("the space %s has the %s %" PRIu64 ", this machine has "
		       "%" PRIu64 ": IDs of both could be the same, so load "
		       "the module with the other one, or use another --space",
		       claim->settings->space, what, theirs, mine);
}

/* Rule 7. Fields of the space that are not set yet become this machine's. */
static struct problem *compare_space(const struct claim *claim,
				     struct space *space)
{
	unsigned int parts = claim->settings->parts;
	uint64_t epoch_ms = parts & PART_SNOWFLAKE ? claim->now.epoch_ms : 0;
	uint64_t interval = parts & PART_WORKER ? claim->now.interval : 0;

	if (!*space->kind)
		strcpy(space->kind, kind_of(parts));
	if (!space->epoch_ms)
		space->epoch_ms = epoch_ms;
	if (!space->interval)
		space->interval = interval;
	if (strcmp(space->kind, kind_of(parts)))
		return problem("the numbers of the space %s are for \"%s\": "
			       "use --as %s, or another --space",
			       claim->settings->space, QUOTED(space->kind),
			       QUOTED(space->kind));
	if (epoch_ms && space->epoch_ms != epoch_ms)
		return differs(claim, "snowflake epoch", space->epoch_ms,
			       epoch_ms);
	if (interval && space->interval != interval)
		return differs(claim, "interval", space->interval, interval);
	return NULL;
}

/* Sets *again if another machine has written first. */
static struct problem *write_space(struct claim *claim,
				   const struct space *space,
				   const struct store_value *former,
				   bool *again)
{
	char *text = space_text(space);
	struct problem *wrong;
	struct store_change change = {
		.key = STORE_SPACE,
		.text = text,
		.former = former->text,
		.version = former->version,
	};
	struct store_answer *answer = store_put(claim->entries.store, &change);

	*again = answer->result == STORE_CONFLICT;
	wrong = answer->wrong;
	answer->wrong = NULL;
	store_answer_free(answer);
	free(text);
	return wrong;
}

static bool same_space(const struct space *a, const struct space *b)
{
	return !strcmp(a->kind, b->kind) && a->epoch_ms == b->epoch_ms &&
	       a->interval == b->interval && a->horizon_s == b->horizon_s &&
	       a->closed_s == b->closed_s;
}

/*
 * Read the record of the space, and compare it with this machine's settings. If
 * write, add what it lacks; if close, close the space.
 */
static struct problem *agree(struct claim *claim, bool write, bool close,
			     struct space *space)
{
	bool again = true;

	for (int i = 0; again; i++) {
		struct store_value former;
		struct problem *wrong =
			space_read(&claim->entries, space, &former);
		struct space was = *space;

		space->horizon_s =
			max(space->horizon_s, claim->settings->horizon_s);
		if (close)
			space->closed_s = claim->entries.checked_s +
					  space->horizon_s + 2 * STORE_SKEW_S;
		else if (!wrong)
			wrong = compare_space(claim, space);
		again = false;
		if (!wrong && write && !same_space(space, &was))
			wrong = write_space(claim, space, &former, &again);
		store_value_free(&former);
		if (wrong)
			return wrong;
		if (i == QUICKER_MOST)
			return problem_for_now("other machines were quicker, "
					       "%d times",
					       i);
	}
	return NULL;
}

static struct problem *check_open(const struct space *space)
{
	char when[TIME_TEXT_SIZE];

	if (space->closed_s <= wall_s())
		return NULL;
	time_text(space->closed_s, 0, 0, when);
	return problem_for_now("the store has lost what was written: no number "
			       "is claimed before %.19sZ, when all owners have "
			       "come to their ceilings",
			       when);
}

/* ------------------------------------------------------------- the states */

/* The claim of the consumer is the one that this process has set or adopted. */
static bool is_mine(const struct claim *claim)
{
	return *claim->mine && claim->now.claimed &&
	       !strcmp(claim->now.token, claim->mine);
}

static enum outcome look(struct claim *claim, struct problem **wrong)
{
	forget(claim);
	claim->load_id = claim->now.load_id;
	if (claim->now.claimed)
		return CLAIMED;
	return may_go_on(claim) ? TRUSTED : DONE;
}

/*
 * Due early if the clock was set forward, or if IDs are ahead of the clock, and
 * a higher ceiling is above them.
 */
static bool is_near(const struct claim *claim)
{
	uint64_t horizon_s = claim->settings->horizon_s;
	uint64_t ahead_s = claim->now.lag_ns / SEC_NS;

	if (ahead_s >= horizon_s)
		ahead_s = 0;
	return claim->lifted_s <
	       wall_s() + ahead_s + (horizon_s - ahead_s) * 2 / 5;
}

static bool is_due(const struct claim *claim)
{
	return boot_ns() >= claim->raise_ns ||
	       claim->lifted_s != claim->record.ceiling_s || is_near(claim);
}

/* Rule 4: adopt the kernel's claim, or go on with it. */
static enum outcome check(struct claim *claim, struct problem **wrong)
{
	bool mine = is_mine(claim), same;
	struct entry entry;

	*wrong = entry_read(&claim->entries, claim->now.number, &entry);
	if (*wrong)
		return FAILED;
	/* After OFFLINE the record has the load_id of the last boot. */
	same = entry.readable &&
	       !strcmp(entry.record.token, claim->now.token) &&
	       (entry.record.load_id == claim->load_id || mine);
	if (same && !mine) {
		strcpy(claim->mine, claim->now.token);
		claim->lifted_s = claim->now.ceiling_ns / SEC_NS;
		claim->raise_ns = 0;
	}
	if (same) {
		take_base(claim, &entry);
		claim->floor_s = claim->now.floor_ns / SEC_NS;
	}
	store_value_free(&entry.value);
	if (same) {
		if (!is_due(claim))
			return DONE;
		make_next(claim, claim->mine, higher_ceiling(claim));
		return DUE;
	}
	if (mine)
		return LOST;
	*wrong = problem_for_now("the kernel has claimed number %" PRIu64
				 " for another kuid-claim, or from another "
				 "space than %s: end that one",
				 claim->now.number, claim->settings->space);
	return STALE;
}

/*
 * The former number, if it is free. The end of a number that was just given
 * back is rounded up to the next second, at which IDs begin in any case.
 */
static struct problem *choose(struct claim *claim, struct entry *entry)
{
	struct problem *wrong;

	if (*claim->saved.space && in_range(claim, claim->saved.number)) {
		wrong = entry_read(&claim->entries, claim->saved.number, entry);
		if (wrong || entry_is_free(entry, wall_s() + 1))
			return wrong;
		store_value_free(&entry->value);
	}
	return entry_find(&claim->entries, claim->settings->first,
			  claim->settings->last, entry);
}

static enum outcome pick(struct claim *claim, struct problem **wrong)
{
	char token[TOKEN_SIZE];
	struct entry entry;
	struct space space;

	*wrong = agree(claim, false, false, &space);
	if (!*wrong)
		*wrong = check_open(&space);
	if (!*wrong)
		*wrong = choose(claim, &entry);
	if (*wrong)
		return FAILED;
	take_base(claim, &entry);
	store_value_free(&entry.value);
	claim->floor_s = claim->record.ceiling_s;
	draw_token(claim->load_id, token);
	make_next(claim, token, higher_ceiling(claim));
	*wrong = save_take(claim);
	return *wrong ? FAILED : DONE;
}

/* The state TAKE or RAISE. */
static enum outcome write_ceiling(struct claim *claim, struct problem **wrong)
{
	enum outcome outcome = write_next(claim, wrong);

	if (outcome != DONE)
		return outcome;
	claim->saved.ceiling_s = claim->record.ceiling_s;
	*wrong = save(claim);
	return *wrong ? FAILED : DONE;
}

static void lifted(struct claim *claim)
{
	uint64_t tenth_ns = claim->settings->horizon_s * SEC_NS / 20;

	claim->lifted_s = claim->record.ceiling_s;
	claim->raised_ns = boot_ns();
	claim->raise_ns =
		claim->raised_ns + 9 * tenth_ns + draw_below(2 * tenth_ns);
}

static enum outcome set_number(struct claim *claim, const char *token,
			       uint64_t floor_ns, uint64_t ceiling_s,
			       struct problem **wrong)
{
	struct consumer_claim wanted = {
		.load_id = claim->load_id,
		.token = token,
		/*
		 * Rule 1: replace no claim of which only the kernel has shown
		 * the token.
		 */
		.replaces = is_mine(claim) ? claim->mine : "",
		.number = claim->number,
		.floor_ns = floor_ns,
		.ceiling_ns = ceiling_s * SEC_NS,
		.epoch_ms = claim->now.epoch_ms,
		.interval = claim->now.interval,
	};
	bool stale = false;

	*wrong = claim->consumer->claim(&wanted, &stale);
	if (*wrong)
		return stale ? STALE : FAILED;
	strcpy(claim->mine, token);
	claim->lifted_s = ceiling_s;
	return DONE;
}

static enum outcome set(struct claim *claim, struct problem **wrong)
{
	const struct record *record = &claim->record;
	struct space space;
	enum outcome outcome;

	*wrong = agree(claim, true, false, &space);
	if (*wrong)
		return FAILED;
	*wrong = check_open(&space);
	if (*wrong)
		return STALE;
	claim->floor_s = max(claim->floor_s, space.closed_s);
	outcome = set_number(claim, record->token, claim->floor_s * SEC_NS,
			     record->ceiling_s, wrong);
	if (outcome == DONE)
		lifted(claim);
	return outcome;
}

/* Rule 6: IDs go on above those from before the boot. */
static enum outcome offline(struct claim *claim, struct problem **wrong)
{
	const struct saved_claim *saved = &claim->saved;
	enum outcome outcome;

	claim->number = saved->number;
	outcome = set_number(claim, saved->token,
			     max(saved->floor_s * SEC_NS, claim->now.sure_ns),
			     saved->ceiling_s, wrong);
	if (outcome != DONE)
		return outcome;
	claim->raise_ns = 0;
	*wrong = claim->consumer->read(&claim->now);
	return *wrong ? FAILED : DONE;
}

static enum outcome own(struct claim *claim, struct problem **wrong)
{
	return is_due(claim) ? DUE : IDLE;
}

/*
 * Rule 8: the store may have forgotten that another machine has used the number
 * since the kernel's ceiling was written.
 */
static enum outcome lift(struct claim *claim, struct problem **wrong)
{
	bool stale = false;
	struct space space;

	*wrong = agree(claim, true, false, &space);
	if (*wrong)
		return FAILED;
	if (claim->lifted_s < space.closed_s)
		return LOST;
	*wrong = claim->consumer->raise(claim->load_id, claim->mine,
					claim->record.ceiling_s * SEC_NS,
					&stale);
	if (*wrong)
		return stale ? STALE : FAILED;
	lifted(claim);
	return DONE;
}

static enum outcome end_claim(struct claim *claim, uint64_t *end_ns,
			      struct problem **wrong)
{
	bool stale = false;

	*wrong = claim->consumer->end(claim->load_id, claim->mine, end_ns,
				      &stale);
	if (*wrong)
		return stale ? STALE : FAILED;
	*claim->mine = '\0';
	claim->now.claimed = false;
	claim->lifted_s = 0;
	return DONE;
}

static enum outcome drop(struct claim *claim, struct problem **wrong)
{
	uint64_t end_ns;

	service_log(SERVICE_ERR,
		    "number %" PRIu64 " is lost: the store has another "
		    "claim of it, or may have forgotten one",
		    claim->now.number);
	return end_claim(claim, &end_ns, wrong);
}

/* Rule 5. The end is kept in next.ceiling_s. */
static enum outcome end(struct claim *claim, struct problem **wrong)
{
	char token[TOKEN_SIZE];
	enum outcome outcome;
	uint64_t end_ns;

	strcpy(token, claim->mine);
	outcome = end_claim(claim, &end_ns, wrong);
	if (outcome != DONE)
		return outcome;
	make_next(claim, token, (end_ns + SEC_NS - 1) / SEC_NS);
	claim->saved.released = true;
	*wrong = save(claim);
	if (*wrong)
		return STALE;
	if (!has_unseen_clones())
		return DONE;
	service_log(SERVICE_NOTICE,
		    "number %" PRIu64 " is free when its ceiling has passed: "
		    "a clone of this virtual machine may go on with it, as "
		    "there is no generation ID",
		    claim->number);
	return IDLE;
}

static enum outcome give(struct claim *claim, struct problem **wrong)
{
	struct record ended = claim->next;
	struct entry entry;
	bool same;

	if (claim->sent)
		return write_next(claim, wrong);
	*wrong = entry_read(&claim->entries, claim->number, &entry);
	if (*wrong)
		return FAILED;
	same = entry.readable && !strcmp(entry.record.token, ended.token);
	if (same)
		take_base(claim, &entry);
	store_value_free(&entry.value);
	if (!same) {
		*wrong = problem("another machine has claimed number %" PRIu64,
				 claim->number);
		return LOST;
	}
	make_next(claim, ended.token, ended.ceiling_s);
	return write_next(claim, wrong);
}

/* ----------------------------------------------------------------- stepping */

static enum outcome (*const states[])(struct claim *claim,
				      struct problem **wrong) = {
	[CLAIM_LOOK] = look,
	[CLAIM_OFFLINE] = offline,
	[CLAIM_CHECK] = check,
	[CLAIM_PICK] = pick,
	[CLAIM_TAKE] = write_ceiling,
	[CLAIM_SET] = set,
	[CLAIM_OWN] = own,
	[CLAIM_RAISE] = write_ceiling,
	[CLAIM_LIFT] = lift,
	[CLAIM_DROP] = drop,
	[CLAIM_END] = end,
	[CLAIM_GIVE] = give,
};

static void enter(struct claim *claim, enum claim_state to)
{
	if (to != claim->state)
		service_log(SERVICE_DEBUG, "state: %s to %s, number %" PRIu64,
			    state_names[claim->state], state_names[to],
			    claim->number);
	claim->state = to;
}

/* Returns whether to go on at once. */
static bool step(struct claim *claim, struct problem **wrong)
{
	enum outcome outcome = states[claim->state](claim, wrong);
	const struct transition *row = transitions;

	while (row->from != claim->state || row->outcome != outcome)
		row++;
	enter(claim, row->to);
	claim->quicker = outcome == QUICKER ? claim->quicker + 1 : 0;
	if (claim->quicker > QUICKER_MOST) {
		claim->quicker = 0;
		*wrong = problem_for_now(
			"other machines were quicker, %d times", QUICKER_MOST);
		return false;
	}
	return !row->waits;
}

uint64_t claim_left_s(const struct claim *claim)
{
	uint64_t ids_s = (wall_ns() + claim->now.lag_ns) / SEC_NS;

	return *claim->mine && claim->lifted_s > ids_s ? claim->lifted_s - ids_s
						       : 0;
}

/*
 * Rule 8 keeps the ceiling near the clock, and IDs may be ahead of that: above
 * a floor, or because the clock was set back.
 */
static struct problem *check_ahead(const struct claim *claim)
{
	if (!*claim->mine || !claim->now.lag_ns || claim_left_s(claim))
		return NULL;
	return problem_for_now(
		"IDs are ahead of the clock by more than --horizon, so none "
		"that show number %" PRIu64 " are made until it has caught up: "
		"see \"kuid clock\"; to take IDs back, stop kuid-claim, run "
		"\"kuid restore --may-repeat\" and start it again",
		claim->number);
}

static void back_off(struct claim *claim)
{
	uint64_t most = claim->settings->horizon_s * SEC_NS / 8;
	uint64_t ns = SEC_NS << (claim->failures < 5 ? claim->failures : 5);

	if (most > BACK_OFF_MOST_NS)
		most = BACK_OFF_MOST_NS;
	if (ns > most)
		ns = most;
	claim->failures++;
	claim->failed++;
	claim->try_ns = boot_ns() + ns / 2 + draw_below(ns / 2);
}

/* Read the consumer's state. After a clone the claim begins anew at LOOK. */
static struct problem *read_consumer(struct claim *claim)
{
	struct problem *wrong = claim->consumer->read(&claim->now);

	if (wrong)
		return wrong;
	if (*claim->mine && !is_mine(claim)) {
		service_log(SERVICE_ERR,
			    "number %" PRIu64 " is lost: the kernel has no "
			    "such claim any more, as this machine may be a "
			    "clone",
			    claim->number);
		*claim->mine = '\0';
		claim->lifted_s = 0;
		enter(claim, CLAIM_LOOK);
	}
	if (claim->load_id == claim->now.load_id)
		return NULL;
	enter(claim, CLAIM_LOOK);
	/* A clone has a copy of the file, so neither may trust it any more. */
	if (!claim->load_id || !claim->saved.trusted)
		return NULL;
	claim->saved.released = true;
	return save(claim);
}

void claim_step(struct claim *claim)
{
	struct problem *wrong = read_consumer(claim);
	bool tries = boot_ns() >= claim->try_ns;

	if (!wrong && tries)
		while (step(claim, &wrong))
			;
	if (!wrong && tries)
		wrong = check_ahead(claim);
	/* Nothing was tried, so the former error stands. */
	if (!wrong && !tries)
		return;
	free(claim->wrong);
	claim->wrong = wrong;
	if (wrong)
		back_off(claim);
	else
		claim->failures = 0;
}

uint64_t claim_next_ns(const struct claim *claim)
{
	uint64_t next = boot_ns() + LOOK_NS;

	if (claim->failures)
		return claim->try_ns < next ? claim->try_ns : next;
	return claim->raise_ns < next ? claim->raise_ns : next;
}

/* --------------------------------------------------------------- operators */

struct problem *claim_release(struct claim *claim)
{
	struct problem *wrong = read_consumer(claim);

	/* Find out whether the kernel's claim is this machine's. */
	if (!wrong && !*claim->mine) {
		enter(claim, CLAIM_LOOK);
		if (!claim->now.claimed)
			return problem("this machine uses no number that it "
				       "has claimed; one that it had is free "
				       "when its ceiling has passed, see "
				       "\"kuid-claim --list\"");
		while (!wrong && !*claim->mine)
			step(claim, &wrong);
	}
	if (wrong)
		return wrong;
	/*
	 * The last request may still be carried out, until GIVE has written.
	 */
	claim->sent = false;
	enter(claim, CLAIM_END);
	for (int i = 0; claim->state != CLAIM_LOOK && i < RELEASE_TRIES; i++) {
		free(wrong);
		wrong = NULL;
		while (step(claim, &wrong))
			;
	}
	return wrong;
}

struct problem *claim_recover(struct claim *claim, uint64_t *until_s)
{
	struct space space;
	struct problem *wrong = agree(claim, true, true, &space);

	*until_s = space.closed_s;
	return wrong;
}
