/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_migrate.c - an older schema becomes the present one, whole or not at all. The newer
 * ones are made up here: 19 becomes 20 (a table is rebuilt with a new column) and 21 (a table is
 * added).
 */
#include "db/migrate.h"
#include "tests/db/case_fixture.h"

static const struct db_migration steps[] = {
    { 19,
      "CREATE TABLE new_images (id INTEGER PRIMARY KEY, path TEXT NOT NULL, format TEXT NOT NULL, "
      "size INTEGER NOT "
      "NULL, "
      "sector_size INTEGER NOT NULL, serial TEXT);"
      "INSERT INTO new_images SELECT id, path, format, size, sector_size, 'S/N ' || id FROM images;"
      "DROP TABLE images; ALTER TABLE new_images RENAME TO images;" },
    { 20, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);"
          "INSERT INTO notes SELECT id, 'from ' || serial FROM images;" },
};

static const struct db_migration broken_steps[] = {
    { 19, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)" },
    { 20, "INSERT INTO notes VALUES (1, 'x'); INSERT INTO no_such_table VALUES (1)" },
};

static void each_step_is_taken_once_and_logged(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    int64_t version, broken = -1;

    OK(db_migrate(db, steps, 2, 21, &err));
    OK(db_schema_version(db, &version, &err));
    assert_int_equal(version, 21);
    OK(db_log_verify(db, &broken, &err));
    assert_int_equal(broken, 0);
    OK(db_migrate(db, steps, 2, 21, &err)); /* nothing to do */
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT text FROM notes; SELECT serial FROM images WHERE id = 2; SELECT count(*) FROM "
             "objects; "
             "SELECT kind, substr(text, 1, 24) FROM log WHERE id > 3; PRAGMA foreign_key_check; "
             "PRAGMA integrity_check",
             "from S/N 1\nfrom S/N 2\nS/N 2\n5\nmigrate|schema 19 to 21 by burin\nok\n");
}

static void a_failed_step_leaves_the_file_as_it_was(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    FAILS(db_migrate(db, broken_steps, 2, 21, &err), ERR_INPUT, "no such table: no_such_table");
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT count(*) FROM sqlite_schema WHERE name = 'notes'; SELECT "
             "count(*) FROM log",
             "19\n0\n3\n");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    db_case_close(db);
}

static void references_hold_after_a_step(void **state)
{
    static const struct db_migration loses_rows[] = { { 19, "DELETE FROM images WHERE id = 2" } };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_image image = { .path = "/x", .format = "raw" };
    struct db_bad_range range = {
        .image_id = 9, .offset = 0, .len = 1, .source = "read", .status = '-'
    };
    struct err err = { 0 };
    int64_t id;

    FAILS(db_migrate(db, loses_rows, 1, 20, &err), ERR_INPUT, "refers to a row that is missing");
    OK(db_begin(db, &err));
    OK(db_image_add(db, &image, &id, &err));
    OK(db_commit(db, &err));
    assert_int_equal(id, 3); /* image 2 is still there */
    FAILS(db_bad_range_add(db, 1, &range, &err), ERR_INPUT,
          "FOREIGN KEY"); /* and references are checked again */
    db_case_close(db);
}

static void a_gap_in_the_steps_is_an_error(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    FAILS(db_migrate(db, steps + 1, 1, 21, &err), ERR_INPUT, "schema 19 is unknown to this burin");
    FAILS(db_migrate(db, steps, 2, 22, &err), ERR_INPUT, "schema 19 is unknown to this burin");
    db_case_close(db);
    SQL_SAYS(f->path, "PRAGMA user_version", "19\n");
}

/* Puts a case file of schema 3 at the path: a picture that holds another one, of which the hash is
 * known, and one that was cut. */
