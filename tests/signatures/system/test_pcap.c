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

/* A record of this second, since 1970. */
static void put_record(uint8_t *at, uint32_t second)
{
    const uint8_t head[16] = { (uint8_t)second,
                               (uint8_t)(second >> 8),
                               (uint8_t)(second >> 16),
                               (uint8_t)(second >> 24),
                               1,
                               0,
                               0,
                               0,
                               PACKET,
                               0,
                               0,
                               0,
                               PACKET,
                               0,
                               0,
                               0 };

    memcpy(at, head, sizeof head);
    memset(at + sizeof head, 0x77, PACKET);
    memcpy(at + sizeof head + 12, "\x08\0\x45\0\0\x56", 6); /* Ethernet, IPv4, 86 bytes */
}

/* A capture of which all sectors but the last are full, and more records from offset `more` on, the
 * first of which is of the second `later` behind the first one's; between them, filling. */
static struct harness_verdict run_later(uint8_t filling, size_t more, uint32_t first, int later)
{
    static uint8_t bytes[FILE_LEN];

    memset(bytes, filling, sizeof bytes);
    memcpy(bytes, "\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\0\0\4\0\1\0\0\0", 24);
    for (uint32_t i = 0; i < RECORDS; i++) {
        put_record(bytes + 24 + (size_t)i * RECORD, first + i);
        put_record(bytes + more + (size_t)i * RECORD, first + (uint32_t)later + i);
    }
    return harness_check(harness_sig("pcap"), bytes, sizeof bytes);
}

static struct harness_verdict run(uint8_t filling, size_t more)
{
    return run_later(filling, more, 0x50000000, RECORDS);
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

/* Wherever they begin, and also where the upper half of their time is another one. */
static void records_go_on_anywhere(void **unused)
{
    (void)unused;
    for (size_t more = 2 * SECTOR; more < 2 * SECTOR + 200; more++) {
        assert_int_equal(run(0xee, more).result.verdict, SIG_BREAKS);
        assert_int_equal(run_later(0xee, more, 0x5000ffff - RECORDS, 3000).result.verdict,
                         SIG_BREAKS);
        assert_int_equal(run_later(0xee, more, 0x50010000, -3000).result.verdict, SIG_BREAKS);
        assert_int_equal(run_later(0xee, more, 0x50000000, 4000).result.verdict, SIG_COMPLETE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(records_go_on),
                                        cmocka_unit_test(records_go_on_anywhere) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
