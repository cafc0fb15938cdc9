/* SPDX-License-Identifier: Apache-2.0
 * Goal: paths are taken by their cost, and of several that cost the same the one that was added
 * first; one more than there is room for is left out.
 * Method: costs of a fixed sequence are added, some of them between two that are taken; what is
 * taken is held against the costs themselves, sorted by qsort.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/assemble/path_heap.h"

enum { COUNT = 1000, COSTS = 97 };

static struct path_heap heap;

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void test_order(void **state)
{
    uint32_t keys[COUNT], seed = 5;

    (void)state;
    heap.count = heap.open = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        seed = seed * 1664525 + 1013904223;
        keys[i] = (seed >> 16) % COSTS * COUNT + i;
        path_heap_push(&heap, &(struct path){ .cost = keys[i] / COUNT });
    }
    qsort(keys, COUNT, sizeof keys[0], compare);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i == COUNT / 2) { /* one that comes before all that are left */
            path_heap_push(&heap, &(struct path){ .cost = 0 });
            assert_int_equal(path_heap_pop(&heap), COUNT);
        }
        assert_int_equal(path_heap_pop(&heap), keys[i] % COUNT);
    }
    assert_int_equal(heap.open, 0);
}

static void test_full(void **state)
{
    (void)state;
    heap.count = heap.open = 0;
    for (uint32_t i = 0; i <= PATHS_MAX; i++)
        path_heap_push(&heap, &(struct path){ .cost = PATHS_MAX - i });
    assert_int_equal(heap.count, PATHS_MAX);
    assert_int_equal(path_heap_pop(&heap), PATHS_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_order), cmocka_unit_test(test_full) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
