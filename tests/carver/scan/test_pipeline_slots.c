/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_pipeline_slots.c - how many segments are in memory: worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "carver/scan/pipeline_slots.h"

enum { KIB = 1024, MIB = 1024 * KIB };

static void segments_fit_into_the_memory(void **state)
{
    static const struct {
        uint32_t threads, segment_len;
        bool validators;
        uint32_t scan, slots; /* threads that scan; slots of each */
    } rows[] = {
        /* three are read ahead; a batch of 2 MiB, and one more */
        { 2, MIB, true, 2, 6 },
        { 1, MIB, true, 1, 6 },
        { 16, MIB, true, 16, 6 },
        { 2, 64 * KIB, true, 2, 36 },
        /* without validators none is kept */
        { 2, MIB, false, 2, 3 },
        /* 256 MiB for all, 3 segments for each thread: one thread with the largest */
        { 2, 64 * MIB, true, 1, 4 },
        { 64, 16 * MIB, false, 5, 3 },
        { 32, MIB, true, 32, 6 },
        { 48, MIB, true, 48, 5 },
        { LIMIT_THREADS, MIB, true, 85, 3 },
        { LIMIT_THREADS, 64 * KIB, true, LIMIT_THREADS, 16 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t threads = pipeline_threads(rows[i].threads, rows[i].segment_len);
        const uint32_t slots =
            pipeline_slots(rows[i].threads, rows[i].segment_len, rows[i].validators);

        assert_int_equal(threads, rows[i].scan);
        assert_int_equal(slots, rows[i].slots);
        assert_true((uint64_t)threads * slots * rows[i].segment_len <= LIMIT_SEGMENT_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_fit_into_the_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
