/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the proofs of this directory: values that may be any, and
 * conditions on them.
 */
#ifndef KUID_PROVE_H
#define KUID_PROVE_H

#include <linux/types.h>

__u64 nondet_u64(void);

#define any_u64()	  nondet_u64()
#define assume(condition) __CPROVER_assume(condition)

#endif /* KUID_PROVE_H */
