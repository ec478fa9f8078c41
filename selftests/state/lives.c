// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the IDs of a virtual machine that is killed or cloned, for
 * vm/reboot.sh and vm/clone.sh. Readers let the kernel write IDs directly to
 * memory that is shared with the host (a PCI device ivshmem), so no ID that was
 * handed out is lost when the machine dies. The same memory takes the place of
 * stable storage. A reader makes every other stamp in a private lane of libkuid.
 *
 * In a machine that is cloned, the generation ID of the hypervisor is the clock:
 * the readers look at it before each call.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <glob.h>
#include <stdarg.h>
#include <sys/uio.h>

/* The library's. */
#include <kuid.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#endif

#include "../lib/admin.h"
#include "../lib/callers.h"
#include "../lib/children.h"
#include "../lib/generation_id.h"
#include "../lib/private.h"
#include "../lib/set_wall.h"

#define HOUR		(3600 * NSEC_PER_SEC)
#define EARLY		(10 * NSEC_PER_SEC)	/* before the other life, at first */

#define LIVES		2
#define READERS		2
#define NODE_SIZE	6
#define PHASES		3	/* how often a machine was restored before a call */

#define REGION_SIZE	0x100000UL
#define BATCH		40
#define CALLER_IDS	2000	/* of each of three callers in the kernel */
#define MEMORY_SIZE	0x8000000UL	/* a power of two */

/**
 * struct taken - IDs of one format of one reader
 * @nr: number of IDs
 * @refused: number of calls that failed because of the identity
 */
struct taken {
	__u32 nr;
	__u32 refused;
};

/**
 * struct memory - the memory shared with the host
 * @ceiling: the saved ceiling
 * @lives: how often this program was started
 * @readers: number of readers of this life that are running
 * @stop: set by the host: stop
 * @go: the readers may go on
 * @told: wall clock when the epoch was closed because of the fork; 0 before
 * @began: wall clock when the readers of the first life went on
 * @load_id: load_id of the last epoch of a restored machine
 * @node: node of its private lane; 0 if the node was given
 * @phase: by reader: how often it has seen that the machine was restored
 * @taken: by life, reader, format and phase
 */
struct memory {
	__u64 ceiling;
	__u32 lives;
	__u32 readers;
	__u32 stop;
	__u32 go;
	__u64 told;
	__u64 began;
	__u64 load_id;
	__u64 node;
	__u32 phase[READERS];
	struct taken taken[LIVES][READERS][NR_FORMATS][PHASES];
};

static_assert((LIVES * READERS * NR_FORMATS * PHASES + 1) * REGION_SIZE <=
	      MEMORY_SIZE, "the memory has room for all regions");

/* The IDs follow the header, in the order of memory.taken. */
static __u8 *region(struct memory *m, int life, int reader, size_t format,
		    int phase)
{
	size_t nr = ((life * READERS + reader) * NR_FORMATS + format) * PHASES +
		    phase;

	return (__u8 *)m + (nr + 1) * REGION_SIZE;
}

static _Noreturn void fail(const char *text, ...)
{
	va_list args;

	va_start(args, text);
	fputs("# lives: ", stdout);
	vprintf(text, args);
	puts("");
	va_end(args);
	exit(1);
}

static bool file_says(const char *device, const char *name, unsigned long value)
{
	char path[320];
	unsigned long found;
	FILE *file;
	bool same;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", device,
		 name);
	file = fopen(path, "r");
	same = file && fscanf(file, "%lx", &found) == 1 && found == value;
	if (file)
		fclose(file);
	return same;
}

/* Map the device's memory, through sysfs because it has no driver. */
static struct memory *map_device(void)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	struct dirent *entry;
	char path[320];
	void *m;
	int fd;

	while (dir && (entry = readdir(dir))) {
		if (!file_says(entry->d_name, "vendor", 0x1af4) ||
		    !file_says(entry->d_name, "device", 0x1110))
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/enable",
			 entry->d_name);
		fd = open(path, O_WRONLY);
		if (fd < 0 || write(fd, "1", 1) != 1)
			fail("can't enable the device: %m");
		close(fd);
		snprintf(path, sizeof(path),
			 "/sys/bus/pci/devices/%s/resource2", entry->d_name);
		fd = open(path, O_RDWR);
		m = fd < 0 ? MAP_FAILED :
		    mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 fd, 0);
		if (m == MAP_FAILED)
			fail("can't map %s: %m", path);
		return m;
	}
	fail("there is no shared memory");
}

