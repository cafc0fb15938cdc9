/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/system/test_pcapng.c - a capture of two sections, as mergecap -a or a shell's
 * cat make it. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

/* A section header of version 1.0 without a length of the section, and an Ethernet interface;
 * draft-ietf-opsawg-pcapng, 4.1, 4.2. */
#define SECTION                                                                                    \
    "\n\r\r\n\x1c\0\0\0\x4d\x3c\x2b\x1a\1\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\x1c\0\0\0"         \
    "\1\0\0\0\x14\0\0\0\1\0\0\0\0\0\4\0\x14\0\0\0"

enum { SECTION_LEN = 48 };

/* However the bytes come in, the second section's header is claimed once, and no object of its own
 * begins there. */
static void a_second_section_is_claimed_once(void **state)
{
    static const uint8_t bytes[4096] = SECTION SECTION;
    const struct harness_verdict v = harness_check(harness_sig("pcapng"), bytes, sizeof bytes);

    (void)state;
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 2 * SECTION_LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_second_section_is_claimed_once) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
