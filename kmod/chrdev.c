// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character device: device files, open, read and poll. ioctl.c has the
 * commands, page.c has mmap, sysfs.c the attributes; make.c makes the IDs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cdev.h>
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/poll.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uio.h>
#include <uapi/linux/kuid.h>

#include "chrdev.h"
#include "compat.h"
#include "epochs.h"
#include "file.h"
#include "ioctl.h"
#include "make.h"
#include "page.h"
#include "param.h"
#include "reserve.h"
#include "sink.h"
#include "sysfs.h"
#include "user.h"

/* Names for fdinfo. */
static const char *const kuid_chr_orders[] = {
	[KUID_BY_CPU] = "cpu",
	[KUID_BY_FILE] = "file",
	[KUID_BY_HOST] = "host",
};

/*
 * The device files, indexed by minor number: /dev/kuid, then four for each
 * format. A shell, and programs of languages without ioctl, have the order of
 * the host by the files in /dev/kuids/host.
 */
/* clang-format off */
static const struct kuid_chr_device {
	const char *name;
	u32 format;
	enum kuid_order order;
	bool text;
} kuid_chr_devices[] = {
	{ "kuid", KUID_FORMAT_V1, KUID_BY_FILE, false },
#define KUID_CHR_DEVICE(_dir, _name, _NAME, _order)			\
	{ "kuids!" _dir #_name, KUID_FORMAT_##_NAME, _order, false },	\
	{ "kuids!" _dir #_name ".txt", KUID_FORMAT_##_NAME, _order, true },
#define KUID_CHR_DEVICES(_name, _NAME, ...)				\
	KUID_CHR_DEVICE("", _name, _NAME, KUID_BY_FILE)			\
	KUID_CHR_DEVICE("host!", _name, _NAME, KUID_BY_HOST)
	KUID_FORMATS(KUID_CHR_DEVICES)
#undef KUID_CHR_DEVICES
#undef KUID_CHR_DEVICE
};

/* clang-format on */

#define KUID_CHR_MINORS ARRAY_SIZE(kuid_chr_devices)

static dev_t kuid_chr_devt;
static struct cdev kuid_chr_cdev;

static int kuid_chr_open(struct inode *inode, struct file *file)
{
	const struct kuid_chr_device *device = &kuid_chr_devices[iminor(inode)];
	struct kuid_file *kf;
	int ret;

	/* Any user may open files without limit, so charge the memory. */
	kf = kzalloc(struct_size(kf, stream, device->text), GFP_KERNEL_ACCOUNT);
	if (!kf)
		return -ENOMEM;
	kf->mode = kuid_mode(device->format, device->order, device->text);
	kuid_poller_init(&kf->poller);
	if (device->text)
		kuid_stream_init(kf->stream);
	file->private_data = kf;
	/*
	 * Begin the first epoch now, so that its worker is made from the
	 * current host name. If that fails, the first call that needs an epoch
	 * tries again.
	 */
	kuid_epochs_start_now();
	ret = stream_open(inode, file);
	/*
	 * With FMODE_NOWAIT, io_uring reads without a worker thread. Without
	 * FMODE_LSEEK, sendfile() takes no target but a pipe: it would drop the
	 * end of an ID for which another target has no room.
	 */
	file->f_mode |= FMODE_NOWAIT;
	return ret;
}

static int kuid_chr_release(struct inode *inode, struct file *file)
{
	struct kuid_file *kf = file->private_data;

	kuid_poller_exit(&kf->poller);
	kfree_rcu(kf, rcu);
	return 0;
}

/*
 * The general path: read into an iov_iter, or into user memory if @iter is
 * NULL. Apart from the short path, because the kernel may clear its large frame.
 */
static noinline ssize_t kuid_chr_read_any(struct file *file, bool nonblock,
					  char __user *buf, size_t size,
					  struct iov_iter *iter)
{
	struct kuid_file *kf = file->private_data;
	bool text = kuid_mode_is_text(READ_ONCE(kf->mode));
	struct kuid_request request kuid_compat_uninitialized;
	struct kuid_sink sink kuid_compat_uninitialized;
	ssize_t ret;

	if (text && !size)
		return 0;
	ret = kuid_file_begin(kf, nonblock || file->f_flags & O_NONBLOCK,
			      KUID_FORMAT_DEFAULT, KUID_ORDER_DEFAULT, size,
			      &request);
	if (ret)
		return ret;
	if (iter) {
		kuid_sink_init(&sink, KUID_SINK_ITER, request.format, text,
			       size);
		sink.iter = iter;
	} else {
		kuid_sink_init(&sink, KUID_SINK_USER, request.format, text,
			       size);
		sink.user = (u8 __user *)buf;
	}
	ret = text ? kuid_stream_read(kf->stream, &request, &sink)
		   : kuid_make(&request, &sink);
	size -= sink.left;
	return size ?: ret;
}

static ssize_t kuid_chr_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	return kuid_chr_read_any(iocb->ki_filp, iocb->ki_flags & IOCB_NOWAIT,
				 NULL, iov_iter_count(to), to);
}

static ssize_t kuid_chr_read(struct file *file, char __user *buf, size_t size,
			     loff_t *pos)
{
	struct kuid_file *kf = file->private_data;
	u64 mode = READ_ONCE(kf->mode);
	enum kuid_order order = kuid_mode_order(mode);
	u32 format = kuid_mode_format(mode);

	/* Most reads ask for one more binary ID, which takes a short path. */
	if (likely(kuid_mode_is_single(mode, size)) &&
	    likely(kuid_user_make_one(&kf->watermarks, order, format,
				      (u8 __user *)buf, NULL)))
		return size;
	return kuid_chr_read_any(file, false, buf, size, NULL);
}

static __poll_t kuid_chr_poll(struct file *file, poll_table *wait)
{
	struct kuid_file *kf = file->private_data;
	u64 mode = READ_ONCE(kf->mode);
	const struct kuid_request request = {
		.want = kuid_want_one(kuid_mode_format(mode), &kf->watermarks,
				      kuid_mode_order(mode)),
		.single = true,
	};
	__poll_t ready = 0;
	u64 when;
	int ret;

	/*
	 * Register before the checks: otherwise a change between them would
	 * wake nobody.
	 */
	kuid_poller_add(&kf->poller, file, wait);
	if (kuid_mode_is_text(mode) && kuid_stream_has_rest(kf->stream))
		ready = EPOLLIN | EPOLLRDNORM;
	if (kuid_epochs_start(true)) {
		/*
		 * Nothing notifies a module when the kernel's random generator
		 * becomes ready, so the poller looks again soon.
		 */
		kuid_poller_wake_at(&kf->poller,
				    ktime_get_ns() + 100 * NSEC_PER_MSEC);
		return ready;
	}
	ret = kuid_reserve_ready(&request, &when);
	switch (ret) {
	case 0:
		return EPOLLIN | EPOLLRDNORM;
	case -EAGAIN:
		kuid_poller_wake_at(&kf->poller, when);
		return ready;
	default:
		/* Go's runtime takes EPOLLERR alone for an error of its own. */
		return EPOLLIN | EPOLLERR;
	}
}

/* Adds the file's mode to /proc/PID/fdinfo/FD. */
static void kuid_chr_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct kuid_file *kf = file->private_data;
	u64 mode = READ_ONCE(kf->mode);

	seq_printf(seq, "kuid-format:\t%s\n",
		   kuid_formats[kuid_mode_format(mode)].name);
	seq_printf(seq, "kuid-text:\t%u\n", kuid_mode_is_text(mode));
	seq_printf(seq, "kuid-order:\t%s\n",
		   kuid_chr_orders[kuid_mode_order(mode)]);
	seq_printf(seq, "kuid-taken:\t%u\n", kuid_mode_is_fixed(mode));
}

