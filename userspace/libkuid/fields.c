// SPDX-License-Identifier: MIT
/* IDs as fields and back. */
#include <errno.h>

#include "core/korder.h"
#include "core/lexical.h"
#include "core/snowflake.h"
#include "layout.h"

#define SEC_TICKS    10000000
#define SEC_US	     1000000
#define SEC_MS	     1000
#define GRID_TICK_US (1 << KUID_GRID_C_BITS)
#define GREGORIAN    (KUID_UUID_UNIX_TICKS / SEC_TICKS) /* seconds to 1970 */
#define TICKS_BITS   60
#define MS_BITS	     48

static bool fits(uint64_t value, unsigned int bits)
{
	return bits == 64 || !(value >> bits);
}

/* Linux does not let anyone set its clock to a later time. */
#define SNOWFLAKE_EPOCH_MAX (KUID_TIME_MAX_NS / KUID_MS_NS)

static bool interval_is_known(uint64_t interval)
{
	return interval >= KUID_INTERVAL_MIN && interval <= KUID_INTERVAL_MAX;
}

static void tell_time(struct kuid_fields *fields, int64_t sec, uint32_t nsec,
		      uint32_t resolution_ns)
{
	fields->has |= KUID_HAS_TIME;
	fields->sec = sec;
	fields->nsec = nsec;
	fields->resolution_ns = resolution_ns;
}

static void decode_ticks(struct kuid_fields *fields, uint64_t ticks,
			 uint64_t low)
{
	fields->has |= KUID_HAS_TICKS | KUID_HAS_CLOCK_SEQ | KUID_HAS_LANE |
		       KUID_HAS_NODE;
	fields->ticks = ticks;
	fields->clock_seq = low >> KUID_UUID_SEQ_SHIFT & 0x3fff;
	fields->lane = fields->clock_seq & 0x7f;
	fields->node = low & (BIT_ULL(KUID_UUID_SEQ_SHIFT) - 1);
	tell_time(fields, (int64_t)(ticks / SEC_TICKS) - (int64_t)GREGORIAN,
		  ticks % SEC_TICKS * KUID_TICK_NS, KUID_TICK_NS);
}

static void decode_v7(struct kuid_fields *fields, uint64_t high, uint64_t low,
		      unsigned int flags)
{
	uint64_t ms = high >> 16;
	uint32_t ns;

	fields->has |= KUID_HAS_TICKS;
	fields->ticks = ms;
	fields->fraction = kuid_v7_fraction_of(high, low);
	fields->lane = low >> KUID_V7_LANE_SHIFT & 0x7f;
	fields->random = low & KUID_V7_RANDOM_MASK;
	ns = kuid_v7_ns(fields->fraction);
	/* Of more fractions than nanoseconds, kuid makes no ID of the rest. */
	if (!(flags & KUID_FROM_KUID) ||
	    kuid_v7_fraction(ns) != fields->fraction) {
		tell_time(fields, ms / SEC_MS, ms % SEC_MS * KUID_MS_NS,
			  KUID_MS_NS);
		return;
	}
	fields->has |= KUID_HAS_FRACTION | KUID_HAS_LANE | KUID_HAS_RANDOM;
	tell_time(fields, ms / SEC_MS, ms % SEC_MS * KUID_MS_NS + ns, 1);
}

static void decode_lex(struct kuid_fields *fields, uint64_t high, uint64_t low)
{
	fields->has |= KUID_HAS_TICKS | KUID_HAS_WORKER;
	fields->ticks = high;
	fields->worker = low;
	tell_time(fields, high / SEC_US, high % SEC_US * KUID_LEX_SLOT_NS,
		  KUID_LEX_SLOT_NS);
}

static void decode_grid(struct kuid_fields *fields, uint64_t k64)
{
	uint64_t us;

	fields->has |= KUID_HAS_GRID | KUID_HAS_SEQ;
	fields->seq = k64 & KUID_GRID_SEQ_MAX;
	fields->c = k64 >> KUID_GRID_SEQ_BITS & 0x3ff;
	fields->b = k64 >> 24 & 0xfffff;
	fields->a = k64 >> 44;
	/* A value of C that no second has belongs to the next second. */
	us = fields->c * GRID_TICK_US;
	tell_time(fields,
		  (int64_t)fields->a * KUID_GRID_MEGA + fields->b + us / SEC_US,
		  us % SEC_US * 1000, GRID_TICK_US * 1000);
}

