// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character device: nodes, open files, read and ioctl. Everything that
 * comes from userspace is checked here, and only here.
 */
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/capability.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "batch.h"
#include "chrdev.h"
#include "compat.h"
#include "host.h"
#include "make.h"
#include "queue.h"
#include "status.h"
#include "sysfs.h"

/* The ABI: the same on every architecture, for 32-bit and 64-bit programs. */
static_assert(sizeof(struct kuid_query) == 128);
static_assert(offsetof(struct kuid_query, rate_max) == 40);
static_assert(offsetof(struct kuid_query, order) == 72);
static_assert(sizeof(struct kuid_generate) == 64);
static_assert(offsetof(struct kuid_generate, epoch) == 32);
static_assert(sizeof(struct kuid_set_format) == 32);
static_assert(sizeof(struct kuid_status) == 512);
static_assert(offsetof(struct kuid_status, ids) == 96);
static_assert(sizeof(struct kuid_force_clock) == 32);
static_assert(sizeof(struct kuid_state) == 256);
static_assert(offsetof(struct kuid_state, reserved) == 112);
static_assert(sizeof(struct kuid_restore) == 64);
static_assert(sizeof(struct kuid_acknowledge) == 32);
static_assert(sizeof(struct kuid_set_identity) == 128);
static_assert(offsetof(struct kuid_set_identity, epoch) == 64);

/* Bounded so that the size of a batch in bytes fits any signed 32-bit type. */
#define KUID_CHR_BATCH_MAX SZ_64M

/* The nodes, by minor number. */
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

/*
 * kuid_file.mode: what a read gives, in one word so that it is never seen half
 * changed. From the first ID on KUID_MODE_TAKEN is set, and it stays as it is.
 */
#define KUID_MODE_FORMAT  GENMASK(7, 0)
#define KUID_MODE_ID_SIZE GENMASK(15, 8) /* the least a read must ask for */
#define KUID_MODE_ORDER	  GENMASK(17, 16)
#define KUID_MODE_TEXT	  BIT(30)
#define KUID_MODE_TAKEN	  BIT(31)

/**
 * struct kuid_rest - the end of a line that a read of text did not finish
 * @lock: so that lines of reads at the same time are not mixed up
 * @line: the line
 * @at: how much of it has been read
 * @size: how much there is of it; 0 if there is none
 *
 * @lock protects all of it.
 */
struct kuid_rest {
	struct mutex lock; /* held for the whole of a read */
	char line[KUID_LINE_MAX];
	u8 at;
	u8 size;
};

/**
 * struct kuid_file - an open file
 * @floors: written by the generator only
 * @mode: KUID_MODE_*; changed by compare-and-exchange
 * @rest: there in a file that gives text
 */
struct kuid_file {
	struct kuid_floors floors;
	u32 mode;
	struct kuid_rest rest[];
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

static int kuid_chr_open(struct inode *inode, struct file *file)
{
	const struct kuid_chr_node *node = &kuid_chr_nodes[iminor(inode)];
	struct kuid_file *kf;

	kf = kzalloc(struct_size(kf, rest, node->text), GFP_KERNEL);
	if (!kf)
		return -ENOMEM;
	kf->mode = kuid_chr_mode(node->format, KUID_ORDER_FILE, node->text);
	if (node->text)
		mutex_init(&kf->rest->lock);
	file->private_data = kf;
	/*
	 * The worker comes from the host name of now. If there can be no epoch
	 * yet, there will be one when it is needed.
	 */
	kuid_host_start(true);
	return stream_open(inode, file);
}

static int kuid_chr_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
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
static __always_inline int kuid_chr_begin(struct file *file, u32 format,
					  u32 order, size_t size,
					  struct kuid_batch *batch)
{
	struct kuid_file *kf = file->private_data;
	bool nonblock = file->f_flags & O_NONBLOCK;
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
		.floors = &kf->floors,
		.format = format ?: kuid_chr_mode_format(mode),
		.order = kuid_chr_order(order ?: kuid_chr_mode_order(mode)),
		.nonblock = nonblock,
	};
	return 0;
}

static noinline ssize_t kuid_chr_read_ids(struct file *file, char __user *buf,
					  size_t size)
{
	struct kuid_batch batch;
	unsigned int id_size;
	ssize_t done;
	int ret;

	ret = kuid_chr_begin(file, KUID_FORMAT_DEFAULT, KUID_ORDER_DEFAULT,
			     size, &batch);
	if (ret)
		return ret;
	id_size = kuid_batch_id_size(batch.format);
	done = kuid_batch_ids(&batch, (u8 __user *)buf, size / id_size);
	return done < 0 ? done : done * id_size;
}

/* Give what is left of a line, or as much of it as fits. */
static ssize_t kuid_chr_read_rest(struct kuid_rest *rest, char __user *buf,
				  size_t size)
{
	size_t n = min_t(size_t, size, rest->size - rest->at);

	lockdep_assert_held(&rest->lock);

	/* What could not be given stays for the next read. */
	if (copy_to_user(buf, rest->line + rest->at, n))
		return -EFAULT;
	rest->at += n;
	return n;
}

