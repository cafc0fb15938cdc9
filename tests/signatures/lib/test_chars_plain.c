/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/lib/test_chars_plain.c - chars_plain against a loop over isprint and isspace of
 * the C locale: every byte at every place, and random runs. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signatures/lib/chars.h"
#include "tests/signatures/sample.h"

enum { ROOM = 400 };

static uint32_t naive(const uint8_t *chars, uint32_t len)
{
    uint32_t i = 0;

    while (i < len && (isprint(chars[i]) || isspace(chars[i])))
        i++;
    return i;
}

static void test_every_byte(void **unused)
{
    uint8_t chars[ROOM];

    (void)unused;
    for (uint32_t at = 0; at < ROOM; at++)
        for (uint32_t c = 0; c < 256; c++) {
            memset(chars, 'x', sizeof chars);
            chars[at] = (uint8_t)c;
            assert_int_equal(chars_plain(chars, ROOM), naive(chars, ROOM));
        }
}

static void test_random(void **unused)
{
    static const char common[] = "the report, of 2024:\n\t[x]\r\n";
    uint8_t *const chars = malloc(ROOM); /* so that reading behind it is seen */
    uint64_t seed = 3;

    (void)unused;
    assert_non_null(chars);
    for (uint32_t turn = 0; turn < 20000; turn++) {
        (void)sample_random(&seed);
        const uint32_t len = (uint32_t)(seed % (ROOM + 1)), from = ROOM - len;

        for (uint32_t i = 0; i < len; i++)
            chars[from + i] = sample_random(&seed) < 3
                                  ? sample_random(&seed)
                                  : (uint8_t)common[sample_random(&seed) % strlen(common)];
        assert_int_equal(chars_plain(chars + from, len), naive(chars + from, len));
    }
    free(chars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
