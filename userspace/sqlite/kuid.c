// SPDX-License-Identifier: MIT
/*
 * IDs of kuid in SQLite: a loadable extension with the functions that
 * Documentation/sqlite.md describes. A connection opens the device file of a
 * format when it first makes an ID of it, and closes it with itself.
 */
#include <endian.h>
#include <errno.h>
#include <kuid.h>
#include <math.h>
#include <sqlite3ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

SQLITE_EXTENSION_INIT1

#define US_PER_SEC 1000000

/**
 * struct source - what one SQL function of a connection works with
 * @format: of its IDs
 * @highest: the function gives the highest ID of a time, not the lowest
 * @handle: NULL until an ID is made
 */
struct source {
	unsigned int format;
	bool highest;
	struct kuid *handle;
};

static void close_source(void *data)
{
	struct source *source = data;

	kuid_close(source->handle);
	sqlite3_free(source);
}

/* IDs of 8 bytes are numbers, which SQLite compares as such; UUIDs are text. */
static void return_id(sqlite3_context *context, unsigned int format,
		      const void *id)
{
	char text[KUID_TEXT_MAX];
	uint64_t number;

	if (format == KUID_FORMAT_K64 || format == KUID_FORMAT_SNOWFLAKE) {
		memcpy(&number, id, sizeof(number));
		sqlite3_result_int64(context, (int64_t)be64toh(number));
	} else if (kuid_text(format, id, text, sizeof(text))) {
		sqlite3_result_error(context, strerror(errno), -1);
	} else {
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	}
}

static int open_source(struct source *source)
{
	struct kuid *handle = kuid_open(source->format);
	int err;

	if (!handle)
		return -1;
	if (kuid_set_order(handle, KUID_ORDER_HOST)) {
		err = errno;
		kuid_close(handle);
		errno = err;
		return -1;
	}
	source->handle = handle;
	return 0;
}

static void make_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct source *source = sqlite3_user_data(context);
	unsigned char id[KUID_ID_MAX];
	const char *advice;
	char text[512];

	if ((!source->handle && open_source(source)) ||
	    kuid_one(source->handle, id)) {
		advice = kuid_error_advice(errno);
		snprintf(text, sizeof(text),
			 "could not make an ID with \"%s\": %s%s%s",
			 kuid_format_device(source->format), strerror(errno),
			 advice ? ". " : "", advice ? advice : "");
		sqlite3_result_error(context, text, -1);
		return;
	}
	return_id(context, source->format, id);
}

/* The flags of libkuid that the second argument asks for, if it is there. */
static unsigned int flags_of(int argc, sqlite3_value **argv)
{
	return argc > 1 && sqlite3_value_int(argv[1]) ? KUID_FROM_KUID : 0;
}

/*
 * The epoch of snowflakes, in milliseconds: the second argument, or Twitter's.
 * The library refuses UINT64_MAX, and all that negative arguments become.
 */
static uint64_t epoch_of(int argc, sqlite3_value **argv)
{
	if (argc < 2)
		return KUID_SNOWFLAKE_EPOCH_DEFAULT;
	if (sqlite3_value_numeric_type(argv[1]) != SQLITE_INTEGER)
		return UINT64_MAX;
	return (uint64_t)sqlite3_value_int64(argv[1]);
}

static void return_time(sqlite3_context *context,
			const struct kuid_fields *fields)
{
	sqlite3_result_double(context,
			      (double)fields->sec +
				      fields->nsec / 1000 / (double)US_PER_SEC);
}

static void time_of_snowflake(sqlite3_context *context, int argc,
			      sqlite3_value **argv)
{
	struct kuid_fields fields;
	unsigned char id[KUID_ID_MAX];
	uint64_t number;

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (sqlite3_value_numeric_type(argv[0]) != SQLITE_INTEGER ||
	    sqlite3_value_int64(argv[0]) < 0) {
		sqlite3_result_error(context, "not a snowflake", -1);
		return;
	}
	number = htobe64((uint64_t)sqlite3_value_int64(argv[0]));
	memcpy(id, &number, sizeof(number));
	if (kuid_decode(KUID_FORMAT_SNOWFLAKE, id, epoch_of(argc, argv), 0,
			&fields))
		sqlite3_result_error(context, "no epoch of snowflakes", -1);
	else
		return_time(context, &fields);
}

