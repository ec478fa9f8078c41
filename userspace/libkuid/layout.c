// SPDX-License-Identifier: MIT
/* The formats: names, numbers, sizes and sources. */
#include <errno.h>

#include "layout.h"

/* v1 has the short path, so that a container can be given that file alone. */
#define LAYOUT(format_name, NAME, ...)                          \
	[KUID_FORMAT_##NAME] = {                                \
		.format = KUID_LAYOUT_##NAME,                   \
		.device = KUID_FORMAT_##NAME == KUID_FORMAT_V1  \
				  ? "/dev/kuid"                 \
				  : "/dev/kuids/" #format_name, \
		.row = &kuid_formats[KUID_FORMAT_##NAME],       \
	},

/* By number. */
static const struct kuid_layout layouts[] = { KUID_FORMATS(LAYOUT) };

#define NR_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const struct kuid_format any_uuid_row = {
	.name = "uuid",
	.text_form = KUID_TEXT_UUID,
	.id_size = 16,
	.text_size = KUID_UUID_TEXT_SIZE,
};

static const struct kuid_layout any_uuid = {
	.format = KUID_LAYOUT_ANY_UUID,
	.row = &any_uuid_row,
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
		    layouts[i].row->text_form != KUID_TEXT_DECIMAL &&
		    layouts[i].row->text_size == text_size)
			return &layouts[i];
	return NULL;
}

bool kuid_layout_fits(const struct kuid_layout *layout, const void *id)
{
	const uint8_t *bytes = id;

	if (layout->format == KUID_LAYOUT_SNOWFLAKE)
		return !(bytes[0] >> 7);
	return !layout->row->version ||
	       (kuid_uuid_is_rfc(id) &&
		kuid_uuid_version(id) == layout->row->version);
}

const char *kuid_format_name(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	return layout ? layout->row->name : NULL;
}

int kuid_format_number(const char *name)
{
	for (unsigned int format = 1; format < NR_LAYOUTS; format++)
		if (!strcmp(name, layouts[format].row->name))
			return format;
	if (!strcmp(name, any_uuid_row.name))
		return KUID_ANY_UUID;
	errno = EINVAL;
	return -1;
}

size_t kuid_format_id_size(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	return layout ? layout->row->id_size : 0;
}

size_t kuid_format_text_size(unsigned int format, unsigned int form)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	if (!layout)
		return 0;
	switch (form) {
	case KUID_FORM_CANONICAL:
		return layout->row->text_size;
	case KUID_FORM_HEX:
		return 2 * layout->row->id_size;
	case KUID_FORM_COLDFUSION:
		if (kuid_layout_is_uuid(layout))
			return KUID_LEX_TEXT_SIZE;
		break;
	case KUID_FORM_DECIMAL:
		if (layout->row->text_form == KUID_TEXT_DECIMAL)
			return layout->row->text_size;
		if (layout->row->id_size == 8)
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
	static const int made_from[] = {
		[KUID_STAMPS] = KUID_MADE_FROM_STAMPS,
		[KUID_LEX] = KUID_MADE_FROM_LEX,
		[KUID_GRID] = KUID_MADE_FROM_GRID,
		[KUID_SNOWFLAKE] = KUID_MADE_FROM_SNOWFLAKE,
	};
	const struct kuid_layout *layout = kuid_layout_made(format);

	return layout ? made_from[layout->row->source] : -1;
}

int kuid_format_shows(unsigned int format)
{
	static const int shows[KUID_NR_PARTS] = {
		[KUID_PART_NODE] = KUID_SHOWS_NODE,
		[KUID_PART_WORKER] = KUID_SHOWS_WORKER,
		[KUID_PART_SNOWFLAKE] = KUID_SHOWS_SNOWFLAKE,
	};
	const struct kuid_layout *layout = kuid_layout_made(format);

	return layout ? shows[layout->row->part] : -1;
}
