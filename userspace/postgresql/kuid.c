// SPDX-License-Identifier: MIT
/*
 * IDs of kuid in PostgreSQL 13 to 18.
 *
 * Each process of the server opens the device file of a format when it first
 * makes an ID of that format, and keeps it open. All of them ask for the order
 * of the host, so sessions and parallel workers share one order. The postmaster
 * never makes an ID, so the processes that it forks inherit no open file.
 *
 * With kuid.private = on each process makes UUIDs in private lanes. Then IDs of
 * several processes are in no order but that of their time. With kuid.fallback
 * = on they make v7 in lanes of their own while there is no device.
 */
#include "postgres.h"

#include <errno.h>
#include <fcntl.h>
#include <kuid.h>

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_bswap.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

PG_MODULE_MAGIC;

/* From 1970 to the epoch of PostgreSQL, 2000-01-01. */
#define EPOCH_SECS \
	((int64)(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

/* The setting kuid.private. */
static bool private_lanes;

/* The setting kuid.fallback. */
static bool fallback;

/* The handles of this process: without and with kuid.private, by format. */
static struct kuid *handles[2][KUID_FORMAT_SNOWFLAKE + 1];

void _PG_init(void);
void _PG_init(void)
{
	DefineCustomBoolVariable(
		"kuid.private",
		"Makes UUIDs in the process of the server, without a system call.",
		"IDs of several sessions are then ordered only by the time in "
		"them.",
		&private_lanes, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable(
		"kuid.fallback",
		"Makes UUIDs of version 7 in the process of the server while there is no device.",
		"IDs of several sessions are then ordered only by the time in "
		"them.",
		&fallback, false, PGC_USERSET, 0, NULL, NULL, NULL);
}

static int sqlstate_of(int err)
{
	switch (err) {
	case ENODEV:
		return ERRCODE_UNDEFINED_FILE;
	case EACCES:
	case EPERM:
		return ERRCODE_INSUFFICIENT_PRIVILEGE;
	case EMFILE:
	case ENFILE:
		return ERRCODE_INSUFFICIENT_RESOURCES;
	case ENOMEM:
		return ERRCODE_OUT_OF_MEMORY;
	case ESTALE:
	case ENODATA:
	case ENOKEY:
	case EKEYEXPIRED:
		return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
	default:
		return ERRCODE_SYSTEM_ERROR;
	}
}

_Noreturn static void fail(unsigned int format, int err)
{
	const char *hint = kuid_error_advice(err);

	errno = err;
	ereport(ERROR, (errcode(sqlstate_of(err)),
			errmsg("could not make an ID with \"%s\": %m",
			       kuid_format_device(format)),
			hint ? errhint("%s", hint) : 0));
	pg_unreachable();
}

/* A handle without a device; the first one of the process is told. */
static struct kuid *local_handle(unsigned int format)
{
	static struct kuid *local;

	if (local)
		return local;
	local = kuid_open_flags(format, KUID_LOCAL);
	if (!local)
		fail(format, errno);
	ereport(WARNING,
		(errmsg("there is no device \"%s\": the server makes the UUIDs "
			"itself",
			kuid_format_device(format)),
		 errdetail("kuid.fallback is on. UUIDs of several sessions are "
			   "in the order of their milliseconds only."),
		 errhint("%s", kuid_error_advice(ENODEV))));
	return local;
}

/* NULL if there is no device, and the process may make IDs of the format. */
static struct kuid *open_handle(unsigned int format, bool private)
{
	struct kuid *handle = NULL;
	int err;

	/* The server counts the files that extensions keep open. */
	if (!AcquireExternalFD())
		fail(format, errno);
	if (private)
		handle = kuid_open_flags(format, KUID_PRIVATE);
	/* There may be no lane, for this format or while a node is given. */
	if (!handle) {
		private = false;
		handle = kuid_open(format);
	}
	/* The process waits by its latch, to react to signals. */
	if (handle && (private || !kuid_set_order(handle, KUID_ORDER_HOST)) &&
	    !fcntl(kuid_fd(handle), F_SETFL, O_NONBLOCK))
		return handle;
	err = errno;
	kuid_close(handle);
	ReleaseExternalFD();
	if (err == ENODEV && fallback && format == KUID_FORMAT_V7)
		return NULL;
	fail(format, err);
}

/*
 * poll() tells of the device and not of a lane. But a lane has 10^9 IDs a
 * second, so no session waits for one.
 */
static void wait_for_ids(struct kuid *handle)
{
	(void)WaitLatchOrSocket(MyLatch,
				WL_LATCH_SET | WL_SOCKET_READABLE |
					WL_EXIT_ON_PM_DEATH,
				kuid_fd(handle), -1L, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static void make_id(unsigned int format, void *id)
{
	struct kuid **kept = &handles[private_lanes][format];
	struct kuid *handle = *kept;

	if (!handle)
		handle = *kept = open_handle(format, private_lanes);
	/* Each call looks for the device again. */
	if (!handle)
		handle = local_handle(format);
	while (kuid_one(handle, id)) {
		if (errno == EAGAIN)
			wait_for_ids(handle);
		else if (errno == EINTR)
			CHECK_FOR_INTERRUPTS();
		else
			fail(format, errno);
	}
}

static Datum make_uuid(unsigned int format)
{
	pg_uuid_t *uuid = palloc(sizeof(*uuid));

	make_id(format, uuid->data);
	return UUIDPGetDatum(uuid);
}

PG_FUNCTION_INFO_V1(kuid_sql_v1);
Datum kuid_sql_v1(PG_FUNCTION_ARGS)
{
	return make_uuid(KUID_FORMAT_V1);
}

PG_FUNCTION_INFO_V1(kuid_sql_v6);
Datum kuid_sql_v6(PG_FUNCTION_ARGS)
{
	return make_uuid(KUID_FORMAT_V6);
}

PG_FUNCTION_INFO_V1(kuid_sql_v7);
Datum kuid_sql_v7(PG_FUNCTION_ARGS)
{
	return make_uuid(KUID_FORMAT_V7);
}

static Datum make_number(unsigned int format)
{
	uint64 id;

	make_id(format, &id);
	PG_RETURN_INT64((int64)pg_ntoh64(id));
}

PG_FUNCTION_INFO_V1(kuid_sql_k64);
Datum kuid_sql_k64(PG_FUNCTION_ARGS)
{
	return make_number(KUID_FORMAT_K64);
}

PG_FUNCTION_INFO_V1(kuid_sql_snowflake);
Datum kuid_sql_snowflake(PG_FUNCTION_ARGS)
{
	return make_number(KUID_FORMAT_SNOWFLAKE);
}

/* All times that these formats reach are timestamps. */
static TimestampTz timestamp_of(const struct kuid_fields *fields)
{
	return (TimestampTz)((fields->sec - EPOCH_SECS) * USECS_PER_SEC +
			     fields->nsec / 1000);
}

PG_FUNCTION_INFO_V1(kuid_sql_time_of_uuid);
Datum kuid_sql_time_of_uuid(PG_FUNCTION_ARGS)
{
	const pg_uuid_t *uuid = PG_GETARG_UUID_P(0);
	unsigned int flags = PG_GETARG_BOOL(1) ? KUID_FROM_KUID : 0;
	struct kuid_fields fields;

	if (kuid_decode(KUID_ANY_UUID, uuid->data, 0, flags, &fields) ||
	    !(fields.has & KUID_HAS_TIME))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(timestamp_of(&fields));
}

PG_FUNCTION_INFO_V1(kuid_sql_time_of_k64);
Datum kuid_sql_time_of_k64(PG_FUNCTION_ARGS)
{
	uint64 id = pg_hton64((uint64)PG_GETARG_INT64(0));
	struct kuid_fields fields;

	if (kuid_decode(KUID_FORMAT_K64, &id, 0, 0, &fields))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(timestamp_of(&fields));
}

_Noreturn static void fail_epoch(int64 epoch_ms)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("no epoch of snowflakes: %lld", (long long)epoch_ms)));
	pg_unreachable();
}

PG_FUNCTION_INFO_V1(kuid_sql_time_of_snowflake);
Datum kuid_sql_time_of_snowflake(PG_FUNCTION_ARGS)
{
	uint64 id = pg_hton64((uint64)PG_GETARG_INT64(0));
	int64 epoch_ms = PG_GETARG_INT64(1);
	struct kuid_fields fields;

	if (PG_GETARG_INT64(0) < 0)
		PG_RETURN_NULL();
	if (kuid_decode(KUID_FORMAT_SNOWFLAKE, &id, (uint64)epoch_ms, 0,
			&fields))
		fail_epoch(epoch_ms);
	PG_RETURN_TIMESTAMPTZ(timestamp_of(&fields));
}

typedef int (*kuid_bound)(unsigned int format, int64_t sec, uint32_t nsec,
			  uint64_t setting, unsigned int flags, void *id);

/*
 * The lowest ID that was made in the microsecond of a timestamp if bound is
 * kuid_lowest_at(), and the highest if it is kuid_highest_at().
 */
static void bound_at(unsigned int format, kuid_bound bound, TimestampTz at,
		     uint64 setting, unsigned int flags, void *id)
{
	int64 sec = at / USECS_PER_SEC;
	int64 usec = at % USECS_PER_SEC;
	uint32 nsec;

	if (usec < 0) {
		usec += USECS_PER_SEC;
		sec--;
	}
	nsec = (uint32)usec * 1000;
	if (bound == kuid_highest_at)
		nsec += 999;
	if (TIMESTAMP_NOT_FINITE(at) ||
	    bound(format, sec + EPOCH_SECS, nsec, setting, flags, id)) {
		if (!TIMESTAMP_NOT_FINITE(at) && errno == EINVAL)
			fail_epoch((int64)setting);
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				errmsg("timestamp out of range for IDs of %s",
				       kuid_format_name(format))));
	}
}

