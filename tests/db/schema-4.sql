-- SPDX-License-Identifier: Apache-2.0
-- tests/db/schema-4.sql - the tables of a case file as burin made them with schema 4: test_migrate.c
-- brings it up to date.
--
-- Offsets and lengths are bytes of the image, 0 .. 2^63 - 1. Times are UTC, ISO 8601. Text is UTF-8, or the bytes of a
-- path as the system gave them. No table is STRICT, so that viewers built on an SQLite older than 3.37 can open the
-- file; burin checks every value that it reads.

CREATE TABLE about (
    key   TEXT PRIMARY KEY NOT NULL, -- 'writer': the burin that wrote this schema; 'created': when
    value TEXT NOT NULL              -- as text
) WITHOUT ROWID;

CREATE TABLE images (
    id          INTEGER PRIMARY KEY, -- 1, 2, ... in the order of the command line
    path        TEXT NOT NULL,       -- absolute path of the image as named (of its first part)
    format      TEXT NOT NULL,       -- container: 'raw', 'split', 'ewf', ...
    size        INTEGER NOT NULL CHECK (size >= 0),       -- of the medium, not of the container, in bytes
    sector_size INTEGER NOT NULL CHECK (sector_size >= 0) -- of the medium, in bytes
);

CREATE TABLE image_parts (
    image_id INTEGER NOT NULL REFERENCES images (id), -- the image
    number   INTEGER NOT NULL,                        -- 0, 1, ... in the order of the bytes
    path     TEXT NOT NULL,                           -- absolute path of the part
    size     INTEGER CHECK (size >= 0),               -- of the part when it was scanned, in bytes; NULL: not recorded
    modified TEXT,                                    -- UTC: when it was last changed before that; NULL: not recorded
    PRIMARY KEY (image_id, number)
) WITHOUT ROWID;

CREATE TABLE image_samples (
    image_id INTEGER NOT NULL REFERENCES images (id), -- the image
    offset   INTEGER NOT NULL CHECK (offset >= 0),    -- of a block that was looked at when it was scanned
    len      INTEGER NOT NULL CHECK (len > 0),        -- of the block, in bytes
    sha256   TEXT NOT NULL,                           -- of the block, 64 hex digits
    PRIMARY KEY (image_id, offset)
) WITHOUT ROWID;

CREATE TABLE runs (
    id           INTEGER PRIMARY KEY,             -- 1, 2, ... in the order of their starts
    image_id     INTEGER REFERENCES images (id),  -- the image scanned; NULL for a run that has none of its own
    command      TEXT NOT NULL,                   -- 'scan', 'carve', ...
    command_line TEXT NOT NULL,                   -- whole, quoted for a shell
    version      TEXT NOT NULL,                   -- of burin
    build        TEXT NOT NULL,                   -- of burin: the commit it was built from
    libraries    TEXT NOT NULL,                   -- and their versions
    options      TEXT NOT NULL,                   -- JSON object of the settings in force
    host         TEXT NOT NULL,                   -- name of the machine
    user         TEXT NOT NULL,                   -- who ran it
    engine       TEXT,                            -- matching engine and its device; NULL where none
    started      TEXT NOT NULL,                   -- UTC
    ended        TEXT,                            -- UTC; NULL while it runs, or when it was killed
    status       TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')), -- at the last write
    position     INTEGER NOT NULL CHECK (position >= 0) -- the image has been scanned and decided up to this offset
);

CREATE TABLE signatures (
    id       INTEGER PRIMARY KEY,                   -- unique in the case
    run_id   INTEGER NOT NULL REFERENCES runs (id), -- the run that searched for it
    number   INTEGER NOT NULL,                      -- within the run, from 0
    name     TEXT NOT NULL,                         -- type name: 'jpg', 'png', ...; of a search, the keyword
    kind     TEXT NOT NULL CHECK (kind IN ('validator', 'rule')), -- who decides: a validator of the format, or header and footer
    origin   TEXT NOT NULL,                         -- 'built-in', FILE:LINE of a configuration file, or 'keyword' and its encoding
    header   TEXT NOT NULL,                         -- as text, with \xHH escapes
    footer   TEXT,                                  -- as text, with \xHH escapes; NULL where none
    size_max INTEGER NOT NULL CHECK (size_max >= 0), -- longest object it may give, in bytes
    UNIQUE (run_id, number)
);

