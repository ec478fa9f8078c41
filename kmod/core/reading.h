/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reading the state of a generator, without changing it. */
#ifndef KUID_CORE_READING_H
#define KUID_CORE_READING_H

#include "snapshot.h"

/**
 * struct kuid_reading - the state of a generator at one moment
 * @origin: the epoch and its identity; all zeroes if there is no epoch
 * @choices: the rules that the identity was made by
 * @stale: KUID_PARTS_*: &kuid_epoch.stale
 * @wall: the wall clock, in nanoseconds since 1970
 * @stamp_lag: how far the stamp clock is in front of the wall clock, in
 *	nanoseconds
 * @slot_lag: how far the slot clock is in front of the wall clock, in
 *	nanoseconds
 * @ahead: run-ahead of each source: how far its highest issued time is in front
 *	of its clock, in nanoseconds
 * @stamp_end: all stamps with a given node are below this time, in nanoseconds
 *	since 1970; 0 if there are none
 * @slot_end: all slots are below this time, in nanoseconds since 1970
 * @clock: the slot clock; the stamp clock if that is ahead of it and the node
 *	was given, because a ceiling holds for these stamps, too
 * @gate: the gate
 * @steps_back: how often the wall clock was set back
 * @steps_forward: how often the wall clock was set forward
 * @expired: no IDs that show a claimed number may come next, because of the
 *	claim's ceiling
 * @past_ceiling: a time that may come next is not covered by the ceiling
 * @slots_again: slots may be handed out a second time now
 * @stamps_again: the same for stamps, whose node was given
 * @rewound: the same for k64, after the machine was set back
 */
struct kuid_reading {
	struct kuid_origin origin;
	struct kuid_choices choices;
	u32 stale;
	u64 wall;
	u64 stamp_lag;
	u64 slot_lag;
	u64 ahead[KUID_NR_SOURCES];
	u64 stamp_end;
	u64 slot_end;
	u64 clock;
	struct kuid_gate gate;
	u64 steps_back;
	u64 steps_forward;
	bool expired;
	bool past_ceiling;
	bool slots_again;
	bool stamps_again;
	bool rewound;
};

bool kuid_generator_read(const struct kuid_generator *generator,
			 struct kuid_reading *reading);
u64 kuid_generator_clear(const struct kuid_generator *generator);

#endif /* KUID_CORE_READING_H */
