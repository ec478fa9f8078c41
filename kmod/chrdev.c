// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character device: nodes, open files, reads and ioctls. Everything that
 * comes from userspace is checked here, and only here.
 */
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/cdev.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait_bit.h>
#include <uapi/linux/kuid.h>

#include "batch.h"
#include "chrdev.h"
#include "compat.h"
#include "host.h"
#include "iter.h"
#include "make.h"
#include "reserve.h"
#include "status.h"
#include "stream.h"
#include "sysfs.h"
#include "wait.h"

/* The ABI: the same on every architecture, for 32-bit and 64-bit programs. */
static_assert(sizeof(struct kuid_query) == 128);
static_assert(offsetof(struct kuid_query, rate_max) == 40);
static_assert(offsetof(struct kuid_query, order) == 72);
static_assert(sizeof(struct kuid_generate) == 64);
static_assert(offsetof(struct kuid_generate, epoch) == 32);
static_assert(offsetof(struct kuid_generate, load_id) == 40);
static_assert(sizeof(struct kuid_set_format) == 32);
static_assert(sizeof(struct kuid_status) == 512);
static_assert(offsetof(struct kuid_status, ids) == 104);
static_assert(sizeof(struct kuid_force_clock) == 32);
static_assert(sizeof(struct kuid_state) == 256);
static_assert(offsetof(struct kuid_state, epoch) == 80);
static_assert(offsetof(struct kuid_state, reserved) == 96);
static_assert(sizeof(struct kuid_restore) == 64);
static_assert(sizeof(struct kuid_acknowledge) == 32);
static_assert(sizeof(struct kuid_set_identity) == 128);
static_assert(offsetof(struct kuid_set_identity, epoch) == 32);
static_assert(offsetof(struct kuid_set_identity, load_id) == 40);

/* Bounded so that the size of a batch in bytes fits any signed 32-bit type. */
#define KUID_CHR_BATCH_MAX SZ_64M

/* By KUID_FORMAT_*. */
static const char *const kuid_chr_formats[] = {
	[KUID_FORMAT_V1] = "v1",     [KUID_FORMAT_V6] = "v6",
	[KUID_FORMAT_V7] = "v7",     [KUID_FORMAT_LEX] = "lex",
	[KUID_FORMAT_K64] = "k64",   [KUID_FORMAT_K96] = "k96",
	[KUID_FORMAT_K128] = "k128",
};

/* By KUID_ORDER_*. */
static const char *const kuid_chr_orders[] = {
	[KUID_ORDER_CPU] = "cpu",
	[KUID_ORDER_FILE] = "file",
	[KUID_ORDER_HOST] = "host",
};

/* The nodes, by minor number: /dev/kuid, then two for each format. */
static const struct kuid_chr_node {
	const char *name;
	u32 format;
	bool text;
} kuid_chr_nodes[] = {
	{ "kuid", KUID_FORMAT_V1, false },
	{ "kuids!v1", KUID_FORMAT_V1, false },
	{ "kuids!v1.txt", KUID_FORMAT_V1, true },
	{ "kuids!v6", KUID_FORMAT_V6, false },
	{ "kuids!v6.txt", KUID_FORMAT_V6, true },
	{ "kuids!v7", KUID_FORMAT_V7, false },
	{ "kuids!v7.txt", KUID_FORMAT_V7, true },
	{ "kuids!lex", KUID_FORMAT_LEX, false },
	{ "kuids!lex.txt", KUID_FORMAT_LEX, true },
	{ "kuids!k64", KUID_FORMAT_K64, false },
	{ "kuids!k64.txt", KUID_FORMAT_K64, true },
	{ "kuids!k96", KUID_FORMAT_K96, false },
	{ "kuids!k96.txt", KUID_FORMAT_K96, true },
	{ "kuids!k128", KUID_FORMAT_K128, false },
	{ "kuids!k128.txt", KUID_FORMAT_K128, true },
};

#define KUID_CHR_MINORS ARRAY_SIZE(kuid_chr_nodes)

static dev_t kuid_chr_devt;
static struct cdev kuid_chr_cdev;

enum kuid_chr_load {
	KUID_CHR_LOADING,
	KUID_CHR_LOADED,
	KUID_CHR_FAILED
};

/* Written by kuid_chr_init() only, by kuid_chr_end_load(). */
static enum kuid_chr_load kuid_chr_load;

