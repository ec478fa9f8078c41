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
 * soak_sweep() moves the edges. It takes an ID and waits until all calls have
 * ended that began before, because those may still give earlier times.
 *
 * IDs are kept in generations, in the order in which they were given. A
 * generation is a hash table that is dropped as a whole when all its IDs are
 * before their edges. A call adds its IDs to the generation that was current
 * when the call began, and then looks into all other generations: if two calls
 * were given the same ID, at least one of them finds the other's.
 */
#include "soak.h"

/* The most that a format's unit puts a time behind the clock. */
#define UNIT_MOST	(2 * 1024 * NSEC_PER_USEC)

/* A call may begin only if its IDs fit in beside those of all others. */
#define CROWDED		(SOAK_IDS - (SOAK_ACTORS + SOAK_GREED) * SOAK_CALL_MAX)

/* A generation with more IDs than this is ended. */
#define SOME		(SOAK_IDS / 8)

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

static __u32 find_window(enum soak_kind kind, __u64 name)
{
	__u32 i = get_32(&soak->nr_windows);

	/* Start at the end: most often it is one of the latest. */
	while (--i > SOAK_SNOWFLAKE) {
		if (soak->windows[i].kind == kind &&
		    soak->windows[i].name == name)
			return i;
	}
	return 0;
}