/* Read a UUID as one kind of value. If it is none, the result is an error. */
static bool read_uuid(sqlite3_context *context, sqlite3_value *value, int kind,
		      unsigned char *id)
{
	bool is = sqlite3_value_type(value) == kind;
	const void *data = kind == SQLITE_BLOB
				   ? sqlite3_value_blob(value)
				   : (const void *)sqlite3_value_text(value);
	size_t size = (size_t)sqlite3_value_bytes(value);

	if (is && kind == SQLITE_BLOB && size == KUID_ID_MAX) {
		memcpy(id, data, size);
		return true;
	}
	if (is && kind == SQLITE_TEXT && data &&
	    !kuid_parse(KUID_ANY_UUID, data, size, id, NULL))
		return true;
	sqlite3_result_error(context,
			     kind == SQLITE_BLOB ? "not a UUID as 16 bytes"
						 : "not a UUID as text",
			     -1);
	return false;
}

/* A column holds one kind: SQLite takes any blob to be above any text. */
static void blob_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	unsigned char id[KUID_ID_MAX];

	if (sqlite3_value_type(argv[0]) != SQLITE_NULL &&
	    read_uuid(context, argv[0], SQLITE_TEXT, id))
		sqlite3_result_blob(context, id, sizeof(id), SQLITE_TRANSIENT);
}

static void text_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	unsigned char id[KUID_ID_MAX];

	if (sqlite3_value_type(argv[0]) != SQLITE_NULL &&
	    read_uuid(context, argv[0], SQLITE_BLOB, id))
		return_id(context, KUID_ANY_UUID, id);
}

static void time_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int kind = sqlite3_value_type(argv[0]);
	unsigned char id[KUID_ID_MAX];
	struct kuid_fields fields;
	uint64_t number;
	int format = KUID_FORMAT_K64;

	if (kind == SQLITE_NULL)
		return;
	if (kind == SQLITE_INTEGER) {
		number = htobe64((uint64_t)sqlite3_value_int64(argv[0]));
		memcpy(id, &number, sizeof(number));
	} else {
		format = KUID_ANY_UUID;
		if (!read_uuid(context, argv[0],
			       kind == SQLITE_BLOB ? kind : SQLITE_TEXT, id))
			return;
	}
	if (kuid_decode(format, id, 0, flags_of(argc, argv), &fields) ||
	    !(fields.has & KUID_HAS_TIME))
		return;
	return_time(context, &fields);
}

/* The lowest ID of a microsecond, or the highest. */
static void bound_at(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const struct source *source = sqlite3_user_data(context);
	unsigned char id[KUID_ID_MAX];
	unsigned int flags = 0;
	uint64_t setting = 0;
	double at, sec;
	long us;
	int ret;

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (source->format == KUID_FORMAT_SNOWFLAKE)
		setting = epoch_of(argc, argv);
	else
		flags = flags_of(argc, argv);
	if (sqlite3_value_numeric_type(argv[0]) == SQLITE_TEXT ||
	    sqlite3_value_type(argv[0]) == SQLITE_BLOB) {
		sqlite3_result_error(context,
				     "a time is a number of seconds since 1970",
				     -1);
		return;
	}
	at = sqlite3_value_double(argv[0]);
	sec = floor(at);
	us = lround((at - sec) * US_PER_SEC);
	if (us == US_PER_SEC) {
		us = 0;
		sec++;
	}
	/* A format reaches far less than a double. */
	if (fabs(sec) > 1e15) {
		errno = ERANGE;
		ret = -1;
	} else if (source->highest) {
		ret = kuid_highest_at(source->format, (int64_t)sec,
				      us * 1000 + 999, setting, flags, id);
	} else {
		ret = kuid_lowest_at(source->format, (int64_t)sec, us * 1000,
				     setting, flags, id);
	}
	if (ret)
		sqlite3_result_error(context,
				     errno == EINVAL ? "no epoch of snowflakes"
						     : "time out of range",
				     -1);
	else
		return_id(context, source->format, id);
}