/*
 * kuid_file.mode: what a read gives, in one word so that it is never seen half
 * changed. From the first ID on KUID_MODE_TAKEN is set, and it stays as it is:
 * then there is an epoch, too, which a quick read relies on.
 */
#define KUID_MODE_FORMAT  GENMASK(7, 0)
#define KUID_MODE_ID_SIZE GENMASK(15, 8) /* the least a read must ask for */
#define KUID_MODE_ORDER	  GENMASK(17, 16)
#define KUID_MODE_TEXT	  BIT(30)
#define KUID_MODE_TAKEN	  BIT(31)

/**
 * struct kuid_file - an open file
 * @watermarks: written by the generator only
 * @mode: KUID_MODE_*; changed by compare-and-exchange, read at once
 * @poller: who polls it
 * @stream: there in a file that gives text
 */
struct kuid_file {
	struct kuid_watermarks watermarks;
	u32 mode;
	struct kuid_poller poller;
	struct kuid_stream stream[];
};

static u32 kuid_chr_mode(u32 format, u32 order, bool text)
{
	return FIELD_PREP(KUID_MODE_FORMAT, format) |
	       FIELD_PREP(KUID_MODE_ID_SIZE,
			  text ? 0 : kuid_batch_id_size(format)) |
	       FIELD_PREP(KUID_MODE_ORDER, order) |
	       FIELD_PREP(KUID_MODE_TEXT, text);
}

static u32 kuid_chr_mode_format(u32 mode)
{
	return FIELD_GET(KUID_MODE_FORMAT, mode);
}

static u32 kuid_chr_mode_order(u32 mode)
{
	return FIELD_GET(KUID_MODE_ORDER, mode);
}

static bool kuid_chr_mode_text(u32 mode)
{
	return mode & KUID_MODE_TEXT;
}

static bool kuid_chr_load_is_over(void)
{
	return READ_ONCE(kuid_chr_load) != KUID_CHR_LOADING;
}

/*
 * Devices can be opened while others are still to be made. If one of those
 * can't be made, the load fails, and the kernel frees the module although an
 * open file holds a reference. So an open waits until the load is over.
 */
static int kuid_chr_wait_for_load(void)
{
	int ret;

	ret = wait_var_event_killable(&kuid_chr_load, kuid_chr_load_is_over());
	if (ret)
		return ret;
	return READ_ONCE(kuid_chr_load) == KUID_CHR_LOADED ? 0 : -ENODEV;
}

static int kuid_chr_open(struct inode *inode, struct file *file)
{
	const struct kuid_chr_node *node = &kuid_chr_nodes[iminor(inode)];
	struct kuid_file *kf;
	int ret;

	ret = kuid_chr_wait_for_load();
	if (ret)
		return ret;

	/* Anyone may, as often as may be. */
	kf = kzalloc(struct_size(kf, stream, node->text), GFP_KERNEL_ACCOUNT);
	if (!kf)
		return -ENOMEM;
	kf->mode = kuid_chr_mode(node->format, KUID_ORDER_FILE, node->text);
	kuid_poller_init(&kf->poller);
	if (node->text)
		kuid_stream_init(kf->stream);
	file->private_data = kf;
	/*
	 * The worker comes from the host name of now. If there can be no epoch
	 * yet, there will be one when it is needed.
	 */
	kuid_host_start_now();
	ret = stream_open(inode, file);
	/* io_uring needs no worker. What can't be sought can't be sent, either.
	 */
	file->f_mode |= FMODE_NOWAIT | FMODE_LSEEK;
	return ret;
}

/* Without this function there is no FMODE_LSEEK. */
static loff_t kuid_chr_llseek(struct file *file, loff_t offset, int whence)
{
	return -ESPIPE;
}

static int kuid_chr_release(struct inode *inode, struct file *file)
{
	struct kuid_file *kf = file->private_data;

	kuid_poller_exit(&kf->poller);
	kfree(kf);
	return 0;
}

static enum kuid_order kuid_chr_order(u32 order)
{
	switch (order) {
	case KUID_ORDER_CPU:
		return KUID_BY_CPU;
	case KUID_ORDER_HOST:
		return KUID_BY_HOST;
	default:
		return KUID_BY_FILE;
	}
}

