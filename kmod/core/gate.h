/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The gate: may IDs be made now that show some part of the identity, or have
 * some time?
 *
 * It closes parts of the identity that another machine may have, too. Where a
 * ceiling is required it lets no clock be used for a time that stable storage
 * doesn't cover: slots, and stamps with a given node, would repeat after a
 * restart.
 */
#ifndef KUID_CORE_GATE_H
#define KUID_CORE_GATE_H

#include "clock.h"
#include "format.h"

/**
 * struct kuid_gate - the gate
 * @closed: KUID_PART_*: parts of the identity that may not be used now
 * @closings: how often all were closed because there may be a twin
 * @reopened: that number, as it was when the identity was last drawn for it
 * @required: slots, and stamps with a given node, wait for a ceiling; never
 *	changes
 * @restored: the floor of a former life is known, or that there was none
 * @floor: that floor, in nanoseconds since 1970; 0 if there was none
 * @ceiling: stable storage covers all times below; 0 before the first
 * @forced: slots below this time may be given out a second time; 0 if none may
 *
 * Written under the generator's lock, by WRITE_ONCE(), because it is read
 * without.
 */
struct kuid_gate {
	u32 closed;
	u64 closings;
	u64 reopened;
	bool required;
	bool restored;
	u64 floor;
	u64 ceiling;
	u64 forced;
};

/* Those of @parts that may not be used. */
static __always_inline u32 kuid_gate_closed(const struct kuid_gate *gate,
					    const u32 parts)
{
	return parts ? READ_ONCE(gate->closed) & parts : 0;
}

/* There may be a twin: nothing that shows the identity may be made. */
static inline void kuid_gate_close(struct kuid_gate *gate)
{
	WRITE_ONCE(gate->closings, gate->closings + 1);
	WRITE_ONCE(gate->closed, KUID_ALL_PARTS);
}

/**
 * kuid_gate_open - use another identity
 * @gate: the gate
 * @closings: &kuid_gate.closings, before the identity was drawn
 * @redrawn: it was drawn anew, or is the first
 * @stale: KUID_PART_*: what of it another machine may have, too
 *
 * An identity that was drawn before the gate closed again, or was not drawn
 * anew since, leaves it closed.
 */
static inline void kuid_gate_open(struct kuid_gate *gate, u64 closings,
				  bool redrawn, u32 stale)
{
	if (redrawn)
		gate->reopened = closings;
	WRITE_ONCE(gate->closed,
		   gate->reopened == gate->closings ? stale : KUID_ALL_PARTS);
}

/* Nothing below @floor is given out any more; 0 if there is no floor. */
static inline void kuid_gate_restore(struct kuid_gate *gate, u64 floor)
{
	WRITE_ONCE(gate->restored, true);
	WRITE_ONCE(gate->floor, max(gate->floor, floor));
}

/* Slots below @end may be given out again. */
static inline void kuid_gate_force(struct kuid_gate *gate, u64 end)
{
	WRITE_ONCE(gate->forced, max(gate->forced, end));
}

/**
 * kuid_gate_reach - until when a clock may be used
 * @gate: the gate
 * @clock: the clock
 * @ahead: how far a time may be ahead of the clock
 *
 * Return: the moment of the monotonic clock from which on @clock could be used
 * for a time that the ceiling doesn't cover; 0 if there is no ceiling.
 */
static inline u64 kuid_gate_reach(const struct kuid_gate *gate,
				  const struct kuid_clock *clock, u64 ahead)
{
	if (!gate->restored || gate->ceiling <= ahead)
		return 0;
	return kuid_clock_reach(clock, gate->ceiling - ahead);
}

/* The gate at one moment, read within the generator's sequence count. */
static inline struct kuid_gate kuid_gate_read(const struct kuid_gate *gate)
{
	struct kuid_gate read = { .required = gate->required };

	read.closed = READ_ONCE(gate->closed);
	read.restored = READ_ONCE(gate->restored);
	read.floor = READ_ONCE(gate->floor);
	read.ceiling = READ_ONCE(gate->ceiling);
	read.forced = READ_ONCE(gate->forced);
	return read;
}

/* Whether a time is known to be restored and not covered by the ceiling. */
static inline bool kuid_gate_is_past_ceiling(const struct kuid_gate *gate,
					     u64 time)
{
	return gate->restored && time >= gate->ceiling;
}

#endif /* KUID_CORE_GATE_H */
