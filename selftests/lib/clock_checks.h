/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the module's clocks with the wall clock. A program that includes
 * this restores the wall clock at exit, even if one of its tests is killed.
 *
 * The checks compare clocks with each other, never with an expected duration: a
 * delay between two readings only widens the bounds.
 */
#ifndef CLOCK_CHECKS_H
#define CLOCK_CHECKS_H

#include "admin.h"
#include "set_wall.h"

#define YEAR_NS		(365 * 86400 * NSEC_PER_SEC)

/* The error of rounded times. */
#define ROUNDING_NS	1000

/* The wall clock at the start, relative to a clock that can't be set. */
static __u64 wall_offset;
static pid_t wall_owner;

static inline bool wall_is_off(void)
{
	__s64 off = clock_ns() - read_clock(CLOCK_BOOTTIME) - wall_offset;

	return off < -(__s64)NSEC_PER_MSEC || off > (__s64)NSEC_PER_MSEC;
}

static inline void set_leap(int status)
{
	struct timex leap = { 0 };

	if (adjtimex(&leap) < 0)
		return;
	leap.modes = ADJ_STATUS;
	leap.status = (leap.status & ~(STA_INS | STA_DEL)) | status;
	adjtimex(&leap);
}

static inline void restore_wall(void)
{
	set_leap(0);
	if (wall_is_off())
		set_wall(read_clock(CLOCK_BOOTTIME) + wall_offset);
}

/* Runs before main(), because every test is a process that inherits this. */
static void __attribute__((constructor)) note_wall(void)
{
	wall_owner = getpid();
	wall_offset = clock_ns() - read_clock(CLOCK_BOOTTIME);
}

/*
 * Undo all changes of clocks by earlier tests: restore the wall clock, and load
 * the module again with @params. With NULL, it is loaded again only if it is
 * loaded now. If there is no module file, force its clocks back instead.
 */
static inline int start_afresh(const char *params)
{
	__u64 epoch;
	int fd, ret;

	restore_wall();
	if (module_path() && (params || is_loaded())) {
		ret = is_loaded() ? unload() : 0;
		/* A killed test may still be exiting with its files open. */
		while (ret == -EWOULDBLOCK) {
			usleep(1000);
			ret = unload();
		}
		return ret ? ret : load(params ? params : "");
	}
	fd = open(DEV_KUID, O_RDONLY);
	if (fd < 0)
		return -errno;
	/* Have the first epoch begin. */
	ret = read_ids(DEV_FORMAT, fd, &(struct id){ 0 }, 1);
	ret = ret < 0 ? ret : go_back(fd, &epoch);
	close(fd);
	return ret;
}

/* Restore the clocks for later programs, even if the last test was killed. */
static void __attribute__((destructor)) leave_wall(void)
{
	if (getpid() == wall_owner && wall_is_off())
		start_afresh(NULL);
}

/* A status, and readings of both clocks before and after it. */
struct moment {
	__u64 mono_before;
	__u64 wall_before;
	struct kuid_status status;
	__u64 wall_after;
	__u64 mono_after;
};

static inline int look_at(int fd, struct moment *m)
{
	int ret;

	m->mono_before = read_clock(CLOCK_MONOTONIC);
	m->wall_before = clock_ns();
	ret = get_status(fd, &m->status);
	m->wall_after = clock_ns();
	m->mono_after = read_clock(CLOCK_MONOTONIC);
	return ret;
}

static inline __u64 lag_of(const struct moment *m, bool stamps)
{
	return stamps ? m->status.stamp_lag_ns : m->status.slot_lag_ns;
}

static inline bool half_speed(const struct moment *m, bool stamps)
{
	return m->status.reasons & (stamps ? KUID_REASON_STAMPS_HALF_SPEED :
					     KUID_REASON_SLOTS_HALF_SPEED);
}

