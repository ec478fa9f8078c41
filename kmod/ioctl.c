// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands of <linux/kuid.h>. This file checks their structs and the
 * caller's capabilities; identity.c checks the parts of an identity to set.
 */
#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "compat.h"
#include "epochs.h"
#include "events.h"
#include "file.h"
#include "ioctl.h"
#include "make.h"
#include "sink.h"
#include "status.h"
#include "user.h"
#include "vmgen.h"

/* The size of the largest batch, in bytes, fits a signed 32-bit integer. */
#define KUID_IOCTL_BATCH_MAX SZ_64M

/*
 * Whether the last words of a struct are zero, as they must be. @count is a
 * constant: memchr_inv() of a few words would cost several times as much.
 */
static __always_inline bool kuid_ioctl_is_zero(const u64 *words, size_t count)
{
	u64 any = 0;

	while (count)
		any |= words[--count];
	return !any;
}

/* The general path, apart from the short path as that of a read. */
static noinline int kuid_ioctl_generate_any(struct file *file,
					    struct kuid_generate *g)
{
	struct kuid_request request kuid_compat_uninitialized;
	struct kuid_sink sink kuid_compat_uninitialized;
	int ret;

	ret = kuid_file_begin(file->private_data,
			      file->f_flags & O_NONBLOCK ||
				      g->flags & KUID_GENERATE_NOWAIT,
			      g->format, g->order, SIZE_MAX, &request);
	if (ret)
		return ret;
	kuid_sink_init(&sink, KUID_SINK_USER, request.format, false,
		       g->count * kuid_formats[request.format].id_size);
	sink.user = u64_to_user_ptr(g->buffer);
	ret = kuid_make(&request, &sink);
	g->done = request.made.count;
	g->epoch = request.made.epoch;
	g->load_id = request.made.load_id;
	return ret;
}

static long kuid_ioctl_generate(struct file *file,
				struct kuid_generate __user *arg)
{
	struct kuid_file *kf = file->private_data;
	u64 mode = READ_ONCE(kf->mode);
	struct kuid_made one = { 0 };
	struct kuid_generate g;
	enum kuid_order order;
	int ret;

	if (copy_from_user(&g, arg, sizeof(g)))
		return -EFAULT;
	if (!kuid_format_ok(&g.format) || g.order > KUID_ORDER_HOST ||
	    !g.count || g.count > KUID_IOCTL_BATCH_MAX ||
	    g.flags & ~KUID_GENERATE_NOWAIT || g.reserved0 ||
	    !kuid_ioctl_is_zero(g.reserved, ARRAY_SIZE(g.reserved)))
		return -EINVAL;

	/* Most calls ask for one ID. */
	order = kuid_file_order(g.order, mode);
	if (g.count == 1 && kuid_mode_is_fixed(mode) &&
	    likely(kuid_user_make_one(&kf->watermarks, order,
				      g.format ?: kuid_mode_format(mode),
				      u64_to_user_ptr(g.buffer), &one))) {
		g.done = 1;
		g.epoch = one.epoch;
		g.load_id = one.load_id;
	} else {
		ret = kuid_ioctl_generate_any(file, &g);
		if (ret)
			return ret;
	}
	if (put_user(g.done, &arg->done) || put_user(g.epoch, &arg->epoch) ||
	    put_user(g.load_id, &arg->load_id))
		return -EFAULT;
	return 0;
}

static int kuid_ioctl_query(struct kuid_file *kf, void *arg)
{
	struct kuid_query *q = arg;
	u64 mode = READ_ONCE(kf->mode);
	const struct kuid_format *row;
	u32 format;

	if (!kuid_format_ok(&q->format) || q->flags || q->reserved0)
		return -EINVAL;

	format = q->format ?: kuid_mode_format(mode);
	row = &kuid_formats[format];
	/* All other fields are zero: they were checked. */
	q->format = format;
	q->formats = GENMASK_ULL(KUID_NR_FORMATS - 1, KUID_FORMAT_V1);
	q->orders = GENMASK_ULL(KUID_ORDER_HOST, KUID_ORDER_CPU);
	q->id_size = row->id_size;
	q->batch_max = KUID_IOCTL_BATCH_MAX;
	q->clock_resolution_ns = kuid_status_resolution_ns();
	q->text_size = row->text_size;
	q->rate_max = kuid_scales[row->source].rate;
	q->max_ahead_ns = kuid_host.max_ahead;
	q->batch_ahead_ns = kuid_host.windows[KUID_STAMPS].batch;
	q->step_limit_ns = kuid_status_step_limit(row->source);
	q->order = KUID_ORDER_CPU + kuid_mode_order(mode);
	return 0;
}

