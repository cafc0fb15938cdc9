/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/video/test_isobmff.c - QuickTime files without ftyp, sizes of 64 bits and of 0,
 * and what stands behind a file.
 *
 * Goal: files begin and end where they do however their boxes are arranged. Method: the boxes of
 * one small film (tests/samples) put together in other ways, its chunk offsets corrected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "tests/signatures/harness.h"
#include "tests/signatures/put.h"

enum { FTYP = 20, WIDE = 8, ROOM = 64 << 10 };

struct film {
    uint8_t bytes[ROOM];
    size_t len;
};

static uint8_t source[ROOM];
static size_t source_len, mdat_len;

static int load(void **unused)
{
    FILE *file = fopen("tests/samples/isobmff/film.mov", "rb");

    (void)unused;
    assert_non_null(file);
    source_len = fread(source, 1, sizeof source, file);
    fclose(file);
    assert_memory_equal(source + 4, "ftyp", 4);
    assert_memory_equal(source + FTYP + 4, "wide", 4);
    assert_memory_equal(source + FTYP + WIDE + 4, "mdat", 4);
    mdat_len = bytes_u32be(source + FTYP + WIDE);
    return 0;
}

static void film_add(struct film *film, const void *bytes, size_t len)
{
    assert_true(film->len + len <= sizeof film->bytes);
    memcpy(film->bytes + film->len, bytes, len);
    film->len += len;
}

/* The tables, for content that lies `moved` bytes further on than in the sample. */
static void film_add_moov(struct film *film, int32_t moved)
{
    const size_t at = FTYP + WIDE + mdat_len;
    const size_t from = film->len;

    film_add(film, source + at, source_len - at);
    uint8_t *stco = memmem(film->bytes + from, film->len - from, "stco", 4);
    assert_non_null(stco);
    for (uint32_t i = 0; i < bytes_u32be(stco + 8); i++)
        put_u32be(stco + 12 + 4 * i, bytes_u32be(stco + 12 + 4 * i) + (uint32_t)moved);
}

static void film_add_mdat(struct film *film)
{
    film_add(film, source + FTYP + WIDE, mdat_len);
}

/* Whole, of its own length, alone and with other things behind it. */
static void film_is_whole(const struct film *film)
{
    static uint8_t bytes[3 * ROOM];
    const struct sig *sig = harness_sig("isobmff");

    for (int kind = 0; kind < 4; kind++) {
        size_t len = film->len;

        memcpy(bytes, film->bytes, film->len);
        if (kind == 1)
            memset(bytes + len, 0, ROOM);
        else if (kind == 2)
            memset(bytes + len, 'z', ROOM);
        else if (kind == 3)
            memcpy(bytes + len, film->bytes, film->len);
        len += kind == 0 ? 0 : kind == 3 ? film->len : ROOM;
        assert_true(harness_header_matches(sig, bytes, len));
        const struct harness_verdict v = harness_check(sig, bytes, len);
        if (v.result.verdict != SIG_COMPLETE || v.result.len != film->len ||
            strcmp(v.type->name, "mov") != 0)
            fail_msg("kind %d: verdict %d, %zu of %zu bytes, %s: %s", kind, v.result.verdict,
                     (size_t)v.result.len, film->len, v.type->name, v.result.why);
    }
}

static void test_content_first(void **unused)
{
    static struct film film;

    (void)unused;
    film.len = 0;
    film_add_mdat(&film);
    film_add_moov(&film, -FTYP - WIDE);
    film_is_whole(&film);
    film.len = 0;
    film_add(&film, source + FTYP, WIDE);
    film_add_mdat(&film);
    film_add_moov(&film, -FTYP);
    film_is_whole(&film);
    film.len = 0;
    film_add(&film,
             "\0\0\0\x0c"
             "free"
             "1234",
             12);
    film_add_mdat(&film);
    film_add_moov(&film, 12 - FTYP - WIDE);
    film_is_whole(&film);
    film_add(&film,
             "\0\0\0\x0c"
             "free"
             "1234",
             12);
    film_add(&film,
             "\0\0\0\x0c"
             "udta"
             "\0\0\0\0",
             12);
    film_is_whole(&film);
}