static struct memory *map_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *m = fd < 0 ? MAP_FAILED :
		  mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		       fd, 0);

	if (m == MAP_FAILED)
		fail("can't map %s: %m", path);
	return m;
}

/* The machine's generation ID; NULL if nobody asks for it. */
static const __u64 *generation_id;

static void map_generation_id(void)
{
	__u64 address = generation_address();
	__u64 page = address & ~4095ULL;
	int fd = open("/dev/mem", O_RDONLY);
	const __u8 *m = fd < 0 || !page ? MAP_FAILED :
			mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, page);

	if (m == MAP_FAILED)
		fail("can't map the generation ID at %llx: %m", address);
	generation_id = (const __u64 *)(m + (address - page));
}

/* Whether the machine was restored as a clone since the last time. */
static bool was_cloned(__u64 *last)
{
	__u64 now[2];
	bool cloned;

	if (!generation_id)
		return false;
	now[0] = __atomic_load_n(&generation_id[0], __ATOMIC_RELAXED);
	now[1] = __atomic_load_n(&generation_id[1], __ATOMIC_RELAXED);
	cloned = last[0] != now[0] || last[1] != now[1];
	memcpy(last, now, sizeof(now));
	return cloned;
}

/* Make IDs in a lane. As take(). */
static long make_in_lane(struct kuid *lane, const struct format *f, __u8 *to,
			 __u32 count)
{
	__u8 ids[BATCH * ID_SIZE_MAX];
	ssize_t got = kuid_many(lane, ids, count);

	if (got < 0)
		return -errno;
	/* Before it returns, the library may store IDs that it then drops. */
	memcpy(to, ids, got * f->id_size);
	return got;
}

/* A lane for each format that has some; none if the node was given. */
static void open_lanes(struct kuid **lanes)
{
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		lanes[k] = kuid_open_flags(formats[k].number, KUID_PRIVATE);
		if (!lanes[k] && errno != EOPNOTSUPP)
			_exit(3);
	}
}

/* The files of a reader. */
struct files {
	int any;
	int binary[NR_FORMATS];
	int text[NR_FORMATS];
};

static void open_files(struct files *files)
{
	size_t k;

	files->any = open(DEV_KUID, O_RDONLY);
	if (files->any < 0)
		_exit(4);
	for (k = 0; k < NR_FORMATS; k++) {
		files->binary[k] = open_device_file(&formats[k], "", 0);
		files->text[k] = open_device_file(&formats[k], ".txt", 0);
		if (files->binary[k] < 0 || files->text[k] < 0)
			_exit(4);
	}
}

/* Take IDs by one of all ways, in one of all orders. As take(). */
static long take_somehow(const struct files *files, size_t k, __u8 *to,
			 __u32 count, __u32 *seed)
{
	const struct format *f = &formats[k];
	/* The first piece ends inside an ID. */
	struct iovec pieces[] = {
		{ to, 5 },
		{ to + 5, count * f->id_size - 5 },
	};
	ssize_t size;

	switch (pick(seed) % 4) {
	case 0:
		return take(files->any, f, KUID_ORDER_CPU + pick(seed) % 3, to,
			    count, NULL);
	case 1:
		return read_ids(f, files->binary[k], to, count);
	case 2:
		size = readv(files->binary[k], pieces, 2);
		return size < 0 ? -errno : size / f->id_size;
	default:
		return read_lines(f, files->text[k], to, count);
	}
}

/* So that a life which ends at any moment has IDs of each format. */
static void take_first(struct memory *m, int life, int reader,
		       const struct files *files)
{
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		struct taken *t = &m->taken[life][reader][k][0];

		if (read_ids(&formats[k], files->binary[k],
			     region(m, life, reader, k, 0) +
				     (size_t)t->nr * formats[k].id_size,
			     1) != 1)
			_exit(2);
		t->nr++;
	}
}

/*
 * In a child: take all formats in all orders, singly and in batches, until the
 * host sets @stop. Sleep between calls, so that the region for the IDs lasts as
 * long as the test; but not in a clone, where the first calls matter: there the
 * kernel's notification has to wait for the readers.
 */
