// SPDX-License-Identifier: GPL-2.0-only
/* The status as files, one value each, in groups by what they are about. */
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/device.h>
#include <linux/stddef.h>
#include <linux/sysfs.h>
#include <uapi/linux/kuid.h>

#include "host.h"
#include "status.h"
#include "sysfs.h"

/**
 * struct kuid_sysfs_number - a file that shows a number of the status
 * @attr: the file
 * @offset: where the number lies in struct kuid_status
 */
struct kuid_sysfs_number {
	struct device_attribute attr;
	size_t offset;
};

static ssize_t kuid_sysfs_number_show(struct device *dev,
				      struct device_attribute *attr, char *buf)
{
	const struct kuid_sysfs_number *number =
		container_of(attr, struct kuid_sysfs_number, attr);
	struct kuid_status status;
	u64 value;

	kuid_status_fill(&status);
	memcpy(&value, (u8 *)&status + number->offset, sizeof(value));
	return sysfs_emit(buf, "%llu\n", value);
}

/* The initializer of one. */
#define KUID_SYSFS_NUMBER(_name, _field)                                   \
	{                                                                  \
		.attr = __ATTR(_name, 0444, kuid_sysfs_number_show, NULL), \
		.offset = offsetof(struct kuid_status, _field),            \
	}

static struct kuid_sysfs_number kuid_sysfs_device[] = {
	KUID_SYSFS_NUMBER(epoch, epoch),
};

static ssize_t load_id_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct kuid_reading reading;

	kuid_host_read(&reading);
	return sysfs_emit(buf, "%016llx\n", reading.origin.load_id);
}
static DEVICE_ATTR_RO(load_id);

static struct attribute *kuid_sysfs_device_attrs[] = {
	&kuid_sysfs_device[0].attr.attr, &dev_attr_load_id.attr, NULL
};

static const struct attribute_group kuid_sysfs_device_group = {
	.attrs = kuid_sysfs_device_attrs,
};

/* The epoch's identity; an empty line while there is no epoch. */
static ssize_t node_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct kuid_reading reading;

	kuid_host_read(&reading);
	if (!reading.origin.epoch)
		return sysfs_emit(buf, "\n");
	return sysfs_emit(buf, "%012llx\n", reading.origin.identity.node);
}
static DEVICE_ATTR_RO(node);

static ssize_t worker_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct kuid_reading reading;

	kuid_host_read(&reading);
	if (!reading.origin.epoch)
		return sysfs_emit(buf, "\n");
	return sysfs_emit(buf, "%016llx\n", reading.origin.identity.worker);
}
static DEVICE_ATTR_RO(worker);

static ssize_t interval_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	struct kuid_reading reading;

	kuid_host_read(&reading);
	if (!reading.origin.epoch)
		return sysfs_emit(buf, "\n");
	return sysfs_emit(buf, "%u\n", reading.origin.identity.interval);
}
static DEVICE_ATTR_RO(interval);

static struct attribute *kuid_sysfs_identity_attrs[] = {
	&dev_attr_node.attr,
	&dev_attr_worker.attr,
	&dev_attr_interval.attr,
	NULL,
};

static const struct attribute_group kuid_sysfs_identity_group = {
	.name = "identity",
	.attrs = kuid_sysfs_identity_attrs,
};

static ssize_t resolution_ns_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", kuid_status_resolution_ns());
}
static DEVICE_ATTR_RO(resolution_ns);

static struct kuid_sysfs_number kuid_sysfs_clock[] = {
	KUID_SYSFS_NUMBER(stamp_lag_ns, stamp_lag_ns),
	KUID_SYSFS_NUMBER(slot_lag_ns, slot_lag_ns),
};

static struct attribute *kuid_sysfs_clock_attrs[] = {
	&kuid_sysfs_clock[0].attr.attr, &kuid_sysfs_clock[1].attr.attr,
	&dev_attr_resolution_ns.attr, NULL
};

static const struct attribute_group kuid_sysfs_clock_group = {
	.name = "clock",
	.attrs = kuid_sysfs_clock_attrs,
};

static struct kuid_sysfs_number kuid_sysfs_ahead[] = {
	KUID_SYSFS_NUMBER(stamps_ns, stamp_ahead_ns),
	KUID_SYSFS_NUMBER(lex_ns, lex_ahead_ns),
	KUID_SYSFS_NUMBER(grid_ns, grid_ahead_ns),
};

static struct attribute *kuid_sysfs_ahead_attrs[] = {
	&kuid_sysfs_ahead[0].attr.attr, &kuid_sysfs_ahead[1].attr.attr,
	&kuid_sysfs_ahead[2].attr.attr, NULL
};

static const struct attribute_group kuid_sysfs_ahead_group = {
	.name = "ahead",
	.attrs = kuid_sysfs_ahead_attrs,
};

static ssize_t max_ahead_ns_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", kuid_host.max_ahead);
}
static DEVICE_ATTR_RO(max_ahead_ns);

static ssize_t batch_ahead_ns_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", kuid_host.windows[KUID_STAMPS].batch);
}
static DEVICE_ATTR_RO(batch_ahead_ns);

static ssize_t step_limit_ns_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", kuid_host.step_limit);
}
static DEVICE_ATTR_RO(step_limit_ns);

static struct attribute *kuid_sysfs_limits_attrs[] = {
	&dev_attr_max_ahead_ns.attr, &dev_attr_batch_ahead_ns.attr,
	&dev_attr_step_limit_ns.attr, NULL
};

static const struct attribute_group kuid_sysfs_limits_group = {
	.name = "limits",
	.attrs = kuid_sysfs_limits_attrs,
};