/*
 * Take one ID, and check that its time is not behind the module's clock, nor
 * farther ahead of it than allowed.
 *
 * The module's clock is the wall clock plus the lag, and never goes back; the
 * lag only shrinks. So the wall clock before plus the lag after is a time that
 * the clock had reached before the call, and the wall clock after plus the lag
 * after is a time that it has not passed. Only the caller may set the wall
 * clock meanwhile.
 */
static inline void id_is_in_time(struct __test_metadata *_metadata,
				 const struct format *f, int fd)
{
	struct moment before, after;
	struct fields fields;
	__u8 id[ID_SIZE_MAX];
	bool stamps = is_stamp(f);

	ASSERT_EQ(0, look_at(fd, &before));
	ASSERT_EQ(1, read_ids(f, fd, id, 1));
	ASSERT_EQ(0, look_at(fd, &after));
	ASSERT_TRUE(decode(f, id, &fields));
	/* A new epoch's clock may be behind the last one's. */
	if (before.status.epoch != after.status.epoch)
		return;

	EXPECT_LE(before.wall_before + lag_of(&after, stamps),
		  fields.ns + unit_of(f) + ROUNDING_NS) {
		TH_LOG("%s: behind its clock, lag %llu", f->name,
		       (unsigned long long)lag_of(&after, stamps));
	}
	EXPECT_GE(after.wall_after + lag_of(&after, stamps) + AHEAD_NS +
		  ROUNDING_NS, fields.ns) {
		TH_LOG("%s: too far ahead, lag %llu", f->name,
		       (unsigned long long)lag_of(&after, stamps));
	}

	/* The lag only shrinks. */
	EXPECT_GE(lag_of(&before, stamps), lag_of(&after, stamps));
	if (lag_of(&after, stamps))
		EXPECT_TRUE(half_speed(&before, stamps));
	if (!lag_of(&before, stamps))
		EXPECT_FALSE(half_speed(&after, stamps));
}

static inline void ids_are_in_time(struct __test_metadata *_metadata,
				   const int *fds)
{
	int i;

	for (i = 0; i < NR_FORMATS; i++)
		id_is_in_time(_metadata, &formats[i], fds[i]);
}

/* Undo what earlier tests did to the clocks, and open a file of each format. */
static inline void open_afresh(struct __test_metadata *_metadata, int *fds,
			       const char *params)
{
	int i;

	ASSERT_EQ(0, start_afresh(params));
	for (i = 0; i < NR_FORMATS; i++) {
		fds[i] = open_device_file(&formats[i], "", 0);
		ASSERT_LE(0, fds[i]);
	}
	ids_are_in_time(_metadata, fds);
}

/*
 * Check two moments without a clock step or a new epoch between them: the lag
 * has shrunk by half of the time that passed.
 */
static inline void lag_has_halved_time(struct __test_metadata *_metadata,
				       const struct moment *earlier,
				       const struct moment *later,
				       __u64 resolution, bool stamps)
{
	__u64 most = later->mono_after - earlier->mono_before;
	__u64 least = later->mono_before - earlier->mono_after;
	__u64 slack = 2 * resolution + ROUNDING_NS;
	__u64 was = lag_of(earlier, stamps);
	__u64 is = lag_of(later, stamps);

	ASSERT_EQ(earlier->status.epoch, later->status.epoch);
	ASSERT_GE(is + most / 2 + slack, was) {
		TH_LOG("the lag shrinks too fast, %s", stamps ? "stamps" :
								"slots");
	}
	if (is) {
		ASSERT_LE(is + least / 2, was + slack) {
			TH_LOG("the lag shrinks too slowly, %s",
			       stamps ? "stamps" : "slots");
		}
	}
}

static inline __u64 resolution_of_clock(int fd)
{
	struct kuid_query query = { 0 };

	return ioctl(fd, KUID_IOC_QUERY, &query) ? 0 :
						   query.clock_resolution_ns;
}

#endif /* CLOCK_CHECKS_H */
