/* SPDX-License-Identifier: Apache-2.0
 * Goal: a thorough check of a tar archive, which has no check sums of its data, sees bytes that are
 * no member's: a gzip file that is not whole, zeros in a text, the header of another archive's
 * member. What is right before them is told; a check that is not thorough takes them all.
 * Method: an archive of a text and a gzip file is made by hand, as POSIX.1-2017 (pax, ustar) and
 * RFC 1952 say, and spoiled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum {
    BLOCK = 512,
    TEXT = BLOCK,               /* where the text's bytes are, */
    TEXT_SIZE = 6 * BLOCK + 77, /* and how many */
    PACKED = 9 * BLOCK,         /* the gzip file, behind its header */
    PACKED_SIZE = 10 + 5 + 3000 + 8,
    ALL = 10240
};

static void put_header(uint8_t *at, const char *name, uint32_t size)
{
    uint32_t sum = 0;

    memset(at, 0, BLOCK);
    snprintf((char *)at, 100, "%s", name);
    memcpy(at + 100, "0000644", 8);
    memcpy(at + 108, "0000000", 8);
    memcpy(at + 116, "0000000", 8);
    snprintf((char *)at + 124, 12, "%011o", size);
    memcpy(at + 136, "00000000000", 12);
    memset(at + 148, ' ', 8);
    at[156] = '0';
    memcpy(at + 257,
           "ustar\0"
           "00",
           8);
    for (uint32_t i = 0; i < BLOCK; i++)
        sum += at[i];
    snprintf((char *)at + 148, 8, "%06o", sum);
}

/* RFC 1952, 8. */
static uint32_t crc(const uint8_t *bytes, uint32_t len)
{
    uint32_t sum = UINT32_MAX;

    for (uint32_t i = 0; i < len; i++) {
        sum ^= bytes[i];
        for (int k = 0; k < 8; k++)
            sum = (sum & 1) != 0 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
    }
    return ~sum;
}

/* A block that is not packed: its length, that inverted, the bytes. */
static void put_gzip(uint8_t *at)
{
    static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0xb8, 0x0b, 0x47, 0xf4 };
    uint8_t *bytes = at + sizeof head;

    memcpy(at, head, sizeof head);
    for (uint32_t i = 0; i < 3000; i++)
        bytes[i] = (uint8_t)(i * i / 7);
    put_u32le(bytes + 3000, crc(bytes, 3000));
    put_u32le(bytes + 3004, 3000);
}

static void put_archive(uint8_t *archive)
{
    memset(archive, 0, ALL);
    put_header(archive, "text", TEXT_SIZE);
    for (uint32_t i = 0; i < TEXT_SIZE; i++)
        archive[TEXT + i] = i % 61 == 60 ? '\n' : (uint8_t)('a' + i % 23);
    put_header(archive + PACKED - BLOCK, "packed.gz", PACKED_SIZE);
    put_gzip(archive + PACKED);
}

static struct sig_result thorough(const uint8_t *archive)
{
    return harness_run_thorough(harness_sig("tar"), archive, ALL).result;
}

static void what_is_no_members_is_seen(void **state)
{
    uint8_t archive[ALL];

    (void)state;
    put_archive(archive);
    assert_int_equal(thorough(archive).verdict, SIG_COMPLETE);
    assert_int_equal(harness_check(harness_sig("tar"), archive, ALL).result.len, ALL);

    memset(archive + TEXT + 3 * BLOCK, 0, BLOCK);
    assert_int_equal(harness_check(harness_sig("tar"), archive, ALL).result.verdict, SIG_COMPLETE);
    assert_int_equal(thorough(archive).verdict, SIG_BREAKS);
    assert_int_equal(thorough(archive).len, TEXT + 3 * BLOCK);

    put_archive(archive);
    put_header(archive + TEXT + 2 * BLOCK, "another", 9);
    assert_int_equal(thorough(archive).verdict, SIG_BREAKS);
    assert_int_equal(thorough(archive).len, TEXT + 2 * BLOCK);

    put_archive(archive);
    archive[PACKED + 2000] ^= 1;
    assert_int_equal(harness_check(harness_sig("tar"), archive, ALL).result.verdict, SIG_COMPLETE);
    assert_int_equal(thorough(archive).verdict, SIG_BREAKS);
    assert_true(thorough(archive).len >= PACKED - BLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_no_members_is_seen) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
