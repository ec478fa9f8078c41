// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake of /dev/kuid, /dev/kuids/ and a failing disk, which is preloaded into
 * the tool and into users of libuuid. In the directory $FAKE:
 *
 *  - "device" has the state of the fake kernel, a line "FIELD VALUE" for each
 *    field;
 *  - "log" gets a line for each call that changes the state after a crash;
 *  - "machine-id" stands for /etc/machine-id;
 *  - "vmclock" stands for /dev/vmclock0;
 *  - "gone" means that there is no device at present;
 *  - "made", if it is there, is three 64-bit numbers: how many IDs were given,
 *    how many nodes of private lanes, and how often the status was read. Any
 *    number of threads and processes may ask then. "device" is read once, no
 *    call is logged, files and clocks are the system's, and an ID is asked for
 *    in the order of the host.
 *
 * $FAKE_FAIL is "CALL N ERRNO": the Nth logged call of that name fails and does
 * nothing, or each one if N is 0. $FAKE_DIE is the number of a logged call: the
 * process ends before that call, as if killed. $FAKE_OPEN is the errno of
 * opening the device. With $FAKE_LOSE, /dev/zero takes the place of the
 * device's file before each second call for IDs.
 *
 * The last bytes of an ID are a number from 0 on, which the field "made"
 * counts. A UUID has its version and variant, and all other bytes are zero.
 * While the field "waiting" is not 0, calls for IDs wait until a signal
 * arrives, or fail with EAGAIN if they may not wait. Each call takes "slow_ms"
 * milliseconds, which pass on the clock of progress only. The first
 * "interrupted" calls for IDs fail with EINTR, and if "silent" is not 0 they
 * succeed and write nothing. A new epoch begins after "epoch_ids" IDs. The
 * device does not make the formats whose bits are set in the field "lacking".
 *
 * The first private lane has the node 01fa4e000001, and the page never changes.
 *
 * $FAKE_HOST has words about where the tool runs: "loaded" if the module is,
 * "file" if there is a device file, "pid" or "user" in a container that has
 * such a namespace of its own, "root" as user 0; "no-random" if there are no
 * random numbers, "no-wipe" if memory can't be wiped on fork. Without a word it
 * is a host without the module, and another user.
 *
 * To libuuid there is no uuidd, and no place for a state file. Its time stands
 * still with $FAKE_TIME seconds.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <kuid.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../unseen.h"

#define EXPORT __attribute__((visibility("default")))

/* The last argument of these may be missing, and is not used then. */
EXPORT int fake_open(const char *path, int flags, mode_t mode) __asm__("open");
EXPORT int fake_openat(int dir, const char *path, int flags,
		       mode_t mode) __asm__("openat");
EXPORT int fake_fcntl(int fd, int command, void *data) __asm__("fcntl");
EXPORT int fake_ioctl(int fd, unsigned int request,
		      void *data) __asm__("ioctl");

#define REAL(name) ((typeof(&(name)))dlsym(RTLD_NEXT, #name))

/*
 * The state of the fake kernel: what it answers in a struct kuid_state or
 * kuid_status, and more. Each call moves the slots by busy_ns, and a cover
 * begins after busy_epochs others.
 */
#define IN_STATE(X)                                                            \
	X(required), X(interval), X(wall_ns), X(slot_ns), X(stamp_ns),         \
		X(node_from), X(worker_from), X(node), X(worker),              \
		X(snowflake_from), X(snowflake_worker), X(snowflake_epoch_ms), \
		X(again_from_ns), X(again_until_ns), X(cover_epoch),           \
		X(cover_load_id), X(clock_ns), X(claim_dead)
#define IN_BOTH(X) X(epoch), X(load_id), X(floor_ns), X(ceiling_ns)
#define IN_STATUS(X)                                            \
	X(claim_ceiling_ns), X(reasons), X(unique), X(ordered), \
		X(reboot_safe), X(vm_forks), X(clones), X(waits)
#define OTHERS(X)                                                    \
	X(busy_epochs), X(busy_ns), X(made), X(waiting), X(slow_ms), \
		X(lacking), X(silent), X(interrupted), X(epoch_ids)
#define FIELDS(X) IN_STATE(X), IN_BOTH(X), IN_STATUS(X), OTHERS(X)

#define NAME(name) name
#define ROW(name)                                     \
	{                                             \
#name, offsetof(typeof(device), name) \
	}
