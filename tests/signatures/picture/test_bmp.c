/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/picture/test_bmp.c - bitmaps of every header size, built by hand from
 * Microsoft's tables, and what must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum { PIXELS_4X2_24 = 2 * 12, FILE_4X2_24 = 14 + 40 + PIXELS_4X2_24 };

/* 4 x 2 pixels of 24 bits behind a BITMAPINFOHEADER: 78 bytes. */
static void make_bmp(uint8_t file[FILE_4X2_24])
{
    memset(file, 0, FILE_4X2_24);
    memcpy(file, "BM", 2);
    put_u32le(file + 2, FILE_4X2_24);
    put_u32le(file + 10, 54);
    put_u32le(file + 14, 40);
    put_u32le(file + 18, 4);
    put_u32le(file + 22, 2);
    file[26] = 1;
    file[28] = 24;
    memset(file + 54, 0xa5, PIXELS_4X2_24);
}

static void a_whole_bitmap_is_complete(void **state)
{
    uint8_t file[FILE_4X2_24 + 100] = { 0 };

    (void)state;
    make_bmp(file);
    assert_true(harness_header_matches(harness_sig("bmp"), file, sizeof file));
    const struct harness_verdict v = harness_check(harness_sig("bmp"), file, sizeof file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, 78);
}

static void a_top_down_bitmap_has_a_negative_height(void **state)
{
    uint8_t file[FILE_4X2_24];

    (void)state;
    make_bmp(file);
    put_u32le(file + 22, (uint32_t)-2);
    assert_int_equal(harness_check(harness_sig("bmp"), file, sizeof file).result.verdict,
                     SIG_COMPLETE);
}

/* BITMAPV5HEADER: a colour profile, larger than any slack, stands behind the pixels; the header
 * says where and how long. */
static void a_version_5_bitmap_may_carry_a_profile(void **state)
{
    enum { PIXELS_AT = 14 + 124, PROFILE = 8000, FILE_LEN = PIXELS_AT + PIXELS_4X2_24 + PROFILE };
    static uint8_t file[FILE_LEN + 10];

    (void)state;
    make_bmp(file);
    put_u32le(file + 2, FILE_LEN);
    put_u32le(file + 10, PIXELS_AT);
    put_u32le(file + 14, 124);
    memcpy(file + 14 + 56, "DEBM", 4); /* PROFILE_EMBEDDED */
    put_u32le(file + 14 + 112, PIXELS_AT - 14 + PIXELS_4X2_24);
    put_u32le(file + 14 + 116, PROFILE);
    const struct harness_verdict v = harness_check(harness_sig("bmp"), file, sizeof file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, FILE_LEN);
    put_u32le(file + 14 + 116, PROFILE + 1);
    assert_int_equal(harness_check(harness_sig("bmp"), file, sizeof file).result.verdict,
                     SIG_REJECT);
    memset(file + 14 + 56, 0, 4); /* no profile: nothing explains the bytes behind the pixels */
    assert_int_equal(harness_check(harness_sig("bmp"), file, sizeof file).result.verdict,
                     SIG_REJECT);
}

/* RLE8, 5 x 3: a run, an absolute run (padded), a jump; each row ended, then the bitmap. */
static void run_length_codes_are_followed_to_their_end(void **state)
{
    static const uint8_t codes[] = { 3, 0x11, 2, 0x22, 0, 0, 0, 5, 1, 2, 3, 4,
                                     5, 0,    0, 0,    0, 2, 4, 0, 1, 9, 0, 1 };
    enum { PIXELS_AT = 14 + 40 + 1024, FILE_LEN = PIXELS_AT + sizeof codes };
    static uint8_t file[FILE_LEN + 10];

    (void)state;
    make_bmp(file);
    put_u32le(file + 2, FILE_LEN);
    put_u32le(file + 10, PIXELS_AT);
    put_u32le(file + 18, 5);
    put_u32le(file + 22, 3);
    file[28] = 8;
    put_u32le(file + 30, 1);
    put_u32le(file + 34, sizeof codes);
    memset(file + 54, 0x40, 1024);
    memcpy(file + PIXELS_AT, codes, sizeof codes);
    const struct harness_verdict v = harness_check(harness_sig("bmp"), file, sizeof file);
    assert_int_equal(v.result.verdict, SIG_COMPLETE);
    assert_int_equal(v.result.len, FILE_LEN);
    file[PIXELS_AT] = 200; /* a run far over the width */
    assert_int_equal(harness_check(harness_sig("bmp"), file, sizeof file).result.verdict,
                     SIG_REJECT);
}

