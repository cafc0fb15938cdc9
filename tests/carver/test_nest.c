/*
 * tests/carver/test_nest.c - parents, and what is cut because another file begins inside.
 *
 * Goal: the rule of nest.h on one object for each case, with the result worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/nest.h"
#include "tests/carver/run_fixture.h"

enum { SECTOR = 512 };

static const struct {
    const char *type;
    bool proven, container, checked;
    uint64_t offset, len;
    int64_t want_parent;
    uint64_t want_len;
    const char *want_state;
} rows[] = {
    /* A bitmap whose length was believed, and a photograph that begins on a sector inside it: the bitmap is fragmented. */
    { "bmp", false, false, true, 0, 100000, 0, 51200, "truncated" },
    { "jpg", true, true, true, 100 * SECTOR, 5000, 0, 5000, "complete" },
    /* An archive that was checked keeps what lies in it, on a sector or not; the innermost one that can is the parent. */
    { "zip", true, true, true, 400 * SECTOR, 50000, 0, 50000, "complete" },
    { "jpg", true, true, true, 400 * SECTOR + 100, 3000, 3, 3000, "complete" },
    { "jpg", true, true, true, 400 * SECTOR + 700, 200, 4, 200, "complete" },
    { "png", true, false, true, 420 * SECTOR, 1000, 3, 1000, "complete" },
    /* What begins inside but ends outside has no parent. */
    { "gif", true, false, true, 490 * SECTOR + 1, 90000, 0, 90000, "complete" },
    /* A file that was checked has children whatever its kind: what lies in it cannot be anything else. */
    { "pdf", true, false, true, 900 * SECTOR, 20000, 0, 20000, "complete" },
    { "jpg", true, true, true, 901 * SECTOR, 3000, 8, 3000, "complete" },
    /* Not on a sector: no sign of fragments, and it can only be a part of the other. */
    { "bmp", false, false, true, 1000 * SECTOR, 20000, 0, 20000, "complete" },
    { "png", true, false, true, 1000 * SECTOR + 1001, 300, 10, 300, "complete" },
    /* What only a rule found is no sign of fragments: in a kind that holds other files it is one of them, on a sector or not. */
    { "avi", false, true, true, 1100 * SECTOR, 20000, 0, 20000, "complete" },
    { "dat", false, false, false, 1102 * SECTOR, 300, 12, 300, "complete" },
    /* A range that only a rule found is nobody's parent and cuts nothing. */
    { "bmp", false, false, true, 2000 * SECTOR, 20000, 0, 20000, "complete" },
    { "dat", false, false, false, 2001 * SECTOR, 4000, 0, 4000, "complete" },
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void add_rows(struct db_case *db, int64_t *image_id)
{
    int64_t run_id, signature_id;

    assert_int_equal(db_begin(db, NULL), ERR_OK);
    fixture_run(db, 1 << 24, image_id, &run_id);
    assert_int_equal(
        db_signature_add(
            db,
            &(struct db_signature){
                .run_id = run_id, .name = "any", .kind = "validator", .origin = "test", .header = "x", .size_max = 1 },
            &signature_id, NULL),
        ERR_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct db_hit hit = {
            .id = i + 1, .image_id = *image_id, .signature_id = signature_id, .offset = rows[i].offset, .len = 2
        };
        const struct db_extent extent = { rows[i].offset, rows[i].len };
        const struct db_object object = { .id = i + 1,
                                          .image_id = *image_id,
                                          .signature_id = signature_id,
                                          .type = rows[i].type,
                                          .extension = rows[i].type,
                                          .state = "complete",
                                          .reason = "whole",
                                          .checked = rows[i].checked,
                                          .proven = rows[i].proven,
                                          .container = rows[i].container,
                                          .offset = rows[i].offset,
                                          .len = rows[i].len,
                                          .extents = &extent,
                                          .extent_count = 1,
                                          .name = "x/y.z" };

        assert_int_equal(db_hits_insert(db, &hit, 1, NULL), ERR_OK);
        assert_int_equal(db_object_insert(db, &object, NULL), ERR_OK);
    }
}

static void parents_and_cuts_are_as_worked_out(void **state)
{
    char path[] = "/tmp/test_nest_XXXXXX";
    struct db_object_cursor *cursor;
    struct db_object object;
    struct db_case *db;
    int64_t image_id;
    bool found;

    (void)state;
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(db_case_create(path, false, &db, NULL), ERR_OK);
    add_rows(db, &image_id);
    assert_int_equal(nest_objects(db, image_id, NULL), ERR_OK);
    assert_int_equal(db_commit(db, NULL), ERR_OK);

    assert_int_equal(db_objects_open(db, image_id, &cursor, NULL), ERR_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(db_objects_next(cursor, &found, &object, NULL), ERR_OK);
        assert_true(found);
        assert_int_equal(object.id, i + 1);
        assert_int_equal(object.parent_id, rows[i].want_parent);
        assert_int_equal(object.len, rows[i].want_len);
        assert_int_equal(object.extents[0].len, rows[i].want_len);
        assert_string_equal(object.state, rows[i].want_state);
    }
    db_objects_close(cursor);
    db_case_close(db);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(parents_and_cuts_are_as_worked_out) };

    return cmocka_run_group_tests_name("nest", tests, NULL, NULL);
}
