/* SPDX-License-Identifier: GPL-2.0-only */
/* Module parameters that are numbers within bounds. */
#ifndef KUID_PARAM_H
#define KUID_PARAM_H

#include <linux/moduleparam.h>

/**
 * struct kuid_bounded - a parameter that is a decimal number
 * @value: the number; its default until it is set
 * @min: the lowest it may be
 * @max: the highest
 *
 * Written while the module is loaded, before anything reads it.
 */
struct kuid_bounded {
	unsigned int value;
	unsigned int min;
	unsigned int max;
};

extern const struct kernel_param_ops kuid_bounded_ops;

#endif /* KUID_PARAM_H */
