// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status in sysfs: one value a file, in one directory for each subject.
 * status.c reads the values.
 */
#include <linux/bitops.h>
#include <linux/container_of.h>
#include <linux/device.h>
#include <linux/log2.h>
#include <linux/stddef.h>
#include <linux/sysfs.h>
#include <uapi/linux/kuid.h>

#include "core/formats.h"
#include "epochs.h"
#include "identity.h"
#include "status.h"
#include "sysfs.h"

enum kuid_sysfs_group {
	KUID_SYSFS_DEVICE,
	KUID_SYSFS_IDENTITY,
	KUID_SYSFS_CLOCK,
	KUID_SYSFS_AHEAD,
	KUID_SYSFS_LIMITS,
	KUID_SYSFS_COUNTERS,
	KUID_SYSFS_STATE,
	KUID_SYSFS_HELD,
	KUID_SYSFS_NR_GROUPS
};

/* Each group's directory below the device's; NULL for the device's own. */
static const char *const kuid_sysfs_dirs[KUID_SYSFS_NR_GROUPS] = {
	[KUID_SYSFS_IDENTITY] = "identity", [KUID_SYSFS_CLOCK] = "clock",
	[KUID_SYSFS_AHEAD] = "ahead",	    [KUID_SYSFS_LIMITS] = "limits",
	[KUID_SYSFS_COUNTERS] = "counters", [KUID_SYSFS_STATE] = "state",
	[KUID_SYSFS_HELD] = "status",
};

/**
 * enum kuid_sysfs_from - the struct that a number is a field of
 * @KUID_SYSFS_FROM_STATUS: struct kuid_status
 * @KUID_SYSFS_FROM_IDENTITY: struct kuid_identity; the file shows an empty line
 *	before the first epoch
 * @KUID_SYSFS_FROM_HOST: kuid_host; only fields that don't change after the
 *	module was loaded, because they are read without a lock
 */
enum kuid_sysfs_from {
	KUID_SYSFS_FROM_STATUS,
	KUID_SYSFS_FROM_IDENTITY,
	KUID_SYSFS_FROM_HOST
};

