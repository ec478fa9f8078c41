// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel code takes IDs in all contexts and on all CPUs, while readers take IDs
 * from the device. No ID may be a repeat, and the IDs of each caller must
 * increase. The callers are in a test module, whose file KUID_CALLERS names.
 */
#include "../../kselftest_harness.h"

#include <sys/mount.h>
#include <sys/utsname.h>

#include "../lib/formats.h"
#include "../lib/module.h"
#include "../lib/skip.h"
#include "../lib/takers.h"

#define DEBUGFS		"/sys/kernel/debug"
#define CALLERS		DEBUGFS "/kuid_callers"

/* How many IDs each caller takes. */
#define IDS		500

static const char *const contexts[] = { "hard", "soft", "thread" };

/*
 * Under PREEMPT_RT the kernel has no random bytes in a hard interrupt, so a
 * caller there never gets a v7. All other formats work in all contexts.
 */
static bool gets_none(const struct format *f, const char *context)
{
	struct utsname host;

	return f->number == KUID_FORMAT_V7 && !strcmp(context, "hard") &&
	       !uname(&host) && strstr(host.version, "PREEMPT_RT");
}

static long read_file(const char *caller, const char *name, void *to,
		      size_t size)
{
	char path[96];
	ssize_t got;
	long done = 0;
	int fd;

	snprintf(path, sizeof(path), CALLERS "/%s/%s", caller, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, (char *)to + done, size - done);
		if (got > 0)
			done += got;
	} while (got > 0);
	close(fd);
	return done;
}

static long number_of(const char *caller, const char *name)
{
	char text[32] = "";

	return read_file(caller, name, text, sizeof(text) - 1) > 0
		       ? strtol(text, NULL, 0) : -1;
}

static bool is_done(const char *caller)
{
	char text[8] = "";

	return read_file(caller, "done", text, sizeof(text) - 1) > 0 &&
	       text[0] == 'Y';
}

static int load_callers(const struct format *f, __u32 order, __u32 ids)
{
	char params[64];

	snprintf(params, sizeof(params), "format=%u order=%u ids=%u",
		 f ? f->number : 99, order, ids);
	return load_file(getenv("KUID_CALLERS"), params);
}

static int unload_callers(void)
{
	return unload_name("kuid_callers");
}

FIXTURE(callers) {
	int cpus[TAKER_CPUS];
	int nr_cpus;
	struct takers all;
	__u8 ids[IDS * ID_SIZE_MAX];
};

FIXTURE_SETUP(callers)
{
	if (!getenv("KUID_CALLERS"))
		SKIP_TEST("KUID_CALLERS doesn't name the module");
	if (mount("debugfs", DEBUGFS, "debugfs", 0, NULL))
		ASSERT_EQ(EBUSY, errno);
	memset(&self->all, 0, sizeof(self->all));
	self->nr_cpus = allowed_cpus(self->cpus, TAKER_CPUS);
	ASSERT_LT(0, self->nr_cpus);
}

FIXTURE_TEARDOWN(callers)
{
	stop_takers(&self->all);
	unload_callers();
}

/* Wait for a caller, and read the IDs that it took. */
static void check_caller(struct __test_metadata *_metadata,
			 FIXTURE_DATA(callers) *self, const struct format *f,
			 const char *caller)
{
	struct words last = { 0 };

	while (!is_done(caller))
		usleep(1000);
	ASSERT_EQ(0, number_of(caller, "error")) {
		TH_LOG("%s: errno %ld", caller, number_of(caller, "error"));
	}
	ASSERT_EQ(IDS * f->id_size,
		  read_file(caller, "ids", self->ids, sizeof(self->ids)));
	ASSERT_EQ(IDS, count_in_order(f, self->ids, IDS, &last)) {
		TH_LOG("%s of %s don't increase", f->name, caller);
	}
}

/* Wait until a caller has asked many times, and check that it got no ID. */
static void check_caller_without(struct __test_metadata *_metadata,
				 FIXTURE_DATA(callers) *self,
				 const struct format *f, const char *caller)
{
	size_t i;

	while (!is_done(caller) && number_of(caller, "again") < IDS)
		usleep(1000);
	EXPECT_FALSE(is_done(caller));
	ASSERT_EQ(IDS * f->id_size,
		  read_file(caller, "ids", self->ids, sizeof(self->ids)));
	for (i = 0; i < IDS * f->id_size; i++)
		ASSERT_EQ(0, self->ids[i]);
}

/* Check all callers of one load, and add their IDs to those of @keeper. */
static void run_callers(struct __test_metadata *_metadata,
			FIXTURE_DATA(callers) *self, const struct format *f,
			__u32 order, struct taker *keeper)
{
	size_t c;
	int n;

	ASSERT_EQ(0, load_callers(f, order, IDS));
	for (n = 0; n < self->nr_cpus; n++) {
		for (c = 0; c < ARRAY_SIZE(contexts); c++) {
			char caller[16];

			snprintf(caller, sizeof(caller), "%s%d", contexts[c],
				 self->cpus[n]);
			if (gets_none(f, contexts[c])) {
				check_caller_without(_metadata, self, f,
						     caller);
				continue;
			}
			check_caller(_metadata, self, f, caller);
			keep_all(keeper, self->ids, IDS,
				 self->all.first_epoch);
		}
	}
	ASSERT_EQ(0, unload_callers());
}

