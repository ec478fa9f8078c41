// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel code takes IDs in all contexts and on all CPUs, while readers take IDs
 * from the device. No ID may be a repeat, and the IDs of each caller must
 * increase. The callers are in a test module, whose file KUID_CALLERS names.
 */
#include "../lib/harness.h"

#include <sys/utsname.h>

#include "../lib/callers.h"
#include "../lib/skip.h"
#include "../lib/takers.h"

/* How many IDs each caller takes. */
#define IDS		500

/*
 * Under PREEMPT_RT the kernel has no random bytes in a hard interrupt, so a
 * caller there never gets a v7. All other formats work in all contexts.
 */
static bool gets_none(const struct format *f, enum caller_kind kind)
{
	struct utsname host;

	return f->number == KUID_FORMAT_V7 && kind == HARD &&
	       !uname(&host) && strstr(host.version, "PREEMPT_RT");
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
			 enum caller_kind kind, int cpu)
{
	struct words last = { 0 };

	while (!caller_is_done(kind, cpu))
		usleep(1000);
	ASSERT_EQ(0, number_of_caller(kind, cpu, "error")) {
		TH_LOG("%s%d: errno %ld", contexts[kind], cpu,
		       number_of_caller(kind, cpu, "error"));
	}
	ASSERT_EQ(IDS * f->id_size,
		  read_of_caller(kind, cpu, "ids", self->ids,
				 sizeof(self->ids)));
	ASSERT_EQ(IDS, count_in_order(f, self->ids, IDS, &last)) {
		TH_LOG("%s of %s%d don't increase", f->name, contexts[kind],
		       cpu);
	}
}

/* Wait until a caller has asked many times, and check that it got no ID. */
static void check_caller_without(struct __test_metadata *_metadata,
				 FIXTURE_DATA(callers) *self,
				 const struct format *f, enum caller_kind kind,
				 int cpu)
{
	size_t size = IDS * f->id_size;

	while (!caller_is_done(kind, cpu) &&
	       number_of_caller(kind, cpu, "again") < IDS)
		usleep(1000);
	EXPECT_FALSE(caller_is_done(kind, cpu));
	ASSERT_EQ(size, read_of_caller(kind, cpu, "ids", self->ids,
				       sizeof(self->ids)));
	ASSERT_TRUE(all_bytes(self->ids, 0, size));
}

/* Check all callers of one load, and add their IDs to those of @keeper. */
static void run_callers(struct __test_metadata *_metadata,
			FIXTURE_DATA(callers) *self, const struct format *f,
			__u32 order, struct taker *keeper)
{
	enum caller_kind c;
	int n;

	ASSERT_EQ(0, load_callers(f->number, order, IDS, 0));
	for (n = 0; n < self->nr_cpus; n++) {
		for (c = 0; c < NR_CONTEXTS; c++) {
			if (gets_none(f, c)) {
				check_caller_without(_metadata, self, f, c,
						     self->cpus[n]);
				continue;
			}
			check_caller(_metadata, self, f, c, self->cpus[n]);
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
	size_t i;

	ASSERT_LE(0, fd);
	for (i = 0; i < NR_FORMATS; i++) {
		const struct format *f = &formats[i];

		ASSERT_EQ(1, generate_in_order(f, fd, KUID_ORDER_HOST, before,
					       1));
		ASSERT_EQ(0, load_callers(f->number, KUID_ORDER_HOST, IDS, 0));
		check_caller(_metadata, self, f, THREAD, self->cpus[0]);
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
	enum caller_kind c;
	long again = 0;
	int n;

	ASSERT_NE(NULL, module_path());
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, load(""));
	ASSERT_EQ(0, load_callers(KUID_FORMAT_V1, KUID_ORDER_CPU, IDS, 0));
	for (n = 0; n < self->nr_cpus; n++) {
		for (c = 0; c < NR_CONTEXTS; c++) {
			check_caller(_metadata, self, &formats[0], c,
				     self->cpus[n]);
			again += number_of_caller(c, self->cpus[n], "again");
		}
	}
	/* At least the first caller had to ask again. */
	EXPECT_LT(0, again);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, unload_callers());
}

/* The error that the callers of all contexts get, which must be the same. */
static long error_of(struct __test_metadata *_metadata, __u32 format,
		     __u32 order)
{
	enum caller_kind c;
	long error;

	EXPECT_EQ(0, load_callers(format, order, 1, 0));
	while (!caller_is_done(THREAD, 0))
		usleep(1000);
	error = number_of_caller(THREAD, 0, "error");
	for (c = HARD; c < THREAD; c++) {
		while (!caller_is_done(c, 0))
			usleep(1000);
		EXPECT_EQ(error, number_of_caller(c, 0, "error"));
	}
	EXPECT_EQ(0, unload_callers());
	return error;
}

TEST_F(callers, what_is_refused)
{
	EXPECT_EQ(EINVAL, error_of(_metadata, 99, KUID_ORDER_CPU));
	EXPECT_EQ(EINVAL, error_of(_metadata, KUID_FORMAT_V1,
				   KUID_ORDER_FILE));
	EXPECT_EQ(EINVAL, error_of(_metadata, KUID_FORMAT_V1,
				   KUID_ORDER_HOST + 1));
	EXPECT_EQ(0, error_of(_metadata, KUID_FORMAT_V1, KUID_ORDER_DEFAULT));
}

TEST_HARNESS_MAIN
