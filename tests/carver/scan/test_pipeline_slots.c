/* tests/carver/scan/test_pipeline_slots.c - how many segments are in memory: worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "carver/scan/pipeline_slots.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static void segments_keep_threads_busy_within_the_memory(void **state)
{
    static const struct {
        uint32_t threads, segment_len;
        bool validators;
        uint32_t slots, kept;
    } rows[] = {
        /* two a thread, four ahead, two batches of 2 MiB and one; even */
        { 2, MIB, true, 14, 5 },
        { 1, MIB, true, 12, 5 },
        { 16, MIB, true, 42, 5 },
        { 2, 64 * KIB, true, 74, 65 },
        /* without validators one is kept */
        { 2, MIB, false, 10, 1 },
        /* 256 MiB for all; with the largest segments that is four */
        { 2, 64 * MIB, true, 4, 1 },
        { 64, 16 * MIB, false, 16, 1 },
        /* as many as there may be */
        { LIMIT_THREADS, 64 * KIB, true, LIMIT_SLOTS, 65 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t slots =
            pipeline_slots(rows[i].threads, rows[i].segment_len, rows[i].validators);

        assert_int_equal(slots, rows[i].slots);
        assert_int_equal(pipeline_slots_kept(slots, rows[i].segment_len, rows[i].validators),
                         rows[i].kept);
    }
    assert_int_equal(pipeline_slots_kept(3, MIB, true), 1); /* not those that are worked on */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_keep_threads_busy_within_the_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
