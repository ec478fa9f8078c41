// SPDX-License-Identifier: MIT
/* Formats: their names, sizes and numbers. */
#include <errno.h>

#include "layout.h"

static const struct kuid_format any_uuid = {
	.name = "uuid",
	.text_form = KUID_TEXT_UUID,
	.id_size = 16,
	.text_size = KUID_UUID_TEXT_SIZE,
};

const struct kuid_format *kuid_layout_of(unsigned int format)
{
	if (format == KUID_FORMAT_DEFAULT)
		return &kuid_formats[KUID_FORMAT_V1];
	if (kuid_format_is_known(format))
		return &kuid_formats[format];
	if (format == KUID_ANY_UUID)
		return &any_uuid;
	errno = EINVAL;
	return NULL;
}

bool kuid_layout_fits(const struct kuid_format *layout, const void *id)
{
	if (!layout->version)
		return true;
	return kuid_uuid_is_rfc(id) && kuid_uuid_version(id) == layout->version;
}

const char *kuid_format_name(unsigned int format)
{
	const struct kuid_format *layout = kuid_layout_of(format);

	return layout ? layout->name : NULL;
}

int kuid_format_number(const char *name)
{
	for (unsigned int format = 1; format < KUID_NR_FORMATS; format++)
		if (!strcmp(name, kuid_formats[format].name))
			return format;
	if (!strcmp(name, any_uuid.name))
		return KUID_ANY_UUID;
	errno = EINVAL;
	return -1;
}

size_t kuid_format_id_size(unsigned int format)
{
	const struct kuid_format *layout = kuid_layout_of(format);

	return layout ? layout->id_size : 0;
}

size_t kuid_format_text_size(unsigned int format)
{
	const struct kuid_format *layout = kuid_layout_of(format);

	return layout ? layout->text_size : 0;
}
