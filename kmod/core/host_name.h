/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Copying the host name, which a writer may be setting at the same time.
 * lexical.h has the worker that is made from it.
 */
#ifndef KUID_CORE_HOST_NAME_H
#define KUID_CORE_HOST_NAME_H

#include "port.h"

/* Copy a name. Returns whether @to already held the same bytes. */
static inline bool kuid_host_name_copy_once(char *to, const char *name,
					    size_t size)
{
	bool same = true;
	size_t i;

	for (i = 0; i < size; i++) {
		/* The writer uses plain stores: see kuid_host_name_copy(). */
		char byte = data_race(READ_ONCE(name[i]));

		same = same && byte == to[i];
		to[i] = byte;
	}
	return same;
}

/**
 * kuid_host_name_copy - copy a host name that may be set meanwhile
 * @to: set to the name, with a zero at the end; @size bytes
 * @name: the name, filled up with zeroes; @size bytes
 * @size: size of both buffers in bytes, at least 1
 *
 * For a reader that can't take the writer's lock. The reader copies the name
 * until two copies in a row are the same. So if the name is set meanwhile, the
 * reader gets the old or the new name, not a mix.
 *
 * There is one exception. If the writer is interrupted or preempted in the
 * middle of its copy, for as long as two copies take here, both copies are the
 * same mix: the start of the new name and the end of the old name.
 *
 * Context: any. Never sleeps, takes no lock; repeats while the name is being
 * set.
 */
static inline void kuid_host_name_copy(char *to, const char *name, size_t size)
{
	memset(to, 0, size);
	kuid_host_name_copy_once(to, name, size);
	do {
		/*
		 * Complete the loads of the last copy before those of the next
		 * one. Otherwise both copies could read a byte at the same
		 * moment, and miss a change.
		 */
		smp_mb();
	} while (!kuid_host_name_copy_once(to, name, size));
	to[size - 1] = '\0';
}

#endif /* KUID_CORE_HOST_NAME_H */
