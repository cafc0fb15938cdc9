/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_plan_queue.c - hits come out of the queue sorted and never before they are
 * known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/plan/plan_queue.h"

enum { HITS = 5000, DISORDER = 200 };

static int before(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

/* Hits that are out of order by less than DISORDER bytes, as the ends of segments deliver them. */
static void nearly_sorted_hits_come_out_sorted(void **state)
{
    static struct hit hits[HITS], sorted[HITS];
    struct plan_queue queue = { 0 };
    struct hit out;
    uint32_t taken = 0;

    (void)state;
    for (uint32_t i = 0; i < HITS; i++)
        hits[i] = sorted[i] = (struct hit){ .offset = i * 3 + (i * 7919u) % DISORDER,
                                            .pattern = (i * 31u) % 5,
                                            .len = 4 };
    qsort(sorted, HITS, sizeof *sorted, before);
    for (uint32_t i = 0; i < HITS;) {
        const uint32_t count = i + 97 < HITS ? 97 : HITS - i;
        const uint64_t known = i * 3; /* every later hit begins here or after it */

        assert_int_equal(plan_queue_add(&queue, hits + i, count, NULL), ERR_OK);
        while (plan_queue_take(&queue, known, &out)) {
            assert_true(out.offset < known);
            assert_memory_equal(&out, &sorted[taken], sizeof out);
            taken++;
        }
        i += count;
    }
    while (plan_queue_take(&queue, UINT64_MAX, &out)) {
        assert_int_equal(out.offset, sorted[taken].offset);
        assert_int_equal(out.pattern, sorted[taken].pattern);
        taken++;
    }
    assert_int_equal(taken, HITS);
    plan_queue_release(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nearly_sorted_hits_come_out_sorted) };

    return cmocka_run_group_tests_name("plan queue", tests, NULL, NULL);
}
