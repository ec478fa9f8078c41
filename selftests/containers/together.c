// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes IDs in order KUID_ORDER_HOST in several containers at once, and checks the
 * IDs of all of them:
 *	together prepare FILE TAKERS	makes the file that all takers share
 *	together take FILE DEVICE	is one of the takers, and checks the order
 *	together unique FILE		checks that no ID repeats, after all of them
 */
#include <err.h>
#include <sys/stat.h>

#include "../lib/record.h"
#include "../lib/watermark.h"

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
 * struct shared - the file
 * @nr_takers: takers that wait for one another before each format
 * @joined: takers so far
 * @ready: takers that may begin a format
 * @ended: takers that have taken all their IDs
 * @highest: the highest ID of each format
 * @last: the taker that made the last call
 * @changes: calls that followed one of another taker
 * @ids: of each taker and format, one after the other
 */
struct shared {
	__u32 nr_takers;
	__u32 joined;
	__u32 ready[NR_FORMATS];
	__u32 ended;
	struct watermark highest[NR_FORMATS];
	__u32 last;
	__u32 changes;
	struct words ids[TAKERS_MAX][NR_FORMATS][IDS];
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

static void wait_for_others(struct shared *shared, __u32 *ready)
{
	__atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < shared->nr_takers)
		usleep(1000);
}

/* Each ID must be above all that had been returned when its call began. */
static void take_format(struct shared *shared, int format, int fd, __u32 me)
{
	static __u8 ids[COUNT_MAX * ID_SIZE_MAX];
	struct watermark *watermark = &shared->highest[format];
	struct words *id = shared->ids[me][format];
	const struct format *f = &formats[format];
	unsigned int nr;
	__u32 i;

	for (nr = 0; nr < CALLS; nr++) {
		__u32 count = counts[nr % (sizeof(counts) / sizeof(*counts))];
		struct words last = read_watermark(watermark);
		long got = generate_in_order(f, fd, KUID_ORDER_HOST, ids, count);

		if (got != count)
			errx(1, "%s: got %ld, not %u", f->name, got, count);
		if (count_in_order(f, ids, count, &last) != count)
			errx(1, "%s: an ID is not above all before", f->name);
		raise_watermark(watermark, last);
		if (__atomic_exchange_n(&shared->last, me, __ATOMIC_RELAXED) !=
		    me)
			__atomic_fetch_add(&shared->changes, 1,
					   __ATOMIC_RELAXED);
		for (i = 0; i < count; i++)
			*id++ = id_words(f, id_at(f, ids, i));
		/* If there are more takers than CPUs, let the others run. */
		sched_yield();
	}
}

static void take_all(const char *path, const char *device)
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
		take_format(shared, i, fd, me);
	}
	__atomic_fetch_add(&shared->ended, 1, __ATOMIC_SEQ_CST);
}

static void check_unique(const char *path)
{
	const struct shared *shared = map_shared(path);
	struct record record;
	__u32 taker, nr;
	int i;

	if (shared->ended != shared->nr_takers || shared->nr_takers < 2)
		errx(1, "%u of %u takers took all their IDs", shared->ended,
		     shared->nr_takers);
	for (i = 0; i < NR_FORMATS; i++) {
		if (!record_begin(&record, shared->nr_takers * IDS))
			err(1, "memory");
		for (taker = 0; taker < shared->nr_takers; taker++)
			for (nr = 0; nr < IDS; nr++)
				if (!record_add(&record,
						shared->ids[taker][i][nr]))
					errx(1, "%s: an ID twice",
					     formats[i].name);
		printf("%s: %zu IDs\n", formats[i].name, record.nr);
		record_end(&record);
	}
	printf("%u calls of %u takers, %u after one of another\n",
	       NR_FORMATS * CALLS * shared->nr_takers, shared->nr_takers,
	       shared->changes);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (argc == 4 && !strcmp(verb, "prepare"))
		prepare(argv[2], argv[3]);
	else if (argc == 4 && !strcmp(verb, "take"))
		take_all(argv[2], argv[3]);
	else if (argc == 3 && !strcmp(verb, "unique"))
		check_unique(argv[2]);
	else
		errx(2, "usage: together prepare|take|unique FILE ...");
	return 0;
}
