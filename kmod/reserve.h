/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserving stamps or slots for a call, with or without waiting. core/take.h
 * has the reservation itself.
 */
#ifndef KUID_RESERVE_H
#define KUID_RESERVE_H

#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

#include "core/formats.h"
#include "core/turn.h"
#include "epochs.h"

struct kuid_request;

extern struct kuid_line_pair kuid_reserve_lines[KUID_NR_SOURCES];

/**
 * kuid_reserve_passes - check whether a call's line is empty
 * @source: what the IDs are made from
 * @single: the call asks for one ID
 *
 * The call may reserve without the line's lock then.
 *
 * Context: any. Costs one plain read, or none for stamps.
 * Return: whether the line is empty; always true for stamps, which have none.
 */
static __always_inline bool kuid_reserve_passes(const enum kuid_source source,
						const bool single)
{
	const struct kuid_line_pair *lines = &kuid_reserve_lines[source];
	const struct kuid_line *line = single ? &lines->singles
					      : &lines->batches;

	return source == KUID_STAMPS || likely(!READ_ONCE(line->count));
}

/* Describe what a call for @count IDs of a format takes from the generator. */
static __always_inline struct kuid_want
kuid_want_for(const u32 format, struct kuid_watermarks *watermarks,
	      const enum kuid_order order, const u32 count)
{
	const struct kuid_format *row = &kuid_formats[format];
	const struct kuid_window *window = &kuid_host.windows[row->source];

	return (struct kuid_want) {
		.source = row->source,
		.watermarks = watermarks,
		.order = order,
		.part = row->part,
		.ahead = count == 1 ? window->one : window->batch,
		.count = count,
	};
}

int kuid_reserve(const struct kuid_request *request, struct kuid_taken *taken);
int kuid_reserve_ready(const struct kuid_request *request, u64 *when);
void __init kuid_reserve_init(void);

#endif /* KUID_RESERVE_H */
