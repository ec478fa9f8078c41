/* SPDX-License-Identifier: MIT */
/*
 * The generator that all local handles of a process share. A child begins one
 * of its own: its first IDs come from another epoch than its parent's.
 *
 * The memory of a generator stays as long as a thread could use it, and that of
 * an epoch is only used again when no thread uses the epoch. So threads that use
 * a generator are counted, by CPU; each count only has to be seen at zero once.
 */
#ifndef KUID_PROCESS_H
#define KUID_PROCESS_H

#include "core/generator.h"
#include "kuid.h"

/* One for each bit of kuid_process.gone; more CPUs share them. */
#define KUID_PROCESS_CPUS 64

/* Room for all formats, by number: as many as the status has. */
#define KUID_PROCESS_FORMATS \
	(sizeof(((struct kuid_status *)NULL)->ids) / sizeof(__u64))

/**
 * struct kuid_users - the users of the generator on one CPU
 * @count: threads that use it now
 * @waits: how often one had to wait for the clock
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
 * @epochs: the one in use and the one before, by the lowest bit of the number
 * @epoch_wanted: the wall clock was set back so far that a new one should begin
 * @beginning: lock of the thread that begins one
 * @gone: CPUs whose users have been seen to be none since the epoch in use
 *	began; under @beginning
 * @users: by CPU
 */
struct kuid_process {
	struct kuid_generator generator;
	struct kuid_epoch *epochs[2];
	bool epoch_wanted;
	bool beginning;
	u64 gone;
	struct kuid_users users[KUID_PROCESS_CPUS];
};

/* This process's own; NULL if it has none and none can be had. */
struct kuid_process *kuid_process_get(void);

/* Whether it is this process's: no longer in a child that was forked. */
bool kuid_process_is(const struct kuid_process *process);

/* Use it, for a short time; NULL if it is not this process's any more. */
struct kuid_users *kuid_process_enter(struct kuid_process *process);
void kuid_process_leave(struct kuid_users *users);

#endif /* KUID_PROCESS_H */