static void read_on(struct memory *m, int life, int reader, __u32 seed)
{
	const struct sched_param above = { .sched_priority = 1 };
	struct kuid *lanes[NR_FORMATS];
	const struct kuid_page *page;
	struct kuid_status status;
	__u64 generation, id[2];
	struct files files;
	int cpus[READERS];
	__u32 clones = 0;
	bool lanes_see;

	open_lanes(lanes);
	open_files(&files);
	if (get_status(files.any, &status))
		_exit(5);
	lanes_see = kuid_lane_clones(&status) & KUID_CLONES_SEEN;
	page = map_page(files.any);
	if (page == MAP_FAILED ||
	    (generation_id && sched_setscheduler(0, SCHED_FIFO, &above)) ||
	    move_to_cpu(0, allowed_cpus(cpus, READERS) > reader ?
			   cpus[reader] : cpus[0]))
		_exit(1);
	take_first(m, life, reader, &files);
	generation = generation_of(page);
	was_cloned(id);
	__atomic_fetch_add(&m->readers, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&m->go, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&m->stop, __ATOMIC_RELAXED))
		usleep(1000);
	while (!__atomic_load_n(&m->stop, __ATOMIC_RELAXED)) {
		size_t k = pick(&seed) % NR_FORMATS;
		const struct format *f = &formats[k];
		__u32 count = pick(&seed) & 1 ? 1 : 1 + pick(&seed) % BATCH;
		bool in_lane = lanes[k] && pick(&seed) & 1;
		struct taken *t;
		int phase;
		__u8 *to;
		long got;

		if (was_cloned(id)) {
			if (clones < PHASES - 1)
				clones++;
			generation = generation_of(page);
			m->phase[reader] = clones;
		}
		/* Without vmclock a lane ends with its generation. */
		phase = clones - (in_lane && !lanes_see && clones &&
				  generation_of(page) == generation);
		t = &m->taken[life][reader][k][phase];
		to = region(m, life, reader, k, phase) +
		     (size_t)t->nr * f->id_size;
		if (((size_t)t->nr + BATCH + 3 * CALLER_IDS) * f->id_size >
		    REGION_SIZE) {
			usleep(100);
			continue;
		}
		if (in_lane)
			got = make_in_lane(lanes[k], f, to, count);
		else
			got = take_somehow(&files, k, to, count, &seed);
		if (got > 0)
			t->nr += got;
		else if (got == -ESTALE)
			t->refused++;
		else
			_exit(2);
		if (!clones && !(pick(&seed) % 8))
			usleep(pick(&seed) % 2000);
	}
	_exit(0);
}

static void start_readers(struct memory *m, int life, pid_t *pids, __u32 seed)
{
	int i;

	m->readers = 0;
	m->go = 0;
	for (i = 0; i < READERS; i++) {
		__u32 own = seed + i * 7919;

		pids[i] = fork();
		if (pids[i] < 0)
			fail("can't fork: %m");
		if (!pids[i])
			read_on(m, life, i, own);
	}
}

static bool readers_work(struct memory *m)
{
	return __atomic_load_n(&m->readers, __ATOMIC_SEQ_CST) == READERS;
}

static void end_readers(const pid_t *pids)
{
	int i;

	for (i = 0; i < READERS; i++) {
		int status = exit_status(pids[i]);

		if (status)
			fail("reader %d ended with %d", i, status);
	}
}

/* Store a higher ceiling first, then raise that of the cover. */
static void save(struct memory *m, int fd)
{
	struct kuid_state state;
	__u64 ceiling;

	if (get_state(fd, &state))
		fail("GET_STATE: %m");
	ceiling = state.clock_ns;
	if (ceiling < state.slot_ns)
		ceiling = state.slot_ns;
	if (ceiling < state.stamp_ns)
		ceiling = state.stamp_ns;
	ceiling += NSEC_PER_SEC;
	__atomic_store_n(&m->ceiling, ceiling, __ATOMIC_SEQ_CST);
	if (raise_cover(fd, ceiling))
		fail("COVER: %m");
}

struct found {
	__u8 id[ID_SIZE_MAX];
	int from;
};

