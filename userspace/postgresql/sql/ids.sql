-- SPDX-License-Identifier: MIT
-- Functions that make IDs. They need the device.
CREATE TABLE made (
	nr int PRIMARY KEY,
	v1 uuid DEFAULT kuid_v1(),
	v6 uuid DEFAULT kuid_v6(),
	v7 uuid DEFAULT kuid_v7(),
	k64 bigint DEFAULT kuid_k64(),
	snowflake bigint DEFAULT kuid_snowflake()
);
SELECT clock_timestamp() AS before \gset
INSERT INTO made SELECT generate_series(1, 1000);
SELECT clock_timestamp() AS after \gset

SELECT count(DISTINCT v1) AS v1, count(DISTINCT v6) AS v6,
       count(DISTINCT v7) AS v7, count(DISTINCT k64) AS k64,
       count(DISTINCT snowflake) AS snowflake
FROM made;
SELECT DISTINCT substr(v1::text, 15, 1) AS v1, substr(v6::text, 15, 1) AS v6,
       substr(v7::text, 15, 1) AS v7, k64 > 0 AS k64,
       snowflake > 0 AS snowflake
FROM made;

-- Each is greater than the one before it. Those of v1 are compared by time and
-- clock sequence.
SELECT bool_and(v1 > v1_before) AS v1, bool_and(v6 > v6_before) AS v6,
       bool_and(v7 > v7_before) AS v7, bool_and(k64 > k64_before) AS k64,
       bool_and(snowflake > snowflake_before) AS snowflake
FROM (SELECT v1, v6, v7, k64, snowflake, lag(v1) OVER run AS v1_before,
             lag(v6) OVER run AS v6_before, lag(v7) OVER run AS v7_before,
             lag(k64) OVER run AS k64_before,
             lag(snowflake) OVER run AS snowflake_before
      FROM (SELECT nr, v6, v7, k64, snowflake,
                   regexp_replace(v1::text, '^(.*)-(.*)-(.*)-(.*)-.*$',
                                  '\3\2\1\4') COLLATE "C" AS v1
            FROM made) AS texts
      WINDOW run AS (ORDER BY nr)) AS pairs
WHERE v1_before IS NOT NULL;

-- The times are those of the clock. IDs may be somewhat ahead of it.
SELECT count(*)
FROM made,
     LATERAL (VALUES (kuid_time(v1)), (kuid_time(v6)), (kuid_time(v7)),
                     (kuid_time(v7, true)), (kuid_time(k64)),
                     (kuid_snowflake_time(snowflake))) AS times(t)
WHERE t BETWEEN timestamptz :'before' - interval '2 ms' AND
                timestamptz :'after' + interval '1 s';

-- Each lies between the bounds of its own time.
SELECT bool_and(v6 BETWEEN kuid_v6_lowest(kuid_time(v6)) AND
                kuid_v6_highest(kuid_time(v6))) AS v6,
       bool_and(v7 BETWEEN kuid_v7_lowest(kuid_time(v7)) AND
                kuid_v7_highest(kuid_time(v7))) AS v7,
       bool_and(v7 BETWEEN kuid_v7_lowest(kuid_time(v7, true), true) AND
                kuid_v7_highest(kuid_time(v7, true), true)) AS v7_kuid,
       bool_and(k64 BETWEEN kuid_k64_lowest(kuid_time(k64)) AND
                kuid_k64_highest(kuid_time(k64))) AS k64,
       bool_and(snowflake BETWEEN
                kuid_snowflake_lowest(kuid_snowflake_time(snowflake)) AND
                kuid_snowflake_highest(kuid_snowflake_time(snowflake)))
           AS snowflake
FROM made;

-- Partitions by time.
CREATE TABLE event (id uuid PRIMARY KEY DEFAULT kuid_v7(), what text)
	PARTITION BY RANGE (id);
CREATE TABLE event_past PARTITION OF event
	FOR VALUES FROM (MINVALUE) TO (kuid_v7_lowest('2020-01-01 UTC'));
CREATE TABLE event_now PARTITION OF event
	FOR VALUES FROM (kuid_v7_lowest('2020-01-01 UTC'))
	TO (kuid_v7_lowest('2120-01-01 UTC'));
INSERT INTO event (what) VALUES ('it began');
SELECT tableoid::regclass, what FROM event;

-- Each row of a query and each run of a prepared one gets another ID.
SELECT count(DISTINCT id) FROM (SELECT kuid_v7() AS id FROM made) AS ids;
PREPARE one AS SELECT kuid_v7() AS id;
EXECUTE one \gset first_
EXECUTE one \gset second_
SELECT :'second_id'::uuid > :'first_id'::uuid AS greater;
