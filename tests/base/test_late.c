/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_late.c - items that came late, put back, beside qsort of all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/late.h"

enum { MOST = 64, ROUNDS = 20000 };

struct item {
    uint32_t key, number; /* number: tells items of one key apart */
};

/* Numbers below `most`, the same each time (Marsaglia, Xorshift RNGs, 2003). */
static uint32_t draw(uint32_t *seed, uint32_t most)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed % most;
}

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static int by_both(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    const int key = by_key(a, b);

    return key != 0 ? key : (x->number > y->number) - (x->number < y->number);
}

static void late_ones_lie_where_they_belong(void **state)
{
    uint32_t seed = 7;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct item items[MOST], late[MOST], all[MOST];
        const size_t count = draw(&seed, MOST + 1);
        const uint32_t keys = 1 + draw(&seed, MOST);
        size_t kept = 0, lates = 0;

        for (size_t i = 0; i < count; i++) {
            /* Late ones get the higher numbers, so that items stay before those of their key. */
            const struct item item = { draw(&seed, keys), 0 };
            const int is_late = kept > 0 && by_key(&items[kept - 1], &item) > 0;

            if (is_late)
                late[lates++] = item;
            else
                items[kept++] = item;
        }
        for (size_t i = 0; i < kept; i++)
            items[i].number = (uint32_t)i;
        for (size_t i = 0; i < lates; i++)
            late[i].number = MOST + (uint32_t)late[i].key;
        memcpy(all, items, kept * sizeof *all);
        memcpy(all + kept, late, lates * sizeof *all);
        qsort(all, count, sizeof *all, by_both);
        late_put_back(items, kept, late, lates, sizeof *items, by_key);
        assert_memory_equal(items, all, count * sizeof *all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(late_ones_lie_where_they_belong) };

    return cmocka_run_group_tests_name("late", tests, NULL, NULL);
}
