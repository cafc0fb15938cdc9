-- SPDX-License-Identifier: Apache-2.0
-- db/views.sql - views of a case file, for people. burin itself does not read those of a file; db/where.c takes the text of
-- v_objects from here.

DROP VIEW IF EXISTS main.hits;
DROP VIEW IF EXISTS main.v_hits;
DROP VIEW IF EXISTS main.v_objects;
DROP VIEW IF EXISTS main.v_outputs;
DROP VIEW IF EXISTS main.v_facts;

CREATE VIEW hits AS
SELECT m.id AS id, p.image_id AS image_id, p.signature_id AS signature_id, m.offset AS offset, p.len AS len, p.footer AS footer
FROM matches m LEFT JOIN patterns p ON p.id = m.pattern_id;

CREATE VIEW v_hits AS
SELECT h.id, h.image_id, i.path AS image, h.offset, printf('0x%x', h.offset) AS offset_hex, h.len,
       s.name AS signature, CASE h.footer WHEN 0 THEN 'header' ELSE 'footer' END AS what, s.run_id
FROM hits h LEFT JOIN images i ON i.id = h.image_id LEFT JOIN signatures s ON s.id = h.signature_id;

CREATE VIEW v_objects AS
SELECT o.id, o.image_id, i.path AS image, coalesce(a.type, o.type) AS type, coalesce(a.state, n.state, o.state) AS state,
       coalesce(a.extension, o.extension) AS extension, o.offset, coalesce(a.len, n.len, o.len) AS len, o.offset + coalesce(n.len, o.len) AS "end",
       CASE WHEN a.len IS NULL
            THEN (SELECT group_concat(e.offset || '+' || min(e.len, coalesce(n.len, e.len)), ',')
                  FROM (SELECT offset, len FROM extents WHERE object_id = o.id ORDER BY number) e)
            ELSE (SELECT group_concat(p.offset || '+' || p.len, ',')
                  FROM (SELECT offset, len FROM pieces WHERE object_id = o.id ORDER BY number) p) END AS extents,
       coalesce(a.parent_id, iif(q.part, NULL, n.parent_id)) AS parent_id, p.type AS parent_type, p.name AS parent_name, c.sha256,
       coalesce(c.known, 0) AS known, o.name, coalesce(a.reason, n.reason, o.reason) AS reason, o.validated,
       coalesce(a.proven, o.proven AND n.reason IS NULL) AS proven, s.origin, s.run_id,
       f.kind AS place, f.slot AS partition, f.file_system, f.path, f.inode, f.file_offset,
       f.modified AS file_modified, f.accessed AS file_accessed, f.changed AS file_changed, f.created AS file_created
FROM objects o
LEFT JOIN nested n ON n.object_id = o.id
LEFT JOIN assembled a ON a.object_id = o.id
LEFT JOIN contents c ON c.object_id = o.id
LEFT JOIN images i ON i.id = o.image_id
LEFT JOIN assembled q ON q.object_id = n.parent_id
LEFT JOIN objects p ON p.id = coalesce(a.parent_id, iif(q.part, NULL, n.parent_id))
LEFT JOIN signatures s ON s.id = o.signature_id
LEFT JOIN found_in f ON f.object_id = o.id
WHERE coalesce(a.part, 0) = 0;

CREATE VIEW v_outputs AS
SELECT w.id, w.run_id, w.path, w.len, w.sha256, o.id AS object_id, o.type, o.state, o.image_id, o.offset
FROM outputs w LEFT JOIN v_objects o ON o.id = w.object_id;

CREATE VIEW v_facts AS
SELECT f.object_id, o.image_id, o.type, o.offset, f.key, f.value, f.number
FROM facts f JOIN objects o ON o.id = f.object_id
LEFT JOIN nested n ON n.object_id = o.id
LEFT JOIN assembled a ON a.object_id = o.id
WHERE f.reach <= coalesce(a.len, n.len, o.len) AND coalesce(a.part, 0) = 0;
