/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of formats, for tests that are the same for every format, and a
 * decoder of IDs. The decoder follows the layouts in RFC 9562 and linux/kuid.h
 * bit by bit and shares no code with the module, so that it can't share a
 * mistake.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include <endian.h>

#include "dev_kuid.h"

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_USEC	1000ULL

/* 1582-10-15 to 1970-01-01, in ticks of 100 ns (RFC 9562 section 5.1). */
#define UNIX_TICKS	0x01b21dd213814000ULL

/* The grid of k64, k96 and k128. */
#define GRID_TICK_US	1024ULL
#define GRID_TICKS	977ULL		/* in a second */
#define GRID_SLOTS	16384ULL	/* in a tick */

/* How far a single ID, and an ID of a batch, may be ahead of the clock. */
#define AHEAD_NS	(100 * NSEC_PER_MSEC)
#define BATCH_AHEAD_NS	(50 * NSEC_PER_MSEC)

/* Skip reason of tests that must take IDs faster than the clock advances. */
#define TOO_SLOW	"the machine is too slow to use up what there is"

/* If the wall clock is set back by more than this, stamps begin a new epoch. */
#define STEP_LIMIT_NS	(10 * NSEC_PER_SEC)

/*
 * What snowflake counts from, and its worker: the tests load the module with
 * it, see module.h and guest/selftests.sh. Its text has 19 characters from 2018
 * to the end.
 */
#define SNOWFLAKE_EPOCH_MS	1288834974657ULL
#define SNOWFLAKE_WORKER	17

#define ID_SIZE_MAX	16
#define LINE_MAX_SIZE	37

struct format {
	const char *name;
	__u32 number;
	__u32 id_size;
	__u32 text_size;	/* characters of an ID, without newline */
	__u64 rate;
};

/*
 * All formats: name, NAME of KUID_FORMAT_*, bytes of an ID, characters of its
 * text, and IDs a second. The tests don't use the module's own table, so that
 * they don't share its mistakes.
 */
