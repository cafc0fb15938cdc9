/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/assemble/test_owners.c - objects as assembly sees them: from memory they are those
 * that SQL gives of the case file, where the same was stored; and what has no room is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/assemble/owners.h"
#include "carver/assemble/told.h"
#include "carver/plan/containment.h"
#include "tests/carver/run_fixture.h"

enum { SECTOR = 512, IMAGE_SIZE = 1 << 24, ROWS = 7 };

extern const struct sig sig_png;

/* An archive with a member, a bitmap that a photograph cuts, one that breaks, one without bytes. */
static const struct db_place places[ROWS] = {
    { .id = 3,
      .offset = 0,
      .len = 50000,
      .validated = true,
      .proven = true,
      .container = true,
      .complete = true },
    { .id = 1, .offset = 1000, .len = 300, .validated = true, .proven = true, .complete = true },
    { .id = 4,
      .offset = 200 * SECTOR,
      .len = 100000,
      .validated = true,
      .complete = true,
      .slack = DB_SLACK_FOREIGN },
    { .id = 7,
      .offset = 300 * SECTOR,
      .len = 5000,
      .validated = true,
      .proven = true,
      .complete = true },
    { .id = 9, .offset = 500 * SECTOR, .len = 700, .validated = true },
    { .id = 10, .offset = 600 * SECTOR, .len = 0, .complete = true },
    { .id = 12, .offset = 601 * SECTOR, .len = 9000, .complete = true, .slack = DB_SLACK_ZEROS },
};

static void add_rows(struct db_case *db, int64_t *image_id, int64_t *signature_id)
{
    int64_t run_id;

    assert_int_equal(db_begin(db, NULL), ERR_OK);
    fixture_run(db, IMAGE_SIZE, image_id, &run_id);
    assert_int_equal(db_signature_add(db,
                                      &(struct db_signature){ .run_id = run_id,
                                                              .name = "any",
                                                              .kind = "validator",
                                                              .origin = "test",
                                                              .header = "x",
                                                              .size_max = 1 },
                                      signature_id, NULL),
                     ERR_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct db_place *place = &places[i];
        const struct db_hit hit = { .id = place->id,
                                    .image_id = *image_id,
                                    .signature_id = *signature_id,
                                    .offset = place->offset,
                                    .len = 2 };
        const struct db_extent extent = { place->offset, place->len };
        const struct db_object object = { .id = place->id,
                                          .image_id = *image_id,
                                          .signature_id = *signature_id,
                                          .type = "any",
                                          .extension = "any",
                                          .state = place->complete ? "complete" : "truncated",
                                          .reason = "test",
                                          .validated = place->validated,
                                          .proven = place->proven,
                                          .container = place->container,
                                          .offset = place->offset,
                                          .len = place->len,
                                          .extents = &extent,
                                          .extent_count = 1,
                                          .name = "x/y.z",
                                          .slack = place->slack };

        assert_int_equal(db_hits_insert(db, &hit, 1, NULL), ERR_OK);
        assert_int_equal(db_object_insert(db, &object, NULL), ERR_OK);
    }
}

static void same_ground(const struct ground *a, const struct ground *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->items[i].begin, b->items[i].begin);
        assert_int_equal(a->items[i].end, b->items[i].end);
        assert_int_equal(a->items[i].owner, b->items[i].owner);
    }
}

static void memory_and_case_file_agree(void **state)
{
    static const struct sig *const sigs[] = { &sig_png };
    char path[] = "/tmp/test_owners_XXXXXX";
    struct containment_image nest = {
        .end = IMAGE_SIZE, .sigs = sigs, .sig_count = 1, .places = places, .place_count = ROWS
    };
    struct containment_rows nested = { 0 };
    struct ground ground = { 0 }, seen_ground = { 0 };
    struct owners owners, seen;
    const struct unread unread = { 0 };
    struct db_case *db;
    int64_t signature_id;

    (void)state;
    assert_int_equal(io_image_open_null(IMAGE_SIZE, &nest.image, NULL), ERR_OK);
    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(db_case_create(path, false, &db, NULL), ERR_OK);
    add_rows(db, &nest.id, &signature_id);
    nest.signature_ids = &signature_id;
    assert_int_equal(containment_find(&nest, &unread, &nested, NULL, NULL, NULL), ERR_OK);
    assert_int_equal(nested.count, 2); /* the member, and the bitmap that is cut */
    assert_null(containment_rows_find(&nested, 3));
    assert_int_equal(containment_rows_find(&nested, 1)->parent_id, 3);
    assert_int_equal(containment_rows_find(&nested, 4)->len, 100 * SECTOR);
    const struct owners_seen of = { places, ROWS, &nested };
    assert_int_equal(owners_take(&of, &seen, &seen_ground, NULL), ERR_OK);
    assert_int_equal(containment_rows_store(&nested, db, NULL), ERR_OK);
    assert_int_equal(db_commit(db, NULL), ERR_OK);

    assert_int_equal(owners_load(db, nest.id, &owners, &ground, NULL, NULL), ERR_OK);
    assert_int_equal(owners.count, ROWS);
    assert_int_equal(seen.count, ROWS);
    for (uint32_t i = 0; i < ROWS; i++) {
        assert_int_equal(seen.items[i].id, owners.items[i].id);
        assert_int_equal(seen.items[i].parent_id, owners.items[i].parent_id);
        assert_int_equal(seen.items[i].offset, owners.items[i].offset);
        assert_int_equal(seen.items[i].len, owners.items[i].len);
        assert_int_equal(seen.items[i].complete, owners.items[i].complete);
        assert_int_equal(seen.items[i].proven, owners.items[i].proven);
        assert_int_equal(seen.items[i].ends_in_zeros, owners.items[i].ends_in_zeros);
        assert_int_equal(seen.items[i].in_pieces, owners.items[i].in_pieces);
    }
    same_ground(&seen_ground, &ground);
    containment_rows_release(&nested);
    ground_release(&ground);
    ground_release(&seen_ground);
    owners_release(&owners);
    owners_release(&seen);
    db_case_close(db);
    io_image_close(nest.image);
    assert_int_equal(unlink(path), 0);
}

static void what_has_no_room_is_not_whole(void **state)
{
    enum { TEXT = 1 << 20 };
    const struct db_extent extents[] = { { 0, 512 }, { 1024, 512 } };
    char *text = malloc(TEXT);
    struct db_likely row = { .hit_id = 1, .extents = extents, .extent_count = 2 };
    struct told told = { 0 };

    (void)state;
    assert_non_null(text);
    memset(text, 'x', TEXT);
    text[TEXT - 1] = '\0';
    row.text = text;
    assert_int_equal(told_likely(&told, &row, NULL), ERR_OK);
    text[0] = 'y'; /* the row has its own */
    assert_int_equal(told.items[0].file.text[0], 'x');
    for (uint32_t i = 0; i < TOLD_BYTES / TEXT / 2; i++)
        assert_int_equal(told_likely(&told, &row, NULL), ERR_OK);
    assert_false(told.full);
    for (uint32_t i = 0; i < TOLD_BYTES / TEXT; i++)
        assert_int_equal(told_likely(&told, &row, NULL), ERR_OK);
    assert_true(told.full);
    told_release(&told);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_case_file_agree),
        cmocka_unit_test(what_has_no_room_is_not_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
