// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that can't be allocated or written. Each operation runs with its first
 * request to the kernel refused, then with its second, and so on until it
 * completes without a fault. Whichever request fails, the operation takes
 * effect completely or not at all, and no ID is given twice.
 *
 * Needs CONFIG_FAULT_INJECTION. The faults include those in requests of the
 * kernel's own code, outside the module.
 */
#include "../lib/harness.h"

#include <dirent.h>
#include <sys/epoll.h>

#include "../lib/admin.h"
#include "../lib/children.h"
#include "../lib/set_wall.h"

#define DEBUGFS		"/sys/kernel/debug/"

/* IDs of one read: more than a page. */
#define BATCH		1200

#define BUFFER_SIZE	65536

/* More requests than any operation makes. */
#define NEVER		1000000

#define ROUNDS		3

/* Seconds; more than step_limit, so the step begins a new epoch. */
#define STEP		100

/*
 * Let requests fail whatever their GFP flags and size. Page allocation faults
 * are verbose: their traces in the kernel log must be recognizable as injected.
 */
static bool set_up_faults(void)
{
	static const char *const settings[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/probability", "0" },
		{ "failslab/task-filter", "Y" },
		{ "failslab/times", "-1" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/probability", "0" },
		{ "fail_page_alloc/verbose", "1" },
		{ "fail_usercopy/probability", "0" },
		{ "fail_usercopy/verbose", "0" },
	};
	char path[128];
	int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", settings[i][0]);
		if (write_text(path, settings[i][1]))
			return false;
	}
	return true;
}

/* fail-nth of this thread. Each test runs in its own process. */
static int open_nth(void)
{
	return open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

/* Refuse the @nth request that this thread makes from now on. */
static void arm(int nth_fd, unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, size, 0) != size)
		abort();
}

/* Number of requests that were left until the fault; 0 if it was injected. */
static unsigned int disarm(int nth_fd)
{
	char text[16] = "1";

	/*
	 * pread() copies to user memory, which is a request too: if one was
	 * left, pread() is refused, and @text has to say 1. The write may be
	 * refused as well, so repeat it.
	 */
	if (pread(nth_fd, text, sizeof(text) - 1, 0) < 0)
		strcpy(text, "1");
	while (pwrite(nth_fd, "0", 1, 0) != 1)
		;
	return strtoul(text, NULL, 10);
}

/* All IDs of one format that were taken. */
struct ids {
	__u8 *ids;
	size_t count;
	size_t room;
};

/* The last ID taken from an open file; for stamp formats, in this epoch. */
struct last {
	struct words order;
	__u64 slot;
	__u64 epoch;
};

/**
 * struct scene - what operations work with
 * @nth: fail-nth of this thread
 * @fds: open binary files, by format
 * @last: last ID of each binary file
 * @texts: open text files, by format
 * @last_line: last ID of each text file
 * @lines: part of the current line that was read from each text file
 * @spare: file opened by the preparation of an operation
 * @buffer: memory of BUFFER_SIZE, without pages before an attempt
 * @made: counts the attempts, so that each can ask for another value
 * @arg: argument of a request
 * @before: the state before the attempt
 * @epoch: the number of the epoch before the attempt
 * @ids: all IDs that were taken
 * @without: number of the fault that keeps an open from making the epoch
 * @refused: kernel threads are refused all memory
 * @stepped_back: the wall clock was set back
 */
struct scene {
	int nth;
	int fds[NR_FORMATS];
	struct last last[NR_FORMATS];
	int texts[NR_FORMATS];
	struct last last_line[NR_FORMATS];
	struct {
		char text[LINE_MAX_SIZE];
		__u32 size;
	} lines[NR_FORMATS];
	int spare;
	__u8 *buffer;
	__u64 made;
	union {
		struct kuid_query query;
		struct kuid_generate generate;
		struct kuid_set_format set_format;
		struct kuid_status status;
		struct kuid_state state;
		struct kuid_cover cover;
		struct kuid_set_identity identity;
	} arg;
	struct kuid_state before;
	__u64 epoch;
	struct ids ids[NR_FORMATS];
	unsigned int without;
	bool refused;
	bool stepped_back;
};

/**
 * struct operation - an operation to run under faults
 * @name: for messages
 * @formats: formats to run it with, as bits of their numbers; 0 if the
 *	operation has no format
 * @nomem: it must have failed with ENOMEM
 * @faults: how often a single pass must have failed with EFAULT, at least
 * @prepare: called before each attempt, without faults
 * @run: the attempt. Returns a negative errno, or a value for @check
 * @check: called after each attempt, without faults
 */
struct operation {
	const char *name;
	__u32 formats;
	bool nomem;
	int faults;
	void (*prepare)(struct __test_metadata *_metadata, struct scene *s,
			const struct format *f);
	long (*run)(struct scene *s, const struct format *f);
	void (*check)(struct __test_metadata *_metadata, struct scene *s,
		      const struct format *f, long ret);
};

#define ALL_FORMATS	(STAMPS | SLOTS)

static __u64 epoch_now(struct __test_metadata *_metadata, struct scene *s)
{
	struct kuid_status status;

	ASSERT_EQ(0, get_status(s->fds[0], &status));
	return status.epoch;
}