static void make_schema_3(const struct fixture *f)
{
    char command[256], out[64];

    snprintf(command, sizeof command, "sqlite3 -batch '%s' <tests/db/schema-3.sql", f->path);
    assert_int_equal(system(command), 0);
    fixture_sql(
        f->path,
        "PRAGMA application_id = 0x4255524e; PRAGMA user_version = 3; "
        "INSERT INTO about VALUES ('writer', 'burin 0.1.0 (old)'); "
        "INSERT INTO images VALUES (1, '/evidence/disk.001', 'raw', 1048576, 512); "
        "INSERT INTO image_parts VALUES (1, 0, '/evidence/disk.001'); "
        "INSERT INTO runs VALUES (1, 1, 'scan', 'burin scan', '0.1.0', 'old', '', '{}', 'host', "
        "'user', 'ac', "
        "'2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z', 'done', 1048576); "
        "INSERT INTO signatures VALUES (1, 1, 0, 'jpg', 'validator', 'built-in', 'x', NULL, 9); "
        "INSERT INTO hits VALUES (1, 1, 1, 4096, 3, 0), (2, 1, 1, 5000, 3, 0), (3, 1, 1, 8192, 3, "
        "0); "
        "INSERT INTO objects VALUES (1, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 4096, "
        "4000, NULL, "
        "'" FIXTURE_SHA256 "', 'jpg/a', 1, 3), "
        "(2, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 5000, 900, 1, NULL, 'jpg/b', 2, 0), "
        "(3, 1, 1, 'jpg', 'jpg', 'truncated', 'another file begins inside', 1, 0, 1, 8192, 512, "
        "NULL, NULL, "
        "'jpg/c', 0, 0); "
        "INSERT INTO extents VALUES (1, 0, 4096, 4000), (2, 0, 5000, 900), (3, 0, 8192, 512); "
        "INSERT INTO known_sets VALUES (1, 1, '/sets/good', '', 'good', 'sha256', 0, 1, "
        "'" FIXTURE_SHA256 "'); "
        "INSERT INTO known_objects VALUES (1, 1, '" FIXTURE_SHA256 "', NULL); "
        "INSERT INTO bad_ranges VALUES (1, 1, 1, 9000, 512, 5)",
        out, sizeof out);
    assert_string_equal(out, "");
}

/* What a reader is told of it, whichever schema it has. */
static void reads_like_schema_3(struct db_case *db, bool known)
{
    static const struct {
        int64_t id, parent;
        uint64_t len;
        const char *state;
    } want[] = { { 1, 0, 4000, "complete" },
                 { 2, 1, 900, "complete" },
                 { 3, 0, 512, "truncated" } };
    struct db_object_cursor *cursor;
    struct db_object object;
    struct err err = { 0 };
    uint64_t bad = 0;
    bool found;

    OK(db_objects_open(db, 0, &cursor, &err));
    for (size_t i = 0; i < 3; i++) {
        OK(db_objects_next(cursor, &found, &object, &err));
        assert_true(found);
        assert_int_equal(object.id, want[i].id);
        assert_int_equal(object.parent_id, want[i].parent);
        assert_int_equal(object.len, want[i].len);
        assert_string_equal(object.state, want[i].state);
        assert_false(object.has_crc64);
        assert_int_equal(object.known, known && i == 0 ? DB_KNOWN_GOOD : DB_KNOWN_UNCHECKED);
        if (i == 0)
            assert_string_equal(object.sha256, FIXTURE_SHA256);
        else
            assert_null(object.sha256);
    }
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_false(found);
    db_objects_close(cursor);
    OK(db_bad_bytes(db, 1, 0, 1 << 20, &bad, &err));
    assert_int_equal(bad, 512);
}

/* Older ones: 2 knows nothing of known files, and 1 nothing of slack either. */
static const char *const older[] = {
    "",
    "ALTER TABLE objects DROP COLUMN known; DROP TABLE known_blocks; DROP TABLE known_objects; "
    "DROP TABLE known_sets; "
    "PRAGMA user_version = 2",
    "ALTER TABLE objects DROP COLUMN known; DROP TABLE known_blocks; DROP TABLE known_objects; "
    "DROP TABLE known_sets; "
    "ALTER TABLE objects DROP COLUMN slack; PRAGMA user_version = 1",
};

