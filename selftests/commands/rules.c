// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules for every command: a request with one single error is refused with
 * the errno that linux/kuid.h documents, changes nothing, and writes nothing.
 */
#include "../lib/harness.h"

#include <signal.h>
#include <sys/prctl.h>

#include "../lib/capabilities.h"
#include "../lib/children.h"
#include "../lib/commands.h"
#include "../lib/own_module.h"

FIXTURE(rules) {
	const struct command *c;
	int fd;			/* /dev/kuid, no ID taken */
	struct kuid_status before;
	struct kuid_query file;
	__u8 ids[ROOM];
};

COMMAND_VARIANTS(rules)

/* Save everything that a refused request must not change. */
static void remember(struct __test_metadata *_metadata,
		     FIXTURE_DATA(rules) *self)
{
	ASSERT_EQ(0, get_status(self->fd, &self->before));
	self->file = (struct kuid_query) { 0 };
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &self->file));
	memset(self->ids, POISON, sizeof(self->ids));
}

static void check_nothing_done(struct __test_metadata *_metadata,
			       FIXTURE_DATA(rules) *self)
{
	struct kuid_query file = { 0 };
	struct kuid_status now;

	ASSERT_EQ(0, get_status(self->fd, &now));
	ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &file));
	EXPECT_EQ(self->before.epoch, now.epoch);
	EXPECT_EQ(self->before.unique, now.unique);
	EXPECT_EQ(self->before.reboot_safe, now.reboot_safe);
	EXPECT_EQ(self->before.reasons, now.reasons);
	EXPECT_EQ(self->before.floor_ns, now.floor_ns);
	EXPECT_EQ(self->before.ceiling_ns, now.ceiling_ns);
	EXPECT_EQ(0, memcmp(self->before.ids, now.ids, sizeof(now.ids)));
	EXPECT_EQ(0, memcmp(&self->file, &file, sizeof(file)));
	EXPECT_TRUE(all_bytes(self->ids, POISON, sizeof(self->ids)));
}

FIXTURE_SETUP(rules)
{
	self->c = command_of(variant->cmd);
	self->fd = open(DEV_KUID, O_RDONLY);
	ASSERT_LE(0, self->fd);
	remember(_metadata, self);
}

FIXTURE_TEARDOWN(rules)
{
	/* Other tests must not see the floors and ceilings set here. */
	close(self->fd);
	if (self->c->capability != NO_CAPABILITY && module_path()) {
		EXPECT_EQ(0, unload());
		EXPECT_EQ(0, load(""));
	}
}

/* Out fields may contain anything, and in fields are not changed. */
TEST_F(rules, good_requests)
{
	static const int poisons[] = { 0, POISON, 0xff, 0x55 };
	__u8 arg[ARG_MAX_SIZE], sent[ARG_MAX_SIZE];
	const struct command *c = self->c;
	size_t i, f;

	for (i = 0; i < ARRAY_SIZE(poisons); i++) {
		int fd = open(DEV_KUID, O_RDONLY);

		ASSERT_LE(0, fd);
		memset(arg, POISON, sizeof(arg));
		good_request(c, arg, self->ids, poisons[i]);
		memcpy(sent, arg, sizeof(arg));
		ASSERT_EQ(0, ioctl(fd, c->cmd, arg))
			TH_LOG("%s, poison %x: errno %d", c->name, poisons[i],
			       errno);
		/* In fields stay as they were, except for a default. */
		for (f = 0; f < c->nr_fields; f++) {
			const struct field *field = &c->fields[f];

			if (field->use == UP_TO)
				continue;
			EXPECT_EQ(0, memcmp(arg + field->offset,
					    sent + field->offset,
					    field->size))
				TH_LOG("%s.%s was changed", c->name,
				       field->name);
		}
		/* Nothing is written behind the struct. */
		EXPECT_TRUE(all_bytes(arg + c->size, POISON,
				      sizeof(arg) - c->size));
		close(fd);
	}
}

