-- SPDX-License-Identifier: Apache-2.0
-- tests/db/schema-10.sql - the tables of a case file as burin made them with schema 10: test_migrate.c brings it up to date.

CREATE TABLE about (
    key   TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE images (
    id          INTEGER PRIMARY KEY,
    path        TEXT NOT NULL,
    format      TEXT NOT NULL,
    size        INTEGER NOT NULL CHECK (size >= 0),
    sector_size INTEGER NOT NULL CHECK (sector_size >= 0)
);
CREATE TABLE image_parts (
    image_id INTEGER NOT NULL REFERENCES images (id),
    number   INTEGER NOT NULL,
    path     TEXT NOT NULL,
    size     INTEGER CHECK (size >= 0),
    modified TEXT,
    PRIMARY KEY (image_id, number)
) WITHOUT ROWID;
CREATE TABLE image_samples (
    image_id INTEGER NOT NULL REFERENCES images (id),
    offset   INTEGER NOT NULL CHECK (offset >= 0),
    len      INTEGER NOT NULL CHECK (len > 0),
    sha256   TEXT NOT NULL,
    PRIMARY KEY (image_id, offset)
) WITHOUT ROWID;
CREATE TABLE runs (
    id           INTEGER PRIMARY KEY,
    image_id     INTEGER REFERENCES images (id),
    command      TEXT NOT NULL,
    command_line TEXT NOT NULL,
    version      TEXT NOT NULL,
    build        TEXT NOT NULL,
    libraries    TEXT NOT NULL,
    options      TEXT NOT NULL,
    host         TEXT NOT NULL,
    user         TEXT NOT NULL,
    engine       TEXT,
    started      TEXT NOT NULL,
    ended        TEXT,
    status       TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),
    position     INTEGER NOT NULL CHECK (position >= 0),
    resumes      INTEGER REFERENCES runs (id)
);
CREATE TABLE parts (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    offset INTEGER NOT NULL CHECK (offset >= 0),
    len    INTEGER NOT NULL CHECK (len > 0),
    crc64  INTEGER,
    PRIMARY KEY (run_id, offset)
) WITHOUT ROWID;
CREATE TABLE resume (
    run_id   INTEGER PRIMARY KEY REFERENCES runs (id),
    position INTEGER NOT NULL CHECK (position >= 0),
    state    BLOB NOT NULL
);
CREATE TABLE scanned (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    offset INTEGER NOT NULL CHECK (offset >= 0),
    len    INTEGER NOT NULL CHECK (len > 0),
    PRIMARY KEY (run_id, offset)
) WITHOUT ROWID;
CREATE TABLE volumes (
    run_id      INTEGER NOT NULL REFERENCES runs (id),
    number      INTEGER NOT NULL,
    slot        INTEGER NOT NULL CHECK (slot >= 0),
    kind        TEXT NOT NULL,
    offset      INTEGER NOT NULL CHECK (offset >= 0),
    len         INTEGER NOT NULL CHECK (len >= 0),
    description TEXT NOT NULL,
    content     TEXT NOT NULL,
    label       TEXT NOT NULL,
    scanned     INTEGER NOT NULL CHECK (scanned >= 0),
    why         TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;
CREATE TABLE triage (
    run_id     INTEGER NOT NULL REFERENCES runs (id),
    sweep      INTEGER NOT NULL CHECK (sweep >= 0),
    volume     INTEGER NOT NULL,
    slot       INTEGER NOT NULL CHECK (slot >= 0),
    content    TEXT NOT NULL,
    units      INTEGER NOT NULL CHECK (units >= 0),
    zero       INTEGER NOT NULL CHECK (zero >= 0),
    fill       INTEGER NOT NULL CHECK (fill >= 0),
    text       INTEGER NOT NULL CHECK (text >= 0),
    structured INTEGER NOT NULL CHECK (structured >= 0),
    dense      INTEGER NOT NULL CHECK (dense >= 0),
    uniform    INTEGER NOT NULL CHECK (uniform >= 0),
    unreadable INTEGER NOT NULL CHECK (unreadable >= 0),
    hits       INTEGER NOT NULL CHECK (hits >= 0),
    PRIMARY KEY (run_id, sweep, volume)
) WITHOUT ROWID;
CREATE TABLE triage_found (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    number INTEGER NOT NULL,
    offset INTEGER NOT NULL CHECK (offset >= 0),
    len    INTEGER NOT NULL CHECK (len >= 0),
    kind   TEXT NOT NULL,
    what   TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;
CREATE TABLE signatures (
    id       INTEGER PRIMARY KEY,
    run_id   INTEGER NOT NULL REFERENCES runs (id),
    number   INTEGER NOT NULL,
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('validator', 'rule')),
    origin   TEXT NOT NULL,
    header   TEXT NOT NULL,
    footer   TEXT,
    size_max INTEGER NOT NULL CHECK (size_max >= 0),
    UNIQUE (run_id, number)
);
CREATE TABLE hits (
    id           INTEGER PRIMARY KEY,
    image_id     INTEGER NOT NULL,
    signature_id INTEGER NOT NULL,
    offset       INTEGER NOT NULL,
    len          INTEGER NOT NULL,
    footer       INTEGER NOT NULL
);
CREATE TABLE objects (
    id           INTEGER PRIMARY KEY REFERENCES hits (id) DEFERRABLE INITIALLY DEFERRED,
    image_id     INTEGER NOT NULL REFERENCES images (id),
    signature_id INTEGER NOT NULL REFERENCES signatures (id),
    type         TEXT NOT NULL,
    extension    TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('complete', 'footer') OR state IN ('truncated', 'fragmented')),
    reason       TEXT NOT NULL,
    validated    INTEGER NOT NULL CHECK (validated IN (0, 1)),
    proven       INTEGER NOT NULL CHECK (proven IN (0, 1)),
    container    INTEGER NOT NULL CHECK (container IN (0, 1)),
    offset       INTEGER NOT NULL CHECK (offset >= 0),
    len          INTEGER NOT NULL CHECK (len >= 0),
    name         TEXT NOT NULL,
    slack        INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, 1) OR slack IN (2, 3)),
    crc64        INTEGER
);
CREATE INDEX objects_by_offset ON objects (image_id, offset);
CREATE TABLE nested (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id),
    parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED,
    state     TEXT CHECK (state IN ('complete', 'footer') OR state IN ('truncated', 'fragmented')),
    len       INTEGER CHECK (len >= 0),
    reason    TEXT,
    crc64     INTEGER
);
CREATE INDEX nested_by_parent ON nested (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE contents (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id),
    sha256    TEXT,
    known     INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1) OR known IN (2, 3) OR known = 4)
);
CREATE TABLE found_in (
    object_id   INTEGER PRIMARY KEY REFERENCES objects (id),
    kind        TEXT NOT NULL,
    slot        INTEGER NOT NULL CHECK (slot >= 0),
    file_system TEXT NOT NULL,
    path        TEXT NOT NULL,
    inode       INTEGER NOT NULL CHECK (inode >= 0),
    file_offset INTEGER NOT NULL CHECK (file_offset >= 0)
);
CREATE TABLE extents (
    object_id INTEGER NOT NULL REFERENCES objects (id),
    number    INTEGER NOT NULL,
    offset    INTEGER NOT NULL CHECK (offset >= 0),
    len       INTEGER NOT NULL CHECK (len >= 0),
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;
CREATE TABLE facts (
    object_id INTEGER NOT NULL REFERENCES objects (id),
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    number    INTEGER,
    reach     INTEGER NOT NULL CHECK (reach >= 0),
    PRIMARY KEY (object_id, key)
) WITHOUT ROWID;
CREATE TABLE assembled (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id),
    run_id    INTEGER NOT NULL REFERENCES runs (id),
    added     INTEGER NOT NULL CHECK (added IN (0, 1)),
    part      INTEGER NOT NULL CHECK (part IN (0, 1)),
    parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED,
    type      TEXT,
    extension TEXT,
    state     TEXT,
    reason    TEXT,
    proven    INTEGER CHECK (proven IN (0, 1)),
    len       INTEGER CHECK (len >= 0),
    crc64     INTEGER
);
CREATE TABLE pieces (
    object_id INTEGER NOT NULL REFERENCES objects (id),
    number    INTEGER NOT NULL,
    offset    INTEGER NOT NULL CHECK (offset >= 0),
    len       INTEGER NOT NULL CHECK (len > 0),
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;
CREATE TABLE joins (
    object_id INTEGER NOT NULL REFERENCES objects (id),
    number    INTEGER NOT NULL,
    at        INTEGER NOT NULL CHECK (at > 0),
    kind      TEXT NOT NULL,
    bits      INTEGER NOT NULL CHECK (bits >= 0),
    tried     INTEGER NOT NULL CHECK (tried > 0),
    text      TEXT NOT NULL,
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;
CREATE TABLE known_sets (
    id      INTEGER PRIMARY KEY,
    run_id  INTEGER NOT NULL REFERENCES runs (id),
    path    TEXT NOT NULL,
    label   TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('known', 'good', 'bad')),
    hash    TEXT NOT NULL CHECK (hash IN ('md5', 'sha1', 'sha256')),
    block   INTEGER NOT NULL CHECK (block >= 0),
    hashes  INTEGER NOT NULL CHECK (hashes >= 0),
    sha256  TEXT NOT NULL
);
CREATE TABLE known_objects (
    object_id INTEGER NOT NULL REFERENCES objects (id),
    set_id    INTEGER NOT NULL REFERENCES known_sets (id),
    digest    TEXT NOT NULL,
    name      TEXT,
    PRIMARY KEY (object_id, set_id)
) WITHOUT ROWID;
CREATE TABLE known_blocks (
    image_id INTEGER NOT NULL REFERENCES images (id),
    offset   INTEGER NOT NULL CHECK (offset >= 0),
    set_id   INTEGER NOT NULL REFERENCES known_sets (id),
    len      INTEGER NOT NULL CHECK (len > 0),
    digest   TEXT NOT NULL,
    name     TEXT,
    source   INTEGER NOT NULL CHECK (source >= 0),
    PRIMARY KEY (image_id, offset, set_id)
) WITHOUT ROWID;
CREATE TABLE bad_ranges (
    id       INTEGER PRIMARY KEY,
    image_id INTEGER NOT NULL REFERENCES images (id),
    run_id   INTEGER NOT NULL REFERENCES runs (id),
    offset   INTEGER NOT NULL CHECK (offset >= 0),
    len      INTEGER NOT NULL CHECK (len > 0),
    cause    INTEGER NOT NULL,
    source   TEXT NOT NULL CHECK (source IN ('read', 'checksum') OR source IN ('acquisition', 'mapfile') OR source = 'not acquired'),
    status   TEXT NOT NULL CHECK (status IN ('-', '*') OR status IN ('/', '?'))
);
CREATE INDEX bad_ranges_by_offset ON bad_ranges (image_id, offset);
CREATE TABLE outputs (
    id        INTEGER PRIMARY KEY,
    run_id    INTEGER NOT NULL REFERENCES runs (id),
    object_id INTEGER NOT NULL REFERENCES objects (id),
    path      TEXT NOT NULL,
    len       INTEGER NOT NULL CHECK (len >= 0),
    sha256    TEXT NOT NULL
);
CREATE INDEX outputs_by_object ON outputs (object_id);
CREATE TABLE log (
    id     INTEGER PRIMARY KEY,
    time   TEXT NOT NULL,
    run_id INTEGER NOT NULL,
    kind   TEXT NOT NULL,
    text   TEXT NOT NULL,
    hash   TEXT NOT NULL
);
CREATE TRIGGER log_insert BEFORE INSERT ON log WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM log)
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_delete BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TABLE image_facts (
    image_id INTEGER NOT NULL REFERENCES images (id),
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (image_id, name)
) WITHOUT ROWID;
CREATE TABLE image_hashes (
    image_id INTEGER NOT NULL REFERENCES images (id),
    run_id   INTEGER NOT NULL REFERENCES runs (id),
    kind     TEXT NOT NULL CHECK (kind IN ('md5', 'sha1', 'sha256')),
    digest   TEXT NOT NULL,
    bytes    INTEGER NOT NULL CHECK (bytes >= 0),
    filled   INTEGER NOT NULL CHECK (filled >= 0),
    PRIMARY KEY (image_id, run_id, kind)
) WITHOUT ROWID;
