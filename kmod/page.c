// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page that programs with private lanes map: struct kuid_page of
 * <linux/kuid.h>. The generator changes the generation in it.
 */
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <uapi/linux/kuid.h>

#include "compat.h"
#include "page.h"

/* A mapping of KUID_PAGE_SIZE bytes has one page of any size. */
static_assert(KUID_PAGE_SIZE <= PAGE_SIZE);
static_assert(sizeof(struct kuid_page) <= KUID_PAGE_SIZE);

static struct kuid_page *kuid_page;

/**
 * kuid_page_generation - the generation in the page
 *
 * Context: any, after kuid_page_init().
 * Return: for &kuid_generator.generation.
 */
u64 *kuid_page_generation(void)
{
	return &kuid_page->generation;
}

/**
 * kuid_page_mmap - map the page into a program
 * @file: an open file of any of the device files
 * @vma: the mapping; it keeps @file, and so the module
 *
 * The page has no reference count, so nobody can pin it beyond the mapping. A
 * debugger can't write it either: the kernel breaks the protection of private
 * mappings only.
 *
 * Context: process; the caller holds the mmap lock for writing. May sleep.
 * Return: 0; -EINVAL if the mapping is private, can't be read, or is not this
 * page; -EACCES if it is to be writable or executable; -ENOMEM.
 */
int kuid_page_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* The kernel clears VM_SHARED if the file is open for reading only. */
	if (!(vma->vm_flags & VM_MAYSHARE) ||
	    vma->vm_pgoff != KUID_PAGE_OFFSET >> PAGE_SHIFT ||
	    vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	if (!(vma->vm_flags & VM_READ))
		return -EINVAL;
	/* The protection can't be changed later. */
	kuid_compat_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	/* The mapping can't grow: this also sets VM_DONTEXPAND. */
	return remap_pfn_range(vma, vma->vm_start,
			       virt_to_phys(kuid_page) >> PAGE_SHIFT, PAGE_SIZE,
			       vma->vm_page_prot);
}

/**
 * kuid_page_init - allocate the page
 *
 * Context: module load, before kuid_epochs_init(). May sleep.
 * Return: 0; -ENOMEM.
 */
int __init kuid_page_init(void)
{
	kuid_page = (struct kuid_page *)get_zeroed_page(GFP_KERNEL);
	if (!kuid_page)
		return -ENOMEM;
	*kuid_page = (struct kuid_page) {
		.version = KUID_PAGE_VERSION,
		.size = sizeof(*kuid_page),
		/* Even, because the generator is not being changed. */
		.generation = 2,
	};
	return 0;
}

/**
 * kuid_page_exit - free the page
 *
 * Context: module unload, or a failed load; no program maps the page, and the
 * generator is not used any more.
 */
void kuid_page_exit(void)
{
	free_page((unsigned long)kuid_page);
}
