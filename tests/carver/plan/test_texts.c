/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_texts.c - a text is kept once, and no other one is taken for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "carver/plan/texts.h"

enum { LEN_MAX = 24 };

static void a_text_stays_where_it_is_and_apart_from_others(void **state)
{
    const char *kept[LEN_MAX + 1][LEN_MAX + 1];
    struct texts texts = { 0 };
    char text[LEN_MAX + 1];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (size_t len = 0; len <= LEN_MAX; len++) {
            for (size_t at = 0; at <= len; at++) { /* at len: no letter is another */
                memset(text, 'a', sizeof text);
                text[at] = 'b';
                const char *now = texts_keep(&texts, text, len);

                assert_non_null(now);
                assert_int_equal(strlen(now), len);
                assert_memory_equal(now, text, len);
                if (round == 0)
                    kept[len][at] = now;
                assert_ptr_equal(now, kept[len][at]);
            }
        }
    }
    for (size_t len = 0; len <= LEN_MAX; len++)
        for (size_t at = 0; at < len; at++)
            assert_ptr_not_equal(kept[len][at], kept[len][at + 1]);
    texts_release(&texts);
}

static void there_is_an_end_to_them(void **state)
{
    struct texts texts = { 0 };
    char text[TEXTS_LEN + 1];

    (void)state;
    for (uint32_t i = 0; i < TEXTS_MAX; i++) {
        const int len = snprintf(text, sizeof text, "text %u", i);

        assert_non_null(texts_keep(&texts, text, (size_t)len));
    }
    assert_null(texts_keep(&texts, "one more", 8));
    assert_non_null(texts_keep(&texts, "text 7", 6));
    memset(text, 'a', sizeof text);
    assert_null(texts_keep(&texts, text, TEXTS_LEN));
    texts_release(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_stays_where_it_is_and_apart_from_others),
        cmocka_unit_test(there_is_an_end_to_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