#define ANSWER(name) .name = device.name

static struct {
	uint64_t FIELDS(NAME);
} device;

static const struct {
	const char *name;
	size_t offset;
} fields[] = { FIELDS(ROW) };

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* The format of each file descriptor; 0 if it is no device file. */
static atomic_uchar formats[1024];
static atomic_bool opened;

/* The numbers of "made"; NULL without it. */
static atomic_ullong *counts;
enum {
	IDS,
	NODES,
	READS,
	NR_COUNTS
};

static uint64_t *field(size_t i)
{
	return (uint64_t *)((char *)&device + fields[i].offset);
}

/* A path in the directory; NULL if there is none, as without environment. */
static const char *fake_path(char path[4096], const char *name)
{
	const char *fake = getenv("FAKE");

	if (!fake)
		return NULL;
	snprintf(path, 4096, "%s/%s", fake, name);
	return path;
}

static FILE *fake_file(const char *name, const char *mode)
{
	char path[4096];
	FILE *file;

	if (!fake_path(path, name))
		abort();
	file = fopen(path, mode);
	if (!file)
		abort();
	return file;
}

static void load(void)
{
	FILE *file = fake_file("device", "r");
	uint64_t value;
	char name[32];

	memset(&device, 0, sizeof(device));
	while (fscanf(file, "%31s %" SCNu64, name, &value) == 2)
		for (size_t i = 0; i < NR_FIELDS; i++)
			if (!strcmp(name, fields[i].name))
				*field(i) = value;
	fclose(file);
}

