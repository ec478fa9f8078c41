// SPDX-License-Identifier: MIT
/* The formats: names, numbers, sizes and sources. */
#include <errno.h>

#include "layout.h"

#define KUID_SHOWS_NONE 0
#define KUID_SHOWS_MASK 0

/* v1 has the short path, so that a container can be given that file alone. */
#define LAYOUT(format_name, NAME, bytes, from, part, form, characters, \
	       uuid_version, ...)                                      \
	[KUID_FORMAT_##NAME] = {                                       \
		.name = #format_name,                                  \
		.device = KUID_FORMAT_##NAME == KUID_FORMAT_V1         \
				  ? "/dev/kuid"                        \
				  : "/dev/kuids/" #format_name,        \
		.format = KUID_LAYOUT_##NAME,                          \
		.id_size = bytes,                                      \
		.text_size = characters,                               \
		.text = KUID_TEXT_##form,                              \
		.made_from = KUID_MADE_FROM_##from,                    \
		.shows = KUID_SHOWS_##part,                            \
		.version = uuid_version,                               \
	},

/* By number. */
static const struct kuid_layout layouts[] = { KUID_FORMATS(LAYOUT) };

#define NR_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const struct kuid_layout any_uuid = {
	.name = "uuid",
	.format = KUID_LAYOUT_ANY_UUID,
	.id_size = 16,
	.text_size = KUID_UUID_TEXT_SIZE,
	.text = KUID_TEXT_UUID,
};

const struct kuid_layout *kuid_layout_of(unsigned int format)
{
	if (format == KUID_FORMAT_DEFAULT)
		return &layouts[KUID_FORMAT_V1];
	if (format < NR_LAYOUTS)
		return &layouts[format];
	if (format == KUID_ANY_UUID)
		return &any_uuid;
	errno = EINVAL;
	return NULL;
}

const struct kuid_layout *kuid_layout_made(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	if (layout != &any_uuid)
		return layout;
	errno = EINVAL;
	return NULL;
}

const struct kuid_layout *kuid_layout_of_uuid(const void *id)
{
	for (size_t i = 1; i < NR_LAYOUTS; i++)
		if (kuid_layout_is_uuid(&layouts[i]) &&
		    kuid_layout_fits(&layouts[i], id))
			return &layouts[i];
	return &any_uuid;
}

const struct kuid_layout *kuid_layout_of_size(size_t text_size)
{
	for (size_t i = 1; i < NR_LAYOUTS; i++)
		if (!kuid_layout_is_uuid(&layouts[i]) &&
		    layouts[i].text != KUID_TEXT_DECIMAL &&
		    layouts[i].text_size == text_size)
			return &layouts[i];
	return NULL;
}

bool kuid_layout_fits(const struct kuid_layout *layout, const void *id)
{
	const uint8_t *bytes = id;

	if (layout->format == KUID_LAYOUT_SNOWFLAKE)
		return !(bytes[0] >> 7);
	return !layout->version || (kuid_uuid_is_rfc(id) &&
				    kuid_uuid_version(id) == layout->version);
}

const char *kuid_format_name(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	return layout ? layout->name : NULL;
}

int kuid_format_number(const char *name)
{
	for (unsigned int format = 1; format < NR_LAYOUTS; format++)
		if (!strcmp(name, layouts[format].name))
			return format;
	if (!strcmp(name, any_uuid.name))
		return KUID_ANY_UUID;
	errno = EINVAL;
	return -1;
}

size_t kuid_format_id_size(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	return layout ? layout->id_size : 0;
}

size_t kuid_format_text_size(unsigned int format, unsigned int form)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	if (!layout)
		return 0;
	switch (form) {
	case KUID_FORM_CANONICAL:
		return layout->text_size;
	case KUID_FORM_HEX:
		return 2 * layout->id_size;
	case KUID_FORM_COLDFUSION:
		if (kuid_layout_is_uuid(layout))
			return KUID_LEX_TEXT_SIZE;
		break;
	case KUID_FORM_DECIMAL:
		if (layout->text == KUID_TEXT_DECIMAL)
			return layout->text_size;
		if (layout->id_size == 8)
			return KUID_DECIMAL_TEXT_SIZE;
		break;
	case KUID_FORM_ULID:
		if (layout->format == KUID_LAYOUT_V7)
			return KUID_ULID_TEXT_SIZE;
		break;
	case KUID_FORM_BRACES:
		if (kuid_layout_is_uuid(layout))
			return sizeof("{}") - 1 + KUID_UUID_TEXT_SIZE;
		break;
	case KUID_FORM_URN:
		if (kuid_layout_is_uuid(layout))
			return sizeof(KUID_URN_PREFIX) - 1 +
			       KUID_UUID_TEXT_SIZE;
		break;
	}
	errno = EINVAL;
	return 0;
}

const char *kuid_format_device(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_made(format);

	return layout ? layout->device : NULL;
}

int kuid_format_made_from(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_made(format);

	return layout ? layout->made_from : -1;
}

int kuid_format_shows(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_made(format);

	return layout ? layout->shows : -1;
}
