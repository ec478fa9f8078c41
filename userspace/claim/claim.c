// SPDX-License-Identifier: GPL-2.0-only
/* See claim.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "claim.h"
#include "clocks.h"
#include "nanoseconds.h"
#include "output.h"
#include "place.h"
#include "service.h"
#include "verbs.h"

/* How often another number is tried at once, because others were quicker. */
#define TRIES 20

/* How often giving a number back is tried again. */
#define RELEASE_TRIES 2

/* The longest time between two tries, and between two looks at the host. */
#define BACK_OFF_MOST_NS (30 * SEC_NS)
#define LOOK_NS		 (5 * SEC_NS)

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t claim_random(uint64_t limit)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		err(EXIT_FAILED, "getrandom");
	return number % limit;
}

bool claim_is_snowflake(const struct claim *claim)
{
	return claim->settings->parts & PART_SNOWFLAKE;
}

/* Firmware without one says zeros or ones, which many machines have. */
static bool is_placeholder(const char *product)
{
	return strspn(product, "0-") == strlen(product) ||
	       strspn(product, "fF-") == strlen(product);
}

/* Empty where there is none, or only root may read it. */
static void read_product(char product[PRODUCT_SIZE])
{
	int fd = open("/sys/class/dmi/id/product_uuid", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, product, PRODUCT_SIZE - 1);

	if (fd >= 0)
		close(fd);
	product[size > 0 ? size : 0] = '\0';
	product[strcspn(product, "\n")] = '\0';
	if (is_placeholder(product))
		*product = '\0';
}

/* JSON holds no text that isn't UTF-8, and messages go to terminals. */
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
		struct store *store, const struct host *host,
		struct claim_file *file)
{
	char *wrong = NULL;

	*claim = (struct claim) {
		.settings = settings,
		.store = store,
		.host = host,
		.file = file,
	};
	if (!file)
		return;
	wrong = claim_file_read(file, &claim->saved, &claim->known);
	/* A number that is claimed afresh is never unsafe. */
	if (wrong)
		service_log(SERVICE_ERR, "%s: another number will be claimed",
			    wrong);
	free(wrong);
	claim->clean = claim->known && claim->saved.released;
	if (claim->known && strcmp(claim->saved.space, settings->space))
		errx(EXIT_FAILED,
		     "%s is of a number of the space %s: give that back with "
		     "\"kuid-claim --space %s --release\", or remove the file",
		     file->path, claim->saved.space, claim->saved.space);
}

/* A failure costs time after a restart, but nothing is unsafe without it. */
static void save(struct claim *claim)
{
	char *wrong = claim_file_write(claim->file, &claim->saved);

	if (wrong)
		service_log(SERVICE_ERR, "%s", wrong);
	free(wrong);
}

/* --------------------------------------------------------- writing records */

static bool has_text(const struct place *place, const struct record *record)
{
	char *text = record_text(record);
	bool same = place->text && !strcmp(place->text, text);

	free(text);
	return same;
}

/* The next record of the number. If @tried may have got there, that again. */
static void next_record(struct claim *claim, const struct place *place,
			const char *token)
{
	struct record *record = &claim->tried;

	if (claim->unsure)
		return;
	*record = (struct record) {
		.seq = max(claim->saved.seq, place->record.seq) + 1,
		.ceiling_s = max(wall_s() + claim->settings->horizon_s,
				 max(place->record.ceiling_s,
				     claim->record.ceiling_s)),
		.epoch_ms = claim_is_snowflake(claim) ? claim->state.epoch_ms
						      : place->record.epoch_ms,
	};
	strcpy(record->token, token);
	token_draw(record->nonce);
	read_machine(record->machine);
}

static void schedule(struct claim *claim)
{
	uint64_t tenth_ns = claim->settings->horizon_s * SEC_NS / 20;

	claim->raised_ns = boot_ns();
	claim->raise_ns =
		claim->raised_ns + 9 * tenth_ns + claim_random(2 * tenth_ns);
}

static void written(struct claim *claim)
{
	struct saved_claim *saved = &claim->saved;

	claim->unsure = false;
	claim->owned = true;
	claim->clean = false;
	claim->record = claim->tried;
	saved->ceiling_s = claim->record.ceiling_s;
	saved->seq = claim->record.seq;
	*saved->former = '\0';
	save(claim);
	schedule(claim);
}

