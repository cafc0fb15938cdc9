/* SPDX-License-Identifier: Apache-2.0
 * Sets of bytes: joined, cut and taken away, against a map of single bytes. */
#include "io/filesystem/ranges.h"
#include "tests/io/lib_io.h"

enum { BYTES = 200, ROUNDS = 2000 };

static void fill(struct ranges *ranges, bool map[BYTES], uint64_t *state)
{
    struct err err = { 0 };
    bool full;

    memset(map, 0, BYTES);
    for (uint64_t i = test_random(state) % 12; i > 0; i--) {
        const uint64_t at = test_random(state) % BYTES, len = test_random(state) % 40;
        const uint64_t most = len < BYTES - at ? len : BYTES - at;

        assert_int_equal(ranges_add(ranges, at, most, &full, &err), ERR_OK);
        assert_false(full);
        memset(map + at, 1, most);
    }
    ranges_sort(ranges);
}

/* The ranges are exactly the bytes of the map, ascend and do not touch. */
static void same(const struct ranges *ranges, const bool map[BYTES])
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct io_range *range = &ranges->items[i];

        assert_true(range->len > 0 && (i == 0 || range->offset > at));
        for (; at < range->offset; at++)
            assert_false(map[at]);
        for (; at < range->offset + range->len; at++)
            assert_true(map[at]);
    }
    for (; at < BYTES; at++)
        assert_false(map[at]);
}

static void test_sets(void **unused)
{
    uint64_t state = 7;

    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        struct ranges a = { 0 }, b = { 0 }, both = { 0 }, without = { 0 };
        bool in_a[BYTES], in_b[BYTES], in_both[BYTES], in_a_alone[BYTES];
        struct err err = { 0 };

        fill(&a, in_a, &state);
        fill(&b, in_b, &state);
        for (int i = 0; i < BYTES; i++) {
            in_both[i] = in_a[i] && in_b[i];
            in_a_alone[i] = in_a[i] && !in_b[i];
        }
        assert_int_equal(ranges_both(&a, &b, &both, &err), ERR_OK);
        assert_int_equal(ranges_without(&a, &b, &without, &err), ERR_OK);
        same(&a, in_a);
        same(&both, in_both);
        same(&without, in_a_alone);
        ranges_release(&a);
        ranges_release(&b);
        ranges_release(&both);
        ranges_release(&without);
    }
}

static void test_numbers_that_cannot_be(void **unused)
{
    struct ranges ranges = { 0 };
    struct err err = { 0 };
    bool full;

    (void)unused;
    assert_int_equal(ranges_add(&ranges, UINT64_MAX - 5, 10, &full, &err), ERR_OK);
    assert_int_equal(ranges_add(&ranges, 5, 0, &full, &err), ERR_OK);
    assert_int_equal(ranges.count, 0);
    ranges_release(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_numbers_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