/*
 * Fill in what every batch of a file needs, in @format and @order or, where
 * these are KUID_FORMAT_DEFAULT and KUID_ORDER_DEFAULT, the file's own, of
 * which @size bytes must hold an ID. From here on those can't be changed.
 */
static __always_inline int kuid_chr_begin(struct kuid_file *kf, bool nonblock,
					  u32 format, u32 order, size_t size,
					  struct kuid_batch *batch)
{
	u32 mode = READ_ONCE(kf->mode);
	int ret;

	if (size < FIELD_GET(KUID_MODE_ID_SIZE, mode))
		return -EINVAL;

	ret = kuid_host_start(nonblock);
	if (ret)
		return ret;

	/* The format may have been changed meanwhile. */
	do {
		if (size < FIELD_GET(KUID_MODE_ID_SIZE, mode))
			return -EINVAL;
	} while (!(mode & KUID_MODE_TAKEN) &&
		 !try_cmpxchg(&kf->mode, &mode, mode | KUID_MODE_TAKEN));

	*batch = (struct kuid_batch) {
		.watermarks = &kf->watermarks,
		.poller = &kf->poller,
		.format = format ?: kuid_chr_mode_format(mode),
		.order = kuid_chr_order(order ?: kuid_chr_mode_order(mode)),
		.nonblock = nonblock,
	};
	return 0;
}

static bool kuid_chr_nonblock(const struct file *file)
{
	return file->f_flags & O_NONBLOCK;
}

/* kuid_chr_begin() for what is read. */
static int kuid_chr_begin_read(struct kuid_file *kf, bool nonblock, size_t size,
			       struct kuid_batch *batch)
{
	return kuid_chr_begin(kf, nonblock, KUID_FORMAT_DEFAULT,
			      KUID_ORDER_DEFAULT, size, batch);
}

static noinline ssize_t kuid_chr_read_any(struct file *file, char __user *buf,
					  size_t size)
{
	struct kuid_file *kf = file->private_data;
	bool text = kuid_chr_mode_text(READ_ONCE(kf->mode));
	struct kuid_batch batch;
	unsigned int id_size;
	ssize_t ret;

	if (text && !size)
		return 0;
	ret = kuid_chr_begin_read(kf, kuid_chr_nonblock(file), size, &batch);
	if (ret)
		return ret;
	if (text)
		return kuid_stream_read(kf->stream, &batch, buf, size);
	id_size = kuid_batch_id_size(batch.format);
	ret = kuid_batch_ids(&batch, (u8 __user *)buf, size / id_size);
	return ret < 0 ? ret : ret * id_size;
}

/* As a read of the same size, to wherever. */
static ssize_t kuid_chr_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct kuid_file *kf = iocb->ki_filp->private_data;
	bool text = kuid_chr_mode_text(READ_ONCE(kf->mode));
	size_t size = iov_iter_count(to);
	struct kuid_batch batch;
	unsigned int id_size;
	ssize_t ret;

	if (text && !size)
		return 0;
	ret = kuid_chr_begin_read(kf,
				  iocb->ki_flags & IOCB_NOWAIT ||
					  kuid_chr_nonblock(iocb->ki_filp),
				  size, &batch);
	if (ret)
		return ret;
	if (text)
		return kuid_stream_read_iter(kf->stream, &batch, to);
	id_size = kuid_batch_id_size(batch.format);
	ret = kuid_iter_ids(&batch, to, size / id_size);
	return ret < 0 ? ret : ret * id_size;
}

/*
 * Make one ID in user memory, in the order of its file: what is asked for most,
 * so without anything that it can do without. Returns true, or false if it
 * takes a batch of one to make it, or to tell why it can't be made.
 */
static __always_inline bool kuid_chr_one(struct kuid_watermarks *watermarks,
					 const u32 format, u8 __user *to,
					 const size_t size, u8 *random,
					 kuid_put_t put)
{
	const enum kuid_source source = kuid_make_source(format);
	const u32 parts = kuid_make_parts(format);
	const u64 ahead = kuid_host.windows[source].one;

	if (!kuid_reserve_single_passes(source))
		return false;

	const struct kuid_taken taken = kuid_make_take(
		watermarks, source, KUID_BY_FILE, parts, ahead, 1);

	return likely(taken.stamps.count) && likely(!taken.origin.closed) &&
	       kuid_make_store(format, &to, size, &taken, random, put);
}