CREATE TABLE hits (
    id           INTEGER PRIMARY KEY, -- within a run ascending in (offset, pattern): ORDER BY id is ORDER BY offset
    image_id     INTEGER NOT NULL,    -- images.id
    signature_id INTEGER NOT NULL,    -- signatures.id
    offset       INTEGER NOT NULL,    -- of the first byte that matched
    len          INTEGER NOT NULL,    -- bytes that matched
    footer       INTEGER NOT NULL     -- 1: a footer, 0: a header
);

CREATE TABLE objects (
    id           INTEGER PRIMARY KEY REFERENCES hits (id) DEFERRABLE INITIALLY DEFERRED, -- the hit of its header
    image_id     INTEGER NOT NULL REFERENCES images (id),     -- the image it lies in
    signature_id INTEGER NOT NULL REFERENCES signatures (id), -- what found it
    type         TEXT NOT NULL,                               -- what it is: 'jpg', 'docx', ...
    extension    TEXT NOT NULL,                               -- of the file that carve writes; may be ''
    state        TEXT NOT NULL CHECK (state IN ('complete', 'footer', 'truncated', 'fragmented')), -- what the validator or the rule said; see nested
    reason       TEXT NOT NULL,                               -- why it said so
    checked      INTEGER NOT NULL CHECK (checked IN (0, 1)),  -- 1: a validator gave the verdict, 0: a rule alone
    proven       INTEGER NOT NULL CHECK (proven IN (0, 1)),   -- 1: what lies inside was checked, 0: its length was believed
    container    INTEGER NOT NULL CHECK (container IN (0, 1)), -- 1: may hold other objects
    offset       INTEGER NOT NULL CHECK (offset >= 0),        -- of its first byte
    len          INTEGER NOT NULL CHECK (len >= 0),           -- of the object: the sum of its extents
    name         TEXT NOT NULL,                               -- TYPE/OFFSET.EXT: where carve puts it
    slack        INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, 1, 2, 3)), -- 0 not looked at, 1 zeros, 2 other bytes, 3 the same, its own end unchecked
    crc64        INTEGER                                      -- CRC-64 (ECMA-182) of its bytes when they were scanned; NULL: not taken
);
CREATE INDEX objects_by_offset ON objects (image_id, offset);

CREATE TABLE nested (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id), -- about which the objects around it say more than its validator
    parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED, -- the object it lies in; NULL: none
    state     TEXT CHECK (state IN ('complete', 'footer', 'truncated', 'fragmented')), -- NULL: as the validator said
    len       INTEGER CHECK (len >= 0), -- it is cut to so many bytes; NULL: as the validator said
    reason    TEXT,                     -- why; NULL: as the validator said
    crc64     INTEGER                   -- of what is left of it; NULL: not cut, or not taken
);
CREATE INDEX nested_by_parent ON nested (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE contents (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id), -- whose bytes, as nested has left it, were read again
    sha256    TEXT,                                        -- of them, 64 hex digits; NULL: not known
    known     INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1, 2, 3, 4)) -- their hash: 0 not looked up, 1 in no set, 2 in a set, 3 known good, 4 known bad
);

