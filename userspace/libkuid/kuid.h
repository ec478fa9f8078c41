/* SPDX-License-Identifier: MIT */
/*
 * libkuid: time-ordered unique IDs from /dev/kuid.
 *
 * Errors: a function that fails returns -1 or NULL and sets errno; each names
 * the errnos that are its own, others come from the system as they are.
 *
 * Threads, fork, signals: a handle holds a file descriptor and constants. All
 * functions but kuid_close() may be called on one handle by any number of
 * threads at once, and in a child after fork() without further ado: whoever
 * shares a handle shares one order of IDs. kuid_close() must be the last call
 * on a handle in its process. No function but kuid_open() and kuid_close()
 * allocates or locks anything; kuid_one(), kuid_many() and kuid_text() may be
 * called in signal handlers.
 */
#ifndef KUID_H
#define KUID_H

#include <linux/kuid.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with everything else hidden. */
#pragma GCC visibility push(default)

/* Bytes of the longest ID, and of the longest text of one with its NUL. */
#define KUID_ID_MAX   16
#define KUID_TEXT_MAX 37

/* A source of IDs of one format. */
struct kuid;

/*
 * Open the source of IDs of a format: KUID_FORMAT_V1, or KUID_FORMAT_DEFAULT
 * which is the same.
 *
 * EINVAL: the kernel does not make this format.
 * ENODEV: there is no /dev/kuid: the module is not loaded.
 */
struct kuid *kuid_open(unsigned int format);

/* Close a source; NULL is allowed. errno is left alone. */
void kuid_close(struct kuid *source);

/* Bytes of one ID of this source. */
size_t kuid_id_size(const struct kuid *source);

/*
 * Make one ID into the memory at id, kuid_id_size() bytes. It is greater than
 * all that were made from this source by calls that had returned before.
 *
 * Returns 0.
 * EFAULT: the memory at id can't be written.
 * EINTR: a signal came while the kernel was not ready to make IDs yet.
 */
int kuid_one(struct kuid *source, void *id);

/*
 * Make count IDs into the memory at ids, count * kuid_id_size() bytes. They
 * increase, and are greater than all made before, as with kuid_one().
 *
 * Returns how many were made: count, or fewer if an error came after the first
 * of them; a signal alone does not cut the call short.
 * EFAULT, EINTR: as for kuid_one(), before the first ID.
 */
ssize_t kuid_many(struct kuid *source, void *ids, size_t count);

/*
 * Write the canonical text of an ID and a NUL to the size bytes at text;
 * KUID_TEXT_MAX is enough for any format.
 *
 * Returns 0.
 * EINVAL: unknown format.
 * ERANGE: size is too small; nothing has been written.
 */
int kuid_text(unsigned int format, const void *id, char *text, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* KUID_H */
