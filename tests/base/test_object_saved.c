/* SPDX-License-Identifier: Apache-2.0
 * tests/base/test_object_saved.c - a text of a shard is UTF-8 without control characters, wherever
 * in it a wrong byte stands, against a look at one byte after another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/object_saved.h"

enum { LEN_MAX = 40 };

static bool is_taken(const char *bytes, uint32_t len)
{
    struct pack pack = { 0 };
    uint32_t got = 0;

    pack_number(&pack, len);
    pack_bytes(&pack, bytes, len);
    assert_false(pack.failed);
    struct unpack in = { .at = pack.bytes, .end = pack.bytes + pack.len };
    const char *text = text_saved_next(&in, &got);
    const bool taken = !in.failed;
    if (taken) {
        assert_true(unpack_whole(&in));
        assert_int_equal(got, len);
        assert_true(len == 0 || memcmp(text, bytes, len) == 0);
    }
    pack_release(&pack);
    return taken;
}

static void a_byte_that_is_no_text_is_seen_wherever_it_stands(void **state)
{
    char text[LEN_MAX];

    (void)state;
    memset(text, 'a', sizeof text);
    for (uint32_t len = 0; len <= LEN_MAX; len++) {
        assert_true(is_taken(text, len));
        for (uint32_t at = 0; at < len; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                text[at] = (char)byte;
                assert_int_equal(is_taken(text, len), byte >= ' ' && byte < 0x80);
            }
            text[at] = 'a';
        }
    }
}

static void other_letters_than_ascii_are_text(void **state)
{
    char text[LEN_MAX];

    (void)state;
    for (uint32_t at = 0; at + 2 <= LEN_MAX; at++) {
        memset(text, '~', sizeof text);
        memcpy(text + at, "\xc3\xa4", 2);
        assert_true(is_taken(text, LEN_MAX));
        text[at] = '\x1f';
        assert_false(is_taken(text, LEN_MAX));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_that_is_no_text_is_seen_wherever_it_stands),
        cmocka_unit_test(other_letters_than_ascii_are_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
