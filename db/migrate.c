/* SPDX-License-Identifier: Apache-2.0
 * db/migrate.c - see migrate.h.
 *
 * To change the schema: edit schema.sql, raise DB_SCHEMA_VERSION in case.h, and add the step from
 * the version before to db_migrate_to_present. Views are made anew behind the steps.
 * tests/db/test_migrate.c runs the machinery on versions of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "db/bind.h"
#include "db/migrate.h"
#include "db/row.h"
#include "db/views.sql.h"

enum err_code db_schema_version(struct db_case *db, int64_t *version, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    enum err_code rc = db_prepare_once(db, "PRAGMA user_version", &stmt, err);

    *version = 0;
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "reading its schema version", err);
    if (found)
        *version = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc;
}

enum err_code db_about_get(struct db_case *db, const char *key, char *out, size_t size,
                           struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    enum err_code rc = db_prepare_once(db, "SELECT value FROM about WHERE key = ?", &stmt, err);

    out[0] = '\0';
    if (rc == ERR_OK) {
        struct bind bind = bind_init(db, stmt, err);

        bind_text(&bind, "key", key, DB_WORD_MAX);
        rc = bind.rc;
    }
    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "reading who wrote it", err);
    if (found) {
        struct row row = row_init(db, stmt, "about", err);
        const char *value = row_text(&row, "value", DB_REASON_MAX);

        snprintf(out, size, "%s", value);
        rc = row.rc;
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* PRAGMA takes no parameters. */
static enum err_code migrate_set_version(struct db_case *db, int version, struct err *err)
{
    char text[64];

    snprintf(text, sizeof text, "PRAGMA user_version = %d", version);
    return db_exec(db, text, "raising its schema version", err);
}

/* References were not checked while the steps ran. */
static enum err_code migrate_check_references(struct db_case *db, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    enum err_code rc = db_prepare_once(db, "PRAGMA foreign_key_check", &stmt, err);

    if (rc == ERR_OK)
        rc = db_step(db, stmt, &found, "bringing its schema up to date", err);
    if (rc == ERR_OK && found) {
        const char *table = (const char *)sqlite3_column_text(stmt, 0);

        rc = db_damaged(db, err, "a row of table %s refers to a row that is missing",
                        table != NULL ? table : "");
    }
    sqlite3_finalize(stmt);
    return rc;
}

static enum err_code migrate_steps(struct db_case *db, const struct db_migration *steps,
                                   size_t step_count, int to, struct err *err)
{
    int64_t from;
    char note[128];
    enum err_code rc = db_schema_version(db, &from, err);
    int64_t at = from;

    for (size_t i = 0; i < step_count && rc == ERR_OK; i++) {
        if (steps[i].from != at)
            continue;
        rc = db_exec(db, steps[i].sql, "bringing its schema up to date", err);
        at++;
    }
    if (rc == ERR_OK && at != to)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: schema %" PRId64
                       " is unknown to this burin, which reads schemas up to %d",
                       db->path, from, to);
    if (rc == ERR_OK && from != to)
        rc = db_exec(db, (const char *)db_views_sql, "making its views", err);
    if (rc == ERR_OK && from != to)
        rc = migrate_check_references(db, err);
    if (rc == ERR_OK)
        rc = migrate_set_version(db, to, err);
    if (rc == ERR_OK && from != to) {
        snprintf(note, sizeof note, "schema %" PRId64 " to %d by %s", from, to, db_writer());
        rc = db_log(db, 0, "migrate", note, err);
    }
    return rc;
}

enum err_code db_migrate(struct db_case *db, const struct db_migration *steps, size_t step_count,
                         int to, struct err *err)
{
    /* Steps rebuild tables that others and views refer to
     * (https://www.sqlite.org/lang_altertable.html, 7). */
    enum err_code rc = db_exec(db, "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON",
                               "bringing its schema up to date", err);

    db_authorize(db, false);
    if (rc == ERR_OK)
        rc = db_begin(db, err);
    if (rc == ERR_OK) {
        rc = migrate_steps(db, steps, step_count, to, err);
        db->failed = rc != ERR_OK;
        const enum err_code end = db_commit(db, rc == ERR_OK ? err : NULL);
        rc = rc == ERR_OK ? end : rc;
    }
    db_authorize(db, true);
    const enum err_code on =
        db_exec(db, "PRAGMA foreign_keys = ON; PRAGMA legacy_alter_table = OFF",
                "bringing its schema up to date", rc == ERR_OK ? err : NULL);
    return rc == ERR_OK ? on : rc;
}