/* Apart, because its buffer would have all others guard their stack. */
static noinline bool kuid_chr_one_v7(struct kuid_watermarks *watermarks,
				     u8 __user *to)
{
	u8 random[KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];

	return kuid_chr_one(watermarks, KUID_FORMAT_V7, to, 16, random,
			    kuid_put_16);
}

static __always_inline bool kuid_chr_one_of(struct kuid_watermarks *watermarks,
					    u32 format, u8 __user *to)
{
	/* That of /dev/kuid first. */
	if (format == KUID_FORMAT_V1)
		return kuid_chr_one(watermarks, KUID_FORMAT_V1, to, 16, NULL,
				    kuid_put_16);
	switch (format) {
	case KUID_FORMAT_V6:
		return kuid_chr_one(watermarks, KUID_FORMAT_V6, to, 16, NULL,
				    kuid_put_16);
	case KUID_FORMAT_V7:
		return kuid_chr_one_v7(watermarks, to);
	case KUID_FORMAT_LEX:
		return kuid_chr_one(watermarks, KUID_FORMAT_LEX, to, 16, NULL,
				    kuid_put_16);
	case KUID_FORMAT_K64:
		return kuid_chr_one(watermarks, KUID_FORMAT_K64, to, 8, NULL,
				    kuid_put_8);
	case KUID_FORMAT_K96:
		return kuid_chr_one(watermarks, KUID_FORMAT_K96, to, 12, NULL,
				    kuid_put_12);
	default:
		return kuid_chr_one(watermarks, KUID_FORMAT_K128, to, 16, NULL,
				    kuid_put_16);
	}
}

/* The mode of a file that reads as most do, but for format and size. */
#define KUID_MODE_USUAL_MASK \
	(KUID_MODE_TAKEN | KUID_MODE_TEXT | KUID_MODE_ORDER)
#define KUID_MODE_USUAL (KUID_MODE_TAKEN | KUID_ORDER_FILE << 16)

static ssize_t kuid_chr_read(struct file *file, char __user *buf, size_t size,
			     loff_t *pos)
{
	struct kuid_file *kf = file->private_data;
	u32 mode = READ_ONCE(kf->mode);

	/* The usual case, one more ID, needs none of the rest. */
	if ((mode & KUID_MODE_USUAL_MASK) == KUID_MODE_USUAL &&
	    size == FIELD_GET(KUID_MODE_ID_SIZE, mode) &&
	    likely(kuid_chr_one_of(&kf->watermarks, kuid_chr_mode_format(mode),
				   (u8 __user *)buf)))
		return size;
	return kuid_chr_read_any(file, buf, size);
}

static __poll_t kuid_chr_poll(struct file *file, poll_table *wait)
{
	struct kuid_file *kf = file->private_data;
	u32 mode = READ_ONCE(kf->mode);
	const struct kuid_batch batch = {
		.watermarks = &kf->watermarks,
		.format = kuid_chr_mode_format(mode),
		.order = kuid_chr_order(kuid_chr_mode_order(mode)),
	};
	__poll_t ready = 0;
	u64 when;
	int ret;

	/* First, so that no change is missed after the look. */
	kuid_poller_add(&kf->poller, file, wait);
	if (kuid_chr_mode_text(mode) && kuid_stream_ready(kf->stream))
		ready = EPOLLIN | EPOLLRDNORM;
	if (kuid_host_start(true)) {
		/* The random generator tells nobody when it is ready. */
		kuid_poller_wake_at(&kf->poller, ktime_get_ns());
		return ready;
	}
	ret = kuid_reserve_ready(&batch, &when);
	switch (ret) {
	case 0:
		return EPOLLIN | EPOLLRDNORM;
	case -EAGAIN:
		kuid_poller_wake_at(&kf->poller, when);
		return ready;
	case -ENODATA:
		return EPOLLIN | EPOLLERR;
	default:
		return ready | EPOLLERR;
	}
}

static bool kuid_chr_format_ok(u32 format)
{
	return format <= KUID_FORMAT_K128;
}

static bool kuid_chr_order_ok(u32 order)
{
	return order <= KUID_ORDER_HOST;
}

