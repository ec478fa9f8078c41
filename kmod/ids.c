// SPDX-License-Identifier: GPL-2.0-only
/* IDs for kernel code. */
#include <linux/export.h>
#include <linux/kconfig.h>
#include <linux/preempt.h>

#include "epochs.h"
#include "include/linux/kuid.h"
#include "make.h"
#include "sink.h"

/* As if all kernel code had one open file; follows only KUID_ORDER_HOST. */
static struct kuid_watermarks kuid_ids_watermarks;

/* Where preemption is off a kernel of PREEMPT_RT has no random bytes. */
static bool kuid_ids_random(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible();
}

/**
 * kuid_ids_generate - make IDs in kernel code
 * @format: KUID_FORMAT_*; KUID_FORMAT_DEFAULT is v1
 * @order: KUID_ORDER_CPU, or KUID_ORDER_HOST for IDs above all that any caller
 *	had been given in that order when the call began; KUID_ORDER_DEFAULT is
 *	the former
 * @ids: where they go, binary as /dev/kuid gives them, of any alignment: 16
 *	bytes for each, 8 for k64, 12 for k96
 * @count: how many are wanted, at least 1
 *
 * The IDs of one call increase. Fewer come than were wanted if no more may be
 * made now, and never more than 1,024: whoever wants more calls again.
 *
 * A caller that finds none may not wait for them here; they come with time, at
 * the rate that &struct kuid_query.rate_max tells.
 *
 * Context: any but NMI. Never sleeps.
 * Return: how many were made, at least 1; -EINVAL for an unknown format or
 * order, KUID_ORDER_FILE, or a @count of 0; -EAGAIN if there is none to be had
 * now, for that is all: those of the time are used up, no saved state was
 * restored where it is required, the module was just loaded and its first epoch
 * is being prepared, the machine was just cloned or is about to hibernate, or
 * the kernel's random generator is not ready; -EAGAIN also from NMI, and for v7
 * under PREEMPT_RT where preemption is off; -ESTALE if the node or worker that
 * @format shows may not be used, see &struct kuid_set_identity; -ENODATA if
 * saved state is required and was missing for 30 s.
 */
ssize_t kuid_ids_generate(u32 format, u32 order, void *ids, size_t count)
{
	struct kuid_request request = {
		.watermarks = &kuid_ids_watermarks,
		.format = format ?: KUID_FORMAT_V1,
		.order = order == KUID_ORDER_HOST ? KUID_BY_HOST : KUID_BY_CPU,
		.nonblock = true,
	};
	struct kuid_sink sink;

	if (!kuid_format_is_known(request.format) || order > KUID_ORDER_HOST ||
	    order == KUID_ORDER_FILE || !count)
		return -EINVAL;
	if (in_nmi())
		return -EAGAIN;
	if (kuid_formats[request.format].random_size && !kuid_ids_random())
		return -EAGAIN;
	if (unlikely(!READ_ONCE(kuid_host.epoch))) {
		kuid_epochs_start_soon();
		return -EAGAIN;
	}
	kuid_sink_kernel(&sink, request.format, false, ids);
	return kuid_make_chunk(&request, &sink, count == 1,
			       min_t(size_t, count, KUID_MAKE_CHUNK));
}
EXPORT_SYMBOL_GPL(kuid_ids_generate);