/* Check and keep IDs that one file gave in this order after @last. */
static void note_ids(struct __test_metadata *_metadata, struct scene *s,
		     const struct format *f, struct last *last,
		     const void *from, size_t count)
{
	struct ids *ids = &s->ids[f - formats];
	__u64 epoch = epoch_now(_metadata, s);
	bool begun = last->epoch != epoch;
	struct fields fields;
	size_t i;

	if (begun)
		last->order = (struct words) { 0 };
	last->epoch = epoch;
	for (i = 0; i < count; i++) {
		const __u8 *id = id_at(f, from, i);

		ASSERT_TRUE(decode(f, id, &fields));
		if (among(f, STAMPS)) {
			ASSERT_TRUE(words_after(id_order(f, id), last->order));
			last->order = id_order(f, id);
		} else {
			ASSERT_LT(last->slot, fields.slot);
			last->slot = fields.slot;
		}
	}
	/* The new epoch may have begun after these IDs were taken. */
	if (begun)
		last->order = (struct words) { 0 };

	if (ids->count + count > ids->room) {
		ids->room = 2 * ids->room + count;
		ids->ids = realloc(ids->ids, ids->room * f->id_size);
		ASSERT_NE(NULL, ids->ids);
	}
	memcpy(ids->ids + ids->count * f->id_size, from, count * f->id_size);
	ids->count += count;
}

static size_t compared_size;

static int compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, compared_size);
}

static void check_repeats(struct __test_metadata *_metadata, struct scene *s)
{
	const struct format *f;
	size_t i;

	for (f = formats; f < formats + NR_FORMATS; f++) {
		struct ids *ids = &s->ids[f - formats];

		compared_size = f->id_size;
		if (ids->count)
			qsort(ids->ids, ids->count, f->id_size, compare_ids);
		for (i = 1; i < ids->count; i++)
			ASSERT_NE(0, compare_ids(id_at(f, ids->ids, i - 1),
						 id_at(f, ids->ids, i)));
		TH_LOG("%zu different %s", ids->count, f->name);
	}
}

/* Take an ID of each format in the ordinary way, without faults. */
static void note_one_each(struct __test_metadata *_metadata, struct scene *s)
{
	const struct format *f;
	__u8 id[ID_SIZE_MAX];

	for (f = formats; f < formats + NR_FORMATS; f++) {
		ASSERT_EQ(1, read_ids(f, s->fds[f - formats], id, 1));
		note_ids(_metadata, s, f, &s->last[f - formats], id, 1);
	}
}

static void attempt(struct __test_metadata *_metadata, struct scene *s,
		    const struct operation *op, const struct format *f,
		    unsigned int nth, unsigned int *left, long *ret)
{
	/* Drop the pages, so that each attempt has to allocate them again. */
	ASSERT_EQ(0, madvise(s->buffer, BUFFER_SIZE, MADV_DONTNEED));
	memset(&s->arg, 0, sizeof(s->arg));
	s->made++;
	if (op->prepare)
		op->prepare(_metadata, s, f);
	arm(s->nth, nth);
	*ret = op->run(s, f);
	*left = disarm(s->nth);
	if (op->check)
		op->check(_metadata, s, f, *ret);
}

/* Run @op with a fault at each request. Returns the number of faults. */
static unsigned int fail_once_each(struct __test_metadata *_metadata,
				   struct scene *s, const struct operation *op,
				   const struct format *f, bool *nomem,
				   int *faults)
{
	const char *format = f ? f->name : "";
	unsigned int left, nth;
	long ret;

	for (nth = 1;; nth++) {
		attempt(_metadata, s, op, f, nth, &left, &ret);
		if (left)
			break;
		ASSERT_TRUE(ret >= 0 || ret == -ENOMEM || ret == -EFAULT) {
			TH_LOG("%s %s: errno %ld at fault %u", op->name, format,
			       -ret, nth);
		}
		*nomem |= ret == -ENOMEM;
		*faults += ret == -EFAULT;

		attempt(_metadata, s, op, f, NEVER, &left, &ret);
		ASSERT_LE(0, ret) {
			TH_LOG("%s %s: errno %ld after fault %u", op->name,
			       format, -ret, nth);
		}
	}
	ASSERT_LE(0, ret);
	return nth - 1;
}

/*
 * Several rounds: an attempt may make one request more or less than the last
 * one, such as for a cache's page, so a single round may skip a request.
 */
static void fail_each(struct __test_metadata *_metadata, struct scene *s,
		      const struct operation *op, const struct format *f)
{
	const char *format = f ? f->name : "";
	unsigned int most = 0;
	bool nomem = false;
	int faults = 0;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		unsigned int met = fail_once_each(_metadata, s, op, f, &nomem,
						  &faults);

		if (met > most)
			most = met;
	}
	TH_LOG("%s %s: %u faults%s, EFAULT %d times", op->name, format, most,
	       nomem ? ", ENOMEM" : "", faults);
	EXPECT_TRUE(nomem || !op->nomem) {
		TH_LOG("%s %s: never failed with ENOMEM", op->name, format);
	}
	/*
	 * All copies to user memory but the last come before anything that
	 * differs between rounds, so each round must have hit them.
	 */
	EXPECT_LE(op->faults ? ROUNDS * (op->faults - 1) + 1 : 0, faults) {
		TH_LOG("%s %s: too few EFAULT", op->name, format);
	}
}

static void fail_operations(struct __test_metadata *_metadata, struct scene *s,
			    const struct operation *ops, size_t count)
{
	const struct operation *op;
	const struct format *f;

	for (op = ops; op < ops + count; op++) {
		note_one_each(_metadata, s);
		if (!op->formats)
			fail_each(_metadata, s, op, NULL);
		for (f = formats; f < formats + NR_FORMATS; f++)
			if (among(f, op->formats))
				fail_each(_metadata, s, op, f);
		note_one_each(_metadata, s);
	}
	check_repeats(_metadata, s);
}

/*
 * fail-nth is set per thread and can't be set for a worker: refuse all memory
 * to all kworkers. The kernel log says which work was refused memory.
 */
#define STEP_FAILS	"Workqueue: kuid kuid_events_step_epoch"
#define FORK_FAILS	"Workqueue: kuid kuid_events_fork_epoch"

