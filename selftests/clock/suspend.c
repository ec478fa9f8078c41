// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend the machine while IDs are taken; an RTC alarm wakes it. The wall
 * clock goes on meanwhile, and the IDs follow it.
 */
#include "../lib/harness.h"

#include "../lib/patience.h"
#include "../lib/skip.h"
#include "../lib/takers.h"

#define ALARM	"/sys/class/rtc/rtc0/wakealarm"
#define STATE	"/sys/power/state"
#define DEPTH	"/sys/power/mem_sleep"

static bool says(const char *path, const char *word)
{
	char words[64] = "";
	FILE *file = fopen(path, "re");
	bool does = file && fgets(words, sizeof(words), file) &&
		    strstr(words, word);

	if (file)
		fclose(file);
	return does;
}

/* Only deep sleep stops the clocks; suspend-to-idle would test nothing. */
static bool can_sleep(void)
{
	return says(STATE, "mem") && says(DEPTH, "[deep]") &&
	       !access(STATE, W_OK) && !access(ALARM, W_OK);
}

FIXTURE(suspend) {
	struct takers takers;
	int fds[NR_FORMATS];
	struct kuid_status begin;
};

FIXTURE_VARIANT(suspend) {
	__u64 step_back;	/* before the suspend */
};

FIXTURE_VARIANT_ADD(suspend, in_time) { 0 };
FIXTURE_VARIANT_ADD(suspend, while_behind) { 3600 * NSEC_PER_SEC };

FIXTURE_SETUP(suspend)
{
	if (!can_sleep())
		SKIP_TEST("no deep sleep or no RTC alarm");
	open_afresh(_metadata, self->fds, NULL);
	ASSERT_EQ(0, get_status(self->fds[0], &self->begin));
	self->takers.may_be_cut = true;
	start_takers(_metadata, &self->takers);
}

FIXTURE_TEARDOWN(suspend)
{
	int i;

	write_text(ALARM, "0");
	stop_takers(&self->takers);
	for (i = 0; i < NR_FORMATS; i++)
		close(self->fds[i]);
	EXPECT_EQ(0, start_afresh(NULL));
}

static __u64 time_asleep(void)
{
	__u64 mono = read_clock(CLOCK_MONOTONIC);

	return read_clock(CLOCK_BOOTTIME) - mono;
}

TEST_F_TIMEOUT(suspend, under_load, 60)
{
	__u64 epoch = self->begin.epoch;
	struct kuid_status before, after;
	char alarm[16];
	__u64 asleep;

	/*
	 * The alarm must not expire while the machine is still going to sleep.
	 */
	snprintf(alarm, sizeof(alarm), "+%u", 10 * patience());
	if (variant->step_back) {
		ASSERT_EQ(0, step_wall(-(__s64)variant->step_back));
		/* The step passes step_limit, so a new epoch begins. */
		epoch++;
		do {
			ASSERT_EQ(0, get_status(self->fds[0], &before));
			usleep(1000);
		} while (before.epoch != epoch);
		let_them_take(&self->takers, 100);
	}
	ids_are_in_time(_metadata, self->fds);
	ASSERT_EQ(0, get_status(self->fds[0], &before));
	asleep = time_asleep();
	ASSERT_EQ(0, write_text(ALARM, "0"));
	ASSERT_EQ(0, write_text(ALARM, alarm));
	ASSERT_EQ(0, write_text(STATE, "mem"));

	ids_are_in_time(_metadata, self->fds);
	asleep = time_asleep() - asleep;
	TH_LOG("slept for %llu ms",
	       (unsigned long long)(asleep / NSEC_PER_MSEC));
	/* The RTC alarm has a resolution of one second. */
	EXPECT_LE(NSEC_PER_SEC, asleep);
	let_them_take(&self->takers, 200);
	ids_are_in_time(_metadata, self->fds);
	check_takers(_metadata, &self->takers);

	ASSERT_EQ(0, get_status(self->fds[0], &after));
	EXPECT_EQ(epoch, after.epoch);
	EXPECT_EQ(before.steps_back, after.steps_back);
	EXPECT_EQ(0, after.stamp_lag_ns);
	/* The time asleep counts as a step forward, which shortens the lag. */
	if (before.slot_lag_ns > asleep)
		EXPECT_GE(before.slot_lag_ns - asleep + ROUNDING_NS,
			  after.slot_lag_ns);
	if (!before.slot_lag_ns)
		EXPECT_EQ(0, after.slot_lag_ns);
}

TEST_HARNESS_MAIN