static void test_tables_first(void **unused)
{
    static struct film film;
    const int32_t moov_len = (int32_t)(source_len - FTYP - WIDE - mdat_len);

    (void)unused;
    film.len = 0;
    film_add_moov(&film, moov_len - FTYP - WIDE);
    film_add_mdat(&film);
    film_is_whole(&film);
    put_u32be(film.bytes + moov_len, 0); /* as far as the file goes */
    film_is_whole(&film);
}

static void test_wide_size(void **unused)
{
    static struct film film;

    (void)unused;
    film.len = 0;
    film_add(&film, source, FTYP);
    film_add(&film, "\0\0\0\1mdat\0\0\0\0", 12);
    film_add(&film, "\0\0\0\0", 4);
    put_u32be(film.bytes + FTYP + 12, (uint32_t)mdat_len + 8);
    film_add(&film, source + FTYP + WIDE + 8, mdat_len - 8);
    film_add_moov(&film, 0);
    film_is_whole(&film);
}

/* Content that is in two pieces: no sample behind the gap is one. */
static void test_gap(void **unused)
{
    static struct film film;
    const int32_t moov_len = (int32_t)(source_len - FTYP - WIDE - mdat_len);

    (void)unused;
    film.len = 0;
    film_add_moov(&film, moov_len - FTYP - WIDE);
    film_add(&film, source + FTYP + WIDE, 512);
    for (int i = 0; i < 1024; i++)
        film_add(&film, "\xa7", 1);
    film_add(&film, source + FTYP + WIDE + 512, mdat_len - 512);
    const struct harness_verdict v = harness_check(harness_sig("isobmff"), film.bytes, film.len);
    assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
}

/* Runs that claim billions of samples without a table of their sizes take no time: no byte stands
 * for them. */
static void test_runs_without_sizes(void **unused)
{
    enum { RUNS = 64, MOOF = 8 + 16 + 8 + 20 + RUNS * 20, TRUN = 16 + 8 + 16 + 8 + 20 };
    static struct film film;

    (void)unused;
    film.len = 0;
    film_add(&film, "\0\0\0\x10stypmsdh\0\0\0\0", 16);
    film_add(&film, "\0\0\0\0moof\0\0\0\x10mfhd\0\0\0\0\0\0\0\1\0\0\0\0traf", 32);
    put_u32be(film.bytes + 16, MOOF);
    put_u32be(film.bytes + 40, MOOF - 24);
    film_add(&film, "\0\0\0\x14tfhd\0\0\0\x10\0\0\0\1\0\0\0\1",
             20); /* each sample is of one byte */
    assert_int_equal(film.len, TRUN);
    for (int i = 0; i < RUNS; i++)
        film_add(&film, "\0\0\0\x14trun\0\0\0\1\xff\xff\xff\xff\0\0\x10\0", 20);
    film_add(&film, "\0\0\0\1mdat\0\0\1\0\0\0\0\0", 16);
    film_add(&film, source + FTYP + WIDE, 512);
    const struct harness_verdict v = harness_check(harness_sig("isobmff"), film.bytes, film.len);
    assert_int_not_equal(v.result.verdict, SIG_COMPLETE);
}

/* Text of a program that has "mdat" in it, and what lies there by chance: without brands, no file
 * goes on with boxes that nobody knows. */
static void test_unknown_boxes(void **unused)
{
    static uint8_t bytes[ROOM];
    size_t at = 0;

    (void)unused;
    memset(bytes, 'x', sizeof bytes);
    for (uint32_t i = 0; i < 6; i++, at += 4096) {
        put_u32be(bytes + at, 4096);
        memcpy(bytes + at + 4, i == 0 ? "mdat" : "hain", 4);
    }
    const struct harness_verdict v = harness_check(harness_sig("isobmff"), bytes, sizeof bytes);
    assert_int_equal(v.result.verdict, SIG_REJECT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content_first),      cmocka_unit_test(test_tables_first),
        cmocka_unit_test(test_wide_size),          cmocka_unit_test(test_gap),
        cmocka_unit_test(test_runs_without_sizes), cmocka_unit_test(test_unknown_boxes),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