/* 128 x 128 pixels of 24 bits: a ramp is a picture, and so are few colours that alternate, as in
 * small letters; text, or noise at full scale, in some of its sectors is not. */
static void pixels_must_look_like_pixels(void **state)
{
    enum { PIXELS = 128 * 128 * 3, FILE_LEN = 54 + PIXELS };
    static uint8_t file[FILE_LEN];

    (void)state;
    for (int fill = 0; fill < 4; fill++) {
        const bool picture = fill == 0 || fill == 3;

        make_bmp(file);
        put_u32le(file + 2, FILE_LEN);
        put_u32le(file + 18, 128);
        put_u32le(file + 22, 128);
        for (uint32_t i = 0; i < PIXELS; i++)
            file[54 + i] = (uint8_t)(i / 3 + i % 3 * 40);
        uint32_t noise = 12345;
        for (uint32_t i = 8192; i < 8192 + 4096 && fill > 0; i++) {
            noise = noise * 1664525 + 1013904223;
            file[i] = fill == 1   ? (uint8_t) "what stands in some letter, "[i % 28]
                      : fill == 2 ? (uint8_t)(noise >> 24)
                                  : (uint8_t)(noise >> 24 & 0xfe);
        }
        const struct harness_verdict v = harness_check(harness_sig("bmp"), file, sizeof file);
        assert_int_equal(v.result.verdict, picture ? SIG_COMPLETE : SIG_BREAKS);
        assert_int_equal(v.result.len, picture ? FILE_LEN : 8192);
    }
}

static void a_cut_bitmap_breaks_where_the_image_ends(void **state)
{
    uint8_t file[FILE_4X2_24];

    (void)state;
    make_bmp(file);
    const struct harness_verdict v = harness_check(harness_sig("bmp"), file, 70);
    assert_int_equal(v.result.verdict, SIG_BREAKS);
    assert_int_equal(v.result.len, 70);
}

static void what_does_not_agree_is_refused(void **state)
{
    static const struct {
        uint32_t at, value;
    } faults[] = { { 2, 54 },
                   { 2, 77 },
                   { 2, 1 << 24 },
                   { 6, 1 },
                   { 10, 20 },
                   { 14, 41 },
                   { 18, 0 },
                   { 22, 0 },
                   { 26, 2 | 24 << 16 },
                   { 26, 1 | 23 << 16 },
                   { 30, 7 } };
    uint8_t file[FILE_4X2_24];

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        make_bmp(file);
        put_u32le(file + faults[i].at, faults[i].value);
        assert_int_equal(harness_check(harness_sig("bmp"), file, sizeof file).result.verdict,
                         SIG_REJECT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_bitmap_is_complete),
        cmocka_unit_test(a_top_down_bitmap_has_a_negative_height),
        cmocka_unit_test(a_version_5_bitmap_may_carry_a_profile),
        cmocka_unit_test(a_cut_bitmap_breaks_where_the_image_ends),
        cmocka_unit_test(run_length_codes_are_followed_to_their_end),
        cmocka_unit_test(pixels_must_look_like_pixels),
        cmocka_unit_test(what_does_not_agree_is_refused),
    };
    return cmocka_run_group_tests_name("bmp", tests, NULL, NULL);
}
