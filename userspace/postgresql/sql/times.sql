-- SPDX-License-Identifier: MIT
-- Functions that make no IDs. They need no device.
SET datestyle = ISO;
SET timezone = 'UTC';

SELECT proname, pg_get_function_arguments(p.oid) AS arguments,
       pg_get_function_result(p.oid) AS result, provolatile, proparallel,
       proisstrict
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid
     JOIN pg_extension e ON d.refobjid = e.oid AND d.deptype = 'e'
WHERE extname = 'kuid' AND d.classid = 'pg_proc'::regclass
ORDER BY 1, 2;

-- The examples of RFC 9562, appendix A. All are of the same second; the v7 has
-- random bits behind its milliseconds.
SELECT kuid_time('c232ab00-9414-11ec-b3c8-9f6bdeced846'::uuid);
SELECT kuid_time('1ec9414c-232a-6b00-b3c8-9f6bdeced846'::uuid);
SELECT kuid_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid);
SELECT kuid_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid, true);
SELECT kuid_time('c232ab00-9414-11ec-b3c8-9f6bdeced846'::uuid, true);
-- The lowest and highest times of each version.
SELECT kuid_time('00000000-0000-1000-8000-000000000000'::uuid);
SELECT kuid_time('ffffffff-ffff-1fff-bfff-ffffffffffff'::uuid);
SELECT kuid_time('00000000-0000-6000-8000-000000000000'::uuid);
SELECT kuid_time('ffffffff-ffff-6fff-bfff-ffffffffffff'::uuid);
SELECT kuid_time('00000000-0000-7000-8000-000000000000'::uuid);
SELECT kuid_time('ffffffff-ffff-7fff-bfff-ffffffffffff'::uuid);
SELECT kuid_time('ffffffff-ffff-7fff-bfff-ffffffffffff'::uuid, true);
SELECT kuid_time(0);
SELECT kuid_time(9223372036854775807);
SELECT kuid_time(-1);
-- Snowflakes of Twitter's epoch and of Discord's, whose documentation has the
-- second one. Negative numbers are none.
SELECT kuid_snowflake_time(1541815603606036480),
       kuid_snowflake_time(175928847299117063, 1420070400000);
SELECT kuid_snowflake_time(0), kuid_snowflake_time(0, 0);
SELECT kuid_snowflake_time(9223372036854775807);
SELECT kuid_snowflake_time(-1) IS NULL AS no_time;
SELECT kuid_snowflake_time(1, -1);
SELECT kuid_snowflake_time(1, 9223372036854775807);
-- Random, named, nil and max UUIDs, and those of other variants, have no time.
SELECT kuid_time(id::uuid) IS NULL AS no_time
FROM (VALUES ('919108f7-52d1-4320-9bac-f847db4148a8'),
             ('2ed6657d-e927-568b-95e1-2665a8aea6a2'),
             ('00000000-0000-0000-0000-000000000000'),
             ('ffffffff-ffff-ffff-ffff-ffffffffffff'),
             ('c232ab00-9414-11ec-33c8-9f6bdeced846'),
             ('c232ab00-9414-11ec-d3c8-9f6bdeced846')) AS others(id);
SELECT kuid_time(NULL::uuid) IS NULL AS no_time;

-- Bounds: whole milliseconds of v7, unless kuid made the IDs.
SELECT kuid_v7_lowest('2022-02-22 19:22:22.000797'),
       kuid_v7_highest('2022-02-22 19:22:22.000797');
SELECT kuid_v7_lowest('2022-02-22 19:22:22.000797', true),
       kuid_v7_highest('2022-02-22 19:22:22.000797', true);
SELECT kuid_v6_lowest('2022-02-22 19:22:22'),
       kuid_v6_highest('2022-02-22 19:22:22');
SELECT kuid_k64_lowest('2022-02-22 19:22:22'),
       kuid_k64_highest('2022-02-22 19:22:22');
SELECT kuid_snowflake_lowest('2022-02-22 19:22:22.000797'),
       kuid_snowflake_highest('2022-02-22 19:22:22.000797'),
       kuid_snowflake_lowest('2022-02-22 19:22:22', 0);
-- Before 1970 and before 2000, when seconds are negative.
SELECT kuid_v6_lowest('1969-12-31 23:59:59.5'),
       kuid_v7_lowest('1999-12-31 23:59:59.999');

-- Each bound has the time that it was made from, and so have its neighbours no
-- more.
SELECT kuid_time(kuid_v7_lowest(t)) = date_trunc('milliseconds', t) AND
       kuid_time(kuid_v7_highest(t)) = date_trunc('milliseconds', t) AND
       kuid_v7_highest(t) < kuid_v7_lowest(t + '1 ms') AS v7,
       kuid_time(kuid_v7_lowest(t, true), true) = t AND
       kuid_time(kuid_v7_highest(t, true), true) = t AND
       kuid_v7_highest(t, true) < kuid_v7_lowest(t + '1 us', true) AS v7_kuid,
       kuid_time(kuid_v6_lowest(t)) = t AND
       kuid_time(kuid_v6_highest(t)) = t AND
       kuid_v6_highest(t) < kuid_v6_lowest(t + '1 us') AS v6,
       kuid_time(kuid_k64_lowest(t)) = kuid_time(kuid_k64_highest(t)) AND
       t - kuid_time(kuid_k64_lowest(t)) BETWEEN '0 us' AND '1023 us' AND
       kuid_k64_highest(t) < kuid_k64_lowest(t + '1024 us') AS k64
FROM (VALUES (timestamptz '1970-01-01'), ('1999-12-31 23:59:59.999999'),
             ('2000-01-01 00:00:00.000001'), ('2026-11-23 03:04:05.678901'),
             ('5235-12-31 23:59:59.999999')) AS times(t);
SELECT kuid_snowflake_time(kuid_snowflake_lowest(t, e), e) =
           date_trunc('milliseconds', t) AND
       kuid_snowflake_time(kuid_snowflake_highest(t, e), e) =
           date_trunc('milliseconds', t) AND
       kuid_snowflake_highest(t, e) < kuid_snowflake_lowest(t + '1 ms', e)
           AS snowflake
FROM (VALUES (timestamptz '2015-01-01', 1420070400000),
             ('2026-11-23 03:04:05.678901', 1288834974657),
             ('2039-09-07 15:47:35.550999', 0)) AS times(t, e);
SELECT kuid_v7_lowest(NULL) IS NULL AND kuid_v7_lowest(now(), NULL) IS NULL;

-- Times that a format does not reach.
SELECT kuid_v7_lowest('1969-12-31 23:59:59.999999');
SELECT kuid_v7_highest('10900-01-01');
SELECT kuid_v6_lowest('1582-10-14 23:59:59.999999');
SELECT kuid_v6_highest('5237-01-01');
SELECT kuid_k64_lowest('1969-12-31');
SELECT kuid_k64_highest('35200-01-01');
SELECT kuid_v7_lowest('-infinity');
SELECT kuid_v7_highest('infinity', true);
SELECT kuid_v6_highest('infinity');
SELECT kuid_k64_lowest('infinity');
SELECT kuid_snowflake_lowest('2010-11-04 01:42:54.656999');
SELECT kuid_snowflake_highest('2010-11-04 01:42:54.657');
SELECT kuid_snowflake_highest('2080-07-10 17:30:30.209');
SELECT kuid_snowflake_lowest('infinity');
SELECT kuid_snowflake_highest('-infinity', -1);
SELECT kuid_snowflake_highest('2026-11-23', -1);
