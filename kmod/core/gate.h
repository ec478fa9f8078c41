/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The gate decides whether a reservation may be handed out. It has two parts:
 *
 * - Identity: it closes the parts of the identity that a twin may have, or that
 *   the identity lacks.
 * - Time: if a ceiling is required, it stops a clock before the clock reaches a
 *   time that stable storage does not cover. Otherwise slots, and stamps with a
 *   given node, could repeat after a restart. It also stops the clock before
 *   the ceiling of a claim, for IDs that show a claimed number. Otherwise they
 *   could repeat those of the number's next owner.
 */
#ifndef KUID_CORE_GATE_H
#define KUID_CORE_GATE_H

#include "clock.h"
#include "identity.h"

/**
 * struct kuid_token - tells a claim from all others
 * @words: 128 bits that the claimer has drawn; all zero if nothing is claimed
 */
struct kuid_token {
	u64 words[2];
};

/**
 * enum kuid_dead - whether a claim has ended for good, and why
 * @KUID_CLAIM_LIVES: it has not, or nothing is claimed
 * @KUID_CLAIM_ENDED: the claimer has ended it
 * @KUID_CLAIM_FORKED: there may be a twin with the same claim
 *
 * A dead claim never lives again.
 */
enum kuid_dead {
	KUID_CLAIM_LIVES,
	KUID_CLAIM_ENDED,
	KUID_CLAIM_FORKED
};

/**
 * struct kuid_claimed - a claim of numbers for the identity
 * @token: its name; zero if nothing is claimed
 * @parts: KUID_PARTS_*: the parts of the identity that show a claimed number
 * @worker: the worker of these parts
 * @snowflake_worker: the same for snowflake
 * @floor: no slot was handed out for the claim below this time, in nanoseconds
 *	since 1970; 0 if nobody had the numbers before
 * @ceiling: slots at or above this time are not handed out for IDs that show a
 *	claimed number, in nanoseconds since 1970; if the claim was ended, all
 *	slots that were handed out for it are below this time
 * @first: no slot was handed out for the claim below this time; not below
 *	@floor
 * @end: all slots that were handed out for the claim are below this time; as of
 *	the last change of the claim or of the epoch
 * @dead: enum kuid_dead
 */
struct kuid_claimed {
	struct kuid_token token;
	u32 parts;
	u64 worker;
	u16 snowflake_worker;
	u64 floor;
	u64 ceiling;
	u64 first;
	u64 end;
	enum kuid_dead dead;
};

/**
 * struct kuid_gate - the gate
 * @closed: KUID_PARTS_*: parts of the identity that must not be used now
 * @closings: how often all parts were closed because there may be a twin
 * @ended: number of the last epoch before the last closing: a twin may have the
 *	IDs of this epoch and of earlier ones; 0 if there is none
 * @vm_id: the generation ID of the virtual machine when the gate was last
 *	closed, or when the module was loaded
 * @reopened: the value of @closings that the identity was last drawn for
 * @required: slots, and stamps with a given node, wait for a ceiling; never
 *	changes
 * @restored: an administrator has restored the floor, or has said that there is
 *	none
 * @floor: the restored floor, in nanoseconds since 1970; 0 if there is none
 * @ceiling: stable storage covers all times below this one, in nanoseconds
 *	since 1970; 0 before the first ceiling
 * @claim: the claim
 * @forced: slots below this time may be handed out a second time, in
 *	nanoseconds since 1970; 0 if there are none
 * @rewound: the machine may have been set back to an earlier state, and its
 *	clock with it: it may have handed out the slots before. Only k64 shows
 *	nothing else
 * @rewound_offset: the offset of the wall clock when @rewound was set, in
 *	nanoseconds
 *
 * Writers hold the generator's lock, and use WRITE_ONCE() for members that are
 * read without it.
 */
struct kuid_gate {
	u32 closed;
	u64 closings;
	u64 ended;
	u64 vm_id[2];
	u64 reopened;
	bool required;
	bool restored;
	u64 floor;
	u64 ceiling;
	struct kuid_claimed claim;
	u64 forced;
	bool rewound;
	u64 rewound_offset;
};

static inline bool kuid_token_is(const struct kuid_token *token,
				 const struct kuid_token *other)
{
	return token->words[0] == other->words[0] &&
	       token->words[1] == other->words[1];
}

