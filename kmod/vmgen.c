// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device VMGENID. Its generation ID is 16 bytes of memory, which the
 * hypervisor changes before a clone or a restored machine runs on. The kernel's
 * driver holds the device and tells of a change later, by an interrupt. So kuid
 * maps the memory and compares the ID itself, without binding to the device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/acpi.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/sizes.h>
#include <uapi/linux/kuid.h>

#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#endif

#include "compat.h"
#include "host.h"
#include "vmgen.h"

/* Calls compare the generation ID, &kuid_generator.vm_id. */
DEFINE_STATIC_KEY_FALSE(kuid_vmgen_mapped);

static bool kuid_vmgen_wanted = true;
module_param_named(vmgenid, kuid_vmgen_wanted, bool, 0444);
MODULE_PARM_DESC(vmgenid,
		 "each call compares the VM's generation ID: Y (default) or N");

/* KUID_CLONES_*; set when the module is loaded. */
static u32 kuid_vmgen_how __ro_after_init;

/* The ACPI device; NULL if there is none. */
static acpi_handle kuid_vmgen_handle __ro_after_init;

static void (*kuid_vmgen_told)(void) __ro_after_init;

/**
 * kuid_vmgen_random - draw random bits
 *
 * Until the kernel's random generator learns of a clone, twins draw the same
 * bits from it. Their generation IDs differ, so mix the ID in.
 *
 * Context: any in which get_random_u64() may be called.
 * Return: 64 random bits, which a twin does not draw.
 */
u64 kuid_vmgen_random(void)
{
	const u64 *id = kuid_host.vm_id;
	siphash_key_t key;

	if (!id)
		return get_random_u64();
	key.key[0] = get_random_u64();
	key.key[1] = get_random_u64();
	return siphash_2u64(READ_ONCE(id[0]), READ_ONCE(id[1]), &key);
}

/**
 * kuid_vmgen_clones - how it is noticed that the machine was cloned
 *
 * Context: any, after kuid_events_init().
 * Return: KUID_CLONES_*.
 */
u32 kuid_vmgen_clones(void)
{
	return kuid_vmgen_how;
}

/**
 * kuid_vmgen_is_virtual - whether the machine may be virtual
 *
 * Context: any.
 * Return: false only if the processor says that there is no hypervisor.
 */
bool kuid_vmgen_is_virtual(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
#else
	return true;
#endif
}

static acpi_status __init kuid_vmgen_found(acpi_handle handle, u32 level,
					   void *context, void **result)
{
	*result = handle;
	return AE_CTRL_TERMINATE;
}

/* The address of an ACPI device's ID; 0 if the device doesn't tell it. */
static u64 __init kuid_vmgen_acpi_address(acpi_handle handle)
{
	union acpi_object parts[3];
	struct acpi_buffer answer = { sizeof(parts), parts };

	if (ACPI_FAILURE(acpi_evaluate_object(handle, "ADDR", NULL, &answer)) ||
	    parts->type != ACPI_TYPE_PACKAGE || parts->package.count != 2 ||
	    parts->package.elements[0].type != ACPI_TYPE_INTEGER ||
	    parts->package.elements[1].type != ACPI_TYPE_INTEGER)
		return 0;
	return parts->package.elements[0].integer.value |
	       parts->package.elements[1].integer.value << 32;
}

/* Find the device. Returns the address of its ID, or 0. */
static u64 __init kuid_vmgen_find(void)
{
	static const char *const ids[] __initconst = { "VM_GEN_COUNTER",
						       "VMGENCTR" };
	struct resource memory = { 0 };
	struct device_node *node;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids) && !kuid_vmgen_handle; i++)
		acpi_get_devices(ids[i], kuid_vmgen_found, NULL,
				 &kuid_vmgen_handle);
	if (kuid_vmgen_handle)
		return kuid_vmgen_acpi_address(kuid_vmgen_handle);

	node = of_find_compatible_node(NULL, NULL, "microsoft,vmgenid");
	if (node)
		of_address_to_resource(node, 0, &memory);
	of_node_put(node);
	return memory.start;
}

static void kuid_vmgen_notify(acpi_handle handle, u32 event, void *context)
{
	kuid_vmgen_told();
}

/**
 * kuid_vmgen_listen - have a function called when the device notifies
 * @told: the function; called in process context, maybe for a change that is
 *	known
 *
 * The kernel's driver calls the notifiers of VM forks. But not every kernel has
 * the driver, and it may be unbound.
 *
 * Context: module load, after kuid_vmgen_init(). Sleeps.
 */
void __init kuid_vmgen_listen(void (*told)(void))
{
	acpi_handle handle = kuid_vmgen_handle;
	acpi_status status;

	if (!handle)
		return;
	kuid_vmgen_told = told;
	status = acpi_install_notify_handler(handle, ACPI_DEVICE_NOTIFY,
					     kuid_vmgen_notify, NULL);
	if (ACPI_SUCCESS(status))
		kuid_vmgen_how |= KUID_CLONES_TOLD;
}

/**
 * kuid_vmgen_ignore - undo kuid_vmgen_listen()
 *
 * Context: module unload, or a failed load. Sleeps until the function is not
 * running any more.
 */
void kuid_vmgen_ignore(void)
{
	if (kuid_vmgen_handle)
		acpi_remove_notify_handler(kuid_vmgen_handle,
					   ACPI_DEVICE_NOTIFY,
					   kuid_vmgen_notify);
}

/**
 * kuid_vmgen_init - find the device and map its ID
 *
 * Context: module load, after kuid_epochs_init(). Sleeps.
 */
void __init kuid_vmgen_init(void)
{
	u64 address = kuid_vmgen_find();
	u64 *id;

	if (IS_ENABLED(CONFIG_VMGENID) &&
	    (kuid_vmgen_handle || (address && kuid_compat_vmgenid_of)))
		kuid_vmgen_how = KUID_CLONES_TOLD;
	if (!kuid_vmgen_wanted) {
		kuid_vmgen_handle = NULL;
		return;
	}
	if (!address)
		return;
	/* The memory is shared with the hypervisor, so it is not encrypted. */
	id = IS_ALIGNED(address, sizeof(*id))
		     ? memremap(address, SZ_16, MEMREMAP_WB | MEMREMAP_DEC)
		     : NULL;
	if (!id) {
		pr_warn("the generation ID at %#llx can't be mapped\n",
			address);
		return;
	}
	kuid_generator_use_vm_id(&kuid_host, id);
	kuid_vmgen_how |= KUID_CLONES_SEEN;
	static_branch_enable(&kuid_vmgen_mapped);
}

/**
 * kuid_vmgen_exit - unmap the ID
 *
 * Context: module unload, or a failed load; nobody draws random bits or makes
 * IDs any more.
 */
void kuid_vmgen_exit(void)
{
	if (kuid_host.vm_id)
		memunmap((void *)kuid_host.vm_id);
}
