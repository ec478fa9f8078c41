/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of all commands, and of the fields of their structs. Tests that are
 * the same for every command loop over it, so a new command is one more row. A
 * field that the table lacks is out: the command ignores its value.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <linux/capability.h>

#include "formats.h"

/**
 * enum use - what a command does with a field
 * @IN: it reads the field, and has checks for this field alone
 * @BITS: it reads the field, and rejects bits that &struct field.known lacks
 * @UP_TO: it reads the field, and rejects numbers above &struct field.known
 */
enum use { IN, BITS, UP_TO };

struct field {
	const char *name;
	size_t offset;
	size_t size;
	enum use use;
	__u32 known;
};

/**
 * struct command - a command
 * @capability: the capability that it needs, or NO_CAPABILITY
 * @good: fills in the fields that must not be zero in a valid request; may be
 *	NULL
 */
struct command {
	const char *name;
	unsigned long cmd;
	size_t size;
	int capability;
	void (*good)(void *arg, void *buffer);
	const struct field *fields;
	size_t nr_fields;
};

#define NO_CAPABILITY	-1

/* How many IDs a valid request asks for, and the bytes that they may need. */
#define ASKED		3
#define ROOM		(ASKED * ID_SIZE_MAX)

#define FIELD(type, field, ...)						\
	{ .name = #field, .offset = offsetof(struct type, field),	\
	  .size = sizeof(((struct type *)0)->field), .use = __VA_ARGS__ }

static const struct field query_fields[] = {
	FIELD(kuid_query, format, UP_TO, LAST_FORMAT),
	FIELD(kuid_query, flags, BITS, 0),
	FIELD(kuid_query, reserved0, BITS, 0),
	FIELD(kuid_query, reserved, BITS, 0),
};

static const struct field generate_fields[] = {
	FIELD(kuid_generate, buffer, IN),
	FIELD(kuid_generate, format, UP_TO, LAST_FORMAT),
	FIELD(kuid_generate, order, UP_TO, KUID_ORDER_HOST),
	FIELD(kuid_generate, count, IN),
	FIELD(kuid_generate, flags, BITS, KUID_GENERATE_NOWAIT),
	FIELD(kuid_generate, reserved0, BITS, 0),
	FIELD(kuid_generate, reserved, BITS, 0),
};

static const struct field set_format_fields[] = {
	FIELD(kuid_set_format, format, UP_TO, LAST_FORMAT),
	FIELD(kuid_set_format, order, UP_TO, KUID_ORDER_HOST),
	FIELD(kuid_set_format, reserved, BITS, 0),
};

static const struct field status_fields[] = {
	FIELD(kuid_status, flags, BITS, 0),
	FIELD(kuid_status, reserved, BITS, 0),
};

static const struct field private_lane_fields[] = {
	FIELD(kuid_private_lane, flags, BITS, 0),
	FIELD(kuid_private_lane, reserved0, BITS, 0),
	FIELD(kuid_private_lane, reserved, BITS, 0),
};

static const struct field state_fields[] = {
	FIELD(kuid_state, flags, BITS, 0),
	FIELD(kuid_state, reserved, BITS, 0),
};

/* Its name is in and out; good_cover() sets it. */
static const struct field cover_fields[] = {
	FIELD(kuid_cover, floor_ns, IN),
	FIELD(kuid_cover, ceiling_ns, IN),
	FIELD(kuid_cover, again_from_ns, IN),
	FIELD(kuid_cover, again_until_ns, IN),
	FIELD(kuid_cover, flags, BITS, KUID_COVER_BEGIN | KUID_COVER_BACK),
	FIELD(kuid_cover, reserved0, BITS, 0),
	FIELD(kuid_cover, reserved, BITS, 0),
};

static const struct field set_identity_fields[] = {
	FIELD(kuid_set_identity, flags, BITS, KUID_IDENTITY_CONFIRM),
	FIELD(kuid_set_identity, reserved0, BITS, 0),
	FIELD(kuid_set_identity, node_from, UP_TO, KUID_FROM_MAC),
	FIELD(kuid_set_identity, worker_from, UP_TO, KUID_FROM_HOST),
	FIELD(kuid_set_identity, node, IN),
	FIELD(kuid_set_identity, worker, IN),
	FIELD(kuid_set_identity, snowflake_from, UP_TO, KUID_FROM_WORKER),
	FIELD(kuid_set_identity, snowflake_worker, IN),
	FIELD(kuid_set_identity, reserved, BITS, 0),
};

/* A request of zeroes, but for load_id, drops a claim. */
static const struct field claim_fields[] = {
	FIELD(kuid_claim, parts, BITS,
	      KUID_CLAIM_WORKER | KUID_CLAIM_SNOWFLAKE),
	FIELD(kuid_claim, snowflake_worker, IN),
	FIELD(kuid_claim, worker, IN),
	FIELD(kuid_claim, floor_ns, IN),
	FIELD(kuid_claim, ceiling_ns, IN),
	FIELD(kuid_claim, token, IN),
	FIELD(kuid_claim, replaces, IN),
	FIELD(kuid_claim, load_id, IN),
	FIELD(kuid_claim, snowflake_epoch_ms, IN),
	FIELD(kuid_claim, interval, IN),
	FIELD(kuid_claim, reserved0, BITS, 0),
	FIELD(kuid_claim, reserved, BITS, 0),
};