static ssize_t kuid_chr_read_lines(struct kuid_rest *rest,
				   struct kuid_batch *batch, char __user *buf,
				   size_t size)
{
	size_t line = kuid_batch_text_size(batch->format) + 1;
	size_t lines, given;
	ssize_t ret;

	lockdep_assert_held(&rest->lock);

	ret = kuid_chr_read_rest(rest, buf, size);
	if (ret < 0)
		return ret;
	given = ret;

	lines = (size - given) / line;
	if (lines) {
		ret = kuid_batch_lines(batch, (u8 __user *)buf + given, lines);
		if (ret < 0)
			return given ? given : ret;
		given += ret * line;
		if (ret < lines)
			return given;
	}

	if (given < size) {
		ret = kuid_batch_line(batch, rest->line);
		if (ret)
			return given ? given : ret;
		rest->size = line;
		rest->at = 0;
		ret = kuid_chr_read_rest(rest, buf + given, size - given);
		if (ret < 0) {
			/* Kept, it would come after what others are given. */
			rest->size = 0;
			return given ? given : ret;
		}
		given += ret;
	}
	return given;
}

static noinline ssize_t kuid_chr_read_text(struct file *file, char __user *buf,
					   size_t size)
{
	struct kuid_file *kf = file->private_data;
	struct kuid_rest *rest = kf->rest;
	struct kuid_batch batch;
	ssize_t ret;

	if (!size)
		return 0;
	ret = kuid_chr_begin(file, KUID_FORMAT_DEFAULT, KUID_ORDER_DEFAULT,
			     size, &batch);
	if (ret)
		return ret;
	if (batch.nonblock) {
		if (!mutex_trylock(&rest->lock)) {
			kuid_queue_wake_soon();
			return -EAGAIN;
		}
	} else {
		ret = mutex_lock_interruptible(&rest->lock);
		if (ret)
			return -ERESTARTSYS;
	}
	ret = kuid_chr_read_lines(rest, &batch, buf, size);
	mutex_unlock(&rest->lock);
	return ret;
}

/*
 * Make one ID in user memory, in the order of its file: what is asked for most,
 * so without anything that it can do without. Returns true, or false if it
 * takes a batch of one to make it, or to tell why it can't be made.
 */
static __always_inline bool kuid_chr_one(struct kuid_floors *floors,
					 const u32 format, u8 __user *to,
					 const size_t size, u8 *random,
					 kuid_put_t put)
{
	const enum kuid_source source = kuid_make_source(format);
	const u32 parts = kuid_make_parts(format);
	const u64 ahead = kuid_host.windows[source].one;

	if (unlikely(!kuid_queue_one_passes(source)))
		return false;

	const struct kuid_taken taken =
		kuid_make_take(floors, source, KUID_BY_FILE, parts, ahead, 1);

	return likely(taken.stamps.count) && likely(!taken.origin.closed) &&
	       kuid_make_store(format, &to, size, &taken, random, put);
}

/* Apart, because its buffer would have all others guard their stack. */
static noinline bool kuid_chr_one_v7(struct kuid_floors *floors, u8 __user *to)
{
	u8 random[KUID_V7_RANDOM_SIZE + KUID_V7_RANDOM_PAD];

	return kuid_chr_one(floors, KUID_FORMAT_V7, to, 16, random,
			    kuid_put_16);
}