static void older_case_files_are_read_and_brought_up_to_date(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db;
    struct err err = { 0 };
    char out[64], want[64];

    for (int i = 0; i < 3; i++) {
        unlink(f->path);
        make_schema_3(f);
        fixture_sql(f->path, older[i], out, sizeof out);
        assert_string_equal(out, "");
        OK(db_case_open(f->path, DB_READ, &db, &err));
        reads_like_schema_3(db, i == 0);
        db_case_close(db);
        snprintf(want, sizeof want, "%d\n0\n", 3 - i); /* a reader has changed nothing */
        SQL_SAYS(f->path, "PRAGMA user_version; SELECT count(*) FROM log", want);
        OK(db_case_open(f->path, DB_WRITE, &db, &err));
        reads_like_schema_3(db, i == 0);
        db_case_close(db);
        snprintf(want, sizeof want, "19\nschema %d to 19\nok\n1|jpg/a\n", 3 - i);
        SQL_SAYS(
            f->path,
            "PRAGMA user_version; SELECT substr(text, 1, 14) FROM log; PRAGMA integrity_check; "
            "PRAGMA foreign_key_check; SELECT parent_id, parent_name FROM v_objects WHERE id = 2",
            want);
        OK(db_case_open(f->path, DB_READ, &db, &err)); /* its tables are those of a new file */
        db_case_close(db);
    }
}

/* Schema 4 called the column "validated" of objects "checked". */
static void a_case_file_of_schema_4_keeps_who_gave_the_verdict(void **state)
{
    const struct fixture *f = *state;
    struct db_object_cursor *cursor;
    struct db_object object;
    struct db_case *db;
    struct err err = { 0 };
    char command[256], out[64];
    bool found;

    snprintf(command, sizeof command, "sqlite3 -batch '%s' <tests/db/schema-4.sql", f->path);
    assert_int_equal(system(command), 0);
    fixture_sql(
        f->path,
        "PRAGMA application_id = 0x4255524e; PRAGMA user_version = 4; "
        "INSERT INTO about VALUES ('writer', 'burin 0.1.0 (old)'); "
        "INSERT INTO images VALUES (1, '/evidence/disk.001', 'raw', 1048576, 512); "
        "INSERT INTO runs VALUES (1, 1, 'scan', 'burin scan', '0.1.0', 'old', '', '{}', 'host', "
        "'user', 'ac', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z', 'done', 1048576); "
        "INSERT INTO signatures VALUES (1, 1, 0, 'jpg', 'validator', 'built-in', 'x', NULL, 9), "
        "(2, 1, 1, 'own', 'rule', 'a.conf:1', 'y', 'z', 9); "
        "INSERT INTO hits VALUES (1, 1, 1, 4096, 3, 0), (2, 1, 2, 8192, 3, 0); "
        "INSERT INTO objects VALUES (1, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 4096, "
        "4000, 'jpg/a', 1, 7), "
        "(2, 1, 2, 'own', 'own', 'footer', 'header and footer', 0, 0, 0, 8192, 900, 'own/b', 0, "
        "NULL); "
        "INSERT INTO extents VALUES (1, 0, 4096, 4000), (2, 0, 8192, 900); "
        "CREATE VIEW mine AS SELECT parent_id, checked FROM objects",
        out, sizeof out);
    assert_string_equal(out, "");
    for (int access = 0; access < 2; access++) {
        OK(db_case_open(f->path, access == 0 ? DB_READ : DB_WRITE, &db, &err));
        OK(db_objects_open(db, 0, &cursor, &err));
        for (int64_t id = 1; id <= 2; id++) {
            OK(db_objects_next(cursor, &found, &object, &err));
            assert_true(found);
            assert_int_equal(object.id, id);
            assert_int_equal(object.validated, id == 1);
            assert_int_equal(object.has_crc64, id == 1);
        }
        db_objects_close(cursor);
        db_case_close(db);
    }
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT substr(text, 1, 14) FROM log; PRAGMA integrity_check; "
             "SELECT id, validated FROM v_objects ORDER BY id",
             "19\nschema 4 to 19\nok\n1|1\n2|0\n");
}

