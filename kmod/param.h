/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of the module parameters, for epochs.c and chrdev.c. */
#ifndef KUID_PARAM_H
#define KUID_PARAM_H

#include <linux/types.h>

#include "core/parts.h"

/**
 * struct kuid_params - the values of the module parameters
 * @max_ahead_ns: how far an ID may be ahead of its clock, in nanoseconds
 * @step_limit_ns: the lag of the stamps above which a new epoch begins, in
 *	nanoseconds
 * @state_required: IDs that a reboot could repeat wait for saved state
 * @choices: where the first epoch's identity comes from; for KUID_FROM_MAC,
 *	kuid_identity_init() looks up the address later
 */
struct kuid_params {
	u64 max_ahead_ns;
	u64 step_limit_ns;
	bool state_required;
	struct kuid_choices choices;
};

void kuid_param_read(struct kuid_params *params);
u32 kuid_param_gid(void);

#endif /* KUID_PARAM_H */
