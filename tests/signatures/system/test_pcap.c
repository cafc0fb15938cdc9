/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/system/test_pcap.c - records of another capture behind a file's end, and those
 * of the same one behind foreign bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum {
    SECTOR = 512,
    PACKET = 100,
    RECORD = 16 + PACKET,
    RECORDS = 6,
    LEN = 24 + RECORDS * RECORD,
    FILE_LEN = 8 * SECTOR
};

static void put_record(uint8_t *at, uint32_t number)
{
    const uint8_t head[16] = { (uint8_t)number, 0, 0, 0x50, 1,      0, 0, 0,
                               PACKET,          0, 0, 0,    PACKET, 0, 0, 0 };

    memcpy(at, head, sizeof head);
    memset(at + sizeof head, 0x77, PACKET);
    memcpy(at + sizeof head + 12, "\x08\0\x45\0\0\x56", 6); /* Ethernet, IPv4, 86 bytes */
}

/* A capture of which all sectors but the last are full, and more records from offset `more` on;
 * between them, filling. */
static struct harness_verdict run(uint8_t filling, size_t more)
{
    static uint8_t bytes[FILE_LEN];

    memset(bytes, filling, sizeof bytes);
    memcpy(bytes, "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0", 24);
    for (uint32_t i = 0; i < RECORDS; i++) {
        put_record(bytes + 24 + (size_t)i * RECORD, i);
        put_record(bytes + more + (size_t)i * RECORD, RECORDS + i);
    }
    return harness_check(harness_sig("pcap"), bytes, sizeof bytes);
}

static void records_go_on(void **unused)
{
    (void)unused;
    struct harness_verdict v =
        run(0, 3 * SECTOR); /* zeros up to the end of the last sector: another capture */
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, LEN);
    v = run(0xee, 3 * SECTOR); /* something else behind the last record: the rest of this one */
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_true(v.result.len < LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(records_go_on) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