CREATE TABLE extents (
    object_id INTEGER NOT NULL REFERENCES objects (id), -- the object
    number    INTEGER NOT NULL,                         -- 0, 1, ... in the order of the object's bytes
    offset    INTEGER NOT NULL CHECK (offset >= 0),     -- of the piece in the image
    len       INTEGER NOT NULL CHECK (len >= 0),        -- of the piece
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;

CREATE TABLE known_sets (
    id      INTEGER PRIMARY KEY,                   -- unique in the case
    run_id  INTEGER NOT NULL REFERENCES runs (id), -- the run that used it
    path    TEXT NOT NULL,                         -- of the set's file, absolute
    label   TEXT NOT NULL,                         -- as the set has it; may be ''
    verdict TEXT NOT NULL CHECK (verdict IN ('known', 'good', 'bad')),  -- what being in it says
    hash    TEXT NOT NULL CHECK (hash IN ('md5', 'sha1', 'sha256')),    -- kind of its hashes
    block   INTEGER NOT NULL CHECK (block >= 0),   -- length of the blocks that were hashed, in bytes; 0: whole files
    hashes  INTEGER NOT NULL CHECK (hashes >= 0),  -- how many it has
    sha256  TEXT NOT NULL                          -- of the set's content, 64 hex digits; see docs/reference/known.md
);

CREATE TABLE known_objects (
    object_id INTEGER NOT NULL REFERENCES objects (id),    -- the object
    set_id    INTEGER NOT NULL REFERENCES known_sets (id), -- the set that has its hash
    digest    TEXT NOT NULL,                               -- the hash, hex digits
    name      TEXT,                                        -- that stands beside it in the set; NULL: none
    PRIMARY KEY (object_id, set_id)
) WITHOUT ROWID;

CREATE TABLE known_blocks (
    image_id INTEGER NOT NULL REFERENCES images (id),     -- the image
    offset   INTEGER NOT NULL CHECK (offset >= 0),        -- of the first block of a run
    set_id   INTEGER NOT NULL REFERENCES known_sets (id), -- the set that has their hashes
    len      INTEGER NOT NULL CHECK (len > 0),            -- of the run, in bytes
    digest   TEXT NOT NULL,                               -- hash of the first block, hex digits
    name     TEXT,                                        -- of the file that they come from; NULL: the set does not say
    source   INTEGER NOT NULL CHECK (source >= 0),        -- offset of the first block in that file
    PRIMARY KEY (image_id, offset, set_id)
) WITHOUT ROWID;

CREATE TABLE bad_ranges (
    id       INTEGER PRIMARY KEY,                     -- in the order of discovery
    image_id INTEGER NOT NULL REFERENCES images (id), -- the image
    run_id   INTEGER NOT NULL REFERENCES runs (id),   -- the run that met it
    offset   INTEGER NOT NULL CHECK (offset >= 0),    -- of the first byte that could not be read
    len      INTEGER NOT NULL CHECK (len > 0),        -- bytes; zeros stood in for them
    cause    INTEGER NOT NULL,                        -- errno of the failed read, or 0
    source   TEXT NOT NULL DEFAULT 'read' CHECK (source IN ('read', 'checksum', 'acquisition')) -- see docs/reference/case-file.md
);
CREATE INDEX bad_ranges_by_offset ON bad_ranges (image_id, offset);

CREATE TABLE outputs (
    id        INTEGER PRIMARY KEY,                      -- in the order of writing
    run_id    INTEGER NOT NULL REFERENCES runs (id),    -- the run that wrote it
    object_id INTEGER NOT NULL REFERENCES objects (id), -- what was written
    path      TEXT NOT NULL,                            -- of the file, as written
    len       INTEGER NOT NULL CHECK (len >= 0),        -- bytes written
    sha256    TEXT NOT NULL                             -- of the bytes written, 64 hex digits
);
CREATE INDEX outputs_by_object ON outputs (object_id);

CREATE TABLE log (
    id     INTEGER PRIMARY KEY, -- 1, 2, ... without a gap
    time   TEXT NOT NULL,       -- UTC
    run_id INTEGER NOT NULL,    -- runs.id, or 0 for none
    kind   TEXT NOT NULL,       -- 'start', 'note', 'read-error', 'output', 'end', 'migrate', ...
    text   TEXT NOT NULL,       -- what happened
    hash   TEXT NOT NULL        -- SHA-256 that chains it to the entry before it, 64 hex digits; see docs/reference/case-file.md
);
CREATE TRIGGER log_insert BEFORE INSERT ON log WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM log)
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_delete BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
