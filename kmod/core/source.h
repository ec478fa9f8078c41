/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sources: what IDs are made from. A source divides time into units of its own,
 * which are numbered from 1970 on. Stamps are units of lanes, slots are units
 * of sequences. The generator knows nothing about a source but its row in the
 * table here.
 */
#ifndef KUID_CORE_SOURCE_H
#define KUID_CORE_SOURCE_H

#include "korder.h"
#include "lexical.h"
#include "snowflake.h"

/**
 * enum kuid_source - what IDs are made from
 * @KUID_LEX: microseconds of the host
 * @KUID_GRID: slots of the k-ordered grid of the host
 * @KUID_SNOWFLAKE: slots of milliseconds of the host
 * @KUID_NR_SEQUENCES: number of sources of slots; each has a sequence
 * @KUID_STAMPS: nanoseconds of lanes
 * @KUID_NR_SOURCES: number of sources
 */
enum kuid_source {
	KUID_LEX,
	KUID_GRID,
	KUID_SNOWFLAKE,
	KUID_NR_SEQUENCES,
	KUID_STAMPS = KUID_NR_SEQUENCES,
	KUID_NR_SOURCES
};

/**
 * struct kuid_scale - how a source divides time
 * @rate: units in a second
 * @tail: how many further units begin at the same time as a unit: the slots of
 *	a grid tick or of a millisecond of snowflake but one, otherwise 0
 * @at: first unit of those that begin at the same time and hold a time in
 *	nanoseconds since 1970
 * @begin: time at which a unit begins, in nanoseconds since 1970
 * @span: lowest number of units in a span of nanoseconds
 */
struct kuid_scale {
	u64 rate;
	u32 tail;
	u64 (*at)(u64 ns);
	u64 (*begin)(u64 unit);
	u64 (*span)(u64 ns);
};

static inline u64 kuid_stamp_ns(u64 ns)
{
	return ns;
}

/*
 * Indexed by enum kuid_source. If the index is a constant, the compiler folds
 * the entry.
 */
static const __maybe_unused struct kuid_scale kuid_scales[] = {
	[KUID_LEX] = {
		.rate = KUID_LEX_RATE,
		.at = kuid_lex_slot,
		.begin = kuid_lex_ns,
		.span = kuid_lex_slots,
	},
	[KUID_GRID] = {
		.rate = KUID_GRID_RATE,
		.tail = KUID_GRID_SEQ_MAX,
		.at = kuid_grid_slot,
		.begin = kuid_grid_ns,
		.span = kuid_grid_slots,
	},
	[KUID_SNOWFLAKE] = {
		.rate = KUID_SNOWFLAKE_RATE,
		.tail = KUID_SNOWFLAKE_SEQ_MAX,
		.at = kuid_snowflake_slot,
		.begin = kuid_snowflake_ns,
		.span = kuid_snowflake_slots,
	},
	[KUID_STAMPS] = {
		.rate = KUID_SEC_NS,
		.at = kuid_stamp_ns,
		.begin = kuid_stamp_ns,
		.span = kuid_stamp_ns,
	},
};

/**
 * struct kuid_range - the times that IDs can hold
 * @first_ns: the first one, in nanoseconds since 1970
 * @end_ns: the first one behind them
 */
struct kuid_range {
	u64 (*first_ns)(const struct kuid_identity *identity);
	u64 (*end_ns)(const struct kuid_identity *identity);
};

/* By the part of the identity that IDs show. Those of other parts hold all. */
static const __maybe_unused struct kuid_range kuid_ranges[KUID_NR_PARTS] = {
	[KUID_PART_SNOWFLAKE] = {
		.first_ns = kuid_snowflake_first_ns,
		.end_ns = kuid_snowflake_end_ns,
	},
};

#endif /* KUID_CORE_SOURCE_H */