static bool refuse_kernel_threads(bool refuse)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char path[300], name[64];

	/* kthreadd passes the setting to the kernel threads it starts. */
	if (!dir || write_text("/proc/2/make-it-fail", refuse ? "1" : "0"))
		return false;
	while ((entry = readdir(dir))) {
		ssize_t size;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		size = read(fd, name, sizeof(name));
		close(fd);
		if (size < 8 || memcmp(name, "kworker/", 8))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/make-it-fail",
			 entry->d_name);
		/* The kernel thread may have ended. */
		write_text(path, refuse ? "1" : "0");
	}
	closedir(dir);
	return !write_text(DEBUGFS "failslab/verbose", refuse ? "2" : "0") &&
	       !write_text(DEBUGFS "failslab/probability",
			   refuse ? "100" : "0");
}

/* The module stays loaded, with files open. */
FIXTURE(faults) {
	struct scene scene;
};

FIXTURE_SETUP(faults)
{
	struct scene *s = &self->scene;
	const struct format *f;

	s->nth = open_nth();
	ASSERT_LE(0, s->nth);
	ASSERT_TRUE(set_up_faults());
	s->spare = -1;
	s->buffer = mmap(NULL, BUFFER_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, s->buffer);
	for (f = formats; f < formats + NR_FORMATS; f++) {
		s->fds[f - formats] = open_device_file(f, "", O_CLOEXEC);
		s->texts[f - formats] = open_device_file(f, ".txt", O_CLOEXEC);
		ASSERT_LE(0, s->fds[f - formats]);
		ASSERT_LE(0, s->texts[f - formats]);
	}
}

FIXTURE_TEARDOWN(faults)
{
	struct scene *s = &self->scene;
	int i;

	for (i = 0; i < NR_FORMATS; i++) {
		close(s->fds[i]);
		close(s->texts[i]);
	}
	if (s->spare >= 0)
		close(s->spare);
	if (s->refused)
		EXPECT_TRUE(refuse_kernel_threads(false));
	if (s->stepped_back)
		EXPECT_EQ(0, shift_wall_seconds(STEP));
	/* Other tests must not see the state and identity set here. */
	if (module_path()) {
		EXPECT_EQ(0, unload());
		EXPECT_EQ(0, load(""));
	}
}

/* Opening. */

static long run_open(struct scene *s, const struct format *f, const char *suffix)
{
	s->spare = open_device_file(f, suffix, O_CLOEXEC);
	return s->spare < 0 ? -errno : 0;
}

static long run_open_binary(struct scene *s, const struct format *f)
{
	return run_open(s, f, "");
}

static long run_open_text(struct scene *s, const struct format *f)
{
	return run_open(s, f, ".txt");
}

static void check_open_binary(struct __test_metadata *_metadata,
			      struct scene *s, const struct format *f, long ret)
{
	struct last last = { 0 };
	__u8 id[ID_SIZE_MAX];

	if (ret < 0)
		return;
	ASSERT_EQ(1, read_ids(f, s->spare, id, 1));
	note_ids(_metadata, s, f, &last, id, 1);
	ASSERT_EQ(0, close(s->spare));
	s->spare = -1;
}

static void check_open_text(struct __test_metadata *_metadata, struct scene *s,
			    const struct format *f, long ret)
{
	char line[LINE_MAX_SIZE];
	__u8 id[ID_SIZE_MAX];

	if (ret < 0)
		return;
	ASSERT_EQ(f->text_size + 1, read(s->spare, line, f->text_size + 1));
	ASSERT_TRUE(parse_line(f, line, id));
	ASSERT_EQ(0, close(s->spare));
	s->spare = -1;
}

/* Reading. Each function returns the number of bytes read into the buffer. */

static long run_read(int fd, void *to, size_t size)
{
	ssize_t got = read(fd, to, size);

	return got < 0 ? -errno : got;
}

static long run_read_one(struct scene *s, const struct format *f)
{
	return run_read(s->fds[f - formats], s->buffer, f->id_size);
}

static long run_read_batch(struct scene *s, const struct format *f)
{
	return run_read(s->fds[f - formats], s->buffer, BATCH * f->id_size);
}

static long run_generate(struct scene *s, const struct format *f)
{
	s->arg.generate = (struct kuid_generate) {
		.buffer = (uintptr_t)s->buffer,
		.format = f->number,
		.count = BATCH,
	};
	return ioctl(s->fds[f - formats], KUID_IOC_GENERATE,
		     &s->arg.generate) ? -errno : s->arg.generate.done *
						  (long)f->id_size;
}

static void check_ids(struct __test_metadata *_metadata, struct scene *s,
		      const struct format *f, long ret)
{
	if (ret < 0)
		return;
	ASSERT_LT(0, ret);
	ASSERT_EQ(0, ret % f->id_size);
	note_ids(_metadata, s, f, &s->last[f - formats], s->buffer,
		 ret / f->id_size);
}

static void check_generated(struct __test_metadata *_metadata, struct scene *s,
			    const struct format *f, long ret)
{
	check_ids(_metadata, s, f, ret);
	if (ret >= 0)
		ASSERT_EQ(epoch_now(_metadata, s), s->arg.generate.epoch);
}

/* Start in the middle of a line. */
static void prepare_text(struct __test_metadata *_metadata, struct scene *s,
			 const struct format *f)
{
	__u32 *size = &s->lines[f - formats].size;

	if (*size)
		return;
	ASSERT_EQ(1, read(s->texts[f - formats], s->lines[f - formats].text,
			  1));
	*size = 1;
}

static long run_read_lines(struct scene *s, const struct format *f)
{
	return run_read(s->texts[f - formats], s->buffer, 9001);
}

static long run_read_piece(struct scene *s, const struct format *f)
{
	return run_read(s->texts[f - formats], s->buffer, 5);
}

/*
 * Whatever was refused, the text consists of whole lines in order. A line is
 * lost if a piece of it can't be copied.
 */
