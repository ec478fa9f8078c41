/* SPDX-License-Identifier: GPL-2.0-only */
/* The page that programs with private lanes map. */
#ifndef KUID_PAGE_H
#define KUID_PAGE_H

#include <linux/init.h>
#include <linux/types.h>

struct file;
struct vm_area_struct;

u64 *kuid_page_generation(void);
int kuid_page_mmap(struct file *file, struct vm_area_struct *vma);
int __init kuid_page_init(void);
void kuid_page_exit(void);

#endif /* KUID_PAGE_H */
