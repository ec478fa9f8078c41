-- SPDX-License-Identifier: MIT
-- The SQL functions of kuid.c.

\echo Use "CREATE EXTENSION kuid" to load this file. \quit

CREATE FUNCTION kuid_v1() RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v1'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v1() IS
'a new UUID of version 1, ordered by its time and clock sequence';

CREATE FUNCTION kuid_v6() RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v6'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v6() IS
'a new UUID of version 6, greater than all made before on this host unless kuid.private is on';

CREATE FUNCTION kuid_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v7() IS
'a new UUID of version 7, greater than all made before on this host unless kuid.private is on';

CREATE FUNCTION kuid_k64() RETURNS bigint
AS 'MODULE_PATHNAME', 'kuid_sql_k64'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_k64() IS
'a new 8-byte ID, greater than all made before on this host';

CREATE FUNCTION kuid_snowflake() RETURNS bigint
AS 'MODULE_PATHNAME', 'kuid_sql_snowflake'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_snowflake() IS
'a new snowflake, greater than all made before on this host; it shows a number that the host must have';

CREATE FUNCTION kuid_time(id uuid, kuid_made boolean DEFAULT false)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'kuid_sql_time_of_uuid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_time(uuid, boolean) IS
'the time in a UUID of version 1, 6 or 7; NULL for other versions';

CREATE FUNCTION kuid_time(id bigint) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'kuid_sql_time_of_k64'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_time(bigint) IS
'the time in an ID of kuid_k64()';

CREATE FUNCTION kuid_snowflake_time(id bigint, epoch_ms bigint DEFAULT 1288834974657)
RETURNS timestamptz
AS 'MODULE_PATHNAME', 'kuid_sql_time_of_snowflake'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_snowflake_time(bigint, bigint) IS
'the time in a snowflake whose milliseconds count from epoch_ms; NULL for negative numbers';

CREATE FUNCTION kuid_v6_lowest(at timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v6_lowest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v6_lowest(timestamptz) IS
'the lowest UUID of version 6 with this time';

CREATE FUNCTION kuid_v6_highest(at timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v6_highest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v6_highest(timestamptz) IS
'the highest UUID of version 6 with this time';

CREATE FUNCTION kuid_v7_lowest(at timestamptz, kuid_made boolean DEFAULT false)
RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v7_lowest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v7_lowest(timestamptz, boolean) IS
'the lowest UUID of version 7 with this time';

CREATE FUNCTION kuid_v7_highest(at timestamptz, kuid_made boolean DEFAULT false)
RETURNS uuid
AS 'MODULE_PATHNAME', 'kuid_sql_v7_highest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_v7_highest(timestamptz, boolean) IS
'the highest UUID of version 7 with this time';

CREATE FUNCTION kuid_k64_lowest(at timestamptz) RETURNS bigint
AS 'MODULE_PATHNAME', 'kuid_sql_k64_lowest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_k64_lowest(timestamptz) IS
'the lowest ID of kuid_k64() with this time';

CREATE FUNCTION kuid_k64_highest(at timestamptz) RETURNS bigint
AS 'MODULE_PATHNAME', 'kuid_sql_k64_highest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_k64_highest(timestamptz) IS
'the highest ID of kuid_k64() with this time';

CREATE FUNCTION kuid_snowflake_lowest(at timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'kuid_sql_snowflake_lowest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_snowflake_lowest(timestamptz, bigint) IS
'the lowest snowflake with this time';

CREATE FUNCTION kuid_snowflake_highest(at timestamptz, epoch_ms bigint DEFAULT 1288834974657)
RETURNS bigint
AS 'MODULE_PATHNAME', 'kuid_sql_snowflake_highest'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kuid_snowflake_highest(timestamptz, bigint) IS
'the highest snowflake with this time';