/* For a call that asks for one ID there is a path of its own. */
static void check_refused(struct __test_metadata *_metadata,
			  FIXTURE_DATA(rules) *self, const struct field *field,
			  size_t offset, __u32 value)
{
	__u8 arg[ARG_MAX_SIZE], before[ARG_MAX_SIZE];
	__u32 count = self->c->cmd == KUID_IOC_GENERATE ? 1 : ASKED;

	for (; count <= ASKED; count += ASKED - 1) {
		good_request(self->c, arg, self->ids, POISON);
		if (self->c->cmd == KUID_IOC_GENERATE)
			((struct kuid_generate *)arg)->count = count;
		memcpy(arg + offset, &value, sizeof(value));
		memcpy(before, arg, self->c->size);
		ASSERT_EQ(-1, ioctl(self->fd, self->c->cmd, arg))
			TH_LOG("%s.%s: %x at %zu of a request for %u was taken",
			       self->c->name, field->name, value, offset, count);
		ASSERT_EQ(EINVAL, errno)
			TH_LOG("%s.%s: %x at %zu", self->c->name, field->name,
			       value, offset);
		ASSERT_EQ(0, memcmp(before, arg, self->c->size))
			TH_LOG("%s.%s: %x at %zu: the struct was written",
			       self->c->name, field->name, value, offset);
	}
}

/* Each unknown bit is refused, alone or together with all known bits. */
static void check_bits(struct __test_metadata *_metadata,
		       FIXTURE_DATA(rules) *self, const struct field *field)
{
	__u8 good[ARG_MAX_SIZE];
	size_t at;
	int bit;

	good_request(self->c, good, self->ids, POISON);
	for (at = 0; at < field->size; at += sizeof(__u32)) {
		__u32 known = at ? 0 : field->known;
		__u32 there;

		memcpy(&there, good + field->offset + at, sizeof(there));
		for (bit = 0; bit < 32; bit++) {
			if (known >> bit & 1)
				continue;
			check_refused(_metadata, self, field,
				      field->offset + at, there | 1U << bit);
			check_refused(_metadata, self, field,
				      field->offset + at, known | 1U << bit);
		}
	}
}

/* Numbers above the known ones, and known ones with one unknown bit. */
static void check_numbers(struct __test_metadata *_metadata,
			  FIXTURE_DATA(rules) *self, const struct field *field)
{
	__u32 low, next;
	int bit;

	ASSERT_EQ(4, field->size);
	for (next = 1; next <= 64; next++)
		check_refused(_metadata, self, field, field->offset,
			      field->known + next);
	for (bit = 0; bit < 32; bit++) {
		if (1U << bit <= field->known)
			continue;
		for (low = 0; low <= field->known; low++)
			check_refused(_metadata, self, field, field->offset,
				      low | 1U << bit);
	}
	check_refused(_metadata, self, field, field->offset, -1U);
}

TEST_F(rules, unknown_bits_and_numbers)
{
	__u8 arg[ARG_MAX_SIZE];
	size_t i;

	for (i = 0; i < self->c->nr_fields; i++) {
		const struct field *field = &self->c->fields[i];

		if (field->use == BITS)
			check_bits(_metadata, self, field);
		else if (field->use == UP_TO)
			check_numbers(_metadata, self, field);
	}
	check_nothing_done(_metadata, self);
	/* The request is otherwise valid: unchanged it succeeds. */
	good_request(self->c, arg, self->ids, POISON);
	ASSERT_EQ(0, ioctl(self->fd, self->c->cmd, arg));
}

/* The number with any other size or direction is an unknown command. */
TEST_F(rules, another_size_or_direction)
{
	__u8 *arg = calloc(1, 1U << _IOC_SIZEBITS);
	const struct command *c = self->c;
	unsigned int direction, size;

	ASSERT_NE(NULL, arg);
	good_request(c, arg, self->ids, 0);
	for (direction = 0; direction <= (_IOC_READ | _IOC_WRITE);
	     direction++) {
		for (size = 0; size < 1U << _IOC_SIZEBITS; size++) {
			unsigned long cmd = _IOC(direction, KUID_IOC_MAGIC,
						 _IOC_NR(c->cmd), size);

			if (cmd == c->cmd)
				continue;
			ASSERT_EQ(-1, ioctl(self->fd, cmd, arg))
				TH_LOG("%s: %lx was taken", c->name, cmd);
			ASSERT_EQ(ENOTTY, errno);
		}
	}
	check_nothing_done(_metadata, self);
	free(arg);
}

/* The kernel needs the whole struct, and reads no byte behind it. */
TEST_F(rules, struct_not_there)
{
	size_t size = self->c->size;
	__u64 bad[BAD_ADDRESSES_MAX];
	__u8 *hole = map_before_hole();
	int nr = bad_addresses(bad);
	__u8 good[ARG_MAX_SIZE];
	size_t there;
	int i;

	ASSERT_NE(NULL, hole);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(-1, ioctl(self->fd, self->c->cmd, bad[i]))
			TH_LOG("%llx was taken", bad[i]);
		ASSERT_EQ(EFAULT, errno);
	}
	good_request(self->c, good, self->ids, POISON);
	for (there = 0; there < size; there++) {
		memcpy(hole - there, good, there);
		ASSERT_EQ(-1, ioctl(self->fd, self->c->cmd, hole - there))
			TH_LOG("%s with %zu bytes was taken", self->c->name,
			       there);
		ASSERT_EQ(EFAULT, errno);
		ASSERT_EQ(0, memcmp(hole - there, good, there));
	}
	check_nothing_done(_metadata, self);
	memcpy(hole - size, good, size);
	ASSERT_EQ(0, ioctl(self->fd, self->c->cmd, hole - size));
}