__attribute__((constructor)) static void map_counts(void)
{
	char path[4096];
	int fd = -1;

	if (fake_path(path, "made"))
		fd = REAL(openat)(AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	counts = REAL(mmap)(NULL, NR_COUNTS * sizeof(*counts),
			    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		abort();
	close(fd);
	load();
}

/*
 * By renaming, since a test may look at it at any time. Each thread has a file
 * of its own: they would rename that of another one.
 */
static void store(void)
{
	char name[32], from[4096], to[4096];
	FILE *file;

	snprintf(name, sizeof(name), "device.%d", gettid());
	file = fake_file(name, "w");
	for (size_t i = 0; i < NR_FIELDS; i++)
		fprintf(file, "%s %" PRIu64 "\n", fields[i].name, *field(i));
	fclose(file);
	if (rename(fake_path(from, name), fake_path(to, "device")))
		abort();
}

/* Whether a call must fail. Sets errno. */
__attribute__((format(printf, 2, 3))) static bool
happens(const char *call, const char *format, ...)
{
	static int all, nr;
	const char *die = getenv("FAKE_DIE"), *fail = getenv("FAKE_FAIL");
	int at, error;
	char which[32];
	FILE *log;
	va_list args;

	if (!counts) {
		all++;
		if (die && atoi(die) == all)
			_exit(99);
		log = fake_file("log", "a");
		fprintf(log, "%s", call);
		va_start(args, format);
		vfprintf(log, format, args);
		va_end(args);
		fputc('\n', log);
		fclose(log);
	}
	if (!fail || !*fail)
		return false;
	if (sscanf(fail, "%31s %d %d", which, &at, &error) != 3)
		abort();
	if (strcmp(call, which) || (at && ++nr != at))
		return false;
	errno = error;
	return true;
}

/* The format of a device file; 0 for other files. */
static int format_of(const char *path)
{
	for (int format = 1; kuid_format_name(format); format++)
		if (!strcmp(path, kuid_format_device(format)))
			return format;
	return 0;
}

static bool host_is(const char *word)
{
	const char *host = getenv("FAKE_HOST");

	return host && strstr(host, word);
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static bool is_gone(void)
{
	char path[4096];

	return !fake_path(path, "gone") || !REAL(access)(path, F_OK);
}

static int open_device(int flags, int format)
{
	const char *error = getenv("FAKE_OPEN");
	int fd;

	if (error || is_gone())
		return fail(error ? atoi(error) : ENOENT);
	fd = REAL(openat)(AT_FDCWD, "/dev/null", flags);
	if (fd < 0 || fd >= (int)sizeof(formats))
		abort();
	formats[fd] = format;
	opened = true;
	return fd;
}

/* The path of the file that stands for another one, in @own. */
static const char *stand_in(const char *path, char own[4096])
{
	const char *name =
		!strcmp(path, "/etc/machine-id")	      ? "machine-id"
		: !strcmp(path, KUID_VMCLOCK_DEVICE)	      ? "vmclock"
		: !strncmp(path, "/sys/module/module/", 19)   ? "sig_enforce"
		: !strncmp(path, "/sys/kernel/security/", 21) ? "lockdown"
							      : NULL;

	if (!name)
		return path;
	return fake_path(own, name) ?: path;
}

int fake_openat(int dir, const char *path, int flags, mode_t mode)
{
	int format = format_of(path);
	char own[4096];
	int fd;

	if (format)
		return open_device(flags, format);
	if (!strcmp(path, "/var/lib/libuuid/clock.txt") ||
	    (strstr(path, "random") && host_is("no-random")))
		return fail(ENOENT);
	path = stand_in(path, own);
	/* Only the tool's own files: a sanitizer opens others. */
	if (!counts && flags & O_CREAT && dir != AT_FDCWD &&
	    happens("create", " %s", path))
		return -1;
	fd = REAL(openat)(dir, path, flags, mode);
	if (fd >= 0 && fd < (int)sizeof(formats))
		formats[fd] = 0;
	return fd;
}

int fake_open(const char *path, int flags, mode_t mode)
{
	return fake_openat(AT_FDCWD, path, flags, mode);
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
	size_t most = fd > STDERR_FILENO ? 100 : 5000;

	if (counts)
		return REAL(write)(fd, data, size);
	if (fd > STDERR_FILENO && happens("write", "%s", ""))
		return -1;
	/* Write only a part, as a pipe or a nearly full disk may do. */
	return REAL(write)(fd, data, size > most ? most : size);
}

EXPORT int access(const char *path, int mode)
{
	char own[4096];

	if (!strncmp(path, "/sys/", 5))
		return host_is("loaded") ? 0 : fail(ENOENT);
	if (format_of(path))
		return host_is("file") ? 0 : fail(ENOENT);
	return REAL(access)(stand_in(path, own), mode);
}

EXPORT ssize_t readlink(const char *path, char *to, size_t size)
{
	if (!strcmp(path, "/proc/self/ns/pid"))
		return snprintf(to, size, "pid:[%s]",
				host_is("pid") ? "4026532201" : "4026531836");
	if (!strcmp(path, "/proc/self/ns/user"))
		return snprintf(to, size, "user:[%s]",
				host_is("user") ? "4026532202" : "4026531837");
	return REAL(readlink)(path, to, size);
}

/* The state file is the real user's. */
EXPORT uid_t geteuid(void)
{
	if (!getenv("FAKE_HOST"))
		return REAL(geteuid)();
	return host_is("root") ? 0 : 1000;
}

EXPORT int fsync(int fd)
{
	struct stat stat;

	fstat(fd, &stat);
	if (happens("fsync", S_ISDIR(stat.st_mode) ? " directory" : " file"))
		return -1;
	return REAL(fsync)(fd);
}

EXPORT int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	if (happens("rename", " %s %s", from, to))
		return -1;
	return REAL(renameat)(from_dir, from, to_dir, to);
}

EXPORT int unlinkat(int dir, const char *path, int flags)
{
	/* Only what is there: the tool also removes what a crash may have left.
	 */
	if (!faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    happens("unlink", " %s", path))
		return -1;
	return REAL(unlinkat)(dir, path, flags);
}

EXPORT int fchmod(int fd, mode_t mode)
{
	if (happens("chmod", " %o", mode))
		return -1;
	return REAL(fchmod)(fd, mode);
}

static atomic_ulong spent_ms;

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (device.slow_ms && clock == CLOCK_MONOTONIC_COARSE) {
		*now = (struct timespec) { spent_ms / 1000,
					   spent_ms % 1000 * 1000000 };
		return 0;
	}
	if (counts || !opened || clock != CLOCK_REALTIME)
		return REAL(clock_gettime)(clock, now);
	*now = (struct timespec) { device.wall_ns / 1000000000,
				   device.wall_ns % 1000000000 };
	return 0;
}

static int get_state(struct kuid_state *state)
{
	struct kuid_state zero = { 0 };

	if (memcmp(state, &zero, sizeof(zero)))
		return fail(EINVAL);
	if (happens("state", "%s", ""))
		return -1;
	*state = (struct kuid_state) { IN_STATE(ANSWER), IN_BOTH(ANSWER) };
	return 0;
}

static int begin_cover(struct kuid_cover *request)
{
	uint64_t until = request->again_until_ns;

	if (request->flags & KUID_COVER_BACK) {
		if (until < device.slot_ns)
			until = device.slot_ns;
		device.slot_ns = device.wall_ns;
		device.stamp_ns = 0;
		device.floor_ns = 0;
	}
	device.epoch += 1 + device.busy_epochs;
	if (device.floor_ns < request->floor_ns)
		device.floor_ns = request->floor_ns;
	device.again_from_ns = request->again_from_ns;
	device.again_until_ns = until;
	request->epoch = device.cover_epoch = device.epoch;
	request->load_id = device.cover_load_id = device.load_id;
	return 0;
}

static bool is_claimed(void)
{
	return device.worker_from == KUID_FROM_CLAIM ||
	       device.snowflake_from == KUID_FROM_CLAIM;
}

/* Only drops a claim that has ended. */
static int claim(struct kuid_claim *request)
{
	if (happens("drop", "%s", ""))
		return -1;
	if (request->parts || !device.claim_dead ||
	    request->load_id != device.load_id)
		return fail(ESTALE);
	if (device.worker_from == KUID_FROM_CLAIM)
		device.worker_from = KUID_FROM_HOST;
	if (device.snowflake_from == KUID_FROM_CLAIM)
		device.snowflake_from = KUID_FROM_WORKER;
	device.claim_dead = 0;
	request->epoch = ++device.epoch;
	return 0;
}

static int cover(struct kuid_cover *request)
{
	bool back = request->flags & KUID_COVER_BACK;

	/* Only checks whether the caller has the capability. */
	if (request->ceiling_ns == UINT64_MAX)
		return happens("may", "%s", "") ? -1 : fail(EINVAL);
	if (happens("cover", " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		    back	     ? "back"
		    : request->flags ? "begin"
				     : "raise",
		    (uint64_t)request->floor_ns, (uint64_t)request->ceiling_ns,
		    (uint64_t)request->again_from_ns,
		    (uint64_t)request->again_until_ns))
		return -1;
	if (back && is_claimed())
		return fail(EBUSY);
	if (request->epoch != device.cover_epoch ||
	    request->load_id != device.cover_load_id)
		return fail(ESTALE);
	if (request->ceiling_ns > KUID_TIME_MAX_NS ||
	    request->again_from_ns > request->again_until_ns ||
	    (request->flags && request->floor_ns >= request->ceiling_ns) ||
	    (!back && (request->ceiling_ns < device.slot_ns ||
		       request->ceiling_ns < device.stamp_ns)))
		return fail(EINVAL);
	device.ceiling_ns = request->ceiling_ns;
	return request->flags ? begin_cover(request) : 0;
}

static void set_part(uint64_t *from, uint64_t *value, uint32_t new_from,
		     uint64_t new_value)
{
	if (!new_from)
		return;
	*from = new_from;
	*value = new_from == KUID_FROM_GIVEN ? new_value : 0xd;
}

static int set_identity(struct kuid_set_identity *request)
{
	if (happens("identity", " flags %u", request->flags))
		return -1;
	if ((request->worker_from && device.worker_from == KUID_FROM_CLAIM) ||
	    (request->snowflake_from &&
	     device.snowflake_from == KUID_FROM_CLAIM))
		return fail(EBUSY);
	set_part(&device.node_from, &device.node, request->node_from,
		 request->node);
	set_part(&device.worker_from, &device.worker, request->worker_from,
		 request->worker);
	set_part(&device.snowflake_from, &device.snowflake_worker,
		 request->snowflake_from, request->snowflake_worker);
	if (device.snowflake_from != KUID_FROM_GIVEN)
		device.snowflake_worker = KUID_SNOWFLAKE_NO_WORKER;
	if (request->flags & KUID_IDENTITY_CONFIRM)
		device.reasons &= ~KUID_REASON_STALE_IDENTITY;
	request->epoch = ++device.epoch;
	return 0;
}

/* A new epoch begins with the ID after the last one of an epoch. */
static void set_epoch(__u64 *epoch, __u64 *load_id)
{
	*epoch = device.epoch;
	if (device.epoch_ids)
		*epoch += (counts[IDS] - 1) / device.epoch_ids;
	*load_id = device.load_id;
}

static int get_status(struct kuid_status *status)
{
	if (happens("status", "%s", ""))
		return -1;
	if (counts)
		counts[READS]++;
	*status = (struct kuid_status) {
		IN_BOTH(ANSWER),
		IN_STATUS(ANSWER),
		.stamp_lag_ns = 1,
		.slot_lag_ns = device.slot_ns > device.wall_ns
				       ? device.slot_ns - device.wall_ns
				       : 0,
		.stamp_ahead_ns = 3,
		.lex_ahead_ns = 4,
		.grid_ahead_ns = 5,
		.snowflake_ahead_ns = 9,
		.would_blocks = 6,
		.steps_back = 7,
		.steps_forward = 8,
	};
	status->ids[KUID_FORMAT_V1] = device.made;
	for (int format = 2; kuid_format_name(format); format++)
		status->ids[format] = 9 + format;
	set_epoch(&status->epoch, &status->load_id);
	return 0;
}

static int query(struct kuid_query *query, int format)
{
	uint64_t made = 0;

	if (happens("query", "%s", ""))
		return -1;
	for (int known = 1; kuid_format_name(known); known++)
		made |= 1ULL << known;
	if (query->format)
		format = query->format;
	*query = (struct kuid_query) {
		.format = format,
		.formats = made & ~device.lacking,
		.orders = 0xe,
		.id_size = kuid_format_id_size(format),
		.text_size = kuid_format_text_size(format, KUID_FORM_CANONICAL),
		.batch_max = 1000,
		.clock_resolution_ns = 1,
		.rate_max = 1000000000 / format,
		.max_ahead_ns = 100000000,
		.batch_ahead_ns = 50000000,
		.step_limit_ns = kuid_format_made_from(format) ==
						 KUID_MADE_FROM_STAMPS
					 ? 10000000000
					 : UINT64_MAX,
		.order = KUID_ORDER_FILE,
	};
	return 0;
}

static void put_ids(unsigned char *ids, int format, uint32_t count)
{
	size_t size = kuid_format_id_size(format);

	for (; count; count--, ids += size) {
		uint64_t number = counts ? counts[IDS]++ : device.made++;

		kuid_lowest(format, ids);
		for (size_t i = 1; i <= 5; i++, number >>= 8)
			ids[size - i] = number;
	}
}

/* Wait, as a call that makes IDs may do. */
static int take_time(bool may_wait)
{
	static atomic_uint requests;

	if (requests++ < device.interrupted)
		return fail(EINTR);
	if (device.waiting && !may_wait)
		return fail(EAGAIN);
	if (device.waiting) {
		pause();
		return fail(EINTR);
	}
	spent_ms += device.slow_ms;
	return 0;
}

static int generate(struct kuid_generate *request, int format, int fd)
{
	static _Thread_local unsigned char ids[1000 * KUID_ID_MAX];
	bool may_wait = !(request->flags & KUID_GENERATE_NOWAIT) &&
			!(fcntl(fd, F_GETFL) & O_NONBLOCK);

	if (counts && request->order != KUID_ORDER_HOST)
		return fail(EINVAL);
	if (request->format)
		format = request->format;
	if (happens("generate", " %s %u order %u", kuid_format_name(format),
		    request->count, request->order) ||
	    take_time(may_wait))
		return -1;
	if (device.silent)
		return 0;
	put_ids(ids, format, request->count);
	copy_unseen((void *)(uintptr_t)request->buffer, ids,
		    request->count * kuid_format_id_size(format));
	request->done = request->count;
	set_epoch(&request->epoch, &request->load_id);
	return 0;
}

static struct kuid_page page = {
	.version = KUID_PAGE_VERSION,
	.size = sizeof(page),
	.generation = 2,
};

static int private_lane(struct kuid_private_lane *lane)
{
	if (happens("lane", "%s", ""))
		return -1;
	*lane = (struct kuid_private_lane) {
		.node = 0x01fa4e000001 + (counts ? counts[NODES]++ : 0),
		.generation = page.generation,
		.epoch = device.epoch,
		.load_id = device.load_id,
		.max_ahead_ns = 100000000,
		.step_limit_ns = 10000000000,
	};
	return 0;
}

static int set_format(const struct kuid_set_format *request)
{
	if (happens("set", " format %u order %u", request->format,
		    request->order))
		return -1;
	return 0;
}

static int answer(unsigned int request, void *data, int format, int fd)
{
	switch (request) {
	case KUID_IOC_QUERY:
		return query(data, format);
	case KUID_IOC_GENERATE:
		return generate(data, format, fd);
	case KUID_IOC_SET_FORMAT:
		return set_format(data);
	case KUID_IOC_PRIVATE_LANE:
		return private_lane(data);
	case KUID_IOC_STATUS:
		return get_status(data);
	case KUID_IOC_GET_STATE:
		return get_state(data);
	case KUID_IOC_COVER:
		return cover(data);
	case KUID_IOC_SET_IDENTITY:
		return set_identity(data);
	case KUID_IOC_CLAIM:
		return claim(data);
	default:
		return fail(ENOTTY);
	}
}

/*
 * The format of a file; 0 if it is another one, which may have got the number.
 * Threads that do so also take numbers whose format was not noted yet.
 */
static int is_device(int fd)
{
	int format = fd >= 0 && fd < (int)sizeof(formats) ? formats[fd] : 0;
	struct stat file;

	if (!format && counts)
		format = KUID_FORMAT_V1;
	return format && !fstat(fd, &file) && file.st_rdev == makedev(1, 3)
		       ? format
		       : 0;
}

/* The page is a copy, for the caller to unmap. */
EXPORT void *mmap(void *start, size_t size, int access, int flags, int fd,
		  off_t offset)
{
	void *memory;

	if (!is_device(fd))
		return REAL(mmap)(start, size, access, flags, fd, offset);
	if (size != KUID_PAGE_SIZE || access != PROT_READ ||
	    flags != MAP_SHARED || offset != KUID_PAGE_OFFSET) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	memory = REAL(mmap)(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED)
		memcpy(memory, &page, sizeof(page));
	return memory;
}

EXPORT int stat(const char *path, struct stat *file)
{
	if (format_of(path) && is_gone())
		return fail(ENOENT);
	return REAL(stat)(format_of(path) ? "/dev/null" : path, file);
}

int fake_fcntl(int fd, int command, void *data)
{
	int result = REAL(fcntl)(fd, command, data);

	if (command == F_DUPFD_CLOEXEC && result >= 0 &&
	    result < (int)sizeof(formats))
		formats[result] = is_device(fd);
	return result;
}

EXPORT ssize_t read(int fd, void *data, size_t size)
{
	int format = is_device(fd);

	if (!format)
		return REAL(read)(fd, data, size);
	put_ids(data, format, size / kuid_format_id_size(format));
	return size;
}

/* As a program does that closes all files and opens others. */
static void lose_file(int fd)
{
	static int calls;
	int zero;

	if (!getenv("FAKE_LOSE") || calls++ % 2)
		return;
	zero = REAL(openat)(AT_FDCWD, "/dev/zero", O_RDONLY);
	dup2(zero, fd);
	close(zero);
}

int fake_ioctl(int fd, unsigned int request, void *data)
{
	int result;

	if (is_device(fd) && request == KUID_IOC_GENERATE)
		lose_file(fd);
	if (!is_device(fd))
		return REAL(ioctl)(fd, request, data);
	if (counts)
		return answer(request, data, is_device(fd), fd);
	load();
	result = answer(request, data, is_device(fd), fd);
	device.slot_ns += device.busy_ns;
	store();
	return result;
}

EXPORT ssize_t getrandom(void *data, size_t size, unsigned int flags)
{
	if (host_is("no-random"))
		return fail(ENOSYS);
	return REAL(getrandom)(data, size, flags);
}

EXPORT int madvise(void *start, size_t size, int advice)
{
	if (advice == MADV_WIPEONFORK && host_is("no-wipe"))
		return fail(EINVAL);
	return REAL(madvise)(start, size, advice);
}

EXPORT int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	if (counts && to->sa_family == AF_UNIX)
		return fail(ECONNREFUSED);
	return REAL(connect)(fd, to, size);
}

EXPORT int gettimeofday(struct timeval *now, void *zone)
{
	const char *given = getenv("FAKE_TIME");

	if (!given)
		return REAL(gettimeofday)(now, zone);
	*now = (struct timeval) { atol(given), 0 };
	return 0;
}