static void check_text(struct __test_metadata *_metadata, struct scene *s,
		       const struct format *f, long ret)
{
	__u32 *size = &s->lines[f - formats].size;
	char *line = s->lines[f - formats].text;
	__u8 ids[BATCH * ID_SIZE_MAX];
	size_t count = 0;
	long i;

	if (ret == -EFAULT) {
		ASSERT_LE(0, end_lost_line(f, s->texts[f - formats], line,
					   *size));
		*size = 0;
	}
	if (ret < 0)
		return;
	ASSERT_LT(0, ret);
	for (i = 0; i < ret; i++) {
		line[(*size)++] = s->buffer[i];
		if (*size < f->text_size + 1)
			continue;
		ASSERT_GT(BATCH, count);
		ASSERT_TRUE(parse_line(f, line, ids + count * f->id_size));
		count++;
		*size = 0;
	}
	note_ids(_metadata, s, f, &s->last_line[f - formats], ids, count);
}

static const struct operation reads[] = {
	{ "open", ALL_FORMATS, true, 0, NULL, run_open_binary,
	  check_open_binary },
	{ "open text", ALL_FORMATS, true, 0, NULL, run_open_text,
	  check_open_text },
	{ "read one", ALL_FORMATS, false, 0, NULL, run_read_one, check_ids },
	{ "read a batch", ALL_FORMATS, false, 1, NULL, run_read_batch,
	  check_ids },
	/* put_user(), which writes the reply, has no faults. */
	{ "generate", ALL_FORMATS, false, 2, NULL, run_generate,
	  check_generated },
};

static const struct operation texts[] = {
	{ "read lines", ALL_FORMATS, false, 1, prepare_text, run_read_lines,
	  check_text },
	{ "read a piece", ALL_FORMATS, false, 1, prepare_text, run_read_piece,
	  check_text },
};

TEST_F_TIMEOUT(faults, reads, 300)
{
	fail_operations(_metadata, &self->scene, reads, ARRAY_SIZE(reads));
}

TEST_F_TIMEOUT(faults, texts, 300)
{
	fail_operations(_metadata, &self->scene, texts, ARRAY_SIZE(texts));
}

/* Requests that change nothing, except for the open file's format. */

static long request(struct scene *s, unsigned long cmd)
{
	return ioctl(s->fds[0], cmd, &s->arg) ? -errno : 0;
}

static long run_query(struct scene *s, const struct format *f)
{
	s->arg.query.format = f->number;
	return request(s, KUID_IOC_QUERY);
}

static void check_query(struct __test_metadata *_metadata, struct scene *s,
			const struct format *f, long ret)
{
	if (ret < 0)
		return;
	ASSERT_EQ(f->id_size, s->arg.query.id_size);
	ASSERT_EQ(f->text_size, s->arg.query.text_size);
}

static void prepare_file(struct __test_metadata *_metadata, struct scene *s,
			 const struct format *f)
{
	if (s->spare >= 0)
		close(s->spare);
	s->spare = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, s->spare);
}

static long run_set_format(struct scene *s, const struct format *f)
{
	s->arg.set_format.format = f->number;
	return ioctl(s->spare, KUID_IOC_SET_FORMAT, &s->arg) ? -errno : 0;
}

static void check_set_format(struct __test_metadata *_metadata, struct scene *s,
			     const struct format *f, long ret)
{
	struct kuid_query query = { 0 };

	ASSERT_EQ(0, ioctl(s->spare, KUID_IOC_QUERY, &query));
	ASSERT_EQ(ret < 0 ? KUID_FORMAT_V1 : f->number, query.format);
}

static long run_status(struct scene *s, const struct format *f)
{
	return request(s, KUID_IOC_STATUS);
}

static void check_status(struct __test_metadata *_metadata, struct scene *s,
			 const struct format *f, long ret)
{
	if (ret >= 0)
		ASSERT_EQ(epoch_now(_metadata, s), s->arg.status.epoch);
}

static long run_get_state(struct scene *s, const struct format *f)
{
	return request(s, KUID_IOC_GET_STATE);
}

static void check_get_state(struct __test_metadata *_metadata, struct scene *s,
			    const struct format *f, long ret)
{
	if (ret >= 0)
		ASSERT_EQ(GRID_INTERVAL, s->arg.state.interval);
}

/* poll() allocates memory for many entries only. */
static long run_poll(struct scene *s, const struct format *f)
{
	struct pollfd *entries = (struct pollfd *)s->buffer;
	int i, ready;

	for (i = 0; i < 100; i++)
		entries[i] = (struct pollfd) {
			.fd = s->fds[f - formats], .events = POLLIN,
		};
	ready = poll(entries, 100, -1);
	return ready < 0 ? -errno : ready;
}

static void check_poll(struct __test_metadata *_metadata, struct scene *s,
		       const struct format *f, long ret)
{
	if (ret >= 0)
		ASSERT_EQ(100, ret);
}

static long run_epoll(struct scene *s, const struct format *f)
{
	struct epoll_event event = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	long ret;

	if (epoll < 0)
		return -errno;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, s->fds[f - formats], &event))
		ret = -errno;
	else
		ret = epoll_wait(epoll, &event, 1, -1) < 0 ? -errno : 0;
	close(epoll);
	return ret;
}

