/* SPDX-License-Identifier: Apache-2.0
 * Extents of ext4: inodes, nodes below them, leaf blocks, and copies in a journal. */
#include "io/leftover/extent_node.h"
#include "tests/io/leftover/lib_leftover.h"

enum { UNIT = 4096, BLOCKS = 512, SIZE = BLOCKS * UNIT, INODES = 8 };

static uint8_t *block(uint8_t *bytes, uint32_t number)
{
    return bytes + (size_t)number * UNIT;
}

static uint8_t *image(void)
{
    uint8_t *bytes = zeros(SIZE), *super = bytes + 1024;

    put(super + 4, BLOCKS, 4);
    put(super + 24, 2, 4);
    put(super + 32, 32768, 4);
    put(super + 40, 128, 4);
    put(super + 56, 0xef53, 2);
    put(super + 76, 1, 4);
    put(super + 88, 256, 2);
    put(block(bytes, 1) + 8, INODES, 4); /* where the table of inodes lies */
    put(block(bytes, INODES) + 256, 0x41ed, 2);
    put(block(bytes, INODES) + 256 + 26, 3, 2);
    return bytes;
}

static void head(uint8_t *node, uint32_t entries, uint32_t most, uint32_t depth)
{
    put(node, 0xf30a, 2);
    put(node + 2, entries, 2);
    put(node + 4, most, 2);
    put(node + 6, depth, 2);
}

static void leaf_entry(uint8_t *node, uint32_t i, uint32_t logical, uint32_t len, uint64_t at)
{
    uint8_t *entry = node + 12 + (size_t)12 * i;

    put(entry, logical, 4);
    put(entry + 4, len, 2);
    put(entry + 6, at >> 32, 2);
    put(entry + 8, at, 4);
}

/* A plain file with two extents: 3 blocks at 100, 2 at 50. Returns its node. */
static uint8_t *inode(uint8_t *at, uint64_t size)
{
    put(at, 0x81a4, 2);
    put(at + 4, size, 4);
    put(at + 16, 1000000000, 4);
    put(at + 26, 1, 2);
    put(at + 32, 0x80000, 4);
    head(at + 40, 2, 4, 0);
    leaf_entry(at + 40, 0, 0, 3, 100);
    leaf_entry(at + 40, 1, 3, 2, 50);
    return at + 40;
}

static const uint64_t two[][2] = { { 100 * UNIT, 3 * UNIT }, { 50 * UNIT, UNIT + 7 } };

static void inodes_are_told(void **state)
{
    uint8_t *bytes = image(), *at = block(bytes, INODES) + 512;

    (void)state;
    inode(at, 4 * UNIT + 7);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    assert_int_equal(told->layouts[0].source, IO_LAYOUT_EXTENTS);
    assert_int_equal(told->layouts[0].size, 4 * UNIT + 7);
    assert_int_equal(told->layouts[0].modified, 1000000000);
    assert_int_equal(told->layouts[0].at, INODES * UNIT + 512);
    assert_true(told->layouts[0].in_use);
    told_runs(&told->layouts[0], two, 2);
    free(told);

    put(at + 20, 1, 4); /* a time of deletion */
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    assert_false(told->layouts[0].in_use);
    free(told);

    leaf_entry(at + 40, 1, 4, 1, 50); /* a hole */
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);

    leaf_entry(at + 40, 1, 3, 32768 + 2, 50); /* unwritten: reads as zeros */
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    free(bytes);
}