static Datum uuid_at(unsigned int format, kuid_bound bound, TimestampTz at,
		     unsigned int flags)
{
	pg_uuid_t *uuid = palloc(sizeof(*uuid));

	bound_at(format, bound, at, 0, flags, uuid->data);
	return UUIDPGetDatum(uuid);
}

static Datum number_at(unsigned int format, kuid_bound bound, TimestampTz at,
		       uint64 setting)
{
	uint64 id;

	bound_at(format, bound, at, setting, 0, &id);
	PG_RETURN_INT64((int64)pg_ntoh64(id));
}

PG_FUNCTION_INFO_V1(kuid_sql_v6_lowest);
Datum kuid_sql_v6_lowest(PG_FUNCTION_ARGS)
{
	return uuid_at(KUID_FORMAT_V6, kuid_lowest_at, PG_GETARG_TIMESTAMPTZ(0),
		       0);
}

PG_FUNCTION_INFO_V1(kuid_sql_v6_highest);
Datum kuid_sql_v6_highest(PG_FUNCTION_ARGS)
{
	return uuid_at(KUID_FORMAT_V6, kuid_highest_at,
		       PG_GETARG_TIMESTAMPTZ(0), 0);
}

PG_FUNCTION_INFO_V1(kuid_sql_v7_lowest);
Datum kuid_sql_v7_lowest(PG_FUNCTION_ARGS)
{
	return uuid_at(KUID_FORMAT_V7, kuid_lowest_at, PG_GETARG_TIMESTAMPTZ(0),
		       PG_GETARG_BOOL(1) ? KUID_FROM_KUID : 0);
}