static inline void good_generate(void *arg, void *buffer)
{
	struct kuid_generate *g = arg;

	g->buffer = (uintptr_t)buffer;
	g->count = ASKED;
}

static inline struct kuid_state state_now(void)
{
	struct kuid_state state = { 0 };
	int fd = open(DEV_KUID, O_RDONLY | O_CLOEXEC);

	ioctl(fd, KUID_IOC_GET_STATE, &state);
	close(fd);
	return state;
}

static inline void good_cover(void *arg, void *buffer)
{
	const struct kuid_state state = state_now();
	struct kuid_cover *cover = arg;

	cover->ceiling_ns = clock_ns() + 3600 * NSEC_PER_SEC;
	cover->flags = KUID_COVER_BEGIN;
	cover->epoch = state.cover_epoch;
	cover->load_id = state.cover_load_id;
}

static inline void good_claim(void *arg, void *buffer)
{
	((struct kuid_claim *)arg)->load_id = state_now().load_id;
}

/* Programs of 32 bits can't use private lanes, see private/answer.c. */
#ifdef __LP64__
#define LANE_COMMANDS(COMMAND, ...)					\
	COMMAND(PRIVATE_LANE, kuid_private_lane, private_lane_fields,	\
		NO_CAPABILITY, NULL, ##__VA_ARGS__)
#else
#define LANE_COMMANDS(COMMAND, ...)
#endif

/*
 * All commands but KUID_IOC_CLAIM_CEILING, which needs a claim, see
 * identity/claim.c: NAME of KUID_IOC_*, struct, its fields, and the capability and
 * the good() of struct command.
 */
#define COMMANDS(COMMAND, ...)						\
	COMMAND(QUERY, kuid_query, query_fields, NO_CAPABILITY, NULL,	\
		##__VA_ARGS__)						\
	COMMAND(GENERATE, kuid_generate, generate_fields,		\
		NO_CAPABILITY, good_generate, ##__VA_ARGS__)		\
	COMMAND(SET_FORMAT, kuid_set_format, set_format_fields,		\
		NO_CAPABILITY, NULL, ##__VA_ARGS__)			\
	COMMAND(STATUS, kuid_status, status_fields, NO_CAPABILITY,	\
		NULL, ##__VA_ARGS__)					\
	LANE_COMMANDS(COMMAND, ##__VA_ARGS__)				\
	COMMAND(GET_STATE, kuid_state, state_fields, NO_CAPABILITY,	\
		NULL, ##__VA_ARGS__)					\
	COMMAND(COVER, kuid_cover, cover_fields, CAP_SYS_TIME,		\
		good_cover, ##__VA_ARGS__)				\
	COMMAND(SET_IDENTITY, kuid_set_identity, set_identity_fields,	\
		CAP_SYS_ADMIN, NULL, ##__VA_ARGS__)			\
	COMMAND(CLAIM, kuid_claim, claim_fields, CAP_SYS_ADMIN,		\
		good_claim, ##__VA_ARGS__)

#define COMMAND_ROW(nr, type, fields, capability, good)			\
	{ #nr, KUID_IOC_##nr, sizeof(struct type), capability, good,	\
	  fields, ARRAY_SIZE(fields) },
static const struct command commands[] = { COMMANDS(COMMAND_ROW) };
#undef COMMAND_ROW

/* A fixture's variants, one for each command. */
#define COMMAND_VARIANT(nr, type, fields, capability, good, fixture)	\
	FIXTURE_VARIANT_ADD(fixture, nr) { KUID_IOC_##nr };
#define COMMAND_VARIANTS(fixture)					\
	FIXTURE_VARIANT(fixture) { unsigned long cmd; };		\
	COMMANDS(COMMAND_VARIANT, fixture)

#define NR_COMMANDS	ARRAY_SIZE(commands)

static inline const struct command *command_of(unsigned long cmd)
{
	const struct command *c = commands;

	while (c->cmd != cmd)
		c++;
	return c;
}

/* Larger than the struct of any command. */
#define ARG_MAX_SIZE	1024

/*
 * Fill in a valid request, for IDs in the ROOM bytes at @buffer. Fields that
 * the command must ignore are filled with @poison.
 */
static inline void good_request(const struct command *c, void *arg,
				void *buffer, int poison)
{
	size_t i;

	memset(arg, poison, c->size);
	for (i = 0; i < c->nr_fields; i++)
		memset((__u8 *)arg + c->fields[i].offset, 0, c->fields[i].size);
	if (c->good)
		c->good(arg, buffer);
}

/* Whether the command writes its struct back, and so fails if it can't. */
static inline bool answers(const struct command *c)
{
	return _IOC_DIR(c->cmd) & _IOC_READ;
}

#endif /* COMMANDS_H */
