/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Changing a generator: beginning an epoch, closing the gate, and raising the
 * ceilings. Each change is a writer, see snapshot.h.
 *
 * The code that publishes epochs also frees them. It must keep the former
 * epoch, and the watermarks of its callers, until no caller uses that epoch any
 * more. It must not publish another epoch before that.
 */
#ifndef KUID_CORE_CHANGE_H
#define KUID_CORE_CHANGE_H

#include "snapshot.h"

/**
 * enum kuid_why - the reason for a new epoch
 * @KUID_EPOCH_FIRST: there was no epoch
 * @KUID_EPOCH_STEP: the wall clock was set back by more than the limit
 * @KUID_EPOCH_SET: an administrator has set the identity
 * @KUID_EPOCH_COVER: an administrator has begun a cover
 * @KUID_EPOCH_BACK: the same, and slots and stamps with a given node go back
 * @KUID_EPOCH_FORK: there may be a twin
 * @KUID_EPOCH_CLAIM: numbers were claimed, or a claim was dropped
 */
enum kuid_why {
	KUID_EPOCH_FIRST,
	KUID_EPOCH_STEP,
	KUID_EPOCH_SET,
	KUID_EPOCH_COVER,
	KUID_EPOCH_BACK,
	KUID_EPOCH_FORK,
	KUID_EPOCH_CLAIM
};

/**
 * struct kuid_claiming - a claim to begin, replace or drop
 * @claim: the new claim, of which the token, the floor and the ceiling are set;
 *	all zero to drop the claim. Output: all members are set
 * @replaces: the name of the living claim that is replaced or dropped; zero if
 *	none lives
 * @load_id: the load_id that the claimer has seen before it asked its store
 */
struct kuid_claiming {
	struct kuid_claimed claim;
	struct kuid_token replaces;
	u64 load_id;
};

/**
 * struct kuid_change - an epoch to begin, and what changes with it
 * @why: why the epoch begins, for the trace alone
 * @choices: the rules that its identity is made by
 * @changed: KUID_PARTS_*: the parts to draw again instead of keeping them
 * @stale: KUID_PARTS_*: the parts that a twin may have, if they were given
 * @closings: &kuid_gate.closings, read before the identity is drawn; KUID_NEVER
 *	if the epoch must not open the gate
 * @if_behind: begin the epoch only if the stamps are in front of the wall clock
 *	by more than the limit, and a new epoch has another node
 * @redrawn: the identity is drawn because of a twin, or is the first one
 * @fresh_slots: begin the sequences that come with the epoch at the wall clock,
 *	so slots may be handed out a second time
 * @covers: begin a cover: @floor holds for stamps with a given node as well
 * @cover: the new cover, with the name of the former one, if there is one; used
 *	only if @covers is set
 * @floor: slots go on at this time or above, in nanoseconds since 1970; 0 if
 *	there is no floor
 * @claiming: a claim to begin, replace or drop; NULL if the claim goes on
 * @former: output: the claim that was there before, as it was when the epoch
 *	began
 */
struct kuid_change {
	enum kuid_why why;
	struct kuid_choices choices;
	u32 changed;
	u32 stale;
	u64 closings;
	bool if_behind;
	bool redrawn;
	bool fresh_slots;
	bool covers;
	struct kuid_covered cover;
	u64 floor;
	struct kuid_claiming *claiming;
	struct kuid_claimed former;
};

bool kuid_generator_close(struct kuid_generator *generator, bool once,
			  struct kuid_claimed *died);
int kuid_generator_raise_cover(struct kuid_generator *generator,
			       const struct kuid_covered *cover);
int kuid_generator_raise_claim(struct kuid_generator *generator, u64 load_id,
			       struct kuid_claimed *claim);
int kuid_generator_publish(struct kuid_generator *generator,
			   struct kuid_epoch *epoch,
			   struct kuid_change *change);

#endif /* KUID_CORE_CHANGE_H */
