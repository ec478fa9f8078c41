// SPDX-License-Identifier: GPL-2.0-only
/*
 * IDs for kernel code. <linux/kuid.h> declares the only function. It has no
 * open file and never sleeps.
 */
#include <linux/export.h>
#include <linux/kconfig.h>
#include <linux/preempt.h>

#include "epochs.h"
#include "include/linux/kuid.h"
#include "make.h"
#include "request.h"
#include "sink.h"

/* All kernel code shares these watermarks. Only KUID_ORDER_HOST uses them. */
static struct kuid_watermarks kuid_ids_watermarks;

/*
 * Whether the kernel has random bytes in this context. Under PREEMPT_RT, its
 * random generator takes a lock that sleeps, so it needs preemption enabled.
 */
static bool kuid_ids_random(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible();
}

/**
 * kuid_ids_generate - make IDs in kernel code
 * @format: KUID_FORMAT_*; KUID_FORMAT_DEFAULT selects v1
 * @order: KUID_ORDER_CPU; or KUID_ORDER_HOST for IDs above all IDs that any
 *	caller got in that order before this call began; KUID_ORDER_DEFAULT
 *	selects KUID_ORDER_CPU
 * @ids: address of the memory for the IDs, with any alignment; IDs are binary,
 *	as /dev/kuid gives them: 16 bytes each, 8 for k64 and snowflake, 12 for
 *	k96
 * @count: number of IDs to make, at least 1
 *
 * The IDs of one call increase. A call makes 1,024 IDs at most, and fewer than
 * @count if no more are available now. A caller that needs more calls again.
 *
 * The function does not wait for IDs. After -EAGAIN the caller can retry later;
 * IDs become available at the rate of &struct kuid_query.rate_max.
 *
 * It takes raw spinlocks, reads the clock and the random generator, and may
 * wake tasks that wait for IDs, which takes a lock of a runqueue. A caller that
 * interrupts one of these would deadlock: a tracepoint or hook of the
 * scheduler, or a handler of kprobes or ftrace on a function that this one
 * calls. The clock can't be read while syscore devices are suspended.
 *
 * Context: any but NMI, without a runqueue lock, not in such a handler, not
 * between syscore_suspend() and syscore_resume(). Never sleeps.
 * Return: the number of IDs that were made, at least 1, or:
 *
 * * -EINVAL: @format or @order is unknown, @order is KUID_ORDER_FILE, or @count
 *   is 0.
 * * -EAGAIN: no ID is available now. The window is used up or due to waiters;
 *   the module was just loaded and its first epoch is about to begin, or the
 *   kernel's random generator is not ready for that; the machine was just
 *   cloned, or is about to hibernate; or saved state is required, and there is
 *   no floor yet or no ceiling above the time of the IDs. Also in an NMI, and
 *   for v7 under PREEMPT_RT with preemption disabled.
 * * -ESTALE: @format shows a node or worker that may not be used until an
 *   administrator confirms or changes it, see &struct kuid_set_identity.
 * * -EKEYEXPIRED: @format shows a claimed number, at the ceiling of the claim.
 * * -ENOKEY: snowflake has no worker, see KUID_FROM_WORKER.
 * * -EOVERFLOW: snowflake can't hold the time.
 * * -ENODATA: saved state is required, and a floor or such a ceiling has been
 *   missing for 30 s.
 */
ssize_t kuid_ids_generate(u32 format, u32 order, void *ids, size_t count)
{
	struct kuid_request request = {
		.format = format ?: KUID_FORMAT_V1,
		.nonblock = true,
	};
	struct kuid_sink sink;
	enum kuid_order by;
	ssize_t ret;

	if (!kuid_format_ok(&request.format) || order > KUID_ORDER_HOST ||
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
	by = order == KUID_ORDER_HOST ? KUID_BY_HOST : KUID_BY_CPU;
	request.want = kuid_want_one(request.format, &kuid_ids_watermarks, by);
	kuid_sink_init(&sink, KUID_SINK_KERNEL, request.format, false,
		       min_t(size_t, count, KUID_SINK_MOST) *
			       kuid_formats[request.format].id_size);
	sink.kernel = ids;
	ret = kuid_make(&request, &sink);
	return ret ?: request.made.count;
}
EXPORT_SYMBOL_GPL(kuid_ids_generate);
