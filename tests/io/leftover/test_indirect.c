/* SPDX-License-Identifier: Apache-2.0
 * Lists of blocks of ext2 and ext3, bound to headers: both ways drivers lay them, lists of lists,
 * without a superblock, and lists that mean harm. */
#include "tests/io/leftover/lib_leftover.h"

enum { UNIT = 1024, BLOCKS = 4096, SIZE = BLOCKS * UNIT, ROOM = UNIT / 4 };

static uint8_t *block(uint8_t *bytes, uint32_t number)
{
    return bytes + (size_t)number * UNIT;
}

/* A file system of one group, with a root folder: the superblock has a witness. */
static uint8_t *image(void)
{
    uint8_t *bytes = zeros(SIZE), *super = block(bytes, 1);

    put(super + 4, BLOCKS, 4);
    put(super + 20, 1, 4);
    put(super + 32, 8192, 4);
    put(super + 40, 128, 4);
    put(super + 56, 0xef53, 2);
    put(super + 76, 1, 4);
    put(super + 88, 128, 2);
    put(block(bytes, 2) + 8, 5, 4); /* the table of inodes lies at block 5 */
    put(block(bytes, 5) + 128, 0x41ed, 2);
    put(block(bytes, 5) + 128 + 26, 3, 2);
    return bytes;
}

/* Writes `count` numbers from `from` on into a list, at its entry number `at`. */
static void list(uint8_t *bytes, uint32_t number, uint32_t at, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(block(bytes, number) + 4 * (size_t)(at + i), from + i, 4);
}

/* Data go on behind the first 12 blocks; the list lies elsewhere. */
static void lists_apart_are_bound(void **state)
{
    static const uint64_t want[][2] = { { 1000 * UNIT, 15 * UNIT }, { 2000 * UNIT, 5 * UNIT } };
    static const uint64_t rest[][2] = { { 1012 * UNIT, 3 * UNIT }, { 2000 * UNIT, 5 * UNIT } };
    const uint64_t starts[] = { 77 * UNIT, 1000 * UNIT };
    uint8_t *bytes = image();

    (void)state;
    list(bytes, 300, 0, 1012, 3);
    list(bytes, 300, 3, 2000, 5);
    struct told *told = told_by(bytes, SIZE, starts, 2);
    assert_int_equal(told->count, 2);
    assert_int_equal(told->layouts[0].source, IO_LAYOUT_INDIRECT);
    assert_int_equal(told->layouts[0].size, 0);
    assert_int_equal(told->layouts[0].lead, 0);
    assert_int_equal(told->layouts[0].at, 300 * UNIT);
    assert_int_equal(told->layouts[0].unit, UNIT);
    assert_string_equal(told->layouts[0].text, "indirect block 300");
    told_runs(&told->layouts[0], want, 2);
    assert_int_equal(told->layouts[1].lead, 12); /* the same without the first 12 blocks */
    assert_int_equal(told->layouts[1].at, 300 * UNIT);
    told_runs(&told->layouts[1], rest, 2);
    free(told);
    told = told_by(bytes, SIZE, starts, 1); /* no header */
    assert_int_equal(told->count, 1);
    assert_int_equal(told->layouts[0].lead, 12);
    told_runs(&told->layouts[0], rest, 2);
    free(told);
    free(bytes);
}

/* The list lies behind the first 12 blocks, and the data behind it. */
static void lists_inside_are_bound(void **state)
{
    static const uint64_t want[][2] = { { 1000 * UNIT, 12 * UNIT }, { 1013 * UNIT, 100 * UNIT } };
    const uint64_t starts[] = { 1000 * UNIT };
    uint8_t *bytes = image();

    (void)state;
    list(bytes, 1012, 0, 1013, 100);
    struct told *told = told_by(bytes, SIZE, starts, 1);
    assert_int_equal(told->count, 2);
    told_runs(&told->layouts[0], want, 2);
    assert_int_equal(told->layouts[1].lead, 12);
    assert_int_equal(told->layouts[1].run_count, 1);
    free(told);
    free(bytes);
}