/* One attribute of each kind. */
static long run_attributes(struct scene *s, const struct format *f)
{
	static const char *const names[] = {
		"epoch", "identity/node", "clock/resolution_ns", "ahead/lex_ns",
		"limits/max_ahead_ns", "counters/k64", "state/required",
		"status/reasons",
	};
	char path[128], text[4096];
	long ret = 0;
	int i, fd;

	for (i = 0; i < ARRAY_SIZE(names) && ret >= 0; i++) {
		snprintf(path, sizeof(path), ATTRIBUTES "/%s", names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		ret = run_read(fd, text, sizeof(text));
		if (ret > 0 && text[ret - 1] != '\n')
			ret = -EIO;
		close(fd);
	}
	return ret;
}

static const struct operation requests[] = {
	{ "query", ALL_FORMATS, false, 2, NULL, run_query, check_query },
	{ "set format", ALL_FORMATS, false, 1, prepare_file, run_set_format,
	  check_set_format },
	{ "status", 0, false, 2, NULL, run_status, check_status },
	{ "get state", 0, false, 2, NULL, run_get_state, check_get_state },
	{ "poll", ALL_FORMATS, true, 0, NULL, run_poll, check_poll },
	{ "epoll", ALL_FORMATS, true, 0, NULL, run_epoll, NULL },
	{ "attributes", 0, true, 0, NULL, run_attributes, NULL },
};

TEST_F_TIMEOUT(faults, requests, 300)
{
	fail_operations(_metadata, &self->scene, requests,
			ARRAY_SIZE(requests));
}

/*
 * Requests that change the state. On ENOMEM nothing has changed; on EFAULT the
 * request may have been done, if only its result couldn't be written back.
 */

static void prepare_change(struct __test_metadata *_metadata, struct scene *s,
			   const struct format *f)
{
	s->epoch = epoch_now(_metadata, s);
	ASSERT_EQ(0, get_state(s->fds[0], &s->before));
}

/*
 * Without this wait the IDs given ahead of the clock could come again after the
 * clock went back.
 */
static void prepare_back(struct __test_metadata *_metadata, struct scene *s,
			 const struct format *f)
{
	let_clock_catch_up();
	prepare_change(_metadata, s, f);
}

static long ask_cover_of(struct scene *s, __u32 flags, __u64 floor)
{
	struct kuid_cover *cover = &s->arg.cover;

	cover->flags = flags;
	cover->floor_ns = floor;
	cover->ceiling_ns = s->before.wall_ns + 3600 * NSEC_PER_SEC;
	cover->epoch = s->before.cover_epoch;
	cover->load_id = s->before.cover_load_id;
	return request(s, KUID_IOC_COVER);
}

static long run_back(struct scene *s, const struct format *f)
{
	return ask_cover_of(s, KUID_COVER_BEGIN | KUID_COVER_BACK, 0);
}

static long run_begin(struct scene *s, const struct format *f)
{
	return ask_cover_of(s, KUID_COVER_BEGIN, s->before.wall_ns);
}

static long run_raise(struct scene *s, const struct format *f)
{
	return ask_cover_of(s, 0, 0);
}

static long run_set_identity(struct scene *s, const struct format *f)
{
	s->arg.identity.worker_from = KUID_FROM_GIVEN;
	s->arg.identity.worker = s->made;
	return request(s, KUID_IOC_SET_IDENTITY);
}

/*
 * Either nothing has changed, or a new epoch began and the state is @wanted.
 * The clocks are left out because they advance by themselves.
 */
static void all_or_nothing(struct __test_metadata *_metadata, struct scene *s,
			   const struct kuid_state *wanted, __u64 told,
			   long ret)
{
	bool begun = epoch_now(_metadata, s) != s->epoch;
	struct kuid_state is, expected = begun ? *wanted : s->before;

	ASSERT_EQ(0, get_state(s->fds[0], &is));
	expected.wall_ns = is.wall_ns;
	expected.clock_ns = is.clock_ns;
	expected.slot_ns = is.slot_ns;
	expected.stamp_ns = is.stamp_ns;
	/* Each epoch draws a new node. */
	if (begun) {
		EXPECT_NE(s->before.node, is.node);
		expected.node = is.node;
		expected.epoch = s->before.epoch + 1;
	}
	ASSERT_EQ(0, memcmp(&expected, &is, sizeof(is)));

	if (begun)
		ASSERT_EQ(s->epoch + 1, epoch_now(_metadata, s));
	if (ret == -ENOMEM)
		ASSERT_FALSE(begun);
	if (ret >= 0) {
		ASSERT_TRUE(begun);
		ASSERT_EQ(s->epoch + 1, told);
	}
	note_one_each(_metadata, s);
}

/* The state after a cover has begun. */
static struct kuid_state begun(const struct scene *s)
{
	struct kuid_state wanted = s->before;

	wanted.floor_ns = s->arg.cover.floor_ns;
	wanted.ceiling_ns = s->arg.cover.ceiling_ns;
	wanted.cover_epoch = s->epoch + 1;
	wanted.cover_load_id = s->before.load_id;
	return wanted;
}

static void check_back(struct __test_metadata *_metadata, struct scene *s,
		       const struct format *f, long ret)
{
	struct kuid_state is, wanted = begun(s);
	int i;

	/* The slot clock may go back to the wall clock. */
	for (i = 0; i < NR_FORMATS; i++)
		s->last[i].slot = 0;
	ASSERT_EQ(0, get_state(s->fds[0], &is));
	wanted.again_until_ns = is.again_until_ns;
	all_or_nothing(_metadata, s, &wanted, s->arg.cover.epoch, ret);
}

static void check_begin(struct __test_metadata *_metadata, struct scene *s,
			const struct format *f, long ret)
{
	struct kuid_state wanted = begun(s);

	all_or_nothing(_metadata, s, &wanted, s->arg.cover.epoch, ret);
}

/* A higher ceiling begins no epoch. */
static void check_raise(struct __test_metadata *_metadata, struct scene *s,
			const struct format *f, long ret)
{
	struct kuid_state is;

	ASSERT_EQ(s->epoch, epoch_now(_metadata, s));
	ASSERT_EQ(0, get_state(s->fds[0], &is));
	/* EFAULT comes before the change or after it. */
	if (ret != -EFAULT || is.ceiling_ns != s->before.ceiling_ns)
		ASSERT_EQ(ret == -ENOMEM ? s->before.ceiling_ns :
					   s->arg.cover.ceiling_ns,
			  is.ceiling_ns);
}

static void check_set_identity(struct __test_metadata *_metadata,
			       struct scene *s, const struct format *f,
			       long ret)
{
	struct kuid_state wanted = s->before;

	wanted.worker_from = KUID_FROM_GIVEN;
	wanted.worker = s->made;
	all_or_nothing(_metadata, s, &wanted, s->arg.identity.epoch, ret);
}

static const struct operation changes[] = {
	{ "begin a cover", 0, true, 2, prepare_change, run_begin, check_begin },
	{ "raise a cover", 0, false, 2, prepare_change, run_raise, check_raise },
	{ "set identity", 0, true, 2, prepare_change, run_set_identity,
	  check_set_identity },
	{ "go back", 0, true, 2, prepare_back, run_back, check_back },
};

TEST_F_TIMEOUT(faults, changes, 300)
{
	fail_operations(_metadata, &self->scene, changes, ARRAY_SIZE(changes));
}

/* The worker that begins an epoch after a clock step is refused memory. */
TEST_F_TIMEOUT(faults, step_worker, 300)
{
	struct scene *s = &self->scene;
	struct kuid_state before, after;
	int log, tries;

	note_one_each(_metadata, s);
	prepare_change(_metadata, s, NULL);
	before = s->before;

	log = open_log();
	ASSERT_LE(0, log);
	s->refused = true;
	ASSERT_TRUE(refuse_kernel_threads(true));
	ASSERT_EQ(0, shift_wall_seconds(-STEP));
	s->stepped_back = true;

	/*
	 * The worker tries again; until it succeeds, the former epoch
	 * continues.
	 */
	for (tries = 0; tries < 2; tries++) {
		while (!log_has(dup(log), STEP_FAILS, ""))
			note_one_each(_metadata, s);
		EXPECT_EQ(s->epoch, epoch_now(_metadata, s));
		ASSERT_EQ(0, get_state(s->fds[0], &after));
		EXPECT_EQ(before.node, after.node);
	}

	ASSERT_TRUE(refuse_kernel_threads(false));
	while (epoch_now(_metadata, s) == s->epoch)
		note_one_each(_metadata, s);
	EXPECT_EQ(s->epoch + 1, epoch_now(_metadata, s));
	ASSERT_EQ(0, get_state(s->fds[0], &after));
	EXPECT_NE(before.node, after.node);
	note_one_each(_metadata, s);
	check_repeats(_metadata, s);
}

/*
 * The worker that begins an epoch after a VM fork or hibernation is refused
 * memory.
 */
TEST_F_TIMEOUT(faults, fork_worker, 300)
{
	struct kuid_set_identity confirm = { .flags = KUID_IDENTITY_CONFIRM };
	const struct format *v1 = format_of(KUID_FORMAT_V1);
	struct scene *s = &self->scene;
	int log, snapshot, tries;
	__u8 id[ID_SIZE_MAX];

	note_one_each(_metadata, s);
	s->epoch = epoch_now(_metadata, s);
	s->spare = open_device_file(v1, "", O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, s->spare);
	/*
	 * Opening /dev/snapshot announces hibernation, closing it the resume.
	 */
	snapshot = open("/dev/snapshot", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, snapshot);
	log = open_log();
	ASSERT_LE(0, log);
	s->refused = true;
	ASSERT_TRUE(refuse_kernel_threads(true));
	close(snapshot);

	/* The worker tries again; until it succeeds, v1 gives no IDs. */
	for (tries = 0; tries < 2; tries++) {
		while (!log_has(dup(log), FORK_FAILS, ""))
			ASSERT_EQ(-EAGAIN, read_ids(v1, s->spare, id, 1));
		EXPECT_EQ(s->epoch, epoch_now(_metadata, s));
	}

	ASSERT_TRUE(refuse_kernel_threads(false));
	while (epoch_now(_metadata, s) == s->epoch)
		ASSERT_GT(2, read_ids(v1, s->spare, id, 1));
	EXPECT_EQ(s->epoch + 1, epoch_now(_metadata, s));
	/* A given snowflake worker may be a twin's. */
	ASSERT_EQ(0, set_identity(s->spare, &confirm));
	note_one_each(_metadata, s);
	check_repeats(_metadata, s);
}

/* Loading and unloading, with no file open. */
FIXTURE(loading) {
	struct scene scene;
};

FIXTURE_SETUP(loading)
{
	struct scene *s = &self->scene;

	s->nth = open_nth();
	ASSERT_NE(NULL, module_path());
	ASSERT_LE(0, s->nth);
	ASSERT_TRUE(set_up_faults());
	if (is_loaded())
		ASSERT_EQ(0, unload());
}

FIXTURE_TEARDOWN(loading)
{
	if (!is_loaded())
		EXPECT_EQ(0, load(""));
}

/* Whether a line of /proc/devices or a similar file ends with @end. */
static bool has_line_ending(const char *path, const char *end)
{
	FILE *file = fopen(path, "r");
	bool found = false;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file)) {
		size_t size = strlen(line);

		found = size > strlen(end) &&
			!strcmp(line + size - strlen(end), end);
	}
	if (file)
		fclose(file);
	return found;
}