typedef void (*sql_function)(sqlite3_context *context, int argc,
			     sqlite3_value **argv);

static const struct {
	const char *name;
	int arguments;
	sql_function function;
	unsigned int format;
	bool highest;
} functions[] = {
	{ "kuid_v1", 0, make_id, KUID_FORMAT_V1, false },
	{ "kuid_v6", 0, make_id, KUID_FORMAT_V6, false },
	{ "kuid_v7", 0, make_id, KUID_FORMAT_V7, false },
	{ "kuid_k64", 0, make_id, KUID_FORMAT_K64, false },
	{ "kuid_snowflake", 0, make_id, KUID_FORMAT_SNOWFLAKE, false },
	{ "kuid_blob", 1, blob_of, 0, false },
	{ "kuid_text", 1, text_of, 0, false },
	{ "kuid_time", 1, time_of, 0, false },
	{ "kuid_time", 2, time_of, 0, false },
	{ "kuid_snowflake_time", 1, time_of_snowflake, 0, false },
	{ "kuid_snowflake_time", 2, time_of_snowflake, 0, false },
	{ "kuid_v6_lowest", 1, bound_at, KUID_FORMAT_V6, false },
	{ "kuid_v6_highest", 1, bound_at, KUID_FORMAT_V6, true },
	{ "kuid_v7_lowest", 1, bound_at, KUID_FORMAT_V7, false },
	{ "kuid_v7_lowest", 2, bound_at, KUID_FORMAT_V7, false },
	{ "kuid_v7_highest", 1, bound_at, KUID_FORMAT_V7, true },
	{ "kuid_v7_highest", 2, bound_at, KUID_FORMAT_V7, true },
	{ "kuid_k64_lowest", 1, bound_at, KUID_FORMAT_K64, false },
	{ "kuid_k64_highest", 1, bound_at, KUID_FORMAT_K64, true },
	{ "kuid_snowflake_lowest", 1, bound_at, KUID_FORMAT_SNOWFLAKE, false },
	{ "kuid_snowflake_lowest", 2, bound_at, KUID_FORMAT_SNOWFLAKE, false },
	{ "kuid_snowflake_highest", 1, bound_at, KUID_FORMAT_SNOWFLAKE, true },
	{ "kuid_snowflake_highest", 2, bound_at, KUID_FORMAT_SNOWFLAKE, true },
};

int sqlite3_kuidsqlite_init(sqlite3 *db, char **error,
			    const sqlite3_api_routines *api);

int sqlite3_kuidsqlite_init(sqlite3 *db, char **error,
			    const sqlite3_api_routines *api)
{
	size_t i;

	SQLITE_EXTENSION_INIT2(api);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		struct source *source = sqlite3_malloc(sizeof(*source));
		int flags = SQLITE_UTF8;
		int ret;

		if (!source)
			return SQLITE_NOMEM;
		*source = (struct source) {
			.format = functions[i].format,
			.highest = functions[i].highest,
		};
		/*
		 * Making IDs is not innocuous: a view or trigger in an
		 * untrusted database could use up the IDs of the host.
		 */
		if (functions[i].function != make_id)
			flags |= SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
		/* On an error SQLite calls close_source(), too. */
		ret = sqlite3_create_function_v2(db, functions[i].name,
						 functions[i].arguments, flags,
						 source, functions[i].function,
						 NULL, NULL, close_source);
		if (ret != SQLITE_OK)
			return ret;
	}
	return SQLITE_OK;
}