static inline bool kuid_token_is_none(const struct kuid_token *token)
{
	return !token->words[0] && !token->words[1];
}

/* Whether there is a claim that has not ended. */
static inline bool kuid_claimed_lives(const struct kuid_claimed *claim)
{
	return !kuid_token_is_none(&claim->token) &&
	       claim->dead == KUID_CLAIM_LIVES;
}

/* Whether a part must not be used now. */
static __always_inline bool kuid_gate_closed(const struct kuid_gate *gate,
					     const enum kuid_part part)
{
	return part && READ_ONCE(gate->closed) & KUID_PARTS_OF(part);
}

/* Whether there may be a twin, and no epoch has begun since that has no twin. */
static inline bool kuid_gate_is_closed(const struct kuid_gate *gate)
{
	return gate->reopened != gate->closings;
}

/* Whether the gate was closed since the generation ID has changed to @vm_id. */
static __always_inline bool kuid_gate_knows(const struct kuid_gate *gate,
					    const u64 *vm_id)
{
	/* Pairs with the release in kuid_gate_follow_vm(). */
	u64 first = smp_load_acquire(&gate->vm_id[0]);
	/* Pairs with the other release in kuid_gate_follow_vm(). */
	u64 second = smp_load_acquire(&gate->vm_id[1]);

	return first == READ_ONCE(vm_id[0]) && second == READ_ONCE(vm_id[1]);
}

/*
 * Whether an ID of an epoch may be returned, which was stored before: no twin
 * has it. @vm_id is the generation ID.
 *
 * The generation ID alone is not enough: another CPU may have closed the gate
 * since the ID was reserved. So read @vm_id of the gate first: whoever sees the
 * new one also sees that the epoch has ended.
 */
static __always_inline bool kuid_gate_lets_pass(const struct kuid_gate *gate,
						const u64 *vm_id, u64 epoch)
{
	return kuid_gate_knows(gate, vm_id) && epoch > READ_ONCE(gate->ended);
}

/* Take over the generation ID, after the gate was closed because of it. */
static inline void kuid_gate_follow_vm(struct kuid_gate *gate, const u64 *vm_id)
{
	/*
	 * Pairs with the acquire in kuid_gate_knows(): whoever sees the new
	 * word also sees &kuid_gate.ended.
	 */
	smp_store_release(&gate->vm_id[0], READ_ONCE(vm_id[0]));
	/* Pairs with the other acquire: only one word may have changed. */
	smp_store_release(&gate->vm_id[1], READ_ONCE(vm_id[1]));
}

/*
 * There may be a twin. No ID that shows a part of the identity may be made, and
 * none of the epoch with the number @ended may be returned. The wall clock has
 * @offset now.
 *
 * A hibernation closes the gate twice. The resume between sets the clock
 * forward, so the first offset counts.
 */
static inline void kuid_gate_close(struct kuid_gate *gate, u64 offset,
				   u64 ended)
{
	if (!kuid_gate_is_closed(gate)) {
		WRITE_ONCE(gate->rewound, true);
		WRITE_ONCE(gate->rewound_offset, offset);
	}
	WRITE_ONCE(gate->closings, gate->closings + 1);
	WRITE_ONCE(gate->ended, ended);
	WRITE_ONCE(gate->closed, KUID_PARTS_ALL);
	if (kuid_claimed_lives(&gate->claim))
		WRITE_ONCE(gate->claim.dead, KUID_CLAIM_FORKED);
}

/**
 * kuid_gate_open - let callers use another identity
 * @gate: the gate
 * @closings: the value of &kuid_gate.closings before the identity was drawn
 * @redrawn: the identity was drawn because of a twin, or is the first one
 * @unusable: KUID_PARTS_*: parts of the identity that a twin may have, or that
 *	the identity lacks
 *
 * If the gate was closed again after the identity was drawn, or if the identity
 * was not drawn because of a twin since the gate was closed, all parts stay
 * closed.
 *
 * Context: any but NMI; the caller holds the generator's lock.
 */
static inline void kuid_gate_open(struct kuid_gate *gate, u64 closings,
				  bool redrawn, u32 unusable)
{
	if (redrawn)
		gate->reopened = closings;
	WRITE_ONCE(gate->closed,
		   kuid_gate_is_closed(gate) ? KUID_PARTS_ALL : unusable);
}