PG_FUNCTION_INFO_V1(kuid_sql_v7_highest);
Datum kuid_sql_v7_highest(PG_FUNCTION_ARGS)
{
	return uuid_at(KUID_FORMAT_V7, kuid_highest_at,
		       PG_GETARG_TIMESTAMPTZ(0),
		       PG_GETARG_BOOL(1) ? KUID_FROM_KUID : 0);
}

PG_FUNCTION_INFO_V1(kuid_sql_k64_lowest);
Datum kuid_sql_k64_lowest(PG_FUNCTION_ARGS)
{
	return number_at(KUID_FORMAT_K64, kuid_lowest_at,
			 PG_GETARG_TIMESTAMPTZ(0), 0);
}

PG_FUNCTION_INFO_V1(kuid_sql_k64_highest);
Datum kuid_sql_k64_highest(PG_FUNCTION_ARGS)
{
	return number_at(KUID_FORMAT_K64, kuid_highest_at,
			 PG_GETARG_TIMESTAMPTZ(0), 0);
}

PG_FUNCTION_INFO_V1(kuid_sql_snowflake_lowest);
Datum kuid_sql_snowflake_lowest(PG_FUNCTION_ARGS)
{
	return number_at(KUID_FORMAT_SNOWFLAKE, kuid_lowest_at,
			 PG_GETARG_TIMESTAMPTZ(0), (uint64)PG_GETARG_INT64(1));
}

PG_FUNCTION_INFO_V1(kuid_sql_snowflake_highest);
Datum kuid_sql_snowflake_highest(PG_FUNCTION_ARGS)
{
	return number_at(KUID_FORMAT_SNOWFLAKE, kuid_highest_at,
			 PG_GETARG_TIMESTAMPTZ(0), (uint64)PG_GETARG_INT64(1));
}
