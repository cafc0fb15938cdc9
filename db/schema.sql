-- SPDX-License-Identifier: Apache-2.0
-- db/schema.sql - the tables of a case file, schema 19. docs/reference/case-file.md explains them and how to query them.
--
-- Offsets and lengths are bytes of the image, 0 .. 2^63 - 1. Times are UTC, ISO 8601. Text is UTF-8, or the bytes of a
-- path as the system gave them. No table is STRICT, so that viewers built on an SQLite older than 3.37 can open the
-- file; burin checks every value that it reads. No list in a CHECK of the tables that a scan fills has more than two values:
-- for a longer one SQLite makes a table of its own, for each row that is written, which takes longer than the row.

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
    position     INTEGER NOT NULL CHECK (position >= 0), -- all hits that begin before this offset are recorded
    resumes      INTEGER REFERENCES runs (id)            -- the run that began the scan, where this one went on with it; else NULL
);

CREATE TABLE parts (
    run_id INTEGER NOT NULL REFERENCES runs (id), -- the run that went over it
    offset INTEGER NOT NULL CHECK (offset >= 0),  -- of its first byte in the image
    len    INTEGER NOT NULL CHECK (len > 0),      -- bytes; all hits that begin in them are recorded
    crc64  INTEGER,                               -- CRC-64 (ECMA-182) of the bytes of its range before it; NULL: not taken
    PRIMARY KEY (run_id, offset)
) WITHOUT ROWID;

CREATE TABLE resume (
    run_id   INTEGER PRIMARY KEY REFERENCES runs (id),  -- the run that began a scan that is not done
    position INTEGER NOT NULL CHECK (position >= 0),    -- image offset at which it goes on
    state    BLOB NOT NULL                              -- what it needs for that: bytes that burin alone reads
);

CREATE TABLE text_spots (
    run_id INTEGER NOT NULL REFERENCES runs (id), -- the run that began a scan that is not done
    offset INTEGER NOT NULL CHECK (offset >= 0),  -- of the first of the parts that this row is about
    spots  BLOB NOT NULL,                         -- their sectors that may begin plain text: bytes that burin alone reads
    PRIMARY KEY (run_id, offset)
) WITHOUT ROWID;

CREATE TABLE scanned (
    run_id INTEGER NOT NULL REFERENCES runs (id), -- the run that began a scan of some of an image's bytes
    offset INTEGER NOT NULL CHECK (offset >= 0),  -- of bytes in which what was found begins; all others were left out
    len    INTEGER NOT NULL CHECK (len > 0),      -- bytes
    PRIMARY KEY (run_id, offset)
) WITHOUT ROWID;