/* The names of KUID_REASON_*, by the number of the bit. */
static const char *const kuid_sysfs_reasons[] = {
#define KUID_SYSFS_REASON(_NAME, _name) \
	[const_ilog2(KUID_REASON_##_NAME)] = _name
	KUID_SYSFS_REASON(STAMPS_HALF_SPEED, "stamps_half_speed"),
	KUID_SYSFS_REASON(SLOTS_HALF_SPEED, "slots_half_speed"),
	KUID_SYSFS_REASON(COARSE_CLOCK, "coarse_clock"),
	KUID_SYSFS_REASON(NO_STATE, "no_state"),
	KUID_SYSFS_REASON(FIXED_NODE, "fixed_node"),
	KUID_SYSFS_REASON(NO_VM_FORK, "no_vm_fork"),
	KUID_SYSFS_REASON(RANDOM_NOT_READY, "random_not_ready"),
	KUID_SYSFS_REASON(MAY_REPEAT, "may_repeat"),
	KUID_SYSFS_REASON(PAST_CEILING, "past_ceiling"),
	KUID_SYSFS_REASON(STALE_IDENTITY, "stale_identity"),
	KUID_SYSFS_REASON(EXPIRED_CLAIM, "expired_claim"),
	KUID_SYSFS_REASON(K64_MAY_REPEAT, "k64_may_repeat"),
#undef KUID_SYSFS_REASON
};

/* The names of the formats, by KUID_FORMAT_*. */
static const char *const kuid_sysfs_formats[] = {
#define KUID_SYSFS_FORMAT_NAME(_name, _NAME, ...) \
	[KUID_FORMAT_##_NAME] = #_name,
	KUID_FORMATS(KUID_SYSFS_FORMAT_NAME)
#undef KUID_SYSFS_FORMAT_NAME
};

/**
 * struct kuid_sysfs_file - a file
 * @attr: its name and show function; only kuid_sysfs_show() uses the fields
 *	below @group
 * @group: the directory of the file
 * @from: the struct that the number is a field of
 * @offset: offset of the field, in bytes
 * @size: size of the field: 1, 2, 4 or 8 bytes
 * @digits: number of hexadecimal digits to show; 0 for a decimal number
 * @bit: the bit of the number to show as 1 or 0; 0 to show the number
 * @names: the names of bits, to show those of the bits that are set; NULL to
 *	show the number
 * @part: KUID_PARTS_* of the identity that the number is; the file shows an
 *	empty line if the identity lacks it
 */
struct kuid_sysfs_file {
	struct device_attribute attr;
	enum kuid_sysfs_group group;
	enum kuid_sysfs_from from;
	size_t offset;
	size_t size;
	int digits;
	u64 bit;
	const char *const *names;
	u32 part;
};

static u64 kuid_sysfs_field(const struct kuid_sysfs_file *file,
			    const void *base)
{
	base += file->offset;
	switch (file->size) {
	case 1:
		return *(const u8 *)base;
	case 2:
		return *(const u16 *)base;
	case 4:
		return *(const u32 *)base;
	default:
		return *(const u64 *)base;
	}
}

/* Out of line, because the struct would be in the frame of all files. */
static noinline u64 kuid_sysfs_status(const struct kuid_sysfs_file *file)
{
	struct kuid_status status;

	kuid_status_fill(&status);
	return kuid_sysfs_field(file, &status);
}

static ssize_t kuid_sysfs_emit_names(const char *const *names, u64 bits,
				     char *buf)
{
	const char *space = "";
	int size = 0;

	for (; bits; bits &= bits - 1) {
		size += sysfs_emit_at(buf, size, "%s%s", space,
				      names[__ffs64(bits)]);
		space = " ";
	}
	return size + sysfs_emit_at(buf, size, "\n");
}

static ssize_t kuid_sysfs_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	const struct kuid_sysfs_file *file =
		container_of(attr, struct kuid_sysfs_file, attr);
	struct kuid_reading reading;
	u64 value;

	switch (file->from) {
	case KUID_SYSFS_FROM_STATUS:
		value = kuid_sysfs_status(file);
		break;
	case KUID_SYSFS_FROM_IDENTITY:
		kuid_status_read(&reading);
		if (!reading.origin.epoch ||
		    kuid_identity_missing(&reading.choices) & file->part)
			return sysfs_emit(buf, "\n");
		value = kuid_sysfs_field(file, &reading.origin.identity);
		break;
	default:
		value = kuid_sysfs_field(file, &kuid_host);
		break;
	}
	if (file->names)
		return kuid_sysfs_emit_names(file->names, value, buf);
	if (file->bit)
		value = !!(value & file->bit);
	if (file->digits)
		return sysfs_emit(buf, "%0*llx\n", file->digits, value);
	return sysfs_emit(buf, "%llu\n", value);
}

static ssize_t kuid_sysfs_resolution(struct device *dev,
				     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", kuid_status_resolution_ns());
}

#define KUID_SYSFS_FILE(_group, _name, _show, ...)          \
	{                                                   \
		.attr = __ATTR(_name, 0444, _show, NULL),   \
		.group = KUID_SYSFS_##_group, ##__VA_ARGS__ \
	}

#define KUID_SYSFS_NUMBER(_group, _name, _from, _struct, _field, ...)  \
	KUID_SYSFS_FILE(_group, _name, kuid_sysfs_show, .from = _from, \
			.offset = offsetof(struct _struct, _field),    \
			.size = sizeof_field(struct _struct, _field),  \
			##__VA_ARGS__)

#define KUID_SYSFS_OF_STATUS(_group, _name, _field, ...)                      \
	KUID_SYSFS_NUMBER(_group, _name, KUID_SYSFS_FROM_STATUS, kuid_status, \
			  _field, ##__VA_ARGS__)

/* The file that shows the counter of a format's IDs. */
#define KUID_SYSFS_OF_FORMAT(_name, _NAME, ...) \
	KUID_SYSFS_OF_STATUS(COUNTERS, _name, ids[KUID_FORMAT_##_NAME]),

#define KUID_SYSFS_OF_IDENTITY(_name, ...)                           \
	KUID_SYSFS_NUMBER(IDENTITY, _name, KUID_SYSFS_FROM_IDENTITY, \
			  kuid_identity, _name, ##__VA_ARGS__)

#define KUID_SYSFS_OF_HOST(_group, _name, _field)                              \
	KUID_SYSFS_NUMBER(_group, _name, KUID_SYSFS_FROM_HOST, kuid_generator, \
			  _field)

#define KUID_SYSFS_PROMISE(_name) \
	KUID_SYSFS_OF_STATUS(HELD, _name, _name, .names = kuid_sysfs_formats)

static struct kuid_sysfs_file kuid_sysfs_files[] = {
	KUID_SYSFS_OF_STATUS(DEVICE, epoch, epoch),
	KUID_SYSFS_OF_STATUS(DEVICE, load_id, load_id, .digits = 16),

	KUID_SYSFS_OF_IDENTITY(node, .digits = 12),
	KUID_SYSFS_OF_IDENTITY(worker, .digits = 16),
	KUID_SYSFS_OF_IDENTITY(interval),
	KUID_SYSFS_OF_IDENTITY(snowflake_worker, .part = KUID_PARTS_SNOWFLAKE),

	KUID_SYSFS_OF_STATUS(CLOCK, stamp_lag_ns, stamp_lag_ns),
	KUID_SYSFS_OF_STATUS(CLOCK, slot_lag_ns, slot_lag_ns),
	KUID_SYSFS_FILE(CLOCK, resolution_ns, kuid_sysfs_resolution),

	KUID_SYSFS_OF_STATUS(AHEAD, stamps_ns, stamp_ahead_ns),
	KUID_SYSFS_OF_STATUS(AHEAD, lex_ns, lex_ahead_ns),
	KUID_SYSFS_OF_STATUS(AHEAD, grid_ns, grid_ahead_ns),
	KUID_SYSFS_OF_STATUS(AHEAD, snowflake_ns, snowflake_ahead_ns),

	KUID_SYSFS_OF_HOST(LIMITS, max_ahead_ns, max_ahead),
	KUID_SYSFS_OF_HOST(LIMITS, batch_ahead_ns, windows[KUID_STAMPS].batch),
	KUID_SYSFS_OF_HOST(LIMITS, step_limit_ns, step_limit),

	KUID_SYSFS_OF_STATUS(COUNTERS, waits, waits),
	KUID_SYSFS_OF_STATUS(COUNTERS, would_blocks, would_blocks),
	KUID_SYSFS_OF_STATUS(COUNTERS, steps_back, steps_back),
	KUID_SYSFS_OF_STATUS(COUNTERS, steps_forward, steps_forward),
	KUID_SYSFS_OF_STATUS(COUNTERS, vm_forks, vm_forks),

	KUID_SYSFS_OF_HOST(STATE, required, gate.required),
	KUID_SYSFS_OF_STATUS(STATE, floor_ns, floor_ns),
	KUID_SYSFS_OF_STATUS(STATE, ceiling_ns, ceiling_ns),
	KUID_SYSFS_OF_STATUS(STATE, claim_ceiling_ns, claim_ceiling_ns),

	KUID_SYSFS_PROMISE(unique),
	KUID_SYSFS_PROMISE(ordered),
	KUID_SYSFS_PROMISE(reboot_safe),
	KUID_SYSFS_OF_STATUS(HELD, clones_seen, clones,
			     .bit = KUID_CLONES_SEEN),
	KUID_SYSFS_OF_STATUS(HELD, clones_told, clones,
			     .bit = KUID_CLONES_TOLD),
	KUID_SYSFS_OF_STATUS(HELD, reasons, reasons,
			     .names = kuid_sysfs_reasons),

	KUID_FORMATS(KUID_SYSFS_OF_FORMAT)
};

/*
 * The same files as the driver core expects them: the attributes of each group,
 * followed by NULL.
 */
static struct attribute
	*kuid_sysfs_attrs[ARRAY_SIZE(kuid_sysfs_files) + KUID_SYSFS_NR_GROUPS];
static struct attribute_group kuid_sysfs_group[KUID_SYSFS_NR_GROUPS];
const struct attribute_group *kuid_sysfs_groups[KUID_SYSFS_NR_GROUPS + 1];

/**
 * kuid_sysfs_init - fill in kuid_sysfs_groups
 *
 * Context: module load, before the devices are created. Does not sleep.
 */
void __init kuid_sysfs_init(void)
{
	struct attribute **attr = kuid_sysfs_attrs;
	unsigned int group, i;

	for (group = 0; group < KUID_SYSFS_NR_GROUPS; group++) {
		kuid_sysfs_group[group].name = kuid_sysfs_dirs[group];
		kuid_sysfs_group[group].attrs = attr;
		kuid_sysfs_groups[group] = &kuid_sysfs_group[group];
		for (i = 0; i < ARRAY_SIZE(kuid_sysfs_files); i++)
			if (kuid_sysfs_files[i].group == group)
				*attr++ = &kuid_sysfs_files[i].attr.attr;
		attr++;
	}
}
