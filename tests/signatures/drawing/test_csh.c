/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/drawing/test_csh.c - shapes of Photoshop: where they end, and what is none.
 *
 * Method: a file written by hand, one shape of the name "A" with a path of two records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum {
    SHAPE = 4 + 4 + 8 + 1 + 4 + 16 + 2 * 26, /* name, head, id, rectangle, records */
    VERSION_AT = 12 + 8,
    BYTES_AT = VERSION_AT + 4,
    RECORD_AT = BYTES_AT + 4 + 1 + 4 + 16,
};

static uint8_t file[512];

static size_t make(uint8_t shapes)
{
    size_t at = 12;

    memset(file, 0, sizeof file);
    memcpy(file, "cush\0\0\0\2\0\0\0", 11);
    file[11] = shapes;
    for (uint8_t i = 0; i < shapes; i++) {
        memcpy(file + at, "\0\0\0\2\0A\0\0\0\0\0\1\0\0\0\x49\4ab-1", 21);
        file[at + 21 + 16 + 1] = 6;
        at += SHAPE;
    }
    return at;
}

static void expect(size_t len, enum sig_verdict verdict, uint64_t want)
{
    const struct harness_verdict v = harness_check(harness_sig("csh"), file, len);

    assert_int_equal(v.result.verdict, verdict);
    if (verdict != SIG_REJECT)
        assert_int_equal(v.result.len, want);
}

static void as_many_shapes_as_the_head_says(void **state)
{
    (void)state;
    const size_t len = make(1);
    expect(sizeof file, SIG_COMPLETE, len);
    expect(len, SIG_COMPLETE, len);
    file[11] = 2;
    expect(sizeof file, SIG_BREAKS, len);
}

static void what_is_no_shape_is_refused(void **state)
{
    static const size_t places[] = { 11, 12, VERSION_AT + 3, BYTES_AT, RECORD_AT + 1 };

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        make(1);
        file[places[i]] ^= 0x40;
        if (places[i] == 11)
            file[11] = 0;
        expect(sizeof file, SIG_REJECT, 0);
    }
    make(1);
    file[RECORD_AT + 26 + 1] = 9; /* a kind of record that there is not */
    expect(sizeof file, SIG_REJECT, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_shapes_as_the_head_says),
        cmocka_unit_test(what_is_no_shape_is_refused),
    };
    return cmocka_run_group_tests_name("csh", tests, NULL, NULL);
}
