/* SPDX-License-Identifier: GPL-2.0-only */
/* Sequence counts like those of the kernel, for the core in a process. */
#ifndef _LINUX_SEQLOCK_H
#define _LINUX_SEQLOCK_H

#include "process.h"

typedef struct {
	unsigned int sequence;
} seqcount_t;

static inline void seqcount_init(seqcount_t *seq)
{
	seq->sequence = 0;
}

static inline unsigned int raw_seqcount_begin(const seqcount_t *seq)
{
	return smp_load_acquire(&seq->sequence) & ~1U;
}

static inline unsigned int raw_read_seqcount_begin(const seqcount_t *seq)
{
	unsigned int start;

	while ((start = smp_load_acquire(&seq->sequence)) & 1)
		kuid_port_relax();
	return start;
}

static inline bool read_seqcount_retry(const seqcount_t *seq,
				       unsigned int start)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return READ_ONCE(seq->sequence) != start;
}

static inline void write_seqcount_begin(seqcount_t *seq)
{
	WRITE_ONCE(seq->sequence, seq->sequence + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void write_seqcount_end(seqcount_t *seq)
{
	smp_store_release(&seq->sequence, seq->sequence + 1);
}

#endif /* _LINUX_SEQLOCK_H */