static int kuid_ioctl_set_format(struct kuid_file *kf, void *arg)
{
	struct kuid_set_format *set = arg;
	u64 mode = READ_ONCE(kf->mode);
	u64 wanted;

	if (!kuid_format_ok(&set->format) || set->order > KUID_ORDER_HOST)
		return -EINVAL;

	do {
		if (kuid_mode_is_fixed(mode))
			return -EBUSY;
		wanted = kuid_mode(set->format ?: kuid_mode_format(mode),
				   kuid_file_order(set->order, mode),
				   kuid_mode_is_text(mode));
	} while (!try_cmpxchg(&kf->mode, &mode, wanted));
	return 0;
}

static int kuid_ioctl_status(struct kuid_file *kf, void *arg)
{
	struct kuid_status *status = arg;

	if (status->flags)
		return -EINVAL;
	kuid_status_fill(status);
	return 0;
}

static int kuid_ioctl_private_lane(struct kuid_file *kf, void *arg)
{
	struct kuid_private_lane *lane = arg;
	struct kuid_private_node node;
	int ret;

	if (lane->flags || lane->reserved0)
		return -EINVAL;
	/* A lane needs 64-bit atomics, which 32-bit programs may lack. */
	if (in_compat_syscall())
		return -EOPNOTSUPP;
	rcu_read_lock_sched();
	ret = kuid_generator_private_node(&kuid_host, &node);
	rcu_read_unlock_sched();
	if (ret)
		return ret;
	*lane = (struct kuid_private_lane) {
		.node = node.node,
		.generation = node.generation,
		.epoch = node.epoch,
		.load_id = node.load_id,
		.max_ahead_ns = kuid_host.max_ahead,
		.step_limit_ns = kuid_host.step_limit,
		.random = kuid_vmgen_random(),
	};
	return 0;
}

static int kuid_ioctl_state(struct kuid_file *kf, void *arg)
{
	struct kuid_state *state = arg;

	if (state->flags)
		return -EINVAL;
	kuid_status_fill_state(state);
	return 0;
}

static bool kuid_ioctl_cover_ok(const struct kuid_cover *cover)
{
	if (cover->flags & ~(KUID_COVER_BEGIN | KUID_COVER_BACK) ||
	    cover->ceiling_ns > KUID_TIME_MAX_NS || cover->reserved0)
		return false;
	if (!(cover->flags & KUID_COVER_BEGIN))
		return !cover->flags && !cover->floor_ns &&
		       !cover->again_from_ns && !cover->again_until_ns;
	return cover->floor_ns < cover->ceiling_ns &&
	       cover->again_from_ns <= cover->again_until_ns &&
	       cover->again_until_ns <= KUID_TIME_MAX_NS;
}

static int kuid_ioctl_cover(struct kuid_file *kf, void *arg)
{
	struct kuid_cover *cover = arg;

	if (!kuid_ioctl_cover_ok(cover))
		return -EINVAL;
	return cover->flags ? kuid_epochs_cover(cover)
			    : kuid_epochs_raise_cover(cover);
}

static int kuid_ioctl_set_identity(struct kuid_file *kf, void *arg)
{
	struct kuid_set_identity *set = arg;

	if (set->flags & ~KUID_IDENTITY_CONFIRM || set->reserved0)
		return -EINVAL;
	return kuid_epochs_set_identity(set);
}

static bool kuid_ioctl_claim_ok(const struct kuid_claim *claim)
{
	bool named = claim->token[0] || claim->token[1];

	/* A request has a token and numbers, or neither. */
	if (claim->parts & ~(KUID_CLAIM_WORKER | KUID_CLAIM_SNOWFLAKE) ||
	    named == !claim->parts || claim->reserved0)
		return false;
	if (!(claim->parts & KUID_CLAIM_WORKER) && claim->worker)
		return false;
	if (claim->snowflake_worker > (claim->parts & KUID_CLAIM_SNOWFLAKE
					       ? KUID_SNOWFLAKE_WORKER_MAX
					       : 0))
		return false;
	if (!claim->parts)
		return !claim->floor_ns && !claim->ceiling_ns &&
		       !claim->snowflake_epoch_ms && !claim->interval;
	return claim->floor_ns < claim->ceiling_ns &&
	       claim->ceiling_ns <= KUID_TIME_MAX_NS;
}

static int kuid_ioctl_claim(struct kuid_file *kf, void *arg)
{
	struct kuid_claim *claim = arg;

	if (!kuid_ioctl_claim_ok(claim))
		return -EINVAL;
	return kuid_epochs_claim(claim);
}

