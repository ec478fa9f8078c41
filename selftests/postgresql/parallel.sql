-- SPDX-License-Identifier: GPL-2.0-only
-- One query whose workers make the IDs, for guest.sh. It prints whether more
-- than one process made them, how many there are, and whether they are greater
-- than an ID from before the query and less than one from after it.
CREATE FUNCTION process() RETURNS int
LANGUAGE internal VOLATILE PARALLEL SAFE AS 'pg_backend_pid';
CREATE TABLE many (nr int) WITH (parallel_workers = 3);
INSERT INTO many SELECT generate_series(1, 20000);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
SELECT kuid_v7() AS before, kuid_k64() AS before_k64,
	kuid_snowflake() AS before_snowflake \gset
CREATE TABLE made AS
SELECT process() AS process, kuid_v7() AS v7, kuid_k64() AS k64,
	kuid_snowflake() AS snowflake FROM many;
SELECT kuid_v7() AS after, kuid_k64() AS after_k64,
	kuid_snowflake() AS after_snowflake \gset
SELECT count(DISTINCT process) > 1, count(DISTINCT v7), count(DISTINCT k64),
	count(DISTINCT snowflake),
	bool_and(v7 > :'before' AND v7 < :'after'),
	bool_and(k64 > :before_k64 AND k64 < :after_k64),
	bool_and(snowflake > :before_snowflake AND snowflake < :after_snowflake)
FROM made;
-- The IDs of each process come in the order in which it made them.
SELECT bool_and(v7 > v7_before AND k64 > k64_before AND
	snowflake > snowflake_before)
FROM (SELECT v7, k64, snowflake, lag(v7) OVER run AS v7_before,
		lag(k64) OVER run AS k64_before,
		lag(snowflake) OVER run AS snowflake_before
	FROM made WINDOW run AS (PARTITION BY process ORDER BY ctid)) AS pairs
WHERE v7_before IS NOT NULL;
