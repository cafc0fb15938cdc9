/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_scans.c - whether an image was scanned, and whether another program writes to the
 * case file now.
 */
#include "tests/db/case_fixture.h"

static void a_search_is_no_scan(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_run search = { .image_id = 2,
                                   .command = "search",
                                   .command_line = "burin",
                                   .version = "0",
                                   .build = "b",
                                   .libraries = "l",
                                   .options = "{}",
                                   .host = "h",
                                   .user = "u",
                                   .status = "done" };
    struct err err = { 0 };
    bool exists = false;
    int64_t id;

    OK(db_run_add(db, &search, &id, &err));
    OK(db_scan_exists(db, 1, &exists, &err));
    assert_true(exists);
    OK(db_scan_exists(db, 2, &exists, &err));
    assert_false(exists);
    OK(db_scan_exists(db, 99, &exists, &err));
    assert_false(exists);
    db_case_close(db);
}

static void who_writes_is_noticed(void **state)
{
    const struct fixture *f = *state;
    struct db_case *writer = fixture_case(f), *reader, *other;
    struct err err = { 0 };

    assert_false(db_written_now(writer)); /* by another one */
    OK(db_case_open(f->path, DB_READ, &reader, &err));
    assert_true(db_written_now(reader));
    OK(db_case_open(f->path, DB_READ, &other, &err));
    db_case_close(writer);
    assert_false(db_written_now(reader)); /* though another one reads */
    db_case_close(other);
    db_case_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_search_is_no_scan, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(who_writes_is_noticed, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests_name("scans", tests, NULL, NULL);
}