static bool decode_snowflake(struct kuid_fields *fields, uint64_t id,
			     uint64_t epoch_ms)
{
	uint64_t ms;

	if (epoch_ms > SNOWFLAKE_EPOCH_MAX)
		return false;
	fields->has |= KUID_HAS_TICKS | KUID_HAS_WORKER | KUID_HAS_SEQ |
		       KUID_HAS_EPOCH;
	fields->ticks = id >> KUID_SNOWFLAKE_MS_SHIFT;
	fields->worker = id >> KUID_SNOWFLAKE_SEQ_BITS &
			 KUID_SNOWFLAKE_WORKER_MAX;
	fields->seq = id & KUID_SNOWFLAKE_SEQ_MAX;
	fields->epoch_ms = epoch_ms;
	ms = epoch_ms + fields->ticks;
	tell_time(fields, ms / SEC_MS, ms % SEC_MS * KUID_MS_NS, KUID_MS_NS);
	return true;
}

static void take_node(struct kuid_fields *fields, uint64_t node,
		      unsigned int interval)
{
	fields->has |= KUID_HAS_NODE | KUID_HAS_INTERVAL;
	fields->node = node;
	fields->interval = interval;
}

static bool decode_k96(struct kuid_fields *fields, uint64_t high, uint64_t low,
		       uint64_t interval)
{
	uint32_t node;

	if (!interval_is_known(interval))
		return false;
	decode_grid(fields, kuid_k64_of_k96(high, low, interval, &node));
	take_node(fields, node, interval);
	return true;
}

static bool decode_k128(struct kuid_fields *fields, uint64_t high, uint64_t low,
			uint64_t interval)
{
	u64 node;

	if (!interval_is_known(interval))
		return false;
	decode_grid(fields, kuid_k64_of_k128(high, low, interval, &node));
	take_node(fields, node, interval);
	return true;
}

static uint32_t variant_of(const uint8_t *id)
{
	if (!(id[8] >> 7))
		return KUID_VARIANT_NCS;
	if (kuid_uuid_is_rfc(id))
		return KUID_VARIANT_RFC;
	return id[8] >> 5 == 6 ? KUID_VARIANT_MICROSOFT : KUID_VARIANT_FUTURE;
}

static void decode_variant(struct kuid_fields *fields, const uint8_t *id)
{
	fields->has |= KUID_HAS_VARIANT;
	fields->variant = variant_of(id);
	if (fields->variant == KUID_VARIANT_RFC) {
		fields->has |= KUID_HAS_VERSION;
		fields->version = kuid_uuid_version(id);
	}
}

/* False if the setting is not one of the format's. */
static bool decode(const struct kuid_layout *layout, uint64_t high,
		   uint64_t low, uint64_t setting, unsigned int flags,
		   struct kuid_fields *fields)
{
	switch (layout->format) {
	case KUID_LAYOUT_V1:
		decode_ticks(fields, kuid_v1_tick(high), low);
		return true;
	case KUID_LAYOUT_V6:
		decode_ticks(fields, kuid_v6_tick(high), low);
		return true;
	case KUID_LAYOUT_V7:
		decode_v7(fields, high, low, flags);
		return true;
	case KUID_LAYOUT_LEX:
		decode_lex(fields, high, low);
		return true;
	case KUID_LAYOUT_K64:
		decode_grid(fields, high);
		return true;
	case KUID_LAYOUT_K96:
		return decode_k96(fields, high, low, setting);
	case KUID_LAYOUT_K128:
		return decode_k128(fields, high, low, setting);
	case KUID_LAYOUT_SNOWFLAKE:
		return decode_snowflake(fields, high, setting);
	case KUID_LAYOUT_ANY_UUID:
		return true;
	}
	return false;
}

int kuid_decode(unsigned int format, const void *id, uint64_t setting,
		unsigned int flags, struct kuid_fields *fields)
{
	const struct kuid_layout *layout = kuid_layout_of(format);
	struct kuid_fields decoded = { 0 };
	uint64_t high, low;

	if (!layout)
		return -1;
	if (flags & ~KUID_FROM_KUID || !kuid_layout_fits(layout, id)) {
		errno = EINVAL;
		return -1;
	}
	if (kuid_layout_is_uuid(layout)) {
		decode_variant(&decoded, id);
		layout = kuid_layout_of_uuid(id);
	}
	decoded.format = layout->format;
	kuid_layout_load(id, layout->row->id_size, &high, &low);
	if (!decode(layout, high, low, setting, flags, &decoded)) {
		errno = EINVAL;
		return -1;
	}
	*fields = decoded;
	return 0;
}