static int compare_found(const void *a, const void *b)
{
	return memcmp(((const struct found *)a)->id,
		      ((const struct found *)b)->id, ID_SIZE_MAX);
}

/*
 * Add a region's IDs from number @first on. If the machine has died, IDs that
 * the kernel wrote, but that the reader did not count before, are included; but
 * not the last one, of which some bytes may be missing.
 */
static size_t gather(struct memory *m, int life, int reader, size_t k,
		     int phase, bool died, __u32 first, int from,
		     struct found *to)
{
	const struct format *f = &formats[k];
	const __u8 *at = region(m, life, reader, k, phase);
	__u32 nr = m->taken[life][reader][k][phase].nr;
	size_t added = 0;
	__u32 i;

	for (i = first; i < nr + (died ? BATCH : 0); i++) {
		/* If the next ID was begun, this one is whole. */
		size_t begun = i < nr ? i : (size_t)i + 1;

		if ((begun + 1) * f->id_size > REGION_SIZE ||
		    (i >= nr && all_bytes(id_at(f, at, begun), 0, f->id_size)))
			break;
		memset(to[added].id, 0, ID_SIZE_MAX);
		memcpy(to[added].id, id_at(f, at, i), f->id_size);
		to[added++].from = from;
	}
	return added;
}

/* Count the repeats among IDs. */
static size_t count_repeats(const struct format *f, struct found *ids,
			    size_t nr, bool show)
{
	size_t repeats = 0;
	size_t i, k;

	qsort(ids, nr, sizeof(*ids), compare_found);
	for (i = 1; i < nr; i++) {
		if (compare_found(&ids[i - 1], &ids[i]))
			continue;
		if (!repeats++ && show) {
			printf("# %s ", f->name);
			for (k = 0; k < f->id_size; k++)
				printf("%02x", ids[i].id[k]);
			printf(" of %d and %d\n", ids[i - 1].from, ids[i].from);
		}
	}
	return repeats;
}

static struct found *room(void)
{
	struct found *ids = malloc(LIVES * READERS * PHASES * REGION_SIZE / 8 *
				   sizeof(*ids));

	if (!ids)
		fail("no memory");
	return ids;
}

/* Compare the IDs of both lives. Returns the number of repeats. */
static size_t compare_lives(struct memory *m)
{
	struct found *ids = room();
	size_t total[LIVES] = { 0 };
	size_t repeats = 0;
	int life, reader, phase;
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		size_t nr = 0;

		for (life = 0; life < LIVES; life++) {
			size_t before = nr;

			for (reader = 0; reader < READERS; reader++)
				for (phase = 0; phase < PHASES; phase++)
					nr += gather(m, life, reader, k, phase,
						     true, 0, life, ids + nr);
			total[life] += nr - before;
			if (nr == before)
				fail("no %s in life %d", formats[k].name,
				     life + 1);
		}
		repeats += count_repeats(&formats[k], ids, nr, true);
	}
	printf("# lives: %zu IDs of the first, %zu of the second, %zu repeated\n",
	       total[0], total[1], repeats);
	free(ids);
	return repeats;
}