/*
 * read() packs IDs directly into user memory. read_iter() serves readv, splice
 * and io_uring; it makes IDs in a buffer and copies them, because the end of a
 * segment may cut an ID.
 */
static const struct file_operations kuid_chr_fops = {
	.owner = THIS_MODULE,
	.open = kuid_chr_open,
	.release = kuid_chr_release,
	.read = kuid_chr_read,
	.read_iter = kuid_chr_read_iter,
	.splice_read = kuid_compat_splice_read,
	.poll = kuid_chr_poll,
	.unlocked_ioctl = kuid_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = kuid_page_mmap,
	.show_fdinfo = kuid_chr_show_fdinfo,
};

/* Every user may read IDs unless told otherwise; the device takes no input. */
static umode_t kuid_chr_mode = 0444;

static int kuid_chr_mode_set(const char *text, const struct kernel_param *kp)
{
	unsigned int mode;

	/*
	 * kstrtouint() would also accept a sign. devtmpfs takes 0 for no
	 * answer, and makes files with 0600.
	 */
	if (!isdigit(*text) || kstrtouint(text, 8, &mode) || !mode ||
	    mode & ~0444U) {
		pr_err("%s=%s: must be 0444 or part of it\n", kp->name, text);
		return -EINVAL;
	}
	kuid_chr_mode = mode;
	return 0;
}