/* The struct may have any alignment, as in packed messages. */
TEST_F(rules, struct_of_any_alignment)
{
	__u8 memory[ARG_MAX_SIZE + 16];
	int shift;

	for (shift = 0; shift < 16; shift++) {
		int fd = open(DEV_KUID, O_RDONLY);

		ASSERT_LE(0, fd);
		good_request(self->c, memory + shift, self->ids, POISON);
		ASSERT_EQ(0, ioctl(fd, self->c->cmd, memory + shift));
		close(fd);
	}
}

/* The epochs that a command begins, with its struct at @arg. */
static __u64 epochs_begun(struct __test_metadata *_metadata,
			  FIXTURE_DATA(rules) *self, void *arg, int error)
{
	struct kuid_status before, after;

	ASSERT_EQ(0, get_status(self->fd, &before));
	errno = 0;
	EXPECT_EQ(error ? -1 : 0, ioctl(self->fd, self->c->cmd, arg));
	EXPECT_EQ(error, errno);
	ASSERT_EQ(0, get_status(self->fd, &after));
	return after.epoch - before.epoch;
}

/*
 * EFAULT if the answer can't be written, but the command takes effect; a command
 * without an answer succeeds.
 */
TEST_F(rules, struct_is_read_only)
{
	size_t page = sysconf(_SC_PAGESIZE);
	__u8 *arg = map_before_hole();
	__u8 good[ARG_MAX_SIZE];
	__u64 epochs;

	ASSERT_NE(NULL, arg);
	arg -= page;
	good_request(self->c, good, self->ids, POISON);
	memcpy(arg, good, self->c->size);
	epochs = epochs_begun(_metadata, self, arg, 0);
	/* The name of a cover has changed. */
	good_request(self->c, good, self->ids, POISON);
	memcpy(arg, good, self->c->size);
	ASSERT_EQ(0, mprotect(arg, page, PROT_READ));
	EXPECT_EQ(epochs, epochs_begun(_metadata, self, arg,
				       answers(self->c) ? EFAULT : 0));
	EXPECT_EQ(0, memcmp(arg, good, self->c->size));

	ASSERT_EQ(0, mprotect(arg, page, PROT_NONE));
	EXPECT_EQ(0, epochs_begun(_metadata, self, arg, EFAULT));
}

/* In a child with these capabilities: returns 0 or the errno. */
static int error_with(FIXTURE_DATA(rules) *self, uid_t uid, __u64 capabilities)
{
	__u8 arg[ARG_MAX_SIZE], before[ARG_MAX_SIZE];
	pid_t pid = fork();
	int error;

	if (pid)
		return exit_status(pid);
	if (prctl(PR_SET_KEEPCAPS, 1) || setgid(uid) || setuid(uid) ||
	    !keep_capabilities(capabilities))
		_exit(200);
	good_request(self->c, arg, self->ids, POISON);
	memcpy(before, arg, self->c->size);
	error = ioctl(self->fd, self->c->cmd, arg) ? errno : 0;
	/* EPERM comes before any check of the request. */
	if (error == EPERM &&
	    (!ioctl(self->fd, self->c->cmd, NULL) || errno != EPERM ||
	     memcmp(before, arg, self->c->size)))
		_exit(201);
	_exit(error);
}

/* Root without the capability, and another user with no other one. */
TEST_F(rules, needs_its_capability)
{
	__u64 own = 0;

	if (self->c->capability != NO_CAPABILITY) {
		own = 1ULL << self->c->capability;
		EXPECT_EQ(EPERM, error_with(self, 0, ~own));
		check_nothing_done(_metadata, self);
	}
	EXPECT_EQ(0, error_with(self, 65534, own));
}

/*
 * GENERATE fails for more reasons than other commands. Whatever the reason, it
 * writes neither to the struct nor to the buffer.
 */
FIXTURE(fails) {
	int fd;
	struct kuid_generate g;
	__u8 ids[ROOM];
};

FIXTURE_SETUP(fails)
{
	self->fd = -1;
	take_module(_metadata);
	memset(self->ids, POISON, sizeof(self->ids));
	good_request(command_of(KUID_IOC_GENERATE), &self->g, self->ids, POISON);
}