static long kuid_chr_query(struct kuid_file *kf, struct kuid_query __user *arg)
{
	u32 mode = READ_ONCE(kf->mode);
	struct kuid_query q;
	u32 format;

	if (copy_from_user(&q, arg, sizeof(q)))
		return -EFAULT;
	if (!kuid_chr_format_ok(q.format) || q.flags || q.reserved0 ||
	    memchr_inv(q.reserved, 0, sizeof(q.reserved)))
		return -EINVAL;

	format = q.format ?: kuid_chr_mode_format(mode);
	q = (struct kuid_query) {
		.format = format,
		.formats = GENMASK_ULL(KUID_FORMAT_K128, KUID_FORMAT_V1),
		.orders = GENMASK_ULL(KUID_ORDER_HOST, KUID_ORDER_CPU),
		.id_size = kuid_batch_id_size(format),
		.batch_max = KUID_CHR_BATCH_MAX,
		.clock_resolution_ns = kuid_status_resolution_ns(),
		.text_size = kuid_batch_text_size(format),
		.rate_max = kuid_batch_rate(format),
		.max_ahead_ns = kuid_host.max_ahead,
		.batch_ahead_ns = kuid_host.windows[KUID_STAMPS].batch,
		.step_limit_ns =
			kuid_status_step_limit(kuid_batch_source(format)),
		.order = kuid_chr_mode_order(mode),
	};
	return copy_to_user(arg, &q, sizeof(q)) ? -EFAULT : 0;
}

static long kuid_chr_generate(struct file *file,
			      struct kuid_generate __user *arg)
{
	struct kuid_generate g;
	struct kuid_batch batch;
	ssize_t done;
	int ret;

	if (copy_from_user(&g, arg, sizeof(g)))
		return -EFAULT;
	if (!kuid_chr_format_ok(g.format) || !kuid_chr_order_ok(g.order) ||
	    !g.count || g.count > KUID_CHR_BATCH_MAX || g.flags ||
	    g.reserved0 || memchr_inv(g.reserved, 0, sizeof(g.reserved)))
		return -EINVAL;

	ret = kuid_chr_begin(file->private_data, kuid_chr_nonblock(file),
			     g.format, g.order, SIZE_MAX, &batch);
	if (ret)
		return ret;
	done = kuid_batch_ids(&batch, u64_to_user_ptr(g.buffer), g.count);
	if (done < 0)
		return done;

	g.done = done;
	g.epoch = batch.epoch;
	g.load_id = batch.load_id;
	return copy_to_user(arg, &g, sizeof(g)) ? -EFAULT : 0;
}

static long kuid_chr_set_format(struct kuid_file *kf,
				const struct kuid_set_format __user *arg)
{
	u32 mode = READ_ONCE(kf->mode);
	struct kuid_set_format set;
	u32 wanted;

	if (copy_from_user(&set, arg, sizeof(set)))
		return -EFAULT;
	if (!kuid_chr_format_ok(set.format) || !kuid_chr_order_ok(set.order) ||
	    memchr_inv(set.reserved, 0, sizeof(set.reserved)))
		return -EINVAL;

	do {
		if (mode & KUID_MODE_TAKEN)
			return -EBUSY;
		wanted = kuid_chr_mode(set.format ?: kuid_chr_mode_format(mode),
				       set.order ?: kuid_chr_mode_order(mode),
				       kuid_chr_mode_text(mode));
	} while (!try_cmpxchg(&kf->mode, &mode, wanted));
	return 0;
}

static long kuid_chr_status(struct kuid_status __user *arg)
{
	struct kuid_status status;

	if (copy_from_user(&status, arg, sizeof(status)))
		return -EFAULT;
	if (status.flags ||
	    memchr_inv(status.reserved, 0, sizeof(status.reserved)))
		return -EINVAL;
	kuid_status_fill(&status);
	return copy_to_user(arg, &status, sizeof(status)) ? -EFAULT : 0;
}

static long kuid_chr_force_clock(struct kuid_force_clock __user *arg)
{
	struct kuid_force_clock force;
	struct kuid_epoch_name name;
	int ret;

	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (copy_from_user(&force, arg, sizeof(force)))
		return -EFAULT;
	if (force.flags != KUID_FORCE_CLOCK_MAY_REPEAT || force.reserved0 ||
	    memchr_inv(force.reserved, 0, sizeof(force.reserved)))
		return -EINVAL;
	ret = kuid_host_force_clock(&name);
	if (ret)
		return ret;
	force.epoch = name.number;
	force.load_id = name.load_id;
	return copy_to_user(arg, &force, sizeof(force)) ? -EFAULT : 0;
}