/* Remove leftover device files. Returns their number. */
static int remove_device_files(void)
{
	int nr = 0;
	int i;

	for (i = 0; i < NR_DEVICES; i++)
		nr += !unlink(device_of(i).path);
	rmdir("/dev/kuids/host");
	rmdir("/dev/kuids");
	return nr;
}

/*
 * Nothing of the module is left, except for up to @files device files, which
 * are removed here.
 */
static void check_unloaded(struct __test_metadata *_metadata, int files)
{
	ASSERT_FALSE(is_loaded());
	ASSERT_NE(0, access("/sys/class/kuid", F_OK));
	ASSERT_NE(0, access("/sys/devices/virtual/kuid", F_OK));
	ASSERT_GE(files, remove_device_files());
	ASSERT_NE(0, access("/dev/kuids", F_OK));
	ASSERT_FALSE(has_line_ending("/proc/devices", " kuid\n"));
}

static void gives_ids(struct __test_metadata *_metadata)
{
	const struct format *f;
	__u8 id[ID_SIZE_MAX];
	int fd;

	for (f = formats; f < formats + NR_FORMATS; f++) {
		fd = open_device_file(f, "", O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(1, read_ids(f, fd, id, 1));
		close(fd);
	}
}

/* The highest number of requests that a load made in three tries. */
static unsigned int count_requests(struct scene *s, const char *params)
{
	unsigned int most = 0;
	int i;

	for (i = 0; i < 3; i++) {
		unsigned int left;

		arm(s->nth, NEVER);
		load(params);
		left = disarm(s->nth);
		if (is_loaded())
			unload();
		if (NEVER - left > most)
			most = NEVER - left;
	}
	return most;
}

/**
 * struct opener - a child that opens and closes the device files
 * @told: request of the parent: odd to open all device files and keep them
 *	open, even to close them
 * @done: the last even @told that the child has completed
 */
struct opener {
	unsigned int told;
	unsigned int done;
};

static void open_devices(struct opener *opener)
{
	int fds[NR_DEVICES];
	unsigned int told;
	char id[64];
	int i;

	memset(fds, -1, sizeof(fds));
	for (;;) {
		told = __atomic_load_n(&opener->told, __ATOMIC_SEQ_CST);
		for (i = 0; i < NR_DEVICES; i++) {
			if (told % 2 && fds[i] < 0)
				fds[i] = open(device_of(i).path,
					      O_RDONLY | O_CLOEXEC);
			if (told % 2 || fds[i] < 0)
				continue;
			/*
			 * A load can't fail while a file is open, so every open
			 * file must give IDs.
			 */
			if (read(fds[i], id, sizeof(id)) <= 0)
				_exit(1);
			close(fds[i]);
			fds[i] = -1;
		}
		if (told % 2)
			continue;
		__atomic_store_n(&opener->done, told, __ATOMIC_SEQ_CST);
		usleep(100);
	}
}

static void opener_begin(struct opener *opener)
{
	__atomic_add_fetch(&opener->told, 1, __ATOMIC_SEQ_CST);
}

/* Returns false if the child has ended. */
static bool opener_end(struct opener *opener, pid_t child)
{
	unsigned int told = __atomic_add_fetch(&opener->told, 1,
					       __ATOMIC_SEQ_CST);

	while (__atomic_load_n(&opener->done, __ATOMIC_SEQ_CST) != told) {
		if (waitpid(child, NULL, WNOHANG))
			return false;
		usleep(100);
	}
	return true;
}

/*
 * Skip most of the requests that the kernel makes for any module before the
 * module's own code runs: a load with a bad parameter shows their number. A
 * child opens the device files as soon as they appear. A load that has created
 * one doesn't fail: it logs a device that it can't create. Each run lets some of
 * the others fail, because a load takes a second in a kernel with these checks.
 */
TEST_F_TIMEOUT(loading, load, 900)
{
	__u32 seed = pick_seed();
	struct opener *opener = share_memory(sizeof(*opener));
	struct scene *s = &self->scene;
	unsigned int first, left, nth, tried = 0, failed = 0;
	pid_t child;
	int ret;

	ASSERT_NE(NULL, opener);
	child = fork_child();
	ASSERT_LE(0, child);
	if (!child)
		open_devices(opener);
	first = count_requests(s, "max_ahead_ms=0");
	TH_LOG("%u requests, of which the module loader made the first %u",
	       count_requests(s, ""), first);
	TH_LOG("seed %u", seed);
	for (nth = first > 20 ? first - 20 : 1;; nth += 1 + pick(&seed) % 15) {
		opener_begin(opener);
		arm(s->nth, nth);
		ret = load("");
		left = disarm(s->nth);
		ASSERT_TRUE(opener_end(opener, child));
		if (left)
			break;
		tried++;
		ASSERT_TRUE(!ret || ret == -ENOMEM) {
			TH_LOG("errno %d at fault %u", -ret, nth);
		}
		/*
		 * The next round or gives_ids() shows that the module can be
		 * loaded again.
		 */
		if (ret)
			failed++;
		else
			ASSERT_EQ(0, unload());
		check_unloaded(_metadata, 0);
	}
	ASSERT_EQ(0, ret);
	gives_ids(_metadata);
	TH_LOG("%u faults, of which %u were fatal", tried, failed);
	EXPECT_LT(0, failed);
}

/* Of these requests, too, each run lets some fail. */
TEST_F_TIMEOUT(loading, unload, 300)
{
	__u32 seed = pick_seed();
	struct scene *s = &self->scene;
	unsigned int left, nth, tried = 0;
	int ret;

	TH_LOG("seed %u", seed);
	for (nth = 1;; nth += 1 + pick(&seed) % 7) {
		ASSERT_EQ(0, load(""));
		gives_ids(_metadata);
		arm(s->nth, nth);
		ret = unload();
		left = disarm(s->nth);
		if (ret) {
			ASSERT_EQ(-EFAULT, ret);
			gives_ids(_metadata);
			ASSERT_EQ(0, unload());
		}
		/*
		 * The kernel leaves a device file behind if it has no memory
		 * for its name.
		 */
		check_unloaded(_metadata, left ? 0 : 1);
		if (left)
			break;
		tried++;
	}
	ASSERT_EQ(0, ret);
	TH_LOG("%u faults", tried);
}

/* Load the module and open the device so that no epoch exists (number 0). */
static int open_without_epoch(struct __test_metadata *_metadata,
			      struct scene *s)
{
	unsigned int left, tries, nth = s->without;
	struct kuid_status status;
	int fd;

	/* An open may make one request more or less than the last time. */
	for (tries = 0; tries < 1000; tries++) {
		ASSERT_EQ(0, load(""));
		arm(s->nth, nth ? nth : 1);
		fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
		left = disarm(s->nth);
		if (fd >= 0) {
			ASSERT_EQ(0, get_status(fd, &status));
			if (!status.epoch) {
				s->without = nth;
				return fd;
			}
			close(fd);
		}
		ASSERT_EQ(0, unload());
		nth = left ? 1 : nth + 1;
	}
	ASSERT_TRUE(false) {
		TH_LOG("an open never failed to make the epoch");
	}
	return -1;
}

/*
 * An open creates the first epoch. If it can't, the first call that needs an
 * epoch does.
 */
TEST_F_TIMEOUT(loading, first_epoch, 300)
{
	struct scene *s = &self->scene;
	unsigned int left, nth;
	struct kuid_status status;
	struct id ids[2];
	struct words last;
	long ret;
	int fd;

	for (nth = 1;; nth++) {
		ASSERT_EQ(0, load(""));
		arm(s->nth, nth);
		fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
		ret = fd < 0 ? -errno : 0;
		left = disarm(s->nth);
		if (left)
			break;
		ASSERT_TRUE(!ret || ret == -ENOMEM || ret == -EFAULT) {
			TH_LOG("errno %ld at fault %u", -ret, nth);
		}
		if (ret)
			fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, fd);
		ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, ids, 1));
		ASSERT_EQ(0, get_status(fd, &status));
		ASSERT_EQ(1, status.epoch);
		close(fd);
		ASSERT_EQ(0, unload());
	}
	close(fd);
	ASSERT_EQ(0, unload());

	for (nth = 1;; nth++) {
		fd = open_without_epoch(_metadata, s);
		arm(s->nth, nth);
		ret = read_ids(DEV_FORMAT, fd, ids, 1);
		left = disarm(s->nth);
		if (left)
			break;
		ASSERT_TRUE(ret == 1 || ret == -ENOMEM || ret == -EFAULT) {
			TH_LOG("errno %ld at fault %u", -ret, nth);
		}
		if (ret == -ENOMEM) {
			ASSERT_EQ(0, get_status(fd, &status));
			ASSERT_EQ(0, status.epoch);
		}
		if (ret < 0)
			ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, ids, 1));
		last = id_order(DEV_FORMAT, ids);
		ASSERT_EQ(1, read_ids(DEV_FORMAT, fd, ids + 1, 1));
		ASSERT_EQ(1, count_in_order(DEV_FORMAT, ids + 1, 1, &last));
		close(fd);
		ASSERT_EQ(0, unload());
	}
	ASSERT_EQ(1, ret);
	close(fd);
	ASSERT_EQ(0, unload());
}