FIXTURE_TEARDOWN(fails)
{
	close(self->fd);
	give_back_module(_metadata);
}

static void begin(struct __test_metadata *_metadata, FIXTURE_DATA(fails) *self,
		  const char *params, int flags)
{
	ASSERT_EQ(0, load(params));
	self->fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC | flags);
	ASSERT_LE(0, self->fd);
}

/* Returns the errno, or -1 if the call succeeded or wrote something. */
static int generate_fails(FIXTURE_DATA(fails) *self, __u32 format)
{
	struct kuid_generate before;

	self->g.format = format;
	before = self->g;
	if (!ioctl(self->fd, KUID_IOC_GENERATE, &self->g) ||
	    memcmp(&before, &self->g, sizeof(before)) ||
	    !all_bytes(self->ids, POISON, sizeof(self->ids)))
		return -1;
	return errno;
}

TEST_F(fails, would_block)
{
	size_t i;

	begin(_metadata, self, "state=required " ALL_PARAMS, O_NONBLOCK);
	for (i = 0; i < NR_FORMATS; i++) {
		EXPECT_EQ(EAGAIN, generate_fails(self, formats[i].number))
			TH_LOG("%s", formats[i].name);
	}
}

TEST_F(fails, interrupted)
{
	size_t i;

	begin(_metadata, self, "state=required " ALL_PARAMS, 0);
	for (i = 0; i < NR_FORMATS; i++) {
		pid_t pid = fork();

		ASSERT_LE(0, pid);
		if (!pid) {
			end_calls_by(SIGUSR1);
			_exit(generate_fails(self, formats[i].number));
		}
		EXPECT_TRUE(wait_asleep_in(pid, SYS_ioctl));
		kill(pid, SIGUSR1);
		EXPECT_EQ(EINTR, exit_status(pid))
			TH_LOG("%s", formats[i].name);
	}
}

/* A count of 0, too large, or with a size in bytes that wraps in 32 bits. */
TEST_F(fails, counts)
{
	struct kuid_query q = { 0 };
	size_t i, k;

	begin(_metadata, self, "", 0);
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		const __u32 counts[] = {
			0, -1U, 1U << 31, (1U << 31) + 1,
			(1ULL << 32) / f->id_size, (1ULL << 32) / f->id_size + 1,
			(1ULL << 31) / f->id_size, (1ULL << 31) / f->id_size + 1,
		};

		q.format = f->number;
		ASSERT_EQ(0, ioctl(self->fd, KUID_IOC_QUERY, &q));
		self->g.count = q.batch_max + 1;
		EXPECT_EQ(EINVAL, generate_fails(self, f->number));
		for (k = 0; k < ARRAY_SIZE(counts); k++) {
			if (counts[k] && counts[k] <= q.batch_max)
				continue;
			self->g.count = counts[k];
			EXPECT_EQ(EINVAL, generate_fails(self, f->number))
				TH_LOG("%s: %u", f->name, counts[k]);
		}
	}
}

/*
 * The buffer ends at a hole: the call gives the whole IDs before the hole, or
 * EFAULT if there is no room for one. The next IDs are above them, so lost IDs
 * are not given later.
 */
TEST_F(fails, buffer_ends_early)
{
	static const __u32 asked[] = { 1, 2, 9, 1024, 1025, 5000 };
	__u8 *hole = map_before_hole();
	size_t page = sysconf(_SC_PAGESIZE);
	size_t i, k, room;
	int fd;

	ASSERT_NE(NULL, hole);
	begin(_metadata, self, "", 0);
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];
		struct words last = { 0 };

		fd = open_device_file(f, "", 0);
		ASSERT_LE(0, fd);
		for (k = 0; k < ARRAY_SIZE(asked); k++) {
			for (room = 0; room < 3 * f->id_size; room++) {
				size_t size = asked[k] * f->id_size;
				long whole = room / f->id_size;
				__u8 *to = hole - room;
				long got;

				/* The buffer ends before the hole. */
				if (room >= size)
					continue;
				memset(hole - page, POISON, page);
				got = k % 2 ? read_ids(f, fd, to, asked[k]) :
					      generate_ids(f, fd, to, asked[k]);
				ASSERT_EQ(whole ?: -EFAULT, got)
					TH_LOG("%s: %u into %zu bytes", f->name,
					       asked[k], room);
				ASSERT_EQ(whole, count_in_order(f, to, whole,
								&last));
				ASSERT_TRUE(all_bytes(hole - page, POISON,
						      page - room));
			}
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
