/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/key/test_pgp.c - a message whose data comes in very many parts.
 *
 * Goal: parts are stepped over once, however often more bytes have to be waited for. Method: a
 * message built from RFC 4880, 4.2.2.4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { LEN = 32 << 10, FIRST = 512 };

static void parts_are_stepped_over_once(void **unused)
{
    static const char head[] = "\x8c\x0d\x04\x09\x03\x08saltsalt\x60"
                               "\xd2\xe9\x01";
    static uint8_t bytes[LEN];
    uint32_t noise = 1;

    (void)unused;
    for (size_t i = 0; i < LEN; i++) {
        noise = noise * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(noise >> 24);
    }
    memcpy(bytes, head, sizeof head - 1);
    for (size_t at = 17 + FIRST; at < LEN; at += 2) /* of one byte each */
        bytes[at] = at + 2 < LEN ? 0xe0 : 1;
    const struct sig *sig = harness_sig("openpgp");
    const struct harness_verdict whole = harness_run(sig, bytes, LEN - 1, 0, 0);
    const struct harness_verdict cut = harness_run(sig, bytes, LEN - 1, 16, 0);
    assert_int_equal(cut.result.verdict, whole.result.verdict);
    assert_int_equal(cut.result.len, whole.result.len);
    assert_true(cut.views < 16 * (uint64_t)LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_stepped_over_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