#define FORMATS(FORMAT, ...)                                               \
	FORMAT(v1, V1, 16, 36, 1000000000, ##__VA_ARGS__)                  \
	FORMAT(v6, V6, 16, 36, 1000000000, ##__VA_ARGS__)                  \
	FORMAT(v7, V7, 16, 36, 1000000000, ##__VA_ARGS__)                  \
	FORMAT(lex, LEX, 16, 35, 1000000, ##__VA_ARGS__)                   \
	FORMAT(k64, K64, 8, 11, GRID_TICKS * GRID_SLOTS, ##__VA_ARGS__)    \
	FORMAT(k96, K96, 12, 16, GRID_TICKS * GRID_SLOTS, ##__VA_ARGS__)   \
	FORMAT(k128, K128, 16, 22, GRID_TICKS * GRID_SLOTS, ##__VA_ARGS__) \
	FORMAT(snowflake, SNOWFLAKE, 8, 19, 4096000, ##__VA_ARGS__)

#define FORMAT_ROW(name, NAME, ...) { #name, KUID_FORMAT_##NAME, __VA_ARGS__ },
static const struct format formats[] = { FORMATS(FORMAT_ROW) };
#undef FORMAT_ROW

/* A fixture's variants, one for each format. */
#define FORMAT_VARIANT(name, NAME, id_size, text_size, rate, fixture)      \
	FIXTURE_VARIANT_ADD(fixture, name) { KUID_FORMAT_##NAME };
#define FORMAT_VARIANTS(fixture)                                           \
	FIXTURE_VARIANT(fixture) { __u32 format; };                        \
	FORMATS(FORMAT_VARIANT, fixture)

/* How many formats there are. They are numbered from 1 without a gap. */
#define FORMAT_ONE(...) + 1
enum { NR_FORMATS = 0 FORMATS(FORMAT_ONE), LAST_FORMAT = NR_FORMATS };
#undef FORMAT_ONE

/* Sets of formats, by bits of their numbers. Stamps are nanoseconds. */
#define STAMP_BIT(name, NAME, id_size, text_size, rate)                    \
	| ((rate) == 1000000000 ? 1U << KUID_FORMAT_##NAME : 0)
enum {
	STAMPS = 0 FORMATS(STAMP_BIT),
	EVERY_FORMAT = (2U << LAST_FORMAT) - 2,
	SLOTS = EVERY_FORMAT & ~STAMPS
};

#undef STAMP_BIT

static inline bool among(const struct format *f, __u32 numbers)
{
	return numbers >> f->number & 1;
}

static inline bool is_stamp(const struct format *f)
{
	return among(f, STAMPS);
}

static inline const struct format *format_of(__u32 number)
{
	return &formats[number - 1];
}

/* The format of /dev/kuid. */
#define DEV_FORMAT	format_of(KUID_FORMAT_V1)

/* Open the device file of a format, or with the suffix ".txt" the text one. */
static inline int open_device_file(const struct format *f, const char *suffix,
				   int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/kuids/%s%s", f->name, suffix);
	return open(path, O_RDONLY | flags);
}

/* The device files, by a number: /dev/kuid, then four of each format. */
#define NR_DEVICES	(1 + 4 * NR_FORMATS)

/**
 * struct device - a device file
 * @order: KUID_ORDER_* of its reads
 * @text: it gives lines
 */
struct device {
	const struct format *f;
	__u32 order;
	bool text;
	char path[40];
};

static inline struct device device_of(int nr)
{
	struct device device = {
		.f = nr ? &formats[(nr - 1) / 4] : DEV_FORMAT,
		.order = nr && (nr - 1) & 2 ? KUID_ORDER_HOST : KUID_ORDER_FILE,
		.text = nr && (nr - 1) & 1,
	};

	if (nr)
		snprintf(device.path, sizeof(device.path), "/dev/kuids/%s%s%s",
			 device.order == KUID_ORDER_HOST ? "host/" : "",
			 device.f->name, device.text ? ".txt" : "");
	else
		snprintf(device.path, sizeof(device.path), DEV_KUID);
	return device;
}

/* Two words of an ID, most significant first; a shorter ID ends in zeroes. */
struct words {
	__u64 high;
	__u64 low;
};

static inline struct words id_words(const struct format *f, const void *id)
{
	__u64 bytes[2] = { 0 };

	memcpy(bytes, id, f->id_size);
	return (struct words) { be64toh(bytes[0]), be64toh(bytes[1]) };
}

/* Extract @nr bits, at most 64, that follow the first @from bits. */
static inline __u64 bits(struct words w, unsigned int from, unsigned int nr)
{
	unsigned int behind = 128 - from - nr;
	__u64 value;

	if (behind >= 64)
		value = w.high >> (behind - 64);
	else if (!behind || from >= 64)
		value = w.low >> behind;
	else
		value = w.high << (64 - behind) | w.low >> behind;
	return nr < 64 ? value & ((1ULL << nr) - 1) : value;
}

/* The key that orders IDs: (time, clock_seq) for v1, the bytes for others. */
static inline struct words id_order(const struct format *f, const void *id)
{
	struct words w = id_words(f, id);

	if (f->number == KUID_FORMAT_V1)
		w.high = bits(w, 52, 12) << 48 | bits(w, 32, 16) << 32 |
			 bits(w, 0, 32);
	return w;
}

static inline bool words_after(struct words w, struct words other)
{
	return w.high > other.high ||
	       (w.high == other.high && w.low > other.low);
}

static inline const __u8 *id_at(const struct format *f, const void *ids,
				size_t nr)
{
	return (const __u8 *)ids + nr * f->id_size;
}

/*
 * Count the IDs up to the first one that is not above its predecessor; the
 * predecessor of the first is *@last. Stores the key of the last counted ID in
 * *@last.
 */
static inline size_t count_in_order(const struct format *f, const void *ids,
				    size_t count, struct words *last)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct words next = id_order(f, id_at(f, ids, i));

		if (!words_after(next, *last))
			break;
		*last = next;
	}
	return i;
}

/*
 * The interval I: how many of the lowest bits of the second follow the node in
 * k96 and k128. A test that sets another I stores it here, for decode().
 */
#define GRID_INTERVAL	8

static unsigned int grid_interval = GRID_INTERVAL;

/**
 * struct fields - the fields of an ID
 * @ns: time since 1970, in the format's resolution
 * @node: node or worker; 0 if the format has none
 * @slot: number of lex's microsecond, of the grid's slot or of snowflake's since
 *	1970; 0 for other formats
 */
struct fields {
	__u64 ns;
	__u64 node;
	__u64 slot;
};

static inline bool decode_uuid(__u32 version, struct words w, struct fields *to)
{
	__u64 ticks, fraction, ns;

	/* The RFC's variant is the two bits 1 and 0. */
	if (bits(w, 48, 4) != version || bits(w, 64, 2) != 2)
		return false;

	switch (version) {
	case 1:
		ticks = bits(w, 52, 12) << 48 | bits(w, 32, 16) << 32 |
			bits(w, 0, 32);
		break;
	case 6:
		ticks = bits(w, 0, 48) << 12 | bits(w, 52, 12);
		break;
	default:
		/* A valid fraction is one that a nanosecond begins in. */
		fraction = bits(w, 52, 12) << 8 | bits(w, 66, 8);
		ns = (fraction * NSEC_PER_MSEC + (1 << 20) - 1) >> 20;
		if (ns >= NSEC_PER_MSEC ||
		    (ns << 20) / NSEC_PER_MSEC != fraction)
			return false;
		to->ns = bits(w, 0, 48) * NSEC_PER_MSEC + ns;
		return true;
	}
	if (ticks < UNIX_TICKS)
		return false;
	to->ns = (ticks - UNIX_TICKS) * 100;
	to->node = bits(w, 80, 48);
	return node_is_random(to->node);
}

/* Decode an ID. Returns false if it is not a valid ID of the format. */
static inline bool decode(const struct format *f, const void *id,
			  struct fields *to)
{
	const unsigned int interval = grid_interval;
	struct words w = id_words(f, id);
	unsigned int node_bits = 0;
	__u64 a, b, c, seq;

	*to = (struct fields) { 0 };
	switch (f->number) {
	case KUID_FORMAT_V1:
		return decode_uuid(1, w, to);
	case KUID_FORMAT_V6:
		return decode_uuid(6, w, to);
	case KUID_FORMAT_V7:
		return decode_uuid(7, w, to);
	case KUID_FORMAT_LEX:
		to->slot = w.high;
		to->ns = to->slot * NSEC_PER_USEC;
		to->node = w.low;
		return true;
	case KUID_FORMAT_SNOWFLAKE:
		to->slot = (bits(w, 0, 42) + SNOWFLAKE_EPOCH_MS) << 12 |
			   bits(w, 52, 12);
		to->ns = (to->slot >> 12) * NSEC_PER_MSEC;
		to->node = bits(w, 42, 10);
		return !bits(w, 0, 1);
	case KUID_FORMAT_K96:
		node_bits = 32;
		break;
	case KUID_FORMAT_K128:
		node_bits = 64;
		break;
	}

	a = bits(w, 0, 20);
	b = bits(w, 20, 20 - interval) << interval |
	    bits(w, 40 - interval + node_bits, interval);
	c = bits(w, 40 + node_bits, 10);
	seq = bits(w, 50 + node_bits, 14);
	if (node_bits)
		to->node = bits(w, 40 - interval, node_bits);
	to->ns = (a * 1000000 + b) * NSEC_PER_SEC + (c << 10) * NSEC_PER_USEC;
	to->slot = ((a * 1000000 + b) * GRID_TICKS + c) * GRID_SLOTS + seq;
	return b < 1000000 && c < GRID_TICKS;
}

/*
 * The unit of a format's time: an ID has the start of the current unit, so its
 * time may be behind the clock by so much.
 */
static inline __u64 unit_of(const struct format *f)
{
	switch (f->number) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		return 100;
	case KUID_FORMAT_V7:
		return 1;
	case KUID_FORMAT_LEX:
		return NSEC_PER_USEC;
	case KUID_FORMAT_SNOWFLAKE:
		return NSEC_PER_MSEC;
	}
	return 1024 * NSEC_PER_USEC;
}

/* Set a minimum or a maximum. */
static inline void stretch(__u64 *to, __u64 value, bool up)
{
	__u64 seen = __atomic_load_n(to, __ATOMIC_RELAXED);

	while ((up ? seen < value : seen > value) &&
	       !__atomic_compare_exchange_n(to, &seen, value, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline __u64 read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static inline __u64 clock_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

static inline __u64 boottime_ns(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

/*
 * Wait until the wall clock has passed the time of all IDs of earlier tests.
 * The clock decides when that is, not the duration of a sleep.
 */
static inline void let_clock_catch_up(void)
{
	__u64 until = clock_ns() + AHEAD_NS + 2 * NSEC_PER_MSEC;

	while (clock_ns() <= until)
		usleep(10000);
}

/* Take @count IDs. Returns how many came, or a negative errno. */
static inline long read_ids(const struct format *f, int fd, void *to,
			    __u32 count)
{
	ssize_t size = read(fd, to, (size_t)count * f->id_size);

	if (size < 0)
		return -errno;
	return size % f->id_size ? -EIO : size / (long)f->id_size;
}

static inline long generate_in_order(const struct format *f, int fd,
				     __u32 order, void *to, __u32 count)
{
	struct kuid_generate g = {
		.buffer = (uintptr_t)to,
		.format = f->number,
		.order = order,
		.count = count,
	};

	return ioctl(fd, KUID_IOC_GENERATE, &g) ? -errno : (long)g.done;
}

static inline long generate_ids(const struct format *f, int fd, void *to,
				__u32 count)
{
	return generate_in_order(f, fd, KUID_ORDER_DEFAULT, to, count);
}

/* Returns 0 or the errno. */
static inline int set_order(int fd, __u32 order)
{
	struct kuid_set_format set = { .order = order };

	return ioctl(fd, KUID_IOC_SET_FORMAT, &set) ? errno : 0;
}

/* The next random number of 16 bits. */
static inline __u32 pick(__u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

static inline int hex_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? at - digits : -1;
}

static inline int sortable64_value(char c)
{
	static const char digits[] =
		".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? at - digits : -1;
}

/* Parse a line with a decimal number of so many digits, the first not 0. */
static inline bool parse_decimal(const char *line, __u32 digits, void *id)
{
	__u64 number = 0;
	__u64 word;
	__u32 i;

	for (i = 0; i < digits; i++) {
		if (line[i] < '0' || line[i] > '9')
			return false;
		number = number * 10 + line[i] - '0';
	}
	word = htobe64(number);
	memcpy(id, &word, sizeof(word));
	return line[0] != '0' && line[digits] == '\n';
}

/*
 * Parse a line with its newline. Returns false unless the line is the canonical
 * text of an ID.
 */
static inline bool parse_line(const struct format *f, const char *line,
			      void *id)
{
	bool korder = f->number >= KUID_FORMAT_K64;
	unsigned int digit_bits = korder ? 6 : 4;
	unsigned int have = 0;
	__u8 *to = id;
	__u32 held = 0;
	__u32 i;

	if (f->number == KUID_FORMAT_SNOWFLAKE)
		return parse_decimal(line, f->text_size, id);
	for (i = 0; i < f->text_size; i++) {
		int value;

		/* 8-4-4-4-12, and 8-4-4-16 for lex. */
		if (!korder && (i == 8 || i == 13 || i == 18 ||
				(i == 23 && f->number != KUID_FORMAT_LEX))) {
			if (line[i] != '-')
				return false;
			continue;
		}
		value = korder ? sortable64_value(line[i]) : hex_value(line[i]);
		if (value < 0)
			return false;
		held = held << digit_bits | value;
		have += digit_bits;
		if (have >= 8) {
			have -= 8;
			if (to < (__u8 *)id + f->id_size)
				*to++ = held >> have;
		}
		held &= (1U << have) - 1;
	}
	/* The bits of the last digit beyond the ID's end must be zero. */
	return to == (__u8 *)id + f->id_size && !held &&
	       line[f->text_size] == '\n';
}

/* Read @count lines as IDs. Returns how many came, or a negative errno. */
static inline long read_lines(const struct format *f, int fd, void *to,
			      __u32 count)
{
	size_t line = f->text_size + 1;
	char text[count * line];
	ssize_t size = read(fd, text, count * line);
	long i;

	if (size < 0)
		return -errno;
	for (i = 0; i < (long)(size / line); i++) {
		if (!parse_line(f, text + i * line,
				(__u8 *)to + i * f->id_size))
			return -EBADMSG;
	}
	return size % line ? -EIO : i;
}

/*
 * The bytes that a read of @size bytes of text gives, after @before bytes of
 * whole lines and of pieces of lines: the rest of a line, then whole lines. Only
 * a read that is too small for a line, and finds no rest, gives a piece.
 */
static inline size_t size_of_text(const struct format *f, size_t before,
				  size_t size)
{
	size_t line = f->text_size + 1;
	size_t rest = (line - before % line) % line;

	if (size <= rest || (!rest && size < line))
		return size;
	return rest + (size - rest) / line * line;
}

/*
 * Read the end of a line whose rest was lost, behind the @given bytes of it.
 * Returns the size of the line if all of its ID was given; 0 if the line is
 * marked, so that nobody takes it for an ID; otherwise -1.
 */
static inline int end_lost_line(const struct format *f, int fd, char *line,
				size_t given)
{
	const char *end = given == f->text_size ? "\n" : "?\n";
	size_t size = strlen(end);
	size_t i;

	for (i = 0; i < size; i++)
		if (read(fd, line + given + i, 1) != 1)
			return -1;
	if (memcmp(line + given, end, size))
		return -1;
	return size == 1 ? given + 1 : 0;
}

#endif /* FORMATS_H */