enum err_code db_migrate_to_present(struct db_case *db, struct err *err)
{
    static const struct db_migration steps[] = {
        { 1, "ALTER TABLE objects ADD COLUMN slack INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, "
             "1, 2, 3))" },
        { 2, "ALTER TABLE objects ADD COLUMN known INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, "
             "1, 2, 3, 4));"
             "CREATE TABLE known_sets ( id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES "
             "runs (id), "
             "path TEXT NOT NULL, label TEXT NOT NULL, verdict TEXT NOT NULL CHECK (verdict IN "
             "('known', "
             "'good', 'bad')), hash TEXT NOT NULL CHECK (hash IN ('md5', 'sha1', 'sha256')), block "
             "INTEGER "
             "NOT NULL CHECK (block >= 0), hashes INTEGER NOT NULL CHECK (hashes >= 0), sha256 "
             "TEXT NOT NULL "
             ");"
             "CREATE TABLE known_objects ( object_id INTEGER NOT NULL REFERENCES objects (id), "
             "set_id INTEGER "
             "NOT NULL REFERENCES known_sets (id), digest TEXT NOT NULL, name TEXT, PRIMARY KEY "
             "(object_id, "
             "set_id) ) WITHOUT ROWID;"
             "CREATE TABLE known_blocks ( image_id INTEGER NOT NULL REFERENCES images (id), offset "
             "INTEGER "
             "NOT NULL CHECK (offset >= 0), set_id INTEGER NOT NULL REFERENCES known_sets (id), "
             "len INTEGER "
             "NOT NULL CHECK (len > 0), digest TEXT NOT NULL, name TEXT, source INTEGER NOT NULL "
             "CHECK "
             "(source >= 0), PRIMARY KEY (image_id, offset, set_id) ) WITHOUT ROWID;" },
        /* What was said later of objects stood in their own rows; what their validators had said is
           lost there. */
        { 3, "ALTER TABLE image_parts ADD COLUMN size INTEGER CHECK (size >= 0);"
             "ALTER TABLE image_parts ADD COLUMN modified TEXT;"
             "CREATE TABLE image_samples ( image_id INTEGER NOT NULL REFERENCES images (id), "
             "offset INTEGER NOT "
             "NULL CHECK (offset >= 0), len INTEGER NOT NULL CHECK (len > 0), sha256 TEXT NOT "
             "NULL, PRIMARY KEY "
             "(image_id, offset) ) WITHOUT ROWID;"
             "CREATE TABLE nested ( object_id INTEGER PRIMARY KEY REFERENCES objects (id), "
             "parent_id INTEGER "
             "REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED, state TEXT CHECK (state IN "
             "('complete', "
             "'footer', 'truncated', 'fragmented')), len INTEGER CHECK (len >= 0), reason TEXT, "
             "crc64 INTEGER );"
             "INSERT INTO nested (object_id, parent_id) SELECT id, parent_id FROM objects WHERE "
             "parent_id IS NOT NULL;"
             "CREATE INDEX nested_by_parent ON nested (parent_id) WHERE parent_id IS NOT NULL;"
             "CREATE TABLE contents ( object_id INTEGER PRIMARY KEY REFERENCES objects (id), "
             "sha256 TEXT, known "
             "INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1, 2, 3, 4)) );"
             "INSERT INTO contents SELECT id, sha256, known FROM objects WHERE sha256 IS NOT NULL "
             "OR known <> 0;"
             "CREATE TABLE new_objects ( id INTEGER PRIMARY KEY REFERENCES hits (id) DEFERRABLE "
             "INITIALLY DEFERRED, "
             "image_id INTEGER NOT NULL REFERENCES images (id), signature_id INTEGER NOT NULL "
             "REFERENCES signatures "
             "(id), type TEXT NOT NULL, extension TEXT NOT NULL, state TEXT NOT NULL CHECK (state "
             "IN ('complete', "
             "'footer', 'truncated', 'fragmented')), reason TEXT NOT NULL, checked INTEGER NOT "
             "NULL CHECK (checked IN "
             "(0, 1)), proven INTEGER NOT NULL CHECK (proven IN (0, 1)), container INTEGER NOT "
             "NULL CHECK (container "
             "IN (0, 1)), offset INTEGER NOT NULL CHECK (offset >= 0), len INTEGER NOT NULL CHECK "
             "(len >= 0), name "
             "TEXT NOT NULL, slack INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, 1, 2, 3)), crc64 "
             "INTEGER );"
             "INSERT INTO new_objects SELECT id, image_id, signature_id, type, extension, state, "
             "reason, checked, "
             "proven, container, offset, len, name, slack, NULL FROM objects;"
             "DROP TABLE objects; ALTER TABLE new_objects RENAME TO objects;"
             "CREATE INDEX objects_by_offset ON objects (image_id, offset);"
             "ALTER TABLE bad_ranges ADD COLUMN source TEXT NOT NULL DEFAULT 'read' CHECK (source "
             "IN ('read', "
             "'checksum', 'acquisition'));" },
        /* The table is made anew, for SQLite renames no column while a view of somebody's breaks.
         */
        { 4, "CREATE TABLE new_objects ( id INTEGER PRIMARY KEY REFERENCES hits (id) DEFERRABLE "
             "INITIALLY DEFERRED, "
             "image_id INTEGER NOT NULL REFERENCES images (id), signature_id INTEGER NOT NULL "
             "REFERENCES signatures "
             "(id), type TEXT NOT NULL, extension TEXT NOT NULL, state TEXT NOT NULL CHECK (state "
             "IN ('complete', "
             "'footer', 'truncated', 'fragmented')), reason TEXT NOT NULL, validated INTEGER NOT "
             "NULL CHECK (validated IN "
             "(0, 1)), proven INTEGER NOT NULL CHECK (proven IN (0, 1)), container INTEGER NOT "
             "NULL CHECK (container "
             "IN (0, 1)), offset INTEGER NOT NULL CHECK (offset >= 0), len INTEGER NOT NULL CHECK "
             "(len >= 0), name "
             "TEXT NOT NULL, slack INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, 1, 2, 3)), crc64 "
             "INTEGER );"
             "INSERT INTO new_objects SELECT id, image_id, signature_id, type, extension, state, "
             "reason, checked, "
             "proven, container, offset, len, name, slack, crc64 FROM objects;"
             "DROP TABLE objects; ALTER TABLE new_objects RENAME TO objects;"
             "CREATE INDEX objects_by_offset ON objects (image_id, offset);" },
        /* Lists in a CHECK have two values at most: see schema.sql. */
        { 5, "CREATE TABLE new_objects ( id INTEGER PRIMARY KEY REFERENCES hits (id) DEFERRABLE "
             "INITIALLY DEFERRED, image_id INTEGER NOT NULL REFERENCES images (id), "
             "signature_id INTEGER NOT NULL REFERENCES signatures (id), type TEXT NOT NULL, "
             "extension TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('complete', 'footer') "
             "OR state IN ('truncated', 'fragmented')), reason TEXT NOT NULL, validated INTEGER "
             "NOT NULL CHECK (validated IN (0, 1)), proven INTEGER NOT NULL CHECK (proven IN (0, "
             "1)), container INTEGER NOT NULL CHECK (container IN (0, 1)), offset INTEGER NOT NULL "
             "CHECK (offset >= 0), len INTEGER NOT NULL CHECK (len >= 0), name TEXT NOT NULL, "
             "slack INTEGER NOT NULL DEFAULT 0 CHECK (slack IN (0, 1) OR slack IN (2, 3)), crc64 "
             "INTEGER );"
             "INSERT INTO new_objects SELECT id, image_id, signature_id, type, extension, state, "
             "reason, validated, proven, container, offset, len, name, slack, crc64 FROM objects;"
             "DROP TABLE objects; ALTER TABLE new_objects RENAME TO objects;"
             "CREATE INDEX objects_by_offset ON objects (image_id, offset);"
             "CREATE TABLE new_nested ( object_id INTEGER PRIMARY KEY REFERENCES objects (id), "
             "parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED, state TEXT "
             "CHECK (state IN ('complete', 'footer') OR state IN ('truncated', 'fragmented')), len "
             "INTEGER CHECK (len >= 0), reason TEXT, crc64 INTEGER );"
             "INSERT INTO new_nested SELECT object_id, parent_id, state, len, reason, crc64 FROM "
             "nested;"
             "DROP TABLE nested; ALTER TABLE new_nested RENAME TO nested;"
             "CREATE INDEX nested_by_parent ON nested (parent_id) WHERE parent_id IS NOT NULL;"
             "CREATE TABLE new_contents ( object_id INTEGER PRIMARY KEY REFERENCES objects (id), "
             "sha256 TEXT, known INTEGER NOT NULL DEFAULT 0 CHECK (known IN (0, 1) OR known IN (2, "
             "3) OR known = 4) );"
             "INSERT INTO new_contents SELECT object_id, sha256, known FROM contents;"
             "DROP TABLE contents; ALTER TABLE new_contents RENAME TO contents;" },
        { 6, "ALTER TABLE runs ADD COLUMN resumes INTEGER REFERENCES runs (id);"
             "CREATE TABLE parts ( run_id INTEGER NOT NULL REFERENCES runs (id), offset INTEGER "
             "NOT NULL CHECK (offset >= 0), len INTEGER NOT NULL CHECK (len > 0), crc64 INTEGER, "
             "PRIMARY KEY (run_id, offset) ) WITHOUT ROWID;"
             "CREATE TABLE resume ( run_id INTEGER PRIMARY KEY REFERENCES runs (id), position "
             "INTEGER NOT NULL CHECK (position >= 0), state BLOB NOT NULL );" },
        { 7, "CREATE TABLE found_in ( object_id INTEGER PRIMARY KEY REFERENCES "
             "objects (id), kind TEXT NOT NULL, slot INTEGER NOT NULL CHECK (slot >= "
             "0), file_system TEXT NOT NULL, path TEXT NOT NULL, inode INTEGER NOT "
             "NULL CHECK (inode >= 0), file_offset INTEGER NOT NULL CHECK "
             "(file_offset >= 0) );"
             "CREATE TABLE scanned ( run_id INTEGER NOT NULL REFERENCES runs (id), "
             "offset INTEGER NOT NULL CHECK (offset >= 0), len INTEGER NOT NULL "
             "CHECK (len > 0), PRIMARY KEY (run_id, offset) ) WITHOUT ROWID; "
             "CREATE TABLE volumes ( run_id INTEGER NOT NULL REFERENCES runs (id), "
             "number INTEGER NOT NULL, slot INTEGER NOT NULL CHECK (slot >= 0), kind "
             "TEXT NOT NULL, offset INTEGER NOT NULL CHECK (offset >= 0), len "
             "INTEGER NOT NULL CHECK (len >= 0), description TEXT NOT NULL, content "
             "TEXT NOT NULL, label TEXT NOT NULL, scanned INTEGER NOT NULL CHECK "
             "(scanned >= 0), why TEXT NOT NULL, PRIMARY KEY (run_id, number) ) "
             "WITHOUT ROWID; "
             "CREATE TABLE new_bad_ranges ( id INTEGER PRIMARY KEY, image_id INTEGER "
             "NOT NULL REFERENCES images (id), run_id INTEGER NOT NULL REFERENCES "
             "runs (id), offset INTEGER NOT NULL CHECK (offset >= 0), len INTEGER NOT "
             "NULL CHECK (len > 0), cause INTEGER NOT NULL, source TEXT NOT NULL "
             "CHECK (source IN ('read', 'checksum') OR source IN ('acquisition', "
             "'mapfile') OR source = 'not acquired'), status TEXT NOT NULL CHECK "
             "(status IN ('-', '*') OR status IN ('/', '?')) );"
             "INSERT INTO new_bad_ranges SELECT id, image_id, run_id, offset, len, "
             "cause, source, '-' FROM bad_ranges;"
             "DROP TABLE bad_ranges; ALTER TABLE new_bad_ranges RENAME TO bad_ranges;"
             "CREATE INDEX bad_ranges_by_offset ON bad_ranges (image_id, offset);"
             "CREATE TABLE image_facts ( image_id INTEGER NOT NULL REFERENCES images (id), name "
             "TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (image_id, name) ) WITHOUT ROWID;"
             "CREATE TABLE image_hashes ( image_id INTEGER NOT NULL REFERENCES images (id), run_id "
             "INTEGER NOT NULL REFERENCES runs (id), kind TEXT NOT NULL CHECK (kind IN ('md5', "
             "'sha1', 'sha256')), digest TEXT NOT NULL, bytes INTEGER NOT NULL CHECK (bytes >= 0), "
             "filled INTEGER NOT NULL CHECK (filled >= 0), PRIMARY KEY (image_id, run_id, kind) ) "
             "WITHOUT ROWID;" },
        { 8, "CREATE TABLE assembled ( object_id INTEGER PRIMARY KEY REFERENCES objects "
             "(id), run_id INTEGER NOT NULL REFERENCES runs (id), added INTEGER NOT NULL "
             "CHECK (added IN (0, 1)), part INTEGER NOT NULL CHECK (part IN (0, 1)), "
             "parent_id INTEGER REFERENCES objects (id) DEFERRABLE INITIALLY DEFERRED, "
             "type TEXT, extension TEXT, state TEXT, reason TEXT, proven INTEGER CHECK "
             "(proven IN (0, 1)), len INTEGER CHECK (len >= 0), crc64 INTEGER ); CREATE "
             "TABLE pieces ( object_id INTEGER NOT NULL REFERENCES objects (id), number "
             "INTEGER NOT NULL, offset INTEGER NOT NULL CHECK (offset >= 0), len INTEGER "
             "NOT NULL CHECK (len > 0), PRIMARY KEY (object_id, number) ) WITHOUT ROWID; "
             "CREATE TABLE joins ( object_id INTEGER NOT NULL REFERENCES objects (id), "
             "number INTEGER NOT NULL, at INTEGER NOT NULL CHECK (at > 0), kind TEXT NOT "
             "NULL, bits INTEGER NOT NULL CHECK (bits >= 0), tried INTEGER NOT NULL "
             "CHECK (tried > 0), text TEXT NOT NULL, PRIMARY KEY (object_id, number) ) "
             "WITHOUT ROWID;" },
        { 9, "CREATE TABLE facts ( object_id INTEGER NOT NULL REFERENCES objects (id), key "
             "TEXT NOT NULL, value TEXT NOT NULL, number INTEGER, reach INTEGER NOT NULL "
             "CHECK (reach >= 0), PRIMARY KEY (object_id, key) ) WITHOUT ROWID; "
             "CREATE TABLE triage ( run_id INTEGER NOT NULL REFERENCES runs (id), sweep "
             "INTEGER NOT NULL CHECK (sweep >= 0), volume INTEGER NOT NULL, slot INTEGER "
             "NOT NULL CHECK (slot >= 0), content TEXT NOT NULL, units INTEGER NOT NULL "
             "CHECK (units >= 0), zero INTEGER NOT NULL CHECK (zero >= 0), fill INTEGER "
             "NOT NULL CHECK (fill >= 0), text INTEGER NOT NULL CHECK (text >= 0), "
             "structured INTEGER NOT NULL CHECK (structured >= 0), dense INTEGER NOT "
             "NULL CHECK (dense >= 0), uniform INTEGER NOT NULL CHECK (uniform >= 0), "
             "unreadable INTEGER NOT NULL CHECK (unreadable >= 0), hits INTEGER NOT NULL "
             "CHECK (hits >= 0), PRIMARY KEY (run_id, sweep, volume) ) WITHOUT ROWID; "
             "CREATE TABLE triage_found ( run_id INTEGER NOT NULL REFERENCES runs (id), "
             "number INTEGER NOT NULL, offset INTEGER NOT NULL CHECK (offset >= 0), len "
             "INTEGER NOT NULL CHECK (len >= 0), kind TEXT NOT NULL, what TEXT NOT NULL, "
             "detail TEXT NOT NULL, PRIMARY KEY (run_id, number) ) WITHOUT ROWID;" },
        { 10, "ALTER TABLE found_in ADD COLUMN modified INTEGER;"
              "ALTER TABLE found_in ADD COLUMN accessed INTEGER;"
              "ALTER TABLE found_in ADD COLUMN changed INTEGER;"
              "ALTER TABLE found_in ADD COLUMN created INTEGER;"
              "CREATE TABLE new_image_hashes ( image_id INTEGER NOT NULL REFERENCES images (id), "
              "run_id INTEGER NOT NULL REFERENCES runs (id), kind TEXT NOT NULL CHECK (kind IN "
              "('md5', 'sha1', 'sha256', 'tree')), digest TEXT NOT NULL, bytes INTEGER NOT NULL "
              "CHECK (bytes >= 0), filled INTEGER NOT NULL CHECK (filled >= 0), PRIMARY KEY "
              "(image_id, run_id, kind) ) WITHOUT ROWID;"
              "INSERT INTO new_image_hashes SELECT image_id, run_id, kind, digest, bytes, filled "
              "FROM image_hashes;"
              "DROP TABLE image_hashes; ALTER TABLE new_image_hashes RENAME TO image_hashes;"
              "CREATE TABLE tree_leaves ( image_id INTEGER NOT NULL REFERENCES images (id), run_id "
              "INTEGER NOT NULL REFERENCES runs (id), number INTEGER NOT NULL CHECK (number >= 0), "
              "digests BLOB NOT NULL, PRIMARY KEY (image_id, run_id, "
              "number) ) WITHOUT ROWID;" },
        { 11,
          "CREATE TABLE findings ( run_id INTEGER NOT NULL REFERENCES runs (id), number "
          "INTEGER NOT NULL, rule TEXT NOT NULL, severity TEXT NOT NULL CHECK (severity IN "
          "('critical', 'warning') OR severity = 'info'), image_id INTEGER NOT NULL REFERENCES "
          "images (id), object_id INTEGER REFERENCES objects (id), offset INTEGER NOT NULL "
          "CHECK (offset >= 0), len INTEGER NOT NULL CHECK (len >= 0), places INTEGER NOT NULL "
          "CHECK (places > 0), fingerprint TEXT NOT NULL, excerpt TEXT NOT NULL, change TEXT "
          "NOT NULL CHECK (change IN ('new', 'moved') OR change IN ('same', 'gone') OR change = "
          "'unknown'), allowed TEXT NOT NULL, PRIMARY KEY (run_id, number) ) WITHOUT ROWID;" },
        { 12, "CREATE TABLE likely ( hit_id INTEGER PRIMARY KEY REFERENCES hits (id), run_id "
              "INTEGER NOT NULL REFERENCES runs (id), image_id INTEGER NOT NULL REFERENCES "
              "images (id), type TEXT NOT NULL, extension TEXT NOT NULL, reason TEXT NOT NULL, "
              "wrong INTEGER NOT NULL CHECK (wrong BETWEEN 1 AND 1000000), tried INTEGER NOT NULL "
              "CHECK (tried > 0), text TEXT NOT NULL, len INTEGER NOT NULL CHECK (len > 0), crc64 "
              "INTEGER ); CREATE TABLE likely_pieces ( hit_id INTEGER NOT NULL REFERENCES likely "
              "(hit_id), number INTEGER NOT NULL, offset INTEGER NOT NULL CHECK (offset >= 0), len "
              "INTEGER NOT NULL CHECK (len > 0), PRIMARY KEY (hit_id, number) ) "
              "WITHOUT ROWID;" },
        { 13, "CREATE TABLE yara ( run_id INTEGER NOT NULL REFERENCES runs (id), "
              "number INTEGER NOT NULL, object_id INTEGER NOT NULL REFERENCES objects "
              "(id), rule TEXT NOT NULL, namespace TEXT NOT NULL, tags TEXT NOT NULL, "
              "string TEXT NOT NULL, offset INTEGER NOT NULL CHECK (offset >= 0), why "
              "TEXT NOT NULL, PRIMARY KEY (run_id, number) ) WITHOUT ROWID;" },
        { 14, "CREATE TABLE link ( run_id INTEGER PRIMARY KEY REFERENCES runs (id), image_id "
              "INTEGER NOT NULL REFERENCES images (id), folder TEXT NOT NULL, patterns BLOB NOT "
              "NULL ); CREATE TABLE linked ( first_id INTEGER PRIMARY KEY, run_id INTEGER NOT "
              "NULL REFERENCES link (run_id), hits INTEGER NOT NULL CHECK (hits > 0), shard "
              "INTEGER NOT NULL CHECK (shard >= 0), at INTEGER NOT NULL CHECK (at >= 0), len "
              "INTEGER NOT NULL CHECK (len > 0), sha256 TEXT NOT NULL, left_out BLOB );" },
        { 15, "CREATE TABLE text_spots ( run_id INTEGER NOT NULL REFERENCES runs (id), offset "
              "INTEGER NOT NULL CHECK (offset >= 0), spots BLOB NOT NULL, PRIMARY KEY (run_id, "
              "offset) ) WITHOUT ROWID;" },
        { 16, "" }, /* rows are sealed in groups */
        { 17, "CREATE TABLE linked_nested ( last_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL "
              "REFERENCES link (run_id), pairs BLOB NOT NULL );" },
        { 18,
          "CREATE TABLE patterns ( id INTEGER PRIMARY KEY, image_id INTEGER NOT NULL REFERENCES "
          "images (id), signature_id INTEGER NOT NULL REFERENCES signatures (id), len INTEGER NOT "
          "NULL, footer INTEGER NOT NULL, UNIQUE (image_id, signature_id, len, footer) );"
          "INSERT INTO patterns (image_id, signature_id, len, footer) SELECT image_id, "
          "signature_id, len, footer FROM hits GROUP BY image_id, signature_id, len, footer ORDER "
          "BY min(id);"
          "CREATE TABLE matches ( pattern_id INTEGER, offset INTEGER, id INTEGER PRIMARY KEY );"
          "INSERT INTO matches (pattern_id, offset, id) SELECT (SELECT p.id FROM patterns p WHERE "
          "p.image_id = h.image_id AND p.signature_id = h.signature_id AND p.len = h.len AND "
          "p.footer = h.footer), h.offset, h.id FROM hits h ORDER BY h.id;"
          "DROP TABLE hits;"
          "CREATE TABLE new_objects ( id INTEGER PRIMARY KEY REFERENCES matches (id) DEFERRABLE "
          "INITIALLY DEFERRED, image_id INTEGER NOT NULL REFERENCES images (id), signature_id "
          "INTEGER NOT NULL REFERENCES signatures (id), type TEXT NOT NULL, extension TEXT NOT "
          "NULL, state TEXT NOT NULL CHECK (state IN ('complete', 'footer') OR state IN "
          "('truncated', 'fragmented')), reason TEXT NOT NULL, validated INTEGER NOT NULL CHECK "
          "(validated IN (0, 1)), proven INTEGER NOT NULL CHECK (proven IN (0, 1)), container "
          "INTEGER NOT NULL CHECK (container IN (0, 1)), offset INTEGER NOT NULL CHECK (offset >= "
          "0), len INTEGER NOT NULL CHECK (len >= 0), name TEXT NOT NULL, slack INTEGER NOT NULL "
          "DEFAULT 0 CHECK (slack IN (0, 1) OR slack IN (2, 3)), crc64 INTEGER );"
          "INSERT INTO new_objects SELECT id, image_id, signature_id, type, extension, state, "
          "reason, validated, proven, container, offset, len, name, slack, crc64 FROM objects;"
          "DROP TABLE objects; ALTER TABLE new_objects RENAME TO objects;"
          "CREATE INDEX objects_by_offset ON objects (image_id, offset);"
          "CREATE TABLE new_likely ( hit_id INTEGER PRIMARY KEY REFERENCES matches (id), run_id "
          "INTEGER NOT NULL REFERENCES runs (id), image_id INTEGER NOT NULL REFERENCES images "
          "(id), type TEXT NOT NULL, extension TEXT NOT NULL, reason TEXT NOT NULL, wrong INTEGER "
          "NOT NULL CHECK (wrong BETWEEN 1 AND 1000000), tried INTEGER NOT NULL CHECK (tried > "
          "0), text TEXT NOT NULL, len INTEGER NOT NULL CHECK (len > 0), crc64 INTEGER );"
          "INSERT INTO new_likely SELECT hit_id, run_id, image_id, type, extension, reason, wrong, "
          "tried, text, len, crc64 FROM likely;"
          "DROP TABLE likely; ALTER TABLE new_likely RENAME TO likely;" },
    };

    return db_migrate(db, steps, sizeof steps / sizeof steps[0], DB_SCHEMA_VERSION, err);
}
