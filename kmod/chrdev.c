// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character device: open files, read and ioctl. Everything that comes
 * from userspace is checked here, and only here.
 */
#include <linux/build_bug.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/kuid.h>

#include "chrdev.h"
#include "compat.h"
#include "core/uuid.h"
#include "epoch.h"

/* The ABI: the same on every architecture, for 32-bit and 64-bit programs. */
static_assert(sizeof(struct kuid_query) == 128);
static_assert(offsetof(struct kuid_query, rate_max) == 40);
static_assert(sizeof(struct kuid_generate) == 64);
static_assert(offsetof(struct kuid_generate, epoch) == 32);

#define KUID_CHR_MINORS 1

/* IDs made between two looks at signals and the scheduler. */
#define KUID_CHR_CHUNK 1024

/* Bounded so that the size of a batch in bytes fits any signed 32-bit type. */
#define KUID_CHR_BATCH_MAX SZ_64M

static dev_t kuid_chr_devt;
static struct cdev kuid_chr_cdev;
static struct kuid_clock kuid_chr_clock;

/**
 * struct kuid_file - an open file
 * @floor: the highest nanosecond given to this file; an atomic maximum,
 *	written by kuid_generator_reserve() only
 */
struct kuid_file {
	atomic64_t floor;
};

static int kuid_chr_open(struct inode *inode, struct file *file)
{
	struct kuid_file *kf = kzalloc(sizeof(*kf), GFP_KERNEL);

	if (!kf)
		return -ENOMEM;
	file->private_data = kf;
	return stream_open(inode, file);
}

static int kuid_chr_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

/* Stores an ID in userspace, inside user_access_begin(). */
static __always_inline bool kuid_chr_put_user(void *out, __be64 high,
					      __be64 low)
{
	__be64 __user *to = (__be64 __user __force *)out;

	unsafe_put_user(high, to, fault);
	unsafe_put_user(low, to + 1, fault);
	return true;
fault:
	return false;
}

/*
 * Make @count IDs of @epoch for @kf in the user memory at @to, with one
 * reservation. Returns how many there are: less than @count where @to can't be
 * written.
 */
static __always_inline u32 kuid_chr_give_chunk(struct kuid_file *kf,
					       struct kuid_epoch *epoch,
					       u8 __user *to, u32 count)
{
	struct kuid_stamps stamps;
	u32 done;

	stamps = kuid_generator_reserve(&kuid_chr_clock, epoch, &kf->floor,
					count);
	if (!user_access_begin(to, count * KUID_UUID_SIZE))
		return 0;
	done = kuid_v1_pack((void __force *)to, &stamps, &epoch->identity,
			    kuid_chr_put_user);
	user_access_end();
	return done;
}

/*
 * Make @count IDs of @epoch for @kf in the user memory at @to. Returns how
 * many there are: at least 1, less than @count after a signal or where @to
 * can't be written; or -EFAULT.
 */
static ssize_t kuid_chr_give(struct kuid_file *kf, struct kuid_epoch *epoch,
			     u8 __user *to, size_t count)
{
	size_t done = 0;

	/* A constant makes one ID, the usual case, as cheap as it can be. */
	if (count == 1)
		return kuid_chr_give_chunk(kf, epoch, to, 1) ? 1 : -EFAULT;

	for (;;) {
		u32 n = min_t(size_t, count - done, KUID_CHR_CHUNK);
		u32 given = kuid_chr_give_chunk(kf, epoch, to, n);

		done += given;
		if (done == count || given != n || signal_pending(current))
			break;
		to += n * KUID_UUID_SIZE;
		cond_resched();
	}
	return done ? done : -EFAULT;
}

static ssize_t kuid_chr_read(struct file *file, char __user *buf, size_t size,
			     loff_t *pos)
{
	struct kuid_epoch *epoch;
	ssize_t done;

	if (size < KUID_UUID_SIZE)
		return -EINVAL;
	epoch = kuid_epoch_get(file->f_flags & O_NONBLOCK);
	if (IS_ERR(epoch))
		return PTR_ERR(epoch);
	done = kuid_chr_give(file->private_data, epoch, (u8 __user *)buf,
			     size / KUID_UUID_SIZE);
	return done < 0 ? done : done * KUID_UUID_SIZE;
}

/* True if a format in a struct from userspace is one this file can give. */
static bool kuid_chr_format_ok(u32 format)
{
	return format == KUID_FORMAT_DEFAULT || format == KUID_FORMAT_V1;
}

static bool kuid_chr_order_ok(u32 order)
{
	return order == KUID_ORDER_DEFAULT || order == KUID_ORDER_FILE;
}

static long kuid_chr_query(struct kuid_query __user *arg)
{
	struct kuid_query q;

	if (copy_from_user(&q, arg, sizeof(q)))
		return -EFAULT;
	if (!kuid_chr_format_ok(q.format) || q.flags || q.reserved0 ||
	    memchr_inv(q.reserved, 0, sizeof(q.reserved)))
		return -EINVAL;

	q = (struct kuid_query) {
		.format = KUID_FORMAT_V1,
		.formats = BIT_ULL(KUID_FORMAT_V1),
		.orders = BIT_ULL(KUID_ORDER_FILE),
		.id_size = KUID_UUID_SIZE,
		.batch_max = KUID_CHR_BATCH_MAX,
		/* Clocks that tick faster than 1 GHz say 0. */
		.clock_resolution_ns = max(1U, ktime_get_resolution_ns()),
		.rate_max = NSEC_PER_SEC,
	};
	return copy_to_user(arg, &q, sizeof(q)) ? -EFAULT : 0;
}

static long kuid_chr_generate(struct file *file,
			      struct kuid_generate __user *arg)
{
	struct kuid_generate g;
	struct kuid_epoch *epoch;
	ssize_t done;

	if (copy_from_user(&g, arg, sizeof(g)))
		return -EFAULT;
	if (!kuid_chr_format_ok(g.format) || !kuid_chr_order_ok(g.order) ||
	    !g.count || g.count > KUID_CHR_BATCH_MAX || g.flags ||
	    g.reserved0 || memchr_inv(g.reserved, 0, sizeof(g.reserved)))
		return -EINVAL;

	epoch = kuid_epoch_get(file->f_flags & O_NONBLOCK);
	if (IS_ERR(epoch))
		return PTR_ERR(epoch);
	done = kuid_chr_give(file->private_data, epoch,
			     u64_to_user_ptr(g.buffer), g.count);
	if (done < 0)
		return done;

	g.done = done;
	g.epoch = epoch->number;
	return copy_to_user(arg, &g, sizeof(g)) ? -EFAULT : 0;
}

static long kuid_chr_ioctl(struct file *file, unsigned int cmd,
			   unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case KUID_IOC_QUERY:
		return kuid_chr_query(argp);
	case KUID_IOC_GENERATE:
		return kuid_chr_generate(file, argp);
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

/**
 * kuid_chr_init - make the device nodes
 *
 * Context: module load. When this returns 0 the device is in use.
 * Return: 0, or the errno of the step that failed, all before it undone.
 */
int __init kuid_chr_init(void)
{
	struct device *dev;
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

	dev = device_create(&kuid_chr_class, NULL, kuid_chr_devt, NULL, "kuid");
	if (IS_ERR(dev)) {
		ret = PTR_ERR(dev);
		goto err_cdev;
	}
	return 0;

err_cdev:
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
	device_destroy(&kuid_chr_class, kuid_chr_devt);
	cdev_del(&kuid_chr_cdev);
	class_unregister(&kuid_chr_class);
	unregister_chrdev_region(kuid_chr_devt, KUID_CHR_MINORS);
}
