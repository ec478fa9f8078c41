-- SPDX-License-Identifier: GPL-2.0-only
-- One of the sessions of guest.sh, which sets "who". Each ID lies between two
-- numbers of a sequence, which tell which IDs were returned before which calls.
\! touch /tmp/ready.$$; while [ ! -e /tmp/go ]; do sleep 0.1; done
\set rows 'generate_series(1, 300)'
INSERT INTO took SELECT :who, 'v7', nextval('event'), kuid_v7()::text, nextval('event')
FROM :rows;
INSERT INTO took SELECT :who, 'v6', nextval('event'), kuid_v6()::text, nextval('event')
FROM :rows;
INSERT INTO took SELECT :who, 'k64', nextval('event'),
	lpad(to_hex(kuid_k64()), 16, '0'), nextval('event')
FROM :rows;
INSERT INTO took SELECT :who, 'snowflake', nextval('event'),
	lpad(to_hex(kuid_snowflake()), 16, '0'), nextval('event')
FROM :rows;
INSERT INTO took SELECT :who, 'v1', nextval('event'), kuid_v1()::text, nextval('event')
FROM :rows;
-- v1 is compared by time and clock sequence. Sessions with private lanes differ by the node.
UPDATE took SET key = regexp_replace(key, '^(.*)-(.*)-(.*)-(.*)-(.*)$', '\3\2\1\4\5')
WHERE format = 'v1' AND who = :who;
