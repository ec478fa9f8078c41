// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disturbances of the machine: the wall clock is set, a CPU is unplugged, the
 * module is to be unloaded, kernel code takes IDs.
 */
#include "../lib/callers.h"
#include "../lib/set_wall.h"
#include "fuzz.h"

/* IDs for each context in the kernel. */
#define KERNEL_IDS	200

static void count(int disturbance, __u64 by)
{
	__atomic_add_fetch(&fuzz_world->done[disturbance], by, __ATOMIC_RELAXED);
}

struct kuid_status fuzz_status(struct fuzz_actor *actor)
{
	struct kuid_status status = { 0 };

	if (ioctl(fuzz_world->watch_fd, KUID_IOC_STATUS, &status))
		fuzz_fail(actor, "no status: %s", strerror(errno));
	return status;
}

/* Set the wall clock near its first value, so that changes don't add up. */
void fuzz_wall(struct fuzz_actor *actor)
{
	static const long most_ms[] = { 100, 1000, 12000, 60000, 3600000 };
	long bound = most_ms[fuzz_below(actor, ARRAY_SIZE(most_ms))];
	long by = (long)fuzz_below(actor, 2 * bound + 1) - bound;

	if (actor->child)
		return;
	if (labs(fuzz_world->wall_off + by) > FUZZ_WALL_OFF_MS)
		by = -fuzz_world->wall_off;
	fuzz_change_begin(&fuzz_world->wall);
	if (shift_wall(by * (__s64)NSEC_PER_MSEC))
		fuzz_fail(actor, "the wall clock can't be set");
	__atomic_add_fetch(&fuzz_world->wall_off, by, __ATOMIC_SEQ_CST);
	fuzz_change_end(&fuzz_world->wall);
	count(by < 0 ? FUZZ_BACK : FUZZ_FORWARD, 1);
}

/* CPU 0 can't go offline. */
void fuzz_unplug(struct fuzz_actor *actor)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	int cpu = nr > 1 ? 1 + fuzz_below(actor, nr - 1) : 0;
	int ret;

	if (!cpu)
		return;
	ret = set_online(cpu, false);
	usleep(fuzz_below(actor, 1000000));
	ret = ret ? ret : set_online(cpu, true);
	if (ret)
		fuzz_fail(actor, "CPU %d: %s", cpu, strerror(-ret));
	count(FUZZ_UNPLUGGED, 1);
}

void fuzz_unload(struct fuzz_actor *actor)
{
	int ret = unload();

	if (ret != -EWOULDBLOCK)
		fuzz_fail(actor, "unload while in use: %s", strerror(-ret));
	count(FUZZ_REFUSED, 1);
}

/* Whether a caller will have more IDs. There is none if its CPU was offline. */
static bool is_asking(enum caller_kind kind, int cpu)
{
	return number_of_caller(kind, cpu, "nr") >= 0 &&
	       !caller_is_done(kind, cpu) && !fuzz_stopped();
}

/* Book what one context of a CPU was given. */
static void book_caller(struct fuzz_actor *actor, const struct format *f,
			enum caller_kind kind, int cpu, __u64 epoch)
{
	long nr = number_of_caller(kind, cpu, "nr");
	long error = number_of_caller(kind, cpu, "error");
	struct words before = { 0 };
	struct fields first, last;
	long size;

	if (nr < 0 || fuzz_stopped())
		return;
	size = read_of_caller(kind, cpu, "ids", actor->room,
			      KERNEL_IDS * ID_SIZE_MAX);
	if (size != KERNEL_IDS * f->id_size ||
	    !(error ? error == ESTALE && fuzz_status(actor).reasons &
				KUID_REASON_STALE_IDENTITY
		    : nr == KERNEL_IDS))
		fuzz_fail(actor, "%s%d: %ld bytes, %ld of %s, errno %ld",
			  contexts[kind], cpu, size, nr, f->name, error);
	if (epoch && count_in_order(f, actor->room, nr, &before) != nr)
		fuzz_fail(actor, "%s%d: %s don't increase", contexts[kind], cpu,
			  f->name);
	fuzz_book(actor, f, actor->room, nr, &fuzz_world->kernel, epoch, 0,
		  &first, &last);
	memset(actor->room, POISON, KERNEL_IDS * ID_SIZE_MAX);
	count(FUZZ_KERNEL_IDS, nr);
}

/* Take IDs in kernel code, in all contexts of all online CPUs. */
void fuzz_kernel(struct fuzz_actor *actor)
{
	const struct format *f = &formats[fuzz_below(actor, NR_FORMATS)];
	__u32 order = fuzz_one_in(actor, 2) ? KUID_ORDER_CPU : KUID_ORDER_HOST;
	int nr = NR_CONTEXTS * sysconf(_SC_NPROCESSORS_CONF);
	__u64 epoch = fuzz_status(actor).epoch;
	int ret, i;

	ret = load_callers(f->number, order, KERNEL_IDS, 0);
	if (ret) {
		fuzz_fail(actor, "kuid_callers can't be loaded: %s",
			  strerror(-ret));
		return;
	}
	for (i = 0; i < nr; i++)
		while (is_asking(i % NR_CONTEXTS, i / NR_CONTEXTS))
			usleep(2000);
	if (fuzz_status(actor).epoch != epoch)
		epoch = 0;
	for (i = 0; i < nr; i++)
		book_caller(actor, f, i % NR_CONTEXTS, i / NR_CONTEXTS, epoch);
	ret = unload_callers();
	if (ret)
		fuzz_fail(actor, "kuid_callers can't be unloaded: %s",
			  strerror(-ret));
}
