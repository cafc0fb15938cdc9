/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/carve/test_carve_choice.c - which objects carve writes; rows of objects with the
 * answer for each, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "carver/carve/carve_choice.h"

struct row {
    int64_t id, image_id, parent_id;
    const char *type, *state;
    bool validated;
    uint64_t offset, len;
    const char *want; /* answers with no option, --embedded, --truncated, both: W, E, T */
};

static const struct row rows[] = {
    { 1, 1, 0, "jpg", "complete", true, 0, 100, "WWWW" },
    { 2, 1, 1, "jpg", "complete", true, 10, 10, "EWEW" },
    { 3, 1, 1, "jpg", "truncated", true, 30, 10, "ETEW" },
    { 4, 1, 0, "zip", "truncated", true, 200, 100,
      "TTWW" }, /* broken: its members count as top-level */
    { 5, 1, 4, "zip", "truncated", true, 210, 50, "TTEW" }, /* broken inside of broken */
    { 6, 1, 5, "gif", "complete", true, 220, 10, "WWEW" },
    { 7, 1, 4, "png", "complete", true, 270, 20, "WWEW" },
    { 8, 1, 7, "png", "complete", true, 275, 5, "EWEW" }, /* in 7, which is written */
    { 9, 1, 0, "pdf", "truncated", false, 290, 500,
      "WWWW" }, /* cut by a rule: nobody found it broken */
    { 10, 1, 4, "gif", "complete", true, 300, 10,
      "EWEW" }, /* does not lie in 4, whatever the case file says */
    { 11, 2, 4, "gif", "complete", true, 210, 10, "EWEW" }, /* nor does one of another image */
    { 12, 2, 0, "gif", "fragmented", true, 400, 10, "WWWW" },
    { 13, 2, 99, "gif", "footer", false, 500, 10, "EWEW" },
};

static void answers(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        struct carve_choice choice = { .embedded = mode & 1,
                                       .truncated = mode & 2,
                                       .selection = selection_all() };

        for (int walk = 0; walk < 2; walk++) { /* a second walk gives the same */
            carve_choice_restart(&choice);
            for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                const struct db_object object = { .id = rows[i].id,
                                                  .image_id = rows[i].image_id,
                                                  .parent_id = rows[i].parent_id,
                                                  .type = rows[i].type,
                                                  .state = rows[i].state,
                                                  .validated = rows[i].validated,
                                                  .offset = rows[i].offset,
                                                  .len = rows[i].len };
                const char got = "WETO"[carve_choice_ask(&choice, &object)];

                if (got != rows[i].want[mode])
                    fail_msg("object %d, mode %d: %c", (int)rows[i].id, mode, got);
            }
        }
    }
}

/* 64 numbers in a row are of one part; each object is of one. */
static void parts_by_numbers(void **state)
{
    static const uint32_t counts[] = { 1, 2, 3, 7 };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int64_t id = 1; id < 1000; id++)
            for (uint32_t k = 0; k < counts[i]; k++) {
                struct carve_choice choice = { .part_number = k,
                                               .part_count = counts[i],
                                               .selection = selection_all() };
                const struct db_object object = {
                    .id = id, .image_id = 1, .type = "jpg", .state = "complete", .len = 10
                };

                assert_int_equal(carve_choice_ask(&choice, &object),
                                 (uint32_t)(id >> 6) % counts[i] == k ? CARVE_WRITE : CARVE_OTHER);
            }
}

static void types_and_sizes(void **state)
{
    struct carve_choice choice = { .selection = selection_all() };
    struct db_object object = {
        .id = 1, .image_id = 1, .type = "jpg", .extension = "", .state = "complete", .len = 10
    };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(selection_take(&choice.selection, SELECTION_TYPES, "png,jpg", &err), ERR_OK);
    assert_int_equal(selection_take(&choice.selection, SELECTION_MIN, "10", &err), ERR_OK);
    assert_int_equal(selection_take(&choice.selection, SELECTION_MAX, "20", &err), ERR_OK);
    assert_int_equal(selection_open(&choice.selection, NULL, &err), ERR_OK);
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_WRITE);
    object.len = 20;
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_WRITE);
    object.len = 9;
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_OTHER);
    object.len = 21;
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_OTHER);
    object.len = 15;
    object.type = "jp";
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_OTHER);
    object.extension = "png";
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_WRITE);
    object.parent_id = 7;
    assert_int_equal(carve_choice_ask(&choice, &object), CARVE_EMBEDDED);
    /*
     * Those that are left out for another reason count too: all but two of the size, all but one of
     * the type.
     */
    assert_int_equal(choice.selection.counts.objects, 7);
    assert_int_equal(choice.selection.counts.size, 5);
    assert_int_equal(choice.selection.counts.types, 6);
    carve_choice_restart(&choice);
    assert_int_equal(choice.selection.counts.objects, 0);
    selection_close(&choice.selection);
}

/* Broken objects inside of each other without end: memory stays, and what is deeper than remembered
 * is left out. */
static void depth_is_bounded(void **state)
{
    struct carve_choice choice = { .selection = selection_all() };

    (void)state;
    for (int64_t id = 1; id <= 3 * CARVE_CHOICE_DEPTH; id++) {
        const struct db_object object = { .id = id,
                                          .image_id = 1,
                                          .parent_id = id - 1,
                                          .type = "zip",
                                          .state = "truncated",
                                          .validated = true,
                                          .offset = (uint64_t)id,
                                          .len = 1000 };

        assert_int_equal(carve_choice_ask(&choice, &object),
                         id <= CARVE_CHOICE_DEPTH + 1 ? CARVE_TRUNCATED : CARVE_EMBEDDED);
        assert_true(choice.open_count <= CARVE_CHOICE_DEPTH);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),
        cmocka_unit_test(parts_by_numbers),
        cmocka_unit_test(types_and_sizes),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests_name("carve_choice", tests, NULL, NULL);
}
