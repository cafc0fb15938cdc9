/* SPDX-License-Identifier: Apache-2.0
 * tests/match/offload/test_ring.c - what the ring of a device does with hits: their order, and how
 * many are read back.
 *
 * Method: the sort beside qsort, on hits spread out, close together, and alike; then quiet
 * segments, after which only a few hits are read back, and dense ones behind them.
 */
#include "match/device/device_host.h"
#include "match/offload/ring_sort.h"
#include "tests/match/match_test.h"

static int order(const void *a, const void *b)
{
    const struct ring_hit *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->what < y->what ? -1 : x->what > y->what;
}

static void hits_are_sorted(void **state)
{
    enum { MANY = 30000 };
    static struct ring_hit hits[MANY], want[MANY];
    static const uint32_t counts[] = { 0, 1, 2, 24, 25, 300, MANY },
                          spans[] = { 1, 7, 300, 70000, UINT32_MAX }, kinds[] = { 1, 3, 100000 };
    uint64_t seed = 0x50f7;

    (void)state;
    for (uint32_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (uint32_t s = 0; s < sizeof spans / sizeof spans[0]; s++)
            for (uint32_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
                const uint32_t low = test_random(&seed, 2) == 0
                                         ? 0
                                         : spans[s] - 1 - spans[s] / 4; /* crowded at the end */

                for (uint32_t i = 0; i < counts[c]; i++)
                    hits[i] = (struct ring_hit){ .start = low + test_random(&seed, spans[s] - low),
                                                 .what = test_random(&seed, kinds[k]) << 8 | 4 };
                memcpy(want, hits, counts[c] * sizeof *hits);
                qsort(want, counts[c], sizeof *want, order);
                ring_sort(hits, counts[c], spans[s]);
                assert_memory_equal(hits, want, counts[c] * sizeof *hits);
            }
}

enum { SEGMENT = 3000, QUIET = 150, DENSE = 5, LEN = (QUIET + DENSE) * SEGMENT };

static void dense_segments_after_quiet_ones_lose_no_hit(void **state)
{
    static uint8_t text[LEN];
    static uint32_t cuts[QUIET + DENSE];
    struct match_dictionary *dictionary = NULL;
    struct test_hits want = { 0 };

    (void)state;
    TEST_OK(match_dictionary_create(&dictionary, &test_err));
    test_add(dictionary, "a", NULL, 1, false);
    test_add(dictionary, "aa", NULL, 2, false);
    memset(text, 'a', LEN);
    memset(text + 1000, 0, QUIET * SEGMENT - 1000);
    for (uint32_t i = 0; i < QUIET + DENSE; i++)
        cuts[i] = (i + 1) * SEGMENT;
    test_oracle(dictionary, text, LEN, 0, &want);
    for (enum match_strategy s = MATCH_STRATEGY_AUTO; s <= MATCH_STRATEGY_B; s++)
        for (uint32_t max = 100; max <= 10000; max *= 10) {
            struct match_matcher *matcher = NULL;
            struct test_hits got = { 0 };
            struct device_host host;

            device_host_init(&host, 1, 64 << 20);
            const struct device_provider provider = device_host_provider(&host);
            const struct match_options options = { .engine = "shift-and",
                                                   .threads = 2,
                                                   .slots = 4,
                                                   .segment_len = SEGMENT,
                                                   .hits_max = max,
                                                   .strategy = s,
                                                   .devices = &provider };
            TEST_OK(match_open(dictionary, &options, &matcher, &test_err));
            test_scan(matcher, text, LEN, 0, cuts, QUIET + DENSE - 1, &got);
            match_close(matcher);
            assert_int_equal(host.open, 0);
            test_hits_sort(&got);
            assert_true(test_hits_equal(&want, &got));
            free(got.items);
            device_host_release(&host);
        }
    match_dictionary_destroy(dictionary);
    free(want.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_sorted),
        cmocka_unit_test(dense_segments_after_quiet_ones_lose_no_hit),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
