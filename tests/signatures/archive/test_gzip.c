/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/archive/test_gzip.c - members with stored blocks written here, and with
 * compressed ones that Python's zlib wrote.
 *
 * The CRC-32 is computed bit by bit after RFC 1952, section 8, not with the library that the
 * validator uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 20 };

/* python3: gzip.compress(b"The quick brown fox jumps over the lazy dog.\n" * 20, 9, mtime=0) */
static const uint8_t fox[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x0b, 0xc9, 0x48, 0x55, 0x28,
    0x2c, 0xcd, 0x4c, 0xce, 0x56, 0x48, 0x2a, 0xca, 0x2f, 0xcf, 0x53, 0x48, 0xcb, 0xaf, 0x50,
    0xc8, 0x2a, 0xcd, 0x2d, 0x28, 0x56, 0xc8, 0x2f, 0x4b, 0x2d, 0x52, 0x28, 0x01, 0x4a, 0xe7,
    0x24, 0x56, 0x55, 0x2a, 0xa4, 0xe4, 0xa7, 0xeb, 0x71, 0x85, 0x8c, 0x2a, 0x1e, 0x55, 0x3c,
    0xaa, 0x98, 0xda, 0x8a, 0x01, 0xc5, 0x0d, 0xd0, 0x56, 0x84, 0x03, 0x00, 0x00,
};

struct file {
    uint8_t bytes[FILE_MAX];
    size_t len;
};

static void put(struct file *f, const void *bytes, size_t len)
{
    assert_true(f->len + len <= FILE_MAX);
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
}
#define PUT(f, literal) put((f), (literal), sizeof(literal) - 1)

static void put_u16le(struct file *f, uint32_t value)
{
    const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8) };
    put(f, bytes, 2);
}

static uint32_t crc_of(uint32_t crc, const uint8_t *bytes, size_t len)
{
    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

/* blocks stored blocks of 10000 bytes each, and the trailer. Where each begins is known: 5 bytes of
 * head, 10000 of data. */
static void put_stored(struct file *f, uint32_t blocks)
{
    static uint8_t data[10000];
    uint32_t crc = 0;

    for (uint32_t k = 0; k < blocks; k++) {
        for (uint32_t i = 0; i < sizeof data; i++)
            data[i] = (uint8_t)(i * 31 + k + (i >> 7));
        crc = crc_of(crc, data, sizeof data);
        put(f, k + 1 == blocks ? "\1" : "\0", 1);
        put_u16le(f, sizeof data);
        put_u16le(f, (uint16_t) ~sizeof data);
        put(f, data, sizeof data);
    }
    put_u16le(f, crc & 0xffff);
    put_u16le(f, crc >> 16);
    put_u16le(f, blocks * 10000 & 0xffff);
    put_u16le(f, blocks * 10000 >> 16);
}

static void make_stored(struct file *f, uint32_t blocks)
{
    f->len = 0;
    PUT(f, "\x1f\x8b\x08\0\0\0\0\0\0\x03");
    put_stored(f, blocks);
}

static struct harness_verdict check(const struct file *f, size_t len)
{
    return harness_check(harness_sig("gz"), f->bytes, len);
}

static void assert_complete(struct file *f, size_t len)
{
    memset(f->bytes + f->len, 0, 700);
    const struct harness_verdict v = check(f, f->len + 700);

    assert_true(harness_header_matches(harness_sig("gz"), f->bytes, f->len));
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
    assert_int_equal(check(f, f->len).result.len, len);
}

static void a_member_is_complete(void **state)
{
    static struct file f;

    (void)state;
    f.len = 0;
    put(&f, fox, sizeof fox);
    assert_complete(&f, sizeof fox);
    make_stored(&f, 30);
    assert_complete(&f, 10 + 30 * 10005 + 8);
}

static void every_optional_field_is_stepped_over(void **state)
{
    static struct file f;

    (void)state;
    f.len = 0;
    PUT(&f, "\x1f\x8b\x08\x1e\0\0\0\0\0\x03\5\0AB\1\0xname.txt\0a comment\0");
    const uint32_t crc = crc_of(0, f.bytes, f.len);
    put_u16le(&f, crc & 0xffff);
    put_stored(&f, 1);
    assert_complete(&f, f.len);
    f.bytes[20] ^= 1; /* in the name: the header's CRC is wrong */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
}

static void members_in_a_row_are_one_file(void **state)
{
    static struct file f;

    (void)state;
    make_stored(&f, 1);
    put(&f, fox, sizeof fox);
    PUT(&f, "\x1f\x8b\x08\0\0\0\0\0\0\x03");
    put_stored(&f, 2);
    assert_complete(&f, f.len);
    assert_int_equal(check(&f, f.len).claim_count, 2);
}

static void what_follows_and_is_no_whole_member_is_not_joined(void **state)
{
    static struct file f;

    (void)state;
    make_stored(&f, 1);
    const size_t len = f.len;
    PUT(&f, "\0"); /* padding between them */
    put(&f, fox, sizeof fox);
    assert_complete(&f, len);
    f.len = len;
    put(&f, fox, sizeof fox);
    f.bytes[f.len - 8] ^= 1; /* the second one's CRC */
    assert_complete(&f, len);
    f.len = len;
    put(&f, fox, sizeof fox - 10);
    assert_complete(&f, len);
}

static void a_wrong_sum_or_length_is_not_whole(void **state)
{
    static struct file f;

    (void)state;
    for (size_t back = 1; back <= 8; back++) {
        f.len = 0;
        put(&f, fox, sizeof fox);
        f.bytes[f.len - back] ^= 0x10;
        assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    }
}

/*
 * Stored block 40 (of 45) is damaged: pieces are of 4096 bytes up to 10 + 32 * 4096, then of
 * 8192 up to twice that, then of 16384; the one with the error begins at 10 + 96 * 4096, and 256
 * KiB are left out.
 */
static void a_file_that_breaks_is_valid_up_to_256_kib_before(void **state)
{
    static struct file f;

    (void)state;
    make_stored(&f, 45);
    f.bytes[10 + 40 * 10005 + 1] ^= 1;
    const struct harness_verdict v = check(&f, f.len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 10 + 32 * 4096);
    make_stored(&f, 45);
    f.bytes[10 + 20 * 10005 + 1] ^= 1;
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
}

/* python3: gzip.compress(bytes(8 << 20), 9, mtime=0)[10:24]: the codes of its first block. Zeros
 * behind them are 258 zeros of a file, again and again. */
static const uint8_t codes_of_zeros[] = { 0xec, 0xc1, 0x01, 0x01, 0x00, 0x00, 0x00,
                                          0x80, 0x90, 0xfe, 0xaf, 0xee, 0x08, 0x0a };

/*
 * The zeros begin at 400224, in the piece at 393226; pieces are of 16384 bytes there. With the
 * ninth behind it they are more than 131072: it begins at 10 + 128 * 4096.
 */
static void a_hole_of_the_image_ends_the_file(void **state)
{
    static struct file f;

    (void)state;
    make_stored(&f, 41);
    f.len = 10 + 40 * 10005;
    put(&f, codes_of_zeros, sizeof codes_of_zeros);
    memset(f.bytes + f.len, 0, FILE_MAX - f.len);
    const struct harness_verdict v = check(&f, FILE_MAX);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 10 + 64 * 4096);
    f.len = 0;
    PUT(&f, "\x1f\x8b\x08\0\0\0\0\0\0\x03");
    put(&f, codes_of_zeros, sizeof codes_of_zeros);
    memset(f.bytes + f.len, 0, FILE_MAX - f.len);
    assert_int_equal(check(&f, FILE_MAX).result.verdict, SIG_REJECT);
}

