/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/video/test_ts.c - a transport stream that the image cuts off within a packet. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { PACKET = 188, PACKETS = 6, CUT = 20 };

/* A program association table without a program: transport stream 1, version 0; its CRC-32 of
 * ISO/IEC 13818-1, annex A. */
static void make(uint8_t *bytes)
{
    static const uint8_t table[] = { 0x00, 0x00, 0xb0, 0x09, 0x00, 0x01, 0xc1,
                                     0x00, 0x00, 0xef, 0x22, 0x62, 0x17 };

    memset(bytes, 0xff, (PACKETS + 1) * PACKET);
    for (uint32_t i = 0; i <= PACKETS; i++) {
        uint8_t *packet = bytes + i * PACKET;

        memcpy(packet, "\x47\x40\0", 3);
        packet[3] = (uint8_t)(0x10 | i);
        memcpy(packet + 4, table, sizeof table);
    }
}

/* What is left of the last packet has to be waited for, too, before it is called the middle of a
 * packet or none. */
static void says_that_the_image_ends_within_a_packet(void **state)
{
    uint8_t bytes[(PACKETS + 1) * PACKET];

    (void)state;
    make(bytes);
    const struct harness_verdict cut =
        harness_check(harness_sig("ts"), bytes, PACKETS * PACKET + CUT);
    assert_int_equal(cut.result.verdict, SIG_BREAKS);
    assert_int_equal(cut.result.len, PACKETS * PACKET);
    assert_string_equal(cut.result.why, "the image ends inside a packet");
    bytes[PACKETS * PACKET] = 0;
    const struct harness_verdict other =
        harness_check(harness_sig("ts"), bytes, PACKETS * PACKET + CUT);
    assert_string_not_equal(other.result.why, "the image ends inside a packet");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        says_that_the_image_ends_within_a_packet) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
