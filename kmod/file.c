// SPDX-License-Identifier: GPL-2.0-only
/* The start of each call for IDs from an open file. chrdev.c opens files. */
#include <linux/atomic.h>

#include "file.h"
#include "epochs.h"
#include "reserve.h"

/**
 * kuid_file_begin - prepare a call for IDs
 * @kf: the open file
 * @nonblock: the call may not sleep
 * @format: KUID_FORMAT_*; KUID_FORMAT_DEFAULT selects the file's format
 * @order: KUID_ORDER_*; KUID_ORDER_DEFAULT selects the file's order
 * @size: size of the caller's buffer in bytes; must hold an ID of the file's
 *	format if the file is binary
 * @request: output, all fields are set
 *
 * After success, the file's format and order can't be changed any more.
 *
 * Context: process. Sleeps as kuid_epochs_start() does.
 * Return: 0; -EINVAL if @size is too small; or an error of
 * kuid_epochs_start().
 */
int kuid_file_begin(struct kuid_file *kf, bool nonblock, u32 format, u32 order,
		    size_t size, struct kuid_request *request)
{
	u64 mode = READ_ONCE(kf->mode);
	int ret;

	if (size < kuid_mode_size_min(mode))
		return -EINVAL;

	ret = kuid_epochs_start(nonblock);
	if (ret)
		return ret;

	/*
	 * Check the size again: the format may have changed while this call
	 * slept.
	 */
	do {
		if (size < kuid_mode_size_min(mode))
			return -EINVAL;
	} while (!kuid_mode_is_fixed(mode) &&
		 !try_cmpxchg(&kf->mode, &mode, mode & ~KUID_MODE_UNFIXED));

	format = format ?: kuid_mode_format(mode);
	order = order ?: kuid_mode_order(mode);
	*request = (struct kuid_request) {
		.want = kuid_want_for(format, &kf->watermarks,
				      kuid_file_order(order), 1),
		.poller = &kf->poller,
		.format = format,
		.nonblock = nonblock,
	};
	return 0;
}
