/* SPDX-License-Identifier: GPL-2.0-only */
/* A sink for the core's pack functions that keeps the IDs as words. */
#ifndef KUID_UNIT_PACKED_H
#define KUID_UNIT_PACKED_H

#include "core/port.h"

#define PACKED_MOST 1000

/**
 * struct packed - IDs in the order in which they were stored
 * @room: how many more IDs it accepts
 * @count: how many IDs it holds
 * @high: first word of each ID
 * @low: second word of each ID
 */
struct packed {
	u32 room;
	u32 count;
	u64 high[PACKED_MOST];
	u64 low[PACKED_MOST];
};

static inline void packed_empty(struct packed *packed, u32 room)
{
	packed->room = room;
	packed->count = 0;
}

static inline bool packed_put(void *sink, __be64 high, __be64 low)
{
	struct packed *packed = sink;

	if (!packed->room)
		return false;
	packed->room--;
	packed->high[packed->count] = be64_to_cpu(high);
	packed->low[packed->count] = be64_to_cpu(low);
	packed->count++;
	return true;
}

/* Whether each ID is above the one before, as bytes. */
static inline bool packed_increases(const struct packed *packed)
{
	for (u32 i = 1; i < packed->count; i++) {
		u64 was = packed->high[i - 1];

		if (packed->high[i] < was ||
		    (packed->high[i] == was &&
		     packed->low[i] <= packed->low[i - 1]))
			return false;
	}
	return true;
}

#endif /* KUID_UNIT_PACKED_H */