/* Run callers while readers take all formats on all CPUs. */
static void beside_readers(struct __test_metadata *_metadata,
			   FIXTURE_DATA(callers) *self, __u32 order)
{
	struct taker keepers[NR_FORMATS] = { 0 };
	struct taker *takers;
	size_t i;

	start_takers(_metadata, &self->all);
	for (i = 0; i < NR_FORMATS; i++) {
		keepers[i].all = &self->all;
		keepers[i].f = &formats[i];
		ASSERT_TRUE(record_begin(&keepers[i].kept, KEPT_MAX));
		run_callers(_metadata, self, &formats[i], order, &keepers[i]);
		EXPECT_EQ(NULL, keepers[i].wrong);
	}
	stop_takers(&self->all);

	/* Compare the callers' IDs as if the callers had been takers. */
	takers = realloc(self->all.takers,
			 (self->all.nr + NR_FORMATS) * sizeof(*takers));
	ASSERT_NE(NULL, takers);
	memcpy(takers + self->all.nr, keepers, sizeof(keepers));
	self->all.takers = takers;
	self->all.nr += NR_FORMATS;
	check_takers(_metadata, &self->all);
}

TEST_F_TIMEOUT(callers, by_cpu, 120)
{
	beside_readers(_metadata, self, KUID_ORDER_CPU);
}

TEST_F_TIMEOUT(callers, by_host, 120)
{
	beside_readers(_metadata, self, KUID_ORDER_HOST);
}

/* In host order a caller's IDs lie between a file's earlier and later ones. */
TEST_F(callers, host_order_is_one)
{
	int fd = open(DEV_KUID, O_RDONLY);
	__u8 before[ID_SIZE_MAX], after[ID_SIZE_MAX];
	char caller[16];
	size_t i;

	ASSERT_LE(0, fd);
	snprintf(caller, sizeof(caller), "thread%d", self->cpus[0]);
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];

		ASSERT_EQ(1, generate_in_order(f, fd, KUID_ORDER_HOST, before,
					       1));
		ASSERT_EQ(0, load_callers(f, KUID_ORDER_HOST, IDS));
		check_caller(_metadata, self, f, caller);
		ASSERT_EQ(0, unload_callers());
		ASSERT_EQ(1, generate_in_order(f, fd, KUID_ORDER_HOST, after,
					       1));
		EXPECT_TRUE(words_after(id_order(f, self->ids),
					id_order(f, before)));
		EXPECT_TRUE(words_after(id_order(f, after),
					id_order(f, id_at(f, self->ids,
							  IDS - 1))));
	}
	close(fd);
}

/* The callers are the first users of the module, before there is an epoch. */
TEST_F(callers, come_first)
{
	long again = 0;
	size_t c;
	int n;

	ASSERT_NE(NULL, module_path());
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load(""));
	ASSERT_EQ(0, load_callers(&formats[0], KUID_ORDER_CPU, IDS));
	for (n = 0; n < self->nr_cpus; n++) {
		for (c = 0; c < ARRAY_SIZE(contexts); c++) {
			char caller[16];

			snprintf(caller, sizeof(caller), "%s%d", contexts[c],
				 self->cpus[n]);
			check_caller(_metadata, self, &formats[0], caller);
			again += number_of(caller, "again");
		}
	}
	/* At least the first caller had to ask again. */
	EXPECT_LT(0, again);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, unload_callers());
}

/* The error that the callers of all contexts get, which must be the same. */
static long error_of(struct __test_metadata *_metadata, const struct format *f,
		     __u32 order)
{
	bool no_hard = f && gets_none(f, "hard");
	long error;

	EXPECT_EQ(0, load_callers(f, order, 1));
	while (!is_done("thread0") || !is_done("soft0") ||
	       (!no_hard && !is_done("hard0")))
		usleep(1000);
	error = number_of("thread0", "error");
	EXPECT_EQ(error, number_of("soft0", "error"));
	EXPECT_EQ(no_hard ? 0 : error, number_of("hard0", "error"));
	EXPECT_EQ(0, unload_callers());
	return error;
}

TEST_F(callers, what_is_refused)
{
	EXPECT_EQ(EINVAL, error_of(_metadata, NULL, KUID_ORDER_CPU));
	EXPECT_EQ(EINVAL, error_of(_metadata, &formats[0], KUID_ORDER_FILE));
	EXPECT_EQ(EINVAL, error_of(_metadata, &formats[0],
				   KUID_ORDER_HOST + 1));
	EXPECT_EQ(0, error_of(_metadata, &formats[0], KUID_ORDER_DEFAULT));
}

TEST_HARNESS_MAIN