/* Schema 5 has the same tables, whose rows SQLite checks more slowly. */
static void a_case_file_of_schema_5_keeps_all_of_its_rows(void **state)
{
    static const char rows[] = "SELECT id, image_id, signature_id, offset, len, footer FROM hits "
                               "ORDER BY id; SELECT * FROM objects; SELECT * FROM nested; SELECT * "
                               "FROM contents; SELECT * FROM extents";
    const struct fixture *f = *state;
    struct db_case *db;
    struct err err = { 0 };
    char command[256], out[64], before[4096], after[4096];

    snprintf(command, sizeof command, "sqlite3 -batch '%s' <tests/db/schema-5.sql", f->path);
    assert_int_equal(system(command), 0);
    fixture_sql(
        f->path,
        "PRAGMA application_id = 0x4255524e; PRAGMA user_version = 5; "
        "INSERT INTO about VALUES ('writer', 'burin 0.1.0 (old)'); "
        "INSERT INTO images VALUES (1, '/evidence/disk.001', 'raw', 1048576, 512); "
        "INSERT INTO runs VALUES (1, 1, 'scan', 'burin scan', '0.1.0', 'old', '', '{}', 'host', "
        "'user', 'ac', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z', 'done', 1048576); "
        "INSERT INTO signatures VALUES (1, 1, 0, 'jpg', 'validator', 'built-in', 'x', NULL, 9); "
        "INSERT INTO hits VALUES (1, 1, 1, 4096, 3, 0), (2, 1, 1, 5000, 3, 0), (3, 1, 1, 5899, 3, "
        "1), (7, 1, 1, 6000, 2, 1), (8, 1, 1, 7000, 3, 1), (9, 1, 1, 9000, 3, 0); "
        "INSERT INTO objects VALUES (1, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 4096, "
        "4000, 'jpg/a', 1, 7), "
        "(2, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 0, 1, 5000, 900, 'jpg/b', 3, NULL); "
        "INSERT INTO nested VALUES (2, 1, 'truncated', 800, 'cut', -9); "
        "INSERT INTO contents VALUES (1, '" FIXTURE_SHA256 "', 4); "
        "INSERT INTO extents VALUES (1, 0, 4096, 4000), (2, 0, 5000, 900)",
        out, sizeof out);
    assert_string_equal(out, "");
    fixture_sql(f->path, rows, before, sizeof before);
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    FAILS(db_nested_insert(db, &(struct db_nested){ .id = 99, .state = "truncated" }, 1, &err),
          ERR_INPUT, "FOREIGN KEY");
    FAILS(db_object_set_known(db, 2, (enum db_known)5, NULL, &err), ERR_INPUT, "CHECK");
    db_case_close(db);
    fixture_sql(f->path, rows, after, sizeof after);
    assert_string_equal(after, before);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT substr(text, 1, 14) FROM log; PRAGMA integrity_check; "
             "PRAGMA foreign_key_check; SELECT id, parent_id, len FROM v_objects WHERE id = 2; "
             "SELECT id, len, footer FROM patterns; SELECT count(*) FROM matches",
             "19\nschema 5 to 19\nok\n2|1|800\n1|3|0\n2|3|1\n3|2|1\n6\n");
}