static bool encode_ticks(const struct kuid_fields *fields, uint64_t *low)
{
	*low = KUID_UUID_VARIANT |
	       (uint64_t)fields->clock_seq << KUID_UUID_SEQ_SHIFT |
	       fields->node;
	return fits(fields->ticks, TICKS_BITS) && fits(fields->clock_seq, 14) &&
	       fits(fields->node, KUID_UUID_SEQ_SHIFT);
}

static bool encode_v7(const struct kuid_fields *fields, uint64_t *high,
		      uint64_t *low)
{
	*high = kuid_v7_high(fields->ticks, fields->fraction);
	*low = kuid_v7_low(fields->fraction, fields->lane, fields->random);
	return fits(fields->ticks, MS_BITS) && fits(fields->fraction, 20) &&
	       fits(fields->lane, 7) &&
	       fits(fields->random, KUID_V7_LANE_SHIFT);
}

static bool encode_grid(const struct kuid_fields *fields, uint64_t *k64)
{
	*k64 = (uint64_t)fields->a << 44 | (uint64_t)fields->b << 24 |
	       fields->c << KUID_GRID_SEQ_BITS | fields->seq;
	return fits(fields->a, 20) && fits(fields->b, 20) &&
	       fits(fields->c, 10) && fits(fields->seq, KUID_GRID_SEQ_BITS);
}

static bool encode_k96(const struct kuid_fields *fields, uint64_t *high,
		       uint64_t *low)
{
	u64 behind;

	if (!encode_grid(fields, high) || !fits(fields->node, 32) ||
	    !interval_is_known(fields->interval))
		return false;
	*high = kuid_k96_of_k64(*high, fields->node, fields->interval, &behind);
	*low = behind;
	return true;
}

static bool encode_k128(const struct kuid_fields *fields, uint64_t *high,
			uint64_t *low)
{
	u64 behind;

	if (!encode_grid(fields, high) || !interval_is_known(fields->interval))
		return false;
	*high = kuid_k128_of_k64(*high, fields->node, fields->interval,
				 &behind);
	*low = behind;
	return true;
}

static bool encode_snowflake(const struct kuid_fields *fields, uint64_t *id)
{
	*id = kuid_snowflake_of(fields->ticks, fields->worker, fields->seq);
	return fits(fields->ticks, KUID_SNOWFLAKE_MS_BITS) &&
	       fits(fields->worker, KUID_SNOWFLAKE_WORKER_BITS) &&
	       fits(fields->seq, KUID_SNOWFLAKE_SEQ_BITS);
}

/* False if a field is wider than the format's, or the interval is unknown. */
static bool encode(const struct kuid_layout *layout,
		   const struct kuid_fields *fields, uint64_t *high,
		   uint64_t *low)
{
	switch (layout->format) {
	case KUID_LAYOUT_V1:
		*high = kuid_v1_high(fields->ticks);
		return encode_ticks(fields, low);
	case KUID_LAYOUT_V6:
		*high = kuid_v6_high(fields->ticks);
		return encode_ticks(fields, low);
	case KUID_LAYOUT_V7:
		return encode_v7(fields, high, low);
	case KUID_LAYOUT_LEX:
		*high = fields->ticks;
		*low = fields->worker;
		return true;
	case KUID_LAYOUT_K64:
		return encode_grid(fields, high);
	case KUID_LAYOUT_K96:
		return encode_k96(fields, high, low);
	case KUID_LAYOUT_K128:
		return encode_k128(fields, high, low);
	case KUID_LAYOUT_SNOWFLAKE:
		return encode_snowflake(fields, high);
	case KUID_LAYOUT_ANY_UUID:
		return false;
	}
	return false;
}

int kuid_encode(const struct kuid_fields *fields, void *id)
{
	const struct kuid_layout *layout = kuid_layout_of(fields->format);
	uint64_t high = 0, low = 0;

	if (!layout)
		return -1;
	if (!encode(layout, fields, &high, &low)) {
		errno = EINVAL;
		return -1;
	}
	kuid_layout_store(id, layout->row->id_size, high, low);
	return 0;
}

