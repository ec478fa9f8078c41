/* SPDX-License-Identifier: GPL-2.0-only */
/* Module parameters: how they are written, and what they say. */
#ifndef KUID_PARAM_H
#define KUID_PARAM_H

#include <linux/types.h>

#include "core/format.h"

/**
 * struct kuid_params - what the module parameters say
 * @max_ahead_ns: how far an ID may be ahead of its clock
 * @step_limit_ns: how far the clock may be set back before a new epoch begins
 * @state_required: IDs that a reboot could repeat wait for saved state
 * @choices: where the first epoch's identity comes from; the value of
 *	KUID_FROM_MAC is still to be found
 */
struct kuid_params {
	u64 max_ahead_ns;
	u64 step_limit_ns;
	bool state_required;
	struct kuid_choices choices;
};

void kuid_param_read(struct kuid_params *params);

#endif /* KUID_PARAM_H */
