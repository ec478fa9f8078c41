// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU is unplugged and plugged, and threads are moved among CPUs, while IDs
 * are taken on all CPUs. Each call must give as many IDs as it asked for, in
 * order, and no ID may be a repeat.
 */
#include "../lib/harness.h"

#include "../lib/skip.h"
#include "../lib/takers.h"

FIXTURE(hotplug) {
	struct takers takers;
	int fds[NR_FORMATS];
	int cpu;
	struct kuid_status begin;
};

FIXTURE_SETUP(hotplug)
{
	int cpus[TAKER_CPUS];
	int nr = allowed_cpus(cpus, TAKER_CPUS);
	char path[64];

	/* The last CPU: some machines can't unplug the first. */
	if (nr < 2)
		SKIP_TEST("needs 2 CPUs");
	self->cpu = cpus[nr - 1];
	snprintf(path, sizeof(path), CPU_ONLINE, self->cpu);
	if (access(path, W_OK))
		SKIP_TEST("CPU %d can't be taken away", self->cpu);

	open_afresh(_metadata, self->fds, NULL);
	ASSERT_EQ(0, get_status(self->fds[0], &self->begin));
	self->takers.cpus_come_and_go = true;
	start_takers(_metadata, &self->takers);
}

FIXTURE_TEARDOWN(hotplug)
{
	set_online(self->cpu, true);
	stop_takers(&self->takers);
}

TEST_F_TIMEOUT(hotplug, off_and_on, 120)
{
	enum { ROUNDS = 8 };
	struct kuid_status status;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, set_online(self->cpu, false));
		/* The takers of the unplugged CPU run on other CPUs now. */
		let_them_take(&self->takers, 70);
		ids_are_in_time(_metadata, self->fds);
		ASSERT_EQ(0, set_online(self->cpu, true));
		let_them_take(&self->takers, 140);
		ids_are_in_time(_metadata, self->fds);
	}
	check_takers(_metadata, &self->takers);
	ASSERT_EQ(0, get_status(self->fds[0], &status));
	EXPECT_EQ(self->begin.epoch, status.epoch);
	EXPECT_EQ(self->begin.steps_back, status.steps_back);
	EXPECT_EQ(self->begin.steps_forward, status.steps_forward);
}

/* The threads are moved anywhere in a call. */
TEST(moved)
{
	struct takers all = { 0 };
	int cpus[TAKER_CPUS];
	int nr = allowed_cpus(cpus, TAKER_CPUS);
	cpu_set_t set;
	int round, t;

	if (nr < 2)
		SKIP(return, "needs 2 CPUs");
	start_takers(_metadata, &all);
	for (round = 0; __atomic_load_n(&all.takers[0].calls,
					__ATOMIC_RELAXED) < 4000; round++) {
		for (t = 0; t < all.nr; t++) {
			CPU_ZERO(&set);
			CPU_SET(cpus[(round + t) % nr], &set);
			pthread_setaffinity_np(all.takers[t].thread,
					       sizeof(set), &set);
		}
		if (__atomic_load_n(&all.failed, __ATOMIC_RELAXED))
			break;
	}
	TH_LOG("%d rounds", round);
	check_takers(_metadata, &all);
}

TEST_HARNESS_MAIN