static __always_inline bool kuid_chr_one_of(struct kuid_floors *floors,
					    u32 format, u8 __user *to)
{
	/* That of /dev/kuid first. */
	if (format == KUID_FORMAT_V1)
		return kuid_chr_one(floors, KUID_FORMAT_V1, to, 16, NULL,
				    kuid_put_16);
	switch (format) {
	case KUID_FORMAT_V6:
		return kuid_chr_one(floors, KUID_FORMAT_V6, to, 16, NULL,
				    kuid_put_16);
	case KUID_FORMAT_V7:
		return kuid_chr_one_v7(floors, to);
	case KUID_FORMAT_LEX:
		return kuid_chr_one(floors, KUID_FORMAT_LEX, to, 16, NULL,
				    kuid_put_16);
	case KUID_FORMAT_K64:
		return kuid_chr_one(floors, KUID_FORMAT_K64, to, 8, NULL,
				    kuid_put_8);
	case KUID_FORMAT_K96:
		return kuid_chr_one(floors, KUID_FORMAT_K96, to, 12, NULL,
				    kuid_put_12);
	default:
		return kuid_chr_one(floors, KUID_FORMAT_K128, to, 16, NULL,
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
	    likely(kuid_chr_one_of(&kf->floors, kuid_chr_mode_format(mode),
				   (u8 __user *)buf)))
		return size;
	if (kuid_chr_mode_text(mode))
		return kuid_chr_read_text(file, buf, size);
	return kuid_chr_read_ids(file, buf, size);
}

static __poll_t kuid_chr_poll(struct file *file, poll_table *wait)
{
	struct kuid_file *kf = file->private_data;
	u32 mode = READ_ONCE(kf->mode);
	u32 format = kuid_chr_mode_format(mode);
	__poll_t ready = 0;

	if (kuid_queue_poll(file, wait, kuid_batch_source(format), &kf->floors))
		ready = EPOLLIN | EPOLLRDNORM;
	if (kuid_batch_refused(format))
		ready = EPOLLERR;
	/* A read under way changes this, and there is no waiting for it. */
	if (kuid_chr_mode_text(mode) &&
	    READ_ONCE(kf->rest->at) < READ_ONCE(kf->rest->size))
		ready |= EPOLLIN | EPOLLRDNORM;
	return ready;
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
		.batch_ahead_ns = kuid_host.max_ahead / 2,
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

	ret = kuid_chr_begin(file, g.format, g.order, SIZE_MAX, &batch);
	if (ret)
		return ret;
	done = kuid_batch_ids(&batch, u64_to_user_ptr(g.buffer), g.count);
	if (done < 0)
		return done;

	g.done = done;
	g.epoch = batch.epoch;
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
	int ret;

	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (copy_from_user(&force, arg, sizeof(force)))
		return -EFAULT;
	if (force.flags != KUID_FORCE_CLOCK_MAY_REPEAT || force.reserved0 ||
	    memchr_inv(force.reserved, 0, sizeof(force.reserved)))
		return -EINVAL;
	ret = kuid_host_force_clock(&force.epoch);
	if (ret)
		return ret;
	return copy_to_user(arg, &force, sizeof(force)) ? -EFAULT : 0;
}

static long kuid_chr_get_state(struct kuid_state __user *arg)
{
	struct kuid_state state;
	int ret;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&state, arg, sizeof(state)))
		return -EFAULT;
	if (state.flags || state.reserved0 ||
	    memchr_inv(state.reserved, 0, sizeof(state.reserved)))
		return -EINVAL;
	ret = kuid_host_start(true);
	if (ret)
		return ret;
	kuid_status_fill_state(&state);
	return copy_to_user(arg, &state, sizeof(state)) ? -EFAULT : 0;
}

static long kuid_chr_restore(struct kuid_restore __user *arg)
{
	struct kuid_restore restore;
	int ret;

	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (copy_from_user(&restore, arg, sizeof(restore)))
		return -EFAULT;
	/* Either a floor, or the word that there is none. */
	if (restore.flags & ~KUID_RESTORE_FRESH ||
	    !restore.flags == !restore.floor_ns || restore.floor_ns > S64_MAX ||
	    restore.reserved0 ||
	    memchr_inv(restore.reserved, 0, sizeof(restore.reserved)))
		return -EINVAL;
	ret = kuid_host_restore(restore.floor_ns, &restore.epoch);
	if (ret)
		return ret;
	return copy_to_user(arg, &restore, sizeof(restore)) ? -EFAULT : 0;
}

static long kuid_chr_acknowledge(const struct kuid_acknowledge __user *arg)
{
	struct kuid_acknowledge acknowledge;

	if (!capable(CAP_SYS_TIME))
		return -EPERM;
	if (copy_from_user(&acknowledge, arg, sizeof(acknowledge)))
		return -EFAULT;
	if (acknowledge.ceiling_ns > S64_MAX || acknowledge.flags ||
	    acknowledge.reserved0 ||
	    memchr_inv(acknowledge.reserved, 0, sizeof(acknowledge.reserved)))
		return -EINVAL;
	return kuid_host_acknowledge(acknowledge.ceiling_ns);
}

static long kuid_chr_set_identity(struct kuid_set_identity __user *arg)
{
	struct kuid_set_identity set;
	int ret;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&set, arg, sizeof(set)))
		return -EFAULT;
	if (set.flags & ~KUID_IDENTITY_CONFIRM || set.reserved0 ||
	    memchr_inv(set.reserved, 0, sizeof(set.reserved)))
		return -EINVAL;
	ret = kuid_host_set_identity(&set, &set.epoch);
	if (ret)
		return ret;
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

static const struct file_operations kuid_chr_fops = {
	.owner = THIS_MODULE,
	.open = kuid_chr_open,
	.release = kuid_chr_release,
	.read = kuid_chr_read,
	.poll = kuid_chr_poll,
	.unlocked_ioctl = kuid_chr_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
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

	ret = alloc_chrdev_region(&kuid_chr_devt, 0, KUID_CHR_MINORS, "kuid");
	if (ret)
		return ret;

	ret = class_register(&kuid_chr_class);
	if (ret)
		goto err_region;

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
	/* Last, because from here on nodes can be opened. */
	cdev_init(&kuid_chr_cdev, &kuid_chr_fops);
	kuid_chr_cdev.owner = THIS_MODULE;
	ret = cdev_add(&kuid_chr_cdev, kuid_chr_devt, KUID_CHR_MINORS);
	if (ret)
		goto err_devices;
	return 0;

err_devices:
	kuid_chr_remove_devices(minor);
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
	cdev_del(&kuid_chr_cdev);
	kuid_chr_remove_devices(KUID_CHR_MINORS);
	class_unregister(&kuid_chr_class);
	unregister_chrdev_region(kuid_chr_devt, KUID_CHR_MINORS);
}