static int kuid_ioctl_claim_ceiling(struct kuid_file *kf, void *arg)
{
	struct kuid_claim_ceiling *raise = arg;
	struct kuid_claimed claim;
	bool end;
	int ret;

	/* A request has a ceiling or KUID_CLAIM_END, never both. */
	end = raise->flags & KUID_CLAIM_END;
	if (raise->flags & ~KUID_CLAIM_END || end == !!raise->ceiling_ns ||
	    raise->ceiling_ns > KUID_TIME_MAX_NS || raise->reserved0)
		return -EINVAL;
	claim = (struct kuid_claimed) {
		.token = { { raise->token[0], raise->token[1] } },
		.ceiling = raise->ceiling_ns,
		.dead = end ? KUID_CLAIM_ENDED : KUID_CLAIM_LIVES,
	};
	ret = kuid_epochs_raise_claim(raise->load_id, &claim);
	if (ret)
		return ret;
	raise->ceiling_ns = claim.ceiling;
	return 0;
}

/*
 * The commands but KUID_IOC_GENERATE: name, struct, whether there must be an
 * epoch, and the capability that the caller needs, -1 for none.
 */
/* clang-format off */
#define KUID_COMMANDS(COMMAND)						\
	COMMAND(QUERY,	       query,	      false, -1)		\
	COMMAND(SET_FORMAT,    set_format,    false, -1)		\
	COMMAND(STATUS,	       status,	      false, -1)		\
	COMMAND(PRIVATE_LANE,  private_lane,  true,  -1)		\
	COMMAND(GET_STATE,     state,	      true,  -1)		\
	COMMAND(COVER,	       cover,	      true,  CAP_SYS_TIME)	\
	COMMAND(SET_IDENTITY,  set_identity,  true,  CAP_SYS_ADMIN)	\
	COMMAND(CLAIM,	       claim,	      true,  CAP_SYS_ADMIN)	\
	COMMAND(CLAIM_CEILING, claim_ceiling, true,  CAP_SYS_TIME)
/* clang-format on */

/*
 * Carry out a command. @reserved, the last bytes of the struct, must be zero;
 * @run checks the other fields. Inlined, because copies of a constant size are
 * cheaper.
 */
static __always_inline long
kuid_ioctl_run(const unsigned int cmd, const bool started, const int capability,
	       struct kuid_file *kf, void __user *to, void *arg,
	       const u64 *reserved, const size_t reserved_count,
	       int (*run)(struct kuid_file *kf, void *arg))
{
	int ret;

	if (capability >= 0 && !capable(capability))
		return -EPERM;
	if (copy_from_user(arg, to, _IOC_SIZE(cmd)))
		return -EFAULT;
	if (!kuid_ioctl_is_zero(reserved, reserved_count))
		return -EINVAL;
	ret = started ? kuid_epochs_start_now() : 0;
	if (ret)
		return ret;
	ret = run(kf, arg);
	if (ret || !(_IOC_DIR(cmd) & _IOC_READ))
		return ret;
	/* The reserved words are zero in the caller's memory already. */
	return copy_to_user(to, arg,
			    _IOC_SIZE(cmd) - reserved_count * sizeof(u64))
		       ? -EFAULT
		       : 0;
}

/* Out of line, so that the frame of the short path stays small. */
static noinline long kuid_ioctl_command(struct kuid_file *kf, unsigned int cmd,
					void __user *to)
{
	kuid_events_look();
	switch (cmd) {
		/* clang-format off */
#define KUID_COMMAND(_CMD, _struct, _started, _capability)		\
	case KUID_IOC_##_CMD: {						\
		struct kuid_##_struct arg;				\
									\
		return kuid_ioctl_run(KUID_IOC_##_CMD, _started,	\
				      _capability, kf, to, &arg,		\
				      arg.reserved,			\
				      ARRAY_SIZE(arg.reserved),		\
				      kuid_ioctl_##_struct);		\
	}
	KUID_COMMANDS(KUID_COMMAND)
#undef KUID_COMMAND
		/* clang-format on */
	}
	return -ENOTTY;
}

/**
 * kuid_ioctl - carry out a command
 * @file: an open file of any of the device files
 * @cmd: KUID_IOC_*
 * @arg: user address of the command's struct
 *
 * Context: process. May sleep.
 * Return: 0, or a negative errno that <linux/kuid.h> describes; -ENOTTY if @cmd
 * is unknown.
 */
long kuid_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *to = (void __user *)arg;

	/* IDs are checked after they were stored. */
	return cmd == KUID_IOC_GENERATE
		       ? kuid_ioctl_generate(file, to)
		       : kuid_ioctl_command(file->private_data, cmd, to);
}