/*
 * Write @tried. *changed tells whether something had changed, and nothing was
 * written. If the connection was lost, the library that makes requests, or an
 * earlier call, may have written it before.
 */
static char *write_tried(struct claim *claim, const struct place *place,
			 bool *changed)
{
	char *text = record_text(&claim->tried), *wrong = NULL;
	struct store_change change = {
		.key = place->number,
		.text = text,
		.nonce = claim->tried.nonce,
		.version = place->version,
	};
	struct store_answer *answer = store_put(claim->store, &change);
	struct place now = { 0 };

	*changed = false;
	switch (answer->result) {
	case STORE_DONE:
		written(claim);
		break;
	case STORE_CONFLICT:
		wrong = place_read(claim, place->number, &now);
		if (wrong)
			break;
		*changed = !has_text(&now, &claim->tried);
		claim->unsure = false;
		if (!*changed)
			written(claim);
		place_free(&now);
		break;
	case STORE_UNKNOWN:
		claim->unsure = true;
		snprintf(claim->tried_version, VERSION_SIZE, "%s",
			 place->version ? place->version : "");
		wrong = store_wrong(answer);
		break;
	case STORE_REFUSED:
		wrong = store_wrong(answer);
		break;
	}
	store_answer_free(answer);
	free(text);
	return wrong;
}

/* ------------------------------------------------------------ the whole space */

/* *changed: another machine was quicker. */
static char *write_space(struct claim *claim, const struct space *space,
			 const char *version, bool *changed)
{
	char nonce[TOKEN_SIZE], *text, *wrong;
	struct store_change change = { .key = STORE_SPACE, .version = version };
	struct store_answer *answer;

	token_draw(nonce);
	text = space_text(space);
	change.text = text;
	change.nonce = nonce;
	answer = store_put(claim->store, &change);
	*changed = answer->result == STORE_CONFLICT;
	wrong = store_wrong(answer);
	store_answer_free(answer);
	free(text);
	return wrong;
}

/*
 * Have the space hold the longest horizon. If close, forbid to claim numbers
 * for that long: owners that the store lacks have written by then.
 */
static char *read_space(struct claim *claim, bool close, struct space *space)
{
	bool again = true, shorter;
	char *version, *wrong = NULL;

	for (int i = 0; again && !wrong; i++) {
		wrong = space_read(claim, space, &version);
		if (wrong)
			return wrong;
		again = false;
		shorter = space->horizon_s < claim->settings->horizon_s;
		if (shorter)
			space->horizon_s = claim->settings->horizon_s;
		if (close)
			space->closed_s = wall_s() + space->horizon_s;
		if (shorter || close || !version)
			wrong = write_space(claim, space, version, &again);
		free(version);
		if (again && i == TRIES)
			wrong = problem_for_now("other machines were quicker, "
						"%d times",
						TRIES);
	}
	return wrong;
}

static char *check_open(struct claim *claim)
{
	char when[TIME_TEXT_SIZE];
	struct space space;
	char *wrong = read_space(claim, false, &space);

	if (wrong || space.closed_s <= wall_s())
		return wrong;
	time_text(space.closed_s, 0, 0, when);
	return problem_for_now("the store was restored from a backup: no "
			       "number is claimed before %.19sZ, when all "
			       "owners have written",
			       when);
}

/* ---------------------------------------------------------------- claiming */

/* The file is of this machine as it was, and not of its clone. */
static bool same_machine(const struct claim *claim)
{
	char product[PRODUCT_SIZE];

	read_product(product);
	return *product && !strcmp(product, claim->saved.product) &&
	       !claim->state.stale;
}

/* The host has gone on with the number while this program didn't run. */
static bool still_used(const struct claim *claim)
{
	return claim->state.claimed && !claim->state.stale &&
	       claim->state.number == claim->saved.number;
}

/*
 * Whether the number of the file is this machine's, so that it need not wait
 * until the ceiling has passed; and from when on it may be used. A record that
 * is later than the file's is of a clone, or of a life that was taken back by
 * restoring a snapshot.
 */
