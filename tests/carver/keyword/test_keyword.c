/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/keyword/test_keyword.c - keywords of the longest pattern and of one character more;
 * a sanitizer sees what is written behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "carver/keyword/keyword.h"

/* count letters in one encoding, in which each takes `unit` bytes. */
static void check_length(const char *encoding, bool ignore_case, uint32_t count, uint32_t unit)
{
    char text[2 * LIMIT_PATTERN_LEN];
    struct keyword_set set;
    struct err err = { 0 };

    memset(text, 'a', count);
    text[count] = '\0';
    assert_int_equal(keyword_set_open(encoding, ignore_case, &set, &err), ERR_OK);
    const enum err_code rc = keyword_add(&set, text, &err);
    if (count * unit <= LIMIT_PATTERN_LEN) {
        assert_int_equal(rc, ERR_OK);
        assert_int_equal(set.count, 1);
        assert_int_equal(set.items[0].len, count * unit);
    } else {
        assert_int_equal(rc, ERR_ARG);
        assert_non_null(strstr(err.text, "more than 255 bytes"));
    }
    keyword_set_close(&set);
}

static void words_are_as_long_as_patterns(void **state)
{
    static const struct {
        const char *name;
        uint32_t unit;
    } encodings[] = { { "utf-8", 1 }, { "cp1252", 1 }, { "utf-16le", 2 }, { "utf-32be", 4 } };

    (void)state;
    for (uint32_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
        for (uint32_t more = 0; more <= LIMIT_PATTERN_LEN / 2;
             more += more < 2 ? 1 : LIMIT_PATTERN_LEN / 4)
            for (uint32_t ignore_case = 0; ignore_case < 2; ignore_case++)
                check_length(encodings[i].name, ignore_case != 0,
                             LIMIT_PATTERN_LEN / encodings[i].unit + more, encodings[i].unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(words_are_as_long_as_patterns) };

    return cmocka_run_group_tests_name("keywords", tests, NULL, NULL);
}