/*
 * Convert a time to a count of units, per_sec units to a second, where unit 0
 * is since seconds before 1970. Returns false if the time is before unit 0, or
 * the count does not fit in so many bits.
 */
static bool count_units(int64_t sec, uint32_t nsec, uint64_t since,
			uint64_t per_sec, unsigned int bits, uint64_t *units)
{
	uint64_t whole = (uint64_t)sec + since;

	if (sec < -(int64_t)since)
		return false;
	return !__builtin_mul_overflow(whole, per_sec, units) &&
	       !__builtin_add_overflow(*units, nsec / (KUID_SEC_NS / per_sec),
				       units) &&
	       fits(*units, bits);
}

static bool count_grid(int64_t sec, uint32_t nsec, struct kuid_fields *fields)
{
	if (sec < 0 || !fits(sec / KUID_GRID_MEGA, 20))
		return false;
	fields->a = sec / KUID_GRID_MEGA;
	fields->b = sec % KUID_GRID_MEGA;
	fields->c = nsec / 1000 / GRID_TICK_US;
	nsec = fields->c * GRID_TICK_US * 1000;
	tell_time(fields, sec, nsec, GRID_TICK_US * 1000);
	return true;
}

static bool count_snowflake(int64_t sec, uint32_t nsec,
			    struct kuid_fields *fields)
{
	uint64_t ms;

	tell_time(fields, sec, nsec - nsec % KUID_MS_NS, KUID_MS_NS);
	if (!count_units(sec, nsec, 0, SEC_MS, 64, &ms) ||
	    ms < fields->epoch_ms)
		return false;
	fields->ticks = ms - fields->epoch_ms;
	return fits(fields->ticks, KUID_SNOWFLAKE_MS_BITS);
}

/* False if the format does not reach the time. */
static bool set_time(const struct kuid_layout *layout, int64_t sec,
		     uint32_t nsec, struct kuid_fields *set)
{
	switch (layout->format) {
	case KUID_LAYOUT_V1:
	case KUID_LAYOUT_V6:
		tell_time(set, sec, nsec - nsec % KUID_TICK_NS, KUID_TICK_NS);
		return count_units(sec, nsec, GREGORIAN, SEC_TICKS, TICKS_BITS,
				   &set->ticks);
	case KUID_LAYOUT_V7:
		tell_time(set, sec, nsec, 1);
		set->fraction = kuid_v7_fraction(nsec % KUID_MS_NS);
		return count_units(sec, nsec, 0, SEC_MS, MS_BITS, &set->ticks);
	case KUID_LAYOUT_LEX:
		tell_time(set, sec, nsec - nsec % KUID_LEX_SLOT_NS,
			  KUID_LEX_SLOT_NS);
		return count_units(sec, nsec, 0, SEC_US, 64, &set->ticks);
	case KUID_LAYOUT_K64:
	case KUID_LAYOUT_K96:
	case KUID_LAYOUT_K128:
		return count_grid(sec, nsec, set);
	case KUID_LAYOUT_SNOWFLAKE:
		return count_snowflake(sec, nsec, set);
	case KUID_LAYOUT_ANY_UUID:
		return false;
	}
	return false;
}

int kuid_set_time(struct kuid_fields *fields, int64_t sec, uint32_t nsec)
{
	const struct kuid_layout *layout = kuid_layout_made(fields->format);
	struct kuid_fields set = *fields;

	if (!layout)
		return -1;
	if (nsec >= KUID_SEC_NS) {
		errno = EINVAL;
		return -1;
	}
	if (!set_time(layout, sec, nsec, &set)) {
		errno = ERANGE;
		return -1;
	}
	/* Only kuid_decode() says what an ID has. */
	set.has = fields->has;
	*fields = set;
	return 0;
}

int kuid_time(unsigned int format, const void *id, uint64_t setting,
	      unsigned int flags, struct timespec *time)
{
	struct kuid_fields fields;

	if (kuid_decode(format, id, setting, flags, &fields))
		return -1;
	if (!(fields.has & KUID_HAS_TIME)) {
		errno = EINVAL;
		return -1;
	}
	/* Programs of 32 bits may know seconds to 2038 only. */
	if ((time_t)fields.sec != fields.sec) {
		errno = EOVERFLOW;
		return -1;
	}
	*time = (struct timespec) {
		.tv_sec = fields.sec,
		.tv_nsec = fields.nsec,
	};
	return 0;
}
