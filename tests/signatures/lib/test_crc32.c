/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/lib/test_crc32.c - the check value of the catalogue of parametrised CRC
 * algorithms, CRC-32/ISO-HDLC of "123456789", however the bytes come and wherever they stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "signatures/lib/crc32.h"

enum { DIGITS = 9, BEFORE = 3 };

struct pieces {
    struct sig_source source;
    uint32_t together;  /* bytes that are given at a time */
    uint64_t available; /* bytes that are there yet */
};

/* What stands around the digits must not be summed. */
static const uint8_t text[] = "xyz123456789abc";

static const uint8_t *pieces_view(struct sig_source *source, uint64_t at, uint32_t want,
                                  uint32_t *have)
{
    const struct pieces *pieces = (const struct pieces *)source;

    if (at + want > pieces->available)
        return NULL;
    *have = pieces->together > want ? pieces->together : want;
    if (*have > pieces->available - at)
        *have = (uint32_t)(pieces->available - at);
    return text + at;
}

static void the_check_value(void **state)
{
    (void)state;
    for (uint32_t together = 1; together <= sizeof text; together++)
        for (uint64_t first = 0; first <= BEFORE + DIGITS; first++) {
            struct pieces pieces = { { pieces_view }, together, first };
            struct sig_input in = { .source = &pieces.source, .limit = sizeof text - 1 };
            uint64_t at = BEFORE;
            uint32_t crc = 0;

            if (first < BEFORE + DIGITS) {
                assert_int_equal(crc32_add(&in, &at, BEFORE + DIGITS, &crc), STEP_WAIT);
                assert_int_equal(at, first < BEFORE ? BEFORE : first);
                assert_int_equal(in.wanted, at + 1);
            }
            pieces.available = sizeof text - 1;
            assert_int_equal(crc32_add(&in, &at, BEFORE + DIGITS, &crc), STEP_DONE);
            assert_int_equal(at, BEFORE + DIGITS);
            assert_int_equal(crc, 0xcbf43926);
            assert_int_equal(crc32_add(&in, &at, BEFORE + DIGITS, &crc), STEP_DONE);
            assert_int_equal(crc, 0xcbf43926); /* nothing is left */
        }
}

static void a_span_ends_before_what_is_not_asked_for(void **state)
{
    struct pieces pieces = { { pieces_view }, 15, 15 };
    struct sig_input in = { .source = &pieces.source, .limit = 15 };
    uint32_t len = 99;

    (void)state;
    assert_ptr_equal(sig_span_to(&in, 3, 7, &len), text + 3);
    assert_int_equal(len, 4);
    assert_ptr_equal(sig_span_to(&in, 3, 99, &len), text + 3);
    assert_int_equal(len, 12);
    assert_null(sig_span_to(&in, 15, 99, &len));
    assert_int_equal(len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_value),
        cmocka_unit_test(a_span_ends_before_what_is_not_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