/* The inode names two leaf blocks; one alone is told without a size when no inode names it. */
static void nodes_below_are_read(void **state)
{
    static const uint64_t want[][2] = { { 100 * UNIT, 4 * UNIT },
                                        { 200 * UNIT, 4 * UNIT },
                                        { 300 * UNIT, 1 } };
    uint8_t *bytes = image(), *at = block(bytes, INODES) + 512;

    (void)state;
    uint8_t *node = inode(at, 8 * UNIT + 1);
    head(node, 2, 4, 1);
    put(node + 12, 0, 4);
    put(node + 16, 20, 4); /* block of the node below */
    put(node + 20, 0, 4);
    put(node + 24, 8, 4);
    put(node + 28, 21, 4);
    put(node + 32, 0, 4);
    head(block(bytes, 20), 2, 340, 0);
    leaf_entry(block(bytes, 20), 0, 0, 4, 100);
    leaf_entry(block(bytes, 20), 1, 4, 4, 200);
    head(block(bytes, 21), 1, 340, 0);
    leaf_entry(block(bytes, 21), 0, 8, 1, 300);
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    told_runs(&told->layouts[0], want, 3);
    free(told);

    memset(node, 0, 60); /* as a deletion leaves it */
    told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 1);
    assert_int_equal(told->layouts[0].size, 0);
    assert_int_equal(told->layouts[0].at, 20 * UNIT);
    told_runs(&told->layouts[0], want, 2);
    free(told);
    free(bytes);
}

/* Nodes that name each other or themselves end. */
static void nodes_that_loop_end(void **state)
{
    uint8_t *bytes = image(), *at = block(bytes, INODES) + 512;

    (void)state;
    uint8_t *node = inode(at, 100 * UNIT);
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *bytes_of = i == 0 ? node : block(bytes, 20);

        head(bytes_of, 2, 4, 1);
        for (uint32_t k = 0; k < 2; k++) {
            put(bytes_of + 12 + (size_t)12 * k, 4 * k, 4);
            put(bytes_of + 16 + (size_t)12 * k, 20, 4);
        }
    }
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 0);
    free(told);
    free(bytes);
}

/* A descriptor with two tags of 8 bytes; both blocks behind it are copies of the table of inodes.
 * The copy with the higher sequence number is told first. */
static void copies_in_the_journal_are_told_newest_first(void **state)
{
    uint8_t *bytes = image();

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *at = block(bytes, 30 + 10 * i);

        put_be(at, 0xc03b3998, 4);
        put_be(at + 4, 1, 4);
        put_be(at + 8, 5 + i, 4);
        put_be(at + 12, 0, 4); /* block 0, and its UUID behind the tag */
        put_be(at + 18, 0, 2);
        put_be(at + 36, INODES, 4);
        put_be(at + 42, 2 | 8, 2); /* no UUID; the last tag */
        inode(at + (size_t)2 * UNIT + 512, 4 * UNIT + 7);
        if (i == 1)
            leaf_entry(at + (size_t)2 * UNIT + 512 + 40, 1, 3, 2, 60);
    }
    struct told *told = told_by(bytes, SIZE, NULL, 0);
    assert_int_equal(told->count, 2);
    assert_int_equal(told->layouts[0].source, IO_LAYOUT_JOURNAL);
    assert_int_equal(told->layouts[0].runs[1].offset, 60 * UNIT);
    assert_int_equal(told->layouts[0].at, 42 * UNIT + 512);
    assert_false(told->layouts[0].in_use);
    told_runs(&told->layouts[1], two, 2);
    free(told);
    free(bytes);
}

static void forms_of_nodes(void **state)
{
    uint8_t bytes[60] = { 0 };
    struct extent_node node;

    (void)state;
    head(bytes, 2, 4, 0);
    leaf_entry(bytes, 0, 0, 3, 100);
    leaf_entry(bytes, 1, 3, 2, UINT64_C(0x123400000005));
    assert_true(extent_node_open(bytes, sizeof bytes, &node));
    assert_int_equal(extent_node_get(&node, 1).block, UINT64_C(0x123400000005));
    leaf_entry(bytes, 1, 2, 2, 50); /* over the first */
    assert_false(extent_node_open(bytes, sizeof bytes, &node));
    head(bytes, 5, 5, 0);
    assert_false(extent_node_open(bytes, sizeof bytes, &node)); /* no room for five */
    head(bytes, 1, 4, 6);
    assert_false(extent_node_open(bytes, sizeof bytes, &node));
    assert_false(extent_node_open(bytes, 11, &node));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inodes_are_told),
        cmocka_unit_test(nodes_below_are_read),
        cmocka_unit_test(nodes_that_loop_end),
        cmocka_unit_test(copies_in_the_journal_are_told_newest_first),
        cmocka_unit_test(forms_of_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
