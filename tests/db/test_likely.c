/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_likely.c - likely files: stored, read in order and one by one, counted, forgotten
 * by image; a damaged row is an error; they are no objects. */
#include "tests/db/case_fixture.h"

static char got[4096];

static enum err_code add(void *arg, const struct db_likely *likely, struct err *err)
{
    (void)arg;
    (void)err;
    snprintf(got + strlen(got), sizeof got - strlen(got),
             "%d %d %s.%s %s %u/%d %s %d:", (int)likely->hit_id, (int)likely->image_id,
             likely->type, likely->extension, likely->reason, likely->wrong, (int)likely->tried,
             likely->text, (int)likely->len);
    for (uint32_t i = 0; i < likely->extent_count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), " %d+%d",
                 (int)likely->extents[i].offset, (int)likely->extents[i].len);
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s\n", likely->has_crc64 ? " sum" : "");
    return ERR_OK;
}

static void put(struct db_case *db, int64_t hit_id, int64_t image_id, bool sum)
{
    const struct db_extent extents[] = { { 1024, 512 }, { 4096, 100 }, { 512, 7 } };
    const struct db_likely row = { .hit_id = hit_id,
                                   .image_id = image_id,
                                   .type = "html",
                                   .extension = "htm",
                                   .reason = "why",
                                   .wrong = 1000 + (uint32_t)hit_id,
                                   .tried = 3,
                                   .text = "it looks so",
                                   .has_crc64 = sum,
                                   .crc64 = 5,
                                   .extents = extents,
                                   .extent_count = sum ? 2 : 3 };
    struct err err = { 0 };

    OK(db_likely_add(db, 1, &row, &err));
}

static void likely_files_are_read_as_they_were_stored(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    struct db_totals before, after;
    uint64_t count = 0;

    OK(db_totals(db, 0, &before, &err));
    put(db, 2, 1, true);
    put(db, 1, 1, false);
    got[0] = '\0';
    OK(db_likely_walk(db, add, NULL, &err));
    assert_string_equal(got, "1 1 html.htm why 1001/3 it looks so 619: 1024+512 4096+100 512+7\n"
                             "2 1 html.htm why 1002/3 it looks so 612: 1024+512 4096+100 sum\n");
    got[0] = '\0';
    OK(db_likely_find(db, 2, add, NULL, &err));
    assert_string_equal(got, "2 1 html.htm why 1002/3 it looks so 612: 1024+512 4096+100 sum\n");
    OK(db_likely_count(db, 1, &count, &err));
    assert_int_equal(count, 2);
    OK(db_likely_count(db, 2, &count, &err));
    assert_int_equal(count, 0);
    OK(db_totals(db, 0, &after, &err));
    assert_memory_equal(&before, &after, sizeof before);
    OK(db_likely_clear(db, 2, &err));
    OK(db_likely_count(db, 0, &count, &err));
    assert_int_equal(count, 2);
    OK(db_likely_clear(db, 1, &err));
    OK(db_likely_count(db, 0, &count, &err));
    assert_int_equal(count, 0);
    db_case_close(db);
    SQL_SAYS(f->path, "SELECT count(*) FROM likely_pieces; PRAGMA foreign_key_check", "0\n");
}

static void a_likely_file_has_two_pieces_at_least(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    const struct db_extent extent = { 1024, 512 };
    const struct db_likely row = { .hit_id = 1,
                                   .image_id = 1,
                                   .type = "html",
                                   .extension = "",
                                   .reason = "",
                                   .wrong = 1,
                                   .tried = 1,
                                   .text = "",
                                   .extents = &extent,
                                   .extent_count = 1 };
    struct err err = { 0 };

    FAILS(db_likely_add(db, 1, &row, &err), ERR_FULL, "2 to 16 pieces, and not 1");
    db_case_close(db);
}

static void damaged_rows_are_errors(void **state)
{
    static const struct {
        const char *sql, *says;
    } damages[] = {
        { "UPDATE likely SET len = 611", "not the sum of its pieces" },
        { "UPDATE likely_pieces SET offset = 1 << 50 WHERE number = 1", "ends behind the image" },
        { "UPDATE likely_pieces SET number = 5 WHERE number = 1", "number" },
        { "DELETE FROM likely_pieces WHERE number = 1", "a likely file of one piece" },
    };
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct err err = { 0 };
    char out[64];

    db_case_close(db);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        OK(db_case_open(f->path, DB_WRITE, &db, &err));
        OK(db_likely_clear(db, 1, &err));
        put(db, 2, 1, true);
        db_case_close(db);
        fixture_sql(f->path, damages[i].sql, out, sizeof out);
        OK(db_case_open(f->path, DB_READ, &db, &err));
        FAILS(db_likely_walk(db, add, NULL, &err), ERR_INPUT, damages[i].says);
        db_case_close(db);
    }
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(likely_files_are_read_as_they_were_stored),
        CASE_TEST(a_likely_file_has_two_pieces_at_least),
        CASE_TEST(damaged_rows_are_errors),
    };
    return cmocka_run_group_tests_name("likely files", tests, NULL, NULL);
}