static long kuid_chr_get_state(struct kuid_state __user *arg)
{
	struct kuid_state state;
	int ret;

	if (copy_from_user(&state, arg, sizeof(state)))
		return -EFAULT;
	if (state.flags ||
	    memchr_inv(state.reserved, 0, sizeof(state.reserved)))
		return -EINVAL;
	ret = kuid_host_start_now();
	if (ret)
		return ret;
	kuid_status_fill_state(&state);
	return copy_to_user(arg, &state, sizeof(state)) ? -EFAULT : 0;
}

static long kuid_chr_restore(struct kuid_restore __user *arg)
{
	struct kuid_restore restore;
	struct kuid_epoch_name name;
	int ret;

	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (copy_from_user(&restore, arg, sizeof(restore)))
		return -EFAULT;
	/* Either a floor, or the word that there is none. */
	if (restore.flags & ~KUID_RESTORE_FRESH ||
	    !restore.flags == !restore.floor_ns ||
	    restore.floor_ns > KUID_TIME_MAX_NS || restore.reserved0 ||
	    memchr_inv(restore.reserved, 0, sizeof(restore.reserved)))
		return -EINVAL;
	ret = kuid_host_restore(restore.floor_ns, &name);
	if (ret)
		return ret;
	restore.epoch = name.number;
	restore.load_id = name.load_id;
	return copy_to_user(arg, &restore, sizeof(restore)) ? -EFAULT : 0;
}

static long kuid_chr_acknowledge(const struct kuid_acknowledge __user *arg)
{
	struct kuid_acknowledge acknowledge;

	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (copy_from_user(&acknowledge, arg, sizeof(acknowledge)))
		return -EFAULT;
	if (acknowledge.ceiling_ns > KUID_TIME_MAX_NS || acknowledge.flags ||
	    acknowledge.reserved0 ||
	    memchr_inv(acknowledge.reserved, 0, sizeof(acknowledge.reserved)))
		return -EINVAL;
	return kuid_host_acknowledge(acknowledge.ceiling_ns);
}

static long kuid_chr_set_identity(struct kuid_set_identity __user *arg)
{
	struct kuid_set_identity set;
	struct kuid_epoch_name name;
	int ret;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&set, arg, sizeof(set)))
		return -EFAULT;
	if (set.flags & ~KUID_IDENTITY_CONFIRM ||
	    memchr_inv(set.reserved, 0, sizeof(set.reserved)))
		return -EINVAL;
	ret = kuid_host_set_identity(&set, &name);
	if (ret)
		return ret;
	set.epoch = name.number;
	set.load_id = name.load_id;
	return copy_to_user(arg, &set, sizeof(set)) ? -EFAULT : 0;
}

static long kuid_chr_ioctl(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case KUID_IOC_QUERY:
		return kuid_chr_query(file->private_data, argp);
	case KUID_IOC_GENERATE:
		return kuid_chr_generate(file, argp);
	case KUID_IOC_SET_FORMAT:
		return kuid_chr_set_format(file->private_data, argp);
	case KUID_IOC_STATUS:
		return kuid_chr_status(argp);
	case KUID_IOC_FORCE_CLOCK:
		return kuid_chr_force_clock(argp);
	case KUID_IOC_GET_STATE:
		return kuid_chr_get_state(argp);
	case KUID_IOC_RESTORE:
		return kuid_chr_restore(argp);
	case KUID_IOC_ACKNOWLEDGE:
		return kuid_chr_acknowledge(argp);
	case KUID_IOC_SET_IDENTITY:
		return kuid_chr_set_identity(argp);
	default:
		return -ENOTTY;
	}
}

/* For /proc/PID/fdinfo. */
static void kuid_chr_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct kuid_file *kf = file->private_data;
	u32 mode = READ_ONCE(kf->mode);

	seq_printf(seq, "kuid-format:\t%s\n",
		   kuid_chr_formats[kuid_chr_mode_format(mode)]);
	seq_printf(seq, "kuid-text:\t%u\n", kuid_chr_mode_text(mode));
	seq_printf(seq, "kuid-order:\t%s\n",
		   kuid_chr_orders[kuid_chr_mode_order(mode)]);
	seq_printf(seq, "kuid-taken:\t%u\n", !!(mode & KUID_MODE_TAKEN));
}