static bool is_mine(const struct claim *claim, const struct place *place,
		    uint64_t *floor_s)
{
	const struct saved_claim *saved = &claim->saved;
	const struct record *record = &place->record;
	uint64_t host_floor_s = (claim->state.floor_ns + SEC_NS - 1) / SEC_NS;

	if (!place->readable || record->seq > saved->seq ||
	    place_has_other_epoch(claim, place) || !*record->token ||
	    (strcmp(record->token, saved->token) &&
	     strcmp(record->token, saved->former)))
		return false;
	*floor_s = max(saved->floor_s, saved->ceiling_s);
	if (claim->clean)
		return true;
	if (still_used(claim)) {
		*floor_s = saved->floor_s;
		return true;
	}
	if (!same_machine(claim))
		return false;
	*floor_s = host_floor_s ? max(saved->floor_s, host_floor_s)
				: max(*floor_s, record->ceiling_s);
	return true;
}

/* Before it is sent: what a crash would leave in the store is in the file. */
static void save_token(struct claim *claim, const struct place *place,
		       bool mine, uint64_t floor_s)
{
	struct saved_claim *saved = &claim->saved;

	if (claim->unsure)
		return;
	if (!mine)
		saved->ceiling_s = 0;
	strcpy(saved->former, mine ? place->record.token : "");
	strcpy(saved->token, claim->tried.token);
	strcpy(saved->space, claim->settings->space);
	read_product(saved->product);
	saved->number = place->number;
	saved->seq = claim->tried.seq;
	saved->floor_s = floor_s;
	saved->released = false;
	claim->known = true;
	save(claim);
}

/* *again: another machine was quicker. */
static char *take(struct claim *claim, const struct place *place, bool mine,
		  uint64_t floor_s, bool *again)
{
	char token[TOKEN_SIZE];

	token_draw(token);
	if (!claim->unsure)
		claim->goes_on = mine && still_used(claim);
	next_record(claim, place, token);
	save_token(claim, place, mine, floor_s);
	return write_tried(claim, place, again);
}

/* The host may make IDs with the number: it was neither lost nor given back. */
static bool may_be_using(const struct claim *claim)
{
	return claim->used_to_s ||
	       (still_used(claim) && claim->known && !claim->saved.released);
}

/* *looked: the place is that of the file's number. */
static char *look_at_mine(struct claim *claim, struct place *place, bool *mine,
			  bool *looked, uint64_t *floor_s)
{
	char *wrong;

	*mine = *looked = false;
	if (!claim->known || !in_range(claim, claim->saved.number)) {
		claim->unsure = false;
		return NULL;
	}
	wrong = place_read(claim, claim->saved.number, place);
	if (wrong)
		return wrong;
	if (claim->unsure && has_text(place, &claim->tried))
		*mine = true;
	else if (strcmp(place->version ? place->version : "",
			claim->tried_version))
		claim->unsure = false;
	*mine |= is_mine(claim, place, floor_s);
	*looked = *mine || claim->unsure || place_is_free(claim, place);
	if (*looked)
		return NULL;
	place_free(place);
	/* This machine must not go on with it when the store is away. */
	claim->known = may_be_using(claim);
	return NULL;
}

/* The host stops at once. A number that was lost is not gone on with later. */
static void lose(struct claim *claim, const char *why)
{
	char *wrong = NULL;

	/* A clone makes no IDs with the number as it is. */
	if (!claim->state.stale && may_be_using(claim))
		wrong = claim->host->end(&claim->state);
	if (wrong)
		service_log(SERVICE_ERR, "%s", wrong);
	free(wrong);
	service_log(SERVICE_ERR, "number %" PRIu64 " is lost: %s",
		    claim->saved.number, why);
	claim->owned = false;
	claim->unsure = false;
	claim->goes_on = false;
	claim->used_to_s = 0;
	claim->record = (struct record) { 0 };
	*claim->saved.token = '\0';
	*claim->saved.former = '\0';
	claim->saved.released = true;
	save(claim);
}

static char *own_once(struct claim *claim, bool *again)
{
	bool mine, looked;
	struct place place = { 0 };
	uint64_t floor_s = 0;
	char *wrong = look_at_mine(claim, &place, &mine, &looked, &floor_s);

	*again = false;
	claim->load_id = claim->state.load_id;
	if (!wrong && !mine && !claim->unsure && may_be_using(claim))
		lose(claim, "it is not this machine's any more");
	if (!wrong && !looked)
		wrong = place_find(claim, &place);
	if (!wrong && !mine) {
		wrong = check_open(claim);
		floor_s = place.record.ceiling_s;
	}
	if (!wrong)
		wrong = take(claim, &place, mine, floor_s, again);
	place_free(&place);
	/* It may have been closed meanwhile. */
	if (!wrong && claim->owned && !mine) {
		wrong = check_open(claim);
		if (wrong)
			lose(claim, wrong);
	}
	return wrong;
}