static const struct kernel_param_ops kuid_chr_mode_ops = {
	.set = kuid_chr_mode_set,
};

module_param_cb(mode, &kuid_chr_mode_ops, NULL, 0);
MODULE_PARM_DESC(mode, "permissions of the device files (0444)");

/* No type of linux/uidgid.h is named: there, kuid is a user ID. */
static char *kuid_chr_devnode(kuid_compat_devnode_const struct device *dev,
			      umode_t *mode, typeof(GLOBAL_ROOT_UID) *uid,
			      typeof(GLOBAL_ROOT_GID) *gid)
{
	if (mode)
		*mode = kuid_chr_mode;
	if (gid)
		*gid = KGIDT_INIT(kuid_param_gid());
	return NULL;
}

static void kuid_chr_free_device(struct device *dev)
{
	kfree(dev);
}

/* A class could tell devtmpfs the mode, but not the group. */
static const struct device_type kuid_chr_type = {
	.devnode = kuid_chr_devnode,
	.release = kuid_chr_free_device,
};

static struct class kuid_chr_class = {
	.name = "kuid",
};

/* On failure, all other devices work without this one. */
static void __init kuid_chr_create_device(unsigned int minor)
{
	const char *name = kuid_chr_devices[minor].name;
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int ret = -ENOMEM;

	if (dev) {
		device_initialize(dev);
		dev->class = &kuid_chr_class;
		dev->type = &kuid_chr_type;
		dev->devt = kuid_chr_devt + minor;
		/* They describe the host, so only the first device has them. */
		dev->groups = minor ? NULL : kuid_sysfs_groups;
		ret = dev_set_name(dev, "%s", name) ?: device_add(dev);
		if (ret)
			put_device(dev);
	}
	if (ret)
		pr_err("can't create the device %s: %d\n", name, ret);
}

/**
 * kuid_chr_init - create the device files and their sysfs attributes
 *
 * If this succeeds, programs may already use the device. So it must be the last
 * step of the load.
 *
 * Context: module load. May sleep.
 * Return: 0, or the negative errno of the step that failed; the steps before it
 * are undone.
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

	/*
	 * From cdev_add() on files can be opened, so no later step may fail:
	 * the kernel would free the module although a file is open. A device is
	 * announced when it is created, and its device file must work from then
	 * on, so the devices come after it.
	 */
	cdev_init(&kuid_chr_cdev, &kuid_chr_fops);
	kuid_chr_cdev.owner = THIS_MODULE;
	ret = cdev_add(&kuid_chr_cdev, kuid_chr_devt, KUID_CHR_MINORS);
	if (ret)
		goto err_class;

	for (minor = 0; minor < KUID_CHR_MINORS; minor++)
		kuid_chr_create_device(minor);
	return 0;

err_class:
	class_unregister(&kuid_chr_class);
err_region:
	unregister_chrdev_region(kuid_chr_devt, KUID_CHR_MINORS);
	return ret;
}

/**
 * kuid_chr_exit - remove the device files and their sysfs attributes
 *
 * Context: module unload; no file is open. May sleep.
 */
void kuid_chr_exit(void)
{
	unsigned int minor;

	for (minor = 0; minor < KUID_CHR_MINORS; minor++)
		device_destroy(&kuid_chr_class, kuid_chr_devt + minor);
	cdev_del(&kuid_chr_cdev);
	class_unregister(&kuid_chr_class);
	unregister_chrdev_region(kuid_chr_devt, KUID_CHR_MINORS);
}
