// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find repeated IDs, however long the test runs, in a fixed amount of memory.
 *
 * The promises say that times in IDs go on: a call that begins now gives no ID
 * with a time before the clock, and the clock isn't before any ID given so far
 * minus max_ahead. So each source of times has a window with an edge. A new ID
 * is compared with all IDs in its window; an ID before the edge is an error,
 * whether it was given before or not. Sources are the microseconds of lex, the
 * grid, each node of v1 and v6, and each epoch of v7. When a node or epoch is
 * over, its window is closed. A given node may return; then its times must go
 * on.
 *
 * Each private lane is a source, too. Its times always increase, so its edge is
 * behind its last ID. All v7 are compared with one another, because those of
 * lanes only differ by a hash.
 *
 * soak_sweep() moves the edges. It takes an ID and waits until all calls have
 * ended that began before, because those may still give earlier times.
 *
 * An entry of the book is a v7, or up to 64 consecutive IDs of another format
 * that one call gave. Entries are kept in generations, in the order of calls. A
 * generation is a hash table that is dropped as a whole when all its IDs are
 * before their edges. A call adds its IDs to the generation that was current
 * when the call began, and then looks into all other generations: if two calls
 * were given the same ID, at least one of them finds the other's.
 */
#include "soak.h"

/* A tick of 100 ns of v1 and v6 has as many times in their windows. */
#define TICK_SHIFT	7

/* The most that a format's unit puts a time behind the clock. */
#define UNIT_MOST	(2 * 1024 * NSEC_PER_USEC)

/* A call may begin only if its IDs fit in beside those of all others. */
#define CROWDED		(SOAK_ENTRIES - (SOAK_ACTORS + SOAK_GREED) * SOAK_CALL_MAX)

/* A generation with more entries than this is ended. */
#define SOME		(SOAK_ENTRIES / 8)

void soak_book_init(void)
{
	soak->windows[SOAK_LEX].kind = SOAK_LEX;
	soak->windows[SOAK_GRID].kind = SOAK_GRID;
	soak->windows[SOAK_SNOWFLAKE].kind = SOAK_SNOWFLAKE;
	soak->nr_windows = SOAK_SNOWFLAKE + 1;
	soak->phase = 1;
	soak->generations[0].use = SOAK_IN_USE;
}