/* Load the module and start the readers, until they are ready. Returns a file. */
static int begin_life(struct memory *m, int life, const char *state, pid_t *pids)
{
	bool required = !strcmp(state, "required");
	struct kuid_status status;
	char params[128];
	bool safe;
	int fd;

	snprintf(params, sizeof(params), "state=%s " ALL_PARAMS, state);
	if (load(params))
		fail("can't load the module");
	fd = open(DEV_KUID, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		fail("can't open the device: %m");
	if (required) {
		if (begin_cover(fd, m->ceiling))
			fail("RESTORE: %m");
		save(m, fd);
	}
	if (get_status(fd, &status))
		fail("STATUS: %m");
	safe = status.reboot_safe == EVERY_FORMAT;
	printf("# lives: life %d, floor %llu, %sreboot-safe\n", life + 1,
	       status.floor_ns, safe ? "" : "not ");
	if (required != safe)
		fail("that is not so");
	start_readers(m, life, pids, pick_seed());
	while (!readers_work(m)) {
		usleep(1000);
		if (required)
			save(m, fd);
	}
	return fd;
}

static void end_life(struct memory *m, bool required, int fd, const pid_t *pids)
{
	m->stop = 1;
	if (required)
		save(m, fd);
	end_readers(pids);
	m->stop = 0;
	close(fd);
}

/* Run one of two lives: the first is killed, the second compares both. */
static int be_killed(int argc, char **argv)
{
	struct memory *m = map_device();
	bool required = argc > 2 && !strcmp(argv[2], "required");
	bool again = argc > 3 && !strcmp(argv[3], "again");
	pid_t pids[READERS];
	__u64 early, until;
	int life, fd;

	if (argc != 4)
		fail("usage: lives reboot off|required earlier|again");
	life = m->lives++;
	if (life >= LIVES)
		fail("this is life %d", life + 1);
	again &= life;
	/* If the readers are ready too late, begin once more, and earlier. */
	for (early = EARLY;; early *= 2) {
		if (again && set_wall(m->began - early))
			fail("can't set the clock: %m");
		fd = begin_life(m, life, argv[2], pids);
		if (!again || clock_ns() < m->began)
			break;
		end_life(m, required, fd, pids);
		if (unload())
			fail("can't unload the module");
	}
	while (again && clock_ns() < m->began) {
		usleep(1000);
		if (required)
			save(m, fd);
	}
	if (!life)
		m->began = clock_ns();
	/* The script may kill the first life from here on. */
	__atomic_store_n(&m->go, 1, __ATOMIC_RELEASE);
	puts("# lives: at work");
	fflush(stdout);
	until = clock_ns() + 2 * NSEC_PER_SEC;
	while (!life || clock_ns() < until) {
		usleep(50000);
		if (required)
			save(m, fd);
	}
	end_life(m, required, fd, pids);
	/* Without saved state repeats are allowed; the script counts them. */
	return compare_lives(m) && required;
}

/* A line of each format of which a piece was read. */
struct begun {
	int fds[NR_FORMATS];
	char lines[NR_FORMATS][LINE_MAX_SIZE];
};

#define PIECE		5

static void begin_lines(struct begun *begun)
{
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		begun->fds[k] = open_device_file(&formats[k], ".txt", 0);
		if (begun->fds[k] < 0 ||
		    read(begun->fds[k], begun->lines[k], PIECE) != PIECE)
			fail("no piece of %s: %m", formats[k].name);
	}
}

/* After a fork the twin has the rest of the line, too, so nobody gets it. */
static void check_lines(struct begun *begun, bool forked)
{
	__u8 id[ID_SIZE_MAX];
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		const struct format *f = &formats[k];
		size_t rest = f->text_size + 1 - PIECE;
		char *line = begun->lines[k];

		if (forked ? end_lost_line(f, begun->fds[k], line, PIECE) :
			     read(begun->fds[k], line + PIECE, rest) != rest ||
			     !parse_line(f, line, id))
			fail("a line of %s that was begun is %.*s", f->name,
			     (int)f->text_size, line);
	}
}

/* The formats that are refused because of the identity, as bits by number. */
static __u32 stale_formats(int fd)
{
	__u8 ids[7 * ID_SIZE_MAX];
	__u32 stale = 0;
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		long got = take(fd, &formats[k], KUID_ORDER_DEFAULT, ids, 7,
				NULL);

		if (got == -ESTALE)
			stale |= 1U << formats[k].number;
		else if (got < 1)
			fail("%s: %ld", formats[k].name, got);
	}
	return stale;
}

/*
 * A private lane ends when the fork is reported. A machine that was not forked
 * keeps it. There is none if the node was given.
 */
static void check_lane(struct memory *m, int fd,
		       const struct kuid_private_lane *lane,
		       const struct kuid_page *page)
{
	struct kuid_private_lane next;
	int ret = get_lane(fd, &next);

	if (!lane->node) {
		if (ret != -EOPNOTSUPP)
			fail("a private lane, though the node was given: %d",
			     ret);
		return;
	}
	if (is_in_use(lane, page) != !m->told)
		fail("the private lane is %sin use",
		     is_in_use(lane, page) ? "" : "not ");
	if (ret || !is_in_use(&next, page))
		fail("no other private lane: %d", ret);
	m->node = next.node;
}

