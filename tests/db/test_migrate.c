/*
 * tests/db/test_migrate.c - an older schema becomes the present one, whole or not at all. The newer
 * ones are made up here: 3 becomes 4 (a table is rebuilt with a new column) and 5 (a table is added).
 */
#include "db/migrate.h"
#include "tests/db/case_fixture.h"

static const struct db_migration steps[] = {
    { 3, "CREATE TABLE new_images (id INTEGER PRIMARY KEY, path TEXT NOT NULL, format TEXT NOT NULL, size INTEGER NOT "
         "NULL, "
         "sector_size INTEGER NOT NULL, serial TEXT);"
         "INSERT INTO new_images SELECT id, path, format, size, sector_size, 'S/N ' || id FROM images;"
         "DROP TABLE images; ALTER TABLE new_images RENAME TO images;" },
    { 4, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);"
         "INSERT INTO notes SELECT id, 'from ' || serial FROM images;" },
};

static const struct db_migration broken_steps[] = {
    { 3, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)" },
    { 4, "INSERT INTO notes VALUES (1, 'x'); INSERT INTO no_such_table VALUES (1)" },
};

static void each_step_is_taken_once_and_logged(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    int64_t version, broken = -1;

    OK(db_migrate(db, steps, 2, 5, &err));
    OK(db_schema_version(db, &version, &err));
    assert_int_equal(version, 5);
    OK(db_log_verify(db, &broken, &err));
    assert_int_equal(broken, 0);
    OK(db_migrate(db, steps, 2, 5, &err)); /* nothing to do */
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT text FROM notes; SELECT serial FROM images WHERE id = 2; SELECT count(*) FROM objects; "
             "SELECT kind, substr(text, 1, 22) FROM log WHERE id > 3; PRAGMA foreign_key_check; PRAGMA integrity_check",
             "from S/N 1\nfrom S/N 2\nS/N 2\n5\nmigrate|schema 3 to 5 by burin\nok\n");
}

static void a_failed_step_leaves_the_file_as_it_was(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    FAILS(db_migrate(db, broken_steps, 2, 5, &err), ERR_INPUT, "no such table: no_such_table");
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT count(*) FROM sqlite_schema WHERE name = 'notes'; SELECT count(*) FROM log",
             "3\n0\n3\n");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    db_case_close(db);
}

static void references_hold_after_a_step(void **state)
{
    static const struct db_migration loses_rows[] = { { 3, "DELETE FROM images WHERE id = 2" } };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_image image = { .path = "/x", .format = "raw" };
    struct db_bad_range range = { .image_id = 9, .offset = 0, .len = 1 };
    struct err err = { 0 };
    int64_t id;

    FAILS(db_migrate(db, loses_rows, 1, 4, &err), ERR_INPUT, "refers to a row that is missing");
    OK(db_begin(db, &err));
    OK(db_image_add(db, &image, &id, &err));
    OK(db_commit(db, &err));
    assert_int_equal(id, 3);                                                /* image 2 is still there */
    FAILS(db_bad_range_add(db, 1, &range, &err), ERR_INPUT, "FOREIGN KEY"); /* and references are checked again */
    db_case_close(db);
}

static void a_gap_in_the_steps_is_an_error(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    FAILS(db_migrate(db, steps + 1, 1, 5, &err), ERR_INPUT, "schema 3 is unknown to this burin");
    FAILS(db_migrate(db, steps, 2, 6, &err), ERR_INPUT, "schema 3 is unknown to this burin");
    db_case_close(db);
    SQL_SAYS(f->path, "PRAGMA user_version", "3\n");
}

/* A case file as schema 1 had it: the table of objects without its last two columns, and nothing about known hashes. */
static void schema_1_becomes_the_present_one(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };

    db_case_close(db);
    SQL_SAYS(f->path,
             "ALTER TABLE objects DROP COLUMN slack; ALTER TABLE objects DROP COLUMN known; DROP TABLE known_blocks; "
             "DROP TABLE known_objects; DROP TABLE known_sets; PRAGMA user_version = 1; SELECT count(*) FROM objects",
             "5\n");
    FAILS(db_case_open(f->path, DB_READ, &db, &err), ERR_INPUT, "schema 1 is older");
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    db_case_close(db);
    SQL_SAYS(f->path,
             "PRAGMA user_version; SELECT count(*), max(slack), max(known) FROM objects; PRAGMA integrity_check",
             "3\n5|0|0\nok\n");
    OK(db_case_open(f->path, DB_READ, &db, &err)); /* its tables are those of a new file */
    db_case_close(db);
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(each_step_is_taken_once_and_logged), CASE_TEST(a_failed_step_leaves_the_file_as_it_was),
        CASE_TEST(references_hold_after_a_step),       CASE_TEST(schema_1_becomes_the_present_one),
        CASE_TEST(a_gap_in_the_steps_is_an_error),
    };
    return cmocka_run_group_tests_name("migrations", tests, NULL, NULL);
}
