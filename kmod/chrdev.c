// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character device: nodes, open files, read and ioctl. Everything that
 * comes from userspace is checked here, and only here.
 */
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "batch.h"
#include "chrdev.h"
#include "compat.h"
#include "epoch.h"

/* The ABI: the same on every architecture, for 32-bit and 64-bit programs. */
static_assert(sizeof(struct kuid_query) == 128);
static_assert(offsetof(struct kuid_query, rate_max) == 40);
static_assert(sizeof(struct kuid_generate) == 64);
static_assert(offsetof(struct kuid_generate, epoch) == 32);
static_assert(sizeof(struct kuid_set_format) == 32);

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

static u32 kuid_chr_mode(u32 format, bool text)
{
	return FIELD_PREP(KUID_MODE_FORMAT, format) |
	       FIELD_PREP(KUID_MODE_ID_SIZE,
			  text ? 0 : kuid_batch_id_size(format)) |
	       FIELD_PREP(KUID_MODE_TEXT, text);
}

static u32 kuid_chr_mode_format(u32 mode)
{
	return FIELD_GET(KUID_MODE_FORMAT, mode);
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
	kf->mode = kuid_chr_mode(node->format, node->text);
	if (node->text)
		mutex_init(&kf->rest->lock);
	file->private_data = kf;
	/*
	 * The worker comes from the host name of now. If there can be no epoch
	 * yet, there will be one when it is needed.
	 */
	kuid_epoch_get(true);
	return stream_open(inode, file);
}

static int kuid_chr_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

/*
 * Fill in what every batch of a file needs, in @format or, if that is
 * KUID_FORMAT_DEFAULT, the file's own, of which @size bytes must hold an ID.
 * From here on that can't be changed.
 */
static __always_inline int kuid_chr_begin(struct file *file, u32 format,
					  size_t size, struct kuid_batch *batch)
{
	struct kuid_file *kf = file->private_data;
	u32 mode = READ_ONCE(kf->mode);
	struct kuid_epoch *epoch;

	if (size < FIELD_GET(KUID_MODE_ID_SIZE, mode))
		return -EINVAL;

	batch->nonblock = file->f_flags & O_NONBLOCK;
	epoch = kuid_epoch_get(batch->nonblock);
	if (IS_ERR(epoch))
		return PTR_ERR(epoch);

	/* The format may have been changed meanwhile. */
	do {
		if (size < FIELD_GET(KUID_MODE_ID_SIZE, mode))
			return -EINVAL;
	} while (!(mode & KUID_MODE_TAKEN) &&
		 !try_cmpxchg(&kf->mode, &mode, mode | KUID_MODE_TAKEN));

	batch->epoch = epoch;
	batch->floors = &kf->floors;
	batch->format = format ?: kuid_chr_mode_format(mode);
	return 0;
}

static noinline ssize_t kuid_chr_read_ids(struct file *file, char __user *buf,
					  size_t size)
{
	struct kuid_batch batch;
	unsigned int id_size;
	ssize_t done;
	int ret;

	ret = kuid_chr_begin(file, KUID_FORMAT_DEFAULT, size, &batch);
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
				   const struct kuid_batch *batch,
				   char __user *buf, size_t size)
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
	ret = kuid_chr_begin(file, KUID_FORMAT_DEFAULT, size, &batch);
	if (ret)
		return ret;
	if (batch.nonblock) {
		if (!mutex_trylock(&rest->lock))
			return -EAGAIN;
	} else {
		ret = mutex_lock_interruptible(&rest->lock);
		if (ret)
			return -ERESTARTSYS;
	}
	ret = kuid_chr_read_lines(rest, &batch, buf, size);
	mutex_unlock(&rest->lock);
	return ret;
}

static ssize_t kuid_chr_read(struct file *file, char __user *buf, size_t size,
			     loff_t *pos)
{
	struct kuid_file *kf = file->private_data;
	struct kuid_epoch *epoch = kuid_epoch_peek();
	u32 mode = READ_ONCE(kf->mode);

	/* The usual case, one more ID, needs none of the rest. */
	if (epoch &&
	    (mode & (KUID_MODE_TAKEN | KUID_MODE_TEXT)) == KUID_MODE_TAKEN &&
	    size == FIELD_GET(KUID_MODE_ID_SIZE, mode) &&
	    likely(kuid_batch_one_id(epoch, &kf->floors,
				     kuid_chr_mode_format(mode),
				     (u8 __user *)buf)))
		return size;
	if (kuid_chr_mode_text(mode))
		return kuid_chr_read_text(file, buf, size);
	return kuid_chr_read_ids(file, buf, size);
}

static bool kuid_chr_format_ok(u32 format)
{
	return format <= KUID_FORMAT_K128;
}

static bool kuid_chr_order_ok(u32 order)
{
	return order == KUID_ORDER_DEFAULT || order == KUID_ORDER_FILE;
}

static long kuid_chr_query(struct kuid_file *kf, struct kuid_query __user *arg)
{
	struct kuid_query q;
	u32 format;

	if (copy_from_user(&q, arg, sizeof(q)))
		return -EFAULT;
	if (!kuid_chr_format_ok(q.format) || q.flags ||
	    memchr_inv(q.reserved, 0, sizeof(q.reserved)))
		return -EINVAL;

	format = q.format ?: kuid_chr_mode_format(READ_ONCE(kf->mode));
	q = (struct kuid_query) {
		.format = format,
		.formats = GENMASK_ULL(KUID_FORMAT_K128, KUID_FORMAT_V1),
		.orders = BIT_ULL(KUID_ORDER_FILE),
		.id_size = kuid_batch_id_size(format),
		.batch_max = KUID_CHR_BATCH_MAX,
		/* Clocks that tick faster than 1 GHz say 0. */
		.clock_resolution_ns = max(1U, ktime_get_resolution_ns()),
		.text_size = kuid_batch_text_size(format),
		.rate_max = kuid_batch_rate(format),
		.max_ahead_ns = KUID_MAX_AHEAD_NS,
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

	ret = kuid_chr_begin(file, g.format, SIZE_MAX, &batch);
	if (ret)
		return ret;
	done = kuid_batch_ids(&batch, u64_to_user_ptr(g.buffer), g.count);
	if (done < 0)
		return done;

	g.done = done;
	g.epoch = batch.epoch->number;
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
		wanted = mode;
		if (set.format)
			wanted = kuid_chr_mode(set.format,
					       kuid_chr_mode_text(mode));
	} while (!try_cmpxchg(&kf->mode, &mode, wanted));
	return 0;
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
	default:
		return -ENOTTY;
	}
}

static const struct file_operations kuid_chr_fops = {
	.owner = THIS_MODULE,
	.open = kuid_chr_open,
	.release = kuid_chr_release,
	.read = kuid_chr_read,
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

	cdev_init(&kuid_chr_cdev, &kuid_chr_fops);
	kuid_chr_cdev.owner = THIS_MODULE;
	ret = cdev_add(&kuid_chr_cdev, kuid_chr_devt, KUID_CHR_MINORS);
	if (ret)
		goto err_class;

	for (minor = 0; minor < KUID_CHR_MINORS; minor++) {
		struct device *dev;

		dev = device_create(&kuid_chr_class, NULL,
				    kuid_chr_devt + minor, NULL,
				    kuid_chr_nodes[minor].name);
		if (IS_ERR(dev)) {
			ret = PTR_ERR(dev);
			goto err_devices;
		}
	}
	return 0;

err_devices:
	kuid_chr_remove_devices(minor);
	cdev_del(&kuid_chr_cdev);
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