/* The IDs of calls that began after the restore, so far. */
static __u64 count_taken(const struct memory *m)
{
	__u64 nr = 0;
	int reader, phase;
	size_t k;

	for (reader = 0; reader < READERS; reader++)
		for (k = 0; k < NR_FORMATS; k++)
			for (phase = 1; phase < PHASES; phase++)
				nr += m->taken[0][reader][k][phase].nr;
	return nr;
}

/* Have kernel code take IDs of a format that a twin must not repeat. */
static const struct format *start_callers(__u32 seed)
{
	const struct format *f;

	do
		f = &formats[pick(&seed) % NR_FORMATS];
	while (f->number == KUID_FORMAT_K64);
	if (load_callers(f->number, KUID_ORDER_CPU, CALLER_IDS,
			 generation_address()))
		fail("can't load the callers: %m");
	return f;
}

/* Add the IDs of the callers to those of readers that have ended. */
static void gather_callers(struct memory *m, const struct format *f)
{
	static __u8 ids[CALLER_IDS * ID_SIZE_MAX];
	const size_t k = f - formats;
	unsigned long added = 0;
	enum caller_kind c;
	int i;

	for (i = 0; i < READERS; i++) {
		int phase = m->phase[i];
		struct taken *t = &m->taken[0][i][k][phase];

		for (c = 0; phase && c < NR_CONTEXTS; c++) {
			__u8 *to = region(m, 0, i, k, phase) +
				   (size_t)t->nr * f->id_size;
			long error = number_of_caller(c, i, "error");
			long nr = number_of_caller(c, i, "nr");

			if ((error && error != ESTALE) || nr < 0 ||
			    read_of_caller(c, i, "ids", ids, sizeof(ids)) < 0)
				fail("the caller %s%d: errno %ld, %ld IDs",
				     contexts[c], i, error, nr);
			memcpy(to, ids, nr * f->id_size);
			t->nr += nr;
			added += nr;
		}
	}
	printf("# lives: %lu %s of kernel code\n", added, f->name);
}

/*
 * Take the device from the kernel's driver, which may give it back. A kernel may
 * have no such driver. That of 7.x is on another bus, and can't be bound again.
 */
static void unbind_driver(bool bind)
{
	static const char *const files[] = { "unbind", "bind" };
	glob_t found;
	char *device;
	int i;

	if (glob("/sys/bus/acpi/drivers/vmgenid/*:*", 0, NULL, &found))
		return;
	device = strrchr(found.gl_pathv[0], '/') + 1;
	for (i = 0; i <= bind; i++) {
		char path[256];
		int fd;

		snprintf(path, sizeof(path), "%.*s%s",
			 (int)(device - found.gl_pathv[0]), found.gl_pathv[0],
			 files[i]);
		fd = open(path, O_WRONLY);
		if (fd < 0 || write(fd, device, strlen(device)) < 0)
			fail("%s: %m", path);
		close(fd);
	}
	globfree(&found);
}

/* The IDs of one open file are in order in each epoch, over a restore, too. */
struct ordered {
	int fd;
	__u64 epoch[NR_FORMATS];
	struct words last[NR_FORMATS];
};

static void check_order(struct ordered *ordered)
{
	__u8 id[ID_SIZE_MAX];
	__u64 epoch = 0;
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		const struct format *f = &formats[k];
		long got = take(ordered->fd, f, KUID_ORDER_DEFAULT, id, 1,
				&epoch);

		if (got == -ESTALE)
			continue;
		if (got != 1)
			fail("%s: %ld", f->name, got);
		if (epoch != ordered->epoch[k])
			ordered->last[k] = (struct words) { 0 };
		ordered->epoch[k] = epoch;
		if (count_in_order(f, id, 1, &ordered->last[k]) != 1)
			fail("%s is out of order", f->name);
	}
}

/* A machine that is no clone repeats none of its IDs. */
static void check_own(struct memory *m)
{
	struct found *ids = room();
	int reader, phase;
	size_t k;

	for (k = 0; k < NR_FORMATS; k++) {
		size_t nr = 0;

		for (reader = 0; reader < READERS; reader++)
			for (phase = 0; phase < PHASES; phase++)
				nr += gather(m, 0, reader, k, phase, false, 0,
					     reader, ids + nr);
		if (count_repeats(&formats[k], ids, nr, true))
			fail("%s is repeated", formats[k].name);
	}
	free(ids);
}

