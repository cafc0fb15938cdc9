/* SPDX-License-Identifier: Apache-2.0
 * What holds for each layout that is told: cut to its size, apart, once, within its budget. And the
 * way of a walk: who ends it. */
#include "io/leftover/tell.h"
#include "tests/io/leftover/lib_leftover.h"

enum { SIZE = 1 << 20, UNIT = 4096 };

static void tell(struct tell *tell, const uint64_t (*runs)[2], uint32_t count, uint64_t size)
{
    struct err err = { 0 };

    tell_begin(tell);
    for (uint32_t i = 0; i < count; i++)
        tell_add(tell, runs[i][0], runs[i][1]);
    assert_int_equal(
        tell_layout(tell, &(struct io_layout){ .size = size, .unit = UNIT, .path = "", .text = "" },
                    NULL, &err),
        ERR_OK);
}

static void layouts_are_checked(void **state)
{
    static const uint64_t two[][2] = { { 0, UNIT }, { 8 * UNIT, UNIT } };
    static const uint64_t joined[][2] = { { 0, UNIT }, { UNIT, UNIT }, { 4 * UNIT, 2 * UNIT } };
    static const uint64_t over[][2] = { { 0, 2 * UNIT }, { UNIT, UNIT } };
    static const uint64_t outside[][2] = { { 0, UNIT }, { SIZE - UNIT, UNIT + 1 } };
    static const uint64_t far[][2] = { { 0, UNIT }, { UINT64_MAX - 1, UNIT } };
    static const uint64_t cut[][2] = { { 0, 2 * UNIT }, { 4 * UNIT, 100 } };
    struct told *told = calloc(1, sizeof *told);
    struct tell it;
    struct err err = { 0 };

    (void)state;
    assert_non_null(told);
    told->image_size = SIZE;
    assert_int_equal(tell_open(&it, SIZE, told_take, told, &err), ERR_OK);
    tell_source(&it);
    tell(&it, two, 2, 0);
    assert_int_equal(told->count, 1);
    tell(&it, two, 2, 2 * UNIT - 1); /* the same clusters */
    tell(&it, two, 2, 2 * UNIT + 1); /* it is shorter */
    tell(&it, two, 2, UNIT);         /* in one piece */
    tell(&it, over, 2, 0);
    tell(&it, outside, 2, 0);
    tell(&it, far, 2, 0);
    assert_int_equal(told->count, 1);
    tell(&it, joined, 3, 2 * UNIT + 100);
    assert_int_equal(told->count, 2);
    told_runs(&told->layouts[1], cut, 2);
    tell_release(&it);
    free(told);
}

static void work_is_bounded(void **state)
{
    struct told *told = calloc(1, sizeof *told);
    struct tell it;
    struct err err = { 0 };
    uint32_t i = 0;

    (void)state;
    assert_non_null(told);
    assert_int_equal(tell_open(&it, SIZE, told_take, told, &err), ERR_OK);
    tell_source(&it);
    tell_begin(&it);
    for (; !it.broken && i < 10000000; i++) {
        if (i % 64 == 0)
            tell_begin(&it);
        tell_add(&it, (uint64_t)(i % 64) * 2 * UNIT, UNIT);
    }
    assert_true(it.broken);
    assert_true(i < SIZE);
    tell_source(&it);
    tell_begin(&it);
    tell_add(&it, 0, UNIT);
    assert_false(it.broken);
    tell_release(&it);
    free(told);
}

static bool stop(void)
{
    return true;
}

static enum err_code refuse(void *arg, const struct io_layout *layout, struct err *err)
{
    (void)arg;
    return ERR_RAISE(err, ERR_FULL, "no more than %u", layout->run_count);
}

static void a_walk_ends_when_asked(void **state)
{
    const struct io_leftover_hint hint = { .stop = stop }, none = { 0 };
    uint8_t *bytes = zeros(SIZE);
    struct io_image *image = NULL;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(io_image_open_memory(bytes, SIZE, &image, &err), ERR_OK);
    assert_int_equal(io_leftover_walk(image, &hint, refuse, NULL, &err), ERR_INTERRUPTED);
    assert_int_equal(io_leftover_walk(image, &none, refuse, NULL, &err), ERR_OK);
    io_image_close(image);
    free(bytes);
}

static void each_ends_a_walk(void **state)
{
    static const uint64_t two[][2] = { { 0, UNIT }, { 8 * UNIT, UNIT } };
    struct tell it;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(tell_open(&it, SIZE, refuse, NULL, &err), ERR_OK);
    tell_source(&it);
    tell_begin(&it);
    tell_add(&it, two[0][0], two[0][1]);
    tell_add(&it, two[1][0], two[1][1]);
    assert_int_equal(tell_layout(&it, &(struct io_layout){ .unit = UNIT, .path = "" }, NULL, &err),
                     ERR_FULL);
    tell_release(&it);
}

static void sources_have_names(void **state)
{
    (void)state;
    assert_string_equal(io_layout_source_name(IO_LAYOUT_FILE), "file");
    assert_string_equal(io_layout_source_name(IO_LAYOUT_EXFAT_ENTRY), "exfat-entry");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(layouts_are_checked),
                                        cmocka_unit_test(work_is_bounded),
                                        cmocka_unit_test(a_walk_ends_when_asked),
                                        cmocka_unit_test(each_ends_a_walk),
                                        cmocka_unit_test(sources_have_names) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
