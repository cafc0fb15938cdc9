/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_png.c - pictures of hand-made chunks; their CRCs come from a
 * bit-by-bit CRC-32 after annex D of the specification, not from the library that the validator
 * uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum { FILE_MAX = 1 << 16 };

struct picture {
    uint8_t bytes[FILE_MAX];
    size_t len;
};

static uint32_t crc_of(const uint8_t *bytes, size_t len)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static void chunk(struct picture *p, const char *type, const void *data, uint32_t len)
{
    uint8_t *at = p->bytes + p->len;

    assert_true(p->len + 12 + len <= FILE_MAX);
    put_u32be(at, len);
    memcpy(at + 4, type, 4);
    memcpy(at + 8, data, len);
    put_u32be(at + 8 + len, crc_of(at + 4, 4 + len));
    p->len += 12 + len;
}

static void begin(struct picture *p, uint32_t width, uint32_t height, const char depth_and_rest[5])
{
    uint8_t header[13];

    put_u32be(header, width);
    put_u32be(header + 4, height);
    memcpy(header + 8, depth_and_rest, 5);
    memcpy(p->bytes, "\x89PNG\r\n\x1a\n", 8);
    p->len = 8;
    chunk(p, "IHDR", header, sizeof header);
}

/* 45 bytes up to here + 3 chunks of 1000 + IEND. Picture data need not inflate: the CRCs are what
 * is checked. */
static void make_png(struct picture *p)
{
    uint8_t data[1000];

    begin(p, 100, 100, "\x08\x02\0\0\0");
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < sizeof data; i++)
            data[i] = (uint8_t)(i * 7 + k * 31 + (i >> 5));
        chunk(p, "IDAT", data, sizeof data);
    }
    chunk(p, "IEND", "", 0);
}

static struct harness_verdict check(const struct picture *p, size_t len)
{
    return harness_check(harness_sig("png"), p->bytes, len);
}

static void a_whole_picture_is_complete(void **state)
{
    static struct picture p;

    (void)state;
    make_png(&p);
    assert_int_equal(p.len, 33 + 3 * 1012 + 12);
    memset(p.bytes + p.len, 'x', 100);
    assert_true(harness_header_matches(harness_sig("png"), p.bytes, p.len));
    assert_int_equal(check(&p, p.len + 100).result.verdict, SIG_COMPLETE);
    assert_int_equal(check(&p, p.len + 100).result.len, p.len);
}

/* The CRC of IEND is in every PNG file and was not computed here. */
static void the_test_makes_right_crcs(void **state)
{
    static struct picture p;

    (void)state;
    make_png(&p);
    assert_memory_equal(p.bytes + p.len - 12, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
}

static void a_flipped_bit_breaks_after_the_last_good_chunk(void **state)
{
    static struct picture p;

    (void)state;
    for (size_t at = 33 + 2 * 1012; at < 33 + 3 * 1012; at += 101) {
        make_png(&p);
        p.bytes[at] ^= 0x20;
        const struct harness_verdict v = check(&p, p.len);
        assert_int_equal(v.result.verdict, SIG_BREAKS);
        assert_int_equal(v.result.len, 33 + 2 * 1012);
    }
    make_png(&p);
    p.bytes[33 + 500] ^= 1; /* not even the first picture data is right */
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
    make_png(&p);
    p.bytes[20] ^= 1;
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
}

static void the_image_ends_inside_of_picture_data(void **state)
{
    static struct picture p;

    (void)state;
    make_png(&p);
    const struct harness_verdict v = check(&p, 2000);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 2000);
}

static void chunks_in_a_wrong_place_are_refused(void **state)
{
    static struct picture p;
    uint8_t data[600] = { 0 };

    (void)state;
    begin(&p, 10, 10, "\x08\x02\0\0\0");
    chunk(&p, "IEND", "", 0);
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);

    begin(&p, 10, 10, "\x08\x03\0\0\0"); /* a palette picture without a palette */
    chunk(&p, "IDAT", data, sizeof data);
    chunk(&p, "IEND", "", 0);
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);

    begin(&p, 10, 10, "\x08\x02\0\0\0");
    chunk(&p, "IDAT", data, sizeof data);
    chunk(&p, "tEXt", "a\0b", 3);
    chunk(&p, "IDAT", data, sizeof data);
    chunk(&p, "IEND", "", 0);
    const struct harness_verdict v = check(&p, p.len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 33 + 612 + 15);

    begin(&p, 10, 10, "\x08\x02\0\0\0");
    chunk(&p, "ID@T", data, sizeof data);
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
}

static void image_headers_that_cannot_be_are_refused(void **state)
{
    static const char *const rest[] = { "\x03\0\0\0\0",   "\x10\x03\0\0\0", "\x04\x02\0\0\0",
                                        "\x08\x05\0\0\0", "\x08\x02\1\0\0", "\x08\x02\0\1\0",
                                        "\x08\x02\0\0\2" };
    static struct picture p;
    uint8_t data[600] = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        begin(&p, 10, 10, rest[i]);
        chunk(&p, "IDAT", data, sizeof data);
        chunk(&p, "IEND", "", 0);
        assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
    }
    begin(&p, 0, 10, "\x08\x02\0\0\0");
    chunk(&p, "IDAT", data, sizeof data);
    chunk(&p, "IEND", "", 0);
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
}

static void animations_and_apples_variant_are_complete(void **state)
{
    static struct picture p;
    uint8_t data[600] = { 0 };

    (void)state;
    begin(&p, 10, 10, "\x08\x02\0\0\0");
    chunk(&p, "acTL", "\0\0\0\2\0\0\0\0", 8);
    chunk(&p, "IDAT", data, sizeof data);
    chunk(&p, "fdAT", data, sizeof data);
    chunk(&p, "IEND", "", 0);
    assert_int_equal(check(&p, p.len).result.verdict, SIG_COMPLETE);

    make_png(&p);
    memmove(p.bytes + 8 + 16, p.bytes + 8, p.len - 8);
    p.len += 16;
    put_u32be(p.bytes + 8, 4);
    memcpy(p.bytes + 12, "CgBI\x50\0\x20\x02", 8);
    put_u32be(p.bytes + 20, crc_of(p.bytes + 12, 8));
    assert_true(harness_header_matches(harness_sig("png"), p.bytes, p.len));
    assert_int_equal(check(&p, p.len).result.verdict, SIG_COMPLETE);
    assert_int_equal(check(&p, p.len).result.len, p.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_picture_is_complete),
        cmocka_unit_test(the_test_makes_right_crcs),
        cmocka_unit_test(a_flipped_bit_breaks_after_the_last_good_chunk),
        cmocka_unit_test(the_image_ends_inside_of_picture_data),
        cmocka_unit_test(chunks_in_a_wrong_place_are_refused),
        cmocka_unit_test(image_headers_that_cannot_be_are_refused),
        cmocka_unit_test(animations_and_apples_variant_are_complete),
    };
    return cmocka_run_group_tests_name("png", tests, NULL, NULL);
}