/* Take IDs while the machine is saved and restored, until @stop is set. */
static int be_cloned(int argc, char **argv)
{
	struct kuid_set_identity confirm = { .flags = KUID_IDENTITY_CONFIRM };
	const struct kuid_page *page;
	struct kuid_private_lane lane = { 0 };
	struct memory *m = map_device();
	struct kuid_status first, status;
	struct begun begun = { 0 };
	struct ordered ordered = { 0 };
	const struct format *called;
	pid_t pids[READERS];
	char params[256] = "";
	__u32 stale, expected;
	__u64 generation, epochs, window = 0;
	bool given, vmclock = false, unbind = false, bind = false;
	int fd, i;

	for (i = 2; i < argc; i++) {
		vmclock |= !strcmp(argv[i], "vmclock");
		bind |= !strcmp(argv[i], "rebind");
		unbind |= bind || !strcmp(argv[i], "unbind");
		if (!strchr(argv[i], '='))
			continue;
		strncat(params, argv[i], 100);
		strcat(params, " ");
	}
	given = strstr(params, "node=");
	if (load(params))
		fail("can't load the module");
	if (vmclock && load_file("/lib/ptp_vmclock.ko", ""))
		fail("can't load the driver of vmclock: %m");
	if (unbind)
		unbind_driver(bind);
	fd = open(DEV_KUID, O_RDONLY);
	ordered.fd = open(DEV_KUID, O_RDONLY);
	if (fd < 0 || ordered.fd < 0)
		fail("can't open the device: %m");
	if (begin_cover(fd, 0) || raise_cover(fd, clock_ns() + HOUR))
		fail("can't begin anew: %m");
	if (get_status(fd, &first))
		fail("STATUS: %m");
	if (vmclock == !(kuid_lane_clones(&first) & KUID_CLONES_SEEN))
		fail("private lanes notice clones otherwise");
	page = map_page(fd);
	if (page == MAP_FAILED)
		fail("can't map the page: %m");
	if (!given && (get_lane(fd, &lane) || !is_in_use(&lane, page)))
		fail("no private lane: %m");
	begin_lines(&begun);
	map_generation_id();
	generation = generation_of(page);
	called = start_callers(pick_seed());
	start_readers(m, 0, pids, pick_seed());
	while (!readers_work(m))
		usleep(1000);
	m->go = 1;
	puts("# lives: at work");
	fflush(stdout);
	while (!__atomic_load_n(&m->stop, __ATOMIC_RELAXED)) {
		check_order(&ordered);
		if (!m->told && generation_of(page) != generation) {
			m->told = clock_ns();
			window = count_taken(m);
		}
		usleep(100);
	}
	end_readers(pids);
	gather_callers(m, called);

	check_lane(m, fd, &lane, page);
	if (get_status(fd, &status))
		fail("STATUS: %m");
	check_lines(&begun, status.vm_forks);
	stale = stale_formats(fd);
	printf("# lives: %llu forks, epoch %llu, stale formats %x; ",
	       status.vm_forks, status.epoch, stale);
	printf("%llu IDs between restore and notification\n", window);
	/* The worker of snowflake is always given. */
	expected = given ? SLOTS | STAMPS : 1U << KUID_FORMAT_SNOWFLAKE;
	expected &= ~(1U << KUID_FORMAT_V7 | 1U << KUID_FORMAT_K64);
	if (!status.vm_forks)
		expected = 0;
	if (stale != expected)
		fail("stale should be %x", expected);
	if (!expected != !(status.reasons & KUID_REASON_STALE_IDENTITY))
		fail("status doesn't say so");
	/* Nobody has set the clock forward. */
	if (!status.vm_forks != !(status.reasons & KUID_REASON_K64_MAY_REPEAT))
		fail("status says something else of k64");
	/*
	 * The first epoch, one of the fresh start, and one of each fork. Forks
	 * in a row may have one together.
	 */
	epochs = status.epoch - 2;
	if (epochs > status.vm_forks || !epochs != !status.vm_forks)
		fail("that is not the epoch");
	if (!status.vm_forks)
		check_own(m);
	if (!status.load_id ||
	    (status.load_id == first.load_id ? status.vm_forks :
					       !status.vm_forks))
		fail("that is not the load_id");
	m->load_id = status.load_id;
	if (set_identity(fd, &confirm) || stale_formats(fd))
		fail("it is confirmed, and stale all the same");
	return 0;
}

