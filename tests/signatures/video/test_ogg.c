/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/video/test_ogg.c - chained and multiplexed streams, built page by page after RFC
 * 3533; the CRC is computed bit by bit, not with the library that the validator uses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 14, HEAD = 27, FIRST = 2, LAST = 4 };

struct file {
    uint8_t bytes[FILE_MAX];
    size_t len;
};

static uint32_t crc_of(const uint8_t *bytes, size_t len)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < len; i++) {
        crc ^= (uint32_t)bytes[i] << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
    }
    return crc;
}

/* A page of one segment that begins with text. */
static void put_page(struct file *f, uint8_t flags, uint8_t serial, uint8_t sequence,
                     const char *text, uint8_t len)
{
    uint8_t *page = f->bytes + f->len;
    const size_t all = HEAD + 1u + len;

    assert_true(f->len + all <= FILE_MAX);
    memset(page, 0, all);
    memcpy(page, "OggS", 4);
    page[5] = flags;
    page[14] = serial;
    page[18] = sequence;
    page[26] = 1;
    page[27] = len;
    memcpy(page + HEAD + 1, text, strlen(text));
    const uint32_t crc = crc_of(page, all);
    for (int i = 0; i < 4; i++)
        page[22 + i] = (uint8_t)(crc >> 8 * i);
    f->len += all;
}

static void put_stream(struct file *f, uint8_t serial, const char *text)
{
    put_page(f, FIRST, serial, 0, text, 30);
    put_page(f, 0, serial, 1, "data", 200);
    put_page(f, LAST, serial, 2, "data", 100);
}

static struct harness_verdict check(struct file *f)
{
    memset(f->bytes + f->len, 0x5a, FILE_MAX - f->len);
    return harness_check(harness_sig("ogg"), f->bytes, FILE_MAX);
}

static void assert_whole(struct file *f, size_t len, const char *type)
{
    const struct harness_verdict v = check(f);

    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, len);
    assert_string_equal(v.type->name, type);
}

static void test_chained(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_stream(&f, 1, "\x01vorbis");
    put_stream(&f, 2, "OpusHead");
    assert_whole(&f, f.len, "ogg");
    assert_int_equal(check(&f).claims != 0, 1);
}

/* The second link breaks: the first one is a file. */
static void test_broken_link(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_stream(&f, 1, "OpusHead");
    const size_t whole = f.len;
    put_stream(&f, 2, "\x80theora");
    f.bytes[f.len - 1] ^= 1;
    assert_whole(&f, whole, "opus");
}

static void test_another_file_on_a_sector(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_page(&f, FIRST, 1, 0, "OpusHead", 30);
    put_page(&f, 0, 1, 1, "data", 200);
    put_page(&f, LAST, 1, 2, "data", (uint8_t)(512 - f.len - HEAD - 1));
    assert_int_equal(f.len, 512);
    put_stream(&f, 2, "OpusHead");
    assert_whole(&f, 512, "opus");
}

static void test_multiplexed(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_page(&f, FIRST, 1, 0, "\x01vorbis", 30);
    put_page(&f, FIRST, 2, 0, "\x80theora", 42);
    put_page(&f, LAST, 1, 1, "data", 200);
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS); /* the video has not ended */
    assert_int_equal(check(&f).result.len, f.len);
    put_page(&f, LAST, 2, 1, "data", 200);
    assert_whole(&f, f.len, "ogv");
}

static void test_breaks(void **unused)
{
    struct file f = { 0 };

    (void)unused;
    put_page(&f, FIRST, 1, 0, "\x01vorbis", 30);
    assert_int_equal(check(&f).result.verdict, SIG_REJECT); /* a beginning alone */
    put_page(&f, 0, 1, 1, "data", 30);
    const size_t right = f.len;
    put_page(&f, LAST, 1, 3, "data", 30); /* page 2 is missing */
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS);
    assert_int_equal(check(&f).result.len, right);
    f.len = right;
    put_page(&f, LAST, 2, 2, "data", 30); /* a stream that has not begun */
    assert_int_equal(check(&f).result.len, right);
    f.len = right;
    put_stream(&f, 3, "\x01vorbis"); /* another file */
    assert_int_equal(check(&f).result.verdict, SIG_BREAKS);
    assert_int_equal(check(&f).result.len, right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chained),
        cmocka_unit_test(test_broken_link),
        cmocka_unit_test(test_another_file_on_a_sector),
        cmocka_unit_test(test_multiplexed),
        cmocka_unit_test(test_breaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