/*
 * Without the store, go on to the ceiling that it is known to have. No clone
 * may do so: it would repeat the IDs of its twin.
 */
static char *go_on_without(struct claim *claim)
{
	const struct saved_claim *saved = &claim->saved;
	uint64_t floor_ns = max(saved->floor_s * SEC_NS, claim->state.floor_ns);
	char *wrong = NULL;

	if (!claim->known || saved->released || saved->ceiling_s <= wall_s() ||
	    claim->used_to_s || !in_range(claim, saved->number))
		return NULL;
	if (!still_used(claim)) {
		if (!same_machine(claim) || !claim->state.floor_ns ||
		    floor_ns >= saved->ceiling_s * SEC_NS)
			return NULL;
		wrong = claim->host->claim(saved->number, claim->load_id,
					   floor_ns, saved->ceiling_s * SEC_NS);
	}
	if (!wrong)
		claim->used_to_s = saved->ceiling_s;
	return wrong;
}

static char *own(struct claim *claim)
{
	bool again = true;
	char *wrong = NULL, *more;

	for (int i = 0; again && i < TRIES; i++)
		wrong = own_once(claim, &again);
	if (again)
		wrong = problem_for_now("other machines were quicker, %d times",
					TRIES);
	if (wrong) {
		more = go_on_without(claim);
		if (more)
			service_log(SERVICE_ERR, "%s", more);
		free(more);
	}
	return wrong;
}

/* ----------------------------------------------------------------- raising */

/*
 * Whether the owner may write again what a backup has taken back: unless
 * another machine has claimed the number since.
 */
static bool was_taken_back(struct claim *claim, const struct place *place)
{
	return !place->text ||
	       (place->readable &&
		!strcmp(place->record.token, claim->record.token) &&
		place->record.seq < claim->record.seq);
}

static char *raise_place(struct claim *claim, struct place *place)
{
	bool changed;
	char *wrong;

	if (!has_text(place, &claim->record) &&
	    !(claim->unsure && has_text(place, &claim->tried))) {
		if (!was_taken_back(claim, place)) {
			lose(claim, "another machine has claimed it, or a "
				    "twin of this machine has raised its "
				    "ceiling");
			return NULL;
		}
		service_log(SERVICE_NOTICE,
			    "the store was restored from a "
			    "backup: writing number %" PRIu64 " again",
			    place->number);
	}
	next_record(claim, place, claim->record.token);
	if (claim->saved.seq != claim->tried.seq) {
		claim->saved.seq = claim->tried.seq;
		save(claim);
	}
	wrong = write_tried(claim, place, &changed);
	return changed ? problem_for_now("the record has changed meanwhile")
		       : wrong;
}

static char *raise_ceiling(struct claim *claim)
{
	struct place place;
	char *wrong = place_read(claim, claim->saved.number, &place);

	if (wrong)
		return wrong;
	wrong = raise_place(claim, &place);
	place_free(&place);
	return wrong;
}

/* Also early, if the clock was set forward. */
static bool is_due(const struct claim *claim)
{
	return boot_ns() >= claim->raise_ns ||
	       claim->record.ceiling_s <
		       wall_s() + claim->settings->horizon_s * 2 / 5;
}

/* ------------------------------------------------------------------- using */

static char *use(struct claim *claim)
{
	uint64_t ceiling_s = claim->record.ceiling_s;
	char *wrong;

	if (claim->used_to_s == ceiling_s)
		return NULL;
	if (claim->used_to_s || claim->goes_on) {
		wrong = claim->host->raise(ceiling_s * SEC_NS);
	} else if (claim->saved.floor_s > wall_s()) {
		char when[TIME_TEXT_SIZE];

		time_text(claim->saved.floor_s, 0, 0, when);
		return problem_for_now("number %" PRIu64 " is claimed, but "
				       "nothing tells which IDs this machine "
				       "has made before: it is used from "
				       "%.19sZ",
				       claim->saved.number, when);
	} else {
		wrong = claim->host->claim(claim->saved.number, claim->load_id,
					   max(claim->saved.floor_s * SEC_NS,
					       claim->state.floor_ns),
					   ceiling_s * SEC_NS);
	}
	if (!wrong)
		claim->used_to_s = ceiling_s;
	return wrong;
}

