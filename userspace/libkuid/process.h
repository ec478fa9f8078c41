/* SPDX-License-Identifier: MIT */
/*
 * The generator that all local handles of a process share.
 *
 * A call on a local handle
 * - gets the process's generator, which the first kuid_process_get() makes;
 * - enters the generator: kuid_process_enter() counts the thread as a user;
 * - makes IDs, and leaves the generator by kuid_process_leave().
 *
 * Fork: a page of memory, the mark, points to the generator. The kernel wipes
 * this page in each child, so the first call in a child finds no generator and
 * makes one, with another epoch and another node than the parent's.
 *
 * Epochs: a generator has memory for two, which alternate. A new epoch reuses
 * the memory of the last but one, and must not begin while a thread may still
 * read that. For this users are counted by CPU. A count that was 0 at any time
 * since the epoch in use began is enough: a thread that enters later finds the
 * epoch in use, not the one before.
 */
#ifndef KUID_PROCESS_H
#define KUID_PROCESS_H

#include "core/generator.h"
#include "kuid.h"

/* One for each bit of kuid_process.idle_seen; more CPUs share them. */
#define KUID_PROCESS_CPUS 64

/* Room for all formats, by number: as many as the status has. */
#define KUID_PROCESS_FORMATS \
	(sizeof(((struct kuid_status *)NULL)->ids) / sizeof(__u64))

/**
 * struct kuid_users - the users of the generator on one CPU
 * @count: threads that use it now
 * @waits: how often a thread had to wait for the clock
 * @ids: how many IDs have been made, by format
 */
struct kuid_users {
	u64 count;
	u64 waits;
	u64 ids[KUID_PROCESS_FORMATS];
} ____cacheline_aligned_in_smp;

/**
 * struct kuid_process - a process's generator
 * @generator: the generator, which always has an epoch
 * @epochs: the epoch in use and the one before, by the lowest bit of the number
 * @epoch_wanted: the wall clock was set back so far that a new epoch should
 *	begin
 * @beginning: lock of the thread that begins an epoch
 * @idle_seen: bit n is set if users[n].count was seen at 0 since the epoch in
 *	use began; under @beginning
 * @users: by CPU
 */
struct kuid_process {
	struct kuid_generator generator;
	struct kuid_epoch *epochs[2];
	bool epoch_wanted;
	bool beginning;
	u64 idle_seen;
	struct kuid_users users[KUID_PROCESS_CPUS];
};

/*
 * The generator of this process, made if there is none; NULL and errno if that
 * fails.
 */
struct kuid_process *kuid_process_get(void);

/* Whether a generator belongs to this process, not to one that forked it. */
bool kuid_process_is(const struct kuid_process *process);

/*
 * Begin to use a generator. The caller must soon call kuid_process_leave(),
 * because a new epoch may be unable to begin before. Returns NULL if the
 * generator is not this process's: it forked after kuid_process_get().
 */
struct kuid_users *kuid_process_enter(struct kuid_process *process);
void kuid_process_leave(struct kuid_users *users);

#endif /* KUID_PROCESS_H */