static void blocks_of_zeros_are_no_hole(void **state)
{
    static const uint8_t zeros[65535];
    static struct file f;
    uint32_t crc = 0;

    (void)state;
    f.len = 0;
    PUT(&f, "\x1f\x8b\x08\0\0\0\0\0\0\x03");
    for (int block = 0; block < 5; block++) {
        put(&f, block == 4 ? "\1\xff\xff\0\0" : "\0\xff\xff\0\0", 5);
        put(&f, zeros, sizeof zeros);
        crc = crc_of(crc, zeros, sizeof zeros);
    }
    put_u16le(&f, crc & 0xffff);
    put_u16le(&f, crc >> 16);
    put_u16le(&f, 5 * 65535 & 0xffff);
    put_u16le(&f, 5 * 65535 >> 16);
    assert_complete(&f, f.len);
}

static void the_image_ends_before_the_file(void **state)
{
    static struct file f;

    (void)state;
    make_stored(&f, 2);
    const struct harness_verdict v = check(&f, 15000);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 15000);
    assert_int_equal(check(&f, 500).result.verdict, SIG_REJECT);
}

static void headers_that_cannot_be_are_refused(void **state)
{
    static struct file f;

    (void)state;
    make_stored(&f, 1);
    f.bytes[3] = 0x20;
    assert_false(harness_header_matches(harness_sig("gz"), f.bytes, f.len));
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    make_stored(&f, 1);
    f.bytes[10] = 7; /* a block of the reserved kind */
    assert_int_equal(check(&f, f.len).result.verdict, SIG_REJECT);
    f.len = 0;
    PUT(&f, "\x1f\x8b\x08\x08\0\0\0\0\0\x03");
    memset(f.bytes + f.len, 'n', 5000); /* a name without end, which is read anew each time */
    for (size_t step = 0; step <= 512; step += 256)
        assert_int_equal(
            harness_run(harness_sig("gz"), f.bytes, f.len + 5000, step, 0).result.verdict,
            SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_is_complete),
        cmocka_unit_test(every_optional_field_is_stepped_over),
        cmocka_unit_test(members_in_a_row_are_one_file),
        cmocka_unit_test(what_follows_and_is_no_whole_member_is_not_joined),
        cmocka_unit_test(a_wrong_sum_or_length_is_not_whole),
        cmocka_unit_test(a_file_that_breaks_is_valid_up_to_256_kib_before),
        cmocka_unit_test(a_hole_of_the_image_ends_the_file),
        cmocka_unit_test(blocks_of_zeros_are_no_hole),
        cmocka_unit_test(the_image_ends_before_the_file),
        cmocka_unit_test(headers_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests_name("gzip", tests, NULL, NULL);
}