CREATE TABLE volumes (
    run_id      INTEGER NOT NULL REFERENCES runs (id), -- the run that began a scan of some of an image's bytes
    number      INTEGER NOT NULL,                      -- 0, 1, ... in the order of burin info
    slot        INTEGER NOT NULL CHECK (slot >= 0),    -- as mmls numbers it
    kind        TEXT NOT NULL,                         -- 'partition', 'table', 'gap', 'all' or 'logical'
    offset      INTEGER NOT NULL CHECK (offset >= 0),  -- of its first byte in the image
    len         INTEGER NOT NULL CHECK (len >= 0),     -- bytes
    description TEXT NOT NULL,                         -- the table's word for it; may be ''
    content     TEXT NOT NULL,                         -- 'ntfs', 'LUKS2', ...; '' when unknown
    label       TEXT NOT NULL,                         -- of its file system; may be ''
    scanned     INTEGER NOT NULL CHECK (scanned >= 0), -- bytes of it that are in the table scanned; 0 of a logical volume
    why         TEXT NOT NULL,                         -- why it is not known which of its bytes are in use; '' where it is
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

CREATE TABLE triage (
    run_id     INTEGER NOT NULL REFERENCES runs (id),      -- the triage
    sweep      INTEGER NOT NULL CHECK (sweep >= 0),        -- 0, 1, ...: each has one unit more of each stratum of the one before
    volume     INTEGER NOT NULL,                           -- 0, 1, ... in the order of burin info; behind the last: what lies in none
    slot       INTEGER NOT NULL CHECK (slot >= 0),         -- of the volume, as mmls numbers it
    content    TEXT NOT NULL,                              -- 'ntfs', 'LUKS2', ...; '' when unknown
    units      INTEGER NOT NULL CHECK (units >= 0),        -- that the sweep looked at and that begin in the volume; the sum of the next seven
    zero       INTEGER NOT NULL CHECK (zero >= 0),         -- zeros
    fill       INTEGER NOT NULL CHECK (fill >= 0),         -- a few bytes over and over
    text       INTEGER NOT NULL CHECK (text >= 0),         -- characters of UTF-8 or UTF-16
    structured INTEGER NOT NULL CHECK (structured >= 0),   -- none of the others
    dense      INTEGER NOT NULL CHECK (dense >= 0),        -- 7 bits of entropy a byte and more
    uniform    INTEGER NOT NULL CHECK (uniform >= 0),      -- random by a test of chi square
    unreadable INTEGER NOT NULL CHECK (unreadable >= 0),   -- some of it could not be read: not looked at
    hits       INTEGER NOT NULL CHECK (hits >= 0),         -- with a known block, a keyword or a key
    PRIMARY KEY (run_id, sweep, volume)
) WITHOUT ROWID;

CREATE TABLE triage_found (
    run_id INTEGER NOT NULL REFERENCES runs (id), -- the triage
    number INTEGER NOT NULL,                      -- 0, 1, ... in the order of sweeps and, in a sweep, of the image
    offset INTEGER NOT NULL CHECK (offset >= 0),  -- of its first byte in the image
    len    INTEGER NOT NULL CHECK (len >= 0),     -- bytes; 0: not known, for only its beginning was seen
    kind   TEXT NOT NULL,                         -- 'file', 'known', 'keyword', 'picture'
    what   TEXT NOT NULL,                         -- type of the file, label of the set, or the keyword
    detail TEXT NOT NULL,                         -- of a known block: hash, number and file; of a keyword: its encoding; of a picture: what it tells
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

CREATE TABLE signatures (
    id       INTEGER PRIMARY KEY,                   -- unique in the case
    run_id   INTEGER NOT NULL REFERENCES runs (id), -- the run that searched for it
    number   INTEGER NOT NULL,                      -- within the run, from 0
    name     TEXT NOT NULL,                         -- type name: 'jpg', 'png', ...; of a search, the keyword
    kind     TEXT NOT NULL CHECK (kind IN ('validator', 'rule')), -- who decides: a validator of the format, or header and footer
    origin   TEXT NOT NULL,                         -- 'built-in', FILE:LINE of a configuration file, or 'keyword' or 'regex' and its encoding
    header   TEXT NOT NULL,                         -- as text, with \xHH escapes
    footer   TEXT,                                  -- as text, with \xHH escapes; NULL where none
    size_max INTEGER NOT NULL CHECK (size_max >= 0), -- longest object it may give, in bytes
    UNIQUE (run_id, number)
);

CREATE TABLE patterns (
    id           INTEGER PRIMARY KEY, -- 1, 2, ... in the order of their first matches
    image_id     INTEGER NOT NULL REFERENCES images (id),     -- the image that was searched
    signature_id INTEGER NOT NULL REFERENCES signatures (id), -- what was searched for
    len          INTEGER NOT NULL,    -- bytes that matched
    footer       INTEGER NOT NULL,    -- 1: a footer, 0: a header
    UNIQUE (image_id, signature_id, len, footer)
);

-- A hit is a match with its pattern: the view hits. A million matches are written in a part of a second: no column more than
-- they need, and the id last, where SQLite has it when it copies rows.
CREATE TABLE matches (
    pattern_id INTEGER,            -- patterns.id
    offset     INTEGER,            -- of the first byte that matched
    id         INTEGER PRIMARY KEY -- within a run ascending in (offset, pattern): ORDER BY id is ORDER BY offset
);

CREATE TABLE link (
    run_id   INTEGER PRIMARY KEY REFERENCES runs (id),  -- the run whose hits and objects stay in shards (burin merge --link)
    image_id INTEGER NOT NULL REFERENCES images (id),   -- the image they lie in
    folder   TEXT NOT NULL,                             -- where the shards were; where they are is in the file CASE.shards
    patterns BLOB NOT NULL                              -- what the patterns of the shards are: bytes that burin alone reads
);

CREATE TABLE linked (
    first_id INTEGER PRIMARY KEY,                       -- hits.id of the first of some hits that stay in a shard
    run_id   INTEGER NOT NULL REFERENCES link (run_id), -- the run
    hits     INTEGER NOT NULL CHECK (hits > 0),         -- so many; their ids follow without a gap
    shard    INTEGER NOT NULL CHECK (shard >= 0),       -- it is the file SHARD.part
    at       INTEGER NOT NULL CHECK (at >= 0),          -- bytes of it before them
    len      INTEGER NOT NULL CHECK (len > 0),          -- bytes of it that hold them, and the objects that they are headers of
    sha256   TEXT NOT NULL,                             -- of these bytes, 64 hex digits
    left_out BLOB                                       -- which hits and objects there are none of the case: bytes that burin alone reads; NULL: all are
);

CREATE TABLE objects (
    id           INTEGER PRIMARY KEY REFERENCES matches (id) DEFERRABLE INITIALLY DEFERRED, -- the hit of its header
    image_id     INTEGER NOT NULL REFERENCES images (id),     -- the image it lies in
    signature_id INTEGER NOT NULL REFERENCES signatures (id), -- what found it
    type         TEXT NOT NULL,                               -- what it is: 'jpg', 'docx', ...
    extension    TEXT NOT NULL,                               -- of the file that carve writes; may be ''
    state        TEXT NOT NULL CHECK (state IN ('complete', 'footer') OR state IN ('truncated', 'fragmented')), -- what the validator or the rule said; see nested
    reason       TEXT NOT NULL,                               -- why it said so
    validated    INTEGER NOT NULL CHECK (validated IN (0, 1)), -- 1: a validator gave the verdict, 0: a rule alone
    proven       INTEGER NOT NULL CHECK (proven IN (0, 1)),   -- 1: what lies inside was checked, 0: its length was believed
    container    INTEGER NOT NULL CHECK (container IN (0, 1)), -- 1: may hold other objects
    offset       INTEGER NOT NULL CHECK (offset >= 0),        -- of its first byte
    len          INTEGER NOT NULL CHECK (len >= 0),           -- of the object: the sum of its extents
    name         TEXT NOT NULL,                               -- TYPE/OFFSET.EXT: where carve puts it
    slack        INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, 1) OR slack IN (2, 3)), -- 0 not looked at, 1 zeros, 2 other bytes, 3 the same, its own end unchecked
    crc64        INTEGER                                      -- CRC-64 (ECMA-182) of its bytes when they were scanned; NULL: not taken
);
CREATE INDEX objects_by_offset ON objects (image_id, offset);