/*
 * read_iter is for whoever has no one piece of user memory to read into, and
 * for io_uring. read does without the buffer that it takes.
 */
static const struct file_operations kuid_chr_fops = {
	.owner = THIS_MODULE,
	.open = kuid_chr_open,
	.release = kuid_chr_release,
	.llseek = kuid_chr_llseek,
	.read = kuid_chr_read,
	.read_iter = kuid_chr_read_iter,
	.splice_read = kuid_compat_splice_read,
	.poll = kuid_chr_poll,
	.unlocked_ioctl = kuid_chr_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.show_fdinfo = kuid_chr_show_fdinfo,
};

/* IDs are for everyone, and there is nothing to write. */
static char *kuid_chr_devnode(kuid_compat_devnode_const struct device *dev,
			      umode_t *mode)
{
	if (mode)
		*mode = 0444;
	return NULL;
}

static struct class kuid_chr_class = {
	.name = "kuid",
	.devnode = kuid_chr_devnode,
};

static void kuid_chr_remove_devices(unsigned int count)
{
	while (count--)
		device_destroy(&kuid_chr_class, kuid_chr_devt + count);
}

static void kuid_chr_end_load(enum kuid_chr_load how)
{
	/* The barrier pairs with that of prepare_to_wait_event() in an open. */
	smp_store_mb(kuid_chr_load, how);
	wake_up_var(&kuid_chr_load);
}

/*
 * Opens that were under way when the load failed have returned when nothing
 * but the load itself holds a reference to the module.
 */
static void kuid_chr_wait_for_opens(void)
{
#if defined(MODULE) && defined(CONFIG_MODULE_UNLOAD)
	while (module_refcount(THIS_MODULE) > 1)
		msleep(20);
#endif
}

/**
 * kuid_chr_init - make the device nodes
 *
 * Context: module load. When this returns 0 the device is in use.
 * Return: 0, or the errno of the step that failed, all before it undone.
 */
int __init kuid_chr_init(void)
{
	unsigned int minor;
	int ret;

	kuid_sysfs_init();
	ret = alloc_chrdev_region(&kuid_chr_devt, 0, KUID_CHR_MINORS, "kuid");
	if (ret)
		return ret;

	ret = class_register(&kuid_chr_class);
	if (ret)
		goto err_region;

	/* Before the devices: they are announced when they are made. */
	cdev_init(&kuid_chr_cdev, &kuid_chr_fops);
	kuid_chr_cdev.owner = THIS_MODULE;
	ret = cdev_add(&kuid_chr_cdev, kuid_chr_devt, KUID_CHR_MINORS);
	if (ret)
		goto err_class;

	for (minor = 0; minor < KUID_CHR_MINORS; minor++) {
		/* The attributes are of all nodes, and lie with the first. */
		const struct attribute_group **groups =
			minor ? NULL : kuid_sysfs_groups;
		struct device *dev;

		dev = device_create_with_groups(&kuid_chr_class, NULL,
						kuid_chr_devt + minor, NULL,
						groups, "%s",
						kuid_chr_nodes[minor].name);
		if (IS_ERR(dev)) {
			ret = PTR_ERR(dev);
			goto err_devices;
		}
	}
	kuid_chr_end_load(KUID_CHR_LOADED);
	return 0;

err_devices:
	kuid_chr_end_load(KUID_CHR_FAILED);
	kuid_chr_remove_devices(minor);
	cdev_del(&kuid_chr_cdev);
	kuid_chr_wait_for_opens();
err_class:
	class_unregister(&kuid_chr_class);
err_region:
	unregister_chrdev_region(kuid_chr_devt, KUID_CHR_MINORS);
	return ret;
}

/**
 * kuid_chr_exit - remove the device nodes
 *
 * Context: module unload: no file is open.
 */
void kuid_chr_exit(void)
{
	kuid_chr_remove_devices(KUID_CHR_MINORS);
	cdev_del(&kuid_chr_cdev);
	class_unregister(&kuid_chr_class);
	unregister_chrdev_region(kuid_chr_devt, KUID_CHR_MINORS);
}