static __u32 add_window(enum soak_kind kind, __u64 name)
{
	__u32 nr;

	while (__atomic_exchange_n(&soak->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	/* Another process may have added it. */
	nr = find_window(kind, name);
	if (!nr && soak->nr_windows < SOAK_WINDOWS) {
		nr = soak->nr_windows;
		soak->windows[nr].kind = kind;
		soak->windows[nr].name = name;
		put_32(&soak->nr_windows, nr + 1);
	}
	__atomic_store_n(&soak->lock, 0, __ATOMIC_RELEASE);
	if (!nr)
		soak_fail("there are more epochs than this test is made for");
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
	__u64 h = seen->stamp ^ (__u64)seen->window << 48;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93ULL;
	h = (h ^ h >> 29) * 0xff51afd7ed558ccdULL;
	return (h ^ h >> 32) % SOAK_HEADS;
}

/* Two v7 of which one may be of another epoch have to be equal in all bits. */
static bool is_repeat(const struct soak_seen *one,
		      const struct soak_seen *other)
{
	if (one->stamp != other->stamp || one->window != other->window)
		return false;
	return !((one->rest | other->rest) & 1) ||
	       one->rest >> 1 == other->rest >> 1;
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
		     struct soak_seen *seen)
{
	struct words w = id_words(f, id);

	*seen = (struct soak_seen) { .stamp = fields->slot };
	switch (f->number) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
		/* v1 and v6 share stamps, so one of each would be a repeat. */
		*kind = SOAK_UUIDS;
		seen->stamp = (fields->ns / 100) << 14 | bits(w, 66, 14);
		break;
	case KUID_FORMAT_V7:
		*kind = SOAK_V7;
		seen->stamp = bits(w, 11, 37) << 27 | bits(w, 52, 12) << 15 |
			      bits(w, 66, 15);
		seen->rest = bits(w, 81, 47) << 1;
		break;
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
}

static void fail_id(const struct soak_actor *me, const struct format *f,
		    const __u8 *id, const char *what)
{
	struct words w = id_words(f, id);

	soak_fail("%s, call %llu, %s %016llx %016llx: %s", me->name,
		  (unsigned long long)me->calls, f->name,
		  (unsigned long long)w.high, (unsigned long long)w.low, what);
}

/* Returns false if the ID can't belong to that window. */
static bool book_in(struct soak_actor *me, const struct format *f,
		    const __u8 *id, __u64 ns, __u32 window,
		    struct soak_seen *seen)
{
	struct soak_generation *g = &soak->generations[me->generation];
	struct soak_window *of = &soak->windows[window];
	__u32 nr;

	if (__atomic_load_n(&of->closed, __ATOMIC_SEQ_CST) ||
	    ns < get(&of->edge))
		return false;
	raise_to(&of->newest, ns);
	nr = __atomic_add_fetch(&g->nr, 1, __ATOMIC_SEQ_CST);
	if (nr > SOAK_IDS) {
		soak_fail("no room for more IDs");
		return true;
	}
	seen->window = window;
	g->seen[nr - 1] = *seen;
	if (add_seen(g, nr))
		fail_id(me, f, id, "was given before");
	return true;
}

static bool may_be_given(__u64 node)
{
	return node - GIVEN_NODE < SOAK_GIVEN_NODES;
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

static void book(struct soak_actor *me, const struct format *f, const __u8 *id,
		 __u64 from, __u64 to)
{
	struct soak_seen seen;
	struct fields fields;
	enum soak_kind kind;
	bool booked = false;
	__u64 epoch;

	if (!decode(f, id, &fields)) {
		fail_id(me, f, id, "is malformed");
		return;
	}
	split_id(f, id, &fields, &kind, &seen);
	if (kind != SOAK_V7) {
		__u32 window = window_of(me, kind, fields.node);

		if (kind == SOAK_UUIDS && from == to)
			book_node(me, f, id, from, fields.node);
		booked = book_in(me, f, id, fields.ns, window, &seen);
	}
	/* If the epoch changed during the call, the ID may be of either. */
	for (epoch = from; kind == SOAK_V7 && epoch <= to; epoch++) {
		seen.rest |= from != to;
		booked |= book_in(me, f, id, fields.ns,
				  window_of(me, kind, epoch), &seen);
	}
	if (!booked)
		fail_id(me, f, id, "is of a time or a node that is over");
}

/*
 * Add the IDs that a call of @me returned since soak_begin(), in one of the
 * epochs @from to @to.
 */
void soak_book(struct soak_actor *me, const struct format *f, const __u8 *ids,
	       size_t nr, __u64 from, __u64 to)
{
	size_t i;

	if (!nr)
		return;
	if (to < from || to < get(&soak->epoch_edge))
		fail_id(me, f, ids, "is of an epoch that is over");
	for (i = 0; i < nr && !soak_failed(); i++)
		book(me, f, id_at(f, ids, i), from, to);
	__atomic_add_fetch(&me->ids[f->number], nr, __ATOMIC_RELAXED);
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

static void move_edge(struct soak_window *w, const struct edges *edges,
		      __u64 newest)
{
	bool of_now = w->kind == SOAK_UUIDS ? w->name == edges->node :
		      w->kind == SOAK_V7 ? w->name == edges->epoch : true;

	if (of_now)
		raise_to(&w->edge, edges->ns[w->kind]);
	else if (w->kind == SOAK_UUIDS && may_be_given(w->name))
		raise_to(&w->edge, newest + 1);
	else if (w->kind == SOAK_UUIDS || w->name < edges->epoch)
		__atomic_store_n(&w->closed, true, __ATOMIC_SEQ_CST);
}

/* End a generation: record what must be over before it can be dropped. */
static void end_generation(struct soak_generation *g)
{
	__u32 nr = get_32(&soak->nr_windows);
	__u32 i;

	for (i = 0; i < nr; i++) {
		const struct soak_window *w = &soak->windows[i];

		if (w->closed)
			continue;
		if (g->nr_until == SOAK_OPEN_WINDOWS) {
			soak_fail("there are more windows than there can be");
			return;
		}
		g->until[g->nr_until].window = i;
		g->until[g->nr_until++].newest = get(&w->newest);
	}
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
	static __u64 newest[SOAK_WINDOWS];
	__u32 nr = get_32(&soak->nr_windows), i;
	struct soak_generation *former;
	struct edges edges = { 0 };
	__u64 kept = 0;

	/* The highest times of calls that began before this look. */
	for (i = 0; i < nr; i++)
		newest[i] = get(&soak->windows[i].newest);
	if (!look(me, &edges))
		return;
	former = turn_generation();
	wait_for_calls(__atomic_add_fetch(&soak->phase, 1, __ATOMIC_SEQ_CST));
	if (soak_failed())
		return;

	for (i = 0; i < nr; i++)
		move_edge(&soak->windows[i], &edges, newest[i]);
	put(&soak->epoch_edge, edges.epoch);
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