bool claim_is_used(const struct claim *claim)
{
	return claim->used_to_s > wall_s();
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
	claim->try_ns = boot_ns() + ns / 2 + claim_random(ns / 2);
}

static char *ask_store(struct claim *claim)
{
	char *wrong;

	if (claim->owned && !is_due(claim))
		return NULL;
	wrong = claim->owned ? raise_ceiling(claim) : NULL;
	/* Also if raising it has found the number lost. */
	if (!wrong && !claim->owned)
		wrong = own(claim);
	if (wrong)
		back_off(claim);
	else
		claim->failures = 0;
	return wrong;
}

void claim_step(struct claim *claim)
{
	char *wrong = claim->host->read(&claim->state), *more = NULL;
	bool asks = boot_ns() >= claim->try_ns;

	if (!wrong && claim->owned && claim->state.load_id != claim->load_id)
		lose(claim, "this machine may be a clone");
	if (!wrong && asks)
		wrong = ask_store(claim);
	if (claim->owned)
		more = use(claim);
	/* Without a new try what was wrong still is. */
	if (wrong || more || asks) {
		free(claim->wrong);
		claim->wrong = wrong ? wrong : more;
		if (wrong)
			free(more);
	}
}

uint64_t claim_next_ns(const struct claim *claim)
{
	uint64_t next = boot_ns() + LOOK_NS;

	if (claim->owned && !claim->failures && claim->raise_ns < next)
		next = claim->raise_ns;
	if (claim->failures && claim->try_ns < next)
		next = claim->try_ns;
	return next;
}

/* --------------------------------------------------------------- operators */

/* The end of all IDs in whole seconds, which is not above the ceiling. */
static char *end_use(struct claim *claim, uint64_t *end_s)
{
	struct host_state *state = &claim->state;
	char *wrong = NULL;

	state->end_ns = 0;
	if (claim->used_to_s || still_used(claim))
		wrong = claim->host->end(state);
	*end_s = max(claim->saved.floor_s,
		     (state->end_ns + SEC_NS - 1) / SEC_NS);
	if (*end_s > claim->saved.ceiling_s)
		*end_s = claim->saved.ceiling_s;
	return wrong;
}

static char *write_end(struct claim *claim)
{
	struct place place;
	bool changed = false;
	char *wrong = place_read(claim, claim->saved.number, &place);

	if (wrong)
		return wrong;
	if (!place.readable || strcmp(place.record.token, claim->saved.token)) {
		place_free(&place);
		return problem("another machine has claimed number %" PRIu64,
			       claim->saved.number);
	}
	claim->tried = place.record;
	claim->tried.seq = claim->saved.seq;
	claim->tried.ceiling_s = claim->saved.ceiling_s;
	token_draw(claim->tried.nonce);
	wrong = write_tried(claim, &place, &changed);
	place_free(&place);
	return changed ? problem_for_now("the record has changed meanwhile")
		       : wrong;
}

/*
 * The file comes before the store: if the store were to know the end, and the
 * file not, this machine could go on after another one has begun.
 */
char *claim_release(struct claim *claim)
{
	struct saved_claim *saved = &claim->saved;
	uint64_t end_s;
	char *wrong = claim->host->read(&claim->state);

	if (wrong)
		return wrong;
	if (!claim->owned && !may_be_using(claim))
		return problem("this machine uses no number that it has "
			       "claimed; one that it had is free when its "
			       "ceiling has passed, see \"kuid-claim --list\"");
	wrong = end_use(claim, &end_s);
	if (wrong)
		return wrong;
	saved->released = true;
	saved->ceiling_s = end_s;
	saved->seq++;
	wrong = claim_file_write(claim->file, saved);
	for (int i = 0; !wrong; i++) {
		wrong = write_end(claim);
		if (!wrong)
			return NULL;
		if (i < RELEASE_TRIES && problem_status() == EXIT_LATER) {
			free(wrong);
			wrong = NULL;
		}
	}
	return wrong;
}

char *claim_recover(struct claim *claim, uint64_t *until_s)
{
	struct space space;
	char *wrong = read_space(claim, true, &space);

	*until_s = space.closed_s;
	return wrong;
}
