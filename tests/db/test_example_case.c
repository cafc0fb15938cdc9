/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_example_case.c - makes the case file that the examples of
 * docs/reference/case-file.md are about (tests/db/queries.sh runs them): test_example_case FILE.
 * Without FILE it makes it in a temporary folder and looks whether it can be read.
 */
#include "tests/db/case_fixture.h"

static void example_make(const char *path)
{
    const struct db_run carve = { .command = "carve",
                                  .command_line = "burin carve --out out case.burin",
                                  .version = "0.1.0",
                                  .build = "b",
                                  .libraries = "sqlite 3.40.1",
                                  .options = "{}",
                                  .host = "bench",
                                  .user = "examiner",
                                  .started = "2026-01-31T12:10:00.000Z",
                                  .status = "running" };
    const struct db_output output = { .object_id = 4,
                                      .path = "out/png/0000000000010000.png",
                                      .len = 4196,
                                      .sha256 = FIXTURE_SHA256 };
    struct err err = { 0 };
    struct db_case *db;
    int64_t id;

    OK(db_case_create(path, false, &db, &err));
    fixture_fill(db);
    OK(db_begin(db, &err));
    OK(db_run_add(db, &carve, &id, &err));
    struct db_output row = output;
    row.run_id = id;
    OK(db_output_add(db, &row, &err));
    OK(db_log(db, id, "output", "out/png/0000000000010000.png " FIXTURE_SHA256, &err));
    OK(db_run_finish(db, id, "done", &err));
    OK(db_commit(db, &err));
    db_case_close(db);
}

static void the_example_can_be_read(void **state)
{
    const struct fixture *f = *state;
    struct err err = { 0 };
    struct db_totals totals;
    struct db_case *db;

    example_make(f->path);
    OK(db_case_open(f->path, DB_READ, &db, &err));
    OK(db_totals(db, 0, &totals, &err));
    assert_int_equal(totals.objects, FIXTURE_OBJECTS);
    db_case_close(db);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_example_can_be_read, fixture_setup, fixture_teardown),
    };

    if (argc == 2) {
        example_make(argv[1]);
        return 0;
    }
    return cmocka_run_group_tests_name("example case", tests, NULL, NULL);
}
