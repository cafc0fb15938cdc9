/* SPDX-License-Identifier: Apache-2.0
 * tests/match/papers/quick_search/test_quick_search_openmp.c - Quick Search by OpenMP: what it
 * finds in long texts, with one thread and many.
 */
#include "tests/match/engine_test.h"

static void openmp_agrees_with_the_oracle(void **state)
{
    (void)state;
    if (match_quick_search_openmp_engine.missing() != NULL)
        skip();
    for (uint32_t threads = 1; threads <= 8; threads += 3)
        test_long_texts(&match_quick_search_openmp_engine, threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openmp_agrees_with_the_oracle),
    };
    return cmocka_run_group_tests_name("Quick Search by OpenMP", tests, NULL, NULL);
}