/* Schema 7 did not say which bytes of an image were looked at, and had no status of bad ranges. */
static void a_case_file_of_schema_7_has_room_for_volumes_and_maps(void **state)
{
    const struct db_volume volume = { .kind = "partition",
                                      .description = "Linux (0x83)",
                                      .content = "ext4",
                                      .label = "",
                                      .slot = 2,
                                      .offset = 1 << 20,
                                      .len = 4096,
                                      .scanned = 512,
                                      .why = "" };
    const struct db_bad_range mapped = { 1, 32768, 512, 0, "mapfile", '?' };
    const struct fixture *f = *state;
    struct db_case *db;
    struct err err = { 0 };
    char command[256], out[64];

    snprintf(command, sizeof command, "sqlite3 -batch '%s' <tests/db/schema-7.sql", f->path);
    assert_int_equal(system(command), 0);
    fixture_sql(
        f->path,
        "PRAGMA application_id = 0x4255524e; PRAGMA user_version = 7; "
        "INSERT INTO about VALUES ('writer', 'burin 0.1.0 (old)'); "
        "INSERT INTO images VALUES (1, '/evidence/disk.001', 'raw', 1048576, 512); "
        "INSERT INTO runs VALUES (1, 1, 'scan', 'burin scan', '0.1.0', 'old', '', '{}', 'host', "
        "'user', 'ac', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z', 'done', 1048576, "
        "NULL); "
        "INSERT INTO bad_ranges VALUES (4, 1, 1, 8192, 512, 5, 'read'), (7, 1, 1, 16384, 512, 0, "
        "'acquisition')",
        out, sizeof out);
    assert_string_equal(out, "");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    OK(db_bad_range_add(db, 1, &mapped, &err));
    OK(db_volume_add(db, 1, &volume, &err));
    OK(db_scanned_add(db, 1, 1 << 20, 512, &err));
    FAILS(db_scanned_add(db, 1, 1 << 21, 0, &err), ERR_INPUT, "CHECK");
    FAILS(db_scanned_add(db, 7, 1 << 21, 512, &err), ERR_INPUT, "FOREIGN KEY");
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT substr(text, 1, 14) FROM log; PRAGMA integrity_check; "
             "PRAGMA foreign_key_check; SELECT slot, content, scanned FROM volumes; SELECT offset, "
             "len FROM scanned; SELECT * FROM bad_ranges INDEXED BY bad_ranges_by_offset WHERE "
             "image_id = 1 ORDER BY offset",
             "19\nschema 7 to 19\nok\n2|ext4|512\n1048576|512\n4|1|1|8192|512|5|read|-\n"
             "7|1|1|16384|512|0|acquisition|-\n8|1|1|32768|512|0|mapfile|?\n");
}

/* Schema 9 had no facts. */
static void a_case_file_of_schema_9_has_room_for_facts(void **state)
{
    static const struct db_extent extent = { 4096, 100 };
    static const struct db_fact fact = { "author", "Anne", false, 0, 50 };
    const struct db_object object = { .id = 2,
                                      .image_id = 1,
                                      .signature_id = 1,
                                      .type = "jpg",
                                      .extension = "jpg",
                                      .state = "complete",
                                      .reason = "EOI",
                                      .validated = true,
                                      .offset = 4096,
                                      .len = 100,
                                      .extents = &extent,
                                      .extent_count = 1,
                                      .name = "jpg/b",
                                      .facts = &fact,
                                      .fact_count = 1 };
    const struct fixture *f = *state;
    struct db_case *db;
    struct err err = { 0 };
    char command[256], out[64];

    snprintf(command, sizeof command, "sqlite3 -batch '%s' <tests/db/schema-9.sql", f->path);
    assert_int_equal(system(command), 0);
    fixture_sql(
        f->path,
        "PRAGMA application_id = 0x4255524e; PRAGMA user_version = 9; "
        "INSERT INTO about VALUES ('writer', 'burin 0.1.0 (old)'); "
        "INSERT INTO images VALUES (1, '/evidence/disk.001', 'raw', 1048576, 512); "
        "INSERT INTO runs VALUES (1, 1, 'scan', 'burin scan', '0.1.0', 'old', '', '{}', 'host', "
        "'user', 'ac', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z', 'done', 1048576, "
        "NULL); "
        "INSERT INTO signatures VALUES (1, 1, 0, 'jpg', 'validator', 'built-in', 'x', NULL, 9); "
        "INSERT INTO hits VALUES (1, 1, 1, 1024, 3, 0), (2, 1, 1, 4096, 3, 0); "
        "INSERT INTO objects VALUES (1, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 1024, "
        "400, 'jpg/a', 1, 7); INSERT INTO extents VALUES (1, 0, 1024, 400)",
        out, sizeof out);
    assert_string_equal(out, "");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    OK(db_object_insert(db, &object, &err));
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT substr(text, 1, 14) FROM log; PRAGMA integrity_check; "
             "PRAGMA foreign_key_check; SELECT * FROM facts; SELECT count(*) FROM objects; SELECT "
             "count(*) FROM findings",
             "19\nschema 9 to 19\nok\n2|author|Anne||50\n2\n0\n");
}

