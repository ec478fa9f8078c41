/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sources: what IDs are made from. Each is time in units of its own, numbered
 * from 1970 on, of which each is handed out once: stamps by lanes, slots by a
 * sequence. The generator knows of a source only what is in the table here.
 */
#ifndef KUID_CORE_SOURCE_H
#define KUID_CORE_SOURCE_H

#include "korder.h"
#include "lexical.h"

/**
 * enum kuid_source - what IDs are made from
 * @KUID_LEX: the host's microseconds
 * @KUID_GRID: the host's slots of the k-ordered grid
 * @KUID_NR_SEQUENCES: how many sources of slots there are; each is a sequence
 * @KUID_STAMPS: nanoseconds of a lane
 * @KUID_NR_SOURCES: how many sources there are
 */
enum kuid_source {
	KUID_LEX,
	KUID_GRID,
	KUID_NR_SEQUENCES,
	KUID_STAMPS = KUID_NR_SEQUENCES,
	KUID_NR_SOURCES
};

/**
 * struct kuid_source_units - how a source divides time
 * @rate: units in a second
 * @tail: units that begin at the same moment as one before them
 * @at: the first unit that begins at some moment, in nanoseconds since 1970
 * @begin: when a unit begins, in nanoseconds since 1970
 * @span: how many units there are in some nanoseconds, at least
 */
struct kuid_source_units {
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

/* By enum kuid_source; folds where that is a constant. */
static const __maybe_unused struct kuid_source_units kuid_source_units[] = {
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
	[KUID_STAMPS] = {
		.rate = KUID_SEC_NS,
		.at = kuid_stamp_ns,
		.begin = kuid_stamp_ns,
		.span = kuid_stamp_ns,
	},
};

#endif /* KUID_CORE_SOURCE_H */