/* Lists in a list of lists begin no file, and so have no lead of their own. */
static void lists_inside_others_have_no_lead(void **state)
{
    const uint64_t starts[] = { 77 * UNIT };
    uint8_t *bytes = image();

    (void)state;
    put(block(bytes, 301), 302, 4);
    put(block(bytes, 301) + 4, 350, 4);
    list(bytes, 302, 0, 1500, ROOM);
    list(bytes, 350, 0, 3000, 9);
    list(bytes, 400, 0, 3500, 9);
    struct told *told = told_by(bytes, SIZE, starts, 1);
    for (uint32_t i = 0; i < told->count; i++)
        assert_true(told->layouts[i].at != 302 * UNIT && told->layouts[i].at != 350 * UNIT);
    assert_int_equal(told->count, 1);
    assert_int_equal(told->layouts[0].at, 400 * UNIT);
    assert_int_equal(told->layouts[0].lead, 12);
    free(told);
    free(bytes);
}

/* A full list goes on in a list of two lists. */
static void lists_of_lists_are_followed(void **state)
{
    static const uint64_t want[][2] = { { 1000 * UNIT, (12 + ROOM + ROOM) * UNIT },
                                        { 3000 * UNIT, 9 * UNIT } };
    const uint64_t starts[] = { 1000 * UNIT };
    uint8_t *bytes = image();
    bool found = false;

    (void)state;
    list(bytes, 300, 0, 1012, ROOM);
    put(block(bytes, 301), 302, 4);
    put(block(bytes, 301) + 4, 350, 4);
    list(bytes, 302, 0, 1012 + ROOM, ROOM);
    list(bytes, 350, 0, 3000, 9);
    struct told *told = told_by(bytes, SIZE, starts, 1);
    for (uint32_t i = 0; i < told->count; i++) {
        const struct io_layout *layout = &told->layouts[i];

        if (layout->lead != 0 || layout->run_count != 2 || layout->runs[1].offset != want[1][0])
            continue;
        told_runs(layout, want, 2);
        found = true;
    }
    assert_true(found);
    free(told);
    free(bytes);
}

/* No superblock: files of 40 lists vote for blocks of 1 KiB from 0 on. */
static void votes_tell_without_superblocks(void **state)
{
    enum { FILES = 40 };
    uint64_t starts[FILES], random = 3;
    uint32_t at = 400;
    uint8_t *bytes = zeros(SIZE);

    (void)state;
    for (uint32_t i = 0; i < FILES; i++) {
        starts[i] = (uint64_t)at * UNIT;
        list(bytes, 100 + i, 0, at + 12, 3);
        list(bytes, 100 + i, 3, at + 20, 3);
        at += 30 + (uint32_t)(test_random(&random) % 40);
    }
    struct told *told = told_by(bytes, SIZE, starts, FILES);
    assert_int_equal(told->count, 2 * FILES);
    for (uint32_t i = 0; i < FILES; i++) {
        const uint64_t want[][2] = { { starts[i], 15 * UNIT },
                                     { starts[i] + 20 * UNIT, 3 * UNIT } };

        told_runs(&told->layouts[i], want, 2);
    }
    free(told);
    free(bytes);
}

/* Lists that name themselves and each other, and an image of nothing but lists: it ends, and what
 * is told has the form of a layout, which told_take checks. */
static void lists_that_loop_end(void **state)
{
    uint64_t starts[BLOCKS];
    uint8_t *bytes = image();

    (void)state;
    for (uint32_t i = 0; i < BLOCKS; i++)
        starts[i] = (uint64_t)i * UNIT;
    for (uint32_t i = 6; i < BLOCKS; i++) {
        const uint32_t from = 1 + i * 7 % (BLOCKS - ROOM - 1);

        list(bytes, i, 0, from, i % 3 == 0 ? ROOM : i % ROOM + 1);
    }
    struct told *told = told_by(bytes, SIZE, starts, BLOCKS);
    free(told);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lists_apart_are_bound),
                                        cmocka_unit_test(lists_inside_are_bound),
                                        cmocka_unit_test(lists_inside_others_have_no_lead),
                                        cmocka_unit_test(lists_of_lists_are_followed),
                                        cmocka_unit_test(votes_tell_without_superblocks),
                                        cmocka_unit_test(lists_that_loop_end) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
