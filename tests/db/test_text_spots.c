/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_text_spots.c - where text may begin is read back for the scan that noted it, in the
 * order of the image, and is gone when it is removed. SQL says what the table has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/db/case_fixture.h"
#include "tests/db/run_row.h"

static enum err_code add(void *arg, const uint8_t *bytes, size_t len, struct err *err)
{
    char *all = arg;

    (void)err;
    strncat(all, (const char *)bytes, len);
    strcat(all, ";");
    return ERR_OK;
}

static void rows_of_one_scan(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    const struct db_run run = run_row("scan", 1);
    char all[32] = "", out[64];
    int64_t other;

    OK(db_run_add(db, &run, &other, &err));
    OK(db_text_spots_add(db, 1, 4096, (const uint8_t *)"behind", 6, &err));
    OK(db_text_spots_add(db, 1, 0, (const uint8_t *)"first", 5, &err));
    OK(db_text_spots_add(db, other, 0, (const uint8_t *)"other", 5, &err));
    OK(db_text_spots_walk(db, 1, add, all, &err));
    assert_string_equal(all, "first;behind;");
    OK(db_text_spots_drop(db, 1, &err));
    all[0] = '\0';
    OK(db_text_spots_walk(db, 1, add, all, &err));
    assert_string_equal(all, "");
    FAILS(db_text_spots_add(db, 77, 0, (const uint8_t *)"x", 1, &err), ERR_INPUT, "FOREIGN KEY");
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT offset, spots FROM text_spots", "0|other\n");

    /* A row without bytes is damaged. */
    fixture_sql(f->path, "UPDATE text_spots SET spots = x''", out, sizeof out);
    OK(db_case_open(f->path, DB_WRITE, &db, &err));
    FAILS(db_text_spots_walk(db, other, add, all, &err), ERR_INPUT, "spots");
    db_case_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_of_one_scan, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests_name("where text may begin", tests, NULL, NULL);
}
