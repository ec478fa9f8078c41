// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes IDs in order KUID_ORDER_HOST in several containers at once, and checks the
 * IDs of all of them:
 *	together prepare FILE TAKERS	makes the file that all takers share
 *	together take FILE DEVICE	is one of the takers
 *	together ordered FILE		checks the order, after all of them
 *	together unique FILE		checks that no ID repeats
 *
 * A taker numbers the moments before and after each call, by one counter in the
 * shared file. So of any two calls it is known whether one returned before the
 * other began, and nobody waits for anybody: the calls really run at once.
 */
#include <err.h>
#include <sys/stat.h>

#include "../lib/record.h"

#define TAKERS_MAX	16

/* IDs of the calls of a format: mostly few, so that there are many calls. */
static const __u32 counts[] = { 1, 1, 7, 1, 40, 2, 1, 300, 1, 7, 1, 64 };

#define CALLS		240
#define COUNT_MAX	300

/* All IDs of a taker and format: sum of counts[], CALLS / 12 times. */
#define IDS		8520

/* A taker that waits for others this long is killed: they have failed. */
#define PATIENCE_S	600

/**
 * struct call - a call that took IDs
 * @began: number of the moment before it
 * @returned: number of the moment after it
 * @count: IDs that it gave
 */
struct call {
	__u64 began;
	__u64 returned;
	__u32 count;
};

/**
 * struct taken - calls of one taker in one format
 * @keys: of all IDs of the calls, one after the other
 */
struct taken {
	struct call calls[CALLS];
	struct words keys[IDS];
};

/**
 * struct shared - the file
 * @moment: the next number of a moment
 * @nr_takers: takers that wait for one another before each format
 * @joined: takers so far
 * @ready: takers that may begin a format
 * @ended: takers that have taken all their IDs
 */
struct shared {
	__u64 moment;
	__u32 nr_takers;
	__u32 joined;
	__u32 ready[NR_FORMATS];
	__u32 ended;
	struct taken taken[TAKERS_MAX][NR_FORMATS];
};

static struct shared *map_shared(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct shared *shared;

	if (fd < 0)
		err(1, "%s", path);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (shared == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return shared;
}

/* The mode is for takers of all users. */
static void prepare(const char *path, const char *takers)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || fchmod(fd, 0666) || ftruncate(fd, sizeof(struct shared)))
		err(1, "%s", path);
	close(fd);
	map_shared(path)->nr_takers = strtoul(takers, NULL, 10);
}

static __u64 next_moment(struct shared *shared)
{
	return __atomic_fetch_add(&shared->moment, 1, __ATOMIC_SEQ_CST);
}

static void wait_for_others(struct shared *shared, __u32 *ready)
{
	__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < shared->nr_takers)
		usleep(1000);
}

static void take_format(struct shared *shared, const struct format *f, int fd,
			struct taken *taken)
{
	static __u8 ids[COUNT_MAX * ID_SIZE_MAX];
	struct words *key = taken->keys;
	unsigned int nr;
	__u32 i;

	for (nr = 0; nr < CALLS; nr++) {
		struct call *call = &taken->calls[nr];
		__u32 count = counts[nr % (sizeof(counts) / sizeof(*counts))];
		long got;

		call->began = next_moment(shared);
		got = generate_in_order(f, fd, KUID_ORDER_HOST, ids, count);
		call->returned = next_moment(shared);
		if (got != count)
			errx(1, "%s: got %ld, not %u", f->name, got, count);
		call->count = count;
		for (i = 0; i < count; i++)
			*key++ = id_order(f, id_at(f, ids, i));
		/* If there are more takers than CPUs, let the others run. */
		sched_yield();
	}
}

static void take(const char *path, const char *device)
{
	struct shared *shared = map_shared(path);
	__u32 me = __atomic_fetch_add(&shared->joined, 1, __ATOMIC_SEQ_CST);
	int fd = open(device, O_RDONLY | O_CLOEXEC);
	int i;

	if (fd < 0)
		err(1, "%s", device);
	if (me >= shared->nr_takers || me >= TAKERS_MAX)
		errx(1, "there are %u takers already", shared->nr_takers);
	alarm(PATIENCE_S);
	for (i = 0; i < NR_FORMATS; i++) {
		wait_for_others(shared, &shared->ready[i]);
		take_format(shared, &formats[i], fd, &shared->taken[me][i]);
	}
	__atomic_fetch_add(&shared->ended, 1, __ATOMIC_SEQ_CST);
}