static struct kuid_sysfs_number kuid_sysfs_counters[] = {
	KUID_SYSFS_NUMBER(v1, ids[KUID_FORMAT_V1]),
	KUID_SYSFS_NUMBER(v6, ids[KUID_FORMAT_V6]),
	KUID_SYSFS_NUMBER(v7, ids[KUID_FORMAT_V7]),
	KUID_SYSFS_NUMBER(lex, ids[KUID_FORMAT_LEX]),
	KUID_SYSFS_NUMBER(k64, ids[KUID_FORMAT_K64]),
	KUID_SYSFS_NUMBER(k96, ids[KUID_FORMAT_K96]),
	KUID_SYSFS_NUMBER(k128, ids[KUID_FORMAT_K128]),
	KUID_SYSFS_NUMBER(waits, waits),
	KUID_SYSFS_NUMBER(would_blocks, would_blocks),
	KUID_SYSFS_NUMBER(steps_back, steps_back),
	KUID_SYSFS_NUMBER(steps_forward, steps_forward),
	KUID_SYSFS_NUMBER(epochs, epoch),
	KUID_SYSFS_NUMBER(vm_forks, vm_forks),
};

static struct attribute *kuid_sysfs_counters_attrs[] = {
	&kuid_sysfs_counters[0].attr.attr,  &kuid_sysfs_counters[1].attr.attr,
	&kuid_sysfs_counters[2].attr.attr,  &kuid_sysfs_counters[3].attr.attr,
	&kuid_sysfs_counters[4].attr.attr,  &kuid_sysfs_counters[5].attr.attr,
	&kuid_sysfs_counters[6].attr.attr,  &kuid_sysfs_counters[7].attr.attr,
	&kuid_sysfs_counters[8].attr.attr,  &kuid_sysfs_counters[9].attr.attr,
	&kuid_sysfs_counters[10].attr.attr, &kuid_sysfs_counters[11].attr.attr,
	&kuid_sysfs_counters[12].attr.attr, NULL
};

static const struct attribute_group kuid_sysfs_counters_group = {
	.name = "counters",
	.attrs = kuid_sysfs_counters_attrs,
};

static ssize_t required_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%u\n", kuid_host.ceiling_required);
}
static DEVICE_ATTR_RO(required);

static struct kuid_sysfs_number kuid_sysfs_state[] = {
	KUID_SYSFS_NUMBER(floor_ns, floor_ns),
	KUID_SYSFS_NUMBER(ceiling_ns, ceiling_ns),
};

static struct attribute *kuid_sysfs_state_attrs[] = {
	&kuid_sysfs_state[0].attr.attr, &kuid_sysfs_state[1].attr.attr,
	&dev_attr_required.attr, NULL
};

static const struct attribute_group kuid_sysfs_state_group = {
	.name = "state",
	.attrs = kuid_sysfs_state_attrs,
};

static ssize_t kuid_sysfs_held_show(char *buf, u32 bit)
{
	struct kuid_status status;

	kuid_status_fill(&status);
	return sysfs_emit(buf, "%u\n", !!(status.held & bit));
}

static ssize_t unique_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return kuid_sysfs_held_show(buf, KUID_HELD_UNIQUE);
}
static DEVICE_ATTR_RO(unique);

static ssize_t ordered_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return kuid_sysfs_held_show(buf, KUID_HELD_ORDER);
}
static DEVICE_ATTR_RO(ordered);

static ssize_t reboot_safe_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	return kuid_sysfs_held_show(buf, KUID_HELD_REBOOT_SAFE);
}
static DEVICE_ATTR_RO(reboot_safe);

/* What KUID_REASON_* are called. */
static const struct {
	u64 reason;
	const char *name;
} kuid_sysfs_reasons[] = {
	{ KUID_REASON_STAMPS_HALF_SPEED, "stamps_half_speed" },
	{ KUID_REASON_SLOTS_HALF_SPEED, "slots_half_speed" },
	{ KUID_REASON_COARSE_CLOCK, "coarse_clock" },
	{ KUID_REASON_NO_STATE, "no_state" },
	{ KUID_REASON_FIXED_NODE, "fixed_node" },
	{ KUID_REASON_NO_VM_FORK, "no_vm_fork" },
	{ KUID_REASON_RANDOM_NOT_READY, "random_not_ready" },
	{ KUID_REASON_FORCED_CLOCK, "forced_clock" },
	{ KUID_REASON_PAST_CEILING, "past_ceiling" },
	{ KUID_REASON_STALE_IDENTITY, "stale_identity" },
};

static ssize_t reasons_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct kuid_status status;
	const char *space = "";
	unsigned int i;
	int size = 0;

	kuid_status_fill(&status);
	for (i = 0; i < ARRAY_SIZE(kuid_sysfs_reasons); i++) {
		if (!(status.reasons & kuid_sysfs_reasons[i].reason))
			continue;
		size += sysfs_emit_at(buf, size, "%s%s", space,
				      kuid_sysfs_reasons[i].name);
		space = " ";
	}
	return size + sysfs_emit_at(buf, size, "\n");
}
static DEVICE_ATTR_RO(reasons);

static struct attribute *kuid_sysfs_status_attrs[] = {
	&dev_attr_unique.attr, &dev_attr_ordered.attr,
	&dev_attr_reboot_safe.attr, &dev_attr_reasons.attr, NULL
};

static const struct attribute_group kuid_sysfs_status_group = {
	.name = "status",
	.attrs = kuid_sysfs_status_attrs,
};

const struct attribute_group *kuid_sysfs_groups[] = {
	&kuid_sysfs_device_group,
	&kuid_sysfs_identity_group,
	&kuid_sysfs_clock_group,
	&kuid_sysfs_ahead_group,
	&kuid_sysfs_limits_group,
	&kuid_sysfs_counters_group,
	&kuid_sysfs_state_group,
	&kuid_sysfs_status_group,
	NULL
};
