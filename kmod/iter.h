/* SPDX-License-Identifier: GPL-2.0-only */
/* IDs for reads into more than one piece of user memory, a pipe or a page. */
#ifndef KUID_ITER_H
#define KUID_ITER_H

#include <linux/types.h>
#include <linux/uio.h>

#include "batch.h"

ssize_t kuid_iter_ids(struct kuid_batch *batch, struct iov_iter *to,
		      size_t count);
ssize_t kuid_iter_lines(struct kuid_batch *batch, struct iov_iter *to,
			size_t count);

#endif /* KUID_ITER_H */
