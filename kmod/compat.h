/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels the modules build for: 6.1 and later. */
#ifndef KUID_COMPAT_H
#define KUID_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/version.h>

/* The device that class.devnode() is given became const in 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define kuid_compat_devnode_const
#else
#define kuid_compat_devnode_const const
#endif

/* Came in 6.2; the name it has in 6.1 went later. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define kuid_compat_timer_delete_sync del_timer_sync
#else
#define kuid_compat_timer_delete_sync timer_delete_sync
#endif

/* What reads through read_iter() into a pipe became another function in 6.5. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define kuid_compat_splice_read generic_file_splice_read
#else
#define kuid_compat_splice_read copy_splice_read
#endif

/* One function since 6.13. */
static inline void
kuid_compat_hrtimer_setup(struct hrtimer *timer,
			  enum hrtimer_restart (*function)(struct hrtimer *),
			  clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#else
	hrtimer_setup(timer, function, clock, mode);
#endif
}

#endif /* KUID_COMPAT_H */
