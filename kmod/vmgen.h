/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device of a virtual machine that tells of clones, VMGENID: its generation
 * ID, and random bits that twins don't share. events.h has the checks.
 */
#ifndef KUID_VMGEN_H
#define KUID_VMGEN_H

#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/types.h>

DECLARE_STATIC_KEY_FALSE(kuid_vmgen_mapped);

u64 kuid_vmgen_random(void);
u32 kuid_vmgen_clones(void);
bool kuid_vmgen_is_virtual(void);

void __init kuid_vmgen_listen(void (*told)(void));
void kuid_vmgen_ignore(void);

void __init kuid_vmgen_init(void);
void kuid_vmgen_exit(void);

#endif /* KUID_VMGEN_H */
