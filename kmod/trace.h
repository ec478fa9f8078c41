/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints for rare events that explain the times in IDs. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kuid

#if !defined(KUID_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KUID_TRACE_H

#include <linux/tracepoint.h>

#include "core/change.h"

/* clang-format off */

TRACE_DEFINE_ENUM(KUID_STAMPS);
TRACE_DEFINE_ENUM(KUID_LEX);
TRACE_DEFINE_ENUM(KUID_GRID);
TRACE_DEFINE_ENUM(KUID_SNOWFLAKE);
TRACE_DEFINE_ENUM(KUID_EPOCH_FIRST);
TRACE_DEFINE_ENUM(KUID_EPOCH_STEP);
TRACE_DEFINE_ENUM(KUID_EPOCH_SET);
TRACE_DEFINE_ENUM(KUID_EPOCH_COVER);
TRACE_DEFINE_ENUM(KUID_EPOCH_BACK);
TRACE_DEFINE_ENUM(KUID_EPOCH_FORK);
TRACE_DEFINE_ENUM(KUID_EPOCH_CLAIM);
TRACE_DEFINE_ENUM(KUID_CLAIM_LIVES);
TRACE_DEFINE_ENUM(KUID_CLAIM_ENDED);
TRACE_DEFINE_ENUM(KUID_CLAIM_FORKED);

TRACE_EVENT(kuid_wait,
	TP_PROTO(enum kuid_source source, u64 ns),
	TP_ARGS(source, ns),
	TP_STRUCT__entry(
		__field(int, source)
		__field(u64, ns)
	),
	TP_fast_assign(
		__entry->source = source;
		__entry->ns = ns;
	),
	TP_printk("source=%s ns=%llu",
		  __print_symbolic(__entry->source,
				   { KUID_STAMPS, "stamps" },
				   { KUID_LEX, "lex" },
				   { KUID_GRID, "grid" },
				   { KUID_SNOWFLAKE, "snowflake" }),
		  __entry->ns)
);

TRACE_EVENT(kuid_step,
	TP_PROTO(s64 by, u64 stamp_lag, u64 slot_lag),
	TP_ARGS(by, stamp_lag, slot_lag),
	TP_STRUCT__entry(
		__field(s64, by)
		__field(u64, stamp_lag)
		__field(u64, slot_lag)
	),
	TP_fast_assign(
		__entry->by = by;
		__entry->stamp_lag = stamp_lag;
		__entry->slot_lag = slot_lag;
	),
	TP_printk("by_ns=%lld stamp_lag_ns=%llu slot_lag_ns=%llu",
		  __entry->by, __entry->stamp_lag, __entry->slot_lag)
);

TRACE_EVENT(kuid_epoch,
	TP_PROTO(u64 number, enum kuid_why why),
	TP_ARGS(number, why),
	TP_STRUCT__entry(
		__field(u64, number)
		__field(int, why)
	),
	TP_fast_assign(
		__entry->number = number;
		__entry->why = why;
	),
	TP_printk("number=%llu why=%s", __entry->number,
		  __print_symbolic(__entry->why,
				   { KUID_EPOCH_FIRST, "first" },
				   { KUID_EPOCH_STEP, "step" },
				   { KUID_EPOCH_SET, "set" },
				   { KUID_EPOCH_COVER, "cover" },
				   { KUID_EPOCH_BACK, "back" },
				   { KUID_EPOCH_FORK, "fork" },
				   { KUID_EPOCH_CLAIM, "claim" }))
);

DECLARE_EVENT_CLASS(kuid_claim,
	TP_PROTO(const struct kuid_claimed *claim),
	TP_ARGS(claim),
	TP_STRUCT__entry(
		__array(u64, token, 2)
		__field(int, state)
		__field(u32, parts)
		__field(u32, snowflake)
		__field(u64, worker)
		__field(u64, floor)
		__field(u64, ceiling)
		__field(u64, end)
	),
	TP_fast_assign(
		__entry->token[0] = claim->token.words[0];
		__entry->token[1] = claim->token.words[1];
		__entry->state = claim->dead;
		__entry->parts = claim->parts;
		__entry->snowflake = claim->snowflake_worker;
		__entry->worker = claim->worker;
		__entry->floor = claim->floor;
		__entry->ceiling = claim->ceiling;
		__entry->end = claim->end;
	),
	TP_printk("token=%016llx%016llx state=%s parts=%s worker=%016llx snowflake=%u floor_ns=%llu ceiling_ns=%llu end_ns=%llu",
		  __entry->token[0], __entry->token[1],
		  __print_symbolic(__entry->state,
				   { KUID_CLAIM_LIVES, "lives" },
				   { KUID_CLAIM_ENDED, "ended" },
				   { KUID_CLAIM_FORKED, "forked" }),
		  __print_flags(__entry->parts, ",",
				{ KUID_PARTS_WORKER, "worker" },
				{ KUID_PARTS_SNOWFLAKE, "snowflake" }),
		  __entry->worker, __entry->snowflake, __entry->floor,
		  __entry->ceiling, __entry->end)
);

DEFINE_EVENT(kuid_claim, kuid_claim,
	TP_PROTO(const struct kuid_claimed *claim), TP_ARGS(claim));

DEFINE_EVENT(kuid_claim, kuid_claim_span,
	TP_PROTO(const struct kuid_claimed *claim), TP_ARGS(claim));

/* clang-format on */

#endif /* KUID_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