/**
 * struct first - a request that needs an epoch while none exists
 * @name: for messages
 * @epoch: number of the epoch after the request
 * @run: as in struct operation
 */
struct first {
	const char *name;
	__u64 epoch;
	long (*run)(struct scene *s, const struct format *f);
};

static const struct first firsts[] = {
	{ "get state", 1, run_get_state },
	{ "begin a cover", 2, run_begin },
	{ "set identity", 2, run_set_identity },
	{ "go back", 2, run_back },
};

/* On ENOMEM the first epoch may exist, but not the second. */
static void check_first(struct __test_metadata *_metadata, struct scene *s,
			const struct first *first, long ret)
{
	__u64 epoch = epoch_now(_metadata, s);
	struct kuid_state state;

	ASSERT_TRUE(ret >= 0 || ret == -ENOMEM || ret == -EFAULT) {
		TH_LOG("%s: errno %ld", first->name, -ret);
	}
	if (ret >= 0)
		ASSERT_EQ(first->epoch, epoch);
	if (ret == -EFAULT)
		ASSERT_TRUE(!epoch || epoch == first->epoch);
	if (ret != -ENOMEM)
		return;
	ASSERT_GE(1, epoch);
	ASSERT_EQ(0, get_state(s->fds[0], &state));
	EXPECT_EQ(0, state.cover_epoch);
	EXPECT_EQ(0, state.floor_ns);
	EXPECT_EQ(0, state.ceiling_ns);
	EXPECT_NE(KUID_FROM_GIVEN, state.worker_from);
}

