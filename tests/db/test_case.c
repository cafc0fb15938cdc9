/* SPDX-License-Identifier: Apache-2.0
 * tests/db/test_case.c - what goes into a case file comes out of it again; read back by burin and
 * by the sqlite3 tool.
 */
#include "tests/db/case_fixture.h"

static void the_same_image_comes_back(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_image image;
    struct err err = { 0 };
    uint32_t count;

    OK(db_image_count(db, &count, &err));
    assert_int_equal(count, 2);
    OK(db_image_get(db, 2, &image, &err));
    assert_int_equal(image.part_count, 1);
    OK(db_image_get(db, 1, &image, &err));
    assert_int_equal(image.id, 1);
    assert_string_equal(image.path, "/evidence/disk.001");
    assert_string_equal(image.format, "split");
    assert_int_equal(image.size, 1 << 20);
    assert_int_equal(image.sector_size, 512);
    assert_int_equal(image.part_count, 2);
    assert_string_equal(image.parts[0].path, "/evidence/disk.001");
    assert_string_equal(image.parts[1].path, "/evidence/disk.002");
    FAILS(db_image_get(db, 3, &image, &err), ERR_INPUT, "no image 3");
    db_case_close(db);
}

static void the_same_run_comes_back(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_run run;
    struct err err = { 0 };

    OK(db_run_latest(db, 1, &run, &err));
    assert_int_equal(run.id, 1);
    assert_int_equal(run.image_id, 1);
    assert_string_equal(run.command_line, "burin scan 'disk.001'");
    assert_string_equal(run.engine, "ac (2 threads)");
    assert_string_equal(run.started, "2026-01-31T12:00:00.000Z");
    assert_string_equal(run.status, "done");
    assert_int_equal(run.position, 1 << 20);
    assert_int_equal(strlen(run.ended), strlen("2026-01-31T12:00:00.000Z"));
    assert_true(strcmp(run.ended, run.started) > 0);
    FAILS(db_run_latest(db, 2, &run, &err), ERR_INPUT, "no scan of image 2");
    FAILS(db_run_finish(db, 9, "done", &err), ERR_INPUT, "no run 9");
    FAILS(db_run_progress(db, 9, 1, &err), ERR_INPUT, "no run 9");
    db_case_close(db);
}

static void check_object(const struct db_object *got, const struct db_object *want)
{
    assert_int_equal(got->id, want->id);
    assert_int_equal(got->image_id, want->image_id);
    assert_int_equal(got->signature_id, want->signature_id);
    assert_string_equal(got->type, want->type);
    assert_string_equal(got->extension, want->extension);
    assert_string_equal(got->state, want->state);
    assert_string_equal(got->reason, want->reason);
    assert_int_equal(got->validated, want->validated);
    assert_int_equal(got->container, want->container);
    assert_int_equal(got->proven, want->proven);
    assert_int_equal(got->offset, want->offset);
    assert_int_equal(got->len, want->len);
    assert_int_equal(got->parent_id, want->parent_id);
    assert_string_equal(got->name, want->name);
    assert_int_equal(got->extent_count, want->extent_count);
    assert_memory_equal(got->extents, want->extents, sizeof *want->extents * want->extent_count);
}

static void objects_come_in_order_while_the_cursor_s_handle_writes(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_object_cursor *cursor;
    struct db_object object;
    struct err err = { 0 };
    bool found;

    OK(db_objects_open(db, 0, &cursor, &err));
    for (size_t i = 0; i < FIXTURE_OBJECTS; i++) {
        const struct db_output output = { .run_id = 1,
                                          .object_id = fixture_objects[i].id,
                                          .path = "/out/x",
                                          .len = 1,
                                          .sha256 = FIXTURE_SHA256 };

        if (i % 2 == 0)
            OK(db_begin(db, &err)); /* begun and ended between two steps */
        OK(db_objects_next(cursor, &found, &object, &err));
        assert_true(found);
        check_object(&object, &fixture_objects[i]);
        OK(db_object_set_sha256(db, object.id, FIXTURE_SHA256, &err));
        OK(db_output_add(db, &output, &err));
        assert_string_equal(object.name, fixture_objects[i].name); /* still valid */
        if (i % 2 == 0)
            OK(db_commit(db, &err));
    }
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_false(found);
    db_objects_close(cursor);

    OK(db_objects_open(db, 2, &cursor, &err));
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_true(found);
    assert_int_equal(object.id, 6);
    assert_string_equal(object.sha256, FIXTURE_SHA256);
    OK(db_objects_next(cursor, &found, &object, &err));
    assert_false(found);
    db_objects_close(cursor);
    db_case_close(db);
    SQL_SAYS(f->path,
             "SELECT count(*), count(DISTINCT object_id), min(sha256) = max(sha256) FROM outputs",
             "5|5|1\n");
}

static void totals_are_counts(void **state)
{
    const struct fixture *f = *state;
    struct db_case *db = fixture_case(f);
    struct db_totals t;
    struct err err = { 0 };
    int64_t last;

    OK(db_totals(db, 1, &t, &err));
    assert_int_equal(t.hits, 5);
    assert_int_equal(t.objects, 4);
    assert_int_equal(t.complete, 2);
    assert_int_equal(t.footer, 0);
    assert_int_equal(t.truncated, 1);
    assert_int_equal(t.fragmented, 1);
    assert_int_equal(t.embedded, 1);
    assert_int_equal(t.bad_ranges, 1);
    assert_int_equal(t.bad_bytes, 512);
    OK(db_totals(db, 0, &t, &err));
    assert_int_equal(t.hits, 6);
    assert_int_equal(t.objects, 5);
    assert_int_equal(t.bad_bytes, 512);
    OK(db_hit_last_id(db, &last, &err));
    assert_int_equal(last, 6);
    db_case_close(db);
}

static void the_file_is_whole_and_says_whose_it_is(void **state)
{
    const struct fixture *f = *state;

    db_case_close(fixture_case(f));
    SQL_SAYS(f->path, "PRAGMA integrity_check; PRAGMA foreign_key_check;", "ok\n");
    SQL_SAYS(f->path, "PRAGMA application_id; PRAGMA user_version; PRAGMA journal_mode",
             "1112887886\n19\nwal\n"); /* BURN */
    SQL_SAYS(f->path, "SELECT extents, parent_name FROM v_objects WHERE id IN (2, 4)",
             "5000+902|jpg/0000000000001000.jpg\n65536+4096,81920+100|\n");
    SQL_SAYS(f->path, "SELECT * FROM v_hits WHERE id = 3",
             "3|1|/evidence/disk.001|5900|0x170c|2|jpg|footer|1\n");
}

int main(void)
{
#define CASE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE_TEST(the_same_image_comes_back),
        CASE_TEST(the_same_run_comes_back),
        CASE_TEST(objects_come_in_order_while_the_cursor_s_handle_writes),
        CASE_TEST(totals_are_counts),
        CASE_TEST(the_file_is_whole_and_says_whose_it_is),
    };
    return cmocka_run_group_tests_name("case file", tests, NULL, NULL);
}
