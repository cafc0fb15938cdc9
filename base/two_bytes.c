/* SPDX-License-Identifier: Apache-2.0
 * base/two_bytes.c - see two_bytes.h. */
#include <stdbool.h>
#include <string.h>

#include "base/two_bytes.h"

enum { TWO_LANES = 32, TWO_STEP = 4 * TWO_LANES };

/* Where a processor has narrower ones, the compiler takes several for each. */
typedef uint8_t two_lanes __attribute__((vector_size(TWO_LANES)));
typedef uint64_t two_words __attribute__((vector_size(TWO_LANES)));

static bool two_are(const uint8_t *at, uint8_t first, uint8_t second, uint8_t other)
{
    return at[0] == first && (at[1] == second || at[1] == other);
}

/* The first TWO_STEP bytes at or behind `at` in which a pair begins, or the last ones. */
static inline __attribute__((always_inline)) const uint8_t *two_skip(const uint8_t *at,
                                                                     const uint8_t *end,
                                                                     uint8_t first, uint8_t second,
                                                                     uint8_t other)
{
    for (; end - at >= TWO_STEP; at += TWO_STEP) {
        two_lanes any = { 0 };

        for (uint32_t i = 0; i < TWO_STEP; i += TWO_LANES) {
            two_lanes here, next;

            memcpy(&here, at + i, sizeof here);
            memcpy(&next, at + i + 1, sizeof next);
            any |= (two_lanes)(here == first) & (two_lanes)((next == second) | (next == other));
        }
        const two_words words = (two_words)any;
        if ((words[0] | words[1] | words[2] | words[3]) != 0)
            break;
    }
    return at;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static const uint8_t *two_skip_avx2(const uint8_t *at,
                                                                    const uint8_t *end,
                                                                    uint8_t first, uint8_t second,
                                                                    uint8_t other)
{
    return two_skip(at, end, first, second, other);
}

static const uint8_t *two_near(const uint8_t *at, const uint8_t *end, uint8_t first, uint8_t second,
                               uint8_t other)
{
    return __builtin_cpu_supports("avx2") ? two_skip_avx2(at, end, first, second, other)
                                          : two_skip(at, end, first, second, other);
}
#else
static const uint8_t *two_near(const uint8_t *at, const uint8_t *end, uint8_t first, uint8_t second,
                               uint8_t other)
{
    return two_skip(at, end, first, second, other);
}
#endif

const uint8_t *two_bytes_find(const uint8_t *at, const uint8_t *end, uint8_t first, uint8_t second,
                              uint8_t other)
{
    while (at < end) {
        at = two_near(at, end, first, second, other);
        const uint8_t *to = end - at > TWO_STEP ? at + TWO_STEP : end;

        for (; at < to; at++)
            if (two_are(at, first, second, other))
                return at;
    }
    return NULL;
}
