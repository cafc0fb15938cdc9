/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_gif.c - pictures whose LZW codes are written without strings (every
 * pixel its own code), and one with strings whose 69 bytes are worked out by hand in M.
 * Flickinger's "What's in a GIF".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"

enum { FILE_MAX = 1 << 16, HEAD = 13 + 3 * 4 };

static const uint8_t flickinger[69] = {
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x0a, 0x00, 0x0a, 0x00, 0x91, 0x00, 0x00, 0xff,
    0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0x21, 0xf9, 0x04,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x2c, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x00, 0x0a, 0x00,
    0x00, 0x02, 0x16, 0x8c, 0x2d, 0x99, 0x87, 0x2a, 0x1c, 0xdc, 0x33, 0xa0, 0x02, 0x75,
    0xec, 0x95, 0xfa, 0xa8, 0xde, 0x60, 0x8c, 0x04, 0x91, 0x4c, 0x01, 0x00, 0x3b,
};

struct picture {
    uint8_t bytes[FILE_MAX];
    size_t len;
    size_t block; /* where the length of the open sub-block stands */
    uint32_t acc, bits;
};

static void put(struct picture *p, const void *bytes, size_t len)
{
    assert_true(p->len + len <= FILE_MAX);
    memcpy(p->bytes + p->len, bytes, len);
    p->len += len;
}
#define PUT(p, literal) put((p), (literal), sizeof(literal) - 1)

static void put_data(struct picture *p, uint8_t byte)
{
    if (p->block == 0 || p->bytes[p->block] == 255) {
        p->block = p->len;
        PUT(p, "\0");
    }
    put(p, &byte, 1);
    p->bytes[p->block]++;
}

/* Codes of 2-bit pixels, 3 bits wide: a clear (4) in front of every second pixel keeps them so. */
static void put_code(struct picture *p, uint32_t code)
{
    p->acc |= code << p->bits;
    for (p->bits += 3; p->bits >= 8; p->bits -= 8) {
        put_data(p, (uint8_t)p->acc);
        p->acc >>= 8;
    }
}

static void put_image(struct picture *p, uint32_t side, uint32_t pixels)
{
    const uint8_t descriptor[] = { 0x2c, 0, 0, 0, 0, (uint8_t)side, 0, (uint8_t)side, 0, 0, 2 };

    put(p, descriptor, sizeof descriptor);
    p->block = 0;
    for (uint32_t i = 0; i < pixels; i++) {
        if (i % 2 == 0)
            put_code(p, 4);
        put_code(p, i * i / 7 % 4);
    }
    put_code(p, 5);
    while (p->bits > 0) {
        put_data(p, (uint8_t)p->acc);
        p->acc = 0;
        p->bits = 0;
    }
    PUT(p, "\0");
}

static void begin(struct picture *p, uint32_t side)
{
    const uint8_t screen[] = { (uint8_t)side, 0, (uint8_t)side, 0, 0x91, 0, 0 };

    memset(p, 0, sizeof *p);
    PUT(p, "GIF89a");
    put(p, screen, sizeof screen);
    PUT(p, "\0\0\0\xff\0\0\0\xff\0\0\0\xff");
}

static struct harness_verdict check(const struct picture *p, size_t len)
{
    return harness_check(harness_sig("gif"), p->bytes, len);
}

static void a_known_picture_is_complete(void **state)
{
    uint8_t file[169] = { 0 };

    (void)state;
    memcpy(file, flickinger, sizeof flickinger);
    assert_true(harness_header_matches(harness_sig("gif"), file, sizeof file));
    const struct harness_verdict v = harness_check(harness_sig("gif"), file, sizeof file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 69);
}

static void an_animation_with_extensions_is_complete(void **state)
{
    static struct picture p;

    (void)state;
    begin(&p, 100);
    PUT(&p, "\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0\x21\xfe\x05hello\x06 there\0");
    for (int frame = 0; frame < 3; frame++) {
        PUT(&p, "\x21\xf9\4\0\x0a\0\0\0");
        put_image(&p, 100, 10000);
    }
    PUT(&p, ";");
    const size_t len = p.len;
    PUT(&p, ";GIF89a what follows is not a part of it");
    assert_int_equal(check(&p, p.len).result.verdict, SIG_COMPLETE);
    assert_int_equal(check(&p, p.len).result.len, len);
}

static void too_few_or_too_many_pixels_are_no_whole_image(void **state)
{
    static struct picture p;

    (void)state;
    for (uint32_t pixels = 9999; pixels <= 10001; pixels++) {
        begin(&p, 100);
        put_image(&p, 100, pixels);
        PUT(&p, ";");
        assert_true((check(&p, p.len).result.verdict == SIG_COMPLETE) == (pixels == 10000));
    }
}

/* The second frame breaks: the first one stays, and the whole sectors before the bad code. */
static void a_code_that_cannot_be_breaks_the_file(void **state)
{
    static struct picture p;

    (void)state;
    begin(&p, 100);
    put_image(&p, 100, 10000);
    const size_t first = p.len;
    put_image(&p, 100, 10000);
    PUT(&p, ";");
    memset(p.bytes + 8192, 0xff, 512); /* code 7 where nothing beyond 6 can be */
    assert_true(first > 4096 && first < 8192);
    const struct harness_verdict v = check(&p, p.len);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 8192);
}

static void the_image_ends_before_the_picture(void **state)
{
    static struct picture p;

    (void)state;
    begin(&p, 100);
    put_image(&p, 100, 10000);
    PUT(&p, ";");
    const struct harness_verdict v = check(&p, 3000);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 3000);
    assert_int_equal(check(&p, 300).result.verdict, SIG_REJECT);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        uint16_t at;
        uint8_t value;
    } faults[] = { { 6, 0 },        { 8, 0 },         { HEAD, 0x22 },
                   { HEAD + 5, 0 }, { HEAD + 10, 9 }, { HEAD + 10, 0 } };
    static struct picture p;

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        begin(&p, 100);
        put_image(&p, 100, 10000);
        PUT(&p, ";");
        p.bytes[faults[i].at] = faults[i].value;
        assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
    }
    begin(&p, 100);
    PUT(&p, ";");
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
    begin(&p, 100);
    PUT(&p, "\x21\x55\4\0\0\0\0\0");
    put_image(&p, 100, 10000);
    PUT(&p, ";");
    assert_int_equal(check(&p, p.len).result.verdict, SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_picture_is_complete),
        cmocka_unit_test(an_animation_with_extensions_is_complete),
        cmocka_unit_test(too_few_or_too_many_pixels_are_no_whole_image),
        cmocka_unit_test(a_code_that_cannot_be_breaks_the_file),
        cmocka_unit_test(the_image_ends_before_the_picture),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests_name("gif", tests, NULL, NULL);
}