/**
 * struct event - a moment
 * @call: NULL if the moment was in another format
 * @keys: of the IDs of the call
 */
struct event {
	const struct call *call;
	const struct words *keys;
	__u32 taker;
};

/* Notes the calls of one format at the moments that they began and returned. */
static void note_events(const struct shared *shared, unsigned int format,
			struct event *events)
{
	__u32 taker, nr;

	memset(events, 0, shared->moment * sizeof(*events));
	for (taker = 0; taker < shared->nr_takers; taker++) {
		const struct taken *taken = &shared->taken[taker][format];
		struct event event = { .keys = taken->keys, .taker = taker };

		for (nr = 0; nr < CALLS; nr++) {
			event.call = &taken->calls[nr];
			events[event.call->began] = event;
			events[event.call->returned] = event;
			event.keys += event.call->count;
		}
	}
}

/*
 * Fails unless each ID is above all IDs that had been returned when its call
 * began. Returns how often a call followed one of another taker.
 */
static unsigned int check_order(const struct shared *shared,
				const struct format *f,
				const struct event *events)
{
	struct words bounds[TAKERS_MAX], highest = { 0, 0 };
	unsigned int changes = 0;
	__u32 last = 0;
	__u64 nr;
	__u32 i;

	for (nr = 0; nr < shared->moment; nr++) {
		const struct event *event = &events[nr];
		struct words *bound = &bounds[event->taker];

		if (!event->call)
			continue;
		if (nr == event->call->began) {
			*bound = highest;
			changes += last != event->taker;
			continue;
		}
		for (i = 0; i < event->call->count; i++) {
			if (!words_after(event->keys[i], *bound))
				errx(1, "%s: taker %u: ID %u of a call is not above all before",
				     f->name, event->taker, i);
			*bound = event->keys[i];
		}
		if (words_after(*bound, highest))
			highest = *bound;
		last = event->taker;
	}
	return changes;
}

static void check_all_order(const struct shared *shared)
{
	struct event *events = calloc(shared->moment, sizeof(*events));
	int i;

	if (!events)
		err(1, "memory");
	for (i = 0; i < NR_FORMATS; i++) {
		unsigned int changes;

		note_events(shared, i, events);
		changes = check_order(shared, &formats[i], events);
		printf("%s: %u calls of %u takers, %u after one of another\n",
		       formats[i].name, CALLS * shared->nr_takers,
		       shared->nr_takers, changes);
	}
}

static void check_all_unique(const struct shared *shared)
{
	struct record record;
	__u32 taker, nr;
	int i;

	for (i = 0; i < NR_FORMATS; i++) {
		if (!record_begin(&record, shared->nr_takers * IDS))
			err(1, "memory");
		for (taker = 0; taker < shared->nr_takers; taker++) {
			const struct words *keys = shared->taken[taker][i].keys;

			for (nr = 0; nr < IDS; nr++) {
				if (!record_add(&record, keys[nr]))
					errx(1, "%s: an ID twice", formats[i].name);
			}
		}
		printf("%s: %zu IDs\n", formats[i].name, record.nr);
		record_end(&record);
	}
}

/* Opens the file after all takers. */
static const struct shared *filled(const char *path)
{
	const struct shared *shared = map_shared(path);

	if (shared->ended != shared->nr_takers || shared->nr_takers < 2)
		errx(1, "%u of %u takers took all their IDs", shared->ended,
		     shared->nr_takers);
	return shared;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc == 4 && !strcmp(verb, "prepare"))
		prepare(argv[2], argv[3]);
	else if (argc == 4 && !strcmp(verb, "take"))
		take(argv[2], argv[3]);
	else if (argc == 3 && !strcmp(verb, "ordered"))
		check_all_order(filled(argv[2]));
	else if (argc == 3 && !strcmp(verb, "unique"))
		check_all_unique(filled(argv[2]));
	else
		errx(2, "usage: together prepare|take|ordered|unique FILE ...");
	return 0;
}