CREATE TABLE nested (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id), -- about which the objects around it say more than its validator
    parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED, -- the object it lies in; NULL: none
    state     TEXT CHECK (state IN ('complete', 'footer') OR state IN ('truncated', 'fragmented')), -- NULL: as the validator said
    len       INTEGER CHECK (len >= 0), -- it is cut to so many bytes; NULL: as the validator said
    reason    TEXT,                     -- why; NULL: as the validator said
    crc64     INTEGER                   -- of what is left of it; NULL: not cut, or not taken
);
CREATE INDEX nested_by_parent ON nested (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE linked_nested (
    last_id INTEGER PRIMARY KEY,                       -- objects.id of the last one of some whose parent is told here, and not in nested
    run_id  INTEGER NOT NULL REFERENCES link (run_id), -- the run, whose objects stay in shards
    pairs   BLOB NOT NULL                              -- which objects lie in which: bytes that burin alone reads
);

CREATE TABLE contents (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id), -- whose bytes, as nested has left it, were read again
    sha256    TEXT,                                        -- of them, 64 hex digits; NULL: not known
    known     INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1) OR known IN (2, 3) OR known = 4) -- their hash: 0 not looked up, 1 in no set, 2 in a set, 3 known good, 4 known bad
);

CREATE TABLE found_in (
    object_id   INTEGER PRIMARY KEY REFERENCES objects (id), -- of whose first byte file systems say something
    kind        TEXT NOT NULL,                               -- 'file', 'deleted', 'slack', 'unallocated', 'allocated', 'metadata', 'unpartitioned'
    slot        INTEGER NOT NULL CHECK (slot >= 0),          -- of the partition, as mmls numbers it; 0: in none
    file_system TEXT NOT NULL,                               -- 'ntfs', ...; '' outside of any
    path        TEXT NOT NULL,                               -- of the file from the file system's root; '' without a file
    inode       INTEGER NOT NULL CHECK (inode >= 0),         -- of the file; 0 without one
    file_offset INTEGER NOT NULL CHECK (file_offset >= 0),   -- bytes from the start of the file; 0 without one
    modified    INTEGER,                                     -- seconds since 1970 UTC when the file was changed last; NULL: not known
    accessed    INTEGER,                                     -- and when it was read last,
    changed     INTEGER,                                     -- when what the file system says of it was changed,
    created     INTEGER                                      -- when it was made
);

