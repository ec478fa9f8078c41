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
#include "parts.h"

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
	u64 end;
	enum kuid_dead dead;
};

/**
 * struct kuid_covered - the times that stable storage covers
 * @load_id: with @epoch the name of the epoch in which the cover began
 * @epoch: the number of that epoch; 0 if no cover has begun
 * @floor: nothing is handed out below this time, in nanoseconds since 1970; 0
 *	if former loads have used no times
 * @ceiling: stable storage covers all times below this one, in nanoseconds
 *	since 1970; 0 before the cover has begun
 * @again_from: no slot, and no stamp with a given node, that is below this time
 *	may be handed out a second time, in nanoseconds since 1970; 0 if that is
 *	not known
 * @again_until: the same above this time; 0 if nothing may be handed out a
 *	second time
 */
struct kuid_covered {
	u64 load_id;
	u64 epoch;
	u64 floor;
	u64 ceiling;
	u64 again_from;
	u64 again_until;
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
 * @required: slots, and stamps with a given node, wait for a cover; never
 *	changes
 * @cover: the times that stable storage covers
 * @claim: the claim
 * @rewound: the machine may have been set back to an earlier state, and its
 *	clock with it: it may have handed out the slots before. Only k64 shows
 *	nothing else
 * @rewound_offset: the offset of the wall clock when @rewound was set, in
 *	nanoseconds
 *
 * Writers hold the generator's lock, and use WRITE_ONCE(), because readers copy
 * all members without it.
 */
struct kuid_gate {
	u32 closed;
	u64 closings;
	u64 ended;
	u64 vm_id[2];
	u64 reopened;
	bool required;
	struct kuid_covered cover;
	struct kuid_claimed claim;
	bool rewound;
	u64 rewound_offset;
};

/**
 * kuid_copy - copy what readers without the generator's lock may see
 * @to: the copy, 8 bytes aligned
 * @from: the struct, 8 bytes aligned
 * @size: its size in bytes, a multiple of 8
 *
 * No word is torn. A reader or the writer finds by the generator's sequence
 * count whether all words are of one moment.
 *
 * Context: any.
 */
static inline void kuid_copy(void *to, const void *from, size_t size)
{
	typedef u64 __attribute__((__may_alias__)) word;
	const word *source = from;
	word *copy = to;

	for (; size; size -= sizeof(*copy))
		WRITE_ONCE(*copy++, READ_ONCE(*source++));
}

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
		WRITE_ONCE(gate->reopened, closings);
	WRITE_ONCE(gate->closed,
		   kuid_gate_is_closed(gate) ? KUID_PARTS_ALL : unusable);
}

static inline bool kuid_covered_begun(const struct kuid_covered *cover)
{
	return cover->epoch;
}

/* Whether @cover has the name of @other. */
static inline bool kuid_covered_is(const struct kuid_covered *cover,
				   const struct kuid_covered *other)
{
	return cover->epoch == other->epoch && cover->load_id == other->load_id;
}

/**
 * kuid_gate_cover - begin a cover
 * @gate: the gate
 * @covered: the new cover
 * @used: all slots, and all stamps with a given node, that were handed out are
 *	below this time, if they go back; otherwise 0
 * @wall: the wall clock
 *
 * Times of the former cover that may come again are kept unless they are over.
 * There is one range of them: two ranges become the one that includes both.
 *
 * Context: any but NMI; the caller holds the generator's lock.
 */
static inline void kuid_gate_cover(struct kuid_gate *gate,
				   const struct kuid_covered *covered, u64 used,
				   u64 wall)
{
	struct kuid_covered *to = &gate->cover;
	struct kuid_covered begun = *covered;
	u64 until = covered->again_until;
	u64 from = covered->again_from;
	u64 floor = covered->floor;

	if (used) {
		until = max(until, used);
		until = max(until, to->floor);
	} else {
		floor = max(floor, to->floor);
	}
	if (to->again_until > max(wall, floor)) {
		from = until ? min(from, to->again_from) : to->again_from;
		until = max(until, to->again_until);
	}
	begun.floor = floor;
	begun.again_from = from;
	begun.again_until = until;
	kuid_copy(to, &begun, sizeof(begun));
	if (covered->floor)
		WRITE_ONCE(gate->rewound, false);
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

/* The ceiling that holds for IDs that show a claimed number; 0 if none does. */
static inline u64 kuid_claimed_ceiling(const struct kuid_claimed *claim)
{
	return claim->dead == KUID_CLAIM_ENDED ? 0 : claim->ceiling;
}

/**
 * kuid_gate_reach - compute until when a clock may be used
 * @ceiling: that of the cover or of the claim; 0 if there is none
 * @clock: the clock
 * @ahead: the window in nanoseconds: how far a time may be in front of @clock
 *
 * Context: any but NMI; the caller holds the generator's lock.
 * Return: the first moment of the monotonic clock, in nanoseconds, at which the
 * window of @clock would reach the ceiling; 0 if there is none.
 */
static inline u64 kuid_gate_reach(u64 ceiling, const struct kuid_clock *clock,
				  u64 ahead)
{
	return ceiling > ahead ? kuid_clock_reach(clock, ceiling - ahead) : 0;
}

/* Whether a cover has begun, but does not reach a time. */
static inline bool kuid_gate_is_past_ceiling(const struct kuid_gate *gate,
					     u64 time)
{
	return kuid_covered_begun(&gate->cover) && time >= gate->cover.ceiling;
}

/* Whether times up to @ahead in front of @now may be handed out again. */
static inline bool kuid_gate_may_repeat(const struct kuid_gate *gate, u64 now,
					u64 ahead)
{
	return now < gate->cover.again_until &&
	       now + ahead >= gate->cover.again_from;
}

#endif /* KUID_CORE_GATE_H */
