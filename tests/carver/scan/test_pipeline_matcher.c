/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/scan/test_pipeline_matcher.c - a matcher that is opened early is handed out once, or
 * closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "carver/scan/pipeline_matcher.h"

static struct match_dictionary *dictionary_of_one(void)
{
    const struct match_pattern pattern = { .kind = MATCH_LITERAL,
                                           .bytes = (const uint8_t *)"JFIF",
                                           .len = 4 };
    struct match_dictionary *dictionary = NULL;
    struct err err = { 0 };
    uint32_t index;

    assert_int_equal(match_dictionary_create(&dictionary, &err), ERR_OK);
    assert_int_equal(match_dictionary_add(dictionary, &pattern, &index, &err), ERR_OK);
    return dictionary;
}

static const struct match_options work = { .threads = 2, .slots = 3, .segment_len = 1 << 16 };

static void it_is_handed_out_once(void **state)
{
    struct match_dictionary *dictionary = dictionary_of_one();
    struct match_matcher *matcher = NULL;
    struct pipeline_matcher early;
    struct err err = { 0 };

    (void)state;
    assert_true(pipeline_matcher_begin(&early, dictionary, &work));
    assert_int_equal(pipeline_matcher_take(&early, 77, &matcher, &err), ERR_OK);
    assert_non_null(matcher);
    assert_int_equal(match_slot_count(matcher), 3);
    pipeline_matcher_end(&early); /* it is the caller's now */
    match_close(matcher);
    match_dictionary_destroy(dictionary);
}

static void nobody_need_take_it(void **state)
{
    struct match_dictionary *dictionary = dictionary_of_one();
    struct pipeline_matcher early;

    (void)state;
    pipeline_matcher_begin(&early, dictionary, &work);
    pipeline_matcher_end(&early);
    pipeline_matcher_end(&early);
    match_dictionary_destroy(dictionary);
}

/* What is wrong with an engine is told when its matcher is taken: that of a device, where there is
 * none, and one that is none. */
static void what_is_wrong_is_told_when_it_is_taken(void **state)
{
    static const char *const names[] = { "shift-and", "no such engine" };
    struct match_dictionary *dictionary = dictionary_of_one();

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct match_options options = work;
        struct match_matcher *matcher = NULL, *same = NULL;
        struct pipeline_matcher early;
        struct err err = { 0 }, why = { 0 };

        options.engine = names[i];
        const enum err_code rc = match_open(dictionary, &options, &same, &why);
        assert_true(pipeline_matcher_begin(&early, dictionary, &options));
        assert_int_equal(pipeline_matcher_take(&early, 77, &matcher, &err), rc);
        assert_string_equal(err.text, why.text);
        assert_true((matcher != NULL) == (rc == ERR_OK));
        assert_true(i == 0 || rc == ERR_ARG);
        match_close(matcher);
        match_close(same);
        pipeline_matcher_end(&early);
    }
    match_dictionary_destroy(dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_handed_out_once),
        cmocka_unit_test(nobody_need_take_it),
        cmocka_unit_test(what_is_wrong_is_told_when_it_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