CREATE TABLE extents (
    object_id INTEGER NOT NULL REFERENCES objects (id), -- the object
    number    INTEGER NOT NULL,                         -- 0, 1, ... in the order of the object's bytes
    offset    INTEGER NOT NULL CHECK (offset >= 0),     -- of the piece in the image
    len       INTEGER NOT NULL CHECK (len >= 0),        -- of the piece
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;

CREATE TABLE facts (
    object_id INTEGER NOT NULL REFERENCES objects (id), -- the object that says this of itself
    key       TEXT NOT NULL,                            -- 'taken', 'gps.lat', 'author', ...; see docs/reference/facts.md
    value     TEXT NOT NULL,                            -- as the file has it, at most 256 bytes
    number    INTEGER,                                  -- a date: seconds since 1970; degrees: times 10^7; a count; NULL: none
    reach     INTEGER NOT NULL CHECK (reach >= 0),      -- it lies in the first so many bytes of the object: where that was cut shorter, it does not count
    PRIMARY KEY (object_id, key)
) WITHOUT ROWID;

CREATE TABLE assembled (
    object_id INTEGER PRIMARY KEY REFERENCES objects (id), -- of which burin assemble says more than all before
    run_id    INTEGER NOT NULL REFERENCES runs (id),       -- the run that says it
    added     INTEGER NOT NULL CHECK (added IN (0, 1)),    -- 1: its validator had refused the header; it is an object by this alone
    part      INTEGER NOT NULL CHECK (part IN (0, 1)),     -- 1: it is a piece of its parent, and no file: nothing lists it
    parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED, -- the object in whose pieces it lies; NULL: as before
    type      TEXT,                                        -- NULL, and so on: nothing is said of this, it stays as before
    extension TEXT,
    state     TEXT,                                        -- 'fragmented': its pieces are in the table pieces
    reason    TEXT,
    proven    INTEGER CHECK (proven IN (0, 1)),
    len       INTEGER CHECK (len >= 0),                    -- of all its pieces, in bytes
    crc64     INTEGER                                      -- of its bytes; NULL: not taken
);

CREATE TABLE pieces (
    object_id INTEGER NOT NULL REFERENCES objects (id), -- an object of the table assembled that has a len
    number    INTEGER NOT NULL,                         -- 0, 1, ... in the order of the object's bytes
    offset    INTEGER NOT NULL CHECK (offset >= 0),     -- of the piece in the image
    len       INTEGER NOT NULL CHECK (len > 0),         -- of the piece
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;

CREATE TABLE joins (
    object_id INTEGER NOT NULL REFERENCES objects (id), -- an object in pieces
    number    INTEGER NOT NULL,                         -- 1, 2, ...: the seam before this piece
    at        INTEGER NOT NULL CHECK (at > 0),          -- bytes of the object before the seam
    kind      TEXT NOT NULL,                            -- what gave the place: 'record', 'indirect', ...; see docs/reference/case-file.md
    bits      INTEGER NOT NULL CHECK (bits >= 0),       -- a wrong place would have passed once in 2 to the power of this
    tried     INTEGER NOT NULL CHECK (tried > 0),       -- places that were tried
    text      TEXT NOT NULL,                            -- the proof, for people
    PRIMARY KEY (object_id, number)
) WITHOUT ROWID;

CREATE TABLE likely (
    hit_id    INTEGER PRIMARY KEY REFERENCES matches (id), -- the header of a file that was put together by resemblance, without proof
    run_id    INTEGER NOT NULL REFERENCES runs (id),       -- the run that says it
    image_id  INTEGER NOT NULL REFERENCES images (id),     -- the image it lies in
    type      TEXT NOT NULL,                               -- what it would be
    extension TEXT NOT NULL,                               -- of the file that carve --likely writes; may be ''
    reason    TEXT NOT NULL,                               -- what the validator said of it
    wrong     INTEGER NOT NULL CHECK (wrong BETWEEN 1 AND 1000000), -- the chance that it is wrong, in millionths
    tried     INTEGER NOT NULL CHECK (tried > 0),          -- ways that were tried
    text      TEXT NOT NULL,                               -- what speaks for it, for people
    len       INTEGER NOT NULL CHECK (len > 0),            -- of all its pieces, in bytes
    crc64     INTEGER                                      -- of its bytes; NULL: not taken
);

CREATE TABLE likely_pieces (
    hit_id INTEGER NOT NULL REFERENCES likely (hit_id), -- the likely file
    number INTEGER NOT NULL,                     -- 0, 1, ... in the order of its bytes
    offset INTEGER NOT NULL CHECK (offset >= 0), -- of the piece in the image
    len    INTEGER NOT NULL CHECK (len > 0),     -- of the piece
    PRIMARY KEY (hit_id, number)
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
    source   TEXT NOT NULL CHECK (source IN ('read', 'checksum') OR source IN ('acquisition', 'mapfile') OR source = 'not acquired'), -- see docs/reference/case-file.md
    status   TEXT NOT NULL CHECK (status IN ('-', '*') OR status IN ('/', '?')) -- as in a map of GNU ddrescue: '-' bad, '*' and '/' not tried near bad ones, '?' not tried
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

CREATE TABLE findings (
    run_id      INTEGER NOT NULL REFERENCES runs (id),   -- the audit
    number      INTEGER NOT NULL,                        -- 0, 1, ... in the order of rules and, of a rule, of images and offsets
    rule        TEXT NOT NULL,                           -- name of the rule
    severity    TEXT NOT NULL CHECK (severity IN ('critical', 'warning') OR severity = 'info'), -- as the rule has it
    image_id    INTEGER NOT NULL REFERENCES images (id), -- the image
    object_id   INTEGER REFERENCES objects (id),         -- the object that met the rule; NULL: bytes of the image did
    offset      INTEGER NOT NULL CHECK (offset >= 0),    -- of the first place of the image where it is
    len         INTEGER NOT NULL CHECK (len >= 0),       -- bytes there
    places      INTEGER NOT NULL CHECK (places > 0),     -- of the image, at which it is
    fingerprint TEXT NOT NULL,                           -- 16 hex digits: the same value under the same rule has the same
    excerpt     TEXT NOT NULL,                           -- what it is, for people; a secret is masked
    change      TEXT NOT NULL CHECK (change IN ('new', 'moved') OR change IN ('same', 'gone') OR change = 'unknown'), -- since the run before
    allowed     TEXT NOT NULL,                           -- why the allow list lets it pass; '': it does not
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

CREATE TABLE yara (
    run_id    INTEGER NOT NULL REFERENCES runs (id),    -- the run that tried the rules
    number    INTEGER NOT NULL,                         -- 0, 1, ... in the order of objects and, of an object, of rules
    object_id INTEGER NOT NULL REFERENCES objects (id), -- the object
    rule      TEXT NOT NULL,                            -- the rule that it meets; '': none, see why
    namespace TEXT NOT NULL,                            -- of the rule: 'default', or the rule of an audit's policy
    tags      TEXT NOT NULL,                            -- of the rule, with commas between; may be ''
    string    TEXT NOT NULL,                            -- the string of the rule that stands first in the object; '': no string does
    offset    INTEGER NOT NULL CHECK (offset >= 0),     -- of that string in the image; of the object, without one
    why       TEXT NOT NULL,                            -- why the object is not decided, or not by all of its bytes; '' for a rule
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;

CREATE TABLE log (
    id     INTEGER PRIMARY KEY, -- 1, 2, ... without a gap
    time   TEXT NOT NULL,       -- UTC
    run_id INTEGER NOT NULL,    -- runs.id, or 0 for none
    kind   TEXT NOT NULL,       -- 'start', 'note', 'read-error', 'output', 'verified', 'mismatch', 'end', 'seal', 'migrate', ...
    text   TEXT NOT NULL,       -- what happened
    hash   TEXT NOT NULL        -- SHA-256 that chains it to the entry before it, 64 hex digits; see docs/reference/case-file.md
);
CREATE TRIGGER log_insert BEFORE INSERT ON log WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM log)
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_delete BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

CREATE TABLE image_facts (
    image_id INTEGER NOT NULL REFERENCES images (id), -- the image
    name     TEXT NOT NULL, -- 'md5', 'sha1', 'sha256': a hash of the medium, hex digits; 'case number', 'examiner', 'acquired', ...
    value    TEXT NOT NULL, -- as the container has it; nobody vouches for it
    PRIMARY KEY (image_id, name)
) WITHOUT ROWID;

CREATE TABLE image_hashes (
    image_id INTEGER NOT NULL REFERENCES images (id),              -- the image
    run_id   INTEGER NOT NULL REFERENCES runs (id),                -- the run that came to the end of the image
    kind     TEXT NOT NULL CHECK (kind IN ('md5', 'sha1', 'sha256', 'tree')), -- of the hash; tree: of tree_leaves
    digest   TEXT NOT NULL,                                        -- hex digits
    bytes    INTEGER NOT NULL CHECK (bytes >= 0),                  -- of the medium: all
    filled   INTEGER NOT NULL CHECK (filled >= 0),                 -- of them, zeros stood in for so many; not 0: no hash of the medium
    PRIMARY KEY (image_id, run_id, kind)
) WITHOUT ROWID;

CREATE TABLE tree_leaves (
    image_id INTEGER NOT NULL REFERENCES images (id),   -- the image
    run_id   INTEGER NOT NULL REFERENCES runs (id),     -- the run that began the scan
    number   INTEGER NOT NULL CHECK (number >= 0),      -- of the first MiB: it begins at number MiB
    digests  BLOB NOT NULL,                             -- SHA-256 of each MiB from there on, 32 bytes each; the image's last may be shorter
    PRIMARY KEY (image_id, run_id, number)
) WITHOUT ROWID;
