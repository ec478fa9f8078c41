/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the kernels that kuid and its test modules build for, 6.1
 * and later. No other file compares kernel versions.
 */
#ifndef KUID_COMPAT_H
#define KUID_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/version.h>

/* device_type.devnode() takes a const device since 6.3. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define kuid_compat_devnode_const
#else
#define kuid_compat_devnode_const const
#endif

/* timer_delete_sync() is new in 6.2. Later kernels remove the old name. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define kuid_compat_timer_delete_sync del_timer_sync
#else
#define kuid_compat_timer_delete_sync timer_delete_sync
#endif

/* The kernel's driver of VMGENID knows device trees since 6.10. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define kuid_compat_vmgenid_of false
#else
#define kuid_compat_vmgenid_of true
#endif

/* A splice_read function that calls read_iter(); another one since 6.5. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define kuid_compat_splice_read generic_file_splice_read
#else
#define kuid_compat_splice_read copy_splice_read
#endif

/* A variable of the stack that no kernel clears. Older kernels have no name. */
#if __has_attribute(__uninitialized__)
#define kuid_compat_uninitialized __attribute__((__uninitialized__))
#else
#define kuid_compat_uninitialized
#endif

/* Since 6.13 one function sets up all of a timer. */
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

/* Since 6.3 the flags of a mapping are changed by functions only. */
static inline void kuid_compat_vm_flags_clear(struct vm_area_struct *vma,
					      unsigned long flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags &= ~flags;
#else
	vm_flags_clear(vma, flags);
#endif
}

#endif /* KUID_COMPAT_H */