/* Returns the number of ENOMEM failures. */
static unsigned int fail_first(struct __test_metadata *_metadata,
			       struct scene *s, const struct first *first)
{
	unsigned int left = 0, nomem = 0, nth;
	long ret;

	for (nth = 1; !left; nth++) {
		s->fds[0] = open_without_epoch(_metadata, s);
		s->before = (struct kuid_state) { .wall_ns = clock_ns() };
		s->made = nth;
		memset(&s->arg, 0, sizeof(s->arg));
		arm(s->nth, nth);
		ret = first->run(s, NULL);
		left = disarm(s->nth);
		check_first(_metadata, s, first, ret);
		nomem += ret == -ENOMEM;
		gives_ids(_metadata);
		memset(&s->arg, 0, sizeof(s->arg));
		/* A cover may have begun. */
		ASSERT_EQ(0, get_state(s->fds[0], &s->before));
		ASSERT_EQ(0, first->run(s, NULL));
		gives_ids(_metadata);
		close(s->fds[0]);
		ASSERT_EQ(0, unload());
	}
	ASSERT_LE(0, ret);
	return nomem;
}

TEST_F_TIMEOUT(loading, first_requests, 300)
{
	struct scene *s = &self->scene;
	const struct first *first;
	unsigned int most;
	int i;

	for (first = firsts; first < firsts + ARRAY_SIZE(firsts); first++) {
		most = 0;
		/* Several rounds, for the same reason as in fail_each(). */
		for (i = 0; i < ROUNDS; i++) {
			unsigned int nomem = fail_first(_metadata, s, first);

			most = nomem > most ? nomem : most;
		}
		/*
		 * The first epoch, its sequences and the second epoch each need
		 * memory.
		 */
		EXPECT_LE(first->epoch + 1, most) {
			TH_LOG("%s: ENOMEM %u times", first->name, most);
		}
	}
}

TEST_HARNESS_MAIN
