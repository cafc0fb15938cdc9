-- SPDX-License-Identifier: Apache-2.0
-- Questions that an examiner asks of a case file: sqlite3 -readonly -box CASE.burin <queries.sql
-- The tables and views: reference/case-file.md.

-- What was found, by type and state.
SELECT type, state, count(*) AS files, sum(len) AS bytes FROM v_objects GROUP BY type, state ORDER BY bytes DESC;

-- Pictures and videos that say where they were taken.
SELECT o.name, f.value AS latitude, g.value AS longitude
FROM v_objects o JOIN facts f ON f.object_id = o.id AND f.key = 'gps.lat' JOIN facts g ON g.object_id = o.id AND g.key = 'gps.lon';

-- The largest files in pieces.
SELECT name, len, pieces FROM (SELECT o.name, o.len, count(*) AS pieces FROM v_objects o JOIN extents e ON e.object_id = o.id
                               GROUP BY o.id) WHERE pieces > 1 ORDER BY len DESC LIMIT 20;

-- What could not be read.
SELECT offset, len, cause, status FROM bad_ranges ORDER BY offset;

-- What was run, when, and how it ended.
SELECT time, kind, text FROM log ORDER BY id;
