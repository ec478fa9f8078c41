// SPDX-License-Identifier: MIT
/* How IDs of one format stand to each other. */
#include <errno.h>

#include "layout.h"

static int order_of(uint64_t a, uint64_t b)
{
	if (a == b)
		return KUID_EQUAL;
	return a < b ? KUID_BEFORE : KUID_AFTER;
}

static int order_by_format(const struct kuid_layout *layout, const void *a,
			   const void *b)
{
	uint64_t a_high, a_low, b_high, b_low;

	kuid_layout_load(a, layout->row->id_size, &a_high, &a_low);
	kuid_layout_load(b, layout->row->id_size, &b_high, &b_low);
	if (layout->format == KUID_LAYOUT_V1) {
		/* Without the version, and without the variant. */
		a_high = kuid_v1_tick(a_high);
		b_high = kuid_v1_tick(b_high);
		a_low <<= 2;
		b_low <<= 2;
	}
	if (a_high != b_high)
		return order_of(a_high, b_high);
	return order_of(a_low, b_low);
}

int kuid_compare(unsigned int format, const void *a, const void *b, int *order)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	if (!layout)
		return -1;
	*order = order_by_format(layout, a, b);
	return 0;
}

int kuid_compare_signed(unsigned int format, const void *a, const void *b,
			int *order)
{
	const uint64_t sign = 1ULL << 63;
	uint64_t a_high, a_low, b_high, b_low;

	if (format != KUID_FORMAT_LEX) {
		errno = EINVAL;
		return -1;
	}
	kuid_layout_load(a, 16, &a_high, &a_low);
	kuid_layout_load(b, 16, &b_high, &b_low);
	*order = a_high != b_high ? order_of(a_high ^ sign, b_high ^ sign)
				  : order_of(a_low ^ sign, b_low ^ sign);
	return 0;
}

static int order_by_time(const struct kuid_fields *a,
			 const struct kuid_fields *b)
{
	if (a->sec != b->sec)
		return a->sec < b->sec ? KUID_BEFORE : KUID_AFTER;
	return order_of(a->nsec, b->nsec);
}

/* Nanoseconds between two times, the highest number there is if they're more. */
static uint64_t gap_ns(const struct kuid_fields *early,
		       const struct kuid_fields *late)
{
	uint64_t sec = (uint64_t)late->sec - (uint64_t)early->sec;
	uint64_t nsec = late->nsec;
	uint64_t gap;

	if (late->nsec < early->nsec) {
		sec--;
		nsec += KUID_SEC_NS;
	}
	nsec -= early->nsec;
	if (__builtin_mul_overflow(sec, KUID_SEC_NS, &gap) ||
	    __builtin_add_overflow(gap, nsec, &gap))
		return UINT64_MAX;
	return gap;
}

static bool may_differ_in_node(const struct kuid_fields *a,
			       const struct kuid_fields *b)
{
	/* v7 doesn't tell the host. */
	if (a->format == KUID_FORMAT_V7)
		return true;
	return a->node != b->node || a->worker != b->worker;
}

int kuid_compare_bound(unsigned int format, const void *a, const void *b,
		       uint64_t setting, unsigned int flags, uint64_t bound_ns,
		       int *order)
{
	const struct kuid_layout *layout = kuid_layout_made(format);
	struct kuid_fields x, y;
	int by_format, by_time;
	uint64_t gap;

	if (!layout || kuid_decode(format, a, setting, flags, &x) ||
	    kuid_decode(format, b, setting, flags, &y))
		return -1;
	by_format = order_by_format(layout, a, b);
	if (by_format == KUID_EQUAL || !may_differ_in_node(&x, &y)) {
		*order = by_format;
		return 0;
	}
	by_time = order_by_time(&x, &y);
	gap = by_time == KUID_BEFORE ? gap_ns(&x, &y) : gap_ns(&y, &x);
	if (gap < bound_ns)
		*order = KUID_UNDECIDED;
	else
		*order = by_time == KUID_EQUAL ? by_format : by_time;
	return 0;
}

int kuid_distance(unsigned int format, const void *a, const void *b,
		  unsigned int interval, struct kuid_distance *distance)
{
	struct kuid_fields x, y;

	if (kuid_decode(format, a, interval, 0, &x) ||
	    kuid_decode(format, b, interval, 0, &y))
		return -1;
	if (!(x.has & KUID_HAS_GRID)) {
		errno = EINVAL;
		return -1;
	}
	if (x.node != y.node) {
		errno = EXDEV;
		return -1;
	}
	distance->a = (int32_t)x.a - (int32_t)y.a;
	distance->b = (int32_t)x.b - (int32_t)y.b;
	distance->c = (int32_t)x.c - (int32_t)y.c;
	distance->seq = (int32_t)x.seq - (int32_t)y.seq;
	return 0;
}
