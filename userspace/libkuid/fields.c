// SPDX-License-Identifier: MIT
/* IDs as fields and back. */
#include <errno.h>

#include "core/korder.h"
#include "core/lexical.h"
#include "layout.h"

#define SEC_NS	   1000000000
#define SEC_TICKS  10000000
#define SEC_US	   1000000
#define SEC_MS	   1000
#define STEP_US	   (1 << KUID_GRID_C_BITS)
#define GREGORIAN  (KUID_UUID_UNIX_TICKS / SEC_TICKS) /* seconds to 1970 */
#define TICKS_BITS 60
#define MS_BITS	   48

static bool fits(uint64_t value, unsigned int bits)
{
	return bits == 64 || !(value >> bits);
}

static bool interval_is_known(unsigned int interval)
{
	return interval >= KUID_INTERVAL_LOWEST &&
	       interval <= KUID_INTERVAL_HIGHEST;
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

static void decode_v7(struct kuid_fields *fields, uint64_t high, uint64_t low)
{
	uint64_t ms = high >> 16;
	uint64_t ns;

	fields->has |= KUID_HAS_TICKS | KUID_HAS_FRACTION | KUID_HAS_LANE |
		       KUID_HAS_RANDOM;
	fields->ticks = ms;
	fields->fraction = kuid_v7_fraction_of(high, low);
	fields->lane = low >> KUID_V7_LANE_SHIFT & 0x7f;
	fields->random = low & KUID_V7_RANDOM_MASK;
	/* The highest fractions round up to the next millisecond. */
	ns = ms % SEC_MS * KUID_MS_NS + kuid_v7_ns(fields->fraction);
	tell_time(fields, ms / SEC_MS + ns / SEC_NS, ns % SEC_NS, 1);
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
	/* Steps that no second has are taken as the next second's. */
	us = fields->c * STEP_US;
	tell_time(fields,
		  (int64_t)fields->a * KUID_GRID_MEGA + fields->b + us / SEC_US,
		  us % SEC_US * 1000, STEP_US * 1000);
}

static int decode_korder(struct kuid_fields *fields, uint64_t high,
			 uint64_t low, unsigned int interval)
{
	uint32_t node96;

	if (fields->format == KUID_FORMAT_K64) {
		decode_grid(fields, high);
		return 0;
	}
	if (!interval_is_known(interval)) {
		errno = EINVAL;
		return -1;
	}
	if (fields->format == KUID_FORMAT_K96) {
		high = kuid_k64_of_k96(high, low, interval, &node96);
		fields->node = node96;
	} else {
		u64 node128;

		high = kuid_k64_of_k128(high, low, interval, &node128);
		fields->node = node128;
	}
	fields->has |= KUID_HAS_NODE | KUID_HAS_INTERVAL;
	fields->interval = interval;
	decode_grid(fields, high);
	return 0;
}

static uint32_t variant_of(const uint8_t *id)
{
	if (!(id[8] >> 7))
		return KUID_VARIANT_NCS;
	if (kuid_uuid_is_rfc(id))
		return KUID_VARIANT_RFC;
	return id[8] >> 5 == 6 ? KUID_VARIANT_MICROSOFT : KUID_VARIANT_FUTURE;
}

static void decode_uuid(struct kuid_fields *fields, const uint8_t *id,
			uint64_t high, uint64_t low)
{
	fields->has |= KUID_HAS_VARIANT;
	fields->variant = variant_of(id);
	if (fields->variant == KUID_VARIANT_RFC) {
		fields->has |= KUID_HAS_VERSION;
		fields->version = kuid_uuid_version(id);
	}
	switch (fields->version) {
	case 1:
		fields->format = KUID_FORMAT_V1;
		decode_ticks(fields, kuid_v1_tick(high), low);
		break;
	case 6:
		fields->format = KUID_FORMAT_V6;
		decode_ticks(fields, kuid_v6_tick(high), low);
		break;
	case 7:
		fields->format = KUID_FORMAT_V7;
		decode_v7(fields, high, low);
		break;
	default:
		fields->format = KUID_ANY_UUID;
	}
}

int kuid_decode(unsigned int format, const void *id, unsigned int interval,
		struct kuid_fields *fields)
{
	const struct kuid_format *layout = kuid_layout_of(format);
	struct kuid_fields decoded = { .format = format };
	uint64_t high, low;

	if (!layout)
		return -1;
	if (!kuid_layout_fits(layout, id)) {
		errno = EINVAL;
		return -1;
	}
	kuid_layout_load(id, layout->id_size, &high, &low);
	if (layout->text_form == KUID_TEXT_UUID)
		decode_uuid(&decoded, id, high, low);
	else if (format == KUID_FORMAT_LEX)
		decode_lex(&decoded, high, low);
	else if (decode_korder(&decoded, high, low, interval))
		return -1;
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

static bool encode_korder(const struct kuid_fields *fields, uint64_t *high,
			  uint64_t *low)
{
	u64 behind = 0;

	if (!fits(fields->a, 20) || !fits(fields->b, 20) ||
	    !fits(fields->c, 10) || !fits(fields->seq, KUID_GRID_SEQ_BITS))
		return false;
	*high = (uint64_t)fields->a << 44 | (uint64_t)fields->b << 24 |
		fields->c << KUID_GRID_SEQ_BITS | fields->seq;
	if (fields->format == KUID_FORMAT_K64)
		return true;
	if (!interval_is_known(fields->interval))
		return false;
	if (fields->format == KUID_FORMAT_K128)
		*high = kuid_k128_of_k64(*high, fields->node, fields->interval,
					 &behind);
	else if (fits(fields->node, 32))
		*high = kuid_k96_of_k64(*high, fields->node, fields->interval,
					&behind);
	else
		return false;
	*low = behind;
	return true;
}

int kuid_encode(const struct kuid_fields *fields, void *id)
{
	const struct kuid_format *layout = kuid_layout_of(fields->format);
	uint64_t high = 0, low = 0;
	bool fit;

	if (!layout)
		return -1;
	switch (fields->format) {
	case KUID_FORMAT_DEFAULT:
	case KUID_FORMAT_V1:
		fit = encode_ticks(fields, &low);
		high = kuid_v1_high(fields->ticks);
		break;
	case KUID_FORMAT_V6:
		fit = encode_ticks(fields, &low);
		high = kuid_v6_high(fields->ticks);
		break;
	case KUID_FORMAT_V7:
		fit = encode_v7(fields, &high, &low);
		break;
	case KUID_FORMAT_LEX:
		fit = true;
		high = fields->ticks;
		low = fields->worker;
		break;
	case KUID_FORMAT_K64:
	case KUID_FORMAT_K96:
	case KUID_FORMAT_K128:
		fit = encode_korder(fields, &high, &low);
		break;
	default:
		fit = false;
	}
	if (!fit) {
		errno = EINVAL;
		return -1;
	}
	kuid_layout_store(id, layout->id_size, high, low);
	return 0;
}

/*
 * Count a time in units of which a second has per_sec, from since seconds
 * before 1970 on, in up to bits bits.
 */
static bool count_units(int64_t sec, uint32_t nsec, uint64_t since,
			uint64_t per_sec, unsigned int bits, uint64_t *units)
{
	uint64_t whole = (uint64_t)sec + since;

	if (sec < -(int64_t)since)
		return false;
	return !__builtin_mul_overflow(whole, per_sec, units) &&
	       !__builtin_add_overflow(*units, nsec / (SEC_NS / per_sec),
				       units) &&
	       fits(*units, bits);
}

static bool count_grid(int64_t sec, uint32_t nsec, struct kuid_fields *fields)
{
	if (sec < 0 || !fits(sec / KUID_GRID_MEGA, 20))
		return false;
	fields->a = sec / KUID_GRID_MEGA;
	fields->b = sec % KUID_GRID_MEGA;
	fields->c = nsec / 1000 / STEP_US;
	nsec = fields->c * STEP_US * 1000;
	tell_time(fields, sec, nsec, STEP_US * 1000);
	return true;
}

int kuid_set_time(struct kuid_fields *fields, int64_t sec, uint32_t nsec)
{
	struct kuid_fields set = *fields;
	bool reaches;

	if (nsec >= SEC_NS) {
		errno = EINVAL;
		return -1;
	}
	switch (fields->format) {
	case KUID_FORMAT_DEFAULT:
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		reaches = count_units(sec, nsec, GREGORIAN, SEC_TICKS,
				      TICKS_BITS, &set.ticks);
		tell_time(&set, sec, nsec - nsec % KUID_TICK_NS, KUID_TICK_NS);
		break;
	case KUID_FORMAT_V7:
		reaches =
			count_units(sec, nsec, 0, SEC_MS, MS_BITS, &set.ticks);
		set.fraction = kuid_v7_fraction(nsec % KUID_MS_NS);
		tell_time(&set, sec, nsec, 1);
		break;
	case KUID_FORMAT_LEX:
		reaches = count_units(sec, nsec, 0, SEC_US, 64, &set.ticks);
		tell_time(&set, sec, nsec - nsec % KUID_LEX_SLOT_NS,
			  KUID_LEX_SLOT_NS);
		break;
	case KUID_FORMAT_K64:
	case KUID_FORMAT_K96:
	case KUID_FORMAT_K128:
		reaches = count_grid(sec, nsec, &set);
		break;
	default:
		errno = EINVAL;
		return -1;
	}
	if (!reaches) {
		errno = ERANGE;
		return -1;
	}
	/* What an ID has is told by kuid_decode() alone. */
	set.has = fields->has;
	*fields = set;
	return 0;
}

int kuid_time(unsigned int format, const void *id, unsigned int interval,
	      struct timespec *time)
{
	struct kuid_fields fields;

	if (kuid_decode(format, id, interval, &fields))
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