/*
 * Whether the twins have a node in common in calls that began after they were
 * restored: then they could make the same ID at the same nanosecond. v1 and v6 end
 * in their node. Changes @ids.
 */
static bool have_same_node(struct found *ids, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		memmove(ids[i].id, ids[i].id + ID_SIZE_MAX - NODE_SIZE,
			NODE_SIZE);
		memset(ids[i].id + NODE_SIZE, 0, ID_SIZE_MAX - NODE_SIZE);
	}
	qsort(ids, nr, sizeof(*ids), compare_found);
	for (i = 1; i < nr; i++)
		if (ids[i - 1].from != ids[i].from &&
		    !compare_found(&ids[i - 1], &ids[i]))
			return true;
	return false;
}

/*
 * The IDs that twins have made, but not the machine that they were restored
 * from, in calls that began before or @after they were restored.
 */
static size_t gather_twins(struct memory **m, size_t k, bool after,
			   struct found *to)
{
	int twin, reader, phase;
	size_t nr = 0;

	for (twin = 1; twin < 3; twin++)
		for (reader = 0; reader < READERS; reader++)
			for (phase = 0; phase < PHASES; phase++) {
				struct taken *t = &m[0]->taken[0][reader][k]
							      [phase];
				bool later = phase > m[0]->phase[reader];

				if (later == after)
					nr += gather(m[twin], 0, reader, k,
						     phase, false, t->nr, twin,
						     to + nr);
			}
	return nr;
}

/*
 * Compare the IDs of twins, two machines that were restored from one, which may
 * be a clone itself.
 */
static int compare_twins(int argc, char **argv)
{
	struct memory *m[3];
	struct found *ids = room();
	bool same_node = false;
	size_t same = 0;
	int reader, phase, twin;
	size_t k;
	int i;

	if (argc != 5)
		fail("usage: lives twins SAVED ONE OTHER");
	for (i = 0; i < 3; i++)
		m[i] = map_file(argv[2 + i]);
	/* The twins' epochs have the same numbers, so load_id must differ. */
	if (m[1]->load_id == m[2]->load_id)
		fail("the twins have the load_id %llx", m[1]->load_id);
	if (m[1]->node && m[1]->node == m[2]->node)
		fail("the twins have a lane with the node %llx", m[1]->node);
	for (k = 0; k < NR_FORMATS; k++) {
		size_t before, after, repeats[2];
		size_t refused = 0;

		for (twin = 1; twin < 3; twin++)
			for (reader = 0; reader < READERS; reader++)
				for (phase = 0; phase < PHASES; phase++)
					refused += m[twin]->taken[0][reader][k]
							  [phase].refused;
		before = gather_twins(m, k, false, ids);
		repeats[0] = count_repeats(&formats[k], ids, before, false);
		after = gather_twins(m, k, true, ids + before);
		if (formats[k].number == KUID_FORMAT_V1 ||
		    formats[k].number == KUID_FORMAT_V6) {
			struct found *copy = room();

			memcpy(copy, ids + before, after * sizeof(*copy));
			same_node |= have_same_node(copy, after);
			free(copy);
		}
		/* Compare IDs of calls after the restore with all IDs. */
		repeats[1] = count_repeats(&formats[k], ids, before + after,
					   false) - repeats[0];
		printf("# %s: before the restore, or before a lane ended, %zu, ",
		       formats[k].name, before);
		printf("%zu of them in both;", repeats[0]);
		printf(" after %zu, %zu in both; %zu refused\n", after,
		       repeats[1], refused);
		/* k64 is unique on one machine only, so twins may repeat it. */
		if (formats[k].number != KUID_FORMAT_K64)
			same += repeats[1];
		if (!after && !refused)
			fail("no %s after the restore", formats[k].name);
	}
	printf("# lives: %zu repeats of calls that began after the restore%s\n",
	       same, same_node ? ", and the same node" : "");
	return same || same_node;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "reboot"))
		return be_killed(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "clone"))
		return be_cloned(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "twins"))
		return compare_twins(argc, argv);
	fail("usage: lives reboot|clone|twins ...");
}
