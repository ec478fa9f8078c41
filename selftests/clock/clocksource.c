// SPDX-License-Identifier: GPL-2.0-only
/*
 * Change the kernel's clocksource while IDs are taken. The clocks of user space
 * continue without a step, and so do the IDs.
 */
#include "../lib/harness.h"

#include "../lib/skip.h"
#include "../lib/takers.h"

#define SOURCES	"/sys/devices/system/clocksource/clocksource0/"
#define CURRENT	SOURCES "current_clocksource"

/* Read one line of names, without the newline. */
static int read_names(const char *path, char *to, size_t size)
{
	FILE *file = fopen(path, "re");
	int ret = file && fgets(to, size, file) ? 0 : -1;

	if (file)
		fclose(file);
	if (!ret)
		to[strcspn(to, "\n")] = '\0';
	return ret;
}

FIXTURE(clocksource) {
	struct takers takers;
	int fds[NR_FORMATS];
	char found[32];
	char available[256];
	struct kuid_status begin;
};

FIXTURE_SETUP(clocksource)
{
	if (read_names(CURRENT, self->found, sizeof(self->found)) ||
	    read_names(SOURCES "available_clocksource", self->available,
		       sizeof(self->available)) || access(CURRENT, W_OK))
		SKIP_TEST("the clocksource can't be changed");

	open_afresh(_metadata, self->fds, NULL);
	ASSERT_EQ(0, get_status(self->fds[0], &self->begin));
	start_takers(_metadata, &self->takers);
}

FIXTURE_TEARDOWN(clocksource)
{
	write_text(CURRENT, self->found);
	stop_takers(&self->takers);
}

TEST_F_TIMEOUT(clocksource, changes, 60)
{
	enum { ROUNDS = 3 };
	struct kuid_status status;
	char names[sizeof(self->available)], now[32];
	char *name, *rest;
	int round, changes = 0;

	for (round = 0; round < ROUNDS; round++) {
		strcpy(names, self->available);
		for (name = strtok_r(names, " ", &rest); name;
		     name = strtok_r(NULL, " ", &rest)) {
			ASSERT_EQ(0, write_text(CURRENT, name));
			ASSERT_EQ(0, read_names(CURRENT, now, sizeof(now)));
			changes += !strcmp(now, name);
			let_them_take(&self->takers, 100);
			ids_are_in_time(_metadata, self->fds);
		}
	}
	check_takers(_metadata, &self->takers);
	TH_LOG("%d changes between %s", changes, self->available);
	ASSERT_EQ(0, get_status(self->fds[0], &status));
	EXPECT_EQ(self->begin.epoch, status.epoch);
	EXPECT_EQ(self->begin.steps_back, status.steps_back);
	EXPECT_EQ(self->begin.steps_forward, status.steps_forward);
	EXPECT_EQ(0, status.stamp_lag_ns);
	EXPECT_EQ(0, status.slot_lag_ns);
}

TEST_HARNESS_MAIN