static void a_case_file_of_schema_10_has_room_for_times_of_files(void **state)
{
    const struct db_found_in place = { .object_id = 2,
                                       .kind = "deleted",
                                       .file_system = "ntfs",
                                       .path = "/b",
                                       .modified = 1764000000,
                                       .accessed = DB_NO_TIME,
                                       .changed = -1,
                                       .created = 0 };
    const struct fixture *f = *state;
    struct db_case *db;
    struct err err = { 0 };
    char command[256], out[64];

    snprintf(command, sizeof command, "sqlite3 -batch '%s' <tests/db/schema-10.sql", f->path);
    assert_int_equal(system(command), 0);
    fixture_sql(
        f->path,
        "PRAGMA application_id = 0x4255524e; PRAGMA user_version = 10; "
        "INSERT INTO about VALUES ('writer', 'burin 0.1.0 (old)'); "
        "INSERT INTO images VALUES (1, '/evidence/disk.001', 'raw', 1048576, 512); "
        "INSERT INTO runs VALUES (1, 1, 'scan', 'burin scan', '0.1.0', 'old', '', '{}', 'host', "
        "'user', 'ac', '2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z', 'done', 1048576, "
        "NULL); "
        "INSERT INTO signatures VALUES (1, 1, 0, 'jpg', 'validator', 'built-in', 'x', NULL, 9); "
        "INSERT INTO hits VALUES (1, 1, 1, 1024, 3, 0), (2, 1, 1, 4096, 3, 0); "
        "INSERT INTO objects VALUES (1, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 1024, "
        "400, 'jpg/a', 1, 7), (2, 1, 1, 'jpg', 'jpg', 'complete', 'EOI', 1, 1, 1, 4096, 40, "
        "'jpg/b', 1, 7); "
        "INSERT INTO found_in VALUES (1, 'file', 2, 'ext4', '/a', 12, 5)",
        out, sizeof out);
    assert_string_equal(out, "");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    OK(db_found_in_add(db, &place, &err));
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT substr(text, 1, 15) FROM log; PRAGMA integrity_check; "
             "PRAGMA foreign_key_check; SELECT * FROM found_in",
             "19\nschema 10 to 19\nok\n1|file|2|ext4|/a|12|5||||\n"
             "2|deleted|0|ntfs|/b|0|0|1764000000||-1|0\n");
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(each_step_is_taken_once_and_logged),
        CASE_TEST(a_failed_step_leaves_the_file_as_it_was),
        CASE_TEST(references_hold_after_a_step),
        CASE_TEST(older_case_files_are_read_and_brought_up_to_date),
        CASE_TEST(a_case_file_of_schema_4_keeps_who_gave_the_verdict),
        CASE_TEST(a_case_file_of_schema_5_keeps_all_of_its_rows),
        CASE_TEST(a_case_file_of_schema_7_has_room_for_volumes_and_maps),
        CASE_TEST(a_case_file_of_schema_9_has_room_for_facts),
        CASE_TEST(a_case_file_of_schema_10_has_room_for_times_of_files),
        CASE_TEST(a_gap_in_the_steps_is_an_error),
    };
    return cmocka_run_group_tests_name("migrations", tests, NULL, NULL);
}