/* Record that a state was restored; @floor is 0 if it has no floor. */
static inline void kuid_gate_restore(struct kuid_gate *gate, u64 floor)
{
	WRITE_ONCE(gate->restored, true);
	if (floor)
		WRITE_ONCE(gate->rewound, false);
	WRITE_ONCE(gate->floor, max(gate->floor, floor));
}

/* Replace the claim. */
static inline void kuid_gate_claim(struct kuid_gate *gate,
				   const struct kuid_claimed *claim)
{
	struct kuid_claimed *to = &gate->claim;

	WRITE_ONCE(to->token.words[0], claim->token.words[0]);
	WRITE_ONCE(to->token.words[1], claim->token.words[1]);
	WRITE_ONCE(to->floor, claim->floor);
	WRITE_ONCE(to->ceiling, claim->ceiling);
	WRITE_ONCE(to->dead, claim->dead);
	to->parts = claim->parts;
	to->worker = claim->worker;
	to->snowflake_worker = claim->snowflake_worker;
	to->first = claim->first;
	to->end = claim->end;
}

/*
 * Whether the machine may have handed out the present slots before. If the wall
 * clock was set forward since the machine was set back, somebody has told it
 * the time.
 */
static inline bool kuid_gate_is_rewound(const struct kuid_gate *gate,
					u64 offset)
{
	return gate->rewound && (s64)(offset - gate->rewound_offset) <= 0;
}

/* The wall clock has @offset now. */
static inline void kuid_gate_follow(struct kuid_gate *gate, u64 offset)
{
	if (!kuid_gate_is_rewound(gate, offset))
		WRITE_ONCE(gate->rewound, false);
}

/* Slots below @end may be handed out a second time. */
static inline void kuid_gate_force(struct kuid_gate *gate, u64 end)
{
	WRITE_ONCE(gate->forced, max(gate->forced, end));
}

/**
 * kuid_gate_reach - compute until when a clock may be used
 * @gate: the gate
 * @clock: the clock
 * @ahead: the window in nanoseconds: how far a time may be in front of @clock
 *
 * Context: any but NMI; the caller holds the generator's lock.
 * Return: the first moment of the monotonic clock, in nanoseconds, at which the
 * window of @clock would reach a time that the ceiling does not cover; 0 if
 * there is no ceiling.
 */
static inline u64 kuid_gate_reach(const struct kuid_gate *gate,
				  const struct kuid_clock *clock, u64 ahead)
{
	if (!gate->restored || gate->ceiling <= ahead)
		return 0;
	return kuid_clock_reach(clock, gate->ceiling - ahead);
}

/* The same for the ceiling of the claim. */
static inline u64 kuid_gate_claim_reach(const struct kuid_gate *gate,
					const struct kuid_clock *clock,
					u64 ahead)
{
	if (gate->claim.dead == KUID_CLAIM_ENDED ||
	    gate->claim.ceiling <= ahead)
		return 0;
	return kuid_clock_reach(clock, gate->claim.ceiling - ahead);
}

/*
 * A copy of the gate, without the counters of closings, the generation ID and
 * what the claim is for. The caller reads it within the generator's sequence
 * count, so it is of one moment.
 */
static inline struct kuid_gate kuid_gate_read(const struct kuid_gate *gate)
{
	struct kuid_gate read = { .required = gate->required };

	read.closed = READ_ONCE(gate->closed);
	read.restored = READ_ONCE(gate->restored);
	read.floor = READ_ONCE(gate->floor);
	read.ceiling = READ_ONCE(gate->ceiling);
	read.claim.token.words[0] = READ_ONCE(gate->claim.token.words[0]);
	read.claim.token.words[1] = READ_ONCE(gate->claim.token.words[1]);
	read.claim.floor = READ_ONCE(gate->claim.floor);
	read.claim.ceiling = READ_ONCE(gate->claim.ceiling);
	read.claim.dead = READ_ONCE(gate->claim.dead);
	read.forced = READ_ONCE(gate->forced);
	read.rewound = READ_ONCE(gate->rewound);
	read.rewound_offset = READ_ONCE(gate->rewound_offset);
	return read;
}

/* Whether a state was restored, but the ceiling does not cover a time. */
static inline bool kuid_gate_is_past_ceiling(const struct kuid_gate *gate,
					     u64 time)
{
	return gate->restored && time >= gate->ceiling;
}

#endif /* KUID_CORE_GATE_H */