static __u64 get(const __u64 *from)
{
	return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static void put(__u64 *to, __u64 value)
{
	__atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

static __u32 get_32(const __u32 *from)
{
	return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static void put_32(__u32 *to, __u32 value)
{
	__atomic_store_n(to, value, __ATOMIC_SEQ_CST);
}

static void raise_to(__u64 *maximum, __u64 to)
{
	__u64 seen = get(maximum);

	while (seen < to &&
	       !__atomic_compare_exchange_n(maximum, &seen, to, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static struct soak_generation *current_generation(void)
{
	return &soak->generations[get_32(&soak->current)];
}

static void begin(struct soak_actor *me)
{
	__u64 phase;

	do {
		phase = get(&soak->phase);
		put(&me->phase, phase);
	} while (get(&soak->phase) != phase);
	me->generation = get_32(&soak->current);
}

/* Call before taking IDs, and before reading the epoch for them. */
void soak_begin(struct soak_actor *me)
{
	/*
	 * The sweeper makes room, so it must not wait for room: it uses
	 * begin().
	 */
	while (get_32(&current_generation()->nr) > CROWDED && !soak_failed())
		usleep(1000);
	begin(me);
}

/* Call after the IDs were booked. */
void soak_end(struct soak_actor *me)
{
	me->calls++;
	put(&me->phase, 0);
}

static __u64 mix(__u64 value)
{
	value = (value ^ value >> 32) * 0xd6e8feb86659fd93ULL;
	value = (value ^ value >> 29) * 0xff51afd7ed558ccdULL;
	return value ^ value >> 32;
}

static __u32 *window_head(enum soak_kind kind, __u64 name)
{
	return &soak->window_heads[mix(name << 3 | kind) % SOAK_WINDOW_HEADS];
}

static __u32 find_window(enum soak_kind kind, __u64 name)
{
	__u32 nr;

	for (nr = get_32(window_head(kind, name)); nr;
	     nr = soak->windows[nr].next) {
		if (soak->windows[nr].kind == kind &&
		    soak->windows[nr].name == name)
			break;
	}
	return nr;
}

static __u32 add_window(enum soak_kind kind, __u64 name)
{
	__u32 *head = window_head(kind, name);
	__u32 nr;

	while (__atomic_exchange_n(&soak->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	/* Another process may have added it. */
	nr = find_window(kind, name);
	if (!nr && soak->nr_windows < SOAK_WINDOWS) {
		nr = soak->nr_windows;
		soak->windows[nr].kind = kind;
		soak->windows[nr].name = name;
		soak->windows[nr].next = *head;
		put_32(head, nr);
		put_32(&soak->nr_windows, nr + 1);
	}
	__atomic_store_n(&soak->lock, 0, __ATOMIC_RELEASE);
	if (!nr)
		soak_fail("there are more epochs and lanes than this test is made for");
	return nr;
}

static __u32 window_of(struct soak_actor *me, enum soak_kind kind, __u64 name)
{
	__u32 nr = me->windows[kind];

	if (kind <= SOAK_SNOWFLAKE)
		return kind;
	if (nr && soak->windows[nr].name == name)
		return nr;
	nr = find_window(kind, name);
	if (!nr)
		nr = add_window(kind, name);
	me->windows[kind] = nr;
	return nr;
}

static __u32 head_of(const struct soak_seen *seen)
{
	__u64 window = seen->mask ? seen->window : 0;

	return mix(seen->stamp ^ window << 48) % SOAK_HEADS;
}

/* Two v7 that may be of other epochs or lanes have to be equal in all bits. */
static bool is_repeat(const struct soak_seen *one,
		      const struct soak_seen *other)
{
	if (one->stamp != other->stamp)
		return false;
	if (one->mask || other->mask)
		return one->window == other->window && one->mask & other->mask;
	if (one->window == other->window && !((one->rest | other->rest) & 1))
		return true;
	return one->rest >> 1 == other->rest >> 1;
}

/* Look for a repeat in the part of a chain from @at to before @end. */
static bool in_chain(const struct soak_generation *g, __u32 at, __u32 end,
		     const struct soak_seen *seen)
{
	for (; at != end; at = g->seen[at - 1].next) {
		if (is_repeat(&g->seen[at - 1], seen))
			return true;
	}
	return false;
}

/* Add an ID. Returns true if it was there already. */
static bool add_seen(struct soak_generation *g, __u32 nr)
{
	struct soak_seen *seen = &g->seen[nr - 1];
	__u32 head = head_of(seen);
	__u32 at = get_32(&g->heads[head]);
	__u32 looked = 0;
	size_t i;

	do {
		if (in_chain(g, at, looked, seen))
			return true;
		looked = at;
		seen->next = at;
	} while (!__atomic_compare_exchange_n(&g->heads[head], &at, nr, false,
					      __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	for (i = 0; i < SOAK_GENERATIONS; i++) {
		const struct soak_generation *other = &soak->generations[i];

		if (other != g && get_32(&other->use) == SOAK_IN_USE &&
		    in_chain(other, get_32(&other->heads[head]), 0, seen))
			return true;
	}
	return false;
}

/* Split an ID into its source and what distinguishes it there. */
static void split_id(const struct format *f, const __u8 *id,
		     const struct fields *fields, enum soak_kind *kind,
		     __u64 *time, struct soak_seen *seen)
{
	struct words w = id_words(f, id);
	__u64 number = fields->slot;

	*time = fields->ns;
	switch (f->number) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		/* v1 and v6 share stamps, so one of each would be a repeat. */
		*kind = SOAK_UUIDS;
		/* In a lane, the high bits of clock_seq increase in a tick. */
		number = (fields->ns / 100) << 14 | bits(w, 73, 7) << 7 |
			 bits(w, 66, 7);
		*time = (fields->ns / 100) << TICK_SHIFT |
			bits(w, 66, TICK_SHIFT);
		break;
	case KUID_FORMAT_V7:
		*kind = SOAK_V7;
		seen->stamp = bits(w, 11, 37) << 27 | bits(w, 52, 12) << 15 |
			      bits(w, 66, 15);
		seen->mask = 0;
		seen->rest = bits(w, 81, 47) << 1;
		return;
	case KUID_FORMAT_LEX:
		*kind = SOAK_LEX;
		break;
	case KUID_FORMAT_SNOWFLAKE:
		*kind = SOAK_SNOWFLAKE;
		break;
	default:
		*kind = SOAK_GRID;
		break;
	}
	seen->stamp = number >> 6;
	seen->mask = 1ULL << (number & 63);
	seen->rest = 0;
}

static void fail_id(const struct soak_actor *me, const struct format *f,
		    const __u8 *id, const char *what)
{
	struct words w = id_words(f, id);

	soak_fail("%s, call %llu, %s %016llx %016llx: %s", me->name,
		  (unsigned long long)me->calls, f->name,
		  (unsigned long long)w.high, (unsigned long long)w.low, what);
}

/* Whether an ID of that time can belong to the window. */
static bool admits(const struct soak_window *w, __u64 time)
{
	return !__atomic_load_n(&w->closed, __ATOMIC_SEQ_CST) &&
	       time >= get(&w->edge);
}

static void add(struct soak_actor *me, const struct format *f, const __u8 *id,
		__u32 window, struct soak_seen *seen)
{
	struct soak_generation *g = &soak->generations[me->generation];
	__u32 nr = __atomic_add_fetch(&g->nr, 1, __ATOMIC_SEQ_CST);

	if (nr > SOAK_ENTRIES) {
		soak_fail("no room for more IDs");
		return;
	}
	seen->window = window;
	g->seen[nr - 1] = *seen;
	if (add_seen(g, nr))
		fail_id(me, f, id, "was given before");
}

static const char OVER[] = "is of a time or a node that is over";

static bool may_be_given(__u64 node)
{
	return node - SOAK_GIVEN_NODE < SOAK_GIVEN_NODES;
}

/* All v1 and v6 of an epoch have one node; a drawn node is a new one. */
static void book_node(struct soak_actor *me, const struct format *f,
		      const __u8 *id, __u64 epoch, __u64 node)
{
	__u64 *of = &soak->nodes[epoch % SOAK_WINDOWS];
	__u64 seen = 0;

	if (__atomic_compare_exchange_n(of, &seen, node, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		if (!may_be_given(node) &&
		    node == get(&soak->nodes[(epoch - 1) % SOAK_WINDOWS]))
			fail_id(me, f, id, "has the node of the epoch before");
	} else if (seen != node) {
		fail_id(me, f, id, "has not the node of its epoch");
	}
}

/* A node is the kernel's or one lane's. */
static void claim_node(struct soak_actor *me, const struct format *f,
		       const __u8 *id, struct soak_window *w,
		       const struct soak_origin *origin)
{
	__u32 known = SOAK_ANYONE, maker = origin->maker;
	__u64 owner = 0;

	if (maker == SOAK_ANYONE && may_be_given(w->name))
		maker = SOAK_KERNEL;
	if (maker == SOAK_ANYONE)
		return;
	if (!__atomic_compare_exchange_n(&w->maker, &known, maker, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
	    known != maker)
		fail_id(me, f, id, "has a node of both the kernel and a lane");
	if (origin->maker == SOAK_LANE &&
	    !__atomic_compare_exchange_n(&w->owner, &owner, origin->first_lane,
					 false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST) &&
	    owner != origin->first_lane)
		fail_id(me, f, id, "has the node of another lane");
}

/* Book a v7 in each window that it may be of, and keep it once. */
static bool book_v7(struct soak_actor *me, const struct format *f,
		    const __u8 *id, const struct soak_origin *origin,
		    __u64 time, struct soak_seen *seen)
{
	const struct {
		enum soak_kind kind;
		enum soak_maker maker;
		__u64 first;
		__u64 last;
	} sources[] = {
		{ SOAK_V7, SOAK_KERNEL, origin->from, origin->to },
		{ SOAK_LANES, SOAK_LANE, origin->first_lane,
		  origin->last_lane },
	};
	__u32 window = 0, nr = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		__u64 name;

		if (origin->maker != SOAK_ANYONE &&
		    origin->maker != sources[i].maker)
			continue;
		for (name = sources[i].first; name <= sources[i].last; name++) {
			__u32 of = window_of(me, sources[i].kind, name);

			nr++;
			if (!admits(&soak->windows[of], time))
				continue;
			window = of;
			/* Of a lane this must be exact, as its edge is. */
			if (origin->maker != SOAK_ANYONE)
				raise_to(&soak->windows[of].newest, time);
		}
	}
	seen->rest |= nr > 1;
	if (window)
		add(me, f, id, window, seen);
	return window;
}

/**
 * struct span - IDs of a call that are kept as one
 * @seen: the IDs; none if its mask is 0
 * @kind: kind of their source
 * @node: their node
 * @id: the first one
 * @earliest: their lowest time
 * @latest: their highest time
 */
struct span {
	struct soak_seen seen;
	enum soak_kind kind;
	__u64 node;
	const __u8 *id;
	__u64 earliest;
	__u64 latest;
};

static void book_span(struct soak_actor *me, const struct format *f,
		      const struct soak_origin *origin, struct span *span)
{
	struct soak_window *w = &soak->windows[span->seen.window];

	if (span->kind == SOAK_UUIDS)
		claim_node(me, f, span->id, w, origin);
	if (span->kind == SOAK_UUIDS && origin->maker == SOAK_KERNEL &&
	    origin->from == origin->to)
		book_node(me, f, span->id, origin->from, span->node);
	if (!admits(w, span->earliest)) {
		fail_id(me, f, span->id, OVER);
		return;
	}
	raise_to(&w->newest, span->latest);
	add(me, f, span->id, span->seen.window, &span->seen);
}

static bool add_to_span(struct span *span, const struct span *one)
{
	if (!span->seen.mask || span->seen.stamp != one->seen.stamp ||
	    span->seen.window != one->seen.window ||
	    span->seen.mask & one->seen.mask)
		return false;
	span->seen.mask |= one->seen.mask;
	if (span->earliest > one->earliest)
		span->earliest = one->earliest;
	if (span->latest < one->latest)
		span->latest = one->latest;
	return true;
}

/* Book an ID at once, or as one of @span. */
static void book(struct soak_actor *me, const struct format *f,
		 const __u8 *id, const struct soak_origin *origin,
		 struct span *span)
{
	struct span one = { .id = id };
	struct fields fields;
	__u64 time;

	/* decode() takes only nodes that are random for good. */
	if (!decode(f, id, &fields) && !may_be_given(fields.node)) {
		fail_id(me, f, id, "is malformed");
		return;
	}
	split_id(f, id, &fields, &one.kind, &time, &one.seen);
	if (one.kind == SOAK_V7) {
		if (!book_v7(me, f, id, origin, time, &one.seen))
			fail_id(me, f, id, OVER);
		return;
	}
	one.seen.window = window_of(me, one.kind, fields.node);
	one.node = fields.node;
	one.earliest = time;
	one.latest = time;
	if (add_to_span(span, &one))
		return;
	if (span->seen.mask)
		book_span(me, f, origin, span);
	*span = one;
}

/*
 * Add the IDs that a call of @me returned since soak_begin(). Returns the window
 * of the last v1 or v6.
 */
__u32 soak_book_from(struct soak_actor *me, const struct format *f,
		     const __u8 *ids, size_t nr,
		     const struct soak_origin *origin)
{
	enum soak_maker maker = origin->maker;
	struct span span = { 0 };
	__u32 window = 0;
	size_t i;

	if (!nr)
		return 0;
	if (maker == SOAK_KERNEL && (origin->to < origin->from ||
				     origin->to < get(&soak->epoch_edge)))
		fail_id(me, f, ids, "is of an epoch that is over");
	for (i = 0; i < nr && !soak_failed(); i++)
		book(me, f, id_at(f, ids, i), origin, &span);
	if (span.seen.mask)
		book_span(me, f, origin, &span);
	if (span.kind == SOAK_UUIDS)
		window = span.seen.window;
	if (window && maker == SOAK_ANYONE)
		maker = get_32(&soak->windows[window].maker);
	__atomic_add_fetch(&me->ids[f->number], nr, __ATOMIC_RELAXED);
	if (maker == SOAK_LANE)
		__atomic_add_fetch(&me->in_lanes[f->number], nr,
				   __ATOMIC_RELAXED);
	else if (maker == SOAK_ANYONE)
		__atomic_add_fetch(&me->unsure[f->number], nr,
				   __ATOMIC_RELAXED);
	return window;
}

/* The same for IDs that the kernel made in one of the epochs @from to @to. */
void soak_book(struct soak_actor *me, const struct format *f, const __u8 *ids,
	       size_t nr, __u64 from, __u64 to)
{
	const struct soak_origin kernel = {
		.maker = SOAK_KERNEL,
		.from = from,
		.to = to,
	};

	soak_book_from(me, f, ids, nr, &kernel);
}

static void end_window(struct soak_window *w)
{
	__atomic_store_n(&w->over, true, __ATOMIC_SEQ_CST);
}

/*
 * If the window is of a lane: calls that begin now give no ID of it. @window
 * is 0 or from soak_book_from().
 */
void soak_end_window(__u32 window)
{
	if (window)
		end_window(&soak->windows[window]);
}

/* The same for v7, by the names of their lanes. */
void soak_end_lanes(__u64 from, __u64 before)
{
	for (; from < before; from++) {
		__u32 window = find_window(SOAK_LANES, from);

		soak_end_window(window);
	}
}

/**
 * struct edges - what IDs taken now prove
 * @epoch: the current epoch
 * @node: its node
 * @ns: times before these are over, by kind
 */
struct edges {
	__u64 epoch;
	__u64 node;
	__u64 ns[SOAK_V7 + 1];
};

static bool look(struct soak_actor *me, struct edges *edges)
{
	static const struct {
		__u32 format;
		enum soak_kind kind;
	} looks[] = {
		{ KUID_FORMAT_LEX, SOAK_LEX },
		{ KUID_FORMAT_K64, SOAK_GRID },
		{ KUID_FORMAT_SNOWFLAKE, SOAK_SNOWFLAKE },
		{ KUID_FORMAT_V1, SOAK_UUIDS },
	};
	size_t i;

	begin(me);
	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		const struct format *f = format_of(looks[i].format);
		struct fields fields;
		__u8 id[ID_SIZE_MAX];
		long got = take(me->fd, f, KUID_ORDER_CPU, id, 1,
				&edges->epoch);

		if (got == -ESTALE && soak_may_be_stale(me, f)) {
			edges->ns[looks[i].kind] = UINT64_MAX;
			continue;
		}
		if (got != 1) {
			soak_fail("%s: %s", f->name, strerror(-got));
			return false;
		}
		soak_book(me, f, id, 1, edges->epoch, edges->epoch);
		decode(f, id, &fields);
		edges->ns[looks[i].kind] = fields.ns - AHEAD_NS - UNIT_MOST;
		edges->node = fields.node;
	}
	soak_end(me);
	edges->ns[SOAK_V7] = edges->ns[SOAK_UUIDS];
	return true;
}

/* Wait until all calls have ended that began before @phase. */
static void wait_for_calls(__u64 phase)
{
	int i;

	for (i = 0; i < SOAK_ACTORS; i++) {
		__u64 in;

		while ((in = get(&soak->actors[i].phase)) && in < phase &&
		       !soak_failed())
			usleep(500);
	}
}

/**
 * struct open_window - a window that is not closed
 * @window: its number
 * @newest: its &soak_window.newest before new IDs were looked at
 * @over: its &soak_window.over then
 */
struct open_window {
	__u32 window;
	__u64 newest;
	bool over;
};

/* Of the sweeper. */
static struct open_window open_windows[SOAK_OPEN_WINDOWS];
static __u32 nr_open;

static void add_open_windows(void)
{
	static __u32 nr;

	for (; nr < get_32(&soak->nr_windows); nr++) {
		if (nr_open == SOAK_OPEN_WINDOWS) {
			soak_fail("there are more windows than there can be");
			return;
		}
		open_windows[nr_open++].window = nr;
	}
}

static void drop_closed_windows(void)
{
	__u32 kept = 0, i;

	for (i = 0; i < nr_open; i++) {
		if (!soak->windows[open_windows[i].window].closed)
			open_windows[kept++] = open_windows[i];
	}
	nr_open = kept;
}

static void close_window(struct soak_window *w)
{
	__atomic_store_n(&w->closed, true, __ATOMIC_SEQ_CST);
}

/* The times of a lane increase. */
static void move_edge_of_lane(struct soak_window *w,
			      const struct open_window *before)
{
	raise_to(&w->edge, before->newest + 1);
	if (before->over)
		close_window(w);
}

static void move_edge_of_node(struct soak_window *w, const struct edges *edges,
			      const struct open_window *before)
{
	__u64 ticks = (edges->ns[SOAK_UUIDS] + 99) / 100;
	__u32 maker = get_32(&w->maker);

	if (w->name == edges->node)
		raise_to(&w->edge, ticks << TICK_SHIFT);
	else if (may_be_given(w->name))
		raise_to(&w->edge, ((before->newest >> TICK_SHIFT) + 1)
				   << TICK_SHIFT);
	else if (maker == SOAK_KERNEL)
		close_window(w);
	else if (maker == SOAK_LANE)
		move_edge_of_lane(w, before);
	else if (before->over)
		close_window(w);
}

static void move_edge(struct soak_window *w, const struct edges *edges,
		      const struct open_window *before)
{
	switch (w->kind) {
	case SOAK_UUIDS:
		move_edge_of_node(w, edges, before);
		break;
	case SOAK_LANES:
		move_edge_of_lane(w, before);
		break;
	case SOAK_V7:
		if (w->name < edges->epoch)
			close_window(w);
		else if (w->name == edges->epoch)
			raise_to(&w->edge, edges->ns[SOAK_V7]);
		break;
	default:
		raise_to(&w->edge, edges->ns[w->kind]);
		break;
	}
}

/* End a generation: record what must be over before it can be dropped. */
static void end_generation(struct soak_generation *g)
{
	__u32 i;

	for (i = 0; i < nr_open; i++) {
		__u32 window = open_windows[i].window;

		g->until[i].window = window;
		g->until[i].newest = get(&soak->windows[window].newest);
	}
	g->nr_until = nr_open;
	g->ended = true;
}

static bool is_over(const struct soak_generation *g)
{
	__u32 i;

	for (i = 0; i < g->nr_until; i++) {
		const struct soak_window *w =
			&soak->windows[g->until[i].window];

		if (!w->closed && get(&w->edge) <= g->until[i].newest)
			return false;
	}
	return g->ended;
}

/* Start a new generation if the current one is full enough and one is free. */
static struct soak_generation *turn_generation(void)
{
	struct soak_generation *former = current_generation();
	__u32 i;

	for (i = 0; get_32(&former->nr) > SOME && i < SOAK_GENERATIONS; i++) {
		if (soak->generations[i].use != SOAK_FREE)
			continue;
		put_32(&soak->generations[i].use, SOAK_IN_USE);
		put_32(&soak->current, i);
		return former;
	}
	return NULL;
}

static void free_generation(struct soak_generation *g)
{
	memset(g->heads, 0, sizeof(g->heads));
	g->nr = 0;
	g->nr_until = 0;
	g->ended = false;
	put_32(&g->use, SOAK_FREE);
}

/* Move the edges forward and drop generations that lie before them. */
void soak_sweep(struct soak_actor *me)
{
	struct soak_generation *former;
	struct edges edges = { 0 };
	__u64 kept = 0;
	__u32 i;

	/* Of calls that began before this look. */
	add_open_windows();
	for (i = 0; i < nr_open; i++) {
		struct open_window *of = &open_windows[i];
		const struct soak_window *w = &soak->windows[of->window];

		of->over = __atomic_load_n(&w->over, __ATOMIC_SEQ_CST);
		of->newest = get(&w->newest);
	}
	if (!look(me, &edges))
		return;
	former = turn_generation();
	wait_for_calls(__atomic_add_fetch(&soak->phase, 1, __ATOMIC_SEQ_CST));
	if (soak_failed())
		return;

	for (i = 0; i < nr_open; i++)
		move_edge(&soak->windows[open_windows[i].window], &edges,
			  &open_windows[i]);
	put(&soak->epoch_edge, edges.epoch);
	drop_closed_windows();
	/* Some may have been added since. */
	add_open_windows();
	if (former)
		end_generation(former);
	for (i = 0; i < SOAK_GENERATIONS; i++) {
		struct soak_generation *g = &soak->generations[i];

		kept += g->nr;
		/* Calls that might still look into it have ended. */
		if (g->use == SOAK_DROPPED)
			free_generation(g);
		else if (g->use == SOAK_IN_USE && is_over(g))
			put_32(&g->use, SOAK_DROPPED);
	}
	if (soak->most < kept)
		soak->most = kept;
}
