// SPDX-License-Identifier: MIT
/* Formats: their names, sizes and numbers. */
#include <errno.h>

#include "core/text.h"
#include "layout.h"

#define UUID(n)                                                               \
	{                                                                     \
		.name = "v" #n, .id_size = 16,                                \
		.text_size = KUID_UUID_TEXT_SIZE, .version = n, .is_uuid = 1, \
	}

/* By number; 0 is another name for one of them. */
static const struct kuid_layout layouts[] = {
	[KUID_FORMAT_V1] = UUID(1),
	[KUID_FORMAT_V6] = UUID(6),
	[KUID_FORMAT_V7] = UUID(7),
	[KUID_FORMAT_LEX] = { "lex", 16, KUID_LEX_TEXT_SIZE, 0, false },
	[KUID_FORMAT_K64] = { "k64", 8, KUID_K64_TEXT_SIZE, 0, false },
	[KUID_FORMAT_K96] = { "k96", 12, KUID_K96_TEXT_SIZE, 0, false },
	[KUID_FORMAT_K128] = { "k128", 16, KUID_K128_TEXT_SIZE, 0, false },
};

#define NR_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static const struct kuid_layout any_uuid = {
	"uuid", 16, KUID_UUID_TEXT_SIZE, 0, true,
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

bool kuid_layout_fits(const struct kuid_layout *layout, const void *id)
{
	if (!layout->version)
		return true;
	return kuid_uuid_is_rfc(id) && kuid_uuid_version(id) == layout->version;
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

size_t kuid_format_text_size(unsigned int format)
{
	const struct kuid_layout *layout = kuid_layout_of(format);

	return layout ? layout->text_size : 0;
}
